// A core's MMU entries as the translation tables of an Armv8-A stage 1: what the SDK's drivers
// build at boot, ready to be loaded.
//
// The format is that of the Arm Architecture Reference Manual for A-profile (DDI 0487), chapter D8
// (VMSAv8-64): a granule of 4 KiB and four levels of 512 descriptors of 64 bits, little endian,
// that stand for 512 GiB, 1 GiB, 2 MiB and 4 KiB each. A descriptor has
//   bits 1:0    3: a table, or on the last level a page; 1: a block; 0: a fault
//   bits 4:2    AttrIndx: the number of the entry's attribute in MAIR_EL1
//   bit 5       NS: 0
//   bits 7:6    AP[2:1]: 00, read and written by EL1 only
//   bits 9:8    SH: 10, outer shareable; of device memory and of what is not cached it is not read
//   bit 10      AF: 1, or the first access would fault
//   bit 11      nG: 0, global
//   bits 47:12  the physical address
//   bit 53      PXN: 0, EL1 may execute; bit 54, UXN: 1, EL0 may not
// of which a table has no other than bits 1:0 and the address. The permissions are those that the
// SDK's entries have: sysconfig's accessPermissions "Privilege RW, User None", privExecute,
// userExecute, shareable and global, and the PDK's Mmu_initMapAttrs().
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/layout/memory_map.hpp"

#include <cstdint>
#include <string>

namespace memsize::emit {

/// What the SDK's drivers write into the attribute register before they switch the MMU on: byte n
/// is MAIRn. 0 device nGnRnE, 4 normal non-cacheable, 6 write-through, 7 write-back. Source:
/// MmuP_c75.c of the MCU+ SDK and csl/arch/c7x/src/Mmu.c of the PDK.
inline constexpr std::uint64_t kMairEl1 = 0x7DBB'4F44'0C08'0400;

/// The TCR_EL1 that the tables need: T0SZ 16 (48 bits of virtual address, so four levels), TG0 4
/// KiB, IPS 48 bits (a core with fewer takes what it has), walks write-back and outer shareable
/// (IRGN0 1, ORGN0 1, SH0 2), and no walks by TTBR1_EL1 (EPD1).
inline constexpr std::uint64_t kTcrEl1 =
    16U | 1U << 8 | 1U << 10 | 2U << 12 | 1U << 23 | 5ULL << 32;

struct Armv8Tables {
  /// Of the root table: what TTBR0_EL1 holds. A multiple of 4 KiB.
  core::PhysAddr base;
  /// The tables, 4096 bytes each.
  std::string bytes;
};

/// The tables that the driver builds from the entries, in their order: a block is chosen by the
/// virtual address and what is left of the size alone, and the physical address is cut down to the
/// block's size without a word (layout/translation.hpp). A table that a block replaced is left out.
/// Errors: entries that are no whole pages, an address beyond 48 bits, and more tables than any
/// driver has room for.
[[nodiscard]] core::Result<Armv8Tables> armv8_tables(const layout::MmuTable& entries,
                                                     bool blocks_replace_tables,
                                                     core::PhysAddr base);

/// The tables of a core, which must have MMU entries, at the end of the region that the board names
/// in [mmu.tables_in]: as far up as they fit on a multiple of 4 KiB. Errors: those of
/// armv8_tables(), no such region, and one that is too small.
[[nodiscard]] core::Result<Armv8Tables> tables_of(const layout::MemoryMap& map,
                                                  const std::string& core);

}  // namespace memsize::emit
