/*
 * Memory map: TI J721E, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'j721e'. Change the board's knobs, not this file.
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

/* What mcu1_0 sees. */
namespace mcu1_0 {

inline constexpr CoreRange R5F_TCMA_VECS{ 0x00000000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMA{ 0x00000040, 0x00007FC0 }; /* tightly coupled memory A [ 31.94 KiB ] */
inline constexpr CoreRange R5F_TCMB0_VECS{ 0x41010000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMB0{ 0x41010040, 0x00007FC0 }; /* tightly coupled memory B [ 31.94 KiB ] */
inline constexpr CoreRange DDR_MCU1_0_IPC{ 0xA0000000, 0x00100000 }; /* mcu1_0 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_MCU1_0_RESOURCE_TABLE{ 0xA0100000, 0x00000400 }; /* mcu1_0 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_MCU1_0{ 0xA0100400, 0x00EFFC00 }; /* mcu1_0 code and data [ 15359 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 }; /* vrings between the cores; never cached [ 32 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xAC000000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 }; /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_MCU1_0_LOCAL_HEAP{ 0xD8000000, 0x00800000 }; /* mcu1_0 heap [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 }; /* Ethernet between the cores: queues; never cached [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 }; /* Ethernet between the cores: buffers [ 24 MiB ] */

static_assert(!R5F_TCMA_VECS.overlaps(R5F_TCMA), "R5F_TCMA_VECS overlaps R5F_TCMA");
static_assert(!R5F_TCMA.overlaps(R5F_TCMB0_VECS), "R5F_TCMA overlaps R5F_TCMB0_VECS");
static_assert(!R5F_TCMB0_VECS.overlaps(R5F_TCMB0), "R5F_TCMB0_VECS overlaps R5F_TCMB0");
static_assert(!R5F_TCMB0.overlaps(DDR_MCU1_0_IPC), "R5F_TCMB0 overlaps DDR_MCU1_0_IPC");
static_assert(!DDR_MCU1_0_IPC.overlaps(DDR_MCU1_0_RESOURCE_TABLE), "DDR_MCU1_0_IPC overlaps DDR_MCU1_0_RESOURCE_TABLE");
static_assert(!DDR_MCU1_0_RESOURCE_TABLE.overlaps(DDR_MCU1_0), "DDR_MCU1_0_RESOURCE_TABLE overlaps DDR_MCU1_0");
static_assert(!DDR_MCU1_0.overlaps(IPC_VRING_MEM), "DDR_MCU1_0 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(APP_LOG_MEM), "IPC_VRING_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "APP_LOG_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(DDR_SHARED_MEM), "APP_FILEIO_MEM overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_MCU1_0_LOCAL_HEAP), "DDR_SHARED_MEM overlaps DDR_MCU1_0_LOCAL_HEAP");
static_assert(!DDR_MCU1_0_LOCAL_HEAP.overlaps(INTERCORE_ETH_DESC_MEM), "DDR_MCU1_0_LOCAL_HEAP overlaps INTERCORE_ETH_DESC_MEM");
static_assert(!INTERCORE_ETH_DESC_MEM.overlaps(INTERCORE_ETH_DATA_MEM), "INTERCORE_ETH_DESC_MEM overlaps INTERCORE_ETH_DATA_MEM");

/* Where that is on the bus; what only mcu1_0 has is nowhere. */
namespace bus {

inline constexpr BusRange DDR_MCU1_0_IPC{ 0xA0000000, 0x00100000 };
inline constexpr BusRange DDR_MCU1_0_RESOURCE_TABLE{ 0xA0100000, 0x00000400 };
inline constexpr BusRange DDR_MCU1_0{ 0xA0100400, 0x00EFFC00 };
inline constexpr BusRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 };
inline constexpr BusRange APP_LOG_MEM{ 0xAC000000, 0x00040000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 };
inline constexpr BusRange DDR_MCU1_0_LOCAL_HEAP{ 0xD8000000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 };

}  // namespace bus

}  // namespace mcu1_0

