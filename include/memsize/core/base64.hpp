// Base64 (RFC 4648, with padding): bytes that are no text in a JSON document.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memsize::core {

[[nodiscard]] std::string to_base64(std::string_view bytes);

/// Nothing where it is none. White space is left out.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace memsize::core
