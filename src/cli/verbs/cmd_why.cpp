// memsize why: a name or an address in, what it is and why out, of a board's map or of an SDK tree.
#include "memsize/app/why.hpp"

#include "show/why_report.hpp"
#include "verbs.hpp"

#include <memory>
#include <optional>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kWhySchema = "memsize.why/1";

struct WhyOptions {
  app::WhyRequest request;
  app::ProjectRequest project;
  std::vector<std::string> traces;
  std::string sizing;
  bool json = false;
};

core::Diagnostic usage(std::string message, std::string hint) {
  return core::error(Code::kUsage, std::move(message), {}, std::move(hint));
}

// Nothing where the words fit together.
std::optional<core::Diagnostic> misused(const WhyOptions& options) {
  const app::EmitRequest& map = options.request.map;
  if (auto wrong = lacks_board(map.board, "why"); wrong && options.request.folder.empty()) {
    return wrong;
  }
  for (const auto& [name, value] :
       {std::pair{"--soc", &options.request.soc}, std::pair{"--os", &options.request.os}}) {
    if (!value->empty() && map.sdk.empty()) {
      return lacks_option(name, "--sdk", "why");
    }
  }
  if (map.board.name.empty() && map.sdk.empty() && options.request.folder.empty()) {
    return usage("why needs a map to look at",
                 "name a board with --board, a folder with --map, or an SDK with --sdk");
  }
  const bool is_sized = !map.board.set.empty() || !map.board.dram.empty() ||
                        !options.traces.empty() || !options.sizing.empty();
  if (!options.request.folder.empty() && is_sized) {
    return usage("--map is a map that was made: its sizes stand in the folder",
                 "leave out --set, --dram, --trace and --sizing, or --map");
  }
  if (!map.sdk.empty() && is_sized) {
    return usage(
        "--sdk reads the sizes that the tree has: --set, --dram, --trace and --sizing are "
        "for a board's map",
        "leave them out, or leave out --sdk");
  }
  return std::nullopt;
}

Outcome run_why(app::Session& session, WhyOptions options) {
  if (auto wrong = misused(options); wrong) {
    return failed({std::move(*wrong)}, kWhySchema, options.json);
  }
  app::AnalyzeRequest& trace = options.request.map.trace;
  trace.inputs = options.traces;
  if (!options.sizing.empty()) {
    trace.inputs.push_back(options.sizing);
  }
  if (auto lacks = lacks_trace(trace, "why"); lacks && options.request.map.sdk.empty()) {
    return failed({std::move(*lacks)}, kWhySchema, options.json);
  }
  const auto found = why(session, options.request);
  if (!found) {
    return failed(found.error(), kWhySchema, options.json);
  }
  const layout::Answer& answer = found->answer;
  Outcome outcome{.json = options.json};
  outcome.text = why_text(answer);
  outcome.document = why_document(answer);
  outcome.diagnostics = found->diagnostics;
  outcome.diagnostics.insert(outcome.diagnostics.end(), answer.unread.begin(), answer.unread.end());
  return outcome;
}

// A board or a tree that is typed is asked without the other one of the project.
void fill(app::Defaults& defaults, WhyOptions& options) {
  app::EmitRequest& map = options.request.map;
  app::Target target{{}, map.sdk, {}};
  if (!options.request.folder.empty()) {
    defaults.fill_board(map.board);
    return;
  }
  if (map.board.name.empty()) {
    defaults.fill(target);
    map.sdk = target.sdk;
  }
  if (map.sdk.empty()) {
    defaults.fill(map.board);
    defaults.fill_margins(map.trace);
    defaults.fill_inputs(options.traces, options.sizing);
    defaults.fill_generation(map.accept_generation);
  } else if (options.request.soc.empty() && options.request.os.empty()) {
    defaults.fill_name(map.board);
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
      "  memsize why DDR_C7X_2_SCRATCH --map memsize-out/j722s  # in a map that was written\n"
      "  memsize why DDR_C7X_2_SCRATCH                       # of what memsize.toml names");
  verb.option("NAME|ADDRESS",
              options->request.question.text,
              "A region, carve-out, macro, MMU entry, knob or script variable; or an address")
      .required()
      .filled();
  add_board_option(verb, options->request.map.board);
  add_project_options(verb, options->project);
  const Option trace =
      verb.option("--trace", options->traces, "Of the map that these logs size").repeated();
  verb.option("--sizing", options->sizing, "A document that analyze --json wrote").excludes(trace);
  verb.option(
      "--headroom", options->request.map.trace.headroom, "Margin on what can vary, as emit has it");
  verb.flag("--accept-generation",
            options->request.map.accept_generation,
            "Use a trace of another SDK generation than the board's");
  const Option folder =
      verb.option(
              "--map", options->request.folder, "The map in this folder, which emit --out wrote")
          .filled();
  verb.option("--sdk", options->request.map.sdk, "An SDK tree: the folder that holds platform")
      .filled()
      .excludes(folder);
  verb.option("--soc", options->request.soc, "The part, where the SDK has several").filled();
  verb.option("--os", options->request.os, "The operating system of the remote cores (freertos)")
      .filled();
  verb.option("--core", options->request.question.core, "The core whose address it is").filled();
  add_json_flag(verb, options->json);
  verb.main_options({"--board", "--map", "--sdk", "--core", "--trace", "--json"});
  return [options](app::Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
