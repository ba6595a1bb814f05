// Reads reports of plans, packed or not, as one, and has the plan checked, and the images that it
// went into. Files larger than any plan are refused before they fill memory.
#include "plans/plan_stages.hpp"

#include "memsize/board/nnapi_format.hpp"
#include "memsize/core/bug.hpp"
#include "memsize/core/byte_stream.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/core/unpacked.hpp"
#include "memsize/network/nnapi.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/diff_plans.hpp"
#include "memsize/plan/part_names.hpp"
#include "memsize/readers/image_reader.hpp"
#include "memsize/readers/plan_reader.hpp"
#include "memsize/runtime/nn_replay.hpp"

#include "networks/levels.hpp"
#include "networks/network.hpp"
#include "plans/planning.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

// A plan of a million blocks is smaller, and so is firmware with all that debuggers want; what is
// larger is a mistake, or a packed nothing.
constexpr std::size_t kLongestPlan = std::size_t{1} << 28;

core::Result<std::string> read_whole(Session& session,
                                     const std::string& path,
                                     core::Diagnostics& warnings,
                                     const char* hint) {
  auto file = session.files.open(path);
  MEMSIZE_TRY(file);
  const auto stream = core::unpacked(std::move(*file), path);
  std::string text;
  std::vector<char> block(std::size_t{1} << 17);
  while (true) {
    const auto size = stream->read(block);
    MEMSIZE_TRY(size);
    if (*size == 0) {
      std::ranges::copy(core::warnings_of(*stream), std::back_inserter(warnings));
      return text;
    }
    text.append(block.data(), *size);
    if (text.size() > kLongestPlan) {
      return core::fail(core::error(
          Code::kReadLimit,
          fmt::format("this is longer than {}", core::format_size(core::Bytes{kLongestPlan})),
          {path},
          hint));
    }
  }
}

// How much higher the scratch arenas are than any plan must be; empty where that is not known.
std::string distance_from_least(const std::vector<plan::ArenaHeight>& heights) {
  core::Bytes height;
  core::Bytes least;
  bool is_known = false;
  for (const plan::ArenaHeight& arena : heights) {
    if (arena.role != model::Lifetime::kScratch) {
      continue;
    }
    if (!arena.is_complete) {
      return {};
    }
    is_known = true;
    height += arena.height;
    least += std::min(arena.least, arena.height);
  }
  if (!is_known) {
    return {};
  }
  const core::Bytes above = height - least;
  return fmt::format(", {}{} above the least possible",
                     above == core::Bytes{} ? "" : "at most ",
                     core::format_bytes(above));
}

std::size_t arenas_in(const model::PlanReport& plan,
                      const std::vector<plan::ArenaHeight>& heights) {
  return std::max(plan.arenas.size(), heights.size());
}

// A module is in one of the images; the others, such as a boot loader, need not have it.
void forgive_other_images(std::vector<CheckedImage>& images) {
  if (std::ranges::none_of(images, [](const auto& each) { return each.found.has_module; })) {
    return;
  }
  for (CheckedImage& checked : images) {
    if (!checked.found.has_module) {
      std::erase_if(checked.found.diagnostics,
                    [](const auto& said) { return said.code == Code::kImageModule; });
    }
  }
}

void check_images(Session& session,
                  const CheckRequest& request,
                  const model::PlanReport& plan,
                  const board::MemorySet& part,
                  CheckReport& report) {
  for (const std::string& path : request.images) {
    auto image = read_image(session, path, report.diagnostics);
    if (!image) {
      report.diagnostics.insert(
          report.diagnostics.end(), image.error().begin(), image.error().end());
      continue;
    }
    plan::ImageReport found = plan::check_image(*image, plan, part);
    report.images.push_back({std::move(*image), plan.prefix, std::move(found)});
  }
  forgive_other_images(report.images);
  if (part.tiles) {
    // Its programs allocate arenas when they run: there is no module whose arenas have symbols.
    for (CheckedImage& checked : report.images) {
      std::erase_if(checked.found.diagnostics,
                    [](const auto& said) { return said.code == Code::kImageModule; });
    }
  }
  for (const CheckedImage& checked : report.images) {
    const core::Diagnostics& found = checked.found.diagnostics;
    report.diagnostics.insert(report.diagnostics.end(), found.begin(), found.end());
    std::ranges::copy_if(found, std::back_inserter(report.remarks), [](const auto& said) {
      return said.severity == core::Severity::kNote;
    });
    report.checked.push_back(fmt::format("image {}: {}",
                                         core::printable(checked.image.path, 300),
                                         core::plural(checked.found.symbols.size(), "symbol")));
  }
}

