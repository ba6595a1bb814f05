// The short sums that board files are written in: "64MiB - 6MiB - 16KiB",
// "ddr_shared_mem_addr_phys".
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace memsize::board {

/// An expression as it was written, with its place.
struct Expression {
  std::string text;
  core::Place place;
};

using Values = std::map<std::string, std::uint64_t>;

/// Names that exist but have no value where an expression stands.
struct NamesWithoutValue {
  /// They stand further down.
  std::set<std::string> later;
  /// Their own expressions are wrong, which was said already.
  std::set<std::string> broken;
};

/// The names that an expression uses, in its order.
[[nodiscard]] std::vector<std::string> names_in(const Expression& expression);

/// Sums, differences and products of sizes, addresses and names, with brackets; 64 bits, checked.
/// Errors: an unknown name (with the nearest known one), a negative result, an overflow. The list
/// of errors is empty where only a broken name is to blame.
[[nodiscard]] core::Result<std::uint64_t> evaluate(const Expression& expression,
                                                   const Values& values,
                                                   const NamesWithoutValue& missing = {});

}  // namespace memsize::board
