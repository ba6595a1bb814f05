// Reads models, finds the cores and their budgets, and says what makes an answer doubtful or what
// would help. The search is in fit_search.cpp.
#include "fit_stages.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "analyze_stages.hpp"
#include "generation_guard.hpp"
#include "recordings.hpp"
#include "traced_cores.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

constexpr const char* kAll = "all";

// Makes one core of those that models were traced on, and drops what others said.
model::Recording moved_to(model::Recording recording, const std::string& core) {
  model::CoreRecording moved{core, {}};
  std::set<std::string> traced = {core, ""};
  for (model::CoreRecording& own : recording.cores) {
    traced.insert(own.core);
    std::ranges::move(own.instances, std::back_inserter(moved.instances));
  }
  recording.cores = {std::move(moved)};
  const auto move = [&](auto& items) {
    std::erase_if(items, [&](const auto& item) { return !traced.contains(item.core); });
    for (auto& item : items) {
      item.core = core;
    }
  };
  move(recording.heaps);
  move(recording.runs);
  std::erase_if(recording.failures,
                [&](const model::Failure& one) { return !traced.contains(one.core); });
  for (model::Failure& failure : recording.failures) {
    failure.core = failure.kind == model::Failure::Kind::kHost ? failure.core : core;
  }
  std::erase_if(recording.diagnostics,
                [](const core::Diagnostic& one) { return one.code == Code::kReadNoPrefix; });
  return recording;
}

core::Diagnostic no_model(const FitInput& input) {
  return core::error(Code::kReadNoTable,
                     fmt::format("there is no model in '{}'", core::printable(input.path)),
                     {input.path},
                     "each input is the trace of a model, or a document that analyze --json wrote "
                     "of one");
}

core::Diagnostic nowhere(const FitInput& input, const board::Board& board) {
  std::vector<std::string> traced = input.traced_on;
  const std::vector<std::string> cores = cores_with_heaps(board);
  return core::error(Code::kSizingUnknownCore,
                     fmt::format("no core of board '{}' is one that '{}' was traced on: {}",
                                 board.name,
                                 core::printable(input.path),
                                 traced.empty() ? "its lines do not name any"
                                                : core::printable(core::join(traced, ", "))),
                     {input.path},
                     cores.empty()
                         ? "is it the board that the trace was taken on?"
                         : fmt::format("say where it is to run: --core {}", cores.front()));
}

core::Diagnostic on_several(const FitInput& input) {
  const std::string path = core::shell_path(input.path);
  return core::error(
      Code::kSizingUnknownCore,
      fmt::format("'{}' has models on {}: a run that takes several cores cannot go to one of them",
                  core::printable(input.path),
                  core::printable(core::join(input.traced_on, " and "))),
      {input.path},
      fmt::format("make an input of each: memsize analyze {} --core {} --json -o MODEL.json",
                  path,
                  core::shell_path(input.traced_on.front())));
}

// A budget as it was typed.
struct Typed {
  std::string who;
  core::Bytes most;
};

core::Result<Typed> parse_budget(const std::string& text) {
  const std::size_t equals = text.find('=');
  Typed typed{.who = equals == std::string::npos ? "" : text.substr(0, equals)};
  const auto size = core::parse_bytes(equals == std::string::npos ? text : text.substr(equals + 1));
  if (!size) {
    core::Diagnostics errors = size.error();
    errors.front().message = fmt::format("--budget: {}", errors.front().message);
    errors.front().option = "--budget";
    return tl::make_unexpected(std::move(errors));
  }
  typed.most = *size;
  if (equals == 0) {
    return core::fail(
        core::error(Code::kUsage,
                    fmt::format("--budget: '{}' names no core", core::printable(text)),
                    {},
                    "--budget CORE=SIZE, or --budget SIZE for each core"));
  }
  return typed;
}

core::Diagnostic twice(const Typed& budget) {
  return core::error(Code::kUsage,
                     budget.who.empty() ? std::string{"--budget has two sizes for each core"}
                                        : fmt::format("--budget has two sizes for '{}'",
                                                      core::printable(budget.who)),
                     {},
                     "leave out the one that does not hold");
}

