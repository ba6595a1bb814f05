// Models that run at the same time: one is planned after the other, each behind those before it.
#include "memsize/app/plan.hpp"
#include "memsize/model/several.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace memsize::app {

namespace {

// Of four models, all orders.
constexpr int kMostOrders = 24;

using Clock = std::chrono::steady_clock;

std::vector<PlanRequest> requests_of(const PlanRequest& request) {
  PlanRequest alone = request;
  alone.beside.clear();
  if (alone.limits.time) {
    *alone.limits.time /= static_cast<std::int64_t>(request.beside.size()) + 1;
  }
  std::vector<PlanRequest> requests = {alone};
  for (const std::string& report : request.beside) {
    alone.reports = {report};
    requests.push_back(alone);
  }
  return requests;
}

core::Result<PlansAtOnce> plan_in_turns(Session& session,
                                        const std::vector<PlanRequest>& requests,
                                        const std::vector<std::size_t>& turns) {
  PlansAtOnce together{.plans = std::vector<Planning>(requests.size()), .turns = turns};
  std::map<std::string, core::Bytes> taken;
  for (const std::size_t model : turns) {
    PlanRequest request = requests[model];
    request.taken = taken;
    auto planning = plan_memory(session, request);
    MEMSIZE_TRY(planning);
    const plan::PlanOutcome& outcome = planning->outcome;
    for (const model::PlannedMemory& memory : outcome.plan.memories) {
      if (const core::Bytes used = memory.used.value_or(core::Bytes{}); used != core::Bytes{}) {
        taken[memory.name] = outcome.begins.at(memory.name) + used;
      }
    }
    for (core::Diagnostic& diagnostic : planning->diagnostics) {
      // Which of the models does not fit.
      if (diagnostic.place.path.empty()) {
        diagnostic.place = {planning->wanted.path};
      }
    }
    together.plans[model] = std::move(*planning);
  }
  return together;
}

}  // namespace

core::Result<PlansAtOnce> plan_at_once(Session& session, const PlanRequest& request) {
  const auto begin = Clock::now();
  const std::vector<PlanRequest> requests = requests_of(request);
  std::vector<std::size_t> turns(requests.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  std::optional<PlansAtOnce> chosen;
  bool goes_on = true;
  for (int order = 0; order < kMostOrders && goes_on; ++order) {
    auto together = plan_in_turns(session, requests, turns);
    MEMSIZE_TRY(together);
    const auto& plans = together->plans;
    const bool fits = std::ranges::all_of(
        plans, [](const Planning& each) { return each.outcome.shortages.empty(); });
    const bool ends =
        std::ranges::any_of(plans, [](const Planning& each) { return each.outcome.interrupted; });
    if (fits || !chosen) {
      chosen = std::move(*together);
    }
    const bool is_late = request.limits.time && Clock::now() - begin >= *request.limits.time;
    goes_on = !fits && !ends && !is_late && std::ranges::next_permutation(turns).found;
  }
  std::vector<model::PlanReport> wanted;
  for (const Planning& planning : chosen->plans) {
    wanted.push_back({.path = planning.wanted.path, .prefix = planning.wanted.prefix});
  }
  chosen->names = model::names_of_models(wanted);
  return std::move(*chosen);
}

}  // namespace memsize::app
