// What only boards have as values: formulas over knobs, sizes that are formulas of nothing, names
// of sections.
#pragma once

#include "memsize/board/expression.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/docs/fields.hpp"

#include <cstdint>
#include <string_view>

namespace memsize::board {

using docs::Fields;
using docs::Text;

[[nodiscard]] Expression expression(Fields& fields, std::string_view key);
[[nodiscard]] Expression required_expression(Fields& fields, std::string_view key);
[[nodiscard]] core::Bytes bytes(Fields& fields, std::string_view key, core::Bytes fallback = {});
/// A number that is not written is 0, and so is one above `most`, which is an error.
[[nodiscard]] std::uint32_t number_up_to(Fields& fields, std::string_view key, std::uint32_t most);
/// Names stand in linker scripts without quotes, as patterns and in expressions.
[[nodiscard]] bool is_section_name(std::string_view name);

constexpr std::string_view kSectionNameHint =
    "letters, digits, '_', '.', ':' and '$', at most 100, a digit not first";

[[nodiscard]] core::Align align(Fields& fields, std::string_view key, core::Align fallback = {});

}  // namespace memsize::board
