// memsize plan: reports in, a plan out, for people, as a document, or as a file of another format.
// Ctrl-C ends the search and not the program: what was found until then is a plan.
#include "memsize/core/document.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/plan_files.hpp"
#include "memsize/emit/plan_tflite.hpp"
#include "memsize/plan/named_planners.hpp"
#include "memsize/plan/pack.hpp"

#include "show/plans/report_network.hpp"
#include "show/plans/report_nnapi.hpp"
#include "show/plans/report_plan.hpp"
#include "show/progress_line.hpp"
#include "time_option.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kPlanSchema = "memsize.plan/1";
constexpr const char* kPlansSchema = "memsize.plans/1";

struct PlanOptions {
  app::PlanRequest request;
  std::string steps;
  std::string time_limit;
  std::string as;
  std::string prefix;
  std::string sweep;
  std::string output;
  bool strict = false;
  bool chart = false;
  bool json = false;
  bool csv = false;
};

core::Diagnostic plan_misuse(std::string what, std::string hint) {
  return core::error(Code::kUsage, std::move(what), {}, std::move(hint));
}

// Ctrl-C ends the search, not the program: what was found is a plan.
class Interruption {
 public:
  Interruption() {
    flag_ = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) { flag_ = 1; };
    sigaction(SIGINT, &action, &before_[0]);
    sigaction(SIGTERM, &action, &before_[1]);
  }

  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  ~Interruption() {
    sigaction(SIGINT, &before_[0], nullptr);
    sigaction(SIGTERM, &before_[1], nullptr);
  }

  static bool came() { return flag_ != 0; }

 private:
  static volatile std::sig_atomic_t flag_;
  struct sigaction before_[2] = {};
};

volatile std::sig_atomic_t Interruption::flag_ = 0;

std::optional<core::Diagnostic> check_limits(PlanOptions& options) {
  plan::PackLimits& limits = options.request.limits;
  if (!options.steps.empty()) {
    const auto steps = core::parse_address(options.steps);
    if (!steps) {
      return plan_misuse(
          fmt::format("--steps: '{}' is no number", core::printable(options.steps, 40)),
          "write how many steps the search may take, as in 100_000_000");
    }
    limits.steps = *steps;
  }
  if (!options.time_limit.empty()) {
    const auto time = parse_time("--time-limit", options.time_limit);
    if (!time) {
      return time.error().front();
    }
    limits.time = *time;
  }
  if (!options.request.capacity.empty()) {
    const auto capacity = core::parse_bytes(options.request.capacity);
    if (!capacity) {
      core::Diagnostic error = capacity.error().front();
      error.message = "--capacity: " + error.message;
      return error;
    }
    limits.capacity = *capacity;
  }
  return std::nullopt;
}

std::optional<core::Diagnostic> check_usage(app::Session& session, PlanOptions& options) {
  std::vector<std::string> read = options.request.reports;
  for (const auto* models : {&options.request.with, &options.request.beside}) {
    read.insert(read.end(), models->begin(), models->end());
  }
  if (!options.request.beside.empty() && core::contains(read, "-")) {
    return plan_misuse(
        "models that run at once may have to be planned in another order, and "
        "standard input can be read only once",
        "name files");
  }
  if (std::ranges::count(read, "-") > 1) {
    return plan_misuse("standard input can be read only once", "memsize plan --help shows how");
  }
  std::ranges::replace(read, std::string{"-"}, std::string{"/dev/stdin"});
  read.push_back(options.request.rules);
  const bool is_read = !options.output.empty() && std::ranges::any_of(read, [&](const auto& path) {
    return !path.empty() && session.files.same_file(path, options.output);
  });
  if (is_read) {
    return plan_misuse(fmt::format("-o '{}' is also an input", core::printable(options.output)),
                       "choose another file for the plan");
  }
  if (options.as == "tflite" && options.output.empty()) {
    return plan_misuse("--as tflite writes a model, which is no text",
                       "name the file: -o planned.tflite");
  }
  const bool is_for_heliaaot = options.as == "helia-yaml" || options.as == "residency";
  if (!options.request.with.empty() && is_for_heliaaot) {
    return plan_misuse(fmt::format("--as {} is of one model", options.as),
                       "plan each model alone for it, or write another format");
  }
  const emit::PlanFormat* const format =
      core::find_in(emit::plan_formats(), options.as, &emit::PlanFormat::name);
  if (!options.prefix.empty() && format != nullptr && !format->has_prefix) {
    return plan_misuse(fmt::format("--as {} has no names that --prefix could begin", options.as),
                       "leave it out; c-header, html and residency have some");
  }
  if (!options.prefix.empty() && !core::is_identifier(options.prefix)) {
    return plan_misuse(
        fmt::format("--prefix: '{}' begins no C name", core::printable(options.prefix, 60)),
        "use letters, digits and underscores, no digit first");
  }
  if (!options.request.planner.empty() && !plan::planner_named(options.request.planner)) {
    const std::vector<std::string> names =
        core::texts_of(plan::named_planners(), &plan::NamedPlannerRow::name);
    return plan_misuse(fmt::format("--planner: there is no planner '{}'",
                                   core::printable(options.request.planner, 60)),
                       core::did_you_mean(options.request.planner, names, "the planners are"));
  }
  return check_limits(options);
}

