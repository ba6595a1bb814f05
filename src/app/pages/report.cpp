// Gets a map from a board, a folder or a tree, and what it is compared with; then renders its page.
#include "memsize/app/report.hpp"

#include "memsize/app/check.hpp"
#include "memsize/app/tree.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/page.hpp"
#include "memsize/sdk/tree.hpp"

#include "check_stages.hpp"
#include "page_facts.hpp"
#include "validate_stages.hpp"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

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

core::Diagnostic unclear_map(std::string message, std::string hint) {
  return core::error(Code::kUsage, std::move(message), {}, std::move(hint));
}

// The files of a folder, and the map that their sizes give.
core::Result<Candidate> written_map(Session& session,
                                    BoardRequest board,
                                    const std::string& folder) {
  CheckReport found;
  const WrittenMap written = check_written(session, folder, found);
  if (board.name.empty() && written.files.empty()) {
    return tl::make_unexpected(found.diagnostics);
  }
  if (board.name.empty()) {
    board.name = bundled_board_of(session, written, found);
  }
  if (board.name.empty()) {
    return core::fail(
        unclear_map(fmt::format("'{}' is of a board that is not bundled", core::printable(folder)),
                    "name its file with --board FILE.toml"));
  }
  ValidateRequest request{.map = folder};
  request.emit.board = std::move(board);
  return candidate_map(session, request);
}

core::Result<ShownMap> of_folder(Session& session, const ReportRequest& request) {
  auto candidate = written_map(session, request.emit.board, request.map);
  MEMSIZE_TRY(candidate);
  ShownMap subject{.map = std::move(candidate->map), .baseline = std::move(candidate->baseline)};
  CheckRequest checked{.map = request.map};
  checked.board.name = subject.map.board.asked_as;
  subject.findings = check(session, checked).diagnostics;
  return subject;
}

// The bundled board for the tree's part, where none was named.
core::Result<std::string> board_of(Session& session, const ReportRequest& request) {
  const std::string os = request.os.empty() ? std::string{sdk::kDefaultOs} : request.os;
  std::vector<sdk::Platform> platforms;
  if (request.soc.empty()) {
    auto found = sdk::find_platforms(session.files, request.emit.sdk);
    MEMSIZE_TRY(found);
    platforms = std::move(*found);
  } else {
    auto found = sdk::find_platform(session.files, request.emit.sdk, request.soc);
    MEMSIZE_TRY(found);
    platforms.push_back(std::move(*found));
  }
  if (platforms.size() != 1) {
    const std::vector<std::string> names = core::texts_of(
        platforms, [](const sdk::Platform& platform) { return core::printable(platform.soc, 40); });
    return core::fail(unclear_map("this SDK has several parts",
                                  fmt::format("name one with --soc: {}", core::join(names, ", "))));
  }
  const auto board = bundled_board(session, platforms.front().soc, os);
  if (!board) {
    return core::fail(unclear_map(fmt::format("there is no bundled board for {} with {}",
                                              core::printable(platforms.front().soc, 40),
                                              core::printable(os, 40)),
                                  "name the file of one with --board"));
  }
  return board->name;
}

core::Result<ShownMap> of_tree(Session& session, const ReportRequest& request) {
  EmitRequest asked = request.emit;
  // Nothing is written.
  asked.check = true;
  if (asked.board.name.empty()) {
    auto name = board_of(session, request);
    MEMSIZE_TRY(name);
    asked.board.name = std::move(*name);
  }
  auto emission = render_tree(session, asked);
  MEMSIZE_TRY(emission);
  CheckRequest checked{.sdk = asked.sdk};
  checked.board.name = asked.board.name;
  return ShownMap{.map = std::move(emission->map),
                  .baseline = std::move(emission->baseline),
                  .baseline_name = "what the SDK has",
                  .affected = std::move(emission->affected),
                  .diagnostics = std::move(emission->diagnostics),
                  .findings = check(session, checked).diagnostics};
}

core::Result<ShownMap> of_board(Session& session, const ReportRequest& request) {
  EmitRequest asked = request.emit;
  // Of its files only those that are cheap are looked at.
  asked.only = {"map-json"};
  auto emission = render(session, asked);
  MEMSIZE_TRY(emission);
  return ShownMap{.map = std::move(emission->map),
                  .baseline = std::move(emission->baseline),
                  .analysis = std::move(emission->analysis),
                  .diagnostics = std::move(emission->diagnostics)};
}

}  // namespace

core::Result<Report> report(Session& session, const ReportRequest& request) {
  // What is shown.
  auto subject = !request.map.empty()        ? of_folder(session, request)
                 : !request.emit.sdk.empty() ? of_tree(session, request)
                                             : of_board(session, request);
  MEMSIZE_TRY(subject);
  if (!request.baseline.empty()) {
    BoardRequest board;
    board.name = subject->map.board.asked_as;
    auto before = written_map(session, board, request.baseline);
    MEMSIZE_TRY(before);
    subject->baseline = std::move(before->map);
    subject->baseline_name = "the map in " + core::printable(request.baseline, 80);
    subject->affected.reset();
  }

  // As a page.
  core::Diagnostics said = subject->findings;
  said.insert(said.end(), subject->diagnostics.begin(), subject->diagnostics.end());
  emit::PageFacts facts = page_facts(subject->analysis.get(), request.emit.board.set, said);
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
