/*
 * Memory map: TI J722S, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'j722s'. Change the board's knobs, not this file.
 *
 * For C++17 and later. A range is of one of two kinds, which do not mix: what a core sees (CoreRange), and where it is on
 * the bus (BusRange), which Linux, DMA and other cores go by.
 */
#ifndef MEMSIZE_MEMORY_MAP_HPP
#define MEMSIZE_MEMORY_MAP_HPP

#include <cstdint>

namespace memory_map {

struct Core;
struct Bus;

template <typename Space>
struct Range {
  std::uint64_t begin;
  std::uint64_t size;

  /* The last address inside. */
  constexpr std::uint64_t last() const noexcept { return begin + (size - 1); }

  constexpr bool contains(std::uint64_t address) const noexcept { return address >= begin && address - begin < size; }

  constexpr bool contains(const Range& other) const noexcept {
    return other.size != 0 && contains(other.begin) && contains(other.last());
  }

  constexpr bool overlaps(const Range& other) const noexcept {
    return size != 0 && other.size != 0 && begin <= other.last() && other.begin <= last();
  }

  friend constexpr bool operator==(const Range& a, const Range& b) noexcept {
    return a.begin == b.begin && a.size == b.size;
  }

  friend constexpr bool operator!=(const Range& a, const Range& b) noexcept { return !(a == b); }
};

using CoreRange = Range<Core>;
using BusRange = Range<Bus>;

/* What c7x_1 sees. */
namespace c7x_1 {

inline constexpr CoreRange L2RAM_C7x_1_MAIN{ 0x7E000000, 0x00200000 }; /* C7x 1 main L2, which TIDL uses as L3 [ 2 MiB ] */
inline constexpr CoreRange L2RAM_C7x_1_AUX{ 0x7F000000, 0x0003C000 }; /* C7x 1 auxiliary L2, which TIDL uses as L2 [ 240 KiB ] */
inline constexpr CoreRange L2RAM_C7x_1_AUX_AS_L1{ 0x7F03C000, 0x00004000 }; /* C7x 1 auxiliary L2, which TIDL uses as L1 [ 16 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xA5000000, 0x01000000 }; /* vrings between the cores; never cached [ 16 MiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xA7000000, 0x00800000 }; /* OpenVX object descriptors; never cached [ 8 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xA7800000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xA7C00000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange DDR_C7x_1_IPC{ 0xAD000000, 0x00100000 }; /* c7x_1 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_C7x_1_RESOURCE_TABLE{ 0xAD100000, 0x00000400 }; /* c7x_1 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_C7x_1_IPC_TRACE{ 0xAD100400, 0x000FFC00 }; /* c7x_1 trace buffer [ 1023 KiB ] */
inline constexpr CoreRange DDR_C7x_1_BOOT{ 0xAD200000, 0x00000400 }; /* c7x_1 boot section [ 1 KiB ] */
inline constexpr CoreRange DDR_C7x_1_VECS{ 0xAD400000, 0x00004000 }; /* c7x_1 vectors [ 16 KiB ] */
inline constexpr CoreRange DDR_C7x_1_SECURE_VECS{ 0xAD600000, 0x00004000 }; /* c7x_1 secure vectors [ 16 KiB ] */
inline constexpr CoreRange DDR_C7x_1{ 0xAD604000, 0x039FC000 }; /* c7x_1 code and data [ 59376 KiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xC0000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE{ 0x100000000, 0x04000000 }; /* c7x_1 persistent, non-cacheable [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_1_SCRATCH_NON_CACHEABLE{ 0x104000000, 0x04000000 }; /* c7x_1 scratch, non-cacheable [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_1_LOCAL_HEAP{ 0x108000000, 0x04000000 }; /* c7x_1 persistent [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_1_SCRATCH{ 0x10C000000, 0x04000000 }; /* c7x_1 scratch [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_1_2_LOCAL_HEAP_NON_CACHEABLE{ 0x110000000, 0x04000000 }; /* c7x_2 persistent, non-cacheable, as c7x_1 maps it [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_1_2_SCRATCH_NON_CACHEABLE{ 0x114000000, 0x04000000 }; /* c7x_2 scratch, non-cacheable, as c7x_1 maps it [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_1_2_LOCAL_HEAP{ 0x118000000, 0x04000000 }; /* c7x_2 persistent, as c7x_1 maps it [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_1_2_SCRATCH{ 0x11C000000, 0x04000000 }; /* c7x_2 scratch, as c7x_1 maps it [ 64 MiB ] */

static_assert(!L2RAM_C7x_1_MAIN.overlaps(L2RAM_C7x_1_AUX), "L2RAM_C7x_1_MAIN overlaps L2RAM_C7x_1_AUX");
static_assert(!L2RAM_C7x_1_AUX.overlaps(L2RAM_C7x_1_AUX_AS_L1), "L2RAM_C7x_1_AUX overlaps L2RAM_C7x_1_AUX_AS_L1");
static_assert(!L2RAM_C7x_1_AUX_AS_L1.overlaps(IPC_VRING_MEM), "L2RAM_C7x_1_AUX_AS_L1 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "IPC_VRING_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(APP_LOG_MEM), "APP_FILEIO_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(DDR_C7x_1_IPC), "APP_LOG_MEM overlaps DDR_C7x_1_IPC");
static_assert(!DDR_C7x_1_IPC.overlaps(DDR_C7x_1_RESOURCE_TABLE), "DDR_C7x_1_IPC overlaps DDR_C7x_1_RESOURCE_TABLE");
static_assert(!DDR_C7x_1_RESOURCE_TABLE.overlaps(DDR_C7x_1_IPC_TRACE), "DDR_C7x_1_RESOURCE_TABLE overlaps DDR_C7x_1_IPC_TRACE");
static_assert(!DDR_C7x_1_IPC_TRACE.overlaps(DDR_C7x_1_BOOT), "DDR_C7x_1_IPC_TRACE overlaps DDR_C7x_1_BOOT");
static_assert(!DDR_C7x_1_BOOT.overlaps(DDR_C7x_1_VECS), "DDR_C7x_1_BOOT overlaps DDR_C7x_1_VECS");
static_assert(!DDR_C7x_1_VECS.overlaps(DDR_C7x_1_SECURE_VECS), "DDR_C7x_1_VECS overlaps DDR_C7x_1_SECURE_VECS");
static_assert(!DDR_C7x_1_SECURE_VECS.overlaps(DDR_C7x_1), "DDR_C7x_1_SECURE_VECS overlaps DDR_C7x_1");
static_assert(!DDR_C7x_1.overlaps(DDR_SHARED_MEM), "DDR_C7x_1 overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE), "DDR_SHARED_MEM overlaps DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE");
static_assert(!DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE.overlaps(DDR_C7X_1_SCRATCH_NON_CACHEABLE), "DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE overlaps DDR_C7X_1_SCRATCH_NON_CACHEABLE");
static_assert(!DDR_C7X_1_SCRATCH_NON_CACHEABLE.overlaps(DDR_C7X_1_LOCAL_HEAP), "DDR_C7X_1_SCRATCH_NON_CACHEABLE overlaps DDR_C7X_1_LOCAL_HEAP");
static_assert(!DDR_C7X_1_LOCAL_HEAP.overlaps(DDR_C7X_1_SCRATCH), "DDR_C7X_1_LOCAL_HEAP overlaps DDR_C7X_1_SCRATCH");
static_assert(!DDR_C7X_1_SCRATCH.overlaps(DDR_C7X_1_2_LOCAL_HEAP_NON_CACHEABLE), "DDR_C7X_1_SCRATCH overlaps DDR_C7X_1_2_LOCAL_HEAP_NON_CACHEABLE");
static_assert(!DDR_C7X_1_2_LOCAL_HEAP_NON_CACHEABLE.overlaps(DDR_C7X_1_2_SCRATCH_NON_CACHEABLE), "DDR_C7X_1_2_LOCAL_HEAP_NON_CACHEABLE overlaps DDR_C7X_1_2_SCRATCH_NON_CACHEABLE");
static_assert(!DDR_C7X_1_2_SCRATCH_NON_CACHEABLE.overlaps(DDR_C7X_1_2_LOCAL_HEAP), "DDR_C7X_1_2_SCRATCH_NON_CACHEABLE overlaps DDR_C7X_1_2_LOCAL_HEAP");
static_assert(!DDR_C7X_1_2_LOCAL_HEAP.overlaps(DDR_C7X_1_2_SCRATCH), "DDR_C7X_1_2_LOCAL_HEAP overlaps DDR_C7X_1_2_SCRATCH");

/* Where that is on the bus; what only c7x_1 has is nowhere. */
namespace bus {

inline constexpr BusRange L2RAM_C7x_1_MAIN{ 0x7E000000, 0x00200000 };
inline constexpr BusRange L2RAM_C7x_1_AUX{ 0x7F000000, 0x0003C000 };
inline constexpr BusRange L2RAM_C7x_1_AUX_AS_L1{ 0x7F03C000, 0x00004000 };
inline constexpr BusRange IPC_VRING_MEM{ 0xA5000000, 0x01000000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xA7000000, 0x00800000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xA7800000, 0x00400000 };
inline constexpr BusRange APP_LOG_MEM{ 0xA7C00000, 0x00040000 };
inline constexpr BusRange DDR_C7x_1_IPC{ 0xAD000000, 0x00100000 };
inline constexpr BusRange DDR_C7x_1_RESOURCE_TABLE{ 0xAD100000, 0x00000400 };
inline constexpr BusRange DDR_C7x_1_IPC_TRACE{ 0xAD100400, 0x000FFC00 };
inline constexpr BusRange DDR_C7x_1_BOOT{ 0xAD200000, 0x00000400 };
inline constexpr BusRange DDR_C7x_1_VECS{ 0xAD400000, 0x00004000 };
inline constexpr BusRange DDR_C7x_1_SECURE_VECS{ 0xAD600000, 0x00004000 };
inline constexpr BusRange DDR_C7x_1{ 0xAD604000, 0x039FC000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0x900000000, 0x20000000 };
inline constexpr BusRange DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE{ 0x880000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_1_SCRATCH_NON_CACHEABLE{ 0x884000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_1_LOCAL_HEAP{ 0x888000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_1_SCRATCH{ 0x88C000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_1_2_LOCAL_HEAP_NON_CACHEABLE{ 0x890000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_1_2_SCRATCH_NON_CACHEABLE{ 0x894000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_1_2_LOCAL_HEAP{ 0x898000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_1_2_SCRATCH{ 0x89C000000, 0x04000000 };

}  // namespace bus

}  // namespace c7x_1

/* What c7x_2 sees. */
namespace c7x_2 {

inline constexpr CoreRange L2RAM_C7x_2_MAIN{ 0x7E200000, 0x00200000 }; /* C7x 2 main L2, which TIDL uses as L3 [ 2 MiB ] */
inline constexpr CoreRange L2RAM_C7x_2_AUX{ 0x7F800000, 0x0003C000 }; /* C7x 2 auxiliary L2, which TIDL uses as L2 [ 240 KiB ] */
inline constexpr CoreRange L2RAM_C7x_2_AUX_AS_L1{ 0x7F83C000, 0x00004000 }; /* C7x 2 auxiliary L2, which TIDL uses as L1 [ 16 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xA5000000, 0x01000000 }; /* vrings between the cores; never cached [ 16 MiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xA7000000, 0x00800000 }; /* OpenVX object descriptors; never cached [ 8 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xA7800000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xA7C00000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange DDR_C7x_2_IPC{ 0xB1000000, 0x00100000 }; /* c7x_2 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_C7x_2_RESOURCE_TABLE{ 0xB1100000, 0x00000400 }; /* c7x_2 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_C7x_2_IPC_TRACE{ 0xB1100400, 0x000FFC00 }; /* c7x_2 trace buffer [ 1023 KiB ] */
inline constexpr CoreRange DDR_C7x_2_BOOT{ 0xB1200000, 0x00000400 }; /* c7x_2 boot section [ 1 KiB ] */
inline constexpr CoreRange DDR_C7x_2_VECS{ 0xB1400000, 0x00004000 }; /* c7x_2 vectors [ 16 KiB ] */
inline constexpr CoreRange DDR_C7x_2_SECURE_VECS{ 0xB1600000, 0x00004000 }; /* c7x_2 secure vectors [ 16 KiB ] */
inline constexpr CoreRange DDR_C7x_2{ 0xB1604000, 0x039FC000 }; /* c7x_2 code and data [ 59376 KiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xC0000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_C7X_2_1_LOCAL_HEAP_NON_CACHEABLE{ 0x100000000, 0x04000000 }; /* c7x_1 persistent, non-cacheable, as c7x_2 maps it [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_2_1_SCRATCH_NON_CACHEABLE{ 0x104000000, 0x04000000 }; /* c7x_1 scratch, non-cacheable, as c7x_2 maps it [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_2_1_LOCAL_HEAP{ 0x108000000, 0x04000000 }; /* c7x_1 persistent, as c7x_2 maps it [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_2_1_SCRATCH{ 0x10C000000, 0x04000000 }; /* c7x_1 scratch, as c7x_2 maps it [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE{ 0x110000000, 0x04000000 }; /* c7x_2 persistent, non-cacheable [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_2_SCRATCH_NON_CACHEABLE{ 0x114000000, 0x04000000 }; /* c7x_2 scratch, non-cacheable [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_2_LOCAL_HEAP{ 0x118000000, 0x04000000 }; /* c7x_2 persistent [ 64 MiB ] */
inline constexpr CoreRange DDR_C7X_2_SCRATCH{ 0x11C000000, 0x04000000 }; /* c7x_2 scratch [ 64 MiB ] */

static_assert(!L2RAM_C7x_2_MAIN.overlaps(L2RAM_C7x_2_AUX), "L2RAM_C7x_2_MAIN overlaps L2RAM_C7x_2_AUX");
static_assert(!L2RAM_C7x_2_AUX.overlaps(L2RAM_C7x_2_AUX_AS_L1), "L2RAM_C7x_2_AUX overlaps L2RAM_C7x_2_AUX_AS_L1");
static_assert(!L2RAM_C7x_2_AUX_AS_L1.overlaps(IPC_VRING_MEM), "L2RAM_C7x_2_AUX_AS_L1 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "IPC_VRING_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(APP_LOG_MEM), "APP_FILEIO_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(DDR_C7x_2_IPC), "APP_LOG_MEM overlaps DDR_C7x_2_IPC");
static_assert(!DDR_C7x_2_IPC.overlaps(DDR_C7x_2_RESOURCE_TABLE), "DDR_C7x_2_IPC overlaps DDR_C7x_2_RESOURCE_TABLE");
static_assert(!DDR_C7x_2_RESOURCE_TABLE.overlaps(DDR_C7x_2_IPC_TRACE), "DDR_C7x_2_RESOURCE_TABLE overlaps DDR_C7x_2_IPC_TRACE");
static_assert(!DDR_C7x_2_IPC_TRACE.overlaps(DDR_C7x_2_BOOT), "DDR_C7x_2_IPC_TRACE overlaps DDR_C7x_2_BOOT");
static_assert(!DDR_C7x_2_BOOT.overlaps(DDR_C7x_2_VECS), "DDR_C7x_2_BOOT overlaps DDR_C7x_2_VECS");
static_assert(!DDR_C7x_2_VECS.overlaps(DDR_C7x_2_SECURE_VECS), "DDR_C7x_2_VECS overlaps DDR_C7x_2_SECURE_VECS");
static_assert(!DDR_C7x_2_SECURE_VECS.overlaps(DDR_C7x_2), "DDR_C7x_2_SECURE_VECS overlaps DDR_C7x_2");
static_assert(!DDR_C7x_2.overlaps(DDR_SHARED_MEM), "DDR_C7x_2 overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_C7X_2_1_LOCAL_HEAP_NON_CACHEABLE), "DDR_SHARED_MEM overlaps DDR_C7X_2_1_LOCAL_HEAP_NON_CACHEABLE");
static_assert(!DDR_C7X_2_1_LOCAL_HEAP_NON_CACHEABLE.overlaps(DDR_C7X_2_1_SCRATCH_NON_CACHEABLE), "DDR_C7X_2_1_LOCAL_HEAP_NON_CACHEABLE overlaps DDR_C7X_2_1_SCRATCH_NON_CACHEABLE");
static_assert(!DDR_C7X_2_1_SCRATCH_NON_CACHEABLE.overlaps(DDR_C7X_2_1_LOCAL_HEAP), "DDR_C7X_2_1_SCRATCH_NON_CACHEABLE overlaps DDR_C7X_2_1_LOCAL_HEAP");
static_assert(!DDR_C7X_2_1_LOCAL_HEAP.overlaps(DDR_C7X_2_1_SCRATCH), "DDR_C7X_2_1_LOCAL_HEAP overlaps DDR_C7X_2_1_SCRATCH");
static_assert(!DDR_C7X_2_1_SCRATCH.overlaps(DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE), "DDR_C7X_2_1_SCRATCH overlaps DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE");
static_assert(!DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE.overlaps(DDR_C7X_2_SCRATCH_NON_CACHEABLE), "DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE overlaps DDR_C7X_2_SCRATCH_NON_CACHEABLE");
static_assert(!DDR_C7X_2_SCRATCH_NON_CACHEABLE.overlaps(DDR_C7X_2_LOCAL_HEAP), "DDR_C7X_2_SCRATCH_NON_CACHEABLE overlaps DDR_C7X_2_LOCAL_HEAP");
static_assert(!DDR_C7X_2_LOCAL_HEAP.overlaps(DDR_C7X_2_SCRATCH), "DDR_C7X_2_LOCAL_HEAP overlaps DDR_C7X_2_SCRATCH");

/* Where that is on the bus; what only c7x_2 has is nowhere. */
namespace bus {

inline constexpr BusRange L2RAM_C7x_2_MAIN{ 0x7E200000, 0x00200000 };
inline constexpr BusRange L2RAM_C7x_2_AUX{ 0x7F800000, 0x0003C000 };
inline constexpr BusRange L2RAM_C7x_2_AUX_AS_L1{ 0x7F83C000, 0x00004000 };
inline constexpr BusRange IPC_VRING_MEM{ 0xA5000000, 0x01000000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xA7000000, 0x00800000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xA7800000, 0x00400000 };
inline constexpr BusRange APP_LOG_MEM{ 0xA7C00000, 0x00040000 };
inline constexpr BusRange DDR_C7x_2_IPC{ 0xB1000000, 0x00100000 };
inline constexpr BusRange DDR_C7x_2_RESOURCE_TABLE{ 0xB1100000, 0x00000400 };
inline constexpr BusRange DDR_C7x_2_IPC_TRACE{ 0xB1100400, 0x000FFC00 };
inline constexpr BusRange DDR_C7x_2_BOOT{ 0xB1200000, 0x00000400 };
inline constexpr BusRange DDR_C7x_2_VECS{ 0xB1400000, 0x00004000 };
inline constexpr BusRange DDR_C7x_2_SECURE_VECS{ 0xB1600000, 0x00004000 };
inline constexpr BusRange DDR_C7x_2{ 0xB1604000, 0x039FC000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0x900000000, 0x20000000 };
inline constexpr BusRange DDR_C7X_2_1_LOCAL_HEAP_NON_CACHEABLE{ 0x880000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_2_1_SCRATCH_NON_CACHEABLE{ 0x884000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_2_1_LOCAL_HEAP{ 0x888000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_2_1_SCRATCH{ 0x88C000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE{ 0x890000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_2_SCRATCH_NON_CACHEABLE{ 0x894000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_2_LOCAL_HEAP{ 0x898000000, 0x04000000 };
inline constexpr BusRange DDR_C7X_2_SCRATCH{ 0x89C000000, 0x04000000 };

}  // namespace bus

}  // namespace c7x_2

/* What mcu1_0 sees. */
namespace mcu1_0 {

inline constexpr CoreRange R5F_TCMA_VECS{ 0x00000000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMA{ 0x00000040, 0x00007FC0 }; /* tightly coupled memory A [ 31.94 KiB ] */
inline constexpr CoreRange R5F_TCMB0_VECS{ 0x41010000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMB0{ 0x41010040, 0x00007FC0 }; /* tightly coupled memory B [ 31.94 KiB ] */
inline constexpr CoreRange DDR_MCU1_0_IPC{ 0xA0000000, 0x00100000 }; /* mcu1_0 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_MCU1_0_RESOURCE_TABLE{ 0xA0100000, 0x00000400 }; /* mcu1_0 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_MCU1_0_IPC_TRACE{ 0xA0100400, 0x000FFC00 }; /* mcu1_0 trace buffer [ 1023 KiB ] */
inline constexpr CoreRange DDR_MCU1_0{ 0xA0200000, 0x00E00000 }; /* mcu1_0 code and data [ 14 MiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xA5000000, 0x01000000 }; /* vrings between the cores; never cached [ 16 MiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xA7000000, 0x00800000 }; /* OpenVX object descriptors; never cached [ 8 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xA7800000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xA7C00000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange DDR_MCU1_0_LOCAL_HEAP{ 0xB5000000, 0x00800000 }; /* mcu1_0 heap [ 8 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xC0000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */

static_assert(!R5F_TCMA_VECS.overlaps(R5F_TCMA), "R5F_TCMA_VECS overlaps R5F_TCMA");
static_assert(!R5F_TCMA.overlaps(R5F_TCMB0_VECS), "R5F_TCMA overlaps R5F_TCMB0_VECS");
static_assert(!R5F_TCMB0_VECS.overlaps(R5F_TCMB0), "R5F_TCMB0_VECS overlaps R5F_TCMB0");
static_assert(!R5F_TCMB0.overlaps(DDR_MCU1_0_IPC), "R5F_TCMB0 overlaps DDR_MCU1_0_IPC");
static_assert(!DDR_MCU1_0_IPC.overlaps(DDR_MCU1_0_RESOURCE_TABLE), "DDR_MCU1_0_IPC overlaps DDR_MCU1_0_RESOURCE_TABLE");
static_assert(!DDR_MCU1_0_RESOURCE_TABLE.overlaps(DDR_MCU1_0_IPC_TRACE), "DDR_MCU1_0_RESOURCE_TABLE overlaps DDR_MCU1_0_IPC_TRACE");
static_assert(!DDR_MCU1_0_IPC_TRACE.overlaps(DDR_MCU1_0), "DDR_MCU1_0_IPC_TRACE overlaps DDR_MCU1_0");
static_assert(!DDR_MCU1_0.overlaps(IPC_VRING_MEM), "DDR_MCU1_0 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "IPC_VRING_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(APP_LOG_MEM), "APP_FILEIO_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(DDR_MCU1_0_LOCAL_HEAP), "APP_LOG_MEM overlaps DDR_MCU1_0_LOCAL_HEAP");
static_assert(!DDR_MCU1_0_LOCAL_HEAP.overlaps(DDR_SHARED_MEM), "DDR_MCU1_0_LOCAL_HEAP overlaps DDR_SHARED_MEM");

/* Where that is on the bus; what only mcu1_0 has is nowhere. */
namespace bus {

inline constexpr BusRange DDR_MCU1_0_IPC{ 0xA0000000, 0x00100000 };
inline constexpr BusRange DDR_MCU1_0_RESOURCE_TABLE{ 0xA0100000, 0x00000400 };
inline constexpr BusRange DDR_MCU1_0_IPC_TRACE{ 0xA0100400, 0x000FFC00 };
inline constexpr BusRange DDR_MCU1_0{ 0xA0200000, 0x00E00000 };
inline constexpr BusRange IPC_VRING_MEM{ 0xA5000000, 0x01000000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xA7000000, 0x00800000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xA7800000, 0x00400000 };
inline constexpr BusRange APP_LOG_MEM{ 0xA7C00000, 0x00040000 };
inline constexpr BusRange DDR_MCU1_0_LOCAL_HEAP{ 0xB5000000, 0x00800000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0x900000000, 0x20000000 };

}  // namespace bus

}  // namespace mcu1_0

/* What mcu2_0 sees. */
namespace mcu2_0 {

inline constexpr CoreRange R5F_TCMA_VECS{ 0x00000000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMA{ 0x00000040, 0x00007FC0 }; /* tightly coupled memory A [ 31.94 KiB ] */
inline constexpr CoreRange R5F_TCMB0{ 0x41010000, 0x00008000 }; /* tightly coupled memory B [ 32 KiB ] */
inline constexpr CoreRange DDR_MCU2_0_IPC{ 0xA2000000, 0x00100000 }; /* mcu2_0 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_MCU2_0_RESOURCE_TABLE{ 0xA2100000, 0x00000400 }; /* mcu2_0 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_MCU2_0_IPC_TRACE{ 0xA2100400, 0x000FFC00 }; /* mcu2_0 trace buffer [ 1023 KiB ] */
inline constexpr CoreRange DDR_MCU2_0{ 0xA2200000, 0x01E00000 }; /* mcu2_0 code and data [ 30 MiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xA5000000, 0x01000000 }; /* vrings between the cores; never cached [ 16 MiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xA7000000, 0x00800000 }; /* OpenVX object descriptors; never cached [ 8 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xA7800000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xA7C00000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange DDR_MCU2_0_LOCAL_HEAP{ 0xB5800000, 0x02000000 }; /* mcu2_0 heap [ 32 MiB ] */
inline constexpr CoreRange DDR_MCU2_0_VISS_CONFIG_HEAP{ 0xB7800000, 0x00400000 }; /* VISS configuration; write-through on the R5F [ 4 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xC0000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */

static_assert(!R5F_TCMA_VECS.overlaps(R5F_TCMA), "R5F_TCMA_VECS overlaps R5F_TCMA");
static_assert(!R5F_TCMA.overlaps(R5F_TCMB0), "R5F_TCMA overlaps R5F_TCMB0");
static_assert(!R5F_TCMB0.overlaps(DDR_MCU2_0_IPC), "R5F_TCMB0 overlaps DDR_MCU2_0_IPC");
static_assert(!DDR_MCU2_0_IPC.overlaps(DDR_MCU2_0_RESOURCE_TABLE), "DDR_MCU2_0_IPC overlaps DDR_MCU2_0_RESOURCE_TABLE");
static_assert(!DDR_MCU2_0_RESOURCE_TABLE.overlaps(DDR_MCU2_0_IPC_TRACE), "DDR_MCU2_0_RESOURCE_TABLE overlaps DDR_MCU2_0_IPC_TRACE");
static_assert(!DDR_MCU2_0_IPC_TRACE.overlaps(DDR_MCU2_0), "DDR_MCU2_0_IPC_TRACE overlaps DDR_MCU2_0");
static_assert(!DDR_MCU2_0.overlaps(IPC_VRING_MEM), "DDR_MCU2_0 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "IPC_VRING_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(APP_LOG_MEM), "APP_FILEIO_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(DDR_MCU2_0_LOCAL_HEAP), "APP_LOG_MEM overlaps DDR_MCU2_0_LOCAL_HEAP");
static_assert(!DDR_MCU2_0_LOCAL_HEAP.overlaps(DDR_MCU2_0_VISS_CONFIG_HEAP), "DDR_MCU2_0_LOCAL_HEAP overlaps DDR_MCU2_0_VISS_CONFIG_HEAP");
static_assert(!DDR_MCU2_0_VISS_CONFIG_HEAP.overlaps(DDR_SHARED_MEM), "DDR_MCU2_0_VISS_CONFIG_HEAP overlaps DDR_SHARED_MEM");

/* Where that is on the bus; what only mcu2_0 has is nowhere. */
namespace bus {

inline constexpr BusRange DDR_MCU2_0_IPC{ 0xA2000000, 0x00100000 };
inline constexpr BusRange DDR_MCU2_0_RESOURCE_TABLE{ 0xA2100000, 0x00000400 };
inline constexpr BusRange DDR_MCU2_0_IPC_TRACE{ 0xA2100400, 0x000FFC00 };
inline constexpr BusRange DDR_MCU2_0{ 0xA2200000, 0x01E00000 };
inline constexpr BusRange IPC_VRING_MEM{ 0xA5000000, 0x01000000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xA7000000, 0x00800000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xA7800000, 0x00400000 };
inline constexpr BusRange APP_LOG_MEM{ 0xA7C00000, 0x00040000 };
inline constexpr BusRange DDR_MCU2_0_LOCAL_HEAP{ 0xB5800000, 0x02000000 };
inline constexpr BusRange DDR_MCU2_0_VISS_CONFIG_HEAP{ 0xB7800000, 0x00400000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0x900000000, 0x20000000 };

}  // namespace bus

}  // namespace mcu2_0

/* What Linux reserves, by the labels of its device tree. */
namespace reserved {

inline constexpr BusRange vision_apps_mcu_r5fss0_core0_dma_memory_region{ 0xA0000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_mcu_r5fss0_core0_memory_region{ 0xA0100000, 0x00F00000 }; /* 15 MiB */
inline constexpr BusRange vision_apps_main_r5fss0_core0_dma_memory_region{ 0xA2000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_main_r5fss0_core0_memory_region{ 0xA2100000, 0x01F00000 }; /* 31 MiB */
inline constexpr BusRange vision_apps_rtos_ipc_memory_region{ 0xA5000000, 0x01000000 }; /* 16 MiB */
inline constexpr BusRange vision_apps_memory_region{ 0xA6000000, 0x01C40000 }; /* 28.25 MiB */
inline constexpr BusRange vision_apps_c71_0_dma_memory_region{ 0xAD000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_c71_0_memory_region{ 0xAD100000, 0x03F00000 }; /* 63 MiB */
inline constexpr BusRange vision_apps_c71_1_dma_memory_region{ 0xB1000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_c71_1_memory_region{ 0xB1100000, 0x03F00000 }; /* 63 MiB */
inline constexpr BusRange vision_apps_core_heaps_lo{ 0xB5000000, 0x02C00000 }; /* 44 MiB */
inline constexpr BusRange c7x_ddr_heaps_hi{ 0x880000000, 0x20000000 }; /* 512 MiB */
inline constexpr BusRange vision_apps_shared_region{ 0x900000000, 0x20000000 }; /* 512 MiB */

}  // namespace reserved

}  // namespace memory_map

#endif
