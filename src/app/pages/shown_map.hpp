// A map, wherever it comes from, with what is known of it.
#pragma once

#include "memsize/app/report.hpp"

#include <memory>
#include <optional>
#include <string>

namespace memsize::app {

/// A map to show, and what is known of it.
struct ShownMap {
  layout::MemoryMap map;
  layout::MemoryMap baseline;
  std::string baseline_name = "the board's default map";
  std::optional<emit::Affected> affected;
  std::shared_ptr<const Analysis> analysis;
  core::Diagnostics diagnostics;
  /// By checks, for the page.
  core::Diagnostics findings;
};

/// What emit --out wrote, with what checks find in it. Without a board the one that it names, if it
/// is bundled.
[[nodiscard]] core::Result<ShownMap> map_of_folder(Session& session,
                                                   const BoardRequest& board,
                                                   const std::string& folder);

/// What an SDK tree has, with the sizes of the request; nothing is written.
[[nodiscard]] core::Result<ShownMap> map_of_tree(Session& session,
                                                 const EmitRequest& request,
                                                 const std::string& soc,
                                                 const std::string& os);

}  // namespace memsize::app
