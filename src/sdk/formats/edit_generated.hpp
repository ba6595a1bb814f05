// Makes a file that a generator script writes say what the edited script would write, without
// running it: its values, the sizes in its comments, and the order of its entries are changed where
// they stand, and all other bytes stay.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/sdk/file_edit.hpp"

#include "script/script.hpp"

#include <string>
#include <vector>

namespace memsize::sdk {

/// What a file has otherwise than the script that writes it.
struct GeneratedDifference {
  /// The region, the macro or the node.
  std::string name;
  /// "'NAME' is [...) here, but [...) there".
  std::string what;
  /// In the file; without a line where it is something that is missing.
  core::Place here;
  /// The section in the script; without a line where it is something that only the file has.
  ScriptPiece there;
};

struct Regenerated {
  std::string content;
  /// What the file has otherwise than what the script made before; empty: it was not edited.
  std::vector<GeneratedDifference> hand_edits;
};

/// Whether regenerate() knows the files of such an export: LinkerCmdFile, CHeaderFile, DtsFile and
/// HtmlMmapTable.
[[nodiscard]] bool is_regenerated(const ScriptExport& exported);

/// The file as the script writes it after an edit. `before` and `after` are the same export of the
/// script as it was and as it is; `file` is what stands there, made by the script as it was, or
/// edited by hand since (its parsed content decides, not its bytes), or made already by the script
/// as it is. Where nothing changes, no byte does. Lengths and addresses from 4 GiB up have the
/// right two cells in a device tree, which the SDK's library does not give all of them.
///
/// Errors: verify.parse where the file cannot be read, or where what stands between its entries
/// does not let them change places; sdk.generated where the result would not be what `after` makes.
[[nodiscard]] core::Result<Regenerated> regenerate(const ScriptExport& before,
                                                   const ScriptExport& after,
                                                   const emit::MapFile& file,
                                                   HandEdits choice = HandEdits::kKeep);

}  // namespace memsize::sdk
