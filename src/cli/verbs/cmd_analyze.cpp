// memsize analyze: logs in, a report or a document of sizes out. Four ways lead there: one
// recording, a log that grows, folders of logs, and a board that is read from an SDK tree.
#include "memsize/app/fleet.hpp"
#include "memsize/app/follow.hpp"
#include "memsize/app/map.hpp"
#include "memsize/app/sizing_document.hpp"
#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"

#include "show/fleet_report.hpp"
#include "show/follow_report.hpp"
#include "show/progress_line.hpp"
#include "show/report.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr const char* kAnalyzeSchema = "memsize.sizing/1";
constexpr const char* kFleetSchema = "memsize.fleet/1";

struct AnalyzeOptions {
  app::AnalyzeRequest request;
  app::ProjectRequest project;
  bool strict = false;
  bool follow = false;
  bool explain = false;
  bool json = false;
  bool csv = false;
  bool markdown = false;
  std::string output;
  std::string cover;
  /// Of memsize.toml, where it was read.
  std::string project_path;
  std::vector<app::Budget> budgets;
  /// Of an SDK tree with several.
  std::string soc;
  std::string os;
  Detail detail;
};

core::Diagnostic misuse(std::string what, std::string hint) {
  return core::error(core::Code::kUsage, std::move(what), {}, std::move(hint));
}

constexpr const char* kHelpHint = "memsize analyze --help shows how";

bool is_fleet(app::Session& session, const AnalyzeOptions& options) {
  const auto& inputs = options.request.inputs;
  return std::ranges::any_of(
      inputs, [&](const std::string& input) { return session.files.is_directory(input); });
}

// What is read is not written over.
std::optional<core::Diagnostic> check_output(app::Session& session,
                                             const AnalyzeOptions& options,
                                             const std::vector<std::string>& read) {
  const bool is_read = std::ranges::any_of(read, [&](const std::string& path) {
    return !path.empty() && session.files.same_file(path, options.output);
  });
  if (options.output.empty() || !is_read) {
    return std::nullopt;
  }
  return misuse(fmt::format("-o '{}' is also an input", core::printable(options.output)),
                "choose another file for the report");
}

// Folders are told apart from logs, because several logs are one recording and a folder is none.
std::optional<core::Diagnostic> check_fleet(app::Session& session, const AnalyzeOptions& options) {
  const std::vector<std::string>& inputs = options.request.inputs;
  for (const std::string& input : inputs) {
    if (!session.files.is_directory(input)) {
      return misuse(fmt::format("'{}' is no folder: logs in folders are analyzed each for itself, "
                                "several logs together",
                                core::printable(input)),
                    "give folders only, or logs only");
    }
    if (!options.output.empty() && session.files.same_file(input, options.output)) {
      return misuse(fmt::format("-o '{}' is the folder that is read", core::printable(input)),
                    "choose another folder for the documents");
    }
  }
  if (options.follow) {
    return misuse("--follow reads one log, not a folder", kHelpHint);
  }
  if (!options.request.sdk.empty()) {
    return misuse("--sdk is for one recording, not for a folder",
                  "name the log: memsize analyze LOG --board BOARD --sdk DIR");
  }
  if (options.explain) {
    return misuse("--explain is for one recording, not for a folder",
                  "name the log: memsize analyze LOG --explain");
  }
  if (!options.output.empty() && inputs.size() > 1) {
    return misuse("-o takes the documents of one folder", "analyze the folders one by one");
  }
  // Not meant as a folder's name.
  constexpr std::array<std::string_view, 4> kNames = {".json", ".csv", ".md", ".txt"};
  const bool is_name = std::ranges::any_of(
      kNames, [&](std::string_view name) { return options.output.ends_with(name); });
  if (is_name && !session.files.is_directory(options.output)) {
    return misuse(fmt::format("of a folder, -o takes a folder for each log's document, and '{}' is "
                              "named as a file",
                              core::printable(options.output)),
                  fmt::format("for the report: > {}; for a folder of that name: -o {}/",
                              core::shell_path(options.output),
                              core::shell_path(options.output)));
  }
  return std::nullopt;
}

