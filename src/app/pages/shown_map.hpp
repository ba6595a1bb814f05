// A map, wherever it comes from, with what is known of it.
#pragma once

#include "memsize/app/report.hpp"
#include "memsize/emit/page.hpp"

#include <memory>
#include <optional>
#include <string>

namespace memsize::app {

/// A map to show, and what is known of it.
struct ShownMap {
  layout::MemoryMap map;
  /// As the user named it, or as it was found out.
  std::string board = {};
  layout::MemoryMap baseline = {};
  std::string baseline_name = "the board's default map";
  std::optional<emit::Affected> affected = std::nullopt;
  /// Null without traces.
  std::shared_ptr<const Analysis> analysis = nullptr;
  /// What a page tells beside it, where that is not of `analysis`.
  std::optional<emit::PageFacts> facts = std::nullopt;
  core::Diagnostics diagnostics = {};
};

/// What emit --out wrote. Without a board the one that it names, if it
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
