#include "memsize/core/text.hpp"
#include "memsize/layout/why.hpp"

#include "verbs.hpp"
#include "why_report.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kSchema = "memsize.why/1";

struct Options {
  BoardRequest board;
  std::string sdk;
  std::string soc;
  std::string os;
  layout::Question question;
  bool json = false;
};

// What memsize emit would write otherwise.
void add_files(Session& session, const layout::MemoryMap& before, layout::Expansion& growth) {
  if (growth.after == nullptr) {
    return;
  }
  const layout::MemoryMap& after = *growth.after;
  growth.cores = emit::changed_cores(after, before);
  const auto old_files =
      emit::render_all({before, before, session.files, session.data.templates}, {});
  const auto new_files =
      emit::render_all({after, before, session.files, session.data.templates}, {});
  for (std::size_t i = 0; old_files && new_files && i < new_files->size(); ++i) {
    const emit::Artifact& written = (*new_files)[i];
    const bool same = std::any_of(old_files->begin(), old_files->end(), [&](const auto& other) {
      return other.path == written.path && other.content == written.content;
    });
    if (!same) {
      growth.files.push_back(written.path);
    }
  }
}

core::Result<layout::Answer> ask_board(Session& session, const Options& options) {
  const auto board = load_board(session, options.board);
  if (!board) {
    return tl::make_unexpected(board.error());
  }
  const auto settings = parse_settings(*board, options.board.set);
  if (!settings) {
    return tl::make_unexpected(settings.error());
  }
  const auto map = layout::resolve(*board, *settings);
  if (!map) {
    return tl::make_unexpected(map.error());
  }
  auto answer = layout::answer(*map, *settings, options.question);
  for (std::size_t i = 0; answer && i < answer->subjects.size(); ++i) {
    if (answer->subjects[i].growth) {
      add_files(session, *map, *answer->subjects[i].growth);
    }
  }
  return answer;
}

core::Diagnostic usage(std::string message, std::string hint) {
  return core::error(Code::kUsage, std::move(message), {}, std::move(hint));
}

Outcome run(Session& session, const Options& options) {
  if (options.board.name.empty()) {
    return failed(
        {usage("why needs a map to look at", "name a board with --board")}, kSchema, options.json);
  }
  const auto answer = ask_board(session, options);
  if (!answer) {
    return failed(answer.error(), kSchema, options.json);
  }
  Outcome outcome;
  outcome.json = options.json;
  outcome.text = why_text(*answer);
  outcome.document = why_document(*answer);
  return outcome;
}

}  // namespace

Run add_why(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "why", "What an address or a region is, who sees it, and what moves if it grows");
  verb->footer(
      "Examples:\n"
      "  memsize why DDR_C7X_2_SCRATCH --board j722s\n"
      "  memsize why 0x110300000 --board j722s               # on the bus, and as each core sees "
      "it\n"
      "  memsize why 0x110300000 --board j722s --core c7x_2  # as in a crash dump of that core");
  verb->add_option("NAME|ADDRESS",
                   options->question.text,
                   "A region, carve-out, macro, MMU entry or knob; or an address")
      ->required()
      ->check(filled());
  add_board_option(*verb, options->board);
  verb->add_option("--core", options->question.core, "The core whose address it is")
      ->check(filled());
  add_json_flag(*verb, options->json);
  return [options](Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