/* What mcu1_1 sees. */
namespace mcu1_1 {

inline constexpr CoreRange R5F_TCMA_VECS{ 0x00000000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMA{ 0x00000040, 0x00007FC0 }; /* tightly coupled memory A [ 31.94 KiB ] */
inline constexpr CoreRange R5F_TCMB0_VECS{ 0x41010000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMB0{ 0x41010040, 0x00007FC0 }; /* tightly coupled memory B [ 31.94 KiB ] */
inline constexpr CoreRange DDR_MCU1_1_IPC{ 0xA1000000, 0x00100000 }; /* mcu1_1 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_MCU1_1_RESOURCE_TABLE{ 0xA1100000, 0x00000400 }; /* mcu1_1 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_MCU1_1{ 0xA1100400, 0x00EFFC00 }; /* mcu1_1 code and data [ 15359 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 }; /* vrings between the cores; never cached [ 32 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xAC000000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 }; /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_MCU1_1_LOCAL_HEAP{ 0xD8800000, 0x00800000 }; /* mcu1_1 heap [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 }; /* Ethernet between the cores: queues; never cached [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 }; /* Ethernet between the cores: buffers [ 24 MiB ] */

static_assert(!R5F_TCMA_VECS.overlaps(R5F_TCMA), "R5F_TCMA_VECS overlaps R5F_TCMA");
static_assert(!R5F_TCMA.overlaps(R5F_TCMB0_VECS), "R5F_TCMA overlaps R5F_TCMB0_VECS");
static_assert(!R5F_TCMB0_VECS.overlaps(R5F_TCMB0), "R5F_TCMB0_VECS overlaps R5F_TCMB0");
static_assert(!R5F_TCMB0.overlaps(DDR_MCU1_1_IPC), "R5F_TCMB0 overlaps DDR_MCU1_1_IPC");
static_assert(!DDR_MCU1_1_IPC.overlaps(DDR_MCU1_1_RESOURCE_TABLE), "DDR_MCU1_1_IPC overlaps DDR_MCU1_1_RESOURCE_TABLE");
static_assert(!DDR_MCU1_1_RESOURCE_TABLE.overlaps(DDR_MCU1_1), "DDR_MCU1_1_RESOURCE_TABLE overlaps DDR_MCU1_1");
static_assert(!DDR_MCU1_1.overlaps(IPC_VRING_MEM), "DDR_MCU1_1 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(APP_LOG_MEM), "IPC_VRING_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "APP_LOG_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(DDR_SHARED_MEM), "APP_FILEIO_MEM overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_MCU1_1_LOCAL_HEAP), "DDR_SHARED_MEM overlaps DDR_MCU1_1_LOCAL_HEAP");
static_assert(!DDR_MCU1_1_LOCAL_HEAP.overlaps(INTERCORE_ETH_DESC_MEM), "DDR_MCU1_1_LOCAL_HEAP overlaps INTERCORE_ETH_DESC_MEM");
static_assert(!INTERCORE_ETH_DESC_MEM.overlaps(INTERCORE_ETH_DATA_MEM), "INTERCORE_ETH_DESC_MEM overlaps INTERCORE_ETH_DATA_MEM");

/* Where that is on the bus; what only mcu1_1 has is nowhere. */
namespace bus {

inline constexpr BusRange DDR_MCU1_1_IPC{ 0xA1000000, 0x00100000 };
inline constexpr BusRange DDR_MCU1_1_RESOURCE_TABLE{ 0xA1100000, 0x00000400 };
inline constexpr BusRange DDR_MCU1_1{ 0xA1100400, 0x00EFFC00 };
inline constexpr BusRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 };
inline constexpr BusRange APP_LOG_MEM{ 0xAC000000, 0x00040000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 };
inline constexpr BusRange DDR_MCU1_1_LOCAL_HEAP{ 0xD8800000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 };

}  // namespace bus

}  // namespace mcu1_1

/* What mcu2_0 sees. */
namespace mcu2_0 {

inline constexpr CoreRange R5F_TCMA_VECS{ 0x00000000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMA{ 0x00000040, 0x00007FC0 }; /* tightly coupled memory A [ 31.94 KiB ] */
inline constexpr CoreRange MAIN_OCRAM_MCU2_0{ 0x03600000, 0x00040000 }; /* main OCRAM of mcu2_0 [ 256 KiB ] */
inline constexpr CoreRange R5F_TCMB0{ 0x41010000, 0x00008000 }; /* tightly coupled memory B [ 32 KiB ] */
inline constexpr CoreRange DDR_MCU2_0_IPC{ 0xA2000000, 0x00100000 }; /* mcu2_0 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_MCU2_0_RESOURCE_TABLE{ 0xA2100000, 0x00000400 }; /* mcu2_0 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_MCU2_0{ 0xA2100400, 0x01EFFC00 }; /* mcu2_0 code and data [ 31743 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 }; /* vrings between the cores; never cached [ 32 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xAC000000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 }; /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_MCU2_0_LOCAL_HEAP{ 0xD9000000, 0x00F00000 }; /* mcu2_0 heap [ 15 MiB ] */
inline constexpr CoreRange DDR_MCU2_0_VISS_CONFIG_HEAP{ 0xD9F00000, 0x00100000 }; /* VISS configuration; write-through on the R5F [ 1 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 }; /* Ethernet between the cores: queues; never cached [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 }; /* Ethernet between the cores: buffers [ 24 MiB ] */

static_assert(!R5F_TCMA_VECS.overlaps(R5F_TCMA), "R5F_TCMA_VECS overlaps R5F_TCMA");
static_assert(!R5F_TCMA.overlaps(MAIN_OCRAM_MCU2_0), "R5F_TCMA overlaps MAIN_OCRAM_MCU2_0");
static_assert(!MAIN_OCRAM_MCU2_0.overlaps(R5F_TCMB0), "MAIN_OCRAM_MCU2_0 overlaps R5F_TCMB0");
static_assert(!R5F_TCMB0.overlaps(DDR_MCU2_0_IPC), "R5F_TCMB0 overlaps DDR_MCU2_0_IPC");
static_assert(!DDR_MCU2_0_IPC.overlaps(DDR_MCU2_0_RESOURCE_TABLE), "DDR_MCU2_0_IPC overlaps DDR_MCU2_0_RESOURCE_TABLE");
static_assert(!DDR_MCU2_0_RESOURCE_TABLE.overlaps(DDR_MCU2_0), "DDR_MCU2_0_RESOURCE_TABLE overlaps DDR_MCU2_0");
static_assert(!DDR_MCU2_0.overlaps(IPC_VRING_MEM), "DDR_MCU2_0 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(APP_LOG_MEM), "IPC_VRING_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "APP_LOG_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(DDR_SHARED_MEM), "APP_FILEIO_MEM overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_MCU2_0_LOCAL_HEAP), "DDR_SHARED_MEM overlaps DDR_MCU2_0_LOCAL_HEAP");
static_assert(!DDR_MCU2_0_LOCAL_HEAP.overlaps(DDR_MCU2_0_VISS_CONFIG_HEAP), "DDR_MCU2_0_LOCAL_HEAP overlaps DDR_MCU2_0_VISS_CONFIG_HEAP");
static_assert(!DDR_MCU2_0_VISS_CONFIG_HEAP.overlaps(INTERCORE_ETH_DESC_MEM), "DDR_MCU2_0_VISS_CONFIG_HEAP overlaps INTERCORE_ETH_DESC_MEM");
static_assert(!INTERCORE_ETH_DESC_MEM.overlaps(INTERCORE_ETH_DATA_MEM), "INTERCORE_ETH_DESC_MEM overlaps INTERCORE_ETH_DATA_MEM");

/* Where that is on the bus; what only mcu2_0 has is nowhere. */
namespace bus {

inline constexpr BusRange MAIN_OCRAM_MCU2_0{ 0x03600000, 0x00040000 };
inline constexpr BusRange DDR_MCU2_0_IPC{ 0xA2000000, 0x00100000 };
inline constexpr BusRange DDR_MCU2_0_RESOURCE_TABLE{ 0xA2100000, 0x00000400 };
inline constexpr BusRange DDR_MCU2_0{ 0xA2100400, 0x01EFFC00 };
inline constexpr BusRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 };
inline constexpr BusRange APP_LOG_MEM{ 0xAC000000, 0x00040000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 };
inline constexpr BusRange DDR_MCU2_0_LOCAL_HEAP{ 0xD9000000, 0x00F00000 };
inline constexpr BusRange DDR_MCU2_0_VISS_CONFIG_HEAP{ 0xD9F00000, 0x00100000 };
inline constexpr BusRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 };

}  // namespace bus

}  // namespace mcu2_0

