// What an address or a region is, who sees it, and what moves if it grows.
#pragma once

#include "memsize/app/map.hpp"
#include "memsize/layout/answer.hpp"

#include <string>

namespace memsize::app {

struct WhyRequest {
  /// The map that emit would write of it is asked; with an SDK tree, that tree, whose sizes are its
  /// own: then the board, if one is named, says how memory must be cached.
  EmitRequest map;
  /// A folder that emit --out wrote, whose sizes are asked for; empty: none.
  std::string folder;
  /// Of an SDK tree with several: the part and its operating system.
  std::string soc;
  std::string os;
  layout::Question question;
};

struct WhyResult {
  layout::Answer answer;
  /// That the tree is of another generation than the board.
  core::Diagnostics diagnostics;
};

/// Fails where the map cannot be made or read, and where nothing has that name or lies there.
///
/// Example:
///     app::WhyRequest request;
///     request.map.board.name = "j722s-sdk11";
///     request.question.text = "DDR_C7X_2_SCRATCH";
///     const auto result = app::why(session, request);
///     MEMSIZE_TRY(result);
///     assert(!result->answer.subjects.empty());
[[nodiscard]] core::Result<WhyResult> why(Session& session, const WhyRequest& request);

}  // namespace memsize::app
