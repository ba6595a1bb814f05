// Gets the map to run, rendered from a board or read from a folder, and sets it up: subject,
// translation tables, allocations. The sizes in a folder are its own, whatever the board has.
#include "validate_stages.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/armv8_tables.hpp"
#include "memsize/emit/read_map.hpp"

#include "analyze_stages.hpp"
#include "check_stages.hpp"
#include "map_stages.hpp"
#include "pages/shown_map.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

// What stands in a folder, and the board's map with the sizes that it names.
core::Result<Candidate> map_in_folder(Session& session, const ValidateRequest& request) {
  Candidate candidate{.root = request.map};
  auto files = read_map(session, request.map);
  auto board = load_board(session, request.emit.board);
  if (!files || !board) {
    return tl::make_unexpected(files ? board.error() : files.error());
  }
  candidate.files = std::move(*files);
  const auto document = std::ranges::find_if(
      candidate.files, [](const auto& f) { return f.path == "memory_map.json"; });
  core::Diagnostics errors;
  const core::Place place{request.map + "/memory_map.json"};
  if (document == candidate.files.end()) {
    return core::fail(core::error(Code::kVerifyParse,
                                  "there is no memory_map.json here",
                                  place,
                                  "give the folder that emit --out wrote; where --only chose its "
                                  "files, add map-json"));
  }
  const auto written = emit::read_map_document(*document, request.map, errors);
  if (!written) {
    return tl::make_unexpected(std::move(errors));
  }
  if (written->board != board->name) {
    return core::fail(core::error(Code::kVerifyDisagree,
                                  fmt::format("the map is of board '{}', not of '{}'",
                                              core::printable(written->board, 60),
                                              board->name),
                                  place,
                                  "name the board that it was written for with --board"));
  }
  board::KnobValues sizes;
  for (const auto& [knob, value] : written->knobs) {
    sizes[knob] = value;
  }
  auto map = layout::resolve(*board, sizes);
  auto baseline = layout::resolve(*board, {});
  if (!map) {
    // The sizes are the file's.
    core::Diagnostics problems = map.error();
    for (core::Diagnostic& problem : problems) {
      problem.code = Code::kVerifyDisagree;
      problem.place = place;
    }
    return tl::make_unexpected(std::move(problems));
  }
  MEMSIZE_TRY(baseline);
  candidate.map = std::move(*map);
  candidate.baseline = std::move(*baseline);
  if (!request.emit.trace.inputs.empty()) {
    auto analysis = analyze(session, trace_of(request.emit));
    MEMSIZE_TRY(analysis);
    // What no map may be made of is not replayed either.
    MEMSIZE_TRY(suggestions_to_emit(session, request.emit, *analysis));
    keep_warnings(analysis->sizing.diagnostics, candidate.diagnostics);
    candidate.analysis = std::make_shared<const Analysis>(std::move(*analysis));
  }
  return candidate;
}

// What a tree's scripts make. Whether its other files follow them is what check --sdk says.
core::Result<Candidate> map_in_tree(Session& session, const ValidateRequest& request) {
  auto shown = map_of_tree(session, request.emit, request.soc, request.os);
  MEMSIZE_TRY(shown);
  Candidate candidate{.map = std::move(shown->map), .baseline = std::move(shown->baseline)};
  auto artifacts = emit::render_all(
      {candidate.map, candidate.baseline, session.files, session.data.templates}, {});
  MEMSIZE_TRY(artifacts);
  for (emit::Artifact& artifact : *artifacts) {
    candidate.files.push_back({std::move(artifact.path), std::move(artifact.content)});
  }
  if (!request.emit.trace.inputs.empty()) {
    AnalyzeRequest trace = trace_of(request.emit);
    trace.board.name = shown->board;
    trace.sdk = request.emit.sdk;
    MEMSIZE_TRY(take_tree(session, trace));
    auto analysis = analyze(session, trace);
    MEMSIZE_TRY(analysis);
    keep_warnings(analysis->sizing.diagnostics, candidate.diagnostics);
    candidate.analysis = std::make_shared<const Analysis>(std::move(*analysis));
  }
  return candidate;
}

