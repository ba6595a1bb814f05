// Holds the bytes that Linux loses, and those of each core's heaps, against what a project allows,
// and names the largest of what takes them.
#include "memsize/app/map.hpp"
#include "memsize/core/text.hpp"

#include "traced_cores.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

struct Share {
  std::string name;
  core::Bytes size;
};

// The largest first; equal ones in the map's order.
void sort_by_size(std::vector<Share>& shares) {
  std::ranges::stable_sort(shares, std::ranges::greater{}, &Share::size);
}

std::vector<Share> reserved_regions(const layout::MemoryMap& map) {
  std::vector<Share> shares;
  for (const layout::Region& region : map.regions) {
    const auto range = region.physical();
    const bool reserved = region.kind == layout::RegionKind::kRegion && range &&
                          std::ranges::any_of(map.carveouts, [&](const auto& carveout) {
                            return carveout.range.contains(*range);
                          });
    if (reserved) {
      shares.push_back({region.name, region.size});
    }
  }
  sort_by_size(shares);
  return shares;
}

// The memories of the core that a trace sizes.
std::vector<Share> heaps_of(const layout::MemoryMap& map, const std::string& core) {
  std::vector<Share> shares;
  for (const board::Knob& knob : map.board.knobs) {
    if (knob.demand && knob.demand->core == core) {
      const layout::Region* region = map.find_by_knob(knob.name);
      shares.push_back(
          {region == nullptr ? knob.name : region->name, core::Bytes{map.values.at(knob.name)}});
    }
  }
  sort_by_size(shares);
  return shares;
}

core::Diagnostic exceeded(const Budget& budget,
                          const std::string& who,
                          core::Bytes actual,
                          const std::vector<Share>& shares) {
  // More would hide what they are sorted for.
  constexpr std::size_t kMost = 5;
  core::Diagnostic over = core::error(Code::kEmitBudget,
                                      fmt::format("{} {}, {} more than the {} allowed",
                                                  who,
                                                  core::format_size(actual),
                                                  core::format_size(actual - budget.most),
                                                  core::format_size(budget.most)),
                                      budget.place);
  for (std::size_t i = 0; i < std::min(kMost, shares.size()); ++i) {
    over.details.push_back(
        fmt::format("{} has {}", shares[i].name, core::format_size(shares[i].size)));
  }
  if (shares.size() > kMost) {
    over.details.push_back(fmt::format("and {} more, none of them larger", shares.size() - kMost));
  }
  over.hint = fmt::format("make something smaller, or allow it: {} = \"{}\"",
                          budget.core.empty() ? "reserved" : budget.core,
                          core::format_setting(actual));
  return over;
}

}  // namespace

std::string budget_line(const std::vector<Budget>& budgets, const layout::MemoryMap& map) {
  std::vector<std::string> parts;
  for (const Budget& budget : budgets) {
    core::Bytes actual = budget.core.empty() ? map.reserved() : core::Bytes{};
    for (const Share& heap :
         budget.core.empty() ? std::vector<Share>{} : heaps_of(map, budget.core)) {
      actual += heap.size;
    }
    parts.push_back(
        fmt::format("{} {} of {}",
                    budget.core.empty() ? std::string{"Linux loses"} : budget.core + " takes",
                    core::format_size(actual),
                    core::format_size(budget.most)));
  }
  return parts.empty() ? std::string{} : fmt::format("budget: {}", core::join(parts, ", "));
}

core::Diagnostics over_budget(const std::vector<Budget>& budgets, const layout::MemoryMap& map) {
  core::Diagnostics found;
  const std::vector<std::string> cores = cores_with_heaps(map.board);
  for (const Budget& budget : budgets) {
    if (budget.core.empty()) {
      if (map.reserved() > budget.most) {
        found.push_back(exceeded(budget, "Linux loses", map.reserved(), reserved_regions(map)));
      }
      continue;
    }
    if (std::ranges::find(cores, budget.core) == cores.end()) {
      found.push_back(without_heaps(map.board, budget.core, budget.key_place));
      continue;
    }
    const std::vector<Share> heaps = heaps_of(map, budget.core);
    core::Bytes actual;
    for (const Share& heap : heaps) {
      actual += heap.size;
    }
    if (actual > budget.most) {
      found.push_back(
          exceeded(budget, fmt::format("the heaps of {} take", budget.core), actual, heaps));
    }
  }
  return found;
}

}  // namespace memsize::app
