// From wishes to slots and homes: blocks that share bytes are one slot, which may stay where it is,
// and has homes with what each of them costs.
//
// How much a home costs is cost x uses x size. Where a report counts no uses, scratch is used twice
// (written once, read once), anything else once: all that a plan shows, and enough to prefer
// short-lived blocks, which leave fast memory to others soonest.
#include "problem.hpp"

#include "memsize/core/text.hpp"
#include "memsize/model/id_order.hpp"

#include "homes.hpp"
#include "rule_index.hpp"
#include "slot_members.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;
using model::Lifetime;
using model::PlannedBlock;
using model::PlanReport;

constexpr std::uint64_t kLargestAlignment = std::uint64_t{1} << 40;

core::Place spot_of(const PlanReport& wanted, const PlannedBlock& block) {
  return {wanted.path, block.line};
}

std::uint64_t wished_alignment(const PlannedBlock& block) {
  return block.alignment.value_or(core::Align{}).value();
}

// --- blocks

void check_lifetime(const PlanReport& wanted, const PlannedBlock& block, Mistakes& mistakes) {
  if (!block.live) {
    return;
  }
  const model::Interval& live = *block.live;
  if (live.lower >= live.upper) {
    mistakes.add(Code::kPlanLifetime,
                 fmt::format("{} lives from step {} to step {}, which is never",
                             label_of(block),
                             live.lower,
                             live.upper),
                 spot_of(wanted, block),
                 "it ends one step behind the last one that uses it");
  } else if (live.lower < -model::kLastStep || live.upper > model::kLastStep) {
    mistakes.add(
        Code::kPlanLifetime,
        fmt::format("{} lives from step {} to step {}", label_of(block), live.lower, live.upper),
        spot_of(wanted, block),
        "what lives for ever is persistent");
  }
}

void check_blocks(const PlanReport& wanted, const model::IdOrder& order, Mistakes& mistakes) {
  auto repeated = order.repeated.begin();
  for (std::size_t i = 0; i < wanted.blocks.size(); ++i) {
    const PlannedBlock& block = wanted.blocks[i];
    if (repeated != order.repeated.end() && repeated->first == i) {
      ++repeated;
      mistakes.add(Code::kPlanDuplicate,
                   fmt::format("two blocks have the id {}", quoted(block.id)),
                   spot_of(wanted, block),
                   "every block has an id of its own");
    }
    check_lifetime(wanted, block, mistakes);
    if (wished_alignment(block) > kLargestAlignment) {
      mistakes.add(
          Code::kPlanAlignment,
          fmt::format("{} wants an alignment of {} B", label_of(block), wished_alignment(block)),
          spot_of(wanted, block),
          "no memory begins at a multiple of that: give a smaller one");
    }
  }
}

// Of all blocks with their padding.
core::Bytes sum_of(const PlanReport& wanted, const Banks& banks) {
  std::uint64_t padding = 1;
  for (const Bank& bank : banks.all) {
    padding = std::max(padding, bank.slot_alignment);
  }
  core::Bytes sum;
  for (const PlannedBlock& block : wanted.blocks) {
    sum += block.size;
    sum += core::Bytes{std::max(wished_alignment(block), padding)};
  }
  return sum;
}

// --- slots

// `roots`: of each block the one whose bytes it uses.
void check_aliases(const PlanReport& wanted,
                   const std::vector<const PlannedBlock*>& roots,
                   Mistakes& mistakes) {
  for (std::size_t i = 0; i < wanted.blocks.size(); ++i) {
    const PlannedBlock& block = wanted.blocks[i];
    if (roots[i] == nullptr) {
      mistakes.add(
          Code::kPlanAlias,
          fmt::format(
              "{} is an alias of {}, which leads nowhere", label_of(block), quoted(block.alias_of)),
          spot_of(wanted, block),
          "an alias names a block of the plan that has bytes of its own");
    } else if (block.size > roots[i]->size) {
      mistakes.add(
          Code::kPlanAlias,
          fmt::format("{} is to use the bytes of {}, but it has {} B, and that only {} B",
                      label_of(block),
                      label_of(*roots[i]),
                      block.size.count(),
                      roots[i]->size.count()),
          spot_of(wanted, block),
          "an alias lies inside the block whose bytes it uses; else it needs bytes of its own");
    }
  }
}