core::Result<void> take_budgets(const FitRequest& request,
                                const board::Board& board,
                                FitFrame& frame) {
  const auto core_of = [&](const std::string& name) {
    return core::find_in(frame.cores, name, &FitCore::name);
  };
  for (const Budget& budget : request.project_budgets) {
    if (FitCore* core = core_of(budget.core)) {
      core->budget = budget.most;
    }
  }
  std::vector<Typed> typed;
  for (const std::string& text : request.budgets) {
    auto budget = parse_budget(text);
    MEMSIZE_TRY(budget);
    if (core::contains(typed, budget->who, &Typed::who)) {
      return core::fail(twice(*budget));
    }
    typed.push_back(std::move(*budget));
  }
  // What is for one core wins over what is for each.
  std::ranges::stable_sort(typed, {}, [](const Typed& one) { return !one.who.empty(); });
  for (const Typed& budget : typed) {
    if (budget.who == kAll) {
      frame.all = budget.most;
    } else if (budget.who.empty()) {
      std::ranges::for_each(frame.cores, [&](FitCore& core) { core.budget = budget.most; });
    } else if (FitCore* core = core_of(budget.who)) {
      core->budget = budget.most;
    } else {
      return core::fail(without_heaps(board, budget.who).of_option("--budget"));
    }
  }
  const bool any = frame.all || std::ranges::any_of(frame.cores, [](const FitCore& core) {
                     return core.budget.has_value();
                   });
  return any ? core::Result<void>{}
             : core::fail(core::error(Code::kUsage,
                                      "fit needs a budget: what the heaps of a core may take",
                                      {},
                                      "--budget 64MiB, or in memsize.toml [budget.core]"));
}

}  // namespace

core::Result<FitRequest> without_repeats(FitRequest request) {
  std::vector<std::string> cores;
  for (const std::string& core : request.cores) {
    if (!core::contains(cores, core)) {
      cores.push_back(core);
    }
  }
  request.cores = std::move(cores);
  if (request.analyze.inputs.size() > kMostThings) {
    return core::fail(core::error(Code::kUsage,
                                  fmt::format("fit looks at {} models at most, here are {}",
                                              kMostThings,
                                              request.analyze.inputs.size()),
                                  {},
                                  "look at those that may run together"));
  }
  return request;
}

