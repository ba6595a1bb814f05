// A variant of an SDK tree as one map: what its files say, read together with what a board knows
// about the part.
#pragma once

#include "memsize/chip/memory_type.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/reach.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sdk/tree.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace memsize::sdk {

/// What the files of a variant say, each parsed once.
struct Reading;
struct CoreReading;

/// Reads a variant. `first_mpu_region` is the number of the first region of a sysconfig file: where
/// an operating system keeps the lower ones, it is not 0.
[[nodiscard]] std::shared_ptr<const Reading> read_variant(const Sources& sources,
                                                          const Variant& variant,
                                                          unsigned first_mpu_region);

/// Of each file that could not be parsed the first error; what it says is missing.
[[nodiscard]] const core::Diagnostics& problems_of(const Reading& reading);

/// Whether a RAT entry of any core leads to the region.
[[nodiscard]] bool is_led_to(const board::Rat& rat, const std::string& region);

/// Refers to all that it is made from. `board` is the map of a board of that part and operating
/// system, of any sizes; null where there is none.
class View {
 public:
  View(const Sources& sources,
       const Variant& variant,
       const Reading& reading,
       const layout::MemoryMap* board);

  [[nodiscard]] const Sources& sources() const { return *sources_; }

  [[nodiscard]] const Variant& variant() const { return *variant_; }

  [[nodiscard]] const Reading& reading() const { return *reading_; }

  [[nodiscard]] const layout::MemoryMap* board() const { return board_; }

  /// Of a file below the platform's folder.
  [[nodiscard]] core::Place place_of(const std::string& path) const;

  /// A macro of the C header.
  [[nodiscard]] std::optional<std::uint64_t> macro(const std::string& name) const;

  /// What the board calls by that name for the core; any core's where it has none of its own.
  [[nodiscard]] const layout::Region* board_region(const std::string& name,
                                                   const std::string& core) const;

  /// Where a region of a linker map is on the bus: as NAME_PHYS of the header says, or of the
  /// region that it is another name for; else where the core sees it, if that is how the board has
  /// it.
  [[nodiscard]] std::optional<std::uint64_t> physical_of(const std::string& name,
                                                         std::uint64_t address,
                                                         const std::string& core) const;

  /// Whether the board has memory there that Linux would use.
  [[nodiscard]] bool in_dram(std::uint64_t physical) const;

  /// What the core's linker map has, with its place on the bus and what the board says about
  /// caches, or the script of what the board does not know. `file` is whose entries are to be held
  /// against it.
  [[nodiscard]] emit::Core reach_of(const CoreReading& core, const std::string& file) const;

  /// Whether the script's own words for a region are that it must not be cached.
  [[nodiscard]] bool is_said_non_cached(const std::string& name) const;

  /// Attributes of MMU entries for each kind of caching, as the board has them.
  [[nodiscard]] chip::MairKinds mair_kinds() const;

 private:
  const Sources* sources_;
  const Variant* variant_;
  const Reading* reading_;
  const layout::MemoryMap* board_;
};

}  // namespace memsize::sdk
