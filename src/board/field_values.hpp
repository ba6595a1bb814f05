// What only boards have as values: formulas over knobs, and sizes that are formulas of nothing.
#pragma once

#include "memsize/board/expression.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/docs/fields.hpp"

#include <string_view>

namespace memsize::board {

using docs::Fields;
using docs::Text;

[[nodiscard]] Expression expression(Fields& fields, std::string_view key);
[[nodiscard]] Expression required_expression(Fields& fields, std::string_view key);
[[nodiscard]] core::Bytes bytes(Fields& fields, std::string_view key, core::Bytes fallback = {});
[[nodiscard]] core::Align align(Fields& fields, std::string_view key, core::Align fallback = {});

}  // namespace memsize::board
