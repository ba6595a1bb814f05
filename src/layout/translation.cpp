// Builds a driver's tables slot by slot, cutting and splitting as the drivers do, and walks them.
#include "memsize/layout/translation.hpp"

#include "memsize/core/bug.hpp"

#include <algorithm>

namespace memsize::layout {

namespace {

using core::Bytes;
using core::PhysAddr;
using core::PhysRange;
using core::VirtAddr;
using core::VirtRange;

// More than any driver has: counting further would only cost time.
constexpr std::size_t kMostTables = 1024;

// Bits of an address below each level: 512 GiB, 1 GiB, 2 MiB, 4 KiB.
constexpr std::array<unsigned, 4> kShift = {39, 30, 21, 12};
constexpr unsigned kLastLevel = 3;

Translation make(VirtAddr virtual_base, PhysAddr physical, Bytes size, unsigned mair) {
  const auto seen = VirtRange::make(virtual_base, size);
  const auto real = PhysRange::make(physical, size);
  core::bug_if(!seen || !real, "a translation ends above 2^64");
  return {*seen, *real, mair, {}, 0};
}

}  // namespace

void append_piece(std::vector<Translation>& list, Translation piece) {
  if (!list.empty()) {
    Translation& last = list.back();
    const Bytes size = last.virtual_range.size();
    if (last.mair == piece.mair && last.instance == piece.instance &&
        last.virtual_range.base().plus(size) == piece.virtual_range.base() &&
        last.physical.base().plus(size) == piece.physical.base()) {
      const Translation whole = make(last.virtual_range.base(),
                                     last.physical.base(),
                                     size + piece.virtual_range.size(),
                                     last.mair);
      last.virtual_range = whole.virtual_range;
      last.physical = whole.physical;
      return;
    }
  }
  list.push_back(std::move(piece));
}

bool has_tables(const board::Mmu& mmu) {
  return mmu.granule.value() >= (1ULL << kShift.at(kLastLevel));
}

bool can_build(const MemoryMap& map) {
  const core::Align page = *core::Align::make(1ULL << kShift.at(kLastLevel));
  const auto fits = [&](std::uint64_t base, Bytes size) {
    return core::is_aligned(base, page) && core::is_aligned(size, page) && base < kAddressLimit &&
           size.count() <= kAddressLimit - base;
  };
  return has_tables(map.board.mmu) && std::ranges::all_of(map.mmu, [&](const MmuTable& table) {
           return std::ranges::all_of(table.ranges, [&](const MmuRange& range) {
             return fits(range.virtual_range.base().value(), range.virtual_range.size()) &&
                    fits(range.physical.base().value(), range.physical.size());
           });
         });
}

TranslationTables::TranslationTables(const MmuTable& entries, bool blocks_replace_tables)
    : blocks_replace_tables_(blocks_replace_tables) {
  tables_.emplace_back();
  for (const MmuRange& range : entries.ranges) {
    Rest rest{range.virtual_range.base().value(),
              range.physical.base().value(),
              range.virtual_range.size().count(),
              range.mair,
              range.instance};
    fill(0, 0, rest);
  }
}

// One entry of the board, from the slot that its virtual address selects to the end of this table.
void TranslationTables::fill(unsigned level, std::size_t table, Rest& rest) {
  const std::uint64_t block = 1ULL << kShift.at(level);
  for (std::size_t index = (rest.virtual_address >> kShift.at(level)) % kSlots;
       index < kSlots && rest.size != 0 && !overflow_;
       ++index) {
    const Slot slot = tables_[table][index];
    const bool whole = rest.size >= block && rest.virtual_address % block == 0;
    const bool is_table = slot.kind == Kind::kTable;
    const bool may_be_block = level != 0 && whole;
    core::bug_if(level == kLastLevel && !whole, "an MMU entry is not whole pages");
    if (may_be_block && (!is_table || blocks_replace_tables_)) {
      replaced_ += is_table ? 1 : 0;
      put_block(level, tables_[table][index], rest);
      continue;
    }
    const auto next = is_table ? static_cast<std::size_t>(slot.target) : split(level, table, index);
    if (next) {
      fill(level + 1, *next, rest);
    }
  }
}

void TranslationTables::put_block(unsigned level, Slot& slot, Rest& rest) {
  const std::uint64_t block = 1ULL << kShift.at(level);
  const std::uint64_t held = rest.physical_address - rest.physical_address % block;
  if (held != rest.physical_address) {
    cut_.push_back({rest.instance,
                    VirtAddr{rest.virtual_address},
                    PhysAddr{rest.physical_address},
                    PhysAddr{held},
                    Bytes{block}});
  }
  slot.kind = Kind::kBlock;
  slot.mair = static_cast<std::uint8_t>(rest.mair);
  slot.target = held % kAddressLimit;
  rest.virtual_address += block;
  rest.physical_address += block;
  rest.size -= block;
}

// A table in place of what the slot held, which fills the table first.
std::optional<std::size_t> TranslationTables::split(unsigned level,
                                                    std::size_t table,
                                                    std::size_t index) {
  if (tables_.size() == kMostTables) {
    overflow_ = true;
    return std::nullopt;
  }
  const Slot before = tables_[table][index];
  const std::size_t fresh = tables_.size();
  tables_.emplace_back();
  if (before.kind == Kind::kBlock) {
    const std::uint64_t step = 1ULL << kShift.at(level + 1);
    for (std::size_t i = 0; i < kSlots; ++i) {
      Slot& slot = tables_[fresh][i];
      slot = before;
      slot.target = (before.target + i * step) % kAddressLimit;
    }
  }
  tables_[table][index].kind = Kind::kTable;
  tables_[table][index].target = fresh % kMostTables;
  return fresh;
}

std::vector<Translation> TranslationTables::walk() const {
  std::vector<Translation> found;
  walk(0, 0, 0, found);
  return found;
}

void TranslationTables::walk(unsigned level,
                             std::size_t table,
                             std::uint64_t base,
                             std::vector<Translation>& found) const {
  const std::uint64_t block = 1ULL << kShift.at(level);
  for (std::size_t index = 0; index < kSlots; ++index) {
    const Slot& slot = tables_[table][index];
    const std::uint64_t address = base + index * block;
    if (slot.kind == Kind::kTable) {
      core::bug_if(level == kLastLevel, "a table below the last level");
      walk(level + 1, static_cast<std::size_t>(slot.target), address, found);
    } else if (slot.kind == Kind::kBlock) {
      append_piece(found, make(VirtAddr{address}, PhysAddr{slot.target}, Bytes{block}, slot.mair));
    }
  }
}

}  // namespace memsize::layout
