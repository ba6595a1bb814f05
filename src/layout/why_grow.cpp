// Makes the map again with a knob or a size one step larger and compares the two. The most that
// there is room for is searched, then checked, for the MMU may want a coarser grid.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/fit.hpp"
#include "memsize/layout/grow.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Code;

// Where the MMU refuses the largest value that can be placed, so many smaller ones are tried
// step by step: a driver's blocks have 2 MiB, mostly one or two steps.
constexpr std::uint64_t kMostTries = 8;

// The largest alignment that a part asks for: a gigabyte, of a C7x's largest block.
constexpr std::uint64_t kLargestStep = 1ULL << 30;

core::Result<MemoryMap> checked(const board::Board& board, const board::KnobValues& set) {
  auto map = resolve(board, set);
  MEMSIZE_TRY(map);
  core::Diagnostics found = check_map(*map);
  std::erase_if(found, [](const auto& each) { return each.severity != core::Severity::kError; });
  if (!found.empty()) {
    return tl::make_unexpected(std::move(found));
  }
  return map;
}

// No larger step helps where there is no room.
bool is_about_room(const core::Diagnostic& problem) {
  return problem.code == Code::kLayoutWindow || problem.code == Code::kLayoutBank ||
         problem.code == Code::kLayoutOverlap;
}

bool is_for_mmu(const core::Diagnostic& problem) {
  return problem.code == Code::kMmuCongruence || problem.code == Code::kMmuTables;
}

// Two maps of one board have the same regions, in another order.
const Region* same_region(const MemoryMap& map, const Region& wanted) {
  return core::find_where(map.regions, [&](const Region& each) {
    return each.kind == wanted.kind && each.name == wanted.name && each.cores == wanted.cores;
  });
}

std::uint64_t base_of(const Region& region) {
  return region.physical_base ? region.physical_base->value() : region.virtual_base->value();
}

class Grower {
 public:
  Grower(const MemoryMap& map, const board::KnobValues& set, const Change& change)
      : map_(map), set_(set), change_(change) {
    region_ = change.knob.empty() ? change.region : map.find_by_knob(change.knob);
  }

  Expansion run() {
    growth_.step = knob() == nullptr ? step_without_knob() : knob()->granule.value();
    find_room();
    auto after = least_that_works();
    describe();
    if (after) {
      compare(*after);
      growth_.after = std::make_shared<const MemoryMap>(std::move(*after));
    } else {
      growth_.problems = std::move(after.error());
    }
    find_largest();
    return std::move(growth_);
  }

 private:
  [[nodiscard]] const board::Knob* knob() const { return map_.board.find_knob(change_.knob); }

  // A step that an alignment refuses is doubled until it is none.
  core::Result<MemoryMap> least_that_works() {
    const std::uint64_t first = growth_.step;
    auto after = grown(first);
    if (after || std::ranges::any_of(after.error(), is_about_room)) {
      return after;
    }
    for (std::uint64_t step = first * 2; step <= kLargestStep; step *= 2) {
      auto larger = grown(step);
      if (larger) {
        growth_.step = step;
        growth_.refused = std::move(after.error());
        growth_.refused_step = first;
        return larger;
      }
      if (std::ranges::any_of(larger.error(), is_about_room)) {
        break;
      }
    }
    return after;
  }

  void describe() {
    if (knob() != nullptr) {
      growth_.what = fmt::format("knob '{}'", change_.knob);
      growth_.change = setting(growth_.step);
      growth_.place = knob()->place;
    } else if (const board::Expression* written = expression_in(map_.board); written != nullptr) {
      growth_.what = change_.region == nullptr
                         ? fmt::format("constant '{}'", change_.constant)
                         : fmt::format("the size of '{}'", change_.region->name);
      growth_.change = fmt::format("{} = \"{} + {}\"",
                                   change_.region == nullptr ? change_.constant : "size",
                                   written->text,
                                   core::format_setting(core::Bytes{growth_.step}));
      growth_.place = written->place;
    }
  }

  [[nodiscard]] std::string step_text() const {
    return core::format_setting(core::Bytes{growth_.step});
  }

  [[nodiscard]] std::string setting(std::uint64_t by) const {
    const std::uint64_t value = map_.values.at(change_.knob) + by;
    return fmt::format(
        "--set {}={}",
        change_.knob,
        knob()->is_address ? core::format_hex(value) : core::format_setting(core::Bytes{value}));
  }

  // As far as a region is aligned, a page where it is not.
  [[nodiscard]] std::uint64_t step_without_knob() const {
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t granule = map_.board.mmu.granule.value();
    return std::max(granule, kPage);
  }

  // What a user would edit in the board's file; null for a knob.
  template <typename Board>
  [[nodiscard]] auto expression_in(Board& board) const -> decltype(&board.constants[0].second) {
    for (auto& [name, expression] : board.constants) {
      if (name == change_.constant) {
        return &expression;
      }
    }
    for (auto& chain : board.chains) {
      for (auto& item : chain.items) {
        if (change_.region != nullptr && !item.is_gap && item.name == change_.region->name &&
            item.cores == change_.region->cores) {
          return &item.size;
        }
      }
    }
    return nullptr;
  }

  // The map with `by` bytes more, checked.
  [[nodiscard]] core::Result<MemoryMap> grown(std::uint64_t by) const {
    board::KnobValues values = set_;
    if (knob() != nullptr) {
      values[change_.knob] = map_.values.at(change_.knob) + by;
      return checked(map_.board, values);
    }
    board::Board board = map_.board;
    board::Expression* written = expression_in(board);
    if (written == nullptr) {
      return tl::make_unexpected(core::Diagnostics{});
    }
    written->text = fmt::format("({}) + {}", written->text, core::format_setting(core::Bytes{by}));
    return checked(board, values);
  }

