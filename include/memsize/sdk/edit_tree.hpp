// What has to change in an SDK tree so that it has other sizes: scan, then plan. Nothing is written
// here; a plan is bytes, for transaction.hpp or for a diff.
//
//   open_tree()   the tree as it is, each operating system with a board that has its map
//   plan_edit()   values for knobs -> every file that must differ, checked as a tree
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/core/overlay.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sdk/file_edit.hpp"
#include "memsize/sdk/tree.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

struct Reading;

/// Boards that know what a tree does not say, by operating system.
using ModelBoards = std::map<std::string, board::Board>;

/// One operating system of a tree.
struct OpenVariant {
  /// Into the tree's sources.
  const Variant* variant = nullptr;
  std::shared_ptr<const Reading> reading;
  /// As read_variant() was given it.
  unsigned first_mpu_region = 0;
  /// Imported from the tree; places in it lead to the script.
  board::Board board;
  /// With the tree's values.
  layout::MemoryMap map;
};

struct OpenTree {
  /// That was asked for: it is among the variants.
  std::string os;
  Sources sources;
  std::vector<OpenVariant> variants;
  /// Why an operating system of the tree is not among them, as warnings.
  core::Diagnostics problems;
  /// The disk, with the scripts laid over it that had to be brought to the values of another one:
  /// of a part whose files were changed with one script only, or by hand because it contradicts
  /// itself.
  std::shared_ptr<core::Overlay> files;
  /// Somebody said what the board is populated with, so that no region may lie outside of it, be it
  /// new or not.
  bool is_populated = false;
  /// Those scripts as they are on the disk, by path below the platform's folder.
  std::map<std::string, std::string> stale_scripts;

  /// Null where there is none.
  [[nodiscard]] const OpenVariant* find(const std::string& name) const;
};

struct OpenOptions {
  /// What the board is populated with; empty: as the model says.
  std::optional<core::Bytes> dram;
  /// Every operating system of the part, with scripts that agree (stale_scripts): for a change.
  /// Else only the one that is asked for, to see whether there is one.
  bool all = true;
  /// A script that puts regions over each other gets their places from the linker map in which
  /// somebody put that right, like one that is stale: what it makes could not be written.
  bool untangles = false;
};

/// Reads the part, and imports a board for each operating system. `folder` has the bundled boards.
/// Errors: where the operating system `os` cannot be opened.
[[nodiscard]] core::Result<OpenTree> open_tree(core::FileSystem& files,
                                               const Platform& platform,
                                               const std::string& os,
                                               const std::string& folder,
                                               const ModelBoards& models,
                                               const OpenOptions& options);

/// Whether the operating system that was asked for has other values.
[[nodiscard]] bool changes_anything(const OpenTree& tree, const board::KnobValues& values);

/// Where the asked operating system's script gives the name its last value of several, which is why
/// its board has no such knob; no line where it does not.
[[nodiscard]] core::Place assigned_again(const OpenTree& tree, const std::string& name);

/// What is said of an imported board is said of the script instead, where it makes what a message
/// names.
void show_script(const OpenTree& tree, core::Diagnostics& found);

struct EditWish {
  /// Knobs of the operating system that was asked for; those that are not here keep the tree's
  /// values.
  board::KnobValues values;
  /// Empty: files that were edited by hand are told, as errors, before anything is changed.
  std::optional<HandEdits> hand_edits;
};

/// Whose images files of a part go into: a file in a core's folder into that core's, the C header
/// into those of the cores that see a region of which it says something else, common code into all.
/// What only describes the map goes into none.
[[nodiscard]] emit::Affected affected_by_files(const std::vector<FileEdit>& files,
                                               const layout::MemoryMap& before,
                                               const layout::MemoryMap& after);

struct EditPlan {
  /// By path; only files that change.
  std::vector<FileEdit> files;
  /// Of the operating system that was asked for.
  layout::MemoryMap before;
  layout::MemoryMap after;
  /// Warnings and notes.
  core::Diagnostics diagnostics;
  /// What was put right without being asked for by a value, as sentences.
  std::vector<std::string> repairs;
};

/// Every operating system of the part gets the values. What is written has been read again as a
/// tree and checked like one: a finding that the tree did not have before is an error, and so no
/// plan. Errors beside those:
///  - sdk.hand-edited: a file that must change was edited by hand; with both values;
///  - layout.*, knob.* and others of a map that the values do not give;
///  - sdk.follow: an MMU, MPU or RAT entry is over a region that moves, but not what follows it;
///  - what edit_script.hpp, edit_generated.hpp and edit_program.hpp say.
[[nodiscard]] core::Result<EditPlan> plan_edit(const OpenTree& tree, const EditWish& wish);

}  // namespace memsize::sdk
