// Holds the files of an SDK tree against each other and against what a board says about its part:
// what must not be cached, which MPU regions a core may use, which memories there are.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/rule.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sdk/tree.hpp"
#include "memsize/sdk/view.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

struct TreeReport {
  core::Diagnostics diagnostics;
  /// How many files of each kind were held against the others: "4 linker maps".
  std::vector<std::string> read;
};

/// Every finding names the file that is wrong or the two that disagree. Codes: sdk.generated (a
/// file is not what the script, or sysconfig, makes), sdk.disagree (two files), sdk.missing,
/// sdk.reserved, sdk.stale (a file that nothing uses), sdk.comment (a comment that is not true),
/// layout.*, and those of mmu.*, mpu.* and rat.* for what a core makes of its linker map's
/// addresses. `board` is the map of a board of that part and operating system, of any sizes;
/// without one nothing is said about caches. `reading` is what read_variant() made of the variant
/// with that board's first MPU region; null: it is read here.
[[nodiscard]] TreeReport check_variant(const Sources& sources,
                                       const Variant& variant,
                                       const layout::MemoryMap* board,
                                       std::shared_ptr<const Reading> reading = nullptr);

/// What an SDK tree is held against, beside the rules of layout and of a written map.
[[nodiscard]] const std::vector<core::Rule>& tree_rules();

}  // namespace memsize::sdk
