// memsize board import: an SDK tree in, a board file out. It is loaded and checked as any board
// before it is shown; defects of the tree's own map are accepted by name, and it is checked again.
#include "memsize/app/board.hpp"
#include "memsize/app/tree_watch.hpp"
#include "memsize/board/load.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/overlay.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/import.hpp"
#include "memsize/sdk/tree.hpp"
#include "memsize/sdk/view.hpp"

#include "board_import.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kImportSchema = "memsize.board/1";

class Importer {
 public:
  Importer(app::Session& session, const ImportOptions& options)
      : session_(session), options_(options) {}

  core::Result<Outcome> run() {
    const std::string& output = options_.output;
    if (!output.empty() && !output.ends_with(".toml")) {
      return core::fail(
          core::error(Code::kUsage,
                      fmt::format("-o '{}' is no name of a board file", core::printable(output)),
                      {},
                      "it must end in .toml, or --board would not take it for a path"));
    }
    const auto sources = read_tree();
    MEMSIZE_TRY(sources);
    const auto variant = sdk::find_variant(*sources, options_.os);
    MEMSIZE_TRY(variant);
    const auto board = choose_board();
    MEMSIZE_TRY(board);
    const std::string& folder = session_.data.boards;
    const auto reading = sdk::read_variant(*sources, **variant, *board ? (*board)->mpu.first : 0);
    const auto model =
        *board ? sdk::make_import_model(session_.files, folder, sources->platform, **board)
               : sdk::make_import_parts(session_.files, folder, *reading);
    auto import = sdk::import_board(*sources, **variant, *reading, model);
    MEMSIZE_TRY(import);
    Outcome outcome;
    core::Diagnostics problems = sdk::problems_of(*reading);
    problems.insert(problems.end(), sources->problems.begin(), sources->problems.end());
    for (core::Diagnostic& problem : problems) {
      // Another operating system's script is nothing to this board.
      const bool is_script = problem.code == Code::kSdkScript || problem.code == Code::kSdkName;
      if (problem.severity == core::Severity::kError && !is_script) {
        problem.severity = core::Severity::kWarning;
        outcome.diagnostics.push_back(std::move(problem));
      }
    }
    keep(outcome, import->warnings);
    prove(**variant, import->text, outcome);
    outcome.status = core::exit_status(outcome.diagnostics);
    tell_unwritten((*variant)->script_path, outcome);
    add_places(*sources, import->text, outcome.diagnostics);
    return finish(std::move(import->text), std::move(outcome));
  }

 private:
  static void keep(Outcome& outcome, const core::Diagnostics& found) {
    outcome.diagnostics.insert(outcome.diagnostics.end(), found.begin(), found.end());
  }

  core::Result<sdk::Sources> read_tree() {
    const auto platform = sdk::find_platform(session_.files, options_.sdk, options_.soc);
    MEMSIZE_TRY(platform);
    const auto programs = board::load_mpu_programs(session_.files, session_.data.boards);
    MEMSIZE_TRY(programs);
    return sdk::read_sources(session_.files, *platform, *programs);
  }

  core::Result<std::optional<board::Board>> choose_board() {
    if (options_.like.empty()) {
      return bundled_board(session_, options_.soc, options_.os);
    }
    auto named = board::load_board(session_.files, session_.data.boards, options_.like);
    MEMSIZE_TRY(named);
    return std::optional{std::move(*named)};
  }

  [[nodiscard]] std::string path() const {
    return options_.output.empty() ? options_.soc + ".toml" : options_.output;
  }

