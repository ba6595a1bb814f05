// memsize emit: shows, compares or writes the files of a map, or hands an SDK tree to emit_tree().
// The only verb that writes a map; nothing is written where a file of somebody else would be lost.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "emit_files.hpp"
#include "emit_module.hpp"
#include "emit_tree.hpp"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kEmitSchema = "memsize.emit/1";

struct EmitOptions {
  app::EmitRequest request;
  app::ProjectRequest project_file;
  app::Project project;
  app::ModuleRequest module;
  std::vector<std::string> traces;
  std::string sizing;
  std::string out;
  std::string templates;
  bool force = false;
  bool keep = false;
  bool json = false;
  std::string annotations;
};

// The user's files that the map depends on. What is bundled changes with memsize alone.
std::vector<std::string> inputs_of(const app::Session& session,
                                   const EmitOptions& options,
                                   const app::Emission* emission) {
  std::vector<std::string> inputs;
  if (!options.project.path.empty()) {
    inputs.push_back(options.project.path);
  }
  for (std::size_t i = 0; emission != nullptr && i < emission->map.board.files.size(); ++i) {
    const std::string& file = emission->map.board.files[i];
    if (!file.starts_with(session.data.boards + "/")) {
      inputs.push_back(file);
    }
  }
  const std::vector<std::string>& traces = options.request.trace.inputs;
  inputs.insert(inputs.end(), traces.begin(), traces.end());
  return inputs;
}

Json document(const app::Session& session,
              const EmitOptions& options,
              const app::Emission& emission,
              const std::vector<app::OnDisk>& files) {
  Json json;
  json["schema"] = kEmitSchema;
  json["board"] = emission.map.board.name;
  json["out"] = options.out;
  json["inputs"] = inputs_of(session, options, &emission);
  json["artifacts"] = artifacts_json(emission.artifacts, files);
  add_balance(
      emission.map, emission.baseline, emit::affected_by(emission.map, emission.baseline), json);
  return json;
}

std::string summary(const EmitOptions& options,
                    const app::Emission& emission,
                    const std::vector<app::OnDisk>& files) {
  const std::string out =
      written_summary(emission.map.board.name, options.out, emission.artifacts, files);
  if (emission.is_default) {
    return out + fmt::format(
                     "This is the board's default map; size it with: memsize emit --board {} "
                     "--trace LOG\n",
                     core::shell_path(options.request.board.name));
  }
  const bool explained = core::contains(emission.artifacts, "rebuild", &emit::Artifact::emitter);
  const std::string budgets = budget_line(options.request.budgets, emission.map);
  return out + fmt::format("{}{}{}\n",
                           balance_sentence(emission.map,
                                            emission.baseline,
                                            emit::affected_by(emission.map, emission.baseline)),
                           explained ? " REBUILD.md says how." : "",
                           budgets.empty() ? budgets : "\n" + budgets);
}

// What the command line's description cannot say.
std::optional<core::Diagnostic> check_usage(app::Session& session, const EmitOptions& options) {
  const app::AnalyzeRequest& trace = options.request.trace;
  if (options.request.board.name.empty()) {
    return core::error(
        Code::kUsage,
        options.project.path.empty()
            ? "no board is named, and there is no memsize.toml that could name one"
            : "no board is named, neither with --board nor in the project file",
        {},
        options.module.plan.reports.empty()
            ? "memsize emit --board BOARD, or in memsize.toml: board = \"BOARD\"; "
              "memsize list boards shows them"
            : "memsize emit --board PART --plan REPORT; memsize list parts shows them");
  }
  const std::array about_trees = {std::pair{"--linux", !options.request.linux_tree.empty()},
                                  std::pair{"--keep", options.keep}};
  for (const auto& [name, is_given] : about_trees) {
    if (is_given && options.request.sdk.empty()) {
      return core::error(Code::kUsage,
                         fmt::format("{} is about an SDK tree: give one with --sdk", name),
                         {},
                         "memsize emit --help shows how");
    }
  }
  if (!options.request.sdk.empty() && !options.request.only.empty()) {
    return core::error(Code::kUsage,
                       "--only is about --out: in an SDK tree, all files must agree",
                       {},
                       "leave out --only, or name a folder with --out");
  }
  if (auto lacks = lacks_trace(trace, "emit"); lacks) {
    return lacks;
  }
  const bool has_plan = !options.module.plan.reports.empty();
  if (auto wrong = has_plan
                       ? wrong_with_plan(options.module, options.request, !trace.inputs.empty())
                       : lacks_plan(options.module, "emit");
      wrong) {
    return wrong;
  }
  if (!options.templates.empty() && !session.files.is_directory(options.templates)) {
    return core::error(Code::kFileRead,
                       fmt::format("cannot read '{}': there is no such folder",
                                   core::printable(options.templates)),
                       {options.templates});
  }
  return std::nullopt;
}

