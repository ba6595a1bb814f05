// From inputs to sizes. Sizing is done again where the trace's addresses turn out to lie in the
// heaps of a changed map.
#include "analyze_stages.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/core/unpacked.hpp"
#include "memsize/readers/reader.hpp"
#include "memsize/sizing/addresses.hpp"

#include "board_now.hpp"
#include "evidence/needs.hpp"
#include "formats/log_formats.hpp"
#include "generation_guard.hpp"
#include "recordings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

std::vector<sizing::HeapRegion> heaps_of(const layout::MemoryMap& map) {
  std::vector<sizing::HeapRegion> heaps;
  for (const board::Knob& knob : map.board.knobs) {
    const layout::Region* region = map.find_by_knob(knob.name);
    if (knob.demand && region != nullptr && region->virtual_range()) {
      heaps.push_back({*knob.demand, region->name, *region->virtual_range()});
    }
  }
  return heaps;
}

sizing::BoardView view_of(const layout::MemoryMap& map) {
  sizing::BoardView view{.board = &map.board, .values = map.values};
  for (const board::Knob& knob : map.board.knobs) {
    if (const layout::Region* region = map.find_by_knob(knob.name)) {
      view.region_of_knob.emplace_back(knob.name, region->name);
    }
  }
  for (const board::Core& core : map.board.cores) {
    for (const board::OnChip& memory : core.onchip) {
      if (const layout::Region* region = map.find_owned(memory.region)) {
        view.onchip.push_back({core.name, memory.space, memory.region, region->size});
      }
    }
  }
  return view;
}

// A model that did not fit on the traced map fits on the next one where its whole table is known.
bool is_counted_failure(const sizing::Sizing& sizing, const core::Diagnostic& diagnostic) {
  return diagnostic.code == Code::kTraceFailed &&
         std::ranges::any_of(sizing.cores, [&](const sizing::CoreSizing& core) {
           return core.complete &&
                  core::contains(
                      diagnostic.parties, sizing::core_name(core.core), &core::Party::name);
         });
}

// How messages begin that speak of the addresses of heaps; empty where the recording has none.
std::string name_of_addresses(const model::Recording& recording) {
  bool any = false;
  bool whole = true;
  for (const model::CoreRecording& core : recording.cores) {
    for (const model::Instance& instance : core.instances) {
      for (const model::Block& block : instance.blocks) {
        if (block.address && block.cacheability != model::Cacheability::kOnChip) {
          any = true;
          whole = whole && block.address->is_whole();
        }
      }
    }
  }
  return !any    ? ""
         : whole ? "the trace's addresses"
                 : "the trace's addresses are the low 32 bits of virtual addresses; they";
}

std::string bases_of(const std::vector<sizing::HeapRegion>& heaps, const sizing::Sizing& sizing) {
  std::vector<std::string> bases;
  for (const sizing::HeapRegion& heap : heaps) {
    for (const sizing::CoreSizing& core : sizing.cores) {
      for (const sizing::Demand& demand : core.demands) {
        if (demand.key == heap.key) {
          bases.push_back(core::format_address(heap.range.base()));
        }
      }
    }
  }
  return core::join(bases, ", ");
}

core::Diagnostic match_note(const Analysis& analysis, const std::string& addresses) {
  switch (analysis.match) {
    case AddressMatch::kCurrent:
      return core::note(
          Code::kSizingAddresses,
          fmt::format(
              "{} lie in the heaps of board '{}' as it is", addresses, analysis.board->name));
    case AddressMatch::kUnset:
      return core::note(
          Code::kSizingAddresses,
          fmt::format("{} lie in the heaps of board '{}' without the sizes that were set: the "
                      "trace was taken before that change",
                      addresses,
                      analysis.board->name));
    case AddressMatch::kSuggested:
    case AddressMatch::kRounded:
      return core::note(
          Code::kSizingAddresses,
          fmt::format(
              "{} do not lie in the heaps as they are now, but in those of the map {} ({}): the "
              "trace was taken on a map that was shrunk already",
              addresses,
              analysis.match == AddressMatch::kSuggested
                  ? "after this change"
                  : "that the same sizes give without --tight",
              bases_of(analysis.matched, analysis.sizing)));
    case AddressMatch::kNone:
      return core::warning(
          Code::kSizingAddresses,
          fmt::format(
              "the trace's addresses lie neither in the heaps of board '{}' as it is nor in those "
              "of the suggested map: it was taken on another map",
              analysis.board->name),
          {},
          "the high-water marks count from the bases that the addresses imply");
  }
  return {};
}