/* What mcu2_1 sees. */
namespace mcu2_1 {

inline constexpr CoreRange R5F_TCMA_VECS{ 0x00000000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMA{ 0x00000040, 0x00007FC0 }; /* tightly coupled memory A [ 31.94 KiB ] */
inline constexpr CoreRange MAIN_OCRAM_MCU2_1{ 0x03640000, 0x00040000 }; /* main OCRAM of mcu2_1 [ 256 KiB ] */
inline constexpr CoreRange R5F_TCMB0{ 0x41010000, 0x00008000 }; /* tightly coupled memory B [ 32 KiB ] */
inline constexpr CoreRange DDR_MCU2_1_IPC{ 0xA4000000, 0x00100000 }; /* mcu2_1 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_MCU2_1_RESOURCE_TABLE{ 0xA4100000, 0x00000400 }; /* mcu2_1 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_MCU2_1{ 0xA4100400, 0x01EFFC00 }; /* mcu2_1 code and data [ 31743 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 }; /* vrings between the cores; never cached [ 32 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xAC000000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 }; /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_MCU2_1_LOCAL_HEAP{ 0xDA000000, 0x01000000 }; /* mcu2_1 heap [ 16 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 }; /* Ethernet between the cores: queues; never cached [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 }; /* Ethernet between the cores: buffers [ 24 MiB ] */

static_assert(!R5F_TCMA_VECS.overlaps(R5F_TCMA), "R5F_TCMA_VECS overlaps R5F_TCMA");
static_assert(!R5F_TCMA.overlaps(MAIN_OCRAM_MCU2_1), "R5F_TCMA overlaps MAIN_OCRAM_MCU2_1");
static_assert(!MAIN_OCRAM_MCU2_1.overlaps(R5F_TCMB0), "MAIN_OCRAM_MCU2_1 overlaps R5F_TCMB0");
static_assert(!R5F_TCMB0.overlaps(DDR_MCU2_1_IPC), "R5F_TCMB0 overlaps DDR_MCU2_1_IPC");
static_assert(!DDR_MCU2_1_IPC.overlaps(DDR_MCU2_1_RESOURCE_TABLE), "DDR_MCU2_1_IPC overlaps DDR_MCU2_1_RESOURCE_TABLE");
static_assert(!DDR_MCU2_1_RESOURCE_TABLE.overlaps(DDR_MCU2_1), "DDR_MCU2_1_RESOURCE_TABLE overlaps DDR_MCU2_1");
static_assert(!DDR_MCU2_1.overlaps(IPC_VRING_MEM), "DDR_MCU2_1 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(APP_LOG_MEM), "IPC_VRING_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "APP_LOG_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(DDR_SHARED_MEM), "APP_FILEIO_MEM overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_MCU2_1_LOCAL_HEAP), "DDR_SHARED_MEM overlaps DDR_MCU2_1_LOCAL_HEAP");
static_assert(!DDR_MCU2_1_LOCAL_HEAP.overlaps(INTERCORE_ETH_DESC_MEM), "DDR_MCU2_1_LOCAL_HEAP overlaps INTERCORE_ETH_DESC_MEM");
static_assert(!INTERCORE_ETH_DESC_MEM.overlaps(INTERCORE_ETH_DATA_MEM), "INTERCORE_ETH_DESC_MEM overlaps INTERCORE_ETH_DATA_MEM");

/* Where that is on the bus; what only mcu2_1 has is nowhere. */
namespace bus {

inline constexpr BusRange MAIN_OCRAM_MCU2_1{ 0x03640000, 0x00040000 };
inline constexpr BusRange DDR_MCU2_1_IPC{ 0xA4000000, 0x00100000 };
inline constexpr BusRange DDR_MCU2_1_RESOURCE_TABLE{ 0xA4100000, 0x00000400 };
inline constexpr BusRange DDR_MCU2_1{ 0xA4100400, 0x01EFFC00 };
inline constexpr BusRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 };
inline constexpr BusRange APP_LOG_MEM{ 0xAC000000, 0x00040000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 };
inline constexpr BusRange DDR_MCU2_1_LOCAL_HEAP{ 0xDA000000, 0x01000000 };
inline constexpr BusRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 };

}  // namespace bus

}  // namespace mcu2_1

