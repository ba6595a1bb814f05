// A name or an address in, what it is and why out, asked of a board's map or of an SDK tree. What
// growth would change in the written files is found by rendering both maps.
#include "memsize/app/why.hpp"

#include "memsize/app/tree_watch.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/why.hpp"
#include "memsize/sdk/view.hpp"
#include "memsize/sdk/why.hpp"

#include "generation_guard.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

// What memsize emit would write otherwise.
void add_files(Session& session, const layout::MemoryMap& before, layout::Expansion& growth) {
  if (growth.after == nullptr) {
    return;
  }
  const layout::MemoryMap& after = *growth.after;
  growth.cores = emit::changed_cores(after, before);
  const auto old_files =
      emit::render_all({before, before, session.files, session.data.templates}, {});
  const auto new_files =
      emit::render_all({after, before, session.files, session.data.templates}, {});
  for (std::size_t i = 0; old_files && new_files && i < new_files->size(); ++i) {
    const emit::Artifact& written = (*new_files)[i];
    const bool same = std::any_of(old_files->begin(), old_files->end(), [&](const auto& other) {
      return other.path == written.path && other.content == written.content;
    });
    if (!same) {
      growth.files.push_back(written.path);
    }
  }
}

// The map that emit would write: sized by the traces, and --set wins.
core::Result<layout::Answer> ask_board(Session& session,
                                       const WhyRequest& request,
                                       core::Diagnostics& told) {
  EmitRequest asked = request.map;
  if (!request.folder.empty()) {
    auto doubts = take_map(session, request.folder, asked.board);
    MEMSIZE_TRY(doubts);
    told = std::move(*doubts);
  }
  const auto wish = sizes_to_emit(session, asked);
  MEMSIZE_TRY(wish);
  const auto map = layout::resolve(wish->board, wish->values);
  MEMSIZE_TRY(map);
  auto answer = layout::answer(*map, wish->values, request.question);
  for (std::size_t i = 0; answer && i < answer->subjects.size(); ++i) {
    if (answer->subjects[i].growth) {
      add_files(session, *map, *answer->subjects[i].growth);
    }
  }
  return answer;
}

core::Diagnostic usage(std::string message, std::string hint) {
  return core::error(Code::kUsage, std::move(message), {}, std::move(hint));
}

// Without a name, the only part that the tree has.
core::Result<sdk::Platform> choose_platform(Session& session,
                                            const WhyRequest& request,
                                            const std::string& soc) {
  if (!soc.empty()) {
    return sdk::find_platform(session.files, request.map.sdk, soc);
  }
  const auto platforms = sdk::find_platforms(session.files, request.map.sdk);
  MEMSIZE_TRY(platforms);
  if (platforms->size() == 1) {
    return platforms->front();
  }
  const std::vector<std::string> names = core::texts_of(
      *platforms, [&](const sdk::Platform& platform) { return core::printable(platform.soc, 40); });
  return core::fail(usage("this SDK has several parts",
                          fmt::format("name one with --soc: {}", core::join(names, ", "))));
}

// The asked board's map; nothing where none was asked for.
core::Result<std::optional<layout::MemoryMap>> asked_map(Session& session,
                                                         const WhyRequest& request) {
  if (request.map.board.name.empty()) {
    return std::nullopt;
  }
  const auto board = load_board(session, request.map.board);
  MEMSIZE_TRY(board);
  auto map = layout::resolve(*board, {});
  MEMSIZE_TRY(map);
  return std::move(*map);
}

// What another operating system's script is about is not missing here.
core::Diagnostics unread_files(const sdk::Sources& sources, const sdk::Reading& reading) {
  core::Diagnostics unread;
  for (const core::Diagnostics* list : {&sources.problems, &sdk::problems_of(reading)}) {
    for (core::Diagnostic problem : *list) {
      const bool of_script = problem.code == Code::kSdkScript || problem.code == Code::kSdkName;
      if (problem.severity == core::Severity::kError && !of_script) {
        problem.severity = core::Severity::kWarning;
        problem.details.emplace_back("what this file says is missing from the answer");
        unread.push_back(std::move(problem));
      }
    }
  }
  for (const auto& [path, file] : sources.files) {
    core::add_text(unread, file.path_under(sources.platform.folder), file.content);
  }
  return unread;
}

// Nothing is written: what emit would refuse is told.
std::optional<core::Diagnostic> generation_differs(Session& session,
                                                   const WhyRequest& request,
                                                   const sdk::Platform& platform,
                                                   const std::string& os) {
  EmitRequest again = request.map;
  again.verb = "why";
  again.question = request.question.text;
  again.trace.core = request.question.core;
  auto differs = compare_with_tree(session, again, platform, os);
  if (differs) {
    differs->severity = core::Severity::kWarning;
  }
  return differs;
}

// Addresses are the tree's; what a board adds is how memory must be cached.
core::Result<layout::Answer> ask_tree(Session& session,
                                      const WhyRequest& request,
                                      core::Diagnostics& told) {
  auto board = asked_map(session, request);
  MEMSIZE_TRY(board);
  const bool named = board->has_value();
  if (named && ((!request.soc.empty() && request.soc != (*board)->board.soc) ||
                (!request.os.empty() && request.os != (*board)->board.os))) {
    return core::fail(usage(fmt::format("board '{}' is of {} with {}",
                                        (*board)->board.name,
                                        (*board)->board.soc,
                                        (*board)->board.os),
                            "leave out --board, or --soc and --os"));
  }
  const std::string os = !request.os.empty() ? request.os
                         : named             ? (*board)->board.os
                                             : std::string{sdk::kDefaultOs};
  const auto platform = choose_platform(
      session, request, request.soc.empty() && named ? (*board)->board.soc : request.soc);
  MEMSIZE_TRY(platform);
  const auto programs = board::load_mpu_programs(session.files, session.data.boards);
  MEMSIZE_TRY(programs);
  const auto sources = sdk::read_sources(session.files, *platform, *programs);
  MEMSIZE_TRY(sources);
  const auto variant = sdk::find_variant(*sources, os);
  MEMSIZE_TRY(variant);
  if (!named) {
    *board = bundled_map(session, platform->soc, os);
  }
  const layout::MemoryMap* map = board->has_value() ? &**board : nullptr;
  const auto reading =
      sdk::read_variant(*sources, **variant, map == nullptr ? 0 : map->board.mpu.first);
  auto answer = sdk::answer({*sources, **variant, *reading, map}, request.question);
  if (answer) {
    answer->unread = unread_files(*sources, *reading);
    if (auto differs = generation_differs(session, request, *platform, os); named && differs) {
      told.push_back(std::move(*differs));
    }
  }
  return answer;
}

}  // namespace

core::Result<WhyResult> why(Session& session, const WhyRequest& request) {
  const TreeWatch watch{session, watched_roots(session, request.map.sdk)};
  if (const auto rest = watch.at_rest(); !rest && !could_not_tell(rest.error())) {
    return tl::make_unexpected(rest.error());
  }
  core::Diagnostics told;
  auto answer = request.map.sdk.empty() ? ask_board(session, request, told)
                                        : ask_tree(session, request, told);
  MEMSIZE_TRY(watch.undisturbed());
  MEMSIZE_TRY(answer);
  return WhyResult{std::move(*answer), std::move(told)};
}

}  // namespace memsize::app
