// Brings the files that program a core's MMU, MPU and RAT to wanted entries, in place: bytes in,
// bytes out. Only what must change does; values are written in the style that stands there.
//
// A comment beside an entry that says a start, end, size, attribute or number (claims.hpp) is
// corrected where it is not true of the entry afterwards. That is so for entries that change;
// for the others only if it is asked for.
//
// Every result has been read again: it gives exactly the wanted entries, and everything else of the
// file is what it was. Where nothing wanted differs, the bytes come back. What cannot be changed so
// is an error, never half a change: verify.parse for a file or statement that is not understood,
// verify.disagree for what does not give the wanted entries, mpu.regions and rat.entries for more
// than there can be.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"

#include <string>
#include <vector>

namespace memsize::sdk {

struct EditOptions {
  /// Of entries that do not change, too.
  bool correct_comments = false;
};

/// The mmu_armv8 instances, wanted by `instance`, whose order says which entry wins. Entries are
/// found again by their name and order: one that is not wanted any more goes with its comment, and
/// those behind it get other numbers if they are wanted by other numbers. An empty name or
/// attribute is kept as it is; a new instance must have both.
[[nodiscard]] core::Result<std::string> edit_mmu_syscfg(
    const emit::MapFile& file,
    const std::string& root,
    const std::vector<emit::WrittenMmuEntry>& wanted,
    const EditOptions& options = {});

/// The mpu_armv7 and addr_translate instances. Regions have the numbers from `first` on, without a
/// gap, in their order.
[[nodiscard]] core::Result<std::string> edit_mpu_syscfg(
    const emit::MapFile& file,
    const std::string& root,
    unsigned first,
    const std::vector<chip::MpuRegionFields>& regions,
    const std::vector<chip::RatEntryFields>& entries,
    const EditOptions& options = {});

/// A file with a table of MPU regions.
struct MpuSource {
  const emit::MapFile& file;
  const std::string& root;
  const board::MpuPrograms& programs;
  /// Of a table that has no numbers.
  unsigned first = 0;
};

/// The regions of a table of C by number, ascending; names only become comments.
/// `before` are the macros of the C header as the file was written for them, `after` those that it
/// will be compiled with: a base that is a macro stays one where a macro has the wanted value.
[[nodiscard]] core::Result<std::string> edit_mpu_source(
    const MpuSource& source,
    const emit::Constants& before,
    const emit::Constants& after,
    const std::vector<chip::MpuRegionFields>& regions,
    const EditOptions& options = {});

}  // namespace memsize::sdk