/* What mcu3_0 sees. */
namespace mcu3_0 {

inline constexpr CoreRange R5F_TCMA_VECS{ 0x00000000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMA{ 0x00000040, 0x00007FC0 }; /* tightly coupled memory A [ 31.94 KiB ] */
inline constexpr CoreRange R5F_TCMB0{ 0x41010000, 0x00008000 }; /* tightly coupled memory B [ 32 KiB ] */
inline constexpr CoreRange DDR_MCU3_0_IPC{ 0xA6000000, 0x00100000 }; /* mcu3_0 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_MCU3_0_RESOURCE_TABLE{ 0xA6100000, 0x00000400 }; /* mcu3_0 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_MCU3_0{ 0xA6100400, 0x00EFFC00 }; /* mcu3_0 code and data [ 15359 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 }; /* vrings between the cores; never cached [ 32 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xAC000000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 }; /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_MCU3_0_LOCAL_HEAP{ 0xDB000000, 0x00800000 }; /* mcu3_0 heap [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 }; /* Ethernet between the cores: queues; never cached [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 }; /* Ethernet between the cores: buffers [ 24 MiB ] */

static_assert(!R5F_TCMA_VECS.overlaps(R5F_TCMA), "R5F_TCMA_VECS overlaps R5F_TCMA");
static_assert(!R5F_TCMA.overlaps(R5F_TCMB0), "R5F_TCMA overlaps R5F_TCMB0");
static_assert(!R5F_TCMB0.overlaps(DDR_MCU3_0_IPC), "R5F_TCMB0 overlaps DDR_MCU3_0_IPC");
static_assert(!DDR_MCU3_0_IPC.overlaps(DDR_MCU3_0_RESOURCE_TABLE), "DDR_MCU3_0_IPC overlaps DDR_MCU3_0_RESOURCE_TABLE");
static_assert(!DDR_MCU3_0_RESOURCE_TABLE.overlaps(DDR_MCU3_0), "DDR_MCU3_0_RESOURCE_TABLE overlaps DDR_MCU3_0");
static_assert(!DDR_MCU3_0.overlaps(IPC_VRING_MEM), "DDR_MCU3_0 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(APP_LOG_MEM), "IPC_VRING_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "APP_LOG_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(DDR_SHARED_MEM), "APP_FILEIO_MEM overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_MCU3_0_LOCAL_HEAP), "DDR_SHARED_MEM overlaps DDR_MCU3_0_LOCAL_HEAP");
static_assert(!DDR_MCU3_0_LOCAL_HEAP.overlaps(INTERCORE_ETH_DESC_MEM), "DDR_MCU3_0_LOCAL_HEAP overlaps INTERCORE_ETH_DESC_MEM");
static_assert(!INTERCORE_ETH_DESC_MEM.overlaps(INTERCORE_ETH_DATA_MEM), "INTERCORE_ETH_DESC_MEM overlaps INTERCORE_ETH_DATA_MEM");

/* Where that is on the bus; what only mcu3_0 has is nowhere. */
namespace bus {

inline constexpr BusRange DDR_MCU3_0_IPC{ 0xA6000000, 0x00100000 };
inline constexpr BusRange DDR_MCU3_0_RESOURCE_TABLE{ 0xA6100000, 0x00000400 };
inline constexpr BusRange DDR_MCU3_0{ 0xA6100400, 0x00EFFC00 };
inline constexpr BusRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 };
inline constexpr BusRange APP_LOG_MEM{ 0xAC000000, 0x00040000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 };
inline constexpr BusRange DDR_MCU3_0_LOCAL_HEAP{ 0xDB000000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 };

}  // namespace bus

}  // namespace mcu3_0

