// Gets a map from a board, a folder or a tree, and what it is compared with; then renders its page.
#include "memsize/app/report.hpp"

#include "memsize/app/check.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/page.hpp"

#include "map_stages.hpp"
#include "page_facts.hpp"
#include "shown_map.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace memsize::app {

namespace {

core::Result<ShownMap> of_board(Session& session, const ReportRequest& request) {
  auto emission = sized_map(session, request.emit);
  MEMSIZE_TRY(emission);
  return ShownMap{.map = std::move(emission->map),
                  .baseline = std::move(emission->baseline),
                  .analysis = std::move(emission->analysis),
                  .diagnostics = std::move(emission->diagnostics)};
}

bool is_fleet(Session& session, const ReportRequest& request) {
  return std::ranges::any_of(request.emit.trace.inputs, [&](const std::string& input) {
    return session.files.is_directory(input);
  });
}

// The map that covers each log of a folder.
core::Result<ShownMap> of_fleet(Session& session, const ReportRequest& request) {
  auto fleet =
      analyze_fleet(session, {.analyze = trace_of(request.emit)}, [](std::size_t, std::size_t) {});
  MEMSIZE_TRY(fleet);
  if (!fleet->current || !fleet->suggested) {
    return core::fail(core::error(core::Code::kSizingNoKnob,
                                  "nothing in these logs sizes a heap of the board",
                                  {},
                                  "memsize analyze FOLDER --board BOARD says what they have"));
  }
  ShownMap shown{.map = *fleet->suggested, .baseline = *fleet->current};
  shown.facts = fleet_facts(*fleet);
  shown.diagnostics = std::move(fleet->diagnostics);
  return shown;
}

// What checks find in a folder or a tree.
core::Diagnostics findings_of(Session& session,
                              const ReportRequest& request,
                              const std::string& board) {
  CheckRequest checked{.map = request.map, .sdk = request.emit.sdk};
  checked.board.name = board;
  const bool is_written = !checked.map.empty() || !checked.sdk.empty();
  return is_written ? check(session, checked).diagnostics : core::Diagnostics{};
}

}  // namespace

core::Result<Report> report(Session& session, const ReportRequest& request) {
  // What is shown.
  auto subject = !request.map.empty() ? map_of_folder(session, request.emit.board, request.map)
                 : !request.emit.sdk.empty()
                     ? map_of_tree(session, request.emit, request.soc, request.os)
                 : is_fleet(session, request) ? of_fleet(session, request)
                                              : of_board(session, request);
  MEMSIZE_TRY(subject);
  if (!request.baseline.empty()) {
    BoardRequest board;
    board.name = subject->map.board.asked_as;
    auto before = map_of_folder(session, board, request.baseline);
    MEMSIZE_TRY(before);
    subject->baseline = std::move(before->map);
    subject->diagnostics.insert(
        subject->diagnostics.end(), before->diagnostics.begin(), before->diagnostics.end());
    subject->baseline_name = "the map in " + core::printable(request.baseline, 80);
    subject->affected.reset();
  }

  // As a page.
  core::Diagnostics said = findings_of(session, request, subject->board);
  said.insert(said.end(), subject->diagnostics.begin(), subject->diagnostics.end());
  emit::PageFacts facts = subject->facts
                              ? std::move(*subject->facts)
                              : page_facts(subject->analysis.get(), request.emit.board.set, said);
  const emit::EmitInput input{.map = subject->map,
                              .baseline = subject->baseline,
                              .files = session.files,
                              .template_folders = session.data.templates,
                              .baseline_name = subject->baseline_name,
                              .affected = subject->affected,
                              .facts = &facts};
  auto content = request.picture ? core::Result<std::string>{emit::strips_picture(input)}
                                 : emit::render_page(input);
  MEMSIZE_TRY(content);
  emit::Affected affected =
      subject->affected.value_or(emit::affected_by(subject->map, subject->baseline));
  return Report{std::move(*content),
                std::move(subject->map),
                std::move(subject->baseline),
                std::move(affected),
                std::move(subject->diagnostics),
                std::move(facts.said)};
}

}  // namespace memsize::app
