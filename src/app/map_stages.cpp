// From suggestions to the values of a map, and from a map's files back to what they say.
#include "map_stages.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/consumers.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/fit.hpp"

#include "analyze_stages.hpp"
#include "board_now.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

using core::Code;

AnalyzeRequest trace_of(const EmitRequest& request) {
  AnalyzeRequest trace = request.trace;
  trace.board = request.board;
  return trace;
}

core::Result<Wish> sizes_to_emit(Session& session, const EmitRequest& request) {
  Wish wish;
  if (!request.trace.inputs.empty() || request.trace.needs.any()) {
    auto analysis = analyze(session, trace_of(request));
    MEMSIZE_TRY(analysis);
    auto usable = suggestions_to_emit(session, request, *analysis);
    MEMSIZE_TRY(usable);
    wish.values = std::move(*usable);
    wish.diagnostics = analysis->sizing.diagnostics;
    wish.board = *analysis->board;
    wish.analysis = std::make_shared<const Analysis>(std::move(*analysis));
  } else {
    auto loaded = load_board(session, request.board);
    MEMSIZE_TRY(loaded);
    wish.board = std::move(*loaded);
  }
  const auto settings = parse_settings(wish.board, request.board.set);
  MEMSIZE_TRY(settings);
  wish.values = over(std::move(wish.values), *settings);
  return wish;
}

namespace {

bool has_artifact_of(const Emission& emission, std::string_view emitter) {
  return core::contains(emission.artifacts, emitter, &emit::Artifact::emitter);
}

}  // namespace

core::Diagnostics verify_artifacts(Session& session, const Emission& emission) {
  std::vector<emit::MapFile> files;
  for (const emit::Artifact& artifact : emission.artifacts) {
    files.push_back({artifact.path, artifact.content});
  }
  if (!has_artifact_of(emission, "map-json")) {
    const auto& emitters = emit::all_emitters();
    const bool by_request = std::ranges::any_of(emitters, [&](const emit::Emitter& emitter) {
      return emitter.by_request && has_artifact_of(emission, emitter.name);
    });
    if (!by_request) {
      return {};
    }
    // What hardware loads as it is has nobody else who reads it first.
    const auto documents =
        emit::render_all({emission.map, emission.baseline, session.files, session.data.templates},
                         {"map-json", "mmu-json"});
    if (!documents) {
      return documents.error();
    }
    for (const emit::Artifact& artifact : *documents) {
      files.push_back({artifact.path, artifact.content});
    }
  }
  board::MpuPrograms programs;
  if (const auto& table = emission.map.board.mpu.table) {
    programs.push_back(table);
  }
  core::Diagnostics found = emit::verify_files(files, "", programs).diagnostics;
  // What --only left out is missing on purpose; what the board accepts was said of the map.
  std::erase_if(found, [&](const core::Diagnostic& diagnostic) {
    return diagnostic.severity != core::Severity::kError ||
           layout::is_accepted_by_name(emission.map.board, diagnostic);
  });
  for (core::Diagnostic& diagnostic : found) {
    diagnostic.hint = "a template wrote this file; nothing was changed on disk";
  }
  return found;
}

void say_nearest(const board::Board& board,
                 const board::KnobValues& values,
                 core::Diagnostics& errors) {
  const bool mmu_alone = std::ranges::all_of(errors, [](const auto& diagnostic) {
    return diagnostic.code == Code::kMmuCongruence || diagnostic.code == Code::kMmuTables ||
           diagnostic.severity != core::Severity::kError;
  });
  const auto growth =
      mmu_alone ? layout::grow_for_mmu(board, values, true) : std::optional<layout::Growth>{};
  if (!growth) {
    return;
  }
  std::vector<std::string> settings;
  for (const auto& [knob, value] : growth->values) {
    settings.push_back(fmt::format("--set {}={}", knob, core::format_setting(core::Bytes{value})));
    errors.back().parties.push_back({"knob", knob});
  }
  errors.back().hint = fmt::format("the nearest sizes that the MMU can map, {} more: {}",
                                   core::format_size(growth->cost),
                                   core::join(settings, " "));
}

}  // namespace memsize::app
