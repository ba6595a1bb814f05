// memsize validate: a map, of a board or in a folder, is run on emulated cores; with --log, logs of
// the real board are held against it, and nothing is run unless --on asks for it.

#include "emit_module.hpp"
#include "show/plans/report_module.hpp"
#include "show/plans/report_network_run.hpp"
#include "show/report_board_log.hpp"
#include "show/report_validate.hpp"
#include "time_option.hpp"
#include "verbs.hpp"

#include <memory>
#include <utility>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kValidateSchema = "memsize.validate/1";

struct ValidateOptions {
  app::ValidateRequest request;
  app::ModuleRequest module;
  app::ProjectRequest project_file;
  std::vector<std::string> traces;
  std::string sizing;
  std::string on;
  std::string toolchain;
  std::string timeout;
  bool json = false;
};

// What the command line's description cannot say.
std::optional<core::Diagnostic> check_usage(ValidateOptions& options) {
  app::ValidateRequest& request = options.request;
  for (const auto& [name, value] :
       {std::pair{"--soc", &request.soc}, std::pair{"--os", &request.os}}) {
    if (!value->empty() && request.emit.sdk.empty()) {
      return lacks_option(name, "--sdk", "validate");
    }
  }
  if (request.emit.board.name.empty() && request.emit.sdk.empty() &&
      (request.map.empty() || !options.module.plan.reports.empty())) {
    return core::error(Code::kUsage,
                       "no board is named, and there is no memsize.toml that could name one",
                       {},
                       "memsize validate --board BOARD; memsize list boards shows them");
  }
  const bool has_plan = !options.module.plan.reports.empty();
  if (!request.map.empty() && !request.emit.board.set.empty() && !has_plan) {
    return core::error(
               Code::kUsage,
               "--set is about a map that is made: the sizes of one in a folder stand there",
               {},
               "leave out --set or --map")
        .of_option("--set");
  }
  const bool has_trace = !options.traces.empty() || !options.sizing.empty();
  if (auto wrong = has_plan ? wrong_with_plan(options.module, request.emit, has_trace)
                            : lacks_plan(options.module, "validate");
      wrong) {
    return wrong;
  }
  if (!options.timeout.empty()) {
    const auto time = parse_time("--timeout", options.timeout);
    if (!time) {
      return time.error().front();
    }
    request.run.timeout = *time;
  }
  return std::nullopt;
}

Outcome run_module(app::Session& session, const ValidateOptions& options) {
  app::ModuleValidateRequest request{
      .module = options.module, .files = options.request.map, .run = options.request.run};
  request.module.plan.board = options.request.emit.board.name;
  request.module.plan.set = options.request.emit.board.set;
  const auto validation = validate_module(session, request);
  if (!validation) {
    Outcome outcome = failed(validation.error(), kValidateSchema, options.json);
    outcome.document["board"] = request.module.plan.board;
    if (runtime::was_interrupted()) {
      outcome.status = core::ExitStatus::kInterrupted;
    }
    return outcome;
  }
  Outcome outcome{.json = options.json};
  outcome.document["schema"] = kValidateSchema;
  outcome.document["board"] = validation->module.part.name;
  outcome.diagnostics = validation->diagnostics;
  if (validation->network) {
    outcome.text = network_text(request, *validation);
    add_network(request, *validation, outcome.document);
  } else {
    outcome.text = module_text(request, *validation);
    add_module(request, *validation, outcome.document);
  }
  const core::Diagnostics& found =
      validation->network ? validation->network->findings : validation->result.findings;
  outcome.diagnostics.insert(outcome.diagnostics.end(), found.begin(), found.end());
  outcome.status = core::exit_status(outcome.diagnostics);
  return outcome;
}

