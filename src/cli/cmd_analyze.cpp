#include "memsize/core/text.hpp"

#include "report.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr const char* kSchema = "memsize.sizing/1";

struct Options {
  AnalyzeRequest request;
  ProjectRequest project;
  bool strict = false;
  bool explain = false;
  bool json = false;
  bool csv = false;
  bool markdown = false;
  std::string output;
};

std::optional<core::Diagnostic> check_usage(Session& session, const Options& options) {
  const std::vector<std::string>& inputs = options.request.inputs;
  if (inputs.empty()) {
    return core::error(
        core::Code::kUsage, "INPUT is required", {}, "memsize analyze --help shows how");
  }
  if (auto wrong = lacks_board(options.request.board, "analyze"); wrong) {
    return wrong;
  }
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    return core::error(core::Code::kUsage,
                       "standard input can be read only once",
                       {},
                       "memsize analyze --help shows how");
  }
  for (const std::string& input : inputs) {
    if (!options.output.empty() && session.files.same_file(input, options.output)) {
      return core::error(core::Code::kUsage,
                         fmt::format("-o '{}' is also an input", core::printable(options.output)),
                         {},
                         "choose another file for the report");
    }
  }
  return std::nullopt;
}

Outcome run_analyze(Session& session, const Options& options) {
  if (auto wrong = check_usage(session, options); wrong) {
    return failed({std::move(*wrong)}, kSchema, options.json);
  }
  auto analysis = analyze(session, options.request);
  if (!analysis) {
    return failed(analysis.error(), kSchema, options.json);
  }
  Outcome outcome;
  if (options.strict) {
    for (core::Diagnostic& diagnostic : analysis->sizing.diagnostics) {
      if (diagnostic.code == core::Code::kSizingIncomplete) {
        diagnostic.severity = core::Severity::kError;
      }
    }
  }
  outcome.diagnostics = analysis->sizing.diagnostics;
  outcome.status = core::exit_status(outcome.diagnostics);
  outcome.json = options.json;
  outcome.document = sizing_document(*analysis);
  outcome.text = options.csv        ? report_csv(*analysis)
                 : options.markdown ? report_markdown(*analysis)
                                    : report_text(*analysis, options.explain);
  if (!options.output.empty()) {
    const std::string content = options.json ? outcome.document.dump(2) + "\n" : outcome.text;
    const auto written = session.files.replace({{options.output, content}});
    if (!written) {
      return failed(written.error(), kSchema, options.json);
    }
    outcome.text.clear();
    outcome.json = false;
  }
  return outcome;
}

Outcome run(Session& session, Options options) {
  const auto project = load_project(session, options.project);
  if (!project) {
    return failed(project.error(), kSchema, options.json);
  }
  Defaults defaults{*project};
  std::vector<std::string>& inputs = options.request.inputs;
  std::string sizing;
  defaults.fill_inputs(inputs, sizing);
  if (!sizing.empty()) {
    inputs.push_back(sizing);
  }
  defaults.fill(options.request.board);
  defaults.fill_margins(options.request);
  Outcome outcome = run_analyze(session, options);
  say_where(defaults, outcome);
  return outcome;
}

}  // namespace

Run add_analyze(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("analyze", "How much memory a model really uses");
  verb->footer(
      "Examples:\n"
      "  memsize analyze trace.log\n"
      "  memsize analyze trace.log --board j722s-sdk11 --explain\n"
      "  memsize analyze run.log.gz --board j722s-sdk11 --json -o sizing.json\n"
      "  ssh target cat run.log | memsize analyze -\n"
      "  memsize analyze model1.log model2.log --board j722s   # both loaded together\n"
      "  memsize analyze                                       # what memsize.toml names");
  verb->add_option(
      "INPUT", options->request.inputs, "Logs or sizing documents; - is standard input");
  add_board_option(*verb, options->request.board);
  add_project_options(*verb, options->project);
  verb->add_option(
      "--core", options->request.core, "Only this core; names the core of lines without a prefix");
  verb->add_option(
      "--format", options->request.format, "Read with this reader (memsize list readers)");
  verb->add_option("--instances",
                   options->request.instances,
                   "Models of one core are loaded together (default) or apart")
      ->check(CLI::IsMember({"together", "apart"}));
  verb->add_option("--headroom",
                   options->request.headroom,
                   "Margin on what can vary: 10% (default), a size, or 0");
  verb->add_flag("--tight",
                 options->request.tight,
                 "Round to what the hardware can do instead of the vendor's step");
  verb->add_flag("--strict", options->strict, "A table that lacks records is an error");
  auto* explain =
      verb->add_flag("--explain", options->explain, "For every number its lines and its rule");
  bool& json = options->json;
  add_json_flag(*verb, json);
  auto* csv = verb->add_flag("--csv", options->csv, "One row a demand, sizes in bytes");
  auto* markdown = verb->add_flag("--markdown", options->markdown, "Tables for a report");
  verb->add_option("-o,--output", options->output, "Write to this file instead of standard output");
  csv->excludes("--json");
  markdown->excludes("--json")->excludes(csv);
  explain->excludes("--json")->excludes(csv)->excludes(markdown);
  return [options](Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
