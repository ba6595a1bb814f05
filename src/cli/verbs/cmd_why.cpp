// memsize why: a name or an address in, what it is and why out, asked of a board's map or of an SDK
// tree. What growth would change in the written files is found by rendering both maps.
#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/why.hpp"
#include "memsize/sdk/why.hpp"

#include "app/generation_guard.hpp"
#include "app/stages.hpp"
#include "app/tree_watch.hpp"
#include "show/why_report.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kWhySchema = "memsize.why/1";

struct WhyOptions {
  app::BoardRequest board;
  app::ProjectRequest project;
  /// What sizes the map.
  app::EmitRequest sizes;
  std::vector<std::string> traces;
  std::string sizing;
  std::string sdk;
  std::string soc;
  std::string os;
  layout::Question question;
  bool json = false;
};

// What memsize emit would write otherwise.
void add_files(app::Session& session, const layout::MemoryMap& before, layout::Expansion& growth) {
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
core::Result<layout::Answer> ask_board(app::Session& session, const WhyOptions& options) {
  app::EmitRequest request = options.sizes;
  request.board = options.board;
  request.trace.board = options.board;
  request.trace.inputs = options.traces;
  if (!options.sizing.empty()) {
    request.trace.inputs.push_back(options.sizing);
  }
  if (auto lacks = lacks_trace(request.trace, "why"); lacks) {
    return core::fail(std::move(*lacks));
  }
  const auto wish = sizes_to_emit(session, request);
  MEMSIZE_TRY(wish);
  const auto map = layout::resolve(wish->board, wish->values);
  MEMSIZE_TRY(map);
  auto answer = layout::answer(*map, wish->values, options.question);
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
core::Result<sdk::Platform> choose_platform(app::Session& session,
                                            const WhyOptions& options,
                                            const std::string& soc) {
  if (!soc.empty()) {
    return sdk::find_platform(session.files, options.sdk, soc);
  }
  const auto platforms = sdk::find_platforms(session.files, options.sdk);
  MEMSIZE_TRY(platforms);
  if (platforms->size() == 1) {
    return platforms->front();
  }
  std::vector<std::string> names;
  names.reserve(platforms->size());
  for (const sdk::Platform& platform : *platforms) {
    names.push_back(core::printable(platform.soc, 40));
  }
  return core::fail(usage("this SDK has several parts",
                          fmt::format("name one with --soc: {}", core::join(names, ", "))));
}

// The asked board's map; nothing where none was asked for.
core::Result<std::optional<layout::MemoryMap>> asked_map(app::Session& session,
                                                         const WhyOptions& options) {
  if (options.board.name.empty()) {
    return std::nullopt;
  }
  const auto board = load_board(session, options.board);
  MEMSIZE_TRY(board);
  auto map = layout::resolve(*board, {});
  MEMSIZE_TRY(map);
  return std::move(*map);
}

// What another operating system's script is about is not missing here.
core::Diagnostics unread_files(const sdk::Sources& sources, const sdk::Reading& reading) {
  core::Diagnostics unread;
  for (const core::Diagnostics* list : {&sources.problems, &reading.problems}) {
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
std::optional<core::Diagnostic> generation_differs(app::Session& session,
                                                   const WhyOptions& options,
                                                   const sdk::Platform& platform,
                                                   const std::string& os) {
  app::EmitRequest again = options.sizes;
  again.verb = "why";
  again.question = options.question.text;
  again.board = options.board;
  again.trace.core = options.question.core;
  again.sdk = options.sdk;
  auto differs = compare_with_tree(session, again, platform, os);
  if (differs) {
    differs->severity = core::Severity::kWarning;
  }
  return differs;
}

// Addresses are the tree's; what a board adds is how memory must be cached.
core::Result<layout::Answer> ask_tree(app::Session& session,
                                      const WhyOptions& options,
                                      core::Diagnostics& told) {
  auto board = asked_map(session, options);
  MEMSIZE_TRY(board);
  const bool named = board->has_value();
  if (named && ((!options.soc.empty() && options.soc != (*board)->board.soc) ||
                (!options.os.empty() && options.os != (*board)->board.os))) {
    return core::fail(usage(fmt::format("board '{}' is of {} with {}",
                                        (*board)->board.name,
                                        (*board)->board.soc,
                                        (*board)->board.os),
                            "leave out --board, or --soc and --os"));
  }
  const std::string os = !options.os.empty() ? options.os
                         : named             ? (*board)->board.os
                                             : std::string{sdk::kDefaultOs};
  const auto platform = choose_platform(
      session, options, options.soc.empty() && named ? (*board)->board.soc : options.soc);
  MEMSIZE_TRY(platform);
  const auto sources = sdk::read_sources(session.files, *platform, {});
  MEMSIZE_TRY(sources);
  const auto variant = sdk::find_variant(*sources, os);
  MEMSIZE_TRY(variant);
  if (!named) {
    *board = bundled_map(session, platform->soc, os);
  }
  const layout::MemoryMap* map = board->has_value() ? &**board : nullptr;
  const sdk::Reading reading =
      sdk::read_variant(*sources, **variant, map == nullptr ? 0 : map->board.mpu.first);
  auto answer = sdk::answer({*sources, **variant, reading, map}, options.question);
  if (answer) {
    answer->unread = unread_files(*sources, reading);
    if (auto differs = generation_differs(session, options, *platform, os); named && differs) {
      told.push_back(std::move(*differs));
    }
  }
  return answer;
}

// Nothing where the words fit together.
std::optional<core::Diagnostic> misused(const WhyOptions& options) {
  if (auto wrong = lacks_board(options.board, "why"); wrong) {
    return wrong;
  }
  for (const auto& [name, value] :
       {std::pair{"--soc", &options.soc}, std::pair{"--os", &options.os}}) {
    if (!value->empty() && options.sdk.empty()) {
      return lacks_option(name, "--sdk", "why");
    }
  }
  if (options.board.name.empty() && options.sdk.empty()) {
    return usage("why needs a map to look at", "name a board with --board, or an SDK with --sdk");
  }
  const bool is_sized = !options.board.set.empty() || !options.board.dram.empty() ||
                        !options.traces.empty() || !options.sizing.empty();
  if (!options.sdk.empty() && is_sized) {
    return usage(
        "--sdk reads the sizes that the tree has: --set, --dram, --trace and --sizing are "
        "for a board's map",
        "leave them out, or leave out --sdk");
  }
  return std::nullopt;
}

Outcome run_why(app::Session& session, const WhyOptions& options) {
  if (auto wrong = misused(options); wrong) {
    return failed({std::move(*wrong)}, kWhySchema, options.json);
  }
  const app::TreeWatch watch{session, watched_roots(session, options.sdk)};
  if (const auto rest = watch.at_rest(); !rest && !app::could_not_tell(rest.error())) {
    return failed(rest.error(), kWhySchema, options.json);
  }
  core::Diagnostics told;
  const auto answer =
      options.sdk.empty() ? ask_board(session, options) : ask_tree(session, options, told);
  if (const auto alone = watch.undisturbed(); !alone) {
    return failed(alone.error(), kWhySchema, options.json);
  }
  if (!answer) {
    return failed(answer.error(), kWhySchema, options.json);
  }
  Outcome outcome;
  outcome.json = options.json;
  outcome.text = why_text(*answer);
  outcome.document = why_document(*answer);
  outcome.diagnostics = std::move(told);
  outcome.diagnostics.insert(
      outcome.diagnostics.end(), answer->unread.begin(), answer->unread.end());
  return outcome;
}

// A board or a tree that is typed is asked without the other one of the project.
void fill(app::Defaults& defaults, WhyOptions& options) {
  app::Target target{{}, options.sdk, {}};
  if (options.board.name.empty()) {
    defaults.fill(target);
    options.sdk = target.sdk;
  }
  if (options.sdk.empty()) {
    defaults.fill(options.board);
    defaults.fill_margins(options.sizes.trace);
    defaults.fill_inputs(options.traces, options.sizing);
    defaults.fill_generation(options.sizes.accept_generation);
  } else if (options.soc.empty() && options.os.empty()) {
    defaults.fill_name(options.board);
  }
}

Outcome run(app::Session& session, WhyOptions options) {
  const auto project = load_project(session, options.project);
  if (!project) {
    return failed(project.error(), kWhySchema, options.json);
  }
  app::Defaults defaults{*project};
  fill(defaults, options);
  Outcome outcome = run_why(session, options);
  say_where(defaults, outcome);
  return outcome;
}

}  // namespace

Run add_why(const Command& app) {
  auto options = std::make_shared<WhyOptions>();
  const Command verb =
      app.verb("why", "What an address or a region is, who sees it, and what moves if it grows");
  verb.footer(
      "Examples:\n"
      "  memsize why DDR_C7X_2_SCRATCH --board j722s\n"
      "  memsize why 0x110300000 --board j722s               # on the bus, and as each core sees "
      "it\n"
      "  memsize why 0x110300000 --board j722s --core c7x_2  # as in a crash dump of that core\n"
      "  memsize why TIOVX_OBJ_DESC_MEM --sdk ~/ti/vision_apps --soc j784s4\n"
      "  memsize why tiovx_obj_desc_mem_size --sdk ~/ti/vision_apps --soc j784s4 --os safertos\n"
      "  memsize why DDR_C7X_2_SCRATCH --board j722s --trace trace.log  # in the map of these "
      "logs\n"
      "  memsize why DDR_C7X_2_SCRATCH                       # of what memsize.toml names");
  verb.option("NAME|ADDRESS",
              options->question.text,
              "A region, carve-out, macro, MMU entry, knob or script variable; or an address")
      .required()
      .filled();
  add_board_option(verb, options->board);
  add_project_options(verb, options->project);
  const Option trace =
      verb.option("--trace", options->traces, "Of the map that these logs size").repeated();
  verb.option("--sizing", options->sizing, "A document that analyze --json wrote").excludes(trace);
  verb.option(
      "--headroom", options->sizes.trace.headroom, "Margin on what can vary, as emit has it");
  verb.flag("--accept-generation",
            options->sizes.accept_generation,
            "Use a trace of another SDK generation than the board's");
  verb.option("--sdk", options->sdk, "An SDK tree: the folder that holds platform").filled();
  verb.option("--soc", options->soc, "The part, where the SDK has several").filled();
  verb.option("--os", options->os, "The operating system of the remote cores (freertos)").filled();
  verb.option("--core", options->question.core, "The core whose address it is").filled();
  add_json_flag(verb, options->json);
  return [options](app::Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
