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

// A board's map with more bytes for a knob, or for a size or a constant in the board's file.
class LargerMap {
 public:
  LargerMap(const MemoryMap& map, const board::KnobValues& set, const Change& change)
      : map_(map), set_(set), change_(change), knob_(map.board.find_knob(change.knob)) {}

  // Null where an expression is what grows.
  [[nodiscard]] const board::Knob* knob() const { return knob_; }

  // The map with `by` bytes more, checked.
  [[nodiscard]] core::Result<MemoryMap> grown(std::uint64_t by) const {
    board::KnobValues values = set_;
    if (knob_ != nullptr) {
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

  // Whether everything but the MMU takes that much more.
  [[nodiscard]] bool is_placed(std::uint64_t by) const {
    const auto map = grown(by);
    return map || std::ranges::all_of(map.error(), is_for_mmu);
  }

  // What to write for `by` bytes more: an option; empty for an expression.
  [[nodiscard]] std::string setting(std::uint64_t by) const {
    if (knob_ == nullptr) {
      return {};
    }
    const std::uint64_t value = map_.values.at(change_.knob) + by;
    return fmt::format(
        "--set {}={}",
        change_.knob,
        knob_->is_address ? core::format_hex(value) : core::format_setting(core::Bytes{value}));
  }

  // What is changed, where, and what to write for `by` bytes more.
  void describe(std::uint64_t by, Expansion& growth) const {
    if (knob_ != nullptr) {
      growth.what = fmt::format("knob '{}'", change_.knob);
      growth.change = setting(by);
      growth.place = knob_->place;
    } else if (const board::Expression* written = expression_in(map_.board); written != nullptr) {
      growth.what = change_.region == nullptr
                        ? fmt::format("constant '{}'", change_.constant)
                        : fmt::format("the size of '{}'", change_.region->name);
      growth.change = fmt::format("{} = \"{} + {}\"",
                                  change_.region == nullptr ? change_.constant : "size",
                                  written->text,
                                  core::format_setting(core::Bytes{by}));
      growth.place = written->place;
    }
  }

 private:
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

  const MemoryMap& map_;
  const board::KnobValues& set_;
  const Change& change_;
  const board::Knob* knob_;
};

// The first step that works, or why none does.
struct FirstStep {
  core::Result<MemoryMap> after;
  std::uint64_t bytes = 0;
  /// Why smaller steps do not work.
  core::Diagnostics refused = {};
};

// A step that an alignment refuses is doubled until it is none.
FirstStep least_that_works(const LargerMap& larger, std::uint64_t first) {
  auto after = larger.grown(first);
  const auto has_no_room = [](const core::Result<MemoryMap>& map) {
    return !map && std::ranges::any_of(map.error(), is_about_room);
  };
  for (std::uint64_t step = first * 2; !after && !has_no_room(after) && step <= kLargestStep;
       step *= 2) {
    auto next = larger.grown(step);
    if (next) {
      return {std::move(next), step, std::move(after.error())};
    }
    if (has_no_room(next)) {
      break;
    }
  }
  return {std::move(after), first};
}

// As far as a region is aligned, a page where it is not.
std::uint64_t step_without_knob(const board::Board& board) {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t granule = board.mmu.granule.value();
  return std::max(granule, kPage);
}

void add_shift(const Shift& shift, Expansion& growth) {
  if (shift.size_before != shift.size_after) {
    growth.resized.push_back(shift);
  } else if (shift.base_before != shift.base_after) {
    growth.moved.push_back(shift);
  }
}

void compare(const MemoryMap& map, const MemoryMap& after, Expansion& growth) {
  for (const Region& region : map.regions) {
    const Region* then = same_region(after, region);
    // Other names go with their owners.
    if (then != nullptr && region.kind == RegionKind::kRegion) {
      add_shift(
          {region.name, base_of(region), base_of(*then), region.size.count(), then->size.count()},
          growth);
    }
  }
  for (const Carveout& carveout : map.carveouts) {
    const auto then = std::ranges::find_if(after.carveouts, [&](const Carveout& each) {
      return each.label == carveout.label && each.name == carveout.name;
    });
    if (then != after.carveouts.end()) {
      add_shift({fmt::format("carve-out {}", carveout.label),
                 carveout.range.base().value(),
                 then->range.base().value(),
                 carveout.range.size().count(),
                 then->range.size().count()},
                growth);
    }
  }
  std::ranges::stable_sort(growth.moved, {}, &Shift::base_before);
  const TableCounts before = table_counts(map);
  const TableCounts later = table_counts(after);
  for (std::size_t i = 0; i < std::min(before.size(), later.size()); ++i) {
    growth.tables.push_back(
        {before[i].first, before[i].second, later[i].second, map.board.mmu.tables});
  }
}

// Whether it is moved by what grows.
bool follows(const board::Board& board, const Region& region, const Region& grown) {
  return region.kind == RegionKind::kRegion && region.physical() && !region.physical()->empty() &&
         board.root_of(region.chain) == board.root_of(grown.chain) &&
         *region.physical_base >= *grown.physical_base;
}

// Behind the last of the regions that follow the one that grows.
std::optional<Room> room_behind(const MemoryMap& map, const Region& grown) {
  if (!grown.physical() || grown.physical()->empty()) {
    return std::nullopt;
  }
  core::PhysAddr last = grown.physical()->last();
  for (const Region& region : map.regions) {
    if (follows(map.board, region, grown)) {
      last = std::max(last, region.physical()->last());
    }
  }
  Room room;
  std::optional<std::uint64_t> end;
  const auto narrow = [&](std::uint64_t at, std::string what, const std::string& why) {
    if (at > last.value() && (!end || at < *end)) {
      end = at;
      room.until = std::move(what);
      room.why = why;
    }
  };
  for (const board::Bank& bank : map.board.banks) {
    if (bank.range.contains(last) && bank.range.last().value() != UINT64_MAX) {
      narrow(bank.range.last().value() + 1, fmt::format("the end of bank '{}'", bank.name), "");
    }
  }
  for (const Region& region : map.regions) {
    if (region.kind == RegionKind::kRegion && region.physical_base &&
        !follows(map.board, region, grown)) {
      narrow(region.physical_base->value(), fmt::format("'{}'", region.name), "");
    }
  }
  for (const Window& window : map.windows) {
    const board::Chain* chain = map.board.find_chain(window.chain);
    if (window.range.contains(last) && window.range.last().value() != UINT64_MAX) {
      const std::uint64_t limit = window.range.last().value() + 1;
      // Rather what the board says than the region that happens to be there.
      end = end == limit ? std::nullopt : end;
      narrow(limit,
             fmt::format("the end of the window of chain '{}'", window.chain),
             chain == nullptr ? "" : chain->limit_why);
    }
  }
  if (!end) {
    return std::nullopt;
  }
  room.base = last.value() + 1;
  room.size = *end - room.base;
  return room;
}

// The most bytes more that work, in steps; nothing where none were found. The room is the most that
// there can be; other checks may want less.
std::optional<std::uint64_t> most_that_works(const LargerMap& larger,
                                             const Region& grown,
                                             std::uint64_t room,
                                             std::uint64_t step) {
  std::uint64_t good = 0;
  std::uint64_t bad = room / step + 1;
  if (larger.is_placed((bad - 1) * step)) {
    good = bad - 1;
  }
  while (bad - good > 1) {
    const std::uint64_t middle = good + (bad - good) / 2;
    (larger.is_placed(middle * step) ? good : bad) = middle;
  }
  for (std::uint64_t i = 0; i < kMostTries && good > i; ++i) {
    if (larger.grown((good - i) * step)) {
      return (good - i) * step;
    }
  }
  // Where edges cost tables, a size on a coarser grid may do.
  const std::uint64_t size = grown.size.count();
  const std::uint64_t most = size + good * step;
  for (std::uint64_t grid = step; grid <= kLargestStep; grid *= 2) {
    const std::uint64_t on_grid = most / grid * grid;
    if (on_grid > size && larger.grown(on_grid - size)) {
      return on_grid - size;
    }
  }
  return std::nullopt;
}

}  // namespace

Expansion grow(const MemoryMap& map, const board::KnobValues& set, const Change& change) {
  const LargerMap larger{map, set, change};
  const Region* region = change.knob.empty() ? change.region : map.find_by_knob(change.knob);
  Expansion growth{.room = region == nullptr ? std::nullopt : room_behind(map, *region)};
  const std::uint64_t first =
      larger.knob() == nullptr ? step_without_knob(map.board) : larger.knob()->granule.value();
  FirstStep step = least_that_works(larger, first);
  growth.step = step.bytes;
  growth.refused_step = step.bytes == first ? 0 : first;
  growth.refused = std::move(step.refused);
  larger.describe(growth.step, growth);
  if (step.after) {
    compare(map, *step.after, growth);
    growth.after = std::make_shared<const MemoryMap>(std::move(*step.after));
  } else {
    growth.problems = std::move(step.after.error());
  }
  if (growth.room && growth.room->size >= growth.step) {
    if (const auto by = most_that_works(larger, *region, growth.room->size, growth.step)) {
      growth.largest = region->size.count() + *by;
      growth.largest_change = larger.setting(*by);
    }
  }
  return growth;
}

}  // namespace memsize::layout
