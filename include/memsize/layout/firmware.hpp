// How much of each region a core's firmware takes, whether it was linked for this map, and what
// Linux' remoteproc would say when it loads it.
//
// Sources: drivers/remoteproc/remoteproc_elf_loader.c (rproc_elf_load_segments),
// ti_k3_r5_remoteproc.c and ti_k3_dsp_remoteproc.c (da_to_va) of Linux; TI's linker command files,
// whose NOLOAD sections keep their addresses and sizes in a stripped image, too.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/rule.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/model/image.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::layout {

/// What a firmware has in one region. Linkers put what is placed (HIGH), such as the stacks of
/// modes, at a region's end: the highest address says nothing, so the largest hole divides the two.
struct FirmwareUse {
  std::string region;
  /// The knob that is the region's size; empty where its size is none.
  std::string knob;
  core::Bytes reserved;
  /// From the region's start on, with the padding between sections.
  core::Bytes low;
  /// Up to the region's end.
  core::Bytes high;
  /// Sections whose bytes nobody loads or clears: they only keep addresses.
  bool is_kept = false;
  /// An array must be as large as the region: it follows the size, and does not ask for it.
  bool is_filled = false;
  /// What these very sections take of a region that begins where this one does, whatever its size:
  /// low, high, and what may be lost in front of sections at the end that lie on more than a page.
  core::Bytes need;
  /// What may be added where the region begins elsewhere: sections on multiples of 64 KiB or more
  /// are padded in another way then.
  core::Bytes moves;

  [[nodiscard]] core::Bytes used() const { return low + high; }
};

/// A section on the bus that belongs to one core: not what cores share by an array.
struct FirmwarePiece {
  std::string name;
  core::PhysRange range;
};

struct FirmwareReport {
  /// As the user typed it.
  std::string path;
  /// Of the file; empty where its content is not there.
  std::string sha256;
  /// The core whose own memory the image lies in; empty: no core's.
  std::string core;
  /// By address; regions in which nothing lies are not here.
  std::vector<FirmwareUse> regions;
  /// Nothing where the image has none.
  std::optional<model::ResourceTable> resources;
  /// In the image's order.
  std::vector<FirmwarePiece> pieces;
  core::Diagnostics diagnostics;
};

/// What an image proves of a region whose size is a knob: the very bytes that were linked, without
/// any margin for the next build.
struct FirmwareNeed {
  std::string core;
  std::string region;
  std::string knob;
  /// What the map gives it.
  core::Bytes now;
  core::Bytes need;
  /// Only where the region's base moves.
  core::Bytes moves;
  std::string path;
  std::string sha256;
};

/// What firmware is held against.
[[nodiscard]] const std::vector<core::Rule>& firmware_rules();

struct FirmwareOptions {
  /// Code and data that take more of their region are told.
  unsigned full_percent = 95;
};

/// A linked image of 32 or 64 bits, whose addresses are those that its core sees, or the map that
/// TI's linker wrote of one, whose regions are called as the board's.
[[nodiscard]] FirmwareReport check_firmware(const MemoryMap& map,
                                            const model::Image& image,
                                            const FirmwareOptions& options = {});

/// Sections of two cores that are the same memory, once for each pair of cores.
[[nodiscard]] core::Diagnostics check_apart(const std::vector<const FirmwareReport*>& reports);

/// By address. None where a section lies in no region, because then not all is counted. An image
/// that was linked for another map proves as much as one for this.
[[nodiscard]] std::vector<FirmwareNeed> firmware_needs(const FirmwareReport& report);

}  // namespace memsize::layout
