// Formulas are kept as they are written, sizes are worked out here: they may name no knob.
#include "field_values.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace memsize::board {

using docs::Kind;
using docs::Value;

Expression expression(Fields& fields, std::string_view key) {
  const Text text = fields.text(key);
  return {text.text, text.place};
}

Expression required_expression(Fields& fields, std::string_view key) {
  const Text text = fields.required_text(key);
  return {text.written ? text.text : "0", text.place};
}

core::Bytes bytes(Fields& fields, std::string_view key, core::Bytes fallback) {
  const Value value = fields.optional(key, Kind::kText);
  if (!value) {
    return fallback;
  }
  const auto evaluated = evaluate(Expression{value.string(), value.place()}, {});
  if (!evaluated) {
    core::Diagnostics& errors = fields.errors();
    errors.insert(errors.end(), evaluated.error().begin(), evaluated.error().end());
    return fallback;
  }
  return core::Bytes{*evaluated};
}

std::uint32_t number_up_to(Fields& fields, std::string_view key, std::uint32_t most) {
  const auto number = fields.integer(key);
  if (number && *number > most) {
    fields.wrong(core::Code::kBoardValue,
                 fmt::format("'{}' must be at most {}, not {}", key, most, *number),
                 fields.optional(key, Kind::kWhole).place());
    return 0;
  }
  return static_cast<std::uint32_t>(number.value_or(0));
}

bool is_section_name(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  return !name.empty() && name != "." && name.size() <= kLongest &&
         std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view{"._:$"}.find(c) != std::string_view::npos;
         });
}

core::Align align(Fields& fields, std::string_view key, core::Align fallback) {
  const std::size_t before = fields.errors().size();
  const core::Bytes size = bytes(fields, key, core::Bytes{fallback.value()});
  if (fields.errors().size() != before) {
    return fallback;
  }
  const auto made = core::Align::make(size.count());
  if (!made) {
    fields.wrong(core::Code::kBoardValue,
                 fmt::format("'{}' of {} must be a power of two, not {}",
                             key,
                             fields.what(),
                             core::format_bytes(size)),
                 fields.value()[key].place());
  }
  return made.value_or(fallback);
}

}  // namespace memsize::board
