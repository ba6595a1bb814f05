// memsize check: what to look at, from words or the project; then findings against a baseline, as
// text, JSON, annotations or SARIF. No baseline is written of what could not all be read.
#include "memsize/app/check.hpp"
#include "memsize/app/module.hpp"
#include "memsize/app/tree_watch.hpp"
#include "memsize/board/load.hpp"
#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"

#include "show/evidence/report_boot.hpp"
#include "show/evidence/report_firmware.hpp"
#include "show/evidence/report_probe.hpp"
#include "show/plans/report_image.hpp"
#include "show/plans/report_levels.hpp"
#include "show/render_diagnostics.hpp"
#include "show/table.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr const char* kCheckSchema = "memsize.check/1";
constexpr std::size_t kLongestPath = 300;

struct CheckOptions {
  app::CheckRequest request;
  app::ProjectRequest project;
  std::string sizing;
  std::vector<std::string> logs;
  std::string baseline;
  std::string write_baseline;
  std::string annotations;
  /// How full firmware may make its region: "95%".
  std::string fill;
  bool strict = false;
  bool json = false;
  bool sarif = false;
  /// Every finding with its lines, also of a whole SDK.
  bool verbose = false;
};

// A plan is held against itself and the memories of a part, and nothing else.
std::optional<core::Diagnostic> check_plan_usage(const CheckOptions& options) {
  const app::CheckRequest& request = options.request;
  if (std::ranges::count(request.plans, "-") + std::ranges::count(request.images, "-") > 1) {
    return core::error(Code::kUsage,
                       "standard input can be read only once",
                       {},
                       "name the other reports by their paths");
  }
  const char* const other = !request.map.empty()          ? "--map"
                            : !request.sdk.empty()        ? "--sdk"
                            : !request.soc.empty()        ? "--soc"
                            : !options.sizing.empty()     ? "--sizing"
                            : !options.logs.empty()       ? "--log"
                            : !options.fill.empty()       ? "--fill"
                            : !request.headroom.empty()   ? "--headroom"
                            : !request.probe.empty()      ? "--probe"
                            : !request.board.dram.empty() ? "--dram"
                                                          : nullptr;
  if (other != nullptr) {
    return core::error(Code::kUsage,
                       fmt::format("{} is for the map of a board, PLAN for the memory inside of "
                                   "a model's arenas",
                                   other),
                       {},
                       "check them apart");
  }
  if (!request.board.set.empty() && request.board.name.empty()) {
    return lacks_option("--set", "--board", "check");
  }
  if (!request.images.empty() && request.board.name.empty()) {
    return lacks_option("--images", "--board", "check");
  }
  return std::nullopt;
}

// What the command line's description cannot say.
std::optional<core::Diagnostic> check_usage(const CheckOptions& options) {
  const app::CheckRequest& request = options.request;
  if (auto wrong = lacks_board(request.board, "check"); wrong) {
    return wrong;
  }
  if (!request.plans.empty()) {
    return check_plan_usage(options);
  }
  if (request.images.empty() && !options.fill.empty()) {
    return lacks_option("--fill", "--images", "check");
  }
  if (!request.images.empty() && request.map.empty() && request.sdk.empty() &&
      request.board.name.empty()) {
    return lacks_option("--images", "--board", "check");
  }
  if (!request.probe.empty() && request.map.empty() && request.board.name.empty()) {
    return lacks_option("--probe", "--board", "check");
  }
  if (!request.probe.empty() && !request.sdk.empty()) {
    return core::error(Code::kUsage,
                       "--probe is held against the map of a board",
                       {},
                       "memsize check --probe FILE --board BOARD, or --map DIR");
  }
  if (!request.soc.empty() && request.sdk.empty()) {
    return lacks_option("--soc", "--sdk", "check");
  }
  if (request.board.name.empty() && request.sdk.empty() && request.map.empty() &&
      !(options.sizing.empty() && options.logs.empty())) {
    return core::error(Code::kUsage,
                       "--sizing and --log are held against a board's map",
                       {},
                       "name the board with --board");
  }
  if (!request.headroom.empty() && options.logs.empty() && options.sizing.empty()) {
    return core::error(Code::kUsage,
                       "--headroom is about a trace: give one with --log or --sizing",
                       {},
                       "memsize check --help shows how")
        .of_option("--headroom");
  }
  if (request.board.name.empty() && request.map.empty() && request.sdk.empty()) {
    return core::error(Code::kUsage,
                       "there is nothing to check",
                       {},
                       "give a board with --board, a written map with --map, an SDK with --sdk, or "
                       "a compiler's plan by its path");
  }
  if (!request.sdk.empty() && !request.board.set.empty()) {
    return core::error(Code::kUsage,
                       "--sdk reads the sizes that the tree has: --set is for a board's map",
                       {},
                       "leave it out, or leave out --sdk");
  }
  if (request.map.empty() && request.sdk.empty() &&
      !(options.baseline.empty() && options.write_baseline.empty())) {
    return core::error(Code::kUsage,
                       "a baseline is for findings in a written map, in an SDK tree or in a plan",
                       {},
                       "give the map with --map, the tree with --sdk, or the plan by its path");
  }
  return std::nullopt;
}