Outcome run(app::Session& session, ValidateOptions options) {
  if (!session.attended) {
    return failed({core::error(Code::kUsage,
                               "validate runs other programs, which a library does not",
                               {},
                               "the program memsize validates a map that was written")},
                  kValidateSchema,
                  options.json);
  }
  app::ValidateRequest& request = options.request;
  auto project = load_project(session, options.project_file);
  if (!project) {
    return failed(project.error(), kValidateSchema, options.json);
  }
  app::Defaults defaults{*project};
  const bool is_of_map = !options.traces.empty() || !options.sizing.empty() ||
                         !request.logs.empty() || !request.emit.board.set.empty();
  if (!is_of_map) {
    defaults.fill(options.module);
  }
  const bool has_plan = !options.module.plan.reports.empty();
  if (has_plan) {
    defaults.fill_name(request.emit.board);
  } else if (request.map.empty()) {
    defaults.fill(request.emit.board);
  } else {
    defaults.fill_board(request.emit.board);
  }
  defaults.fill_margins(request.emit.trace);
  if (!has_plan) {
    defaults.fill_inputs(options.traces, options.sizing);
  }
  defaults.fill_generation(request.emit.accept_generation);
  while (request.map.size() > 1 && request.map.ends_with('/')) {
    request.map.pop_back();
  }
  if (auto wrong = check_usage(options); wrong) {
    return failed({std::move(*wrong)}, kValidateSchema, options.json);
  }
  request.emit.trace.inputs = options.traces;
  if (!options.sizing.empty()) {
    request.emit.trace.inputs.push_back(options.sizing);
  }
  request.emit.verb = "validate";
  // A log of the real board is read like a trace.
  if (auto lacks = lacks_trace(request.emit.trace, "validate"); lacks && request.logs.empty()) {
    return failed({std::move(*lacks)}, kValidateSchema, options.json);
  }
  request.runs = !options.on.empty() || request.logs.empty();
  request.run.where = options.on == "qemu" ? runtime::Where::kQemu : runtime::Where::kHost;
  request.run.toolchain = options.toolchain.empty()    ? runtime::default_toolchain()
                          : options.toolchain == "gcc" ? runtime::Toolchain::kGcc
                                                       : runtime::Toolchain::kClang;
  request.run.host_program = session.data.host_program;
  request.run.sources = session.data.runtime;
  if (has_plan) {
    return run_module(session, options);
  }

  const auto validation = validate(session, request);
  if (!validation) {
    Outcome outcome = failed(validation.error(), kValidateSchema, options.json);
    outcome.document["board"] = request.emit.board.name;
    if (runtime::was_interrupted()) {
      outcome.status = core::ExitStatus::kInterrupted;
    }
    say_where(defaults, outcome);
    return outcome;
  }
  Outcome outcome{.json = options.json};
  outcome.diagnostics = validation->diagnostics;
  outcome.document["schema"] = kValidateSchema;
  outcome.document["board"] = validation->map.board.name;
  const auto add = [&](const core::Diagnostics& found) {
    outcome.diagnostics.insert(outcome.diagnostics.end(), found.begin(), found.end());
  };
  if (validation->result) {
    outcome.text += validation_text(request, *validation);
    add_validation(request, *validation, outcome.document);
    add(validation->result->findings);
  }
  if (validation->log) {
    outcome.text += (outcome.text.empty() ? "" : "\n") + board_log_text(*validation->log);
    outcome.document["log"] = board_log_document(*validation->log);
    add(validation->log->findings);
  }
  outcome.status = core::exit_status(outcome.diagnostics);
  say_where(defaults, outcome);
  return outcome;
}

}  // namespace

Run add_validate(const Command& app) {
  auto options = std::make_shared<ValidateOptions>();
  const Command verb = app.verb(
      "validate", "Run a map: emulated cores under its tables, or a log of the real board");
  verb.footer(
      "Examples:\n"
      "  memsize validate --board j722s                        # the default map, as processes\n"
      "  memsize validate --board j722s-sdk11 --trace trace.log --on qemu\n"
      "  memsize validate --board j722s --map memsize-out/j722s # files as they are\n"
      "  memsize validate --sdk ~/ti/vision_apps --soc j784s4  # the map that a tree has\n"
      "  memsize validate --board j722s-sdk11 --trace before.log --log after.log\n"
      "  memsize validate --board apollo510 --plan wake.plan.json --data wake.tflite --on qemu\n"
      "  memsize validate --board gap9 --plan network_info.json --set l1=2600 --on qemu\n"
      "\n"
      "On the host each core is a process whose address space is made of its map; on QEMU it is "
      "an\n"
      "emulated core (Armv8 for one with an MMU, Armv7-R for one with an MPU) that runs an "
      "image,\n"
      "compiled here with clang and lld or with gcc. Exit status: 1 something is wrong, 3 a block "
      "does\n"
      "not fit a log's heap, 4 a tool is missing, or an image did not end.");
  app::ValidateRequest& request = options->request;
  add_board_option(verb, request.emit.board);
  add_project_options(verb, options->project_file);
  const Option trace =
      verb.option(
              "--trace", options->traces, "Size the map by these logs, and replay them (repeat)")
          .repeated();
  verb.option("--sizing", options->sizing, "A document that analyze --json wrote").excludes(trace);
  verb.option("--map", request.map, "Run the files in this folder, which emit --out wrote")
      .filled();
  verb.option("--sdk", request.emit.sdk, "Run the map that this SDK tree's scripts make").filled();
  verb.option("--soc", request.soc, "The part, where the SDK has several").filled();
  verb.option("--os", request.os, "The operating system of the remote cores (freertos)").filled();
  verb.option("--on", options->on, "What runs: host (default) or qemu").one_of({"host", "qemu"});
  verb.option("--toolchain",
              options->toolchain,
              "With --on qemu, what builds images: clang (default if it is there) or gcc")
      .one_of({"clang", "gcc"});
  verb.option("--timeout", options->timeout, "What one image may take (default: 30s)").filled();
  verb.option("--log",
              request.logs,
              "A console log of the board after the change; without --on nothing is run (repeat)")
      .repeated();
  add_trace_options(verb, request.emit);
  add_module_options(verb, options->module);
  add_json_flag(verb, options->json);
  verb.main_options({"--board", "--trace", "--map", "--sdk", "--on", "--log"});
  return [options](app::Session& session) {
    Outcome outcome = run(session, *options);
    outcome.brief = "";
    return outcome;
  };
}

}  // namespace memsize::cli
