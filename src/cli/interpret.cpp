// The verbs and their words: a row each. What the program and the shared library have in common.
#include "interpret.hpp"

#include "memsize/core/bug.hpp"
#include "memsize/core/document.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "arguments.hpp"
#include "command_line.hpp"
#include "show/annotations.hpp"
#include "show/render_diagnostics.hpp"
#include "show/report.hpp"
#include "show/rules.hpp"
#include "show/sarif.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace memsize::cli {

Outcome failed(core::Diagnostics diagnostics, const char* schema, bool json) {
  Outcome outcome;
  core::sort_by_place(diagnostics);
  outcome.diagnostics = std::move(diagnostics);
  // What failed is not done, whatever was told of it.
  outcome.status = core::has_errors(outcome.diagnostics) ? core::exit_status(outcome.diagnostics)
                                                         : core::ExitStatus::kInput;
  outcome.json = json;
  outcome.document["schema"] = schema;
  return outcome;
}

Option add_board_option(const Command& verb, app::BoardRequest& board) {
  const Option name =
      verb.option("--board", board.name, "A bundled board, or a path to a .toml file").filled();
  verb.option("--dram", board.dram, "DRAM that this board carries, all chips together: 4GiB")
      .filled();
  verb.option("--set", board.set, "KNOB=SIZE, over everything else (repeat)").repeated();
  return name;
}

core::Diagnostic lacks_option(const char* option, const char* required, const char* verb) {
  return core::error(core::Code::kUsage,
                     fmt::format("{} requires {}", option, required),
                     {},
                     fmt::format("memsize {} --help shows how", verb));
}

std::optional<core::Diagnostic> lacks_board(const app::BoardRequest& board, const char* verb) {
  if (!board.name.empty() || (board.dram.empty() && board.set.empty())) {
    return std::nullopt;
  }
  return lacks_option(board.dram.empty() ? "--set" : "--dram", "--board", verb);
}

void add_project_options(const Command& verb, app::ProjectRequest& project) {
  const Option file =
      verb.option(
              "--project", project.file, "A file for what is not typed (default: ./memsize.toml)")
          .filled();
  verb.flag("--no-project", project.none, "Leave a memsize.toml out").excludes(file);
}

void say_where(const app::Defaults& defaults, Outcome& outcome) {
  defaults.say_where(outcome.diagnostics);
}

Option add_json_flag(const Command& verb, bool& json) {
  return verb.flag("--json", json, "One JSON document on standard output, also after an error");
}

Option add_annotations_option(const Command& verb, std::string& annotations) {
  return verb
      .option("--annotations",
              annotations,
              "github: findings as workflow commands too, which it shows beside the lines")
      .one_of({"github"});
}

namespace {

constexpr std::array kVerbs = {
    Verb{"analyze", add_analyze, "memsize.sizing/1"},
    Verb{"emit", add_emit, "memsize.emit/1"},
    Verb{"check", add_check, "memsize.check/1"},
    Verb{"plan", add_plan, "memsize.plan/1"},
    Verb{"diff", add_diff, "memsize.diff/1"},
    Verb{"validate", add_validate, "memsize.validate/1"},
    Verb{"report", add_report, "memsize.report/1"},
    Verb{"fit", add_fit, "memsize.fit/1"},
    Verb{"why", add_why, "memsize.why/1"},
    Verb{"board", add_board, "memsize.board/1"},
    Verb{"sdk", add_sdk, "memsize.sdk/1"},
    Verb{"format", add_format, "memsize.format/1"},
    Verb{"list", add_list, "memsize.list/1"},
    Verb{"completion", add_completion, nullptr},
};

// What --json or --sarif print; nothing without.
std::optional<Json> document_of(Outcome& outcome) {
  if (outcome.sarif) {
    return to_sarif(
        outcome.diagnostics, outcome.acceptance, outcome.status, all_rules(), MEMSIZE_VERSION);
  }
  if (!outcome.json) {
    return std::nullopt;
  }
  if (!outcome.document.contains("diagnostics")) {
    outcome.document["diagnostics"] = core::to_json(outcome.diagnostics);
  }
  return std::move(outcome.document);
}

const Verb* verb_of(std::string_view word) {
  return core::find_in(kVerbs, word, &Verb::name);
}

bool has(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The innermost verb of a command line, and its words: "memsize board show".
std::pair<Command, std::string> innermost(const Command& program) {
  Command at = program;
  std::string words = "memsize";
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (const Command& verb : at.verbs()) {
      if (verb.is_given()) {
        words += " " + verb.name();
        at = verb;
        deeper = true;
        break;
      }
    }
  }
  return {at, words};
}

// CLI11's sentence in our words, where ours are plainer.
std::string usage_sentence(bool top,
                           const std::string& problem,
                           const std::vector<std::string>& words) {
  std::string what = core::printable(problem, 400);
  const std::size_t depth = top ? 0 : 1;
  const bool wants_verb = what.find("subcommand is required") != std::string::npos;
  if (wants_verb || (top && !words.empty() && !words.front().starts_with('-'))) {
    return words.size() > depth && !words[depth].starts_with('-')
               ? fmt::format("there is no verb '{}'", core::printable(words[depth], 60))
               : std::string{"a verb is missing"};
  }
  const std::string option = what.substr(0, what.find(':'));
  if (what.find("At Most 1") != std::string::npos) {
    return fmt::format("{} is given more than once", option);
  }
  if (what.find("required TEXT missing") != std::string::npos ||
      what.find("needs a value") != std::string::npos) {
    return fmt::format("{} needs a value", option);
  }
  return what;
}

// The nearest verb or option to a word that is none.
std::string usage_hint(const Command& at, const std::vector<std::string>& words) {
  std::vector<std::string> names = at.long_options();
  const std::vector<Command> verbs = at.verbs();
  for (const Command& verb : verbs) {
    names.push_back(verb.name());
  }
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const bool known = std::ranges::find(names, name) != names.end();
    if (!known && name != at.name() && (word.starts_with("--") || !verbs.empty())) {
      const std::string hint = core::did_you_mean(name, names);
      if (!hint.empty()) {
        return hint + " ";
      }
    }
  }
  return {};
}