Json staging_json(const app::Planning& planning) {
  const plan::StagedPlan& staging = *planning.staging;
  const auto& blocks = planning.outcome.plan.blocks;
  Json list = Json::array();
  for (const plan::StageAdvice& advice : staging.advice) {
    Json one = {{"memory", advice.memory}, {"is_best", advice.is_best}};
    if (!advice.source_memory.empty()) {
      one["source_memory"] = advice.source_memory;
    }
    one["blocks"] = Json::array();
    double gain = 0;
    for (const plan::StagedConstant& staged : advice.staged) {
      one["blocks"].push_back(blocks[staged.block].id);
      gain += staged.gain;
    }
    one["gain"] = static_cast<std::uint64_t>(gain);
    if (advice.next) {
      one["next"] = {{"block", blocks[advice.next->block].id},
                     {"size_bytes", advice.next->size.count()},
                     {"gain", static_cast<std::uint64_t>(advice.next->gain)},
                     {"missing_bytes", advice.missing.count()}};
    }
    list.push_back(std::move(one));
  }
  return {{"measure", std::string{core::name_of(staging.measure)}},
          {"whole", static_cast<std::uint64_t>(staging.whole)},
          {"memories", std::move(list)}};
}

Json document_of(const app::Planning& planning) {
  const model::PlanReport& plan = planning.outcome.plan;
  Json document = core::read_json(emit::plan_json(plan)).value_or(Json::object());
  const auto ids = [&](const std::vector<std::size_t>& blocks) {
    Json list = Json::array();
    for (const std::size_t block : blocks) {
      list.push_back(plan.blocks[block].id);
    }
    return list;
  };
  for (const plan::Shortage& shortage : planning.outcome.shortages) {
    document["shortages"].push_back({{"memory", shortage.memory},
                                     {"needed_bytes", shortage.needed.count()},
                                     {"budget_bytes", shortage.budget.count()},
                                     {"step", shortage.step},
                                     {"live", ids(shortage.live)},
                                     {"largest", ids(shortage.largest)},
                                     {"remedies", shortage.remedies}});
  }
  document.set_if_any("fits_on", planning.outcome.fits_on);
  for (const auto& [path, order] : planning.orders) {
    document["orders"].push_back({{"path", path},
                                  {"given_bytes", order.given.count()},
                                  {"busiest_bytes", order.found.count()},
                                  {"is_least", order.is_least},
                                  {"operators", order.operators}});
  }
  for (const app::ModelNeeds& model : planning.models) {
    document["models"].push_back({{"name", model.name},
                                  {"path", model.path},
                                  {"blocks", model.blocks},
                                  {"scratch_bytes", model.scratch.count()},
                                  {"persistent_bytes", model.persistent.count()},
                                  {"constant_bytes", model.constant.count()}});
  }
  for (const network::Schedule& schedule : planning.schedules) {
    document["networks"].push_back(network_json(schedule));
  }
  if (planning.nnapi) {
    document["nnapi"] = nnapi_json(*planning.nnapi, *planning.wanted.nnapi);
  }
  if (planning.staging) {
    document["staging"] = staging_json(planning);
  }
  return document;
}

