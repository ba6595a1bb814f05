// Takes from the board what registers and on-chip memories must look like, and holds a tree's own
// entries and regions against it. Device memory faults on unaligned accesses (DDI 0406C, B5.2).
#include "fixed.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/lens.hpp"

#include "tree/reading.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

// How an R5F sees an address (DDI 0406C, B5.2): device memory faults on what is not aligned.
struct Look {
  bool is_memory = false;
  bool runs_code = false;
};

class FixedChecker {
 public:
  FixedChecker(const View& view, const CoreReading& core, core::Diagnostics& found)
      : view_(view), board_(*view.board()), core_(core), found_(found) {}

  void run() {
    for (const layout::MmuTable& table : board_.mmu) {
      for (std::size_t i = 0; table.core == core_.name && i < core_.mmu.size(); ++i) {
        check_registers(table, core_.mmu[i]);
      }
    }
    for (const layout::MpuTable& table : board_.mpu) {
      for (std::size_t i = 0; table.core == core_.name && i < core_.mpu.size(); ++i) {
        check_memories(table, core_.mpu[i]);
      }
    }
  }

 private:
  [[nodiscard]] bool is_region(std::uint64_t address) const {
    return core::contains(core_.linker, address, &emit::WrittenRange::base);
  }

  void check_registers(const layout::MmuTable& table, const MmuReading& mmu) {
    for (const emit::WrittenMmuEntry& entry : mmu.entries) {
      if (entry.virtual_base == entry.physical || is_region(entry.virtual_base)) {
        continue;
      }
      const auto fixed = std::ranges::find_if(table.ranges, [&](const auto& range) {
        const std::uint64_t there = range.physical.base().value();
        return range.covers.empty() && range.virtual_range.base().value() == there &&
               (there == entry.virtual_base || there == entry.physical);
      });
      if (fixed != table.ranges.end()) {
        found_.push_back(
            core::error(
                Code::kMmuCoverage,
                fmt::format("MMU entry '{}' of {} maps {} to {}, but it is for registers or memory "
                            "that every core sees where it is",
                            core::printable(entry.name, 60),
                            core_.name,
                            core::format_hex(entry.virtual_base),
                            core::format_hex(entry.physical)),
                entry.place,
                fmt::format("board '{}' has it one to one, from {} on",
                            board_.board.name,
                            core::format_address(fixed->physical.base())))
                .about({{"entry", entry.name}, {"core", core_.name}}));
      }
    }
  }

  [[nodiscard]] std::optional<Look> of_board(const layout::MpuTable& table,
                                             std::uint64_t address) const {
    const auto layer = layout::lens_of(table).at(address);
    const layout::MpuRegion* winner = layer ? &table.regions[*layer] : nullptr;
    const board::MpuAttribute* attribute =
        winner == nullptr ? nullptr : board_.board.mpu.find_attribute(winner->attribute);
    return attribute == nullptr ? std::nullopt
                                : std::optional{Look{is_memory(*attribute), attribute->execute}};
  }

  // Older trees lack regions that the board has: one that is elsewhere was meant for this.
  [[nodiscard]] static bool has_moved(const layout::MpuTable& table,
                                      const MpuReading& mpu,
                                      const layout::MpuRegion& fixed) {
    return std::ranges::any_of(mpu.regions, [&](const auto& each) {
      const chip::MpuRegionFields& fields = each.fields;
      const bool is_known = std::ranges::any_of(table.regions, [&](const layout::MpuRegion& own) {
        return own.range.base().value() == fields.base;
      });
      return fields.size == fixed.range.size().count() &&
             (!is_known || fields.base == fixed.range.base().value()) && is_memory(fields);
    });
  }

  void check_memories(const layout::MpuTable& table, const MpuReading& mpu) {
    std::vector<core::VirtRange> told;
    for (const layout::MpuRegion& fixed : table.regions) {
      const std::uint64_t base = fixed.range.base().value();
      if (fixed.is_fixed && !view_.in_dram(base) && has_moved(table, mpu, fixed)) {
        const std::size_t before = found_.size();
        check_memory(table, mpu, fixed.name, base);
        if (found_.size() != before) {
          told.push_back(fixed.range);
        }
      }
    }
    for (const emit::WrittenRange& range : core_.linker) {
      const layout::Region* known = view_.board_region(range.name, core_.name);
      const bool is_known = known != nullptr && known->space != board::Space::kDdr &&
                            known->virtual_base && known->virtual_base->value() == range.base;
      const bool is_told = std::ranges::any_of(
          told, [&](const auto& each) { return each.contains(core::VirtAddr{range.base}); });
      if (!is_told && is_known && range.size != 0) {
        check_memory(table, mpu, range.name, range.base);
        check_memory(table, mpu, range.name, range.base + (range.size - 1));
      }
    }
  }

  void check_memory(const layout::MpuTable& table,
                    const MpuReading& mpu,
                    const std::string& what,
                    std::uint64_t address) {
    const auto wanted = of_board(table, address);
    const auto layer = emit::lens_of(mpu.regions).at(address);
    const emit::WrittenMpuRegion* winner = layer ? &mpu.regions[*layer] : nullptr;
    // What no region shows is told where the linker map has it.
    if (!wanted || !wanted->is_memory || winner == nullptr ||
        !told_.insert(what + mpu.path).second) {
      return;
    }
    const chip::MpuRegionFields& fields = winner->fields;
    const bool is_seen = is_memory(fields);
    if (is_seen && (fields.execute || !wanted->runs_code)) {
      told_.erase(what + mpu.path);
      return;
    }
    found_.push_back(
        core::error(
            Code::kMpuCache,
            fmt::format(
                "{} sees '{}' at {} as {} through MPU region {}{}",
                core_.name,
                what,
                core::format_hex(address),
                is_seen ? "memory that code must not run in" : "device registers",
                fields.number,
                fields.name.empty() ? "" : fmt::format(" '{}'", core::printable(fields.name, 60))),
            winner->place,
            fmt::format("board '{}' has an MPU region for it that shows {}: put that back",
                        board_.board.name,
                        wanted->runs_code ? "memory with code" : "memory"))
            .about({{"core", core_.name}, {"region", what}}));
  }

  const View& view_;
  const layout::MemoryMap& board_;
  const CoreReading& core_;
  core::Diagnostics& found_;
  std::set<std::string> told_;
};

}  // namespace

void check_fixed(const View& view, const CoreReading& core, core::Diagnostics& found) {
  if (view.board() != nullptr) {
    FixedChecker{view, core, found}.run();
  }
}

}  // namespace memsize::sdk