// CLI11's own words, under our name and status, with the nearest option where one was mistyped.
Outcome usage_error(const Command& program,
                    const std::string& problem,
                    const std::vector<std::string>& words) {
  const auto [at, verb] = innermost(program);
  core::Diagnostic usage =
      core::error(core::Code::kUsage, usage_sentence(at.name() == program.name(), problem, words));
  usage.hint = fmt::format("{}{} --help shows how", usage_hint(at, words), verb);
  Outcome outcome{.status = core::ExitStatus::kUsage};
  outcome.diagnostics.push_back(std::move(usage));
  outcome.json = has(words, "--json");
  outcome.sarif = !outcome.json && has(words, "--sarif");
  outcome.document["schema"] = schema_of(words.empty() ? std::string_view{} : words.front());
  return outcome;
}

// "help VERB" asks for what "VERB --help" asks for.
void ask_for_help(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "help") {
    return;
  }
  words.erase(words.begin());
  if (words.empty() || verb_of(words.front()) != nullptr) {
    words.emplace_back("--help");
  }
}

}  // namespace

const char* schema_of(std::string_view verb) {
  const Verb* known = verb_of(verb);
  return known != nullptr && known->schema != nullptr ? known->schema : "memsize.error/1";
}

Printed printed(Outcome outcome, const Screen& screen) {
  const bool is_text = !outcome.json && !outcome.sarif;
  if (screen.quiet && is_text) {
    outcome.text = outcome.brief.value_or(outcome.text);
    std::erase_if(outcome.diagnostics, [](const core::Diagnostic& one) {
      return one.severity != core::Severity::kError;
    });
  }
  Printed what{.document = document_of(outcome),
               .text = is_text ? std::move(outcome.text) : std::string{},
               .paint = is_text ? outcome.paint : Outcome::Paint::kPlain,
               .colour = screen.colour(STDOUT_FILENO),
               .status = outcome.status};
  what.problems =
      render_problems(outcome.diagnostics, screen.colour(STDERR_FILENO), outcome.lines_only);
  if (!outcome.annotations.empty()) {
    what.annotations = github_annotations(outcome.diagnostics);
  }
  return what;
}

Interpreted interpret(std::vector<std::string> words,
                      core::FileSystem& files,
                      const app::DataFolders& data,
                      const std::shared_ptr<board::Shelf>& shelf,
                      bool attended) {
  ask_for_help(words);
  Program program{"memsize: from what an accelerator really used to the memory map it should have",
                  "memsize",
                  "memsize " MEMSIZE_VERSION,
                  attended};
  const Command command = program.command();
  command.needs_verb();
  command.footer(
      "Examples:\n"
      "  memsize analyze trace.log --board j722s-sdk11\n"
      "  memsize emit --board j722s-sdk11 --trace trace.log --out out/\n"
      "  memsize plan model.csv\n"
      "memsize help VERB, or VERB --help, has examples of each.\n"
      "Exit status: 0 done, 1 input or check failed, 2 usage, 3 does not fit, 4 environment.");
  // Where a verb is named, the options of the others are not set up: more than half of the
  // instructions of a short run.
  const Verb* asked = words.empty() ? nullptr : verb_of(words.front());
  std::vector<std::pair<Command, Run>> runs;
  for (const Verb& verb : asked != nullptr ? std::span{asked, 1} : std::span<const Verb>{kVerbs}) {
    Run run = verb.add(command);
    runs.emplace_back(command.verbs().back(), std::move(run));
  }
  app::Session session{
      .files = files, .data = data, .propose = command_of, .shelf = shelf, .attended = attended};
  const auto give = [&](Outcome outcome) {
    return Interpreted{std::move(outcome), command.screen()};
  };
  if (words.empty()) {
    return give({.text = program.help()});
  }
  if (words.front() == kComplete) {
    return give({.text = complete(session, command, {words.begin() + 1, words.end()})});
  }
  if (words.front() == kManual) {
    return give({.text = manual(command)});
  }
  const Parsed parsed = program.parse(words);
  if (parsed.text) {
    return give({.text = *parsed.text});
  }
  if (parsed.misuse) {
    return give(usage_error(command, *parsed.misuse, words));
  }
  for (const auto& [verb, run_verb] : runs) {
    if (verb.is_given()) {
      Outcome outcome = run_verb(session);
      point_at_arguments(words, outcome.diagnostics);
      return give(std::move(outcome));
    }
  }
  core::report_bug("a verb was parsed that nobody added");
}

}  // namespace memsize::cli