void drop_slashes(std::string& folder) {
  while (folder.size() > 1 && folder.ends_with('/')) {
    folder.pop_back();
  }
}

// The tree's files are called by their path from the folder that holds platform/, whatever folder
// of the tree the user gave.
app::Homes homes_of(const app::CheckRequest& request, const app::CheckReport& report) {
  app::Homes homes;
  for (const sdk::Platform& platform : report.platforms) {
    homes.push_back({platform.folder, fmt::format("platform/{}/rtos", platform.soc)});
  }
  if (!request.map.empty()) {
    homes.push_back({request.map, ""});
  }
  for (const auto* paths : {&request.plans, &request.images}) {
    for (const std::string& path : *paths) {
      if (path != "-") {
        homes.push_back({path, path.substr(path.rfind('/') + 1)});
      }
    }
  }
  return homes;
}

std::string describe_baseline(const std::string& baseline,
                              const core::Diagnostics& found,
                              std::size_t accepted) {
  std::string out;
  std::size_t needless = 0;
  for (const core::Diagnostic& one : found) {
    if (one.severity == core::Severity::kNote && one.code == Code::kCheckBaseline) {
      ++needless;
      out += fmt::format("  - line {}: {}\n", one.place.line, one.message);
    }
  }
  out += fmt::format("{} accepted by {}",
                     core::plural(accepted, "finding"),
                     core::printable(baseline, kLongestPath));
  if (needless != 0) {
    out += needless == 1
               ? std::string{"; 1 of its entries matches nothing any more: remove it"}
               : fmt::format("; {} of its entries match nothing any more: remove them", needless);
  }
  return out + "\n";
}

std::string text_of(const app::CheckReport& report, core::ExitStatus status, bool is_overview) {
  std::string out = images_text(report.images) + trees_text(report.trees) +
                    boot_images_text(report.boot_images) + firmware_text(report.firmware) +
                    probe_text(report.probe) + levels_text(report.levels);
  if (status == core::ExitStatus::kDone) {
    out +=
        fmt::format("ok: {}\n", core::join(report.checked, ", ")) + describe_notes(report.remarks);
  } else if (!report.checked.empty()) {
    const auto count = [&](core::Severity severity) {
      return static_cast<std::size_t>(std::ranges::count_if(
          report.diagnostics, [&](const auto& found) { return found.severity == severity; }));
    };
    out += fmt::format("{} and {} in {}\n",
                       core::plural(count(core::Severity::kError), "error"),
                       core::plural(count(core::Severity::kWarning), "warning"),
                       is_overview ? core::plural(report.platforms.size(), "part")
                                   : core::join(report.checked, ", "));
  }
  return out;
}

// A baseline of a tree that was not read whole would lack what it is for.
// What to say of it. Its entries are the baseline from now on.
std::string write_baseline(app::Session& session,
                           const std::string& path,
                           const app::Homes& homes,
                           core::Diagnostics& found,
                           app::Baseline& baseline) {
  const std::string shown = core::printable(path, kLongestPath);
  if (std::ranges::any_of(found, app::could_not_look)) {
    return fmt::format("{} was not written: not everything could be read\n", shown);
  }
  const std::string text = format_baseline(found, homes, baseline);
  if (const auto done = session.files.replace({{path, text}}); !done) {
    // Before what is wrong in the tree, which may be much.
    found.insert(found.begin(), done.error().begin(), done.error().end());
    return {};
  }
  baseline = app::parse_baseline(path, text).value_or(app::Baseline{});
  return fmt::format("{}: {} written\n", shown, core::plural(baseline.entries.size(), "finding"));
}