void add_block(Slot& slot, std::size_t index, const PlannedBlock& block) {
  slot.blocks.push_back(index);
  slot.alignment = std::max(slot.alignment, wished_alignment(block));
  if (block.live) {
    const bool first = slot.live == model::Interval{};
    slot.live.lower = first ? block.live->lower : std::min(slot.live.lower, block.live->lower);
    slot.live.upper = first ? block.live->upper : std::max(slot.live.upper, block.live->upper);
  }
}

std::uint64_t uses_of(const Slot& slot, const std::vector<PlannedBlock>& blocks) {
  core::Bytes uses;
  bool counted = false;
  for (const std::size_t block : slot.blocks) {
    counted = counted || blocks[block].uses.has_value();
    uses += core::Bytes{blocks[block].uses.value_or(0)};
  }
  return counted ? uses.count() : slot.role == Lifetime::kScratch ? 2 : 1;
}

// What follows from the slot's blocks, all of which it has.
void finish_slot(Slot& slot, const PlanReport& wanted, Mistakes& mistakes) {
  const PlannedBlock& root = wanted.blocks[slot.blocks.front()];
  place_members(slot, root, wanted.blocks);
  if (slot.role == Lifetime::kScratch && slot.live == model::Interval{} && slot.size > 0) {
    mistakes.add(
        Code::kPlanLifetime,
        fmt::format("the scratch block {} has no lifetime", label_of(root)),
        spot_of(wanted, root),
        "give a report that says what is alive when, too: an operator manifest, a memory-layers "
        "CSV, or lifetimes as id,lower,upper,size");
  }
  if (slot.live == model::Interval{}) {
    slot.live.upper = 1;
  }
  slot.uses = uses_of(slot, wanted.blocks);
}

// By their ids: the order of the report must not show.
std::vector<Slot> slots_of(const PlanReport& wanted,
                           const std::vector<std::size_t>& by_id,
                           Mistakes& mistakes,
                           core::Diagnostics& notes) {
  const auto roots = model::roots_of(wanted.blocks);
  check_aliases(wanted, roots, mistakes);
  std::vector<Slot> slots;
  slots.reserve(by_id.size());
  std::vector<std::size_t> slot_of_root(wanted.blocks.size(), SIZE_MAX);
  for (const std::size_t i : by_id) {
    if (roots[i] == &wanted.blocks[i]) {
      slot_of_root[i] = slots.size();
      slots.push_back(Slot{});
      slots.back().role = wanted.blocks[i].role;
      add_block(slots.back(), i, wanted.blocks[i]);
    }
  }
  std::size_t changed = 0;
  for (const std::size_t i : by_id) {
    if (roots[i] != nullptr && roots[i] != &wanted.blocks[i]) {
      const auto root = static_cast<std::size_t>(roots[i] - wanted.blocks.data());
      changed += static_cast<std::size_t>(wanted.blocks[i].role != roots[i]->role);
      add_block(slots[slot_of_root[root]], i, wanted.blocks[i]);
    }
  }
  if (changed > 0) {
    notes.push_back(core::warning(
        Code::kPlanAlias,
        fmt::format("{} another role than what {} an alias of: the other's role holds",
                    core::plural(changed, "block has", "blocks have"),
                    changed == 1 ? "it is" : "they are"),
        core::Place{wanted.path}));
  }
  for (Slot& slot : slots) {
    finish_slot(slot, wanted, mistakes);
  }
  return slots;
}

// --- fixed offsets

// Comparing with a million ids is for nobody.
std::string nearest_id(const PlanReport& wanted, const std::string& id) {
  constexpr std::size_t kMost = 2000;
  if (wanted.blocks.size() > kMost || id.size() > 100) {
    return {};
  }
  std::vector<std::string> ids;
  for (const PlannedBlock& block : wanted.blocks) {
    if (block.id.size() <= 100) {
      ids.push_back(core::printable(block.id));
    }
  }
  return core::did_you_mean(id, ids);
}

