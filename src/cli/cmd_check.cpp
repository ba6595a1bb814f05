#include "memsize/board/load.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/sdk/check.hpp"
#include "memsize/sdk/tree.hpp"

#include "render_diagnostics.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kSchema = "memsize.check/1";

struct Options {
  BoardRequest board;
  std::string map;
  std::string sdk;
  std::string sizing;
  std::string log;
  bool strict = false;
  bool json = false;
};

// The files of a written map. Anything large is not one of ours.
core::Result<std::vector<emit::MapFile>> read_map(Session& session, const std::string& folder) {
  const auto paths = session.files.list_tree(folder);
  if (!paths) {
    return tl::make_unexpected(paths.error());
  }
  std::vector<emit::MapFile> files;
  for (const std::string& path : *paths) {
    const bool ours = path.ends_with(".cmd") || path.ends_with(".syscfg") ||
                      path.ends_with(".json") || path.ends_with(".h") || path.ends_with(".c") ||
                      path.ends_with(".dtsi");
    if (!ours) {
      continue;
    }
    auto content = session.files.read(fmt::format("{}/{}", folder, path));
    if (!content) {
      return tl::make_unexpected(content.error());
    }
    files.push_back({path, std::move(*content)});
  }
  return files;
}

class Checker {
 public:
  Checker(Session& session, const Options& options) : session_(session), options_(options) {}

  Outcome run() {
    if (!options_.map.empty()) {
      check_written();
    }
    if (!options_.sdk.empty()) {
      check_tree();
    } else if (!options_.board.name.empty() && !core::has_errors(outcome_.diagnostics)) {
      check_board();
    }
    if (options_.strict) {
      for (core::Diagnostic& diagnostic : outcome_.diagnostics) {
        if (diagnostic.severity == core::Severity::kWarning) {
          diagnostic.severity = core::Severity::kError;
        }
      }
    }
    outcome_.status = core::exit_status(outcome_.diagnostics);
    outcome_.json = options_.json;
    outcome_.document["schema"] = kSchema;
    outcome_.document["ok"] = outcome_.status == core::ExitStatus::kDone;
    outcome_.document["checked"] = checked_;
    if (outcome_.status == core::ExitStatus::kDone) {
      outcome_.text = fmt::format("ok: {}\n", core::join(checked_, ", ")) + notes_;
    }
    return std::move(outcome_);
  }

 private:
  void keep(const core::Diagnostics& found) {
    outcome_.diagnostics.insert(outcome_.diagnostics.end(), found.begin(), found.end());
  }

  // What two operating systems share is told once.
  void keep_new(const core::Diagnostics& found) {
    for (const core::Diagnostic& diagnostic : found) {
      const auto& all = outcome_.diagnostics;
      const bool told = std::any_of(all.begin(), all.end(), [&](const core::Diagnostic& other) {
        return other.message == diagnostic.message && other.place == diagnostic.place;
      });
      if (!told) {
        outcome_.diagnostics.push_back(diagnostic);
      }
    }
  }

  void check_tree() {
    const auto platforms = sdk::find_platforms(session_.files, options_.sdk);
    if (!platforms) {
      keep(platforms.error());
      return;
    }
    std::optional<layout::MemoryMap> asked;
    if (!options_.board.name.empty()) {
      auto board = load_board(session_, options_.board);
      if (!board) {
        keep(board.error());
        return;
      }
      auto map = layout::resolve(*board, {});
      if (!map) {
        keep(map.error());
        return;
      }
      asked = std::move(*map);
    }
    std::size_t fitting = 0;
    for (const sdk::Platform& platform : *platforms) {
      if (!asked || asked->board.soc == platform.soc) {
        ++fitting;
        check_platform(platform, asked ? &*asked : nullptr);
      }
    }
    if (fitting == 0) {
      core::Place place;
      place.path = options_.sdk;
      keep({core::error(
          Code::kSdkTree,
          fmt::format(
              "this SDK has no '{}', which board '{}' is", asked->board.soc, asked->board.name),
          place,
          fmt::format("it has: {}", join_socs(*platforms)))});
    }
  }

  static std::string join_socs(const std::vector<sdk::Platform>& platforms) {
    std::vector<std::string> names;
    for (const sdk::Platform& platform : platforms) {
      names.push_back(core::printable(platform.soc, 40));
    }
    return core::join(names, ", ");
  }

  void check_platform(const sdk::Platform& platform, const layout::MemoryMap* asked) {
    const auto sources = sdk::read_sources(session_.files, platform, {});
    if (!sources) {
      keep(sources.error());
      return;
    }
    keep(sources->problems);
    for (const sdk::Variant& variant : sources->variants) {
      if (asked != nullptr && asked->board.os != variant.os) {
        continue;
      }
      const auto own = asked == nullptr ? bundled_map(platform.soc, variant.os) : std::nullopt;
      const sdk::TreeReport report = sdk::check_variant(*sources,
                                                        variant,
                                                        asked != nullptr ? asked
                                                        : own            ? &*own
                                                                         : nullptr);
      keep_new(report.diagnostics);
      checked_.push_back(
          fmt::format("{} {} ({})", platform.soc, variant.os, core::join(report.read, ", ")));
    }
  }

  // The map of the bundled board for that part and operating system; of several, of the newest SDK.
  std::optional<layout::MemoryMap> bundled_map(const std::string& soc, const std::string& os) {
    std::optional<board::Board> best;
    const std::string& folder = session_.data.boards;
    const auto names = board::bundled_boards(session_.files, folder);
    for (std::size_t i = 0; names && i < names->size(); ++i) {
      if (!(*names)[i].starts_with(soc)) {
        continue;
      }
      auto board = board::load_board(session_.files, folder, (*names)[i]);
      if (board && board->soc == soc && board->os == os && (!best || best->sdk < board->sdk)) {
        best = std::move(*board);
      }
    }
    auto map = best ? layout::resolve(*best, {}) : tl::make_unexpected(core::Diagnostics{});
    return map ? std::optional{std::move(*map)} : std::nullopt;
  }