Outcome run_module(app::Session& session, EmitOptions options) {
  ModuleOptions module{.request = std::move(options.module),
                       .out = std::move(options.out),
                       .diff = options.request.diff,
                       .check = options.request.check,
                       .force = options.force,
                       .json = options.json};
  module.request.plan.board = options.request.board.name;
  module.request.plan.set = options.request.board.set;
  module.request.only = options.request.only;
  if (!options.project.path.empty()) {
    module.inputs.push_back(options.project.path);
  }
  if (module.out.empty()) {
    module.out =
        options.project.beside("memsize-out/" + app::board_stem(module.request.plan.board));
  }
  return emit_module(session, std::move(module), kEmitSchema);
}

Outcome run_emit(app::Session& session, EmitOptions options) {
  options.request.trace.inputs = options.traces;
  if (!options.sizing.empty()) {
    options.request.trace.inputs.push_back(options.sizing);
  }
  options.request.out = options.out;
  if (options.force || options.keep) {
    options.request.hand_edits = options.force ? sdk::HandEdits::kForce : sdk::HandEdits::kKeep;
  }
  if (!options.templates.empty()) {
    session.data.templates.insert(session.data.templates.begin(), options.templates);
  }
  if (auto wrong = check_usage(session, options); wrong) {
    return failed({std::move(*wrong)}, kEmitSchema, options.json);
  }
  if (!options.request.sdk.empty()) {
    Outcome outcome = emit_tree(session, options.request, kEmitSchema, options.json);
    if (outcome.document.contains("sdk")) {
      outcome.document["inputs"] = inputs_of(session, options, nullptr);
    }
    return outcome;
  }
  while (options.out.size() > 1 && options.out.ends_with('/')) {
    options.out.pop_back();
  }
  if (!options.module.plan.reports.empty()) {
    return run_module(session, std::move(options));
  }
  auto emission = render(session, options.request);
  if (!emission) {
    Outcome outcome = failed(emission.error(), kEmitSchema, options.json);
    outcome.document["board"] = options.request.board.name;
    return outcome;
  }
  if (options.out.empty()) {
    options.out = options.project.beside("memsize-out/" + emission->map.board.name);
  }
  const bool writes = !options.request.diff && !options.request.check;
  const auto files = writes ? write_map(session, options.out, *emission, options.force)
                            : core::Result<std::vector<app::OnDisk>>{
                                  compare(session, options.out, emission->artifacts)};
  if (!files) {
    Outcome refused = failed(files.error(), kEmitSchema, options.json);
    refused.document["board"] = emission->map.board.name;
    return refused;
  }
  Outcome outcome{.json = options.json};
  outcome.diagnostics = emission->diagnostics;
  if (options.json) {
    outcome.document = document(session, options, *emission, *files);
  }
  if (options.request.diff) {
    return show_diff(emission->artifacts, *files, std::move(outcome));
  }
  if (options.request.check) {
    return check_disk(*files, std::move(outcome));
  }
  outcome.text = summary(options, *emission, *files);
  if (emission->is_default) {
    outcome.diagnostics.push_back(
        core::note(Code::kEmitDefault,
                   "this is the board's default map",
                   {},
                   fmt::format("size it with: memsize emit --board {} --trace LOG",
                               core::shell_path(options.request.board.name))));
  }
  return outcome;
}

