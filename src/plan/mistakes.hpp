// What is wrong with what is wished of a plan, as much of it as anybody reads.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memsize::plan {

constexpr std::size_t kMostMistakes = 20;

class Mistakes {
 public:
  void add(core::Code code, std::string what, core::Place place, std::string hint);
  /// One rule may be wrong for many blocks: the first is named, the others are listed.
  void add_for(const model::PlannedBlock& block,
               core::Code code,
               std::string what,
               const core::Place& place,
               std::string hint);
  /// The first time that a memory which is not there is asked for in the line.
  [[nodiscard]] bool is_new(const std::string& memory, std::size_t line);

  [[nodiscard]] bool empty() const { return errors_.empty(); }

  [[nodiscard]] core::Diagnostics take();

 private:
  core::Diagnostics errors_;
  std::size_t unsaid_ = 0;
  /// Errors that may be of many blocks, and of how many besides the first.
  std::vector<std::pair<std::size_t, std::size_t>> shared_;
  std::set<std::pair<std::string, std::size_t>> asked_for_;
};

}  // namespace memsize::plan
