// What the MMU of a core does with its entries: said twice, by code that shares nothing. Once from
// the entries themselves, where the later one wins; once by building the translation tables as the
// SDK's drivers do, and walking them.
//
// Rules and limits are those of two drivers, whose sources were read:
//   MCU+ SDK  mcu_plus_sdk/source/kernel/nortos/dpl/c75/MmuP_c75.c
//   PDK       pdk/packages/ti/csl/arch/c7x/src/Mmu.c
// Both use pages of 4 KiB and four levels (512 GiB, 1 GiB, 2 MiB, 4 KiB; 512 entries a table). Both
// choose a block by the virtual address and the rest of the size alone, and cut the physical
// address down to the block's size without a word.
#pragma once

#include "memsize/board/mmu.hpp"
#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/layout/memory_map.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::layout {

/// Both drivers refuse addresses from here on (Mmu_PADDR_MASK).
inline constexpr std::uint64_t kAddressLimit = 1ULL << 48;

/// The smallest block that is larger than a page.
inline constexpr core::Bytes kSmallBlock{1ULL << 21};
inline constexpr core::Bytes kLargeBlock{1ULL << 30};

/// A piece of virtual address space that leads to one piece of physical memory.
struct Translation {
  core::VirtRange virtual_range;
  core::PhysRange physical;
  unsigned mair = 0;
  /// The entry that decides and its number, from 1; empty and 0 where only tables are left.
  std::string entry;
  std::size_t instance = 0;
};

/// Appends a piece, or lengthens the last one where it continues it.
void append_piece(std::vector<Translation>& pieces, Translation piece);

/// Whether the entries of this board can be built into the drivers' tables: whole pages of 4 KiB.
[[nodiscard]] bool has_tables(const board::Mmu& mmu);

/// Whether tables can be built from this map's entries: the board has_tables, and every entry is
/// whole pages below kAddressLimit. Else a check says why not.
[[nodiscard]] bool can_build(const MemoryMap& map);

/// A block that holds another physical address than it was asked to.
struct CutBlock {
  std::size_t instance = 0;
  core::VirtAddr virtual_base;
  core::PhysAddr wanted;
  core::PhysAddr held;
  core::Bytes block;
};

/// The tables that the driver builds from a core's entries. Entries must be whole pages below
/// kAddressLimit.
class TranslationTables {
 public:
  TranslationTables(const MmuTable& entries, bool blocks_replace_tables);

  /// How many tables were taken, the root included. The drivers never get one back: one of them
  /// does not replace tables, and the other returns them to the wrong list.
  [[nodiscard]] std::size_t taken() const { return tables_.size(); }

  /// Building stopped: more tables than any driver has room for.
  [[nodiscard]] bool overflow() const { return overflow_; }

  /// Tables that were lost because a block took their place.
  [[nodiscard]] std::size_t replaced() const { return replaced_; }

  [[nodiscard]] const std::vector<CutBlock>& cut_blocks() const { return cut_; }

  /// What the hardware finds, by virtual address; pieces that continue each other are one.
  [[nodiscard]] std::vector<Translation> walk() const;

  enum class Kind : std::uint8_t { kNothing, kBlock, kTable };

  /// One word, as in the hardware: a table is cleared before it is used, and there are many.
  struct Slot {
    Kind kind : 8 = Kind::kNothing;
    std::uint8_t mair : 8 = 0;
    /// The physical address of a block, or the number of a table.
    std::uint64_t target : 48 = 0;
  };

  static constexpr std::size_t kSlots = 512;
  using Table = std::array<Slot, kSlots>;

  /// In the order in which they were taken, the root first; also those that were replaced.
  [[nodiscard]] const std::vector<Table>& tables() const { return tables_; }

 private:
  /// What is still to be mapped.
  struct Rest {
    std::uint64_t virtual_address = 0;
    std::uint64_t physical_address = 0;
    std::uint64_t size = 0;
    unsigned mair = 0;
    std::size_t instance = 0;
  };

  void fill(unsigned level, std::size_t table, Rest& rest);
  void put_block(unsigned level, Slot& slot, Rest& rest);
  std::optional<std::size_t> split(unsigned level, std::size_t table, std::size_t index);
  void walk(unsigned level,
            std::size_t table,
            std::uint64_t base,
            std::vector<Translation>& found) const;

  std::vector<Table> tables_;
  std::vector<CutBlock> cut_;
  std::size_t replaced_ = 0;
  bool blocks_replace_tables_;
  bool overflow_ = false;
};

}  // namespace memsize::layout