/* What mcu3_1 sees. */
namespace mcu3_1 {

inline constexpr CoreRange R5F_TCMA_VECS{ 0x00000000, 0x00000040 }; /* vectors [ 64 B ] */
inline constexpr CoreRange R5F_TCMA{ 0x00000040, 0x00007FC0 }; /* tightly coupled memory A [ 31.94 KiB ] */
inline constexpr CoreRange R5F_TCMB0{ 0x41010000, 0x00008000 }; /* tightly coupled memory B [ 32 KiB ] */
inline constexpr CoreRange DDR_MCU3_1_IPC{ 0xA7000000, 0x00100000 }; /* mcu3_1 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_MCU3_1_RESOURCE_TABLE{ 0xA7100000, 0x00000400 }; /* mcu3_1 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_MCU3_1{ 0xA7100400, 0x00EFFC00 }; /* mcu3_1 code and data [ 15359 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 }; /* vrings between the cores; never cached [ 32 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xAC000000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 }; /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_MCU3_1_LOCAL_HEAP{ 0xDB800000, 0x00800000 }; /* mcu3_1 heap [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 }; /* Ethernet between the cores: queues; never cached [ 8 MiB ] */
inline constexpr CoreRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 }; /* Ethernet between the cores: buffers [ 24 MiB ] */

static_assert(!R5F_TCMA_VECS.overlaps(R5F_TCMA), "R5F_TCMA_VECS overlaps R5F_TCMA");
static_assert(!R5F_TCMA.overlaps(R5F_TCMB0), "R5F_TCMA overlaps R5F_TCMB0");
static_assert(!R5F_TCMB0.overlaps(DDR_MCU3_1_IPC), "R5F_TCMB0 overlaps DDR_MCU3_1_IPC");
static_assert(!DDR_MCU3_1_IPC.overlaps(DDR_MCU3_1_RESOURCE_TABLE), "DDR_MCU3_1_IPC overlaps DDR_MCU3_1_RESOURCE_TABLE");
static_assert(!DDR_MCU3_1_RESOURCE_TABLE.overlaps(DDR_MCU3_1), "DDR_MCU3_1_RESOURCE_TABLE overlaps DDR_MCU3_1");
static_assert(!DDR_MCU3_1.overlaps(IPC_VRING_MEM), "DDR_MCU3_1 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(APP_LOG_MEM), "IPC_VRING_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "APP_LOG_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(DDR_SHARED_MEM), "APP_FILEIO_MEM overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_MCU3_1_LOCAL_HEAP), "DDR_SHARED_MEM overlaps DDR_MCU3_1_LOCAL_HEAP");
static_assert(!DDR_MCU3_1_LOCAL_HEAP.overlaps(INTERCORE_ETH_DESC_MEM), "DDR_MCU3_1_LOCAL_HEAP overlaps INTERCORE_ETH_DESC_MEM");
static_assert(!INTERCORE_ETH_DESC_MEM.overlaps(INTERCORE_ETH_DATA_MEM), "INTERCORE_ETH_DESC_MEM overlaps INTERCORE_ETH_DATA_MEM");

/* Where that is on the bus; what only mcu3_1 has is nowhere. */
namespace bus {

inline constexpr BusRange DDR_MCU3_1_IPC{ 0xA7000000, 0x00100000 };
inline constexpr BusRange DDR_MCU3_1_RESOURCE_TABLE{ 0xA7100000, 0x00000400 };
inline constexpr BusRange DDR_MCU3_1{ 0xA7100400, 0x00EFFC00 };
inline constexpr BusRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 };
inline constexpr BusRange APP_LOG_MEM{ 0xAC000000, 0x00040000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 };
inline constexpr BusRange DDR_MCU3_1_LOCAL_HEAP{ 0xDB800000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DESC_MEM{ 0xE4000000, 0x00800000 };
inline constexpr BusRange INTERCORE_ETH_DATA_MEM{ 0xE4800000, 0x01800000 };

}  // namespace bus

}  // namespace mcu3_1

