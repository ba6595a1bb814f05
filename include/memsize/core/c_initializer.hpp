// Tables of C whose entries name their fields: `{ { .base = 0x1000, .attrs = { .tex = 1 } }, ...
// }`.
#pragma once

#include "memsize/core/c_expression.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace memsize::core {

struct CField {
  std::uint64_t number = 0;
  /// Of the name, with its dot.
  Place place;
  Place value_place = {};
};

/// By name; those of a structure in an entry are among the entry's.
using CFields = std::map<std::string, CField>;

struct CTableRules {
  CExpressionRules values;
  std::set<std::string> fields;
  /// Whether other fields are passed over, whatever their value; else they are an error.
  bool skips_others = false;
};

/// Gets the fields of an entry and the place of its brace; false ends the table.
using CEntry = std::function<bool(const CFields&, const Place&)>;

/// Takes a table from its opening brace to its closing one. An entry `{ 0 }` has no fields. False
/// after an error, which the cursor has reported, or after an entry's.
bool c_table(Cursor& cursor, const CTableRules& rules, const CEntry& entry);

/// The value of a field, 0 where it is left out, as C has it. One that is not below the limit is an
/// error, and 0.
[[nodiscard]] std::uint64_t c_field(Cursor& cursor,
                                    const CFields& fields,
                                    const std::string& name,
                                    std::uint64_t limit);

}  // namespace memsize::core
