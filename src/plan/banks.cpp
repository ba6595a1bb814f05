// A bank is what its memory is, then what a capacity and the rules' constraints make of it.
#include "banks.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "begins.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;

// heliaAOT: the floor of an arena's base.
constexpr std::uint64_t kBaseFloor = 16;

// `all_mapped`: memories that are made of a report know nothing of addresses.
Bank bank_of(const board::PartMemory& memory, core::Align alignment, bool all_mapped) {
  Bank bank{.name = memory.name,
            .base = memory.base ? std::optional{memory.base->value()} : std::nullopt,
            .window = std::min(memory.window, model::kLargestPlan).count()};
  bank.budget = std::min(board::budget_of(memory), model::kLargestPlan).count();
  bank.slot_alignment = alignment.value();
  bank.base_alignment = std::max({kBaseFloor, bank.slot_alignment, memory.arena_alignment.value()});
  bank.cost = memory.cost;
  bank.writable = memory.writable;
  bank.is_volatile = memory.is_volatile;
  bank.by_rule = memory.by_rule;
  bank.mapped = memory.base.has_value() || all_mapped;
  return bank;
}

Bank default_bank(core::Align alignment) {
  Bank bank{.name = "default", .window = model::kLargestPlan.count()};
  bank.budget = bank.window;
  bank.slot_alignment = alignment.value();
  bank.base_alignment = std::max(kBaseFloor, bank.slot_alignment);
  bank.is_volatile = false;
  return bank;
}

std::vector<Bank> unlimited(const board::MemorySet& part) {
  const bool all_mapped = std::ranges::none_of(
      part.memories, [](const auto& memory) { return memory.base.has_value(); });
  std::vector<Bank> banks;
  for (const board::PartMemory& memory : part.memories) {
    banks.push_back(bank_of(memory, part.alignment, all_mapped));
  }
  if (banks.empty()) {
    banks.push_back(default_bank(part.alignment));
  }
  return banks;
}

std::vector<std::size_t> cheapest_first(const std::vector<Bank>& banks) {
  std::vector<std::size_t> order(banks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t bank) { return banks[bank].cost; });
  return order;
}

void limit_first(Banks& banks, std::uint64_t capacity) {
  const auto first =
      std::ranges::find_if(banks.by_cost, [&](std::size_t bank) { return !banks[bank].by_rule; });
  Bank& bank = banks.all[first == banks.by_cost.end() ? banks.by_cost.front() : *first];
  bank.budget = std::min(bank.budget, capacity);
  bank.enough_within = true;
}

void constrain(Bank& limited, const MemoryConstraint& constraint, core::Diagnostics& notes) {
  if (constraint.max_size) {
    limited.budget = std::min(constraint.max_size->count(), limited.window);
    limited.limited_by_rule = true;
    if (constraint.max_size->count() > limited.window) {
      notes.push_back(core::warning(Code::kPlanRule,
                                    fmt::format("'max_size' of {} is {}, but it has {}",
                                                quoted(limited.name),
                                                core::format_bytes(*constraint.max_size),
                                                core::format_bytes(core::Bytes{limited.window})),
                                    constraint.place,
                                    "the smaller one holds"));
    }
  }
  if (constraint.arena_alignment) {
    limited.slot_alignment = std::max(constraint.arena_alignment->value(), limited.slot_alignment);
    limited.base_alignment = limited.slot_alignment;
    limited.aligned_by_rule = true;
  }
}

}  // namespace

std::optional<std::size_t> Banks::named(const std::string& name) const {
  const Bank* const bank = core::find_in(all, name, &Bank::name);
  return bank == nullptr ? std::nullopt
                         : std::optional{static_cast<std::size_t>(bank - all.data())};
}

std::vector<std::string> Banks::names() const {
  return core::texts_of(by_cost,
                        [&](std::size_t bank) { return core::printable(all[bank].name, 80); });
}

std::optional<std::size_t> Banks::asked(const std::string& name,
                                        const core::Place& place,
                                        std::string_view who,
                                        Mistakes& mistakes) const {
  const auto bank = named(name);
  if (bank || !mistakes.is_new(name, place.line)) {
    return bank;
  }
  const std::string hint = core::did_you_mean(name, names());
  mistakes.add(
      Code::kPlanMemory,
      part.empty()
          ? fmt::format("{} the memory {}, which is not there", who, quoted(name))
          : fmt::format("{} the memory {}, which part {} has not", who, quoted(name), quoted(part)),
      place,
      !hint.empty()  ? hint
      : part.empty() ? fmt::format("the plan's memories are: {}; --board names a part's",
                                   core::join(names(), ", "))
                     : fmt::format("its memories are: {}", core::join(names(), ", ")));
  return std::nullopt;
}

Banks banks_of(const board::MemorySet& part,
               const PlanOptions& options,
               const std::vector<model::PlannedBlock>& blocks,
               Mistakes& mistakes,
               core::Diagnostics& notes) {
  Banks banks{.all = unlimited(part), .by_cost = {}, .part = part.name};
  banks.by_cost = cheapest_first(banks.all);
  if (options.limits.capacity) {
    limit_first(banks, options.limits.capacity->count());
  }
  for (const MemoryConstraint& constraint : options.rules.constraints) {
    const auto bank =
        banks.asked(constraint.memory, constraint.place, "a constraint is about", mistakes);
    if (bank) {
      constrain(banks.all[*bank], constraint, notes);
    }
  }
  begin_behind_others(banks.all, options.taken, blocks);
  return banks;
}

}  // namespace memsize::plan