// A log of NNAPI has whole models, and what its types take is data.
core::Result<void> complete_log(Session& session,
                                model::PlanReport& report,
                                const std::vector<std::string>& paths) {
  if (paths.size() > 1) {
    return core::fail(core::error(Code::kUsage,
                                  "a log of NNAPI is planned alone",
                                  {report.path},
                                  "name another model of the part with --with"));
  }
  const auto format = board::load_nnapi_format(session.files, session.data.boards);
  MEMSIZE_TRY(format);
  network::complete_nnapi(*format, report);
  return {};
}

// Models and requests against what drivers must refuse.
void check_log(Session& session, const model::PlanReport& plan, CheckReport& report) {
  const auto format = board::load_nnapi_format(session.files, session.data.boards);
  if (!format) {
    std::ranges::copy(format.error(), std::back_inserter(report.diagnostics));
    return;
  }
  const model::NnLog& log = *plan.nnapi;
  core::Diagnostics found = network::check_nnapi(log, *format, plan.path);
  const auto distinct = network::nn_distinct(log);
  const core::Diagnostics replayed =
      runtime::replay_nnapi(log,
                            distinct.size() == 1 ? &log.models[distinct.front().index] : nullptr,
                            *format,
                            plan.path);
  std::ranges::copy(replayed, std::back_inserter(found));
  core::sort_by_place(found);
  std::ranges::copy(found, std::back_inserter(report.diagnostics));
  std::ranges::copy_if(found, std::back_inserter(report.remarks), [](const auto& said) {
    return said.severity == core::Severity::kNote;
  });
  report.checked.push_back(fmt::format("log {}: {}, {}",
                                       plan_names({plan.path}),
                                       core::plural(distinct.size(), "model"),
                                       core::plural(log.requests.size(), "request")));
}

// What was written is what was planned: the same operators in the same order, and the same blocks.
void check_written_model(const std::string& text, const model::PlanReport& plan) {
  const auto again = readers::read_plan(text, "the model that was written", "tflite");
  core::bug_if(!again, "a model was written that cannot be read");
  const auto& operators = again->network.operators;
  core::bug_if(operators.size() != plan.network.operators.size() ||
                   again->blocks.size() != plan.blocks.size(),
               "a model was written that is another one");
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const model::Operator& wanted = plan.network.operators[i];
    core::bug_if(operators[i].kind != wanted.kind || operators[i].reads != wanted.reads ||
                     operators[i].writes != wanted.writes,
                 "a model was written with other operators");
  }
  for (const model::PlannedBlock& block : again->blocks) {
    const auto* const wanted = core::find_in(plan.blocks, block.id, &model::PlannedBlock::id);
    const bool is_scratch = block.role == model::Lifetime::kScratch;
    core::bug_if(wanted == nullptr || block.live != wanted->live || block.size != wanted->size ||
                     (is_scratch && block.offset != wanted->offset),
                 "a model was written with other blocks");
  }
}

// The last checkpoint that a folder of ARES' has.
std::string checkpoint_in(Session& session, const std::string& path) {
  if (path == "-" || !session.files.is_directory(path)) {
    return path;
  }
  for (const char* const stage : {"post_memory_plan", "post_tiling", "post_fusion", "pre_fusion"}) {
    std::string file = fmt::format("{}/{}.json", path, stage);
    if (session.files.exists(file)) {
      return file;
    }
  }
  return path;
}

}  // namespace

core::Result<std::string> read_image_file(Session& session,
                                          const std::string& path,
                                          core::Diagnostics& warnings) {
  return read_whole(session, path, warnings, "name the program that the linker wrote");
}

core::Result<model::Image> read_image(Session& session,
                                      const std::string& path,
                                      core::Diagnostics& warnings) {
  auto content = read_image_file(session, path, warnings);
  MEMSIZE_TRY(content);
  return readers::read_image(std::move(*content), path);
}

core::Result<model::Image> read_firmware(Session& session,
                                         const std::string& path,
                                         core::Diagnostics& warnings) {
  auto content = read_image_file(session, path, warnings);
  MEMSIZE_TRY(content);
  return readers::read_firmware(std::move(*content), path);
}

std::string plan_names(const std::vector<std::string>& paths) {
  const std::vector<std::string> names = core::texts_of(paths, [&](const std::string& path) {
    return path == "-" ? "standard input" : core::printable(path, 300);
  });
  return core::join(names, " and ");
}

