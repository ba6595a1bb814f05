// Models that run at the same time: one is planned after the other, each behind those before it.
#include "memsize/app/plan.hpp"
#include "memsize/core/text.hpp"
#include "memsize/model/several.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;
using Clock = std::chrono::steady_clock;
using Turns = std::vector<std::size_t>;

// Of so many models, every order is tried; of more, each model as the first.
constexpr std::size_t kFewModels = 3;

core::Diagnostic misuse(std::string what, std::string hint) {
  return core::error(Code::kUsage, std::move(what), {}, std::move(hint)).of_option("--beside");
}

std::vector<PlanRequest> requests_of(const PlanRequest& request) {
  std::vector<PlanRequest> requests = {request};
  for (const std::string& report : request.beside) {
    requests.push_back(request);
    requests.back().reports = {report};
  }
  return requests;
}

// The order of the request first; orders in which the same files follow each other are one.
std::vector<Turns> orders_of(const std::vector<PlanRequest>& requests) {
  Turns turns(requests.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  std::vector<Turns> orders = {turns};
  if (turns.size() <= kFewModels) {
    while (std::ranges::next_permutation(turns).found) {
      orders.push_back(turns);
    }
  } else {
    for (std::size_t first = 1; first < turns.size(); ++first) {
      Turns order = turns;
      std::rotate(order.begin(),
                  order.begin() + static_cast<std::ptrdiff_t>(first),
                  order.begin() + static_cast<std::ptrdiff_t>(first) + 1);
      orders.push_back(std::move(order));
    }
  }
  std::set<std::vector<std::vector<std::string>>> known;
  std::erase_if(orders, [&](const Turns& order) {
    std::vector<std::vector<std::string>> files;
    for (const std::size_t model : order) {
      files.push_back(requests[model].reports);
    }
    return !known.insert(std::move(files)).second;
  });
  return orders;
}

core::Result<PlansAtOnce> plan_in_turns(Session& session,
                                        std::vector<PlanRequest> requests,
                                        const Turns& turns,
                                        std::optional<Clock::time_point> end) {
  PlansAtOnce together{.plans = std::vector<Planning>(requests.size()), .turns = turns};
  std::map<std::string, core::Bytes> taken;
  std::int64_t left = static_cast<std::int64_t>(turns.size());
  for (const std::size_t model : turns) {
    PlanRequest& request = requests[model];
    request.taken = taken;
    if (left > 1) {
      // What is enough for this one may be too much for the next.
      request.limits.capacity.reset();
    }
    if (end) {
      const auto rest =
          std::chrono::duration_cast<std::chrono::milliseconds>(*end - Clock::now()) / left;
      request.limits.time = std::max(rest, std::chrono::milliseconds{1});
    }
    --left;
    auto planning = plan_memory(session, request);
    MEMSIZE_TRY(planning);
    if (!planning->schedules.empty()) {
      return core::fail(
          misuse("--beside is not of networks, whose tiles use all that their part "
                 "gives to tiles",
                 "plan each alone: memsize plan FILE --board PART --set l1=SIZE"));
    }
    const plan::PlanOutcome& outcome = planning->outcome;
    for (const model::PlannedMemory& memory : outcome.plan.memories) {
      if (const core::Bytes used = memory.used.value_or(core::Bytes{}); used != core::Bytes{}) {
        taken[memory.name] = outcome.begins.at(memory.name) + used;
      }
    }
    together.plans[model] = std::move(*planning);
  }
  return together;
}

bool fits(const Planning& planning) {
  return planning.outcome.shortages.empty();
}

// Whether a model does not fit that had the choice, or all of them need more than there is.
bool is_hopeless(const PlansAtOnce& together) {
  const Planning& first = together.plans[together.turns.front()];
  core::Bytes room;
  for (const model::PlannedMemory& memory : first.outcome.plan.memories) {
    if (!memory.capacity) {
      return false;
    }
    room += *memory.capacity;
  }
  core::Bytes least;
  for (const Planning& planning : together.plans) {
    for (const model::PlannedArena& arena : planning.outcome.plan.arenas) {
      least += arena.lower_bound.value_or(core::Bytes{});
    }
  }
  return !fits(first) || least > room;
}

std::optional<core::Diagnostic> wrong_with_capacity(const PlanRequest& request,
                                                    const PlansAtOnce& together) {
  std::set<std::string> memories;
  for (const Planning& planning : together.plans) {
    for (const model::PlannedMemory& memory : planning.outcome.plan.memories) {
      memories.insert(core::printable(memory.name, 40));
    }
  }
  if (request.capacity.empty() || memories.size() < 2) {
    return std::nullopt;
  }
  return misuse(fmt::format("--capacity is for one memory, but the plans have {}: {}",
                            memories.size(),
                            core::join({memories.begin(), memories.end()}, ", ")),
                "name the part with --board, or each memory: --memory NAME=SIZE");
}

// A rule that is about nothing in one model may be about something in another.
void tell_rules_once(std::vector<Planning>& plans) {
  const auto is_told = [](const Planning& planning, const core::Diagnostic& rule) {
    return std::ranges::any_of(planning.diagnostics, [&](const core::Diagnostic& other) {
      return other.code == rule.code && other.place == rule.place;
    });
  };
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::erase_if(plans[i].diagnostics, [&](const core::Diagnostic& found) {
      return found.code == Code::kPlanRule && found.severity == core::Severity::kWarning &&
             (i != 0 || !std::ranges::all_of(plans, [&](const Planning& planning) {
                return is_told(planning, found);
              }));
    });
  }
}

// Which of the models it is about.
void place_findings(Planning& planning) {
  for (core::Diagnostic& found : planning.diagnostics) {
    if (found.place.path.empty()) {
      found.place = {planning.wanted.path};
    }
  }
}

}  // namespace

core::Result<PlansAtOnce> plan_at_once(Session& session, const PlanRequest& request) {
  const std::vector<PlanRequest> requests = requests_of(request);
  const auto& time = request.limits.time;
  const auto end = time ? std::optional{Clock::now() + *time} : std::nullopt;
  std::optional<PlansAtOnce> chosen;
  for (const Turns& turns : orders_of(requests)) {
    auto together = plan_in_turns(session, requests, turns, end);
    MEMSIZE_TRY(together);
    if (auto wrong = wrong_with_capacity(request, *together); wrong) {
      return core::fail(std::move(*wrong));
    }
    const bool all_fit = std::ranges::all_of(together->plans, fits);
    const bool ends = std::ranges::any_of(
        together->plans, [](const Planning& each) { return each.outcome.interrupted; });
    const bool is_last = all_fit || ends || is_hopeless(*together) || (end && Clock::now() >= *end);
    if (all_fit || !chosen) {
      chosen = std::move(*together);
    }
    if (is_last) {
      break;
    }
  }
  std::vector<model::PlanReport> wanted;
  for (Planning& planning : chosen->plans) {
    wanted.push_back({.path = planning.wanted.path, .prefix = planning.wanted.prefix});
    place_findings(planning);
  }
  tell_rules_once(chosen->plans);
  chosen->names = model::names_of_models(wanted);
  return std::move(*chosen);
}

}  // namespace memsize::app
