// A board file from an SDK tree: the layout that a generator script computes, written as chains,
// knobs and carve-outs, with what each core programs beside it.
//
// The layout comes from the tree alone. What no file of it says (smallest sizes, which demand
// drives a knob, alignments, DRAM banks, what a driver can do) is taken from a board of the same
// part, by the names of regions and knobs.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/docs/value.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sdk/tree.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

struct Reading;

/// What knows the things that the tree does not say.
struct ImportModel {
  /// A board of the part.
  std::optional<board::Board> board;
  /// Files that it inherits and that say nothing of a layout: an imported board inherits them as
  /// well.
  std::vector<std::string> parts;
  /// These files, merged.
  docs::Document given;
  /// Of which generations the tree may be (sdk/generation.hpp); none: nothing tells.
  std::vector<std::string> generations;
};

/// `board` was loaded from a file of `folder`, or from a path; the tree's generation is what the
/// facts of its trace format tell of `platform`.
[[nodiscard]] ImportModel make_import_model(core::FileSystem& files,
                                            const std::string& folder,
                                            const Platform& platform,
                                            board::Board board);

/// Without a board: the file of `folder`/parts about the driver of such an MMU as the tree's cores
/// have, if there is just one.
[[nodiscard]] ImportModel make_import_parts(core::FileSystem& files,
                                            const std::string& folder,
                                            const Reading& reading);

struct Import {
  /// The board file.
  std::string text;
  /// What could not be expressed: warnings with code sdk.import, at the place in the tree.
  core::Diagnostics warnings;
};

/// Error sdk.import where the script exports no linker map.
[[nodiscard]] core::Result<Import> import_board(const Sources& sources,
                                                const Variant& variant,
                                                const Reading& reading,
                                                const ImportModel& model);

/// Tables of a board file that accept the errors among the findings by name; `first` has a comment
/// above it.
[[nodiscard]] std::string accepted_text(const core::Diagnostics& findings, bool first);

/// Holds the map of an imported board against what the script made: linker maps, C header and
/// device tree. Errors sdk.import, with the places of both; nothing where they are equal.
[[nodiscard]] core::Diagnostics compare_import(const Variant& variant,
                                               const layout::MemoryMap& map);

}  // namespace memsize::sdk
