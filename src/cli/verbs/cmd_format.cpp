// memsize format check: what each pattern of a format found in logs, and what it missed.
#include "memsize/app/log_format.hpp"
#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"

#include "show/table.hpp"
#include "verbs.hpp"

#include <memory>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr const char* kFormatSchema = "memsize.format/1";

struct FormatOptions {
  std::string format;
  std::vector<std::string> logs;
  bool json = false;
};

Json log_json(const app::CheckedLog& log) {
  Json one = {{"path", log.path},
              {"lines", log.account.lines},
              {"models", log.account.models},
              {"rows", log.account.rows}};
  one["patterns"] = Json::array(log.account.patterns, [](const readers::PatternUse& use) {
    Json pattern = {{"is", std::string{use.what}},
                    {"pattern", use.pattern.text},
                    {"line", use.pattern.place.line},
                    {"literal", use.literal},
                    {"matched_lines", use.lines}};
    if (use.lines != 0) {
      pattern["first_line"] = use.first_line;
    }
    return pattern;
  });
  one["similar"] = Json::array(log.account.similar, [](const readers::SimilarLine& similar) {
    return Json{{"line", similar.line}, {"text", similar.text}};
  });
  return one;
}

std::string log_text(const app::CheckedLog& log) {
  const readers::PatternAccount& account = log.account;
  std::string text = fmt::format("{}: {} of {} in {}\n",
                                 core::printable(log.path),
                                 core::plural(account.rows, "row"),
                                 core::plural(account.models, "model"),
                                 core::plural(account.lines, "line"));
  Table table;
  table.columns = {{"is"}, {"matched", true}, {"first at", true}, {"looked for with"}, {"pattern"}};
  for (const readers::PatternUse& use : account.patterns) {
    table.rows.push_back({std::string{use.what},
                          fmt::format("{}", use.lines),
                          use.lines == 0 ? "-" : fmt::format("{}", use.first_line),
                          use.literal.empty() ? "nothing: between begins and ends" : use.literal,
                          core::printable(use.pattern.text)});
  }
  text += table.text(2);
  for (const readers::SimilarLine& similar : account.similar) {
    text += fmt::format("  similar, not read: line {}: {}\n", similar.line, similar.text);
  }
  return text;
}

Outcome run(app::Session& session, const FormatOptions& options) {
  const auto check = check_format(session, options.format, options.logs);
  if (!check) {
    return failed(check.error(), kFormatSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  outcome.document = {{"schema", kFormatSchema}, {"format", check->name}, {"title", check->title}};
  outcome.document["logs"] = Json::array(check->logs, log_json);
  outcome.text = fmt::format("{}: {}\n", check->name, core::printable(check->title));
  for (const app::CheckedLog& log : check->logs) {
    outcome.text += "\n" + log_text(log);
  }
  // What is doubtful of a log is wrong with a format that is to read it.
  for (core::Diagnostic diagnostic : check->diagnostics) {
    diagnostic.severity = core::Severity::kError;
    outcome.diagnostics.push_back(std::move(diagnostic));
  }
  outcome.status = core::exit_status(outcome.diagnostics);
  return outcome;
}

}  // namespace

Run add_format(const Command& app) {
  auto options = std::make_shared<FormatOptions>();
  const Command format = app.verb("format", "Formats of logs that are data");
  format.needs_verb();
  format.footer(
      "Examples:\n"
      "  memsize format check tflm serial.log       # which lines a bundled format reads\n"
      "  memsize format check npu.toml boot.log     # one of your own");
  const Command verb =
      format.verb("check", "Which lines of logs a format reads, and which only look like it");
  verb.footer(
      "Examples:\n"
      "  memsize format check tflm serial.log       # a bundled format\n"
      "  memsize format check npu.toml boot.log     # one of your own, as analyze --format "
      "npu.toml\n"
      "  memsize format check npu.toml              # only whether its patterns are right\n"
      "Exit status 1: a pattern is wrong, or lines look like rows and are not read.");
  verb.option("FORMAT", options->format, "A bundled format, or a path to a .toml file")
      .required()
      .filled();
  verb.option("LOG", options->logs, "Console logs; - is standard input");
  add_json_flag(verb, options->json);
  return [options](app::Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