core::Result<std::string> text_of(app::Session& session,
                                  const PlanOptions& options,
                                  const app::Planning& planning) {
  emit::PlanFileOptions file;
  file.prefix = !options.prefix.empty()                       ? options.prefix
                : core::is_identifier(planning.wanted.prefix) ? planning.wanted.prefix
                                                              : file.prefix;
  file.templates = session.data.templates;
  const auto as = [&](std::string_view format) {
    return app::plan_as(session, options.request, planning, format, file);
  };
  if (!options.as.empty()) {
    return as(options.as);
  }
  std::string text = report_plan(planning);
  if (options.chart) {
    const auto chart = as("chart");
    MEMSIZE_TRY(chart);
    text += "\n" + *chart;
  }
  return text;
}

// With --strict, what is doubtful is an error.
void judge(const PlanOptions& options, core::Diagnostics& diagnostics) {
  for (core::Diagnostic& diagnostic : diagnostics) {
    if (options.strict && diagnostic.severity == core::Severity::kWarning) {
      diagnostic.severity = core::Severity::kError;
    }
  }
}

// As `plan --json` prints it of one model.
Json whole_document(const app::Planning& planning) {
  Json document = document_of(planning);
  document["diagnostics"] = to_json(planning.diagnostics);
  seal(document);
  return document;
}

// What a verb prints, written to the file of -o instead, if there is one.
Outcome written_to(app::Session& session,
                   const PlanOptions& options,
                   const char* schema,
                   Outcome outcome) {
  if (options.output.empty() || options.output == "-") {
    return outcome;
  }
  const auto written = session.files.replace(
      {{options.output, options.json ? document_text(outcome.document) : outcome.text}});
  if (!written) {
    return failed(written.error(), schema, options.json);
  }
  outcome.text.clear();
  outcome.json = false;
  return outcome;
}

Outcome report(app::Session& session, const PlanOptions& options, app::Planning planning) {
  Outcome outcome{.json = options.json};
  judge(options, planning.diagnostics);
  outcome.diagnostics = planning.diagnostics;
  outcome.status = planning.outcome.interrupted ? core::ExitStatus::kInterrupted
                                                : core::exit_status(outcome.diagnostics);
  if (options.json) {
    outcome.document = whole_document(planning);
  } else {
    auto text = text_of(session, options, planning);
    if (!text) {
      return failed(text.error(), kPlanSchema, false);
    }
    outcome.text = std::move(*text);
  }
  return written_to(session, options, kPlanSchema, std::move(outcome));
}

Json document_of(const app::PlansAtOnce& together) {
  Json document = {{"schema", kPlansSchema}};
  document["models"] = Json::array();
  for (std::size_t i = 0; i < together.plans.size(); ++i) {
    const app::Planning& planning = together.plans[i];
    Json memories = Json::array();
    for (const model::PlannedMemory& memory : planning.outcome.plan.memories) {
      memories.push_back({{"name", memory.name},
                          {"begin_bytes", planning.outcome.begins.at(memory.name).count()},
                          {"used_bytes", memory.used.value_or(core::Bytes{}).count()}});
    }
    const auto turn = std::ranges::find(together.turns, i) - together.turns.begin();
    document["models"].push_back({{"name", together.names[i]},
                                  {"path", planning.wanted.path},
                                  {"turn", static_cast<std::uint64_t>(turn)},
                                  {"memories", std::move(memories)},
                                  {"plan", whole_document(planning)}});
  }
  document["memories"] = Json::array();
  for (const SharedMemory& memory : shared_memories(together)) {
    Json one = {{"name", memory.name}, {"used_bytes", memory.together.count()}};
    if (memory.capacity) {
      one["capacity_bytes"] = memory.capacity->count();
    }
    document["memories"].push_back(std::move(one));
  }
  return document;
}