board::KnobValues suggestions_of(const sizing::Sizing& sizing) {
  board::KnobValues values;
  for (const sizing::CoreSizing& core : sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      if (demand.suggested) {
        values[demand.knob] = demand.suggested->count();
      }
    }
  }
  return values;
}

// Where the MMU cannot map the suggestions, the cheapest that it can map take their place.
void grow_suggestions(Analysis& analysis) {
  board::KnobValues suggestions =
      over(over(suggestions_of(analysis.sizing), analysis.needed), analysis.settings);
  // Sizing again, with other heap bases, mostly suggests the same.
  if (analysis.grown_from != suggestions) {
    analysis.growth = layout::grow_for_mmu(*analysis.board, suggestions, analysis.request.tight);
    analysis.grown_from = std::move(suggestions);
  }
  if (!analysis.growth) {
    return;
  }
  for (sizing::CoreSizing& core : analysis.sizing.cores) {
    for (sizing::Demand& demand : core.demands) {
      const auto grown = analysis.growth->values.find(demand.knob);
      if (demand.suggested && grown != analysis.growth->values.end()) {
        demand.grown = core::Bytes{grown->second} - *demand.suggested;
        demand.suggested = core::Bytes{grown->second};
      }
    }
  }
  analysis.sizing.diagnostics.push_back(describe_growth(*analysis.growth));
}

// A small number alone as typed: a document's is bytes.
std::optional<core::Diagnostic> unclear_headroom(const std::string& typed) {
  constexpr std::uint64_t kMostPercent = 1000;
  const bool is_number = typed.find_first_not_of("0123456789") == std::string::npos;
  const auto size = core::parse_bytes(typed);
  if (!is_number || !size || size->count() == 0 || size->count() > kMostPercent) {
    return std::nullopt;
  }
  return core::error(Code::kTextSize,
                     fmt::format("--headroom: '{}' may be a share or a size", typed),
                     {},
                     fmt::format("{0}% or {0}MiB?", typed))
      .of_option("--headroom");
}

// The heaps of the map that these options lead to, if the trace's addresses lie in them.
std::vector<sizing::HeapRegion> matching_heaps(const Analysis& analysis,
                                               const sizing::BoardView& view,
                                               const sizing::Options& options) {
  const sizing::Sizing sizing =
      sizing::size_recording(analysis.recording, analysis.format, &view, options);
  const auto map = layout::resolve(
      *analysis.board, over(over(suggestions_of(sizing), analysis.needed), analysis.settings));
  std::vector<sizing::HeapRegion> heaps = map ? heaps_of(*map) : std::vector<sizing::HeapRegion>{};
  if (!sizing::addresses_match(analysis.recording, analysis.format, heaps)) {
    heaps.clear();
  }
  return heaps;
}

// Those of the map as it is, or as it was before the user's settings, if the trace lies in them.
std::vector<sizing::HeapRegion> known_heaps(Analysis& analysis) {
  std::vector<sizing::HeapRegion> heaps = heaps_of(*analysis.current);
  if (sizing::addresses_match(analysis.recording, analysis.format, heaps)) {
    analysis.match = AddressMatch::kCurrent;
    return heaps;
  }
  if (analysis.settings.empty()) {
    return {};
  }
  const auto before = layout::resolve(*analysis.board, {});
  heaps = before ? heaps_of(*before) : std::vector<sizing::HeapRegion>{};
  if (!sizing::addresses_match(analysis.recording, analysis.format, heaps)) {
    return {};
  }
  analysis.match = AddressMatch::kUnset;
  return heaps;
}