std::optional<core::Diagnostic> check_usage(app::Session& session, const AnalyzeOptions& options) {
  const std::vector<std::string>& inputs = options.request.inputs;
  const app::NeedRequest& needs = options.request.needs;
  if (inputs.empty() && (!needs.any() || options.follow)) {
    return misuse("INPUT is required", kHelpHint);
  }
  if (needs.any() && options.request.board.name.empty() && options.request.sdk.empty()) {
    return lacks_option(needs.whole             ? "--whole"
                        : !needs.idle.empty()   ? "--idle"
                        : !needs.images.empty() ? "--images"
                                                : "--keep-size",
                        "--board",
                        "analyze");
  }
  if (auto wrong = lacks_board(options.request.board, "analyze");
      wrong && options.request.sdk.empty()) {
    return wrong;
  }
  for (const auto& [name, value] :
       {std::pair{"--soc", &options.soc}, std::pair{"--os", &options.os}}) {
    if (!value->empty() && options.request.sdk.empty()) {
      return lacks_option(name, "--sdk", "analyze");
    }
  }
  if (std::ranges::count(inputs, "-") > 1) {
    return misuse("standard input can be read only once", kHelpHint);
  }
  if (is_fleet(session, options)) {
    return check_fleet(session, options);
  }
  if (!options.cover.empty()) {
    return misuse("--cover is for a folder of logs, each for itself",
                  "name the folder: memsize analyze FOLDER --cover 99%");
  }
  if (options.follow && !session.attended) {
    return misuse("--follow ends at a signal, which a library does not take",
                  "the program memsize follows a log");
  }
  if (options.follow && inputs.size() > 1) {
    return misuse("--follow reads one log", kHelpHint);
  }
  std::vector<std::string> read = inputs;
  std::ranges::replace(read, std::string{"-"}, std::string{"/dev/stdin"});
  read.push_back(options.project_path);
  return check_output(session, options, read);
}

// What a verb prints, written to the file of -o instead, if there is one.
Outcome written_to(app::Session& session, const AnalyzeOptions& options, Outcome outcome) {
  if (options.output.empty()) {
    return outcome;
  }
  const std::string content = options.json ? document_text(outcome.document) : outcome.text;
  const auto written = session.files.replace({{options.output, content}});
  if (!written) {
    return failed(written.error(), kAnalyzeSchema, options.json);
  }
  outcome.text.clear();
  outcome.json = false;
  return outcome;
}

// A report that cannot be written is told before anything is waited for, not hours later.
core::Result<void> try_output(app::Session& session, const std::string& path) {
  if (path.empty()) {
    return {};
  }
  const auto before = session.files.is_regular_file(path) ? session.files.read(path)
                                                          : core::Result<std::string>{""};
  const bool is_new = session.files.entry(path).kind == core::Entry::Kind::kNothing;
  const auto written = before ? session.files.replace({{path, *before}})
                              : core::Result<void>{tl::make_unexpected(before.error())};
  return written && is_new ? session.files.remove(path) : written;
}

Outcome report(app::Session& session,
               const AnalyzeOptions& options,
               core::Result<app::Analysis> analysis) {
  if (!analysis) {
    return failed(analysis.error(), kAnalyzeSchema, options.json);
  }
  if (analysis->board) {
    if (auto wrong = check_output(session, options, analysis->board->files); wrong) {
      return failed({std::move(*wrong)}, kAnalyzeSchema, options.json);
    }
  }
  Outcome outcome;
  judge_sizing(*analysis, options.strict);
  Detail detail = options.detail;
  if (analysis->suggested) {
    detail.budget = budget_line(options.budgets, *analysis->suggested);
    const core::Diagnostics over = over_budget(options.budgets, *analysis->suggested);
    core::Diagnostics& all = analysis->sizing.diagnostics;
    all.insert(all.end(), over.begin(), over.end());
  }
  outcome.diagnostics = analysis->sizing.diagnostics;
  outcome.status = core::exit_status(outcome.diagnostics);
  outcome.json = options.json;
  // A document of thousands of models costs more than their sizing.
  if (options.json) {
    outcome.document = sizing_document(*analysis);
  }
  outcome.text = options.csv        ? report_csv(*analysis)
                 : options.markdown ? report_markdown(*analysis)
                                    : report_text(*analysis, detail);
  if (!options.csv && !options.markdown) {
    outcome.brief = outcome.text.substr(0, outcome.text.find('\n') + 1);
    outcome.paint = Outcome::Paint::kVerdict;
  }
  return written_to(session, options, std::move(outcome));
}

