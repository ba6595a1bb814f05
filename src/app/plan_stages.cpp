// Reads reports of plans, packed or not, as one, and has the plan checked. Files larger than any
// plan are refused before they fill memory.
#include "plan_stages.hpp"

#include "memsize/core/byte_stream.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/core/unpacked.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/diff_plans.hpp"
#include "memsize/readers/plan_reader.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

// A plan of a million blocks is smaller; what is larger is a mistake, or a packed nothing.
constexpr std::size_t kLongestPlan = std::size_t{1} << 28;

core::Result<std::string> read_whole(Session& session,
                                     const std::string& path,
                                     core::Diagnostics& warnings) {
  auto file = session.files.open(path);
  MEMSIZE_TRY(file);
  const auto stream = core::unpacked(std::move(*file), path);
  std::string text;
  std::vector<char> block(std::size_t{1} << 17);
  while (true) {
    const auto size = stream->read(block);
    MEMSIZE_TRY(size);
    if (*size == 0) {
      warnings = core::warnings_of(*stream);
      return text;
    }
    text.append(block.data(), *size);
    if (text.size() > kLongestPlan) {
      return core::fail(core::error(
          Code::kReadLimit,
          fmt::format("this is longer than {}", core::format_size(core::Bytes{kLongestPlan})),
          {path},
          "this is no plan of memory; name the compiler's report"));
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

}  // namespace

std::string plan_names(const std::vector<std::string>& paths) {
  const std::vector<std::string> names = core::texts_of(paths, [&](const std::string& path) {
    return path == "-" ? "standard input" : core::printable(path, 300);
  });
  return core::join(names, " and ");
}

core::Result<board::MemorySet> load_part(Session& session, const std::string& name) {
  return board::load_memories(session.files, session.data.boards + "/memories", name);
}

void check_plans(Session& session, const CheckRequest& request, CheckReport& report) {
  const auto keep = [&](const core::Diagnostics& found) {
    report.diagnostics.insert(report.diagnostics.end(), found.begin(), found.end());
  };
  const auto plan = read_plans(session, request.plans, {});
  if (!plan) {
    keep(plan.error());
  }
  std::optional<board::MemorySet> part;
  if (!request.board.name.empty()) {
    auto loaded = load_part(session, request.board.name);
    if (!loaded) {
      keep(loaded.error());
    } else {
      part = std::move(*loaded);
    }
  }
  if (!report.diagnostics.empty()) {
    return;
  }
  keep(plan->diagnostics);
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
  for (const std::string& path : paths) {
    core::Diagnostics warnings;
    const auto text = read_whole(session, path, warnings);
    if (!text) {
      keep(text.error());
      continue;
    }
    auto report = readers::read_plan(*text, path, format);
    if (!report) {
      keep(report.error());
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

}  // namespace memsize::app
