// memsize fit: models and a budget in, which of them fit together out. Exit status 3 where not all
// do; the answer is there all the same.
#include "memsize/app/fit.hpp"
#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"

#include "show/sets/report_fit.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kFitSchema = "memsize.fit/1";

struct FitOptions {
  app::FitRequest request;
  app::ProjectRequest project;
  std::string output;
  bool json = false;
  bool verbose = false;
};

core::Diagnostic fit_misuse(std::string what, std::string hint) {
  return core::error(Code::kUsage, std::move(what), {}, std::move(hint));
}

std::optional<core::Diagnostic> misused(app::Session& session, const FitOptions& options) {
  const std::vector<std::string>& inputs = options.request.analyze.inputs;
  if (inputs.empty()) {
    return fit_misuse("INPUT is required", "memsize fit --help shows how");
  }
  if (options.request.analyze.board.name.empty()) {
    return fit_misuse("fit holds models against a board", "name it with --board");
  }
  if (std::ranges::count(inputs, "-") > 1) {
    return fit_misuse("standard input can be read only once",
                      "name the other models by their paths");
  }
  for (const std::string& input : inputs) {
    if (session.files.is_directory(input)) {
      return fit_misuse(
          fmt::format("'{}' is a folder: each input is one model", core::printable(input)),
          "name the documents in it, which memsize analyze DIR -o OUT writes of logs");
    }
    if (!options.output.empty() && input != "-" && session.files.same_file(input, options.output)) {
      return fit_misuse(fmt::format("-o '{}' is also an input", core::printable(options.output)),
                        "choose another file for the report");
    }
  }
  return std::nullopt;
}

Outcome answer(app::Session& session, const FitOptions& options) {
  if (auto wrong = misused(session, options); wrong) {
    return failed({std::move(*wrong)}, kFitSchema, options.json);
  }
  const auto fit = app::fit(session, options.request);
  if (!fit) {
    return failed(fit.error(), kFitSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  outcome.diagnostics = fit->diagnostics;
  outcome.status = core::exit_status(outcome.diagnostics);
  outcome.text = fit_text(*fit, options.verbose);
  outcome.brief = outcome.text.substr(0, outcome.text.find('\n') + 1);
  outcome.paint = Outcome::Paint::kVerdict;
  outcome.document = fit_document(*fit);
  if (options.output.empty()) {
    return outcome;
  }
  const std::string content = options.json ? core::document_text(outcome.document) : outcome.text;
  if (const auto written = session.files.replace({{options.output, content}}); !written) {
    return failed(written.error(), kFitSchema, options.json);
  }
  outcome.text.clear();
  outcome.json = false;
  return outcome;
}

Outcome run(app::Session& session, FitOptions options) {
  const auto project = load_project(session, options.project);
  if (!project) {
    return failed(project.error(), kFitSchema, options.json);
  }
  app::Defaults defaults{*project};
  app::AnalyzeRequest& analyze = options.request.analyze;
  std::string sizing;
  defaults.fill_inputs(analyze.inputs, sizing);
  if (!sizing.empty()) {
    analyze.inputs.push_back(sizing);
  }
  defaults.fill(analyze.board);
  defaults.fill_margins(analyze);
  defaults.fill_generation(options.request.accept_generation);
  options.request.project_budgets = project->budgets;
  Outcome outcome = answer(session, options);
  say_where(defaults, outcome);
  return outcome;
}

}  // namespace

Run add_fit(const Command& app) {
  auto options = std::make_shared<FitOptions>();
  const Command verb =
      app.verb("fit", "Which models fit together into a budget, and on which cores");
  verb.footer(
      "Examples:\n"
      "  memsize fit a.json b.json c.log --board j722s-sdk11 --budget 64MiB\n"
      "  memsize fit *.json --board j722s --core c7x_2 --budget 48MiB     # all of them there\n"
      "  memsize fit *.json --board j722s --core c7x_1 --core c7x_2 --budget 48MiB  # each on one\n"
      "  memsize fit *.json --board j722s --core c7x_1 --core c7x_2 --budget all=64MiB\n"
      "  memsize fit *.json --board j722s --budget 64MiB --one-priority   # all at one priority\n"
      "Exit status: 0 all fit together, 3 not all do.");
  verb.option("INPUT",
              options->request.analyze.inputs,
              "Logs or sizing documents, a model each; - is standard input");
  add_board_option(verb, options->request.analyze.board);
  add_project_options(verb, options->project);
  verb.option("--budget",
              options->request.budgets,
              "What the heaps of each core may take: 64MiB; of one: CORE=64MiB; of all together: "
              "all=96MiB (repeat)")
      .repeated()
      .filled();
  verb.option("--core",
              options->request.cores,
              "Models run there, wherever they were traced; of several, each goes to one (repeat)")
      .repeated()
      .filled();
  verb.option(
      "--format", options->request.analyze.format, "Read with this reader (memsize list readers)");
  add_sizing_options(verb, options->request.analyze);
  verb.flag("--accept-generation",
            options->request.accept_generation,
            "Count on traces of another SDK generation than the board's");
  add_json_flag(verb, options->json);
  verb.option("-o,--output", options->output, "Write to this file instead of standard output");
  verb.main_options(
      {"--board", "--budget", "--core", "--headroom", "--one-priority", "--json", "--output"});
  return [options, &screen = app.screen()](app::Session& session) {
    options->verbose = screen.verbose;
    return run(session, *options);
  };
}

}  // namespace memsize::cli
