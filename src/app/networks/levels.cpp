// What a planner does not know: tiles, stacks, sections of an image; held against the hardware.
#include "levels.hpp"

#include "memsize/app/plan.hpp"
#include "memsize/network/consumers.hpp"
#include "memsize/network/levels.hpp"

#include "networks/network.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace memsize::app {

std::optional<network::Schedule> plan_to_check(Session& session,
                                               const CheckRequest& request,
                                               model::PlanReport& plan,
                                               CheckReport& report) {
  if (!is_network(plan) || request.board.name.empty()) {
    return std::nullopt;
  }
  PlanRequest wanted;
  wanted.reports = request.plans;
  wanted.board = request.board.name;
  wanted.set = request.board.set;
  wanted.counts_levels = false;
  auto planning = plan_memory(session, wanted);
  const core::Diagnostics& said = planning ? planning->diagnostics : planning.error();
  std::ranges::copy(said, std::back_inserter(report.diagnostics));
  if (!planning) {
    return std::nullopt;
  }
  plan = std::move(planning->outcome.plan);
  return planning->schedules.empty() ? std::nullopt
                                     : std::optional{std::move(planning->schedules.front())};
}

void count_levels(const model::PlanReport& plan,
                  const std::optional<network::Schedule>& schedule,
                  const board::MemorySet& part,
                  CheckReport& report) {
  if (!part.tiles) {
    return;
  }
  std::vector<plan::MemoryUse> images;
  for (const CheckedImage& image : report.images) {
    std::ranges::copy(image.found.memories, std::back_inserter(images));
  }
  report.levels = network::levels_of(
      {.plan = plan,
       .part = part,
       .own = schedule ? network::consumers_of(*schedule) : network::consumers_of(plan.network),
       .images = report.images.empty() ? nullptr : &images});
  std::ranges::move(network::check_levels(report.levels, plan.path),
                    std::back_inserter(report.diagnostics));
  if (schedule) {
    const core::Diagnostics found = network::check_reach(*schedule, plan.path);
    std::ranges::copy(found, std::back_inserter(report.diagnostics));
    std::ranges::copy_if(found, std::back_inserter(report.remarks), [](const auto& said) {
      return said.severity == core::Severity::kNote;
    });
  }
}

}  // namespace memsize::app
