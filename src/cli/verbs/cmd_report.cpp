// memsize report: a map as one page for people, in a file.
#include "memsize/app/report.hpp"
#include "memsize/core/text.hpp"

#include "emit_tree.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kReportSchema = "memsize.report/1";

struct ReportOptions {
  app::ReportRequest request;
  app::ProjectRequest project;
  std::vector<std::string> traces;
  std::string sizing;
  std::string only;
  std::string output;
  bool json = false;
};

core::Diagnostic unclear_report(std::string message, std::string hint) {
  return core::error(Code::kUsage, std::move(message), {}, std::move(hint));
}

// Nothing where the words fit together.
std::optional<core::Diagnostic> misused(const ReportOptions& options) {
  const app::EmitRequest& emit = options.request.emit;
  if (emit.board.name.empty() && emit.sdk.empty() && options.request.map.empty()) {
    return unclear_report("report needs a map to show",
                          "name a board with --board, a folder with --map, or an SDK with --sdk");
  }
  for (const auto& [name, value] :
       {std::pair{"--soc", &options.request.soc}, std::pair{"--os", &options.request.os}}) {
    if (!value->empty() && emit.sdk.empty()) {
      return lacks_option(name, "--sdk", "report");
    }
  }
  const bool is_sized =
      !emit.board.set.empty() || !options.traces.empty() || !options.sizing.empty();
  if (!options.request.map.empty() && is_sized) {
    return unclear_report("--map is a map that was made: its sizes stand in the folder",
                          "leave out --set, --trace and --sizing, or --map");
  }
  if (options.json && options.output == "-") {
    return unclear_report("standard output is for one thing: the page or a document",
                          "name a file with -o, or leave out --json");
  }
  if (auto lacks = lacks_trace(emit.trace, "report"); lacks) {
    return lacks;
  }
  return std::nullopt;
}

Outcome write(app::Session& session, const ReportOptions& options) {
  const auto made = report(session, options.request);
  if (!made) {
    return failed(made.error(), kReportSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  if (options.output == "-") {
    outcome.text = made->content;
    return outcome;
  }
  const auto written = session.files.replace({{options.output, made->content}});
  if (!written) {
    return failed(written.error(), kReportSchema, options.json);
  }
  outcome.document["schema"] = kReportSchema;
  outcome.document["board"] = made->map.board.name;
  outcome.document["path"] = options.output;
  outcome.brief = "";
  add_balance(made->map, made->baseline, made->affected, outcome.document);
  if (options.json) {
    outcome.diagnostics = made->diagnostics;
  }
  const auto warnings =
      std::ranges::count(made->said, core::Severity::kWarning, &core::Diagnostic::severity) +
      std::ranges::count(made->said, core::Severity::kError, &core::Diagnostic::severity);
  outcome.text = fmt::format(
      "{}: {} written; open it in a browser{}\n{}\n",
      core::printable(options.output, 400),
      core::format_size(core::Bytes{made->content.size()}),
      warnings == 0 ? std::string{}
                    : fmt::format(" ({} in it)",
                                  core::plural(static_cast<std::uint64_t>(warnings), "warning")),
      balance_sentence(made->map, made->baseline, made->affected));
  return outcome;
}

Outcome run(app::Session& session, ReportOptions options) {
  auto project = load_project(session, options.project);
  if (!project) {
    return failed(project.error(), kReportSchema, options.json);
  }
  app::Defaults defaults{*project};
  app::EmitRequest& emit = options.request.emit;
  if (options.request.map.empty()) {
    if (emit.board.name.empty() && emit.sdk.empty()) {
      app::Target target{{}, emit.sdk, emit.linux_tree};
      defaults.fill(target);
      emit.sdk = target.sdk;
    }
    defaults.fill(emit.board);
    defaults.fill_margins(emit.trace);
    defaults.fill_inputs(options.traces, options.sizing);
    defaults.fill_generation(emit.accept_generation);
  } else {
    defaults.fill_board(emit.board);
  }
  while (options.request.map.size() > 1 && options.request.map.ends_with('/')) {
    options.request.map.pop_back();
  }
  emit.trace.inputs = options.traces;
  if (!options.sizing.empty()) {
    emit.trace.inputs.push_back(options.sizing);
  }
  emit.verb = "report";
  options.request.picture = !options.only.empty();
  if (options.output.empty()) {
    options.output = options.request.picture ? "memsize-report.svg" : "memsize-report.html";
  }
  auto wrong = misused(options);
  Outcome outcome =
      wrong ? failed({std::move(*wrong)}, kReportSchema, options.json) : write(session, options);
  say_where(defaults, outcome);
  return outcome;
}

}  // namespace

Run add_report(const Command& app) {
  auto options = std::make_shared<ReportOptions>();
  const Command verb =
      app.verb("report", "A map as one page for people: strips, cores, heaps, a table");
  verb.footer(
      "Examples:\n"
      "  memsize report --board j722s-sdk11 --trace trace.log      # writes memsize-report.html\n"
      "  memsize report --board j722s-sdk11 --trace runs/          # a folder: what covers each "
      "log\n"
      "  memsize report --map memsize-out/j722s -o map.html\n"
      "  memsize report --map new/ --baseline old/                 # what changed between two "
      "folders\n"
      "  memsize report --sdk ~/ti/vision_apps --soc j784s4        # the map that a tree has\n"
      "  memsize report --board j722s --only svg -o map.svg        # the strips, for a document\n"
      "\n"
      "The page is one file: it loads nothing, works from disk, without script as a table, and on "
      "paper.");
  app::EmitRequest& emit = options->request.emit;
  add_board_option(verb, emit.board);
  add_project_options(verb, options->project);
  const Option trace = verb.option("--trace",
                                   options->traces,
                                   "Size the map by these logs, or to cover each log in folders")
                           .repeated();
  verb.option("--sizing", options->sizing, "A document that analyze --json wrote").excludes(trace);
  const Option map =
      verb.option("--map", options->request.map, "The files in this folder, which emit --out wrote")
          .filled();
  verb.option("--sdk", emit.sdk, "An SDK tree: the folder that holds platform")
      .filled()
      .excludes(map);
  verb.option("--soc", options->request.soc, "The part, where the SDK has several").filled();
  verb.option("--os", options->request.os, "The operating system of the remote cores (freertos)")
      .filled();
  verb.option("--baseline",
              options->request.baseline,
              "Compare with the map in this folder (default: the board's own, or the tree's)")
      .filled();
  add_trace_options(verb, emit);
  verb.option("--only", options->only, "svg: the strips alone, as a picture").one_of({"svg"});
  verb.option("-o,--output",
              options->output,
              "Write here (default: memsize-report.html); - is standard output")
      .written_to();
  add_json_flag(verb, options->json);
  verb.main_options({"--board", "--trace", "--map", "--sdk", "--baseline", "--output"});
  return [options](app::Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