// A trace that was taken after the change lies in the map that the change leads to.
template <typename Size>
void match_shrunk_map(Analysis& analysis,
                      const sizing::BoardView& view,
                      const sizing::Options& options,
                      Size size) {
  const board::KnobValues before = suggestions_of(analysis);
  std::vector<sizing::HeapRegion> after = heaps_of(*analysis.suggested);
  if (sizing::addresses_match(analysis.recording, analysis.format, after)) {
    analysis.match = AddressMatch::kSuggested;
  } else if (options.tight) {
    sizing::Options rounded = options;
    rounded.tight = false;
    after = matching_heaps(analysis, view, rounded);
    analysis.match = after.empty() ? AddressMatch::kNone : AddressMatch::kRounded;
  }
  if (analysis.match == AddressMatch::kNone) {
    return;
  }
  analysis.matched = after;
  size(std::move(after));
  if (suggestions_of(analysis) == before) {
    return;
  }
  // The marks now count from known bases. Those of another map stay where they are; those of the
  // suggested map would move with the suggestions, and then they are not known.
  if (analysis.match == AddressMatch::kSuggested) {
    analysis.match = AddressMatch::kNone;
    analysis.matched.clear();
    size({});
  } else if (auto suggested = layout::resolve(*analysis.board, suggestions_of(analysis));
             suggested) {
    analysis.suggested = std::move(*suggested);
  }
}

// The map of the suggestions, if they fit; else says why they do not, as warnings.
void map_suggestions(Analysis& analysis) {
  auto map = layout::resolve(*analysis.board, suggestions_of(analysis));
  if (map) {
    analysis.suggested = std::move(*map);
    return;
  }
  for (core::Diagnostic& misfit : map.error()) {
    misfit.severity = core::Severity::kWarning;
    analysis.sizing.diagnostics.push_back(std::move(misfit));
  }
}

core::Diagnostic unsized(const Analysis& analysis) {
  std::vector<std::string> cores;
  for (const board::Knob& knob : analysis.board->knobs) {
    if (knob.demand && std::ranges::find(cores, knob.demand->core) == cores.end()) {
      cores.push_back(knob.demand->core);
    }
  }
  const std::vector<std::string> traced =
      core::texts_of(analysis.sizing.cores,
                     [&](const sizing::CoreSizing& core) { return sizing::core_name(core.core); });
  return core::error(
      Code::kSizingUnknownCore,
      fmt::format("nothing in the trace sizes a heap of board '{}'", analysis.board->name),
      {},
      fmt::format("its heaps are of: {}; the trace has: {}. Is it the board that the trace was "
                  "taken on? --core names the core of lines without one",
                  core::join(cores, ", "),
                  traced.empty() ? "none" : core::printable(core::join(traced, ", "))));
}

// That models were traced, but size nothing of the board, as an error.
std::optional<core::Diagnostic> nothing_sized(const Analysis& analysis) {
  const auto& cores = analysis.sizing.cores;
  const bool is_traced =
      std::ranges::any_of(cores, [](const auto& core) { return !core.instances.empty(); });
  if (!analysis.board || !is_traced || !suggestions_of(analysis.sizing).empty()) {
    return std::nullopt;
  }
  return unsized(analysis);
}

// An address that is not believed, as it is told of a core: it may be right.
bool doubts_address(const core::Diagnostic& diagnostic) {
  return diagnostic.code == Code::kSizingAddresses && !diagnostic.party("core").empty();
}

// --strict: warnings that numbers may be too small become errors.
void make_strict(sizing::Sizing& sizing) {
  for (core::Diagnostic& diagnostic : sizing.diagnostics) {
    const bool doubtful =
        (forbids_map(sizing, diagnostic) && diagnostic.code != Code::kSizingGeneration) ||
        doubts_address(diagnostic);
    if (doubtful && diagnostic.severity == core::Severity::kWarning) {
      diagnostic.severity = core::Severity::kError;
    }
  }
}

