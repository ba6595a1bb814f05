// What the C sources of a firmware do with the memory map at run time: the calls that fill a page
// table, that switch caches on and off, that translate addresses for a core without an MMU, the
// conversion of addresses that cores share, and arrays that fill regions. The functions are those
// of the PDK (Mmu.h, Cache.h of CSL and OSAL) and of app_utils (app_mem.h).
//
// Every function returns what it understood and reports the rest with code verify.parse.
#pragma once

#include "c_source.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

struct ReadSource;

/// A source, with what its build defines.
struct FirmwareFile {
  const emit::MapFile& file;
  const std::string& root;
  const Macros& macros;
  const BuildFlags& flags;
  /// What the first parser made of its text, for the others.
  mutable std::shared_ptr<const ReadSource> read = {};
};

/// An expression of a source.
struct Argument {
  /// As written, without comments and with one blank at most between its words.
  std::string text;
  std::uint64_t value = 0;
  core::Place place;
};

/// Mmu_map(virtual, physical, size, &attributes, is_secure), in the order of the calls.
struct MmuCall {
  /// `name` is the macro of the virtual address without _ADDR or _VADDR, or its number, "0x...";
  /// `attribute` is "MAIR7"; `instance` counts from 1.
  emit::WrittenMmuEntry entry;
  Argument virtual_base;
  Argument physical;
  Argument size;
  /// The statement that last set the attribute; no path if Mmu_initMapAttrs() did, whose default is
  /// MAIR0.
  core::Place attribute_place;
  Conditions conditions;
};

/// The macros are those of app_mem_map.h; the source's own are added. A call that is itself
/// conditional at run time, or whose attribute is, is an error.
[[nodiscard]] std::vector<MmuCall> parse_mmu_calls(const FirmwareFile& file,
                                                   core::Diagnostics& errors);

/// Cache_setMar(base, size, Cache_Mar_ENABLE), or CacheP_setMar() with its words.
struct MarCall {
  Argument base;
  Argument size;
  bool is_cached = false;
  core::Place place;
  Conditions conditions;
};

[[nodiscard]] std::vector<MarCall> parse_mar_calls(const FirmwareFile& file,
                                                   core::Diagnostics& errors);

/// appMemAddrTranslate(&parameters), with what was assigned to the parameters before.
struct RatCall {
  /// `name` is the macro of baseAddress without _ADDR, or its number.
  emit::WrittenRatEntry entry;
  Argument local;
  Argument system;
  Argument size;
  /// False where an `if` on constants around the call does not hold.
  bool is_programmed = true;
  /// Of the assignments that count for this entry: a call has one entry for each open condition
  /// under which its parameters are other ones.
  Conditions conditions;
};

[[nodiscard]] std::vector<RatCall> parse_rat_calls(const FirmwareFile& file,
                                                   core::Diagnostics& errors);

enum class Direction { kToShared, kToTarget };

/// A range of addresses that appTarget2SharedConversion() or appShared2TargetConversion() converts.
struct SharedRange {
  Direction direction = Direction::kToShared;
  Argument virtual_base;
  /// `text` is empty where the source has only the offset between the two.
  Argument physical;
  /// Nothing for a range that goes up to the end of the address space.
  std::optional<Argument> size;
  core::Place place;
  Conditions conditions;
};

/// In the order in which they are tested. A test that is not understood, or whose bounds and whose
/// result contradict each other, is an error.
[[nodiscard]] std::vector<SharedRange> parse_shared_ranges(const FirmwareFile& file,
                                                           core::Diagnostics& errors);

/// `uint8_t name[size] __attribute__((section("section")))` outside of any function.
struct PlacedArray {
  std::string name;
  std::string section;
  Argument size;
  /// The region whose _SIZE it is, be it by other macros' names; empty where it is none's.
  std::string region;
  core::Place place;
};

/// Those that are compiled for certain, and whose size is known.
[[nodiscard]] std::vector<PlacedArray> parse_placed_arrays(const FirmwareFile& file);

}  // namespace memsize::sdk