/* What c7x_1 sees. */
namespace c7x_1 {

inline constexpr CoreRange L2RAM_C7x_1{ 0x64800000, 0x00070000 }; /* C7x 1 L2: 512 KiB, of which 64 are cache [ 448 KiB ] */
inline constexpr CoreRange L1RAM_C7x_1{ 0x64E00000, 0x00004000 }; /* C7x 1 L1D: 48 KiB, of which 32 are cache [ 16 KiB ] */
inline constexpr CoreRange MSMC_C7x_1{ 0x70020000, 0x007C8000 }; /* MSMC of C7x 1, which TIDL uses as L3 [ 7968 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 }; /* vrings between the cores; never cached [ 32 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xAC000000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 }; /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange DDR_C7x_1_IPC{ 0xB2000000, 0x00100000 }; /* c7x_1 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_C7x_1_RESOURCE_TABLE{ 0xB2100000, 0x00000400 }; /* c7x_1 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_C7x_1_BOOT{ 0xB2200000, 0x00000400 }; /* c7x_1 boot section [ 1 KiB ] */
inline constexpr CoreRange DDR_C7x_1_VECS{ 0xB2400000, 0x00004000 }; /* c7x_1 vectors [ 16 KiB ] */
inline constexpr CoreRange DDR_C7x_1_SECURE_VECS{ 0xB2600000, 0x00004000 }; /* c7x_1 secure vectors [ 16 KiB ] */
inline constexpr CoreRange DDR_C7x_1{ 0xB2604000, 0x059FC000 }; /* c7x_1 code and data [ 92144 KiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_C7X_1_SCRATCH{ 0x100000000, 0x17000000 }; /* c7x_1 scratch [ 368 MiB ] */
inline constexpr CoreRange DDR_C7X_1_LOCAL_HEAP{ 0x117000000, 0x10000000 }; /* c7x_1 persistent [ 256 MiB ] */

static_assert(!L2RAM_C7x_1.overlaps(L1RAM_C7x_1), "L2RAM_C7x_1 overlaps L1RAM_C7x_1");
static_assert(!L1RAM_C7x_1.overlaps(MSMC_C7x_1), "L1RAM_C7x_1 overlaps MSMC_C7x_1");
static_assert(!MSMC_C7x_1.overlaps(IPC_VRING_MEM), "MSMC_C7x_1 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(APP_LOG_MEM), "IPC_VRING_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "APP_LOG_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(DDR_C7x_1_IPC), "APP_FILEIO_MEM overlaps DDR_C7x_1_IPC");
static_assert(!DDR_C7x_1_IPC.overlaps(DDR_C7x_1_RESOURCE_TABLE), "DDR_C7x_1_IPC overlaps DDR_C7x_1_RESOURCE_TABLE");
static_assert(!DDR_C7x_1_RESOURCE_TABLE.overlaps(DDR_C7x_1_BOOT), "DDR_C7x_1_RESOURCE_TABLE overlaps DDR_C7x_1_BOOT");
static_assert(!DDR_C7x_1_BOOT.overlaps(DDR_C7x_1_VECS), "DDR_C7x_1_BOOT overlaps DDR_C7x_1_VECS");
static_assert(!DDR_C7x_1_VECS.overlaps(DDR_C7x_1_SECURE_VECS), "DDR_C7x_1_VECS overlaps DDR_C7x_1_SECURE_VECS");
static_assert(!DDR_C7x_1_SECURE_VECS.overlaps(DDR_C7x_1), "DDR_C7x_1_SECURE_VECS overlaps DDR_C7x_1");
static_assert(!DDR_C7x_1.overlaps(DDR_SHARED_MEM), "DDR_C7x_1 overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_C7X_1_SCRATCH), "DDR_SHARED_MEM overlaps DDR_C7X_1_SCRATCH");
static_assert(!DDR_C7X_1_SCRATCH.overlaps(DDR_C7X_1_LOCAL_HEAP), "DDR_C7X_1_SCRATCH overlaps DDR_C7X_1_LOCAL_HEAP");

/* Where that is on the bus; what only c7x_1 has is nowhere. */
namespace bus {

inline constexpr BusRange L2RAM_C7x_1{ 0x64800000, 0x00070000 };
inline constexpr BusRange L1RAM_C7x_1{ 0x64E00000, 0x00004000 };
inline constexpr BusRange MSMC_C7x_1{ 0x70020000, 0x007C8000 };
inline constexpr BusRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 };
inline constexpr BusRange APP_LOG_MEM{ 0xAC000000, 0x00040000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 };
inline constexpr BusRange DDR_C7x_1_IPC{ 0xB2000000, 0x00100000 };
inline constexpr BusRange DDR_C7x_1_RESOURCE_TABLE{ 0xB2100000, 0x00000400 };
inline constexpr BusRange DDR_C7x_1_BOOT{ 0xB2200000, 0x00000400 };
inline constexpr BusRange DDR_C7x_1_VECS{ 0xB2400000, 0x00004000 };
inline constexpr BusRange DDR_C7x_1_SECURE_VECS{ 0xB2600000, 0x00004000 };
inline constexpr BusRange DDR_C7x_1{ 0xB2604000, 0x059FC000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 };
inline constexpr BusRange DDR_C7X_1_SCRATCH{ 0x880000000, 0x17000000 };
inline constexpr BusRange DDR_C7X_1_LOCAL_HEAP{ 0x897000000, 0x10000000 };

}  // namespace bus

}  // namespace c7x_1

/* What c66x_1 sees. */
namespace c66x_1 {

inline constexpr CoreRange L2RAM_C66x_1{ 0x00800000, 0x00038000 }; /* C66x 1 L2: 288 KiB, of which 64 are cache [ 224 KiB ] */
inline constexpr CoreRange DDR_C66x_1_RESOURCE_TABLE{ 0xA8100000, 0x00000400 }; /* c66x_1 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_C66x_1_BOOT{ 0xA8200000, 0x00000400 }; /* c66x_1 boot section [ 1 KiB ] */
inline constexpr CoreRange DDR_C66x_1{ 0xA8200400, 0x00DFFC00 }; /* c66x_1 vectors, code and data [ 14335 KiB ] */
inline constexpr CoreRange DDR_C66x_1_IPC{ 0xA9000000, 0x00100000 }; /* c66x_1 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 }; /* vrings between the cores; never cached [ 32 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xAC000000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 }; /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_C66X_1_LOCAL_HEAP{ 0xDC000000, 0x01000000 }; /* c66x_1 heap [ 16 MiB ] */
inline constexpr CoreRange DDR_C66X_1_SCRATCH{ 0xDD000000, 0x03000000 }; /* c66x_1 scratch [ 48 MiB ] */

static_assert(!L2RAM_C66x_1.overlaps(DDR_C66x_1_RESOURCE_TABLE), "L2RAM_C66x_1 overlaps DDR_C66x_1_RESOURCE_TABLE");
static_assert(!DDR_C66x_1_RESOURCE_TABLE.overlaps(DDR_C66x_1_BOOT), "DDR_C66x_1_RESOURCE_TABLE overlaps DDR_C66x_1_BOOT");
static_assert(!DDR_C66x_1_BOOT.overlaps(DDR_C66x_1), "DDR_C66x_1_BOOT overlaps DDR_C66x_1");
static_assert(!DDR_C66x_1.overlaps(DDR_C66x_1_IPC), "DDR_C66x_1 overlaps DDR_C66x_1_IPC");
static_assert(!DDR_C66x_1_IPC.overlaps(IPC_VRING_MEM), "DDR_C66x_1_IPC overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(APP_LOG_MEM), "IPC_VRING_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "APP_LOG_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(DDR_SHARED_MEM), "APP_FILEIO_MEM overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_C66X_1_LOCAL_HEAP), "DDR_SHARED_MEM overlaps DDR_C66X_1_LOCAL_HEAP");
static_assert(!DDR_C66X_1_LOCAL_HEAP.overlaps(DDR_C66X_1_SCRATCH), "DDR_C66X_1_LOCAL_HEAP overlaps DDR_C66X_1_SCRATCH");

/* Where that is on the bus; what only c66x_1 has is nowhere. */
namespace bus {

inline constexpr BusRange DDR_C66x_1_RESOURCE_TABLE{ 0xA8100000, 0x00000400 };
inline constexpr BusRange DDR_C66x_1_BOOT{ 0xA8200000, 0x00000400 };
inline constexpr BusRange DDR_C66x_1{ 0xA8200400, 0x00DFFC00 };
inline constexpr BusRange DDR_C66x_1_IPC{ 0xA9000000, 0x00100000 };
inline constexpr BusRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 };
inline constexpr BusRange APP_LOG_MEM{ 0xAC000000, 0x00040000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 };
inline constexpr BusRange DDR_C66X_1_LOCAL_HEAP{ 0xDC000000, 0x01000000 };
inline constexpr BusRange DDR_C66X_1_SCRATCH{ 0xDD000000, 0x03000000 };

}  // namespace bus

}  // namespace c66x_1