// The part with most errors.
std::string worst_part(const app::CheckReport& report) {
  const auto errors = [&](const sdk::Platform& part) {
    return std::ranges::count_if(report.diagnostics, [&](const core::Diagnostic& found) {
      return found.severity == core::Severity::kError &&
             found.place.path.str().starts_with(part.folder + "/");
    });
  };
  return std::ranges::max_element(report.platforms, {}, errors)->soc;
}

// How often each code is found in each part, errors first and remarks about comments last.
std::string overview(const app::CheckReport& report, const std::string& sdk) {
  Table table{.columns = {{""}, {"code"}}};
  using Row = std::pair<int, std::string>;
  std::map<Row, std::vector<std::size_t>> counts;
  const std::vector<sdk::Platform>& parts = report.platforms;
  for (const core::Diagnostic& found : report.diagnostics) {
    const int rank = found.severity == core::Severity::kError ? 0
                     : found.code == Code::kSdkComment        ? 2
                                                              : 1;
    for (std::size_t i = 0; found.severity != core::Severity::kNote && i < parts.size(); ++i) {
      if (found.place.path.str().starts_with(parts[i].folder + "/")) {
        auto& row = counts[{rank, std::string{core::code_name(found.code)}}];
        row.resize(parts.size());
        ++row[i];
      }
    }
  }
  for (const sdk::Platform& part : parts) {
    table.columns.push_back({core::printable(part.soc, 12), true});
  }
  for (const auto& [row, cells] : counts) {
    std::vector<std::string> texts = {row.first == 0   ? "error"
                                      : row.first == 1 ? "warning"
                                                       : "comment",
                                      row.second};
    for (const std::size_t count : cells) {
      texts.push_back(count == 0 ? std::string{"."} : fmt::format("{}", count));
    }
    table.rows.push_back(std::move(texts));
  }
  return counts.empty()
             ? std::string{}
             : fmt::format(
                   "{}\none part, with lines and ways out: memsize check --sdk {} --soc {}\n\n",
                   table.text(0),
                   core::shell_path(sdk),
                   core::printable(worst_part(report), 40));
}

Json variant_json(const app::CheckedVariant& variant) {
  Json json = {
      {"soc", variant.platform.soc}, {"os", variant.os}, {"folder", variant.platform.folder}};
  json.set_if_any("board", variant.board);
  json.set_if_any("script", variant.script);
  json.set_if_any("header", variant.header);
  json.set_if_any("dts", variant.dts);
  json["cores"] = Json::array();
  for (const sdk::CoreSources& core : variant.cores) {
    Json item = {{"core", core.name}};
    item.set_if_any("linker", core.linker);
    item.set_if_any("syscfg", core.syscfg);
    item.set_if_any("mpu_source", core.mpu_source);
    item.set_if_any("sections", core.sections);
    item.set_if_any("main_source", core.main_source);
    json["cores"].push_back(std::move(item));
  }
  return json;
}

Json document_of(const app::CheckReport& report,
                 const std::vector<app::Accepted>& accepted,
                 core::ExitStatus status,
                 bool has_variants) {
  Json json;
  json["schema"] = kCheckSchema;
  json["ok"] = status == core::ExitStatus::kDone;
  json["checked"] = report.checked;
  if (has_variants) {
    json["variants"] = Json::array(report.variants, variant_json);
  }
  json.set_if_any("images", images_json(report.images));
  json.set_if_any("device_trees", trees_json(report.trees));
  json.set_if_any("boot_images", boot_images_json(report.boot_images));
  json.set_if_any("firmware", firmware_json(report.firmware));
  json.set_if_any("probe", report.probe, probe_json);
  json.set_if_any("levels", levels_json(report.levels));
  json["diagnostics"] = core::to_json(report.diagnostics);
  for (const app::Accepted& one : accepted) {
    Json item = core::to_json({one.finding}).items().front();
    item["accepted"] = true;
    item.set_if_any("why", one.why);
    json["diagnostics"].push_back(std::move(item));
  }
  return json;
}