// Where no map can be made of the suggestions, what emit calls errors are errors here, too.
void make_misfits_errors(Analysis& analysis) {
  if (!analysis.board || analysis.suggested) {
    return;
  }
  const auto map = layout::resolve(*analysis.board, suggestions_of(analysis));
  const core::Diagnostics misfits = map ? core::Diagnostics{} : map.error();
  for (core::Diagnostic& diagnostic : analysis.sizing.diagnostics) {
    if (core::is_told(misfits, diagnostic)) {
      diagnostic.severity = core::Severity::kError;
    }
  }
}

}  // namespace

core::Result<model::Recording> read_inputs(Session& session, const AnalyzeRequest& request) {
  RecordingJoiner joiner{session, request};
  core::Diagnostics errors;
  const auto keep = [&](const core::Diagnostics& found) {
    errors.insert(errors.end(), found.begin(), found.end());
  };
  const auto with = read_with(session, request.format);
  MEMSIZE_TRY(with);
  for (const std::string& path : request.inputs) {
    auto stream = session.files.open(path);
    if (!stream) {
      keep(stream.error());
      continue;
    }
    const auto text = core::unpacked(std::move(*stream), path);
    auto read = readers::read_stream(*text, path, with->format, with->patterns);
    if (!read) {
      keep(read.error());
      continue;
    }
    const core::Diagnostics said = core::warnings_of(*text);
    read->diagnostics.insert(read->diagnostics.end(), said.begin(), said.end());
    const auto added = joiner.add(std::move(*read), path);
    if (!added) {
      keep(added.error());
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return joiner.finish();
}

core::Result<board::TraceFormat> load_format(Session& session,
                                             const AnalyzeRequest& request,
                                             const model::Recording& recording) {
  std::string name;
  if (recording.inputs.empty()) {
    const auto board = load_board(session, request.board);
    MEMSIZE_TRY(board);
    name = board->format;
  } else {
    name = recording.inputs.front().trace_format;
  }
  if (board::is_path(request.format)) {
    name = request.format;
  }
  return session.shelf->format(session.files, session.data.boards, name);
}

core::Result<sizing::Options> sizing_options(const AnalyzeRequest& request,
                                             const model::Recording& recording) {
  sizing::Options options;
  const std::string headroom = !request.headroom.empty() ? request.headroom : recording.headroom;
  if (auto unclear = unclear_headroom(request.headroom); unclear) {
    return core::fail(std::move(*unclear));
  }
  if (!headroom.empty()) {
    const auto parsed = sizing::parse_headroom(headroom);
    if (!parsed) {
      core::Diagnostics errors = parsed.error();
      errors.front().message = fmt::format("--headroom: {}", errors.front().message);
      errors.front().option = "--headroom";
      return tl::make_unexpected(std::move(errors));
    }
    options.headroom = *parsed;
  }
  const std::string instances =
      !request.instances.empty() ? request.instances : recording.instances;
  options.together = instances != "apart";
  options.tight = request.tight;
  options.one_priority = request.one_priority || recording.one_priority.value_or(false);
  options.idle = request.needs.idle;
  return options;
}

void size_with_board(Analysis& analysis, const sizing::Options& options) {
  sizing::BoardView view = view_of(*analysis.current);
  const auto size = [&](std::vector<sizing::HeapRegion> heaps) {
    view.heaps = std::move(heaps);
    analysis.sizing = sizing::size_recording(analysis.recording, analysis.format, &view, options);
    grow_suggestions(analysis);
    settle_needs(analysis);
  };
  size(known_heaps(analysis));
  // Suggestions that do not fit the board's windows are said where a map is made of them.
  map_suggestions(analysis);
  if (analysis.suggested && analysis.match == AddressMatch::kNone) {
    match_shrunk_map(analysis, view, options, size);
  }
  const std::string addresses = name_of_addresses(analysis.recording);
  if (!addresses.empty()) {
    analysis.sizing.diagnostics.push_back(match_note(analysis, addresses));
  }
}

sizing::Sizing size_on_map(const model::Recording& recording,
                           const board::TraceFormat& format,
                           const layout::MemoryMap& map,
                           const sizing::Options& options) {
  sizing::BoardView view = view_of(map);
  view.heaps = heaps_of(map);
  if (!sizing::addresses_match(recording, format, view.heaps)) {
    view.heaps.clear();
  }
  return sizing::size_recording(recording, format, &view, options);
}

bool forbids_map(const sizing::Sizing& sizing, const core::Diagnostic& diagnostic) {
  switch (diagnostic.code) {
    case Code::kReadBadRecord:
    case Code::kSizingIncomplete:
    case Code::kSizingTotals:
    case Code::kSizingGeneration:
    case Code::kSizingEmulated:
      return diagnostic.severity != core::Severity::kNote;
    case Code::kTraceFailed:
      return !is_counted_failure(sizing, diagnostic);
    default:
      return false;
  }
}

core::Result<board::KnobValues> suggestions_to_emit(Session& session,
                                                    const EmitRequest& request,
                                                    Analysis& analysis) {
  core::Diagnostics errors;
  core::Diagnostics warnings;
  for (core::Diagnostic& diagnostic : analysis.sizing.diagnostics) {
    if (is_counted_failure(analysis.sizing, diagnostic)) {
      diagnostic.severity = core::Severity::kWarning;
      diagnostic.hint =
          "this map has room for it; models that would have been loaded later are not in the trace";
    }
  }
  for (core::Diagnostic diagnostic : analysis.sizing.diagnostics) {
    const bool accepted = diagnostic.code == Code::kSizingGeneration && request.accept_generation;
    if (!forbids_map(analysis.sizing, diagnostic) || accepted) {
      if (diagnostic.severity == core::Severity::kWarning) {
        warnings.push_back(std::move(diagnostic));
      }
      continue;
    }
    if (diagnostic.code == Code::kSizingGeneration) {
      diagnostic.hint = generation_hint(session, request, analysis);
    }
    diagnostic.severity = core::Severity::kError;
    errors.push_back(std::move(diagnostic));
  }
  board::KnobValues values = suggestions_of(analysis);
  if (values.empty() && errors.empty() && !analysis.request.needs.any()) {
    // First what matters, then why.
    errors.push_back(unsized(analysis));
    errors.insert(errors.end(), warnings.begin(), warnings.end());
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return values;
}

board::KnobValues suggestions_of(const Analysis& analysis) {
  board::KnobValues values = over(suggestions_of(analysis.sizing), analysis.needed);
  if (analysis.growth) {
    values = over(std::move(values), analysis.growth->values);
  }
  return over(std::move(values), analysis.settings);
}

void judge_sizing(Analysis& analysis, bool strict) {
  core::Diagnostics& said = analysis.sizing.diagnostics;
  if (auto nothing = nothing_sized(analysis); nothing) {
    said.insert(said.begin(), std::move(*nothing));
  }
  if (strict) {
    make_strict(analysis.sizing);
  }
  make_misfits_errors(analysis);
}

void keep_warnings(const core::Diagnostics& found, core::Diagnostics& kept) {
  for (const core::Diagnostic& diagnostic : found) {
    if (diagnostic.severity == core::Severity::kWarning && !core::is_told(kept, diagnostic)) {
      kept.push_back(diagnostic);
    }
  }
}

core::Diagnostic describe_growth(const layout::Growth& growth) {
  core::Diagnostic said = core::note(
      Code::kSizingMmu,
      fmt::format("the MMU could not map these sizes: {} more in all, {}",
                  core::format_size(growth.cost),
                  growth.proved ? "no less would do"
                                : "the least that was found; not all that is less was tried"));
  for (const auto& [knob, value] : growth.values) {
    said.details.push_back(fmt::format("{} = {}", knob, core::format_size(core::Bytes{value})));
  }
  for (std::size_t i = 0; i < growth.after.size(); ++i) {
    said.details.push_back(fmt::format("{}: {} translation tables, {} before",
                                       growth.after[i].first,
                                       growth.after[i].second,
                                       growth.before[i].second));
  }
  return said;
}

}  // namespace memsize::app