Outcome run_project(app::Session& session, EmitOptions options) {
  auto project = load_project(session, options.project_file);
  if (!project) {
    return failed(project.error(), kEmitSchema, options.json);
  }
  options.project = std::move(*project);
  app::Defaults defaults{options.project};
  const bool is_of_map = !options.traces.empty() || !options.sizing.empty() ||
                         !options.request.sdk.empty() || !options.request.board.set.empty();
  if (!is_of_map) {
    defaults.fill(options.module);
  }
  options.module.plan.reports.empty() ? defaults.fill(options.request.board)
                                      : defaults.fill_name(options.request.board);
  defaults.fill_margins(options.request.trace);
  if (options.module.plan.reports.empty()) {
    defaults.fill_inputs(options.traces, options.sizing);
  }
  defaults.fill_generation(options.request.accept_generation);
  options.request.budgets = options.project.budgets;
  app::Target target{options.out, options.request.sdk, options.request.linux_tree};
  defaults.fill(target);
  options.out = std::move(target.out);
  options.request.sdk = std::move(target.sdk);
  options.request.linux_tree = std::move(target.linux_tree);
  Outcome outcome = run_emit(session, options);
  say_where(defaults, outcome);
  return outcome;
}

Outcome run(app::Session& session, const EmitOptions& options) {
  Outcome outcome = run_project(session, options);
  outcome.annotations = options.annotations;
  if (options.request.diff) {
    outcome.paint = Outcome::Paint::kDiff;
  } else {
    outcome.brief = "";
  }
  return outcome;
}

}  // namespace

Run add_emit(const Command& app) {
  auto options = std::make_shared<EmitOptions>();
  const Command verb =
      app.verb("emit", "Write every file of a memory map, or bring an SDK tree to it");
  verb.footer(
      "Examples:\n"
      "  memsize emit --board j722s                                # the default map\n"
      "  memsize emit --board j722s-sdk11 --trace trace.log --out out/\n"
      "  memsize emit --board j722s --set c7x_2_ddr_scratch_size=9MiB --diff\n"
      "  memsize emit --board j722s --sizing sizing.json --check   # in a build\n"
      "  memsize emit --board j722s --sdk ~/ti/vision_apps --trace run.log\n"
      "  memsize emit --board j722s --sdk ~/ti/vision_apps --trace run.log --diff\n"
      "  memsize emit --board j722s --sdk vision_apps --set c7x_2_ddr_scratch_size=9MiB --keep\n"
      "  memsize emit --board apollo510 --plan wake.plan.json --data wake.tflite --out module/\n"
      "  memsize emit                                              # as memsize.toml says\n"
      "\n"
      "Keys of memsize.toml: board, dram, traces or sizing, out or sdk, linux, headroom, "
      "instances,\n"
      "tight, one_priority, whole, idle, keep_size, images, accept_generation, as if typed; of a "
      "module\n"
      "plans, data, rules, stage, prefix, external, out; KNOB = \"SIZE\" in [set]. Budgets:\n"
      "reserved = \"SIZE\" in [budget], CORE = \"SIZE\" in [budget.core]; a map that takes more is "
      "not\n"
      "written.");
  add_board_option(verb, options->request.board);
  add_project_options(verb, options->project_file);
  const Option trace =
      verb.option("--trace", options->traces, "Analyze these logs first").repeated();
  verb.option("--sizing", options->sizing, "A document that analyze --json wrote").excludes(trace);
  const Option out =
      verb.option("--out", options->out, "Folder to write to (default: memsize-out/BOARD)")
          .filled();
  const Option only =
      verb.option("--only", options->request.only, "Only these emitters (memsize list emitters)")
          .separated_by(',')
          .filled();
  const Option sdk = verb.option("--sdk",
                                 options->request.sdk,
                                 "Edit this SDK tree in place: the folder that holds platform/")
                         .filled();
  sdk.excludes(out);
  sdk.excludes(only);
  verb.option("--linux",
              options->request.linux_tree,
              "With --sdk, edit the device trees of this kernel, too")
      .filled();
  const Option force =
      verb.flag("--force",
                options->force,
                "Overwrite what was edited by hand; with --sdk, put right what does "
                "not follow the map, too");
  verb.flag("--keep", options->keep, "With --sdk: keep what was edited by hand, change the rest")
      .excludes(force);
  add_trace_options(verb, options->request);
  add_module_options(verb, options->module);
  verb.option("--templates", options->templates, "Look for templates here first");
  const Option diff =
      verb.flag("--diff", options->request.diff, "Show what would change, write nothing");
  verb.flag(
          "--check", options->request.check, "Exit with 1 if anything would change, write nothing")
      .excludes(diff);
  const Option json = add_json_flag(verb, options->json);
  add_annotations_option(verb, options->annotations).excludes(json);
  verb.main_options({"--board", "--trace", "--set", "--out", "--sdk", "--diff"});
  return [options](app::Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