/* What c66x_2 sees. */
namespace c66x_2 {

inline constexpr CoreRange L2RAM_C66x_2{ 0x00800000, 0x00038000 }; /* C66x 2 L2: 288 KiB, of which 64 are cache [ 224 KiB ] */
inline constexpr CoreRange DDR_C66x_2_IPC{ 0xA8000000, 0x00100000 }; /* c66x_2 to Linux: vrings [ 1 MiB ] */
inline constexpr CoreRange DDR_C66x_2_RESOURCE_TABLE{ 0xA9100000, 0x00000400 }; /* c66x_2 resource table [ 1 KiB ] */
inline constexpr CoreRange DDR_C66x_2_BOOT{ 0xA9200000, 0x00000400 }; /* c66x_2 boot section [ 1 KiB ] */
inline constexpr CoreRange DDR_C66x_2{ 0xA9200400, 0x00DFFC00 }; /* c66x_2 vectors, code and data [ 14335 KiB ] */
inline constexpr CoreRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 }; /* vrings between the cores; never cached [ 32 MiB ] */
inline constexpr CoreRange APP_LOG_MEM{ 0xAC000000, 0x00040000 }; /* log ring of every core [ 256 KiB ] */
inline constexpr CoreRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 }; /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
inline constexpr CoreRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 }; /* file access of the remote cores [ 4 MiB ] */
inline constexpr CoreRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 }; /* buffers that the cores share [ 512 MiB ] */
inline constexpr CoreRange DDR_C66X_2_LOCAL_HEAP{ 0xE0000000, 0x01000000 }; /* c66x_2 heap [ 16 MiB ] */
inline constexpr CoreRange DDR_C66X_2_SCRATCH{ 0xE1000000, 0x03000000 }; /* c66x_2 scratch [ 48 MiB ] */

static_assert(!L2RAM_C66x_2.overlaps(DDR_C66x_2_IPC), "L2RAM_C66x_2 overlaps DDR_C66x_2_IPC");
static_assert(!DDR_C66x_2_IPC.overlaps(DDR_C66x_2_RESOURCE_TABLE), "DDR_C66x_2_IPC overlaps DDR_C66x_2_RESOURCE_TABLE");
static_assert(!DDR_C66x_2_RESOURCE_TABLE.overlaps(DDR_C66x_2_BOOT), "DDR_C66x_2_RESOURCE_TABLE overlaps DDR_C66x_2_BOOT");
static_assert(!DDR_C66x_2_BOOT.overlaps(DDR_C66x_2), "DDR_C66x_2_BOOT overlaps DDR_C66x_2");
static_assert(!DDR_C66x_2.overlaps(IPC_VRING_MEM), "DDR_C66x_2 overlaps IPC_VRING_MEM");
static_assert(!IPC_VRING_MEM.overlaps(APP_LOG_MEM), "IPC_VRING_MEM overlaps APP_LOG_MEM");
static_assert(!APP_LOG_MEM.overlaps(TIOVX_OBJ_DESC_MEM), "APP_LOG_MEM overlaps TIOVX_OBJ_DESC_MEM");
static_assert(!TIOVX_OBJ_DESC_MEM.overlaps(APP_FILEIO_MEM), "TIOVX_OBJ_DESC_MEM overlaps APP_FILEIO_MEM");
static_assert(!APP_FILEIO_MEM.overlaps(DDR_SHARED_MEM), "APP_FILEIO_MEM overlaps DDR_SHARED_MEM");
static_assert(!DDR_SHARED_MEM.overlaps(DDR_C66X_2_LOCAL_HEAP), "DDR_SHARED_MEM overlaps DDR_C66X_2_LOCAL_HEAP");
static_assert(!DDR_C66X_2_LOCAL_HEAP.overlaps(DDR_C66X_2_SCRATCH), "DDR_C66X_2_LOCAL_HEAP overlaps DDR_C66X_2_SCRATCH");

