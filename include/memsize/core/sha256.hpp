// SHA-256 (FIPS 180-4): tells whether bytes are those of before.
#pragma once

#include <string>
#include <string_view>

namespace memsize::core {

/// 64 hexadecimal digits, lower case.
[[nodiscard]] std::string sha256(std::string_view bytes);

/// The first 64 bits of it: what documents say that they hash to.
[[nodiscard]] std::string short_hash(std::string_view bytes);

}  // namespace memsize::core