Outcome run_at_once(app::Session& session, const PlanOptions& options) {
  auto together = plan_at_once(session, options.request);
  if (!together) {
    return failed(together.error(), kPlansSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  bool interrupted = false;
  for (app::Planning& planning : together->plans) {
    judge(options, planning.diagnostics);
    outcome.diagnostics.insert(
        outcome.diagnostics.end(), planning.diagnostics.begin(), planning.diagnostics.end());
    interrupted = interrupted || planning.outcome.interrupted;
  }
  outcome.status =
      interrupted ? core::ExitStatus::kInterrupted : core::exit_status(outcome.diagnostics);
  if (options.json) {
    outcome.document = document_of(*together);
    outcome.document["diagnostics"] = to_json(outcome.diagnostics);
  } else {
    outcome.text = report_plans(*together);
  }
  return written_to(session, options, kPlansSchema, std::move(outcome));
}

// A table instead of a plan.
Outcome run_sweep(app::Session& session, const PlanOptions& options) {
  constexpr const char* kSweepSchema = "memsize.sweep/1";
  const auto sweep = app::parse_sweep(options.sweep);
  const auto rows =
      sweep ? sweep_network(session, options.request, *sweep) : tl::make_unexpected(sweep.error());
  if (!rows) {
    return failed(rows.error(), kSweepSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  outcome.text = sweep_text(*sweep, *rows);
  outcome.document = {{"schema", kSweepSchema}};
  outcome.document.update(sweep_json(*sweep, *rows));
  outcome.document["diagnostics"] = Json::array();
  return outcome;
}

Outcome run(app::Session& session, PlanOptions options) {
  if (options.as == "json") {
    options.json = true;
  }
  if (options.csv) {
    options.as = "csv";
  }
  if (options.as == "tflite") {
    options.request.slot = core::Align::make(emit::kTfliteSlot).value();
  }
  if (auto wrong = check_usage(session, options); wrong) {
    return failed({std::move(*wrong)},
                  options.request.beside.empty() ? kPlanSchema : kPlansSchema,
                  options.json);
  }
  std::optional<Interruption> interruption;
  if (session.attended) {
    interruption.emplace();
    options.request.limits.stop = [] { return Interruption::came(); };
  }
  ProgressLine line{session.attended};
  options.request.limits.progress = [&](const plan::PackProgress& progress) {
    line.show(fmt::format("{} so far, at least {}: {} steps; Ctrl-C ends the search",
                          core::format_bytes(progress.height),
                          core::format_bytes(progress.lower_bound),
                          progress.steps));
  };
  if (!options.sweep.empty()) {
    return run_sweep(session, options);
  }
  if (!options.request.beside.empty()) {
    return run_at_once(session, options);
  }
  auto planning = plan_memory(session, options.request);
  return planning ? report(session, options, std::move(*planning))
                  : failed(planning.error(), kPlanSchema, options.json);
}

std::vector<std::string> format_names() {
  return core::texts_of(emit::plan_formats(), &emit::PlanFormat::name);
}

}  // namespace

Run add_plan(const Command& app) {
  auto options = std::make_shared<PlanOptions>();
  const Command verb =
      app.verb("plan", "Where tensors lie in memory, as low as can be, with what that proves");
  verb.footer(
      "Examples:\n"
      "  memsize plan model.csv                            # id,lower,upper,size: one arena\n"
      "  memsize plan model.csv --memory dtcm=64KiB:1 --memory sram=1MiB:2\n"
      "  memsize plan model.csv --capacity 64KiB --chart   # stop when it fits; show it\n"
      "  memsize plan aot_residency.json aot_operator_manifest.json   # replan heliaAOT's plan\n"
      "  memsize plan post_memory_plan.json --as c-header -o arena.h  # of an ARES checkpoint\n"
      "  memsize plan network_info.json --board gap9  # a network's tiles, tiers and memory\n"
      "  memsize plan network_info.json --board gap9 --sweep l1=2600..102400:x2  # which budgets "
      "work\n"
      "  memsize plan model.csv --board apollo510 --rules memory.yaml # over a part's memories\n"
      "  memsize plan model.tflite --board apollo510 --as helia-yaml  # a model's tensors, as "
      "rules\n"
      "  memsize plan model.tflite --board apollo330p --stage auto --profile profile_results.csv\n"
      "  memsize plan model.tflite --reorder --as tflite -o planned.tflite  # for TensorFlow Lite "
      "Micro\n"
      "  memsize plan a.tflite --with b.tflite --board apollo510      # never at once: scratch is "
      "shared\n"
      "  memsize plan a.tflite --beside b.tflite --board apollo510    # at once: each its own "
      "arenas\n"
      "  memsize plan model.csv --planner by-size          # what a peer would make of it\n"
      "  memsize plan model.csv --as html -o plan.html\n"
      "  memsize plan nn.log                               # what NNAPI logs of memory\n"
      "memsize list readers has the formats of reports, list parts the memories, list planners the "
      "peers.");
  app::PlanRequest& request = options->request;
  verb.option("REPORT", request.reports, "Plan reports of one model; - is standard input")
      .required();
  const Option with = verb.option("--with",
                                  request.with,
                                  "Another model of the part, which never runs while this one does "
                                  "(repeat)")
                          .repeated()
                          .one_value()
                          .filled();
  const Option beside = verb.option("--beside",
                                    request.beside,
                                    "Another model of the part, which runs while this one does: "
                                    "each has arenas of its own (repeat)")
                            .repeated()
                            .one_value()
                            .filled()
                            .excludes(with);
  const Option board =
      verb.option("--board",
                  request.board,
                  "A part (memsize list parts), or a path to a .toml file or to ST's .mpool")
          .filled();
  const Option memory =
      verb.option("--memory",
                  request.memories,
                  "NAME=SIZE[:RANK], a memory to plan into instead of a part's; the lowest rank "
                  "fills first (repeat)")
          .repeated()
          .excludes(board)
          .filled();
  verb.option("--capacity", request.capacity, "Stop at the first plan that needs no more: 64KiB")
      .excludes(board)
      .excludes(memory)
      .filled();
  verb.option("--rules",
              request.rules,
              "Where tensors go: heliaAOT's memory section as YAML, or the same as TOML")
      .filled();
  const Option stage =
      verb.option("--stage",
                  request.stage,
                  "Copy constants to faster memory at start: auto, none, or dtcm=64KiB (repeat)")
          .repeated()
          .one_value()
          .filled()
          .needs(board)
          .excludes(beside);
  verb.option("--profile",
              request.profiles,
              "Cycles by operator (helia-profiler's profile_results.csv); twice: all cold, all "
              "staged")
      .repeated()
      .one_value()
      .filled()
      .needs(stage)
      .excludes(with);
  verb.option("--set", request.set, "What a part gives to tiles or stacks: l1=64KiB (repeat)")
      .repeated()
      .one_value()
      .filled()
      .needs(board);
  verb.option("--tiles", request.tiles, "How a network's layers are cut: as ares does, or best")
      .one_of({"ares", "best"})
      .needs(board);
  const Option sweep =
      verb.option("--sweep",
                  options->sweep,
                  "What many values of a knob cost a network: l1=2600..102400:x2, or :+4KiB")
          .filled()
          .needs(board)
          .excludes(with)
          .excludes(beside);
  const Option reorder =
      verb.flag("--reorder",
                request.reorder,
                "Operators may run in another order, where that needs less: data says what must "
                "come first")
          .excludes(sweep);
  verb.option("--planner", request.planner, "Plan as a peer does (memsize list planners)").filled();
  verb.flag("--keep", request.keep_offsets, "Blocks that have an offset keep it")
      .excludes(with)
      .excludes(beside)
      .excludes(reorder);
  verb.option("--fix", request.fixed, "This block keeps its offset (repeat)")
      .repeated()
      .one_value()
      .excludes(with)
      .excludes(beside)
      .excludes(reorder);
  const Option steps =
      verb.option("--steps", options->steps, "How far to search: the same plan on every machine");
  verb.option("--time-limit",
              options->time_limit,
              "Search for so long instead, besides reading and checking: 10s")
      .excludes(steps);
  verb.option("--format", request.format, "Read with this reader (memsize list readers)");
  verb.flag("--strict", options->strict, "What is doubtful in a report is an error");
  const Option json = add_json_flag(verb, options->json);
  const Option csv = verb.flag("--csv", options->csv, "id,lower,upper,size,offset")
                         .excludes(json)
                         .excludes(sweep)
                         .excludes(beside);
  const Option as = verb.option("--as", options->as, "Write the plan in this format")
                        .one_of(format_names())
                        .excludes(json)
                        .excludes(csv)
                        .excludes(sweep)
                        .excludes(beside);
  verb.flag("--chart", options->chart, "Draw time and addresses too")
      .excludes(json)
      .excludes(csv)
      .excludes(as)
      .excludes(sweep)
      .excludes(beside);
  verb.option("--prefix", options->prefix, "What names in C begin with").filled().needs(as);
  verb.option("-o,--output", options->output, "Write to this file (default: -, standard output)")
      .written_to()
      .excludes(sweep);
  verb.main_options({"--board", "--capacity", "--as", "--stage", "--output", "--json"});
  return [options](app::Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