/* Where that is on the bus; what only c66x_2 has is nowhere. */
namespace bus {

inline constexpr BusRange DDR_C66x_2_IPC{ 0xA8000000, 0x00100000 };
inline constexpr BusRange DDR_C66x_2_RESOURCE_TABLE{ 0xA9100000, 0x00000400 };
inline constexpr BusRange DDR_C66x_2_BOOT{ 0xA9200000, 0x00000400 };
inline constexpr BusRange DDR_C66x_2{ 0xA9200400, 0x00DFFC00 };
inline constexpr BusRange IPC_VRING_MEM{ 0xAA000000, 0x02000000 };
inline constexpr BusRange APP_LOG_MEM{ 0xAC000000, 0x00040000 };
inline constexpr BusRange TIOVX_OBJ_DESC_MEM{ 0xAC040000, 0x03FC0000 };
inline constexpr BusRange APP_FILEIO_MEM{ 0xB0000000, 0x00400000 };
inline constexpr BusRange DDR_SHARED_MEM{ 0xB8000000, 0x20000000 };
inline constexpr BusRange DDR_C66X_2_LOCAL_HEAP{ 0xE0000000, 0x01000000 };
inline constexpr BusRange DDR_C66X_2_SCRATCH{ 0xE1000000, 0x03000000 };

}  // namespace bus

}  // namespace c66x_2

/* What Linux reserves, by the labels of its device tree. */
namespace reserved {

inline constexpr BusRange vision_apps_mcu_r5fss0_core0_dma_memory_region{ 0xA0000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_mcu_r5fss0_core0_memory_region{ 0xA0100000, 0x00F00000 }; /* 15 MiB */
inline constexpr BusRange vision_apps_mcu_r5fss0_core1_dma_memory_region{ 0xA1000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_mcu_r5fss0_core1_memory_region{ 0xA1100000, 0x00F00000 }; /* 15 MiB */
inline constexpr BusRange vision_apps_main_r5fss0_core0_dma_memory_region{ 0xA2000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_main_r5fss0_core0_memory_region{ 0xA2100000, 0x01F00000 }; /* 31 MiB */
inline constexpr BusRange vision_apps_main_r5fss0_core1_dma_memory_region{ 0xA4000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_main_r5fss0_core1_memory_region{ 0xA4100000, 0x01F00000 }; /* 31 MiB */
inline constexpr BusRange vision_apps_main_r5fss1_core0_dma_memory_region{ 0xA6000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_main_r5fss1_core0_memory_region{ 0xA6100000, 0x00F00000 }; /* 15 MiB */
inline constexpr BusRange vision_apps_main_r5fss1_core1_dma_memory_region{ 0xA7000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_main_r5fss1_core1_memory_region{ 0xA7100000, 0x00F00000 }; /* 15 MiB */
inline constexpr BusRange vision_apps_c66_1_dma_memory_region{ 0xA8000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_c66_0_memory_region{ 0xA8100000, 0x00F00000 }; /* 15 MiB */
inline constexpr BusRange vision_apps_c66_0_dma_memory_region{ 0xA9000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_c66_1_memory_region{ 0xA9100000, 0x00F00000 }; /* 15 MiB */
inline constexpr BusRange vision_apps_rtos_ipc_memory_region{ 0xAA000000, 0x02000000 }; /* 32 MiB */
inline constexpr BusRange vision_apps_memory_region{ 0xAC000000, 0x06000000 }; /* 96 MiB */
inline constexpr BusRange vision_apps_c71_0_dma_memory_region{ 0xB2000000, 0x00100000 }; /* 1 MiB */
inline constexpr BusRange vision_apps_c71_0_memory_region{ 0xB2100000, 0x05F00000 }; /* 95 MiB */
inline constexpr BusRange vision_apps_shared_region{ 0xB8000000, 0x20000000 }; /* 512 MiB */
inline constexpr BusRange vision_apps_core_heaps_lo{ 0xD8000000, 0x0C000000 }; /* 192 MiB */
inline constexpr BusRange vision_apps_main_r5fss0_core0_shared_memory_queue_region{ 0xE4000000, 0x00800000 }; /* 8 MiB */
inline constexpr BusRange vision_apps_main_r5fss0_core0_shared_memory_bufpool_region{ 0xE4800000, 0x01800000 }; /* 24 MiB */
inline constexpr BusRange vision_apps_core_heaps_hi{ 0x880000000, 0x27000000 }; /* 624 MiB */

}  // namespace reserved

}  // namespace memory_map

#endif
