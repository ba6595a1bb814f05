// Holds the regions of linker maps against what a board says of them: alignment, least size, DRAM
// bank. The checks of a board's MMU run here over the entries that the tree has.
#include "rules.hpp"

#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"

#include "tree/reading.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using layout::Region;

constexpr const char* kHint = "change the script, and run it again";

class RuleChecker {
 public:
  RuleChecker(const View& view, core::Diagnostics& found)
      : view_(view), board_(*view.board()), found_(found) {}

  void run() {
    std::set<std::string> done;
    for (const CoreReading& core : view_.reading().cores) {
      for (const emit::WrittenRange& range : core.linker) {
        const Region* known = view_.board_region(range.name, core.name);
        const bool is_own = known != nullptr && known->kind == layout::RegionKind::kRegion;
        if (done.insert(fmt::format("{} {}", range.name, range.base)).second) {
          check_region(core.name, range, is_own ? known : nullptr);
        }
      }
    }
    check_driver();
  }

 private:
  void wrong(Code code, const emit::WrittenRange& range, const std::string& what) {
    found_.push_back(core::error(code, what, range.place, kHint).about({{"region", range.name}}));
  }

  void check_region(const std::string& core, const emit::WrittenRange& range, const Region* known) {
    if (range.size == 0) {
      return wrong(Code::kLayoutEmpty, range, fmt::format("'{}' is empty", range.name));
    }
    if (known == nullptr) {
      return;
    }
    if (!core::is_aligned(range.base, known->align) && !needs_no_rat(core, range)) {
      wrong(Code::kLayoutAlignment,
            range,
            fmt::format("'{}' at {} must begin on a multiple of {}",
                        range.name,
                        core::format_hex(range.base),
                        core::format_size(core::Bytes{known->align.value()})));
    }
    check_minimum(range, *known);
    check_bank(core, range, *known);
  }

  // A RAT entry is what such a region must be aligned for; this tree has it where the core sees it.
  [[nodiscard]] bool needs_no_rat(const std::string& core, const emit::WrittenRange& range) const {
    return is_led_to(board_.board.rat, range.name) &&
           view_.physical_of(range.name, range.base, core).value_or(range.base) == range.base;
  }

  void check_minimum(const emit::WrittenRange& range, const Region& known) {
    const board::Knob* knob = board_.board.find_knob(known.knob);
    if (knob == nullptr || core::Bytes{range.size} >= knob->minimum) {
      return;
    }
    wrong(Code::kSizeMinimum,
          range,
          fmt::format("'{}' has {}, but needs {}{}{}",
                      range.name,
                      core::format_size(core::Bytes{range.size}),
                      core::format_size(knob->minimum),
                      knob->minimum_why.empty() ? "" : ": ",
                      knob->minimum_why));
  }

  void check_bank(const std::string& core, const emit::WrittenRange& range, const Region& known) {
    const auto physical = view_.physical_of(range.name, range.base, core);
    const auto& banks = board_.board.banks;
    if (known.space != board::Space::kDdr || !physical || banks.empty()) {
      return;
    }
    const auto place = core::PhysRange::make(core::PhysAddr{*physical}, core::Bytes{range.size});
    const bool inside = place && std::ranges::any_of(banks, [&](const auto& bank) {
                          return bank.range.contains(*place);
                        });
    if (!inside) {
      wrong(Code::kLayoutBank,
            range,
            fmt::format("'{}' is at {}, where board '{}' has no DRAM",
                        range.name,
                        emit::range_text(*physical, range.size),
                        board_.board.name));
    }
  }

  // The same checks as of a board's map, over the entries that the tree has.
  void check_driver() {
    layout::MemoryMap map{.board = board_.board, .regions = board_.regions};
    for (const CoreReading& core : view_.reading().cores) {
      for (const MmuReading& mmu : core.mmu) {
        add_table(core, mmu, map);
      }
    }
    core::Diagnostics broken = layout::check_map(map,
                                                 {Code::kMmuGranule,
                                                  Code::kMmuEntries,
                                                  Code::kMmuEntrySize,
                                                  Code::kMmuCongruence,
                                                  Code::kMmuTables});
    std::move(broken.begin(), broken.end(), std::back_inserter(found_));
  }

  void add_table(const CoreReading& core, const MmuReading& mmu, layout::MemoryMap& map) {
    layout::MmuTable table{.core = core.name, .place = view_.place_of(mmu.path)};
    for (const emit::WrittenMmuEntry& entry : mmu.entries) {
      const auto seen =
          core::VirtRange::make(core::VirtAddr{entry.virtual_base}, core::Bytes{entry.size});
      const auto there =
          core::PhysRange::make(core::PhysAddr{entry.physical}, core::Bytes{entry.size});
      if (!seen || !there || entry.size == 0) {
        found_.push_back(core::error(Code::kMmuGranule,
                                     fmt::format("MMU entry '{}' of {} maps no range: {}",
                                                 core::printable(entry.name, 60),
                                                 core.name,
                                                 emit::range_text(entry.virtual_base, entry.size)),
                                     entry.place,
                                     "give it a size, or remove it")
                             .about({{"entry", entry.name}, {"core", core.name}}));
        continue;
      }
      table.ranges.push_back({table.ranges.size() + 1,
                              entry.name,
                              *seen,
                              *there,
                              chip::mair_of(entry.attribute).value_or(0),
                              {},
                              false,
                              entry.place});
    }
    map.mmu.push_back(std::move(table));
  }

  const View& view_;
  const layout::MemoryMap& board_;
  core::Diagnostics& found_;
};

}  // namespace

void check_rules(const View& view, core::Diagnostics& found) {
  if (view.board() != nullptr) {
    RuleChecker{view, found}.run();
  }
}

}  // namespace memsize::sdk