// The tables that the entries of the files come to, where the board has room for them.
core::Result<std::vector<runtime::CoreTables>> tables_of_all(const layout::MemoryMap& map,
                                                             runtime::Subject& subject) {
  layout::MemoryMap programmed = map;
  for (layout::MmuTable& table : programmed.mmu) {
    if (const runtime::SubjectCore* core = subject.find_core(table.core); core != nullptr) {
      table.ranges = core->mmu.ranges;
    }
  }
  std::vector<runtime::CoreTables> all;
  for (runtime::SubjectCore& core : subject.cores) {
    runtime::CoreTables tables;
    const auto& places = map.board.mmu.tables_in;
    const bool has_place =
        std::ranges::any_of(places, [&](const auto& place) { return place.core == core.name; });
    if (core.unit == runtime::Unit::kMmu && !has_place) {
      core.untried = fmt::format(
          "the board does not say where its translation tables lie: [mmu.tables_in] with {} = "
          "\"REGION\"",
          core.name);
    } else if (core.unit == runtime::Unit::kMmu) {
      auto built = emit::tables_of(programmed, core.name);
      MEMSIZE_TRY(built);
      tables = {built->base.value(), std::move(built->bytes)};
    }
    all.push_back(std::move(tables));
  }
  return all;
}

}  // namespace

core::Result<Candidate> candidate_map(Session& session, const ValidateRequest& request) {
  if (!request.map.empty()) {
    ValidateRequest named = request;
    BoardRequest found = request.emit.board;
    if (found.name.empty()) {
      MEMSIZE_TRY(take_map(session, request.map, found));
      named.emit.board.name = found.name;
    }
    return map_in_folder(session, named);
  }
  if (!request.emit.sdk.empty()) {
    return map_in_tree(session, request);
  }
  auto emission = render(session, request.emit);
  MEMSIZE_TRY(emission);
  Candidate candidate{.map = std::move(emission->map),
                      .baseline = std::move(emission->baseline),
                      .analysis = std::move(emission->analysis),
                      .diagnostics = std::move(emission->diagnostics)};
  for (emit::Artifact& artifact : emission->artifacts) {
    candidate.files.push_back({std::move(artifact.path), std::move(artifact.content)});
  }
  return candidate;
}

core::Result<Setup> set_up(Session& session,
                           const Candidate& candidate,
                           const ValidateRequest& request) {
  Setup setup;
  const auto programs = board::load_mpu_programs(session.files, session.data.boards);
  MEMSIZE_TRY(programs);
  const auto files = emit::read_map_files(candidate.files, candidate.root, *programs);
  MEMSIZE_TRY(files);
  auto subject = runtime::make_subject(candidate.map, *files);
  MEMSIZE_TRY(subject);
  setup.subject = std::move(*subject);
  auto tables = tables_of_all(candidate.map, setup.subject);
  MEMSIZE_TRY(tables);
  setup.tables = std::move(*tables);
  const Analysis* analysis = candidate.analysis.get();
  setup.replays = runtime::make_replays(
      candidate.map,
      analysis == nullptr ? nullptr : &analysis->sizing,
      analysis == nullptr ? nullptr : analysis->format.find_generation(analysis->sizing.rules_of));
  if (request.run.where == runtime::Where::kHost) {
    return setup;
  }
  auto scripts = emit::render_all(
      {candidate.map, candidate.baseline, session.files, session.data.templates}, {"gnu-ld"});
  MEMSIZE_TRY(scripts);
  for (emit::Artifact& script : *scripts) {
    // A folder may have its own.
    const std::string own = candidate.root + "/" + script.path;
    if (!candidate.root.empty() && session.files.is_regular_file(own)) {
      auto content = session.files.read(own);
      MEMSIZE_TRY(content);
      script.content = std::move(*content);
    }
    setup.scripts[script.path.substr(0, script.path.find('/'))] = std::move(script.content);
  }
  return setup;
}

std::vector<runtime::Untried> without_heap(const Candidate& candidate) {
  std::vector<runtime::Untried> untried;
  if (candidate.analysis == nullptr) {
    return untried;
  }
  for (const sizing::CoreSizing& core : candidate.analysis->sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      const auto& knobs = candidate.map.board.knobs;
      const bool has_heap = std::ranges::any_of(knobs, [&](const board::Knob& knob) {
        return knob.demand == demand.key && candidate.map.find_by_knob(knob.name) != nullptr;
      });
      if (!has_heap && !demand.counted.empty()) {
        untried.push_back({core.core,
                           core::plural(demand.counted.size(), "record"),
                           fmt::format("the board has no heap for {} {} memory",
                                       model::name_of(demand.key.cacheability),
                                       model::name_of(demand.key.lifetime))});
      }
    }
  }
  return untried;
}

void name_files(const Candidate& candidate, core::Diagnostics& findings) {
  for (core::Diagnostic& finding : findings) {
    const std::string& path = finding.place.path.str();
    const bool is_ours = core::contains(candidate.files, path, &emit::MapFile::path);
    if (is_ours && candidate.root.empty()) {
      finding.place = {};
    } else if (is_ours) {
      finding.place.path = candidate.root + "/" + path;
    }
  }
}

}  // namespace memsize::app
