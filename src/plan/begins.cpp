// Where arenas begin behind what others have. Counted are addresses, not offsets: a bank's base
// need not be a multiple of what a block needs.
#include "begins.hpp"

#include <algorithm>
#include <optional>

namespace memsize::plan {

namespace {

core::Align widest_in(const Bank& bank, const std::vector<model::PlannedBlock>& blocks) {
  core::Align widest = core::Align::make(bank.base_alignment).value();
  for (const model::PlannedBlock& block : blocks) {
    const bool may_be_here = block.role != model::Lifetime::kConstant || !bank.is_volatile ||
                             !block.source_memory.empty();
    widest = may_be_here ? std::max(widest, block.alignment.value_or(widest)) : widest;
  }
  return widest;
}

}  // namespace

void begin_behind_others(std::vector<Bank>& banks,
                         const std::map<std::string, core::Bytes>& taken,
                         const std::vector<model::PlannedBlock>& blocks) {
  for (Bank& bank : banks) {
    const auto size = taken.find(bank.name);
    if (size == taken.end()) {
      continue;
    }
    const core::Bytes base{bank.base.value_or(0)};
    bank.begin = (core::align_up(base + size->second, widest_in(bank, blocks)) - base).count();
    if (bank.budget == model::kLargestPlan.count()) {
      continue;
    }
    // Nothing is left of what is full, and nothing begins above 2^64.
    bank.base =
        bank.base ? std::optional{*bank.base + std::min(bank.begin, bank.window)} : std::nullopt;
    bank.budget -= std::min(bank.budget, bank.begin);
    bank.window -= std::min(bank.window, bank.begin);
  }
}

}  // namespace memsize::plan