// `sum`: what all blocks come to.
void keep_offsets(std::vector<Slot>& slots,
                  core::Bytes sum,
                  const PlanReport& wanted,
                  const PlanOptions& options,
                  Mistakes& mistakes) {
  const std::set<std::string_view> fixed(options.fixed.begin(), options.fixed.end());
  std::set<std::string_view> found;
  for (Slot& slot : slots) {
    for (std::size_t k = 0; k < slot.blocks.size(); ++k) {
      const PlannedBlock& block = wanted.blocks[slot.blocks[k]];
      const bool named = fixed.contains(block.id);
      if (named) {
        found.insert(block.id);
      }
      if (named && !block.offset) {
        mistakes.add(Code::kPlanUnplanned,
                     fmt::format("{} shall stay where it is, but has no offset", label_of(block)),
                     spot_of(wanted, block),
                     "give a report that has its offset, or let it move");
      } else if ((named || options.keep_offsets) && block.offset) {
        if (!slot.offset) {
          slot.offset = (*block.offset - core::Bytes{slot.begins[k]}).count();
        }
        if (*block.offset + sum > model::kLargestPlan) {
          mistakes.add(Code::kPlanSize,
                       fmt::format("{} shall stay at the offset {}", label_of(block), *slot.offset),
                       spot_of(wanted, block),
                       "no plan is that large: let it move");
        }
      }
    }
  }
  for (const std::string_view id : fixed) {
    if (!found.contains(id)) {
      mistakes.add(Code::kPlanUnplanned,
                   fmt::format("there is no block {} to keep where it is", quoted(std::string{id})),
                   {wanted.path},
                   nearest_id(wanted, std::string{id}));
    }
  }
}

// --- rules and homes

// Rules that meet nothing, most likely because of a mistyped id.
void check_rules(const Rules& rules, const PlanReport& wanted, core::Diagnostics& notes) {
  if (rules.tensors.empty()) {
    return;
  }
  std::unordered_map<std::string_view, Lifetime> roles;
  for (const PlannedBlock& block : wanted.blocks) {
    roles.emplace(block.id, block.role);
  }
  std::size_t said = 0;
  for (const TensorRule& rule : rules.tensors) {
    for (const std::string& id : rule.ids) {
      const auto found = roles.find(id);
      if (found != roles.end() && (!rule.type || *rule.type == found->second)) {
        continue;
      }
      if (++said > kMostMistakes) {
        return;
      }
      notes.push_back(
          core::warning(Code::kPlanRule,
                        found == roles.end()
                            ? fmt::format("a rule is about {}, which the plan has not", quoted(id))
                            : fmt::format("a rule for {} tensors names {}, which is {}",
                                          model::name_of(*rule.type),
                                          quoted(id),
                                          model::name_of(found->second)),
                        rule.place,
                        found == roles.end() ? nearest_id(wanted, id) : "it changes nothing"));
    }
  }
}

void find_homes(Slot& slot, const Wish& wish, const Banks& banks, Mistakes& mistakes) {
  slot.homes = homes_of(wish, banks, mistakes);
  // An offset without a memory is one in the cheapest that reaches so far.
  if (slot.offset && slot.homes.size() > 1) {
    const auto first = std::ranges::find_if(slot.homes, [&](const Home& home) {
      return *slot.offset + slot.size <= banks[home.bank].budget;
    });
    slot.homes = {first == slot.homes.end() ? slot.homes.front() : *first};
  }
  for (Home& home : slot.homes) {
    const Bank& bank = banks[home.bank];
    home.price = static_cast<double>(bank.cost - banks[banks.by_cost.front()].cost) *
                 static_cast<double>(slot.uses) * static_cast<double>(slot.size);
    const std::uint64_t alignment = std::max(slot.alignment, bank.slot_alignment);
    if (slot.offset && *slot.offset % alignment != 0) {
      mistakes.add(Code::kPlanAlignment,
                   fmt::format("{} shall stay at {} of its arena, which is no multiple of {}",
                               label_of(wish.root),
                               *slot.offset,
                               alignment),
                   wish.place(),
                   "let it move, or give it another offset");
    }
  }
}

// --- one source for each destination

using TwoSlots = std::pair<const Slot*, const Slot*>;