Outcome judged(app::Session& session,
               const CheckOptions& options,
               app::Baseline baseline,
               app::CheckReport report) {
  app::Acceptance acceptance;
  acceptance.homes = homes_of(options.request, report);
  acceptance.is_asked = !options.baseline.empty() || !options.write_baseline.empty();
  std::string written;
  if (!options.write_baseline.empty()) {
    written = write_baseline(
        session, options.write_baseline, acceptance.homes, report.diagnostics, baseline);
  }
  // With a board or a part, others of the tree are not looked at.
  const std::string& sdk = options.request.sdk;
  const bool whole =
      sdk.empty() || (options.request.board.name.empty() && options.request.soc.empty());
  accept(baseline, whole, report.diagnostics, acceptance);
  for (core::Diagnostic& diagnostic : report.diagnostics) {
    if (options.strict && diagnostic.severity == core::Severity::kWarning) {
      diagnostic.severity = core::Severity::kError;
    }
  }
  Outcome outcome{.status = core::exit_status(report.diagnostics),
                  .json = options.json,
                  .sarif = options.sarif,
                  .annotations = options.annotations};
  // Of a whole SDK an overview; what is behind each error, part by part.
  const bool is_overview = report.platforms.size() > 1 && !options.verbose;
  outcome.text = (is_overview ? overview(report, sdk) : "") +
                 text_of(report, outcome.status, is_overview) + written;
  if (!options.baseline.empty()) {
    outcome.text +=
        describe_baseline(options.baseline, report.diagnostics, acceptance.accepted.size());
  }
  outcome.brief = "";
  outcome.lines_only = is_overview;
  outcome.document = document_of(report, acceptance.accepted, outcome.status, !sdk.empty());
  outcome.diagnostics = std::move(report.diagnostics);
  outcome.acceptance = std::move(acceptance);
  return outcome;
}

core::Result<app::Baseline> read_baseline(app::Session& session, const std::string& path) {
  if (path.empty()) {
    return app::Baseline{};
  }
  const auto text = session.files.read(path);
  if (text) {
    return app::parse_baseline(path, *text);
  }
  core::Diagnostics errors = text.error();
  errors.back().hint =
      fmt::format("to begin one: --write-baseline {}", core::printable(path, kLongestPath));
  return tl::make_unexpected(std::move(errors));
}

// Nothing was checked.
Outcome refused(core::Diagnostics why, const CheckOptions& options) {
  Outcome outcome = failed(std::move(why), kCheckSchema, options.json);
  outcome.document["ok"] = false;
  outcome.sarif = options.sarif;
  outcome.annotations = options.annotations;
  return outcome;
}

// "95%" as 95.
core::Result<unsigned> parse_fill(const std::string& text) {
  constexpr unsigned kWhole = 100;
  unsigned percent = 0;
  for (const char digit : std::string_view{text}.substr(0, text.size() - 1)) {
    percent = digit < '0' || digit > '9' || percent > kWhole
                  ? kWhole + 1
                  : 10 * percent + static_cast<unsigned>(digit - '0');
  }
  if (!text.ends_with('%') || percent == 0 || percent > kWhole) {
    return core::fail(
        core::error(Code::kUsage,
                    fmt::format("--fill: '{}' is no share of a region", core::printable(text, 40)),
                    {},
                    "write a whole number of percent from 1% to 100%, such as 95%"));
  }
  return percent;
}

Outcome run_check(app::Session& session,
                  const CheckOptions& options,
                  const app::Defaults& defaults) {
  if (auto wrong = check_usage(options); wrong) {
    return refused({std::move(*wrong)}, options);
  }
  auto baseline = read_baseline(session, options.baseline);
  if (!baseline) {
    return refused(std::move(baseline.error()), options);
  }
  app::CheckRequest request = options.request;
  if (!options.fill.empty()) {
    const auto percent = parse_fill(options.fill);
    if (!percent) {
      return refused(percent.error(), options);
    }
    request.fill_percent = *percent;
  }
  request.traces = options.logs;
  if (!options.sizing.empty()) {
    request.traces.push_back(options.sizing);
  }
  const app::TreeWatch watch{session, watched_roots(session, request.sdk)};
  if (const auto rest = watch.at_rest(); !rest && !app::could_not_tell(rest.error())) {
    return refused(rest.error(), options);
  }
  app::CheckReport report = check(session, request);
  if (const auto alone = watch.undisturbed(); !alone) {
    return refused(alone.error(), options);
  }
  // Before the document is made of them.
  defaults.say_where(report.diagnostics);
  return judged(session, options, std::move(*baseline), std::move(report));
}

