// A plan as heliaAOT's `memory:` section: the fewest rules that give each tensor its memory, and a
// constant its source. Rules for all, for a role and for ids follow each other field by field
// (plan/rules.hpp), so that a rule for ids says only what differs from what holds without it.
//
// Nothing is left to the compiler's own choice: of each tensor some rule says where it goes. A rule
// cannot take a destination back, so that one for all constants has none where one of them is cold.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "plan_writers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using model::Lifetime;
using Ids = std::vector<std::string>;
using Groups = std::map<std::string, Ids>;

constexpr std::array kRoles = {Lifetime::kScratch, Lifetime::kPersistent, Lifetime::kConstant};
constexpr std::size_t kConstants = 2;
constexpr const char* kNoMemory = "default";
// What heliaAOT's arenas begin at a multiple of anyway (memory/defines).
constexpr core::Align kFloor = *core::Align::make(16);

struct Rule {
  /// Nothing: "*".
  std::optional<std::size_t> role;
  /// Groups of ids, which the maker owns; none: every id.
  std::vector<const Ids*> ids;
  std::string memory;
  std::string destination;
};

/// What holds without ids. Empty texts say nothing.
struct Bases {
  std::string all;
  std::array<std::string, kRoles.size()> roles;
  std::string destination;
};

class RuleMaker {
 public:
  explicit RuleMaker(const model::PlanReport& plan) {
    for (const model::PlannedBlock& block : plan.blocks) {
      const auto role =
          static_cast<std::size_t>(std::ranges::find(kRoles, block.role) - kRoles.begin());
      const bool is_staged = role == kConstants && !block.source_memory.empty();
      memories_[role][is_staged ? block.source_memory : block.memory].push_back(block.id);
      if (is_staged) {
        destinations_[block.memory].push_back(block.id);
      } else if (role == kConstants) {
        has_cold_ = true;
      }
    }
  }

  // Every choice of what holds without ids is tried: of the fewest rules the first, which names the
  // fewest ids.
  [[nodiscard]] std::vector<Rule> fewest() const {
    std::vector<Rule> best;
    std::set<std::string> all{""};
    std::array<std::set<std::string>, kRoles.size()> of_roles;
    for (std::size_t role = 0; role < kRoles.size(); ++role) {
      of_roles[role].insert("");
      for (const auto& [memory, ids] : memories_[role]) {
        all.insert(memory);
        of_roles[role].insert(memory);
      }
    }
    std::set<std::string> destinations{""};
    for (const auto& [memory, ids] : destinations_) {
      if (!has_cold_) {
        destinations.insert(memory);
      }
    }
    for (const std::string& every : all) {
      for (const std::string& scratch : of_roles[0]) {
        for (const std::string& persistent : of_roles[1]) {
          for (const std::string& constant : of_roles[kConstants]) {
            for (const std::string& destination : destinations) {
              std::vector<Rule> rules = with({every, {scratch, persistent, constant}, destination});
              if (best.empty() || cost(rules) < cost(best)) {
                best = std::move(rules);
              }
            }
          }
        }
      }
    }
    return best;
  }

 private:
  static std::pair<std::size_t, std::size_t> cost(const std::vector<Rule>& rules) {
    std::size_t ids = 0;
    for (const Rule& rule : rules) {
      for (const Ids* const group : rule.ids) {
        ids += group->size();
      }
    }
    return {rules.size(), ids};
  }

  [[nodiscard]] std::vector<Rule> with(const Bases& bases) const {
    std::vector<Rule> rules;
    if (!bases.all.empty()) {
      rules.push_back({{}, {}, bases.all, {}});
    }
    for (std::size_t role = 0; role < kRoles.size(); ++role) {
      const std::string& destination = role == kConstants ? bases.destination : std::string{};
      if (!bases.roles[role].empty() || !destination.empty()) {
        rules.push_back({role, {}, bases.roles[role], destination});
      }
    }
    add_memories(bases, rules);
    add_destinations(bases, rules);
    return rules;
  }

  // Roles without a memory of their own share rules.
  void add_memories(const Bases& bases, std::vector<Rule>& rules) const {
    std::map<std::string, Rule> shared;
    for (std::size_t role = 0; role < kRoles.size(); ++role) {
      const bool has_own = !bases.roles[role].empty();
      for (const auto& [memory, ids] : memories_[role]) {
        if (memory == (has_own ? bases.roles[role] : bases.all)) {
          continue;
        }
        if (has_own) {
          rules.push_back({role, {&ids}, memory, {}});
          continue;
        }
        const auto [rule, is_new] = shared.emplace(memory, Rule{role, {}, memory, {}});
        rule->second.role = is_new ? rule->second.role : std::nullopt;
        rule->second.ids.push_back(&ids);
      }
    }
    for (auto& [memory, rule] : shared) {
      rules.push_back(std::move(rule));
    }
  }