Outcome run_follow(app::Session& session, const AnalyzeOptions& options) {
  if (const auto writable = try_output(session, options.output); !writable) {
    return failed(writable.error(), kAnalyzeSchema, options.json);
  }
  // Standard output is for one thing: a document or a table that a program reads, or people.
  const bool quiet = options.output.empty() && (options.json || options.csv || options.markdown);
  const auto print = [&](const std::string& text) {
    if (!quiet) {
      std::fputs(text.c_str(), stdout);
      std::fputs("\n", stdout);
      std::fflush(stdout);
    }
  };
  auto followed = follow(
      session,
      options.request,
      {[&](const auto& core, const model::Instance& model, bool again) {
         print(model_text(core, model, again));
       },
       [&](const std::string& path) {
         print(fmt::format("'{}' was cut or replaced: what follows is read from its beginning\n",
                           core::printable(path)));
       }});
  if (!followed) {
    return failed(followed.error(), kAnalyzeSchema, options.json);
  }
  Outcome outcome =
      followed->recording
          ? report(session,
                   options,
                   analyze_recording(session, options.request, std::move(*followed->recording)))
          : failed(followed->recording.error(), kAnalyzeSchema, options.json);
  if (followed->interrupted) {
    outcome.status = core::ExitStatus::kInterrupted;
  }
  return outcome;
}

Outcome run_fleet(app::Session& session, const AnalyzeOptions& options) {
  const app::FleetRequest request{options.request, options.strict, options.output, options.cover};
  core::Result<app::Fleet> fleet;
  {
    ProgressLine line{session.attended};
    fleet = analyze_fleet(session, request, [&](std::size_t done, std::size_t of) {
      line.show(fmt::format("{} of {} files", done, of));
    });
  }
  if (!fleet) {
    return failed(fleet.error(), kFleetSchema, options.json);
  }
  Outcome outcome{.diagnostics = fleet->diagnostics};
  outcome.status = core::exit_status(outcome.diagnostics);
  outcome.json = options.json;
  // Of a hundred thousand logs, several times as large as they are.
  if (options.json) {
    outcome.document = fleet_document(*fleet);
  }
  outcome.text = options.csv        ? fleet_csv(*fleet)
                 : options.markdown ? fleet_markdown(*fleet)
                                    : fleet_text(*fleet);
  return outcome;
}

Outcome run_on_tree(app::Session& session, AnalyzeOptions options) {
  if (!options.request.sdk.empty()) {
    const auto named = name_board_of_tree(
        session, options.request.sdk, options.soc, options.os, options.request.board);
    if (!named) {
      return failed(named.error(), kAnalyzeSchema, options.json);
    }
  }
  const auto said = take_tree(session, options.request);
  if (!said) {
    return failed(said.error(), kAnalyzeSchema, options.json);
  }
  if (options.follow) {
    return run_follow(session, options);
  }
  auto analysis = analyze(session, options.request);
  if (analysis) {
    core::Diagnostics& all = analysis->sizing.diagnostics;
    all.insert(all.begin(), said->begin(), said->end());
  }
  return report(session, options, std::move(analysis));
}

Outcome run_analyze(app::Session& session, const AnalyzeOptions& options) {
  const bool fleet = is_fleet(session, options);
  if (auto wrong = check_usage(session, options); wrong) {
    return failed({std::move(*wrong)}, fleet ? kFleetSchema : kAnalyzeSchema, options.json);
  }
  return fleet ? run_fleet(session, options) : run_on_tree(session, options);
}