void check_plans(Session& session, const CheckRequest& request, CheckReport& report) {
  const auto keep = [&](const core::Diagnostics& found) {
    report.diagnostics.insert(report.diagnostics.end(), found.begin(), found.end());
  };
  auto plan = read_plans(session, request.plans, {});
  if (!plan) {
    keep(plan.error());
  }
  std::optional<board::MemorySet> part;
  if (!request.board.name.empty()) {
    auto loaded = part_with_settings(session, request.board.name, request.board.set);
    if (!loaded) {
      keep(loaded.error());
    } else {
      part = std::move(*loaded);
    }
  }
  if (!report.diagnostics.empty()) {
    return;
  }
  if (part) {
    plan::name_as_part(*plan, *part);
  }
  const auto schedule = plan_to_check(session, request, *plan, report);
  if (core::has_errors(report.diagnostics)) {
    return;
  }
  keep(plan->diagnostics);
  if (plan->nnapi != nullptr) {
    return check_log(session, *plan, report);
  }
  const core::Diagnostics found = plan::check_plan(*plan, part ? &*part : nullptr);
  keep(found);
  std::ranges::copy_if(found, std::back_inserter(report.remarks), [](const auto& said) {
    return said.severity == core::Severity::kNote;
  });
  const auto heights = plan::heights_of(*plan);
  std::string checked = fmt::format("plan {}: {} in {}{}",
                                    plan_names(request.plans),
                                    core::plural(plan->blocks.size(), "block"),
                                    core::plural(arenas_in(*plan, heights), "arena"),
                                    core::has_errors(found) ? "" : distance_from_least(heights));
  if (part) {
    checked += fmt::format(", on part {}", core::printable(part->name, 80));
  }
  report.checked.push_back(std::move(checked));
  if (part) {
    check_images(session, request, *plan, *part, report);
    count_levels(*plan, schedule, *part, report);
  }
}

core::Result<std::string> plan_as(Session& session,
                                  const PlanRequest& request,
                                  const Planning& planning,
                                  std::string_view format,
                                  emit::PlanFileOptions options) {
  const model::PlanReport& plan = planning.outcome.plan;
  if (format != "tflite") {
    return emit::plan_file(session.files, format, plan, options);
  }
  if (request.reports.size() != 1 || !request.with.empty() || request.reports.front() == "-" ||
      planning.wanted.format != "tflite") {
    return core::fail(core::error(Code::kUsage,
                                  "--as tflite writes the plan into the model that it is of",
                                  {},
                                  "name one .tflite, and nothing beside it")
                          .of_option("--as"));
  }
  core::Diagnostics warnings;
  const auto text = read_whole(session, request.reports.front(), warnings, "name the model");
  MEMSIZE_TRY(text);
  options.model = *text;
  options.path = request.reports.front();
  auto written = emit::plan_file(session.files, format, plan, options);
  MEMSIZE_TRY(written);
  check_written_model(*written, plan);
  return written;
}

core::Result<model::PlanReport> read_plans(Session& session,
                                           const std::vector<std::string>& paths,
                                           const std::string& format) {
  if (std::ranges::count(paths, "-") > 1) {
    return core::fail(core::error(Code::kUsage,
                                  "standard input can be read only once",
                                  {},
                                  "name the other reports by their paths"));
  }
  std::vector<model::PlanReport> reports;
  core::Diagnostics errors;
  const auto keep = [&](const core::Diagnostics& found) {
    errors.insert(errors.end(), found.begin(), found.end());
  };
  for (const std::string& typed : paths) {
    const std::string path = checkpoint_in(session, typed);
    core::Diagnostics warnings;
    const auto text = read_whole(
        session, path, warnings, "this is no plan of memory; name the compiler's report");
    if (!text) {
      keep(text.error());
      continue;
    }
    auto report = readers::read_plan(*text, path, format);
    const auto completed = !report                    ? core::Result<void>{}
                           : report->nnapi != nullptr ? complete_log(session, *report, paths)
                           : is_network(*report)      ? complete_network(session, *report)
                                                      : core::Result<void>{};
    if (!report || !completed) {
      keep(report ? completed.error() : report.error());
      continue;
    }
    keep(plan::false_claims(*report));
    report->diagnostics.insert(report->diagnostics.end(), warnings.begin(), warnings.end());
    reports.push_back(std::move(*report));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  if (reports.size() == 1) {
    return std::move(reports.front());
  }
  model::PlanReport all = model::combine(std::move(reports));
  if (core::has_errors(all.diagnostics)) {
    return tl::make_unexpected(std::move(all.diagnostics));
  }
  return all;
}

core::Result<model::PlanReport> read_compared_plan(Session& session,
                                                   const std::string& path,
                                                   const std::string& board) {
  auto report = read_plans(session, {path}, {});
  MEMSIZE_TRY(report);
  if (!board.empty()) {
    const auto part = part_with_settings(session, board, {});
    MEMSIZE_TRY(part);
    plan::name_as_part(*report, *part);
  }
  if (report->nnapi != nullptr) {
    const auto format = board::load_nnapi_format(session.files, session.data.boards);
    MEMSIZE_TRY(format);
    report->arenas = network::nn_arenas(network::nn_account(*report->nnapi, *format));
  }
  return report;
}

}  // namespace memsize::app