// What a project sizes is what emit would write of it, also before it was written.
core::Result<void> size_by_project(app::Session& session,
                                   const app::Project& project,
                                   CheckOptions& options) {
  app::CheckRequest& request = options.request;
  const bool is_typed = !options.logs.empty() || !options.sizing.empty();
  if (is_typed || request.board.name.empty() || !request.map.empty() || !request.sdk.empty() ||
      !request.plans.empty()) {
    return {};
  }
  app::Defaults defaults{project};
  app::EmitRequest wanted{.board = request.board};
  std::string sizing;
  defaults.fill_inputs(wanted.trace.inputs, sizing);
  if (!sizing.empty()) {
    wanted.trace.inputs.push_back(sizing);
  }
  if (wanted.trace.inputs.empty()) {
    return {};
  }
  defaults.fill_margins(wanted.trace);
  defaults.fill_generation(wanted.accept_generation);
  const auto wish = sizes_to_emit(session, wanted);
  if (!wish) {
    core::Diagnostics errors = wish.error();
    defaults.say_where(errors);
    return tl::make_unexpected(std::move(errors));
  }
  request.board.set.clear();
  for (const auto& [knob, value] : wish->values) {
    request.board.set.push_back(fmt::format("{}={}", knob, core::format_hex(value)));
  }
  return {};
}

// Of a project with plans: the module that emit wrote of them, else the reports.
bool fill_plans(app::Session& session,
                const app::Project& project,
                app::Defaults& defaults,
                app::CheckRequest& request) {
  app::ModuleRequest module;
  defaults.fill(module);
  if (module.plan.reports.empty()) {
    return false;
  }
  defaults.fill_name(request.board);
  app::Target target;
  defaults.fill(target);
  const std::string written =
      !target.out.empty() ? target.out
                          : project.beside("memsize-out/" + app::board_stem(request.board.name));
  if (std::string report = written_module(session, written); !report.empty()) {
    module.plan.reports = {std::move(report)};
  }
  request.plans = std::move(module.plan.reports);
  return true;
}

// What to look at: what was typed, else the project's SDK, else what emit wrote for it, else its
// board's map. A tree and a written map have their own sizes.
core::Result<void> fill(app::Session& session,
                        const app::Project& project,
                        app::Defaults& defaults,
                        CheckOptions& options) {
  app::CheckRequest& request = options.request;
  if (!request.plans.empty()) {
    return {};
  }
  // Sizes and traces are held against a board's map.
  const bool about_map =
      !options.logs.empty() || !options.sizing.empty() || !request.board.set.empty();
  if (request.map.empty() && request.sdk.empty() && request.probe.empty() && options.logs.empty() &&
      options.sizing.empty() && fill_plans(session, project, defaults, request)) {
    return {};
  }
  if (request.map.empty() && request.sdk.empty()) {
    app::Target target;
    defaults.fill(target);
    request.sdk = about_map ? "" : target.sdk;
    request.map = target.out;
  }
  if (request.soc.empty()) {
    defaults.fill_board(request.board);
  }
  if (request.map.empty() && request.sdk.empty()) {
    // A part's number is not the name that emit writes to.
    const auto board = board::load_board(session.files, session.data.boards, request.board.name);
    const std::string written = project.beside(
        "memsize-out/" + (board ? board->name : app::board_stem(request.board.name)));
    if (!project.path.empty() && session.files.is_directory(written)) {
      request.map = written;
    }
  }
  if (request.map.empty() && request.sdk.empty()) {
    defaults.fill(request.board);
    MEMSIZE_TRY(size_by_project(session, project, options));
  }
  if (request.sdk.empty() && !request.board.name.empty()) {
    defaults.fill_inputs(options.logs, options.sizing);
  }
  return {};
}

Outcome run(app::Session& session, CheckOptions options) {
  const auto project = load_project(session, options.project);
  if (!project) {
    return refused(project.error(), options);
  }
  app::Defaults defaults{*project};
  if (auto sized = fill(session, *project, defaults, options); !sized) {
    return refused(sized.error(), options);
  }
  options.request.budgets = project->budgets;
  drop_slashes(options.request.map);
  drop_slashes(options.request.sdk);
  return run_check(session, options, defaults);
}

}  // namespace

