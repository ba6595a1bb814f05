// From sizes to the bytes of a map. What a comment calls frozen does not change after it.
#include "memsize/app/map.hpp"

#include "memsize/layout/memory_map.hpp"

#include "analyze_stages.hpp"
#include "board_now.hpp"
#include "evidence/needs.hpp"
#include "map_stages.hpp"
#include "pages/page_facts.hpp"

#include <utility>

namespace memsize::app {

core::Result<Emission> sized_map(Session& session, const EmitRequest& request) {
  Emission emission;

  // How much: from the traces, over the board's defaults; --set wins.
  auto wish = sizes_to_emit(session, request);
  MEMSIZE_TRY(wish);
  const board::Board& board = wish->board;
  const board::KnobValues& values = wish->values;
  emission.diagnostics = std::move(wish->diagnostics);
  emission.analysis = std::move(wish->analysis);
  emission.is_default = emission.analysis == nullptr && request.board.set.empty();
  // Frozen: no size changes.

  // Where on the chip, checked by code that shares nothing with the layout.
  auto map = checked_map(board, values, request.board.set);
  if (!map) {
    say_nearest(board, values, map.error());
    return tl::make_unexpected(map.error());
  }
  core::Diagnostics over = over_budget(request.budgets, *map);
  if (!over.empty()) {
    return tl::make_unexpected(std::move(over));
  }
  keep_warnings(map->remarks, emission.diagnostics);
  auto baseline = values.empty() ? map : layout::resolve(board, {});
  MEMSIZE_TRY(baseline);
  emission.map = std::move(*map);
  emission.map.needs = needs_of_map(emission.analysis.get(), emission.map.values);
  emission.baseline = std::move(*baseline);
  // Frozen: no address changes.
  return emission;
}

core::Result<Emission> render(Session& session, const EmitRequest& request) {
  // How much, and where.
  auto emission = sized_map(session, request);
  MEMSIZE_TRY(emission);

  // As which files, read back and held against each other.
  const emit::PageFacts facts =
      page_facts(emission->analysis.get(), request.board.set, emission->diagnostics);
  auto artifacts = emit::render_all({.map = emission->map,
                                     .baseline = emission->baseline,
                                     .files = session.files,
                                     .template_folders = session.data.templates,
                                     .facts = &facts},
                                    request.only);
  MEMSIZE_TRY(artifacts);
  emission->artifacts = std::move(*artifacts);
  core::Diagnostics disagreements = verify_artifacts(session, *emission);
  if (!disagreements.empty()) {
    // What the board accepts may be why.
    const core::Diagnostics& remarks = emission->map.remarks;
    disagreements.insert(disagreements.begin(), remarks.begin(), remarks.end());
    return tl::make_unexpected(std::move(disagreements));
  }
  // Frozen: no byte changes. Only now may the disk be touched, by the caller.
  return emission;
}

}  // namespace memsize::app
