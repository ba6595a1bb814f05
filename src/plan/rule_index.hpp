// Rules by what they ask for, so that a million blocks cost no more than a look each.
#pragma once

#include "memsize/plan/rules.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace memsize::plan {

class RuleIndex {
 public:
  explicit RuleIndex(const Rules& rules);

  /// See plan::attributes_of.
  [[nodiscard]] TensorAttributes of(model::Lifetime role, std::string_view id) const;

 private:
  using ById = std::map<std::string, TensorAttributes, std::less<>>;

  static void put(TensorAttributes& over, const TensorAttributes& from);

  // From the weakest to the strongest.
  TensorAttributes any_;
  ById by_id_;
  std::array<TensorAttributes, 3> by_type_;
  std::array<ById, 3> by_type_and_id_;
};

}  // namespace memsize::plan
