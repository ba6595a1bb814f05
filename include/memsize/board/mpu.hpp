// How a board's R5F cores see memory: the regions of their Armv7-R MPU that are fixed, what must
// not be cached, and the entries of their address translation (RAT).
#pragma once

#include "memsize/board/expression.hpp"
#include "memsize/board/mpu_program.hpp"
#include "memsize/chip/memory_type.hpp"
#include "memsize/core/diagnostic.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::board {

/// What a region's access control register says, under a name of the board's.
struct MpuAttribute : chip::MpuBits {
  std::string name = {};
  /// What sysconfig calls it; empty: "CUSTOM", with the bits.
  std::string sysconfig = {};
  core::Place place = {};
};

/// A region that does not depend on the map.
struct MpuFixed {
  /// The key in the board file; `name` is what the SDK calls it.
  std::string key;
  std::string name;
  Expression base;
  Expression size;
  std::string attribute;
  std::string note;
  core::Place place;
};

/// A region of the map that a core must see with an attribute.
struct MpuWish {
  std::string region;
  std::string attribute;
  core::Place place;
};

struct MpuList {
  std::string core;
  /// Keys of fixed regions, lowest number first.
  std::vector<std::string> fixed;
  std::vector<MpuWish> wishes;
  core::Place place;
};

/// What [mpu] calls sysconfig's mpu_armv7 instances; every other program is a table of C.
inline constexpr std::string_view kMpuBySysconfig = "sysconfig";

/// What sysconfig's names of an MPU region's memory stand for (getRegionAttributes of
/// mpu_armv7.syscfg.js).
struct SyscfgKind {
  std::string_view name;
  unsigned tex = 0;
  bool cacheable = false;
  bool bufferable = false;
  bool shareable = false;

  [[nodiscard]] constexpr bool is(const chip::MpuBits& bits) const {
    return tex == bits.tex && cacheable == bits.cacheable && bufferable == bits.bufferable &&
           shareable == bits.shareable;
  }
};

inline constexpr auto kSyscfgKinds =
    std::to_array<SyscfgKind>({{"Device", 0, false, false, true},
                               {"NonCached", 1, false, false, true},
                               {"Cached", 1, true, true, false},
                               {"Cached+Sharable", 1, true, true, true}});

struct Mpu {
  /// Who programs it, and so what a core's file looks like; null: sysconfig.
  std::shared_ptr<const MpuProgram> table;
  /// The region numbers that the board may use, both included.
  unsigned first = 0;
  unsigned last = 15;
  std::vector<MpuAttribute> attributes;
  std::vector<MpuFixed> fixed;
  std::vector<MpuList> cores;

  [[nodiscard]] const MpuAttribute* find_attribute(std::string_view attribute) const;

  /// As [mpu] has it.
  [[nodiscard]] std::string_view program() const { return table ? table->name : kMpuBySysconfig; }
};

/// A translation from a core's 32 bits to the bus.
struct RatEntry {
  std::string name;
  std::vector<std::string> covers;
  std::vector<core::Place> cover_places;
  /// What the firmware asks for; empty: the least power of two that holds what it covers.
  Expression size;
  core::Place place;
};

struct RatList {
  std::string core;
  std::vector<std::string> names;
  core::Place place;
};

struct Rat {
  /// Whether each core's file has the entries; else the firmware's sources program them.
  bool in_sysconfig = true;
  std::vector<RatEntry> entries;
  std::vector<RatList> cores;
};

}  // namespace memsize::board