Outcome run(app::Session& session, AnalyzeOptions options) {
  if (options.output == "-") {
    options.output.clear();
  }
  const auto project = load_project(session, options.project);
  if (!project) {
    return failed(project.error(), kAnalyzeSchema, options.json);
  }
  options.project_path = project->path;
  options.budgets = project->budgets;
  app::Defaults defaults{*project};
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

Run add_analyze(const Command& app) {
  auto options = std::make_shared<AnalyzeOptions>();
  const Command verb = app.verb("analyze", "How much memory a model really uses");
  verb.footer(
      "Examples:\n"
      "  memsize analyze trace.log\n"
      "  memsize analyze trace.log --board j722s-sdk11 --explain\n"
      "  memsize analyze trace.log --board j722s-sdk11 --whole --idle c7x_1\n"
      "  memsize analyze trace.log --board j722s --sdk ~/ti/vision_apps\n"
      "  memsize analyze run.log.gz --board j722s-sdk11 --json -o sizing.json\n"
      "  ssh target cat run.log | memsize analyze -\n"
      "  memsize analyze model1.log model2.log --board j722s   # both loaded together\n"
      "  memsize analyze run1.json run2.json                   # as if their logs had been read\n"
      "  memsize analyze runs/ -o sizings/                     # every log in a folder, each "
      "alone\n"
      "  memsize analyze runs/ --board j722s --cover 99%       # what the largest 1 % cost\n"
      "  memsize analyze /dev/ttyUSB2 --follow                 # models as they are loaded\n"
      "  memsize analyze                                       # what memsize.toml names");
  verb.option("INPUT",
              options->request.inputs,
              "Logs or sizing documents, together; - is standard input. Or folders: every log "
              "in them for itself");
  add_board_option(verb, options->request.board);
  verb.option("--sdk",
              options->request.sdk,
              "The board as this SDK tree has it: its sizes, and its SDK generation")
      .filled();
  verb.option("--soc", options->soc, "The part, where the SDK has several").filled();
  verb.option("--os", options->os, "The operating system of the remote cores (freertos)").filled();
  add_project_options(verb, options->project);
  verb.option(
      "--core", options->request.core, "Only this core; names the core of lines without a prefix");
  verb.option("--format",
              options->request.format,
              "Read with this reader (memsize list readers), or with a format's .toml file");
  add_sizing_options(verb, options->request);
  add_need_options(verb, options->request.needs);
  verb.flag("--strict",
            options->strict,
            "What makes a number doubtful is an error: missing records, broken rows, sums that do "
            "not agree, addresses that are not believed, a host's emulation");
  verb.option("--cover",
              options->cover,
              "Of a folder: what is enough for this share of its logs, such as 99%, beside what is "
              "enough for all")
      .filled();
  verb.flag("--follow",
            options->follow,
            "Tell each model as it is loaded; the report comes when the input ends, or with "
            "Ctrl-C (exit status 130)");
  const Option explain =
      verb.flag("--explain", options->explain, "For every number its lines and its rule");
  const Option json = add_json_flag(verb, options->json);
  const Option csv = verb.flag("--csv", options->csv, "One row a demand, sizes in bytes");
  const Option markdown = verb.flag("--markdown", options->markdown, "Tables for a report");
  verb.option("-o,--output",
              options->output,
              "Write to this file (default: -, standard output); of a folder, each log's document "
              "into this folder")
      .written_to();
  csv.excludes(json);
  markdown.excludes(json).excludes(csv);
  explain.excludes(json).excludes(csv).excludes(markdown);
  verb.main_options({"--board", "--sdk", "--headroom", "--explain", "--json", "--output"});
  return [options, &screen = app.screen()](app::Session& session) {
    // Where a terminal has the columns, or somebody wants all of them.
    constexpr std::size_t kWide = 120;
    const std::size_t width = screen.width();
    options->detail = Detail{.wide = screen.verbose || width >= kWide,
                             .explain = options->explain,
                             .width = std::min<std::size_t>(width, kWide)};
    return run(session, *options);
  };
}

}  // namespace memsize::cli
