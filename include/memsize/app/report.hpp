// A map as one page for people, whatever it comes from.
#pragma once

#include "memsize/app/map.hpp"

#include <string>

namespace memsize::app {

struct ReportRequest {
  /// The map as emit would make it; with an SDK tree, that tree with these sizes. A board need not
  /// be named where a folder or a tree tells it.
  EmitRequest emit;
  /// A folder that emit --out wrote; empty: none.
  std::string map;
  /// Of an SDK tree with several: the part and its operating system.
  std::string soc;
  std::string os;
  /// A folder that emit --out wrote, which is what was before; empty: the board's default map, or
  /// what the tree has.
  std::string baseline;
  /// The strips alone, as SVG.
  bool picture = false;
};

struct Report {
  /// The page, or the picture.
  std::string content;
  layout::MemoryMap map;
  layout::MemoryMap baseline;
  emit::Affected affected;
  /// Warnings and notes of the map.
  core::Diagnostics diagnostics;
  /// What the page says: these, those of the traces, and what checks found in a folder or a tree.
  core::Diagnostics said;
};

/// The map as one page of HTML. Fails where the map cannot be made, read or drawn.
///
/// Example:
///     app::ReportRequest request;
///     request.emit.board.name = "j722s-sdk11";
///     request.emit.trace.inputs = {"samples/j722s-mobilenet/trace.log"};
///     const auto page = app::report(session, request);
///     MEMSIZE_TRY(page);
///     assert(page->content.starts_with("<!DOCTYPE html>"));
[[nodiscard]] core::Result<Report> report(Session& session, const ReportRequest& request);

}  // namespace memsize::app
