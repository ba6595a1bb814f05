// Looks for an address of a chain that fits, from the last bank down, and proposes it only if the
// whole map, resolved again with it, has fewer errors than now and no other ones.
#include "places.hpp"

#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/translation.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using Error = std::pair<core::Code, core::Parties>;

// The regions that are outside, and what every other check finds, wherever it is then.
std::set<Error> errors_of(const MemoryMap& map) {
  std::set<Error> errors;
  for (const Region& region : map.regions) {
    if (is_outside(map, region)) {
      errors.insert({core::Code::kLayoutBank, {{"region", region.name}}});
    }
  }
  for (const Check& check : all_checks()) {
    if (check.code == core::Code::kLayoutBank) {
      continue;
    }
    core::Diagnostics own;
    check.run(map, own);
    for (const core::Diagnostic& problem : own) {
      if (problem.severity == core::Severity::kError) {
        errors.insert({problem.code, problem.parties});
      }
    }
  }
  return errors;
}

}  // namespace

std::string first_address(const board::Board& board, const board::Knob& knob, core::PhysAddr end) {
  for (const board::Chain& chain : board.chains) {
    const auto up =
        chain.physical.text == knob.name && !chain.items.empty()
            ? core::align_up(end.value(), std::max(chain.items.front().align, knob.granule))
            : std::nullopt;
    if (up) {
      return core::format_hex(*up);
    }
  }
  return core::format_address(end);
}

core::Diagnostic too_small(const board::Chain& chain,
                           const core::PhysRange& window,
                           core::Bytes needed,
                           std::vector<std::pair<std::string, core::Bytes>> sizes) {
  const core::Bytes room = window.size();
  core::Diagnostic misfit =
      core::error(core::Code::kLayoutWindow,
                  fmt::format("chain '{}' needs {}, but its window {} holds {}: {} too much",
                              chain.name,
                              core::format_size(needed),
                              core::format_range(window),
                              core::format_size(room),
                              core::format_size(needed - room)),
                  chain.place)
          .about({{"chain", chain.name}});
  const auto limit = window.base().plus(room);
  misfit.details.push_back(fmt::format("{} ends the window: {}",
                                       limit ? core::format_address(*limit) : std::string{"2^64"},
                                       chain.limit_why));
  std::ranges::stable_sort(sizes, [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(sizes.size(), kShown); ++i) {
    misfit.details.push_back(
        fmt::format("{} has {}", sizes[i].first, core::format_size(sizes[i].second)));
  }
  return misfit;
}

bool is_outside(const MemoryMap& map, const Region& region) {
  const auto range = region.physical();
  return region.kind == RegionKind::kRegion && region.space == board::Space::kDdr && range &&
         !range->empty() && std::ranges::none_of(map.board.banks, [&](const board::Bank& bank) {
           return bank.range.contains(*range);
         });
}

std::string Places::hint_for(const Region& region) {
  const board::Chain* root = map_.board.root_of(region.chain);
  const board::Knob* knob = root == nullptr ? nullptr : map_.board.find_knob(root->physical.text);
  if (knob == nullptr || !knob->is_address) {
    return {};
  }
  const auto [known, added] = hints_.try_emplace(root->name);
  if (added) {
    if (const auto address = find(*root, *knob)) {
      known->second =
          fmt::format("it fits at: --set {}={}", knob->name, core::format_hex(*address));
    }
  }
  return known->second;
}

std::optional<std::uint64_t> Places::find(const board::Chain& root, const board::Knob& knob) {
  core::Align align = knob.granule;
  core::PhysAddr first{UINT64_MAX};
  core::PhysAddr last{0};
  std::vector<core::PhysRange> others;
  for (const Region& region : map_.regions) {
    const auto range = region.physical();
    if (region.kind != RegionKind::kRegion || !range || range->empty()) {
      continue;
    }
    if (map_.board.root_of(region.chain) == &root) {
      align = std::max(align, region.align);
      first = std::min(first, range->base());
      last = std::max(last, range->last());
    } else {
      others.push_back(*range);
    }
  }
  // The last bank first: it is where the boards keep what Linux needs least.
  for (auto bank = map_.board.banks.rbegin(); bank != map_.board.banks.rend(); ++bank) {
    std::uint64_t free = bank->range.base().value();
    for (const core::PhysRange& other : others) {
      if (bank->range.overlaps(other)) {
        free = std::max(free, other.last().value() + 1);
      }
    }
    for (const core::Bytes block : {core::Bytes{1}, kSmallBlock, kLargeBlock}) {
      const auto at = core::align_up(free, std::max(align, *core::Align::make(block.count())));
      const auto end = at ? core::PhysAddr{*at}.plus(last - first) : std::nullopt;
      if (end && *end <= bank->range.last() && is_better_at(knob, *at)) {
        return at;
      }
    }
  }
  return std::nullopt;
}

bool Places::is_better_at(const board::Knob& knob, std::uint64_t address) {
  board::KnobValues values;
  for (const board::Knob& each : map_.board.knobs) {
    values[each.name] = map_.values.at(each.name);
  }
  values[knob.name] = address;
  const auto moved = resolve(map_.board, values);
  if (!moved) {
    return false;
  }
  if (!now_) {
    now_ = errors_of(map_);
  }
  const std::set<Error> then = errors_of(*moved);
  return then.size() < now_->size() &&
         std::includes(now_->begin(), now_->end(), then.begin(), then.end());
}

}  // namespace memsize::layout
