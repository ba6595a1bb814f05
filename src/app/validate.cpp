// A map is run, or held against a log of the real board. What a comment calls frozen does not
// change after it.
#include "memsize/app/validate.hpp"

#include "analyze_stages.hpp"
#include "map_stages.hpp"
#include "validate_stages.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::app {

core::Result<runtime::BoardLogReport> hold_board_log(Session& session,
                                                     const LogRequest& request,
                                                     const layout::MemoryMap& map,
                                                     const layout::MemoryMap& baseline) {
  // What the board printed; its format is its own.
  AnalyzeRequest after = request.trace;
  after.inputs = request.logs;
  after.format.clear();
  auto recording = read_inputs(session, after);
  MEMSIZE_TRY(recording);
  // What the map was made of.
  std::optional<model::Recording> before;
  if (!request.trace.inputs.empty()) {
    auto read = read_inputs(session, request.trace);
    MEMSIZE_TRY(read);
    before = std::move(*read);
  }
  auto format = load_format(session, request.trace, *recording);
  const auto options = sizing_options(request.trace, before ? *before : *recording);
  if (!format || !options) {
    return tl::make_unexpected(format ? options.error() : format.error());
  }
  // Frozen: no block changes its class.

  const sizing::Sizing sizing = size_on_map(*recording, *format, map, *options);
  std::vector<runtime::OtherMap> others;
  if (baseline.values != map.values) {
    others.push_back(
        {fmt::format("the default map of board '{}'", baseline.board.name), &baseline});
  }
  return runtime::hold_log(map, {*recording, *format, sizing, before ? &*before : nullptr}, others);
}

core::Result<Validation> validate(Session& session, const ValidateRequest& request) {
  // The map and its files: as emit would write them, or as they are in a folder.
  auto candidate = candidate_map(session, request);
  MEMSIZE_TRY(candidate);
  Validation validation{.diagnostics = candidate->diagnostics,
                        .is_traced = candidate->analysis != nullptr};
  if (request.runs) {
    // What each core is told, read from the files; what its tables come to; what its heaps hold.
    auto setup = set_up(session, *candidate, request);
    if (!setup) {
      name_files(*candidate, setup.error());
      return tl::make_unexpected(setup.error());
    }
    // Frozen: no table, script or allocation changes. Then every core runs.
    auto result =
        runtime::run(setup->subject, setup->tables, setup->replays, setup->scripts, request.run);
    MEMSIZE_TRY(result);
    name_files(*candidate, result->findings);
    const auto unplaced = without_heap(*candidate);
    result->untried.insert(result->untried.end(), unplaced.begin(), unplaced.end());
    validation.result = std::move(*result);
  }
  if (!request.logs.empty()) {
    // What the board printed after the change.
    auto log = hold_board_log(
        session, {request.logs, trace_of(request.emit)}, candidate->map, candidate->baseline);
    MEMSIZE_TRY(log);
    validation.log = std::move(*log);
  }
  validation.map = std::move(candidate->map);
  return validation;
}

}  // namespace memsize::app