  // The text is a board, and its map is the tree's. What the tree's map breaks of the named checks
  // stands in the tree: the board accepts it by name, and is checked again, because a check that
  // fails hides others.
  void prove(const sdk::Variant& variant, std::string& text, Outcome& outcome) {
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds; ++round) {
      core::Overlay files{session_.files};
      files.lay(path(), text);
      const auto board = board::load_board(files, session_.data.boards, path());
      const auto map = board ? layout::resolve(*board, {})
                             : core::Result<layout::MemoryMap>{tl::make_unexpected(board.error())};
      if (!map) {
        keep(outcome, map.error());
        return;
      }
      if (round == 0) {
        keep(outcome, sdk::compare_import(variant, *map));
      }
      const auto checked = app::checked_map(*board, {});
      if (checked) {
        return;
      }
      text += sdk::accepted_text(checked.error(), round == 0);
      for (core::Diagnostic found : checked.error()) {
        if (found.severity == core::Severity::kError) {
          found.severity = core::Severity::kWarning;
          outcome.diagnostics.push_back(std::move(found));
          ++broken_;
        }
      }
    }
  }

  // An error in the board's text, which then is in no file.
  void tell_unwritten(const std::string& script, Outcome& outcome) const {
    for (core::Diagnostic& found : outcome.diagnostics) {
      if (found.severity == core::Severity::kError && found.place.path.str() == path()) {
        found.details.push_back(fmt::format("this file is not written: it is what {} would make",
                                            core::printable(script)));
      }
    }
  }

  void add_places(const sdk::Sources& sources,
                  const std::string& text,
                  core::Diagnostics& diagnostics) {
    for (const auto& [name, file] : sources.files) {
      core::add_text(diagnostics, file.path_under(sources.platform.folder), file.content);
    }
    core::add_text(diagnostics, path(), text);
  }

  core::Result<Outcome> finish(std::string text, Outcome outcome) {
    if (outcome.status != core::ExitStatus::kDone) {
      return outcome;
    }
    if (options_.output.empty()) {
      outcome.text = std::move(text);
      return outcome;
    }
    const bool there = session_.files.exists(options_.output);
    const auto old = there ? session_.files.read(options_.output) : core::Result<std::string>{""};
    if (there && old && *old == text) {
      outcome.text = fmt::format("{}: unchanged\n", options_.output);
      return outcome;
    }
    if (there && !options_.force) {
      return core::fail(core::error(Code::kUsage,
                                    "this file is there, with another content",
                                    {options_.output},
                                    "give another name with -o, or --force to write over it"));
    }
    const std::size_t lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    if (const auto written = session_.files.replace({{options_.output, std::move(text)}});
        !written) {
      return tl::make_unexpected(written.error());
    }
    outcome.text = fmt::format("{}: {} written; memsize board show {} prints its map\n",
                               core::printable(options_.output, 400),
                               core::plural(lines, "line"),
                               core::shell_path(options_.output));
    if (broken_ != 0) {
      outcome.text += fmt::format(
          "The tree's own map breaks {}. The board accepts {} by name ([[accepted]]): "
          "emit says so, and refuses anything beyond.\n",
          core::plural(broken_, "rule"),
          broken_ == 1 ? "it" : "them");
    }
    return outcome;
  }

  app::Session& session_;
  const ImportOptions& options_;
  // How often the tree's own map breaks a rule.
  std::size_t broken_ = 0;
};

}  // namespace

Command add_board_import(const Command& board, ImportOptions& options) {
  const Command verb = board.verb("import", "Write a board file from an SDK tree");
  verb.footer(
      "The layout is the tree's: what its generator script computes, with the script's variables "
      "as\n"
      "knobs, and what each core programs. What no file of the tree says, such as the smallest "
      "size of\n"
      "an area, is taken from the bundled board of that part, or from --like.\n\n"
      "Examples:\n"
      "  memsize board import --sdk ~/ti/vision_apps --soc j722s -o my-j722s.toml\n"
      "  memsize board import --sdk ~/ti/vision_apps --soc j784s4 --os safertos -o mine.toml\n"
      "  memsize board import --sdk . --soc j722s --like j722s-sdk11   # an older SDK\n"
      "  memsize emit --board my-j722s.toml --set ddr_shared_mem_size=256MiB --out out/");
  verb.option("--sdk", options.sdk, "The SDK tree: the folder that holds platform")
      .required()
      .filled();
  verb.option("--soc", options.soc, "The part: a folder of platform").required().filled();
  verb.option("--os", options.os, "The remote cores' operating system (default: freertos)")
      .filled();
  verb.option("--like", options.like, "A board that knows what the tree does not say").filled();
  const Option output =
      verb.option("-o,--output", options.output, "Write to this file instead of standard output")
          .filled();
  verb.flag("--force", options.force, "Write over a file that has another content").needs(output);
  return verb;
}

Outcome import_board(app::Session& session, const ImportOptions& options) {
  const app::TreeWatch watch{session, watched_roots(session, options.sdk)};
  if (const auto rest = watch.at_rest(); !rest && !app::could_not_tell(rest.error())) {
    return failed(rest.error(), kImportSchema, false);
  }
  auto outcome = Importer{session, options}.run();
  return outcome ? std::move(*outcome) : failed(outcome.error(), kImportSchema, false);
}

}  // namespace memsize::cli