  void check_written() {
    const auto files = read_map(session_, options_.map);
    if (!files) {
      keep(files.error());
      return;
    }
    const emit::VerifyReport report = emit::verify_map(*files, options_.map);
    keep(report.diagnostics);
    checked_.insert(checked_.end(), report.read.begin(), report.read.end());
    written_board_ = report.board;
    for (const auto& [knob, value] : report.knobs) {
      written_knobs_[knob] = value;
    }
  }

  void check_board() {
    const auto board = load_board(session_, options_.board);
    if (!board) {
      keep(board.error());
      return;
    }
    if (!written_board_.empty() && written_board_ != board->name) {
      core::Place place;
      place.path = options_.map + "/memory_map.json";
      keep({core::error(Code::kVerifyDisagree,
                        fmt::format("the map is of board '{}', not of '{}'",
                                    core::printable(written_board_, 60),
                                    board->name),
                        place,
                        "name the board that it was written for with --board")});
      return;
    }
    const auto settings = parse_settings(*board, options_.board.set);
    if (!settings) {
      keep(settings.error());
      return;
    }
    board::KnobValues values = written_knobs_;
    for (const auto& [knob, value] : *settings) {
      values[knob] = value;
    }
    const auto map = checked_map(*board, values);
    if (!map) {
      keep(map.error());
      return;
    }
    keep(map->remarks);
    notes_ += describe_notes(map->remarks);
    checked_.push_back(fmt::format("board {}", board->name));
    const std::string trace = options_.sizing.empty() ? options_.log : options_.sizing;
    if (!trace.empty()) {
      check_demands(*map, trace);
    }
  }

  void check_demands(const layout::MemoryMap& map, const std::string& trace) {
    AnalyzeRequest request;
    request.inputs = {trace};
    request.board = options_.board;
    const auto analysis = analyze(session_, request);
    if (!analysis) {
      keep(analysis.error());
      return;
    }
    keep(analysis->sizing.diagnostics);
    std::size_t demands = 0;
    for (const sizing::CoreSizing& core : analysis->sizing.cores) {
      for (const sizing::Demand& demand : core.demands) {
        if (demand.knob.empty()) {
          continue;
        }
        ++demands;
        const core::Bytes has{map.values.at(demand.knob)};
        const core::Bytes needs = std::max(demand.figure(), demand.forecast_figure.value_or(has));
        if (needs > has) {
          outcome_.diagnostics.push_back(core::error(
              Code::kSizingDoesNotFit,
              fmt::format("{} needs {} of '{}', which has {}",
                          core.core,
                          core::format_bytes(needs),
                          demand.region,
                          core::format_size(has)),
              {},
              fmt::format("give it more: --set {}={}",
                          demand.knob,
                          core::format_setting(std::max(
                              *demand.suggested, demand.forecast.value_or(core::Bytes{}))))));
        }
      }
    }
    checked_.push_back(core::plural(demands, "demand"));
  }

  Session& session_;
  const Options& options_;
  std::string written_board_;
  board::KnobValues written_knobs_;
  std::vector<std::string> checked_;
  std::string notes_;
  Outcome outcome_;
};

Outcome refused(core::Diagnostic why, bool json) {
  Outcome outcome = failed({std::move(why)}, kSchema, json);
  outcome.document["ok"] = false;
  return outcome;
}

Outcome run(Session& session, const Options& options) {
  if (options.board.name.empty() && !(options.sizing.empty() && options.log.empty())) {
    return refused(core::error(Code::kUsage,
                               "--sizing and --log are held against a board's map",
                               {},
                               "name the board with --board"),
                   options.json);
  }
  if (options.board.name.empty() && options.map.empty() && options.sdk.empty()) {
    return refused(
        core::error(Code::kUsage,
                    "there is nothing to check",
                    {},
                    "give a board with --board, a written map with --map, or an SDK with --sdk"),
        options.json);
  }
  if (!options.sdk.empty() &&
      !(options.sizing.empty() && options.log.empty() && options.board.set.empty())) {
    return refused(core::error(Code::kUsage,
                               "--sdk reads the sizes that the tree has: --set, --sizing and --log "
                               "are for a board's map",
                               {},
                               "leave them out, or leave out --sdk"),
                   options.json);
  }
  return Checker{session, options}.run();
}

}  // namespace

Run add_check(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("check", "Whether a map agrees with itself, a board and a trace");
  verb->footer(
      "Examples:\n"
      "  memsize check --board j722s                       # every named check on the default map\n"
      "  memsize check --map out/ --board j722s-sdk11      # what emit wrote, file against file\n"
      "  memsize check --board j722s --log trace.log       # does the model fit this map?\n"
      "  memsize check --sdk ~/ti/vision_apps              # every part of an SDK, file against "
      "file");
  add_board_option(*verb, options->board);
  auto* map = verb->add_option("--map", options->map, "A folder that emit --out wrote");
  verb->add_option("--sdk", options->sdk, "An SDK tree: the folder that holds platform")
      ->excludes(map)
      ->check(filled());
  auto* sizing = verb->add_option(
      "--sizing", options->sizing, "A document that analyze --json wrote must fit");
  verb->add_option("--log", options->log, "What this trace used must fit")->excludes(sizing);
  verb->add_flag("--strict", options->strict, "Warnings are errors");
  add_json_flag(*verb, options->json);
  return [options](Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