  // A rule for the same constants says both.
  void add_destinations(const Bases& bases, std::vector<Rule>& rules) const {
    for (const auto& group : destinations_) {
      if (group.first == bases.destination) {
        continue;
      }
      Rule* const same = core::find_where(rules, [&](const Rule& rule) {
        return rule.role == kConstants && rule.ids.size() == 1 &&
               *rule.ids.front() == group.second && rule.destination.empty();
      });
      if (same != nullptr) {
        same->destination = group.first;
      } else {
        rules.push_back({kConstants, {&group.second}, {}, group.first});
      }
    }
  }

  /// Where tensors are, or come from, in the plan's order; what is staged, by where it goes.
  std::array<Groups, kRoles.size()> memories_;
  Groups destinations_;
  bool has_cold_ = false;
};

// JSON's strings are YAML's.
std::string quoted(const std::string& text) {
  return Json(text).compact();
}

std::string ids_of(const std::vector<const Ids*>& groups) {
  constexpr std::size_t kPerLine = 12;
  std::string text = "[";
  std::size_t count = 0;
  for (const Ids* const group : groups) {
    for (const std::string& id : *group) {
      text += count == 0 ? "" : count % kPerLine == 0 ? ",\n           " : ", ";
      text += quoted(id);
      ++count;
    }
  }
  return text + "]";
}

std::string rule_text(const Rule& rule) {
  std::string attributes;
  if (!rule.memory.empty()) {
    attributes = fmt::format("memory: {}", quoted(rule.memory));
  }
  if (!rule.destination.empty()) {
    attributes += fmt::format("{}constant_destination_memory: {}",
                              attributes.empty() ? "" : ", ",
                              quoted(rule.destination));
  }
  return fmt::format("    - type: {}\n{}      attributes: {{{}}}\n",
                     rule.role ? model::name_of(kRoles[*rule.role]) : "\"*\"",
                     rule.ids.empty() ? "" : fmt::format("      id: {}\n", ids_of(rule.ids)),
                     attributes);
}

// What all slots of a memory have, where it is more than the floor and the base of an arena has no
// more: a rule says it of both.
std::optional<core::Align> alignment_in(const model::PlanReport& plan,
                                        const model::PlannedMemory& memory) {
  std::optional<core::Align> least;
  for (const model::PlannedBlock& block : plan.blocks) {
    if (block.memory == memory.name && block.alias_of.empty()) {
      const core::Align own = block.alignment.value_or(core::Align{});
      least = std::min(least.value_or(own), own);
    }
  }
  return least && *least > kFloor && *least >= memory.alignment.value_or(kFloor) ? least
                                                                                 : std::nullopt;
}

}  // namespace

core::Result<std::string> plan_rules_yaml(const model::PlanReport& plan) {
  if (core::contains(plan.blocks, kNoMemory, &model::PlannedBlock::memory)) {
    return core::fail(core::error(core::Code::kUsage,
                                  "the plan names no memory, so that there is no rule to write",
                                  {},
                                  "name the part: --board PART (memsize list parts)"));
  }
  std::string text =
      "# Written by memsize plan. For heliaAOT's configuration, and for memsize plan "
      "--rules.\nmemory:\n";
  std::string constraints;
  for (const model::PlannedMemory& memory : plan.memories) {
    const auto is_in = [&](const model::PlannedBlock& block) {
      return block.memory == memory.name || block.source_memory == memory.name;
    };
    if (!memory.capacity || *memory.capacity >= model::kLargestPlan ||
        std::ranges::none_of(plan.blocks, is_in)) {
      continue;
    }
    constraints += fmt::format(
        "    - name: {}\n      max_size: {}\n", quoted(memory.name), memory.capacity->count());
    if (const auto alignment = alignment_in(plan, memory)) {
      constraints += fmt::format("      arena_alignment: {}\n", alignment->value());
    }
  }
  text += constraints.empty() ? "" : "  constraints:\n" + constraints;
  text += plan.blocks.empty() ? "  tensors: []\n" : "  tensors:\n";
  const RuleMaker maker{plan};
  for (const Rule& rule : maker.fewest()) {
    text += rule_text(rule);
  }
  return text;
}

}  // namespace memsize::emit