  void compare(const MemoryMap& after) {
    for (const Region& region : map_.regions) {
      const Region* then = same_region(after, region);
      // Other names go with their owners.
      if (then != nullptr && region.kind == RegionKind::kRegion) {
        add({region.name,
             base_of(region),
             base_of(*then),
             region.size.count(),
             then->size.count()});
      }
    }
    for (const Carveout& carveout : map_.carveouts) {
      const auto then = std::ranges::find_if(after.carveouts, [&](const Carveout& each) {
        return each.label == carveout.label && each.name == carveout.name;
      });
      if (then != after.carveouts.end()) {
        add({fmt::format("carve-out {}", carveout.label),
             carveout.range.base().value(),
             then->range.base().value(),
             carveout.range.size().count(),
             then->range.size().count()});
      }
    }
    std::ranges::stable_sort(growth_.moved, {}, &Shift::base_before);
    const TableCounts before = table_counts(map_);
    const TableCounts later = table_counts(after);
    for (std::size_t i = 0; i < std::min(before.size(), later.size()); ++i) {
      growth_.tables.push_back(
          {before[i].first, before[i].second, later[i].second, map_.board.mmu.tables});
    }
  }

  void add(const Shift& shift) {
    if (shift.size_before != shift.size_after) {
      growth_.resized.push_back(shift);
    } else if (shift.base_before != shift.base_after) {
      growth_.moved.push_back(shift);
    }
  }

  // Behind the last of the regions that follow the one that grows.
  void find_room() {
    if (region_ == nullptr || !region_->physical() || region_->physical()->empty()) {
      return;
    }
    const board::Chain* root = map_.board.root_of(region_->chain);
    core::PhysAddr last = region_->physical()->last();
    for (const Region& region : map_.regions) {
      if (follows(region, root)) {
        last = std::max(last, region.physical()->last());
      }
    }
    Room room;
    std::uint64_t end = UINT64_MAX;
    const auto narrow = [&](std::uint64_t at, std::string what, const std::string& why) {
      if (at > last.value() && at < end) {
        end = at;
        room.until = std::move(what);
        room.why = why;
      }
    };
    for (const board::Bank& bank : map_.board.banks) {
      if (bank.range.contains(last) && bank.range.last().value() != UINT64_MAX) {
        narrow(bank.range.last().value() + 1, fmt::format("the end of bank '{}'", bank.name), "");
      }
    }
    for (const Region& region : map_.regions) {
      if (region.kind == RegionKind::kRegion && region.physical_base && !follows(region, root)) {
        narrow(region.physical_base->value(), fmt::format("'{}'", region.name), "");
      }
    }
    for (const Window& window : map_.windows) {
      const board::Chain* chain = map_.board.find_chain(window.chain);
      if (window.range.contains(last) && window.range.last().value() != UINT64_MAX) {
        const std::uint64_t limit = window.range.last().value() + 1;
        // Rather what the board says than the region that happens to be there.
        end = limit == end ? end + 1 : end;
        narrow(limit,
               fmt::format("the end of the window of chain '{}'", window.chain),
               chain == nullptr ? "" : chain->limit_why);
      }
    }
    if (end != UINT64_MAX) {
      room.base = last.value() + 1;
      room.size = end - room.base;
      growth_.room = std::move(room);
    }
  }

  // Whether it is moved by what grows; `root` is the chain that has the address.
  [[nodiscard]] bool follows(const Region& region, const board::Chain* root) const {
    return region.kind == RegionKind::kRegion && region.physical() && !region.physical()->empty() &&
           map_.board.root_of(region.chain) == root &&
           *region.physical_base >= *region_->physical_base;
  }

  // Whether everything but the MMU takes that much more.
  [[nodiscard]] bool is_placed(std::uint64_t by) const {
    const auto map = grown(by);
    return map || std::ranges::all_of(map.error(), is_for_mmu);
  }

  // The room is the most that there can be; other checks may want less.
  void find_largest() {
    if (!growth_.room || growth_.room->size < growth_.step) {
      return;
    }
    std::uint64_t good = 0;
    std::uint64_t bad = growth_.room->size / growth_.step + 1;
    if (is_placed((bad - 1) * growth_.step)) {
      good = bad - 1;
    }
    while (bad - good > 1) {
      const std::uint64_t middle = good + (bad - good) / 2;
      (is_placed(middle * growth_.step) ? good : bad) = middle;
    }
    for (std::uint64_t i = 0; i < kMostTries && good > i && !growth_.largest; ++i) {
      try_largest((good - i) * growth_.step);
    }
    // Where edges cost tables, a size on a coarser grid may do.
    const std::uint64_t most = region_->size.count() + good * growth_.step;
    for (std::uint64_t grid = growth_.step; !growth_.largest && grid <= kLargestStep; grid *= 2) {
      if (most / grid * grid > region_->size.count()) {
        try_largest(most / grid * grid - region_->size.count());
      }
    }
  }

  void try_largest(std::uint64_t by) {
    if (grown(by)) {
      growth_.largest = region_->size.count() + by;
      growth_.largest_change = knob() == nullptr ? std::string{} : setting(by);
    }
  }

  const MemoryMap& map_;
  const board::KnobValues& set_;
  const Change& change_;
  const Region* region_ = nullptr;
  Expansion growth_;
};

}  // namespace

Expansion grow(const MemoryMap& map, const board::KnobValues& set, const Change& change) {
  return Grower{map, set, change}.run();
}

}  // namespace memsize::layout
