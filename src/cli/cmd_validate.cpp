#include "memsize/core/text.hpp"

#include "report_board_log.hpp"
#include "verbs.hpp"

#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr const char* kSchema = "memsize.validate/1";

struct Options {
  EmitRequest request;
  std::vector<std::string> traces;
  std::string sizing;
  std::vector<std::string> logs;
  bool json = false;
};

Outcome run(Session& session, Options options) {
  EmitRequest& request = options.request;
  if (request.board.name.empty()) {
    return failed({lacks_option("validate", "--board", "validate")}, kSchema, options.json);
  }
  request.trace.inputs = options.traces;
  if (!options.sizing.empty()) {
    request.trace.inputs.push_back(options.sizing);
  }
  request.trace.board = request.board;
  const auto emission = render(session, request);
  if (!emission) {
    return failed(emission.error(), kSchema, options.json);
  }
  const auto report =
      hold_board_log(session, {options.logs, request.trace}, emission->map, emission->baseline);
  if (!report) {
    return failed(report.error(), kSchema, options.json);
  }
  Outcome outcome;
  outcome.json = options.json;
  outcome.text = board_log_text(*report);
  outcome.diagnostics = report->findings;
  outcome.status = core::exit_status(outcome.diagnostics);
  outcome.document["schema"] = kSchema;
  outcome.document["log"] = board_log_document(*report);
  return outcome;
}

}  // namespace

Run add_validate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("validate", "Whether a map holds on a board: what its log says of it");
  verb->footer(
      "Examples:\n"
      "  memsize validate --board j722s-sdk11 --trace before.log --log after.log");
  add_board_option(*verb, options->request.board);
  auto* trace =
      verb->add_option("--trace", options->traces, "What the map was made of (repeat)")->take_all();
  verb->add_option("--sizing", options->sizing, "A document that analyze --json wrote")
      ->excludes(trace);
  verb->add_option("--log", options->logs, "A console log of the board after the change (repeat)")
      ->take_all()
      ->required();
  add_json_flag(*verb, options->json);
  return [options](Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