// Two constants that would fill one arena from two memories; slots lose the homes that would.
std::optional<TwoSlots> contradiction(std::vector<Slot>& slots, std::size_t banks) {
  // Of each bank: the slot that says where its constants come from.
  std::vector<const Slot*> sure(banks, nullptr);
  const auto contradicts = [&](const Home& home) {
    const Slot* first = sure[home.bank];
    return first != nullptr && first->homes.front().source != home.source;
  };
  for (const Slot& slot : slots) {
    if (slot.role != Lifetime::kConstant || slot.homes.size() != 1) {
      continue;
    }
    const Home& home = slot.homes.front();
    if (contradicts(home)) {
      return TwoSlots{sure[home.bank], &slot};
    }
    if (sure[home.bank] == nullptr) {
      sure[home.bank] = &slot;
    }
  }
  for (Slot& slot : slots) {
    if (slot.role != Lifetime::kConstant || slot.homes.size() == 1) {
      continue;
    }
    const Home preferred = slot.homes.front();
    std::erase_if(slot.homes, contradicts);
    if (slot.homes.empty()) {
      slot.homes = {preferred};
      return TwoSlots{sure[preferred.bank], &slot};
    }
  }
  return std::nullopt;
}

void say_two_sources(const TwoSlots& found,
                     const PlanReport& wanted,
                     const RuleIndex& rules,
                     const Banks& banks,
                     Mistakes& mistakes) {
  const PlannedBlock& first = wanted.blocks[found.first->blocks.front()];
  const PlannedBlock& second = wanted.blocks[found.second->blocks.front()];
  const auto from = [&](const Slot& slot) { return quoted(banks[slot.homes.front().source].name); };
  const TensorAttributes rule = rules.of(Lifetime::kConstant, second.id);
  const core::Place& of_rule =
      rule.constant_destination_memory.empty() ? rule.memory_place : rule.destination_place;
  mistakes.add(Code::kPlanRule,
               fmt::format("the constants of {} come from two memories: {} from {}, {} from {}",
                           quoted(banks[found.first->homes.front().bank].name),
                           label_of(first),
                           from(*found.first),
                           label_of(second),
                           from(*found.second)),
               of_rule.path.empty() ? spot_of(wanted, second) : of_rule,
               "one copy fills an arena, from one memory: give both the same source, or another "
               "memory at run time");
}

}  // namespace

std::string quoted(const std::string& name) {
  return fmt::format("'{}'", core::printable(name, 80));
}

std::string label_of(const PlannedBlock& block) {
  return block.name.empty() || block.name == block.id
             ? quoted(block.id)
             : fmt::format("{} ({})", quoted(block.id), core::printable(block.name, 80));
}

core::Result<Problem> make_problem(const PlanReport& wanted,
                                   const board::MemorySet& part,
                                   const PlanOptions& options,
                                   core::Diagnostics& notes) {
  Mistakes mistakes;
  Banks banks = banks_of(part, options, wanted.blocks, mistakes, notes);
  const model::IdOrder order = model::order_by_id(wanted.blocks);
  check_blocks(wanted, order, mistakes);
  const core::Bytes sum = sum_of(wanted, banks);
  if (sum > model::kLargestPlan) {
    mistakes.add(Code::kPlanSize,
                 fmt::format("the blocks come to {} and more: no plan is that large",
                             core::format_size(model::kLargestPlan)),
                 {wanted.path},
                 "sizes are bytes: check the largest ones");
  }
  std::vector<Slot> slots;
  if (mistakes.empty()) {
    slots = slots_of(wanted, order.blocks, mistakes, notes);
  }
  if (mistakes.empty()) {
    const RuleIndex rules{options.rules};
    keep_offsets(slots, sum, wanted, options, mistakes);
    check_rules(options.rules, wanted, notes);
    for (Slot& slot : slots) {
      const PlannedBlock& root = wanted.blocks[slot.blocks.front()];
      const TensorAttributes rule = rules.of(slot.role, root.id);
      const bool is_kept = (options.keep_memories || slot.offset) && !root.memory.empty() &&
                           (root.memory != "default" || banks.named(root.memory));
      find_homes(slot, {wanted, root, rule, is_kept}, banks, mistakes);
    }
    if (mistakes.empty()) {
      if (const auto found = contradiction(slots, banks.all.size()); found) {
        say_two_sources(*found, wanted, rules, banks, mistakes);
      }
    }
  }
  if (!mistakes.empty()) {
    return tl::make_unexpected(mistakes.take());
  }
  return Problem{std::move(banks.all), std::move(slots)};
}

}  // namespace memsize::plan
