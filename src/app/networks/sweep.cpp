// Plans a network once for each value. What does not fit is a row, not an error.
#include "memsize/app/sweep.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

tl::unexpected<core::Diagnostics> no_sweep(const std::string& typed, std::string why) {
  return core::fail(
      core::error(Code::kUsage,
                  fmt::format("--sweep: '{}' {}", core::printable(typed, 60), std::move(why)),
                  {},
                  "write --sweep l1=2600..102400:x2, or l1=4KiB..64KiB:+4KiB")
          .of_option("--sweep"));
}

// What turns one value into the next.
struct StepOf {
  bool multiplies = true;
  std::uint64_t by = 2;
};

std::optional<StepOf> parse_step(std::string_view typed) {
  StepOf step;
  if (typed.starts_with('x')) {
    const auto by = core::parse_bytes(typed.substr(1));
    step.by = by ? by->count() : 0;
    return step.by >= 2 ? std::optional{step} : std::nullopt;
  }
  const auto by = core::parse_bytes(typed.starts_with('+') ? typed.substr(1) : typed);
  step = {false, by ? by->count() : 0};
  return step.by >= 1 ? std::optional{step} : std::nullopt;
}

Swept row_of(std::uint64_t value, const Planning& planning) {
  Swept row{.value = value};
  for (const network::Schedule& schedule : planning.schedules) {
    for (const network::Step& step : schedule.steps) {
      row.cut += step.tiles && !step.does_nothing ? 1U : 0U;
    }
    for (const std::size_t index : network::uncut_layers(schedule)) {
      const network::Layer& layer = schedule.layers[index];
      row.uncut.push_back(layer.name);
      if (!network::works_uncut(layer)) {
        row.stuck.push_back(layer.name);
      }
    }
    row.l1 = std::max(row.l1, network::largest_tiles(schedule).bytes);
    const network::TileCost cost = network::cost_of(schedule);
    row.cost.bytes += cost.bytes;
    row.cost.commands += cost.commands;
  }
  const auto* const l2 =
      core::find_in(planning.outcome.plan.memories, "l2", &model::PlannedMemory::name);
  row.l2 = l2 != nullptr && l2->used ? *l2->used : core::Bytes{};
  row.too_small = core::texts_of(planning.outcome.shortages, &plan::Shortage::memory);
  for (const core::Diagnostic& each : planning.diagnostics) {
    for (const core::Party& party : each.parties) {
      if (each.severity == core::Severity::kError && party.kind == "memory" &&
          !core::contains(row.too_small, party.name)) {
        row.too_small.push_back(party.name);
      }
    }
  }
  return row;
}

}  // namespace

core::Result<Sweep> parse_sweep(const std::string& typed) {
  const std::size_t equals = typed.find('=');
  const std::size_t dots = typed.find("..", std::min(equals, typed.size()));
  if (equals == 0 || dots == std::string::npos) {
    return no_sweep(typed, "is no range of a knob");
  }
  const std::size_t colon = std::min(typed.find(':', dots), typed.size());
  const auto from = core::parse_bytes(typed.substr(equals + 1, dots - equals - 1));
  const auto to = core::parse_bytes(typed.substr(dots + 2, colon - dots - 2));
  const auto step = colon == typed.size() ? std::optional{StepOf{}}
                                          : parse_step(std::string_view{typed}.substr(colon + 1));
  if (!from || !to || !step) {
    return no_sweep(typed, step ? "has a size that is none" : "has a step that leads nowhere");
  }
  if (from->count() == 0 || *to < *from) {
    return no_sweep(typed, "begins at 0, or ends before it begins");
  }
  Sweep sweep{.knob = typed.substr(0, equals)};
  for (std::uint64_t value = from->count(); value < to->count();) {
    sweep.values.push_back(value);
    if (sweep.values.size() > kMostSwept) {
      return no_sweep(typed, fmt::format("has more than {} values", kMostSwept));
    }
    const auto next =
        step->multiplies ? core::checked_mul(value, step->by) : core::checked_add(value, step->by);
    value = next.value_or(UINT64_MAX);
  }
  sweep.values.push_back(to->count());
  return sweep;
}

core::Result<std::vector<Swept>> sweep_network(Session& session,
                                               const PlanRequest& request,
                                               const Sweep& sweep) {
  const std::string swept = sweep.knob + "=";
  if (std::ranges::any_of(request.set, [&](const auto& set) { return set.starts_with(swept); })) {
    return core::fail(core::error(Code::kUsage,
                                  fmt::format("--set and --sweep both say what '{}' is",
                                              core::printable(sweep.knob)),
                                  {},
                                  "leave out one of them")
                          .of_option("--sweep"));
  }
  std::vector<Swept> rows;
  PlanRequest one = request;
  one.with_remedies = false;
  one.set.emplace_back();
  for (const std::uint64_t value : sweep.values) {
    one.set.back() = fmt::format("{}={}", sweep.knob, value);
    const auto planning = plan_memory(session, one);
    MEMSIZE_TRY(planning);
    if (planning->schedules.empty()) {
      return core::fail(core::error(Code::kUsage,
                                    "--sweep is of a network's tiles, and the report has none",
                                    {request.reports.front()},
                                    "give ARES' network_info.json"));
    }
    rows.push_back(row_of(value, *planning));
  }
  return rows;
}

}  // namespace memsize::app
