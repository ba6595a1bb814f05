// How values are written when they are changed: as those that stand there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

/// `value` as the number `old` is written: decimal or hexadecimal, case of the digits and of the
/// prefix, suffix of C, width where it has leading zeros. Where `old` does not show it, the
/// neighbours do: other values of the same kind in the file.
[[nodiscard]] std::string restyled(std::string_view old,
                                   std::uint64_t value,
                                   const std::vector<std::string>& neighbours = {});

/// Between the quotes of `old`, if it has quotes.
[[nodiscard]] std::string requoted(std::string_view old, std::string_view value);

/// A size that is a product, "(64U * 1024U * 1024U)", as another product; empty if `old` is none.
[[nodiscard]] std::string resized_product(std::string_view old, std::uint64_t size);

/// Pairs of a list of `old` things with one of `wanted` things that keep the order of both, as many
/// as possible the same and few left alone; for each wanted thing its partner.
[[nodiscard]] std::vector<std::optional<std::size_t>> partners(
    std::size_t old,
    std::size_t wanted,
    const std::function<bool(std::size_t, std::size_t)>& is_same);

}  // namespace memsize::sdk