core::Result<std::vector<FitInput>> read_models(Session& session, const FitRequest& request) {
  std::vector<std::string> paths = request.analyze.inputs;
  std::ranges::sort(paths);
  std::vector<FitInput> inputs;
  core::Diagnostics errors;
  AnalyzeRequest one = request.analyze;
  one.core.clear();
  // Whether they can be one recording.
  RecordingJoiner joiner{session, one};
  for (const std::string& path : paths) {
    one.inputs = {path};
    auto recording = read_inputs(session, one);
    const auto joined = recording ? joiner.add(*recording, path) : core::Result<void>{};
    const auto keep = [&](const auto& result) {
      if (!result) {
        errors.insert(errors.end(), result.error().begin(), result.error().end());
      }
    };
    keep(recording);
    keep(joined);
    if (!recording) {
      continue;
    }
    FitInput input{.path = path};
    for (const model::CoreRecording& core : recording->cores) {
      if (!core.core.empty()) {
        input.traced_on.push_back(core.core);
      }
    }
    if (recording->cores.empty()) {
      errors.push_back(no_model(input));
    } else if (request.cores.size() > 1 && recording->cores.size() > 1) {
      errors.push_back(on_several(input));
    }
    for (const std::string& core : request.cores) {
      input.on.push_back(moved_to(*recording, core));
    }
    if (request.cores.empty()) {
      input.on.push_back(std::move(*recording));
    }
    inputs.push_back(std::move(input));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return inputs;
}

core::Result<FitFrame> frame_of(const FitRequest& request,
                                const board::Board& board,
                                const std::vector<FitInput>& inputs) {
  FitFrame frame{.places = std::max<std::size_t>(request.cores.size(), 1),
                 .assigns = request.cores.size() > 1};
  const std::vector<std::string> known = cores_with_heaps(board);
  core::Diagnostics errors;
  for (const std::string& core : request.cores) {
    if (!core::contains(known, core)) {
      errors.push_back(without_heaps(board, core).of_option("--core"));
    } else if (!core::contains(frame.cores, core, &FitCore::name)) {
      frame.cores.push_back({core, std::nullopt});
    }
  }
  if (request.cores.empty()) {
    for (const FitInput& input : inputs) {
      const auto has = [&](const std::string& core) { return core::contains(known, core); };
      if (std::ranges::none_of(input.traced_on, has)) {
        errors.push_back(nowhere(input, board));
      }
    }
    for (const std::string& core : known) {
      const bool is_traced = std::ranges::any_of(
          inputs, [&](const FitInput& input) { return core::contains(input.traced_on, core); });
      if (is_traced) {
        frame.cores.push_back({core, std::nullopt});
      }
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  MEMSIZE_TRY(take_budgets(request, board, frame));
  return frame;
}

core::Result<Analysis> analyze_all(Session& session,
                                   const FitRequest& request,
                                   const std::vector<FitInput>& inputs) {
  model::Recording all;
  for (const FitInput& input : inputs) {
    model::append(all, input.on.front());
  }
  model::sort(all);
  model::count_once(all);
  AnalyzeRequest analyze = request.analyze;
  analyze.core.clear();
  return analyze_recording(session, analyze, std::move(all));
}

core::Result<Analysis> analyze_places(Session& session,
                                      const Analysis& analysis,
                                      const FitNeeds& needs,
                                      const Places& places) {
  return analyze_recording(session, analysis.request, needs.recording_of(places));
}

namespace {

// "yolo" of "runs/yolo.json".
std::string stem_of(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  const std::size_t point = file.find('.', 1);
  return point == std::string::npos ? file : file.substr(0, point);
}

}  // namespace

std::vector<FitModel> models_of(const std::vector<FitInput>& inputs, FitSearch& search) {
  const std::vector<std::string> stems =
      core::texts_of(inputs, [](const FitInput& input) { return stem_of(input.path); });
  std::vector<FitModel> models;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_one = std::ranges::count(stems, stems[i]) == 1;
    models.push_back(
        {inputs[i].path, is_one ? stems[i] : inputs[i].path, inputs[i].traced_on, search.alone(i)});
  }
  return models;
}

void describe(Fit& fit,
              const Analysis& analysis,
              const sizing::Options& options,
              const FitFrame& frame) {
  fit.board = analysis.board->name;
  fit.board_title = analysis.board->title;
  fit.cores = frame.cores;
  fit.budget = frame.all;
  fit.assigns = frame.assigns;
  fit.headroom = sizing::format_headroom(options.headroom);
  fit.instances = options.together ? "together" : "apart";
  fit.one_priority = options.one_priority;
  fit.tight = options.tight;
}

void merge_priorities(Fit& fit,
                      const Analysis& analysis,
                      const sizing::Options& options,
                      const FitFrame& frame,
                      const std::vector<FitInput>& inputs,
                      const Places& places) {
  if (options.one_priority || !options.together || inputs.size() < 2) {
    return;
  }
  sizing::Options merged = options;
  merged.one_priority = true;
  FitNeeds needs{analysis, merged, inputs, core::texts_of(frame.cores, &FitCore::name)};
  FitSet set = FitSearch{needs, frame, inputs}.look_at(places);
  if (set.total() < fit.together.total()) {
    fit.merged = std::move(set);
  }
}

void judge_traces(Session& session, const FitRequest& request, Analysis& analysis) {
  // Which map the traces were taken on says nothing of sets of them.
  std::erase_if(analysis.sizing.diagnostics, [](const core::Diagnostic& one) {
    return one.code == Code::kSizingAddresses && one.place.path.empty();
  });
  for (core::Diagnostic& one : analysis.sizing.diagnostics) {
    if (!forbids_map(analysis.sizing, one)) {
      continue;
    }
    if (one.code != Code::kSizingGeneration) {
      one.severity = core::Severity::kError;
      continue;
    }
    const board::Board& board = *analysis.board;
    const std::string other =
        board_of_generation(session, board.soc, board.os, analysis.sizing.generations);
    one.hint = other.empty()
                   ? "trace the models under the board's SDK"
                   : fmt::format("for the SDK of the traces: --board {}", core::shell_path(other));
    if (!request.accept_generation) {
      one.hint += "; to count on the traces all the same: --accept-generation";
    }
    one.severity = request.accept_generation ? core::Severity::kWarning : core::Severity::kError;
  }
}

namespace {

std::string names_of(const Fit& fit, const std::vector<std::size_t>& models) {
  return core::join(
      core::texts_of(
          models, [&](std::size_t model) { return core::printable(fit.models[model].name, 60); }),
      " or ");
}

// What would let all of them fit.
std::vector<std::string> ways_out(const Fit& fit,
                                  const FitRequest& request,
                                  const board::Board& board) {
  std::vector<std::string> ways;
  if (!fit.drop.empty()) {
    ways.push_back(fmt::format("leave out {}", names_of(fit, fit.drop)));
  }
  if (fit.merged && fit.merged->fits) {
    ways.emplace_back("run all at one priority: --one-priority");
  }
  std::vector<std::string> more;
  for (const std::string& core : cores_with_heaps(board)) {
    if (!core::contains(fit.cores, core, &FitCore::name)) {
      more.push_back(core);
    }
  }
  if (!more.empty() && fit.cores.size() == 1 && request.analyze.inputs.size() > 1) {
    ways.push_back(fmt::format(
        "use another core too: --core {} --core {}", fit.cores.front().name, more.front()));
  }
  if (fit.together.no_room.empty()) {
    const bool one = fit.cores.size() == 1 && fit.cores.front().budget;
    ways.push_back(fmt::format(
        "{}{}",
        ways.empty() ? "" : "or ",
        one ? fmt::format("allow it: --budget {}", core::format_setting(fit.together.total()))
            : std::string{"allow more with --budget"}));
  }
  return ways;
}

}  // namespace

core::Diagnostic does_not_fit(const Fit& fit,
                              const FitRequest& request,
                              const board::Board& board) {
  const FitSet& all = fit.together;
  const std::string models = core::plural(fit.models.size(), "model");
  if (!all.no_room.empty()) {
    return core::error(Code::kSizingDoesNotFit,
                       fmt::format("the board has no room for {} that {} {}",
                                   models,
                                   fit.models.size() == 1 ? "needs" : "need",
                                   core::format_size(all.total())),
                       {},
                       core::join(ways_out(fit, request, board), "; "))
        .with({all.no_room});
  }
  std::string who = "all heaps";
  core::Bytes needs = all.total();
  core::Bytes most = fit.budget.value_or(core::Bytes{});
  std::vector<std::string> details;
  for (std::size_t i = 0; i < fit.cores.size(); ++i) {
    const CoreNeed& core = all.cores[i];
    if (all.binds == core.core) {
      who = fmt::format("the heaps of {}", core.core);
      needs = core.total();
      most = fit.cores[i].budget.value_or(most);
    }
    for (const HeapNeed& heap : core.heaps) {
      details.push_back(fmt::format("{} needs {}", heap.region, core::format_size(heap.need)));
    }
  }
  return core::error(Code::kSizingDoesNotFit,
                     fmt::format("{} {} {} of {}, {} more than the {} allowed",
                                 models,
                                 fit.models.size() == 1 ? "needs" : "need",
                                 core::format_size(needs),
                                 who,
                                 core::format_size(all.lacks),
                                 core::format_size(most)),
                     {},
                     core::join(ways_out(fit, request, board), "; "))
      .with(std::move(details));
}

}  // namespace memsize::app