Run add_check(const Command& app) {
  auto options = std::make_shared<CheckOptions>();
  const Command verb =
      app.verb("check", "Whether a map agrees with itself, a board and a trace; or a plan");
  verb.footer(
      "Examples:\n"
      "  memsize check --board j722s                       # every named check on the default map\n"
      "  memsize check --map out/ --board j722s-sdk11      # what emit wrote, file against file\n"
      "  memsize check --map out/ --images vx_app_rtos_linux_mcu2_0.out  # was it linked for "
      "this?\n"
      "  memsize check --map out/ --images k3-j722s-evm.dtb apps.dtbo  # does Linux reserve it?\n"
      "  memsize check --probe probe.json --map out/       # does the board run this map?\n"
      "  memsize check --board j722s --log trace.log       # does the model fit this map?\n"
      "  memsize check --map out/ --log new.log --headroom 10%  # a gate: is there room for the "
      "next "
      "model?\n"
      "  memsize check --sdk ~/ti/vision_apps              # every part of an SDK, file against "
      "file\n"
      "  memsize check --sdk . --write-baseline known.json # accept what is wrong today\n"
      "  memsize check --sdk . --baseline known.json       # in a build: only what is new fails\n"
      "  memsize check --sdk . --sarif > memsize.sarif     # for a code host or an editor\n"
      "  memsize check aot_residency.json aot_operator_manifest.json  # what a compiler planned\n"
      "  memsize check post_memory_plan.json --board gap9  # and the memories of a part\n"
      "  memsize check checkpoints/ --board gap9 --images network.elf --set cc_stack=4KiB  # every "
      "consumer\n"
      "  memsize check wake_residency.json --board apollo510 --images fw.elf  # what was "
      "built from it\n"
      "  memsize check                                     # what memsize.toml names");
  verb.option("PLAN",
              options->request.plans,
              "Reports of what a compiler planned for one model; then --board is a part with "
              "memories (memsize list parts)");
  const Option board = add_board_option(verb, options->request.board);
  add_project_options(verb, options->project);
  const Option map = verb.option("--map", options->request.map, "A folder that emit --out wrote");
  verb.option("--sdk", options->request.sdk, "An SDK tree: the folder that holds platform")
      .excludes(map)
      .filled();
  verb.option("--soc", options->request.soc, "Only this part of the SDK").excludes(board).filled();
  const Option sizing =
      verb.option("--sizing", options->sizing, "A document that analyze --json wrote must fit");
  verb.option("--log", options->logs, "What this trace used must fit (repeat)")
      .repeated()
      .excludes(sizing);
  verb.option("--headroom",
              options->request.headroom,
              "With --log or --sizing: each heap must have so much left of what can vary: 10%, a "
              "size; then exit status 3 proposes sizes that would do")
      .filled();
  verb.option(
          "--images",
          options->request.images,
          "Firmware of the map's cores (ELF, TI's linker map), Linux' device tree followed by "
          "its overlays, boot images (FIT); with PLAN a program that its module is linked into, "
          "as ELF or as GNU ld's map, and --board is its part (repeat)")
      .repeated()
      .filled();
  verb.option(
          "--fill", options->fill, "Warn of firmware that takes more of its region: 95% (default)")
      .filled();
  verb.option("--probe",
              options->request.probe,
              "What memsize-probe wrote on a board that runs the map")
      .filled();
  verb.flag("--strict", options->strict, "Warnings are errors");
  verb.option("--baseline", options->baseline, "Accept the findings that this file lists").filled();
  verb.option("--write-baseline",
              options->write_baseline,
              "Write the findings of this run to the file, and accept them")
      .filled();
  const Option json = add_json_flag(verb, options->json);
  const Option sarif = verb.flag("--sarif",
                                 options->sarif,
                                 "One SARIF document on standard output, also after an error")
                           .excludes(json);
  add_annotations_option(verb, options->annotations).excludes(json).excludes(sarif);
  verb.main_options({"--sdk", "--board", "--map", "--soc", "--baseline", "--json"});
  return [options, &screen = app.screen()](app::Session& session) {
    options->verbose = screen.verbose;
    return run(session, *options);
  };
}

}  // namespace memsize::cli
