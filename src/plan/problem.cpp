// From wishes to slots and homes. A rule decides alone; then, with keep_memories, the report; else
// every memory that can hold the block is a home, the cheapest first, but for those that want to be
// asked for by name.
//
// Constants stay cold unless a rule or the report stages them: copying them costs room twice and
// time at every start, which nobody asked for. Only where no memory both keeps its content and is
// mapped there is no other way: then they are staged from the cheapest that keeps its content.
//
// How much a home costs is cost x uses x size. Where a report counts no uses, scratch is used twice
// (written once, read once), anything else once: all that a plan shows, and enough to prefer
// short-lived blocks, which leave fast memory to others soonest.
#include "problem.hpp"

#include "memsize/core/text.hpp"
#include "memsize/model/id_order.hpp"

#include "begins.hpp"
#include "rule_index.hpp"
#include "slot_members.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;
using model::Lifetime;
using model::PlannedBlock;

constexpr std::size_t kMostErrors = 20;
constexpr std::uint64_t kLargestAlignment = std::uint64_t{1} << 40;
// heliaAOT: the floor of an arena's base.
constexpr std::uint64_t kBaseFloor = 16;

std::string quoted(const std::string& name) {
  return fmt::format("'{}'", core::printable(name, 80));
}

class ProblemMaker {
 public:
  ProblemMaker(const model::PlanReport& wanted,
               const board::MemorySet& part,
               const PlanOptions& options,
               core::Diagnostics& notes)
      : wanted_(wanted),
        part_(part),
        options_(options),
        notes_(notes),
        rules_(options.rules),
        order_(model::order_by_id(wanted.blocks)) {}

  core::Result<Problem> make() {
    make_banks();
    check_blocks();
    if (errors_.empty()) {
      make_slots();
    }
    if (errors_.empty()) {
      place_fixed();
      check_rules();
      for (Slot& slot : problem_.slots) {
        find_homes(slot);
      }
    }
    if (errors_.empty()) {
      check_sources();
    }
    if (!errors_.empty()) {
      if (unsaid_ > 0) {
        errors_.back().details.push_back(
            fmt::format("and {} more", core::plural(unsaid_, "mistake")));
      }
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(problem_);
  }

 private:
  void wrong(Code code, std::string what, core::Place place, std::string hint) {
    if (errors_.size() >= kMostErrors) {
      ++unsaid_;
      return;
    }
    errors_.push_back(core::error(code, std::move(what), std::move(place), std::move(hint)));
  }

  // One rule may be wrong for many blocks: the first is named, the others are listed.
  void wrong_for(const PlannedBlock& block,
                 Code code,
                 std::string what,
                 const core::Place& place,
                 std::string hint) {
    constexpr std::size_t kListed = 5;
    const auto known = by_place_.find({code, place});
    if (known == by_place_.end()) {
      if (errors_.size() < kMostErrors) {
        by_place_.emplace(std::pair{code, place}, std::pair{errors_.size(), std::size_t{0}});
      }
      return wrong(code, std::move(what), place, std::move(hint));
    }
    auto& [error, others] = known->second;
    if (++others <= kListed) {
      errors_[error].details.push_back(fmt::format("the same for {}", label_of(block)));
    } else {
      std::string& last = errors_[error].details.back();
      last = fmt::format("and for {} more", others - kListed + 1);
    }
  }

  void warn(Code code, std::string what, core::Place place, std::string hint) {
    notes_.push_back(core::warning(code, std::move(what), std::move(place), std::move(hint)));
  }

  [[nodiscard]] core::Place place_of(const PlannedBlock& block) const {
    return {wanted_.path, block.line};
  }

  // --- banks

  void make_banks() {
    for (const board::PartMemory& memory : part_.memories) {
      Bank bank{.name = memory.name,
                .base = memory.base ? std::optional{memory.base->value()} : std::nullopt,
                .window = std::min(memory.window, model::kLargestPlan).count()};
      bank.budget = std::min(board::budget_of(memory), model::kLargestPlan).count();
      bank.slot_alignment = part_.alignment.value();
      bank.base_alignment =
          std::max({kBaseFloor, bank.slot_alignment, memory.arena_alignment.value()});
      bank.cost = memory.cost;
      bank.writable = memory.writable;
      bank.is_volatile = memory.is_volatile;
      bank.by_rule = memory.by_rule;
      bank.mapped = memory.base.has_value() || !is_real_part();
      problem_.banks.push_back(std::move(bank));
    }
    if (problem_.banks.empty()) {
      Bank bank{.name = "default", .window = model::kLargestPlan.count()};
      bank.budget = bank.window;
      bank.slot_alignment = part_.alignment.value();
      bank.base_alignment = std::max(kBaseFloor, bank.slot_alignment);
      bank.is_volatile = false;
      problem_.banks.push_back(std::move(bank));
    }
    std::vector<std::size_t> order(problem_.banks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return problem_.banks[a].cost < problem_.banks[b].cost;
    });
    by_cost_ = std::move(order);
    if (options_.limits.capacity) {
      limit_first(options_.limits.capacity->count());
    }
    for (const MemoryConstraint& constraint : options_.rules.constraints) {
      constrain(constraint);
    }
    begin_behind_others(problem_.banks, options_.taken, wanted_.blocks);
  }

  // Memories that are made of a report know nothing of addresses.
  [[nodiscard]] bool is_real_part() const {
    return std::ranges::any_of(part_.memories,
                               [](const auto& memory) { return memory.base.has_value(); });
  }

  void limit_first(std::uint64_t capacity) {
    const auto first = std::ranges::find_if(
        by_cost_, [&](std::size_t bank) { return !problem_.banks[bank].by_rule; });
    Bank& bank = problem_.banks[first == by_cost_.end() ? by_cost_.front() : *first];
    bank.budget = std::min(bank.budget, capacity);
    bank.enough_within = true;
  }

  void constrain(const MemoryConstraint& constraint) {
    const auto bank = bank_named(constraint.memory);
    if (!bank) {
      unknown_memory(constraint.memory, constraint.place, "a constraint is about");
      return;
    }
    Bank& limited = problem_.banks[*bank];
    if (constraint.max_size) {
      limited.budget = std::min(constraint.max_size->count(), limited.window);
      limited.limited_by_rule = true;
      if (constraint.max_size->count() > limited.window) {
        warn(Code::kPlanRule,
             fmt::format("'max_size' of {} is {}, but it has {}",
                         quoted(limited.name),
                         core::format_bytes(*constraint.max_size),
                         core::format_bytes(core::Bytes{limited.window})),
             constraint.place,
             "the smaller one holds");
      }
    }
    if (constraint.arena_alignment) {
      const std::uint64_t floor =
          std::max(constraint.arena_alignment->value(), limited.slot_alignment);
      limited.slot_alignment = floor;
      limited.base_alignment = floor;
      limited.aligned_by_rule = true;
    }
  }

  [[nodiscard]] std::optional<std::size_t> bank_named(const std::string& name) const {
    const auto bank = std::ranges::find(problem_.banks, name, &Bank::name);
    return bank == problem_.banks.end()
               ? std::nullopt
               : std::optional{static_cast<std::size_t>(bank - problem_.banks.begin())};
  }

  [[nodiscard]] std::vector<std::string> bank_names() const {
    std::vector<std::string> names;
    for (const std::size_t bank : by_cost_) {
      names.push_back(core::printable(problem_.banks[bank].name, 80));
    }
    return names;
  }

  void unknown_memory(const std::string& name, const core::Place& place, std::string_view who) {
    if (!said_.insert({name, place.line}).second) {
      return;
    }
    std::string hint = core::did_you_mean(name, bank_names());
    wrong(
        Code::kPlanMemory,
        part_.name.empty()
            ? fmt::format("{} the memory {}, which is not there", who, quoted(name))
            : fmt::format(
                  "{} the memory {}, which part {} has not", who, quoted(name), quoted(part_.name)),
        place,
        !hint.empty()        ? hint
        : part_.name.empty() ? fmt::format("the plan's memories are: {}; --board names a part's",
                                           core::join(bank_names(), ", "))
                             : fmt::format("its memories are: {}", core::join(bank_names(), ", ")));
  }

  // --- blocks

  void check_blocks() {
    auto repeated = order_.repeated.begin();
    std::uint64_t padding = 1;
    for (const Bank& bank : problem_.banks) {
      padding = std::max(padding, bank.slot_alignment);
    }
    for (std::size_t i = 0; i < wanted_.blocks.size(); ++i) {
      const PlannedBlock& block = wanted_.blocks[i];
      if (repeated != order_.repeated.end() && repeated->first == i) {
        ++repeated;
        wrong(Code::kPlanDuplicate,
              fmt::format("two blocks have the id {}", quoted(block.id)),
              place_of(block),
              "every block has an id of its own");
      }
      check_lifetime(block);
      if (block.alignment.value_or(core::Align{}).value() > kLargestAlignment) {
        wrong(
            Code::kPlanAlignment,
            fmt::format("{} wants an alignment of {} B", label_of(block), block.alignment->value()),
            place_of(block),
            "no memory begins at a multiple of that: give a smaller one");
      }
      // Padding counts, too.
      sum_ += block.size;
      sum_ += core::Bytes{std::max(block.alignment.value_or(core::Align{}).value(), padding)};
    }
    if (sum_ > model::kLargestPlan) {
      wrong(Code::kPlanSize,
            fmt::format("the blocks come to {} and more: no plan is that large",
                        core::format_size(model::kLargestPlan)),
            core::Place{wanted_.path, 0, 0, 0, {}},
            "sizes are bytes: check the largest ones");
    }
  }

  void check_lifetime(const PlannedBlock& block) {
    if (!block.live) {
      return;
    }
    const model::Interval& live = *block.live;
    if (live.lower >= live.upper) {
      wrong(Code::kPlanLifetime,
            fmt::format("{} lives from step {} to step {}, which is never",
                        label_of(block),
                        live.lower,
                        live.upper),
            place_of(block),
            "it ends one step behind the last one that uses it");
    } else if (live.lower < -model::kLastStep || live.upper > model::kLastStep) {
      wrong(
          Code::kPlanLifetime,
          fmt::format("{} lives from step {} to step {}", label_of(block), live.lower, live.upper),
          place_of(block),
          "what lives for ever is persistent");
    }
  }

  void make_slots() {
    const auto roots = model::roots_of(wanted_.blocks);
    std::vector<std::size_t> slot_of(wanted_.blocks.size(), SIZE_MAX);
    for (std::size_t i = 0; i < wanted_.blocks.size(); ++i) {
      const PlannedBlock& block = wanted_.blocks[i];
      if (roots[i] == nullptr) {
        wrong(Code::kPlanAlias,
              fmt::format("{} is an alias of {}, which leads nowhere",
                          label_of(block),
                          quoted(block.alias_of)),
              place_of(block),
              "an alias names a block of the plan that has bytes of its own");
      } else if (block.size > roots[i]->size) {
        wrong(Code::kPlanAlias,
              fmt::format("{} is to use the bytes of {}, but it has {} B, and that only {} B",
                          label_of(block),
                          label_of(*roots[i]),
                          block.size.count(),
                          roots[i]->size.count()),
              place_of(block),
              "an alias lies inside the block whose bytes it uses; else it needs bytes of its own");
      }
    }
    // By their ids: the order of the report must not show.
    for (const std::size_t i : order_.blocks) {
      if (roots[i] == &wanted_.blocks[i]) {
        slot_of[i] = problem_.slots.size();
        problem_.slots.push_back(Slot{});
        problem_.slots.back().role = wanted_.blocks[i].role;
        add(problem_.slots.back(), i);
      }
    }
    std::size_t changed = 0;
    for (const std::size_t i : order_.blocks) {
      if (roots[i] != nullptr && roots[i] != &wanted_.blocks[i]) {
        const auto root = static_cast<std::size_t>(roots[i] - wanted_.blocks.data());
        changed += static_cast<std::size_t>(wanted_.blocks[i].role != roots[i]->role);
        add(problem_.slots[slot_of[root]], i);
      }
    }
    if (changed > 0) {
      warn(Code::kPlanAlias,
           fmt::format("{} another role than what {} an alias of: the other's role holds",
                       core::plural(changed, "block has", "blocks have"),
                       changed == 1 ? "it is" : "they are"),
           core::Place{wanted_.path, 0, 0, 0, {}},
           "");
    }
    for (Slot& slot : problem_.slots) {
      finish(slot);
    }
  }

  void add(Slot& slot, std::size_t index) {
    const PlannedBlock& block = wanted_.blocks[index];
    slot.blocks.push_back(index);
    slot.alignment = std::max(slot.alignment, block.alignment.value_or(core::Align{}).value());
    if (block.live) {
      const bool first = slot.live == model::Interval{};
      slot.live.lower = first ? block.live->lower : std::min(slot.live.lower, block.live->lower);
      slot.live.upper = first ? block.live->upper : std::max(slot.live.upper, block.live->upper);
    }
  }

  void finish(Slot& slot) {
    const PlannedBlock& root = wanted_.blocks[slot.blocks.front()];
    const bool scratch = slot.role == Lifetime::kScratch;
    place_members(slot, root, wanted_.blocks);
    if (scratch && slot.live == model::Interval{} && slot.size > 0) {
      wrong(
          Code::kPlanLifetime,
          fmt::format("the scratch block {} has no lifetime", label_of(root)),
          place_of(root),
          "give a report that says what is alive when, too: an operator manifest, a memory-layers "
          "CSV, or lifetimes as id,lower,upper,size");
    }
    if (slot.live == model::Interval{}) {
      slot.live.upper = 1;
    }
    core::Bytes uses;
    bool counted = false;
    for (const std::size_t block : slot.blocks) {
      counted = counted || wanted_.blocks[block].uses.has_value();
      uses += core::Bytes{wanted_.blocks[block].uses.value_or(0)};
    }
    slot.uses = counted ? uses.count() : scratch ? 2 : 1;
  }

  // --- fixed offsets

  void place_fixed() {
    std::set<std::string_view> fixed(options_.fixed.begin(), options_.fixed.end());
    std::set<std::string_view> found;
    for (Slot& slot : problem_.slots) {
      for (std::size_t k = 0; k < slot.blocks.size(); ++k) {
        const PlannedBlock& block = wanted_.blocks[slot.blocks[k]];
        const bool named = fixed.contains(block.id);
        if (named) {
          found.insert(block.id);
        }
        if (named && !block.offset) {
          wrong(Code::kPlanUnplanned,
                fmt::format("{} shall stay where it is, but has no offset", label_of(block)),
                place_of(block),
                "give a report that has its offset, or let it move");
        } else if ((named || options_.keep_offsets) && block.offset) {
          if (!slot.offset) {
            slot.offset = (*block.offset - core::Bytes{slot.begins[k]}).count();
          }
          if (*block.offset + sum_ > model::kLargestPlan) {
            wrong(Code::kPlanSize,
                  fmt::format("{} shall stay at the offset {}", label_of(block), *slot.offset),
                  place_of(block),
                  "no plan is that large: let it move");
          }
        }
      }
    }
    for (const std::string_view id : fixed) {
      if (!found.contains(id)) {
        wrong(Code::kPlanUnplanned,
              fmt::format("there is no block {} to keep where it is", quoted(std::string{id})),
              core::Place{wanted_.path, 0, 0, 0, {}},
              nearest_id(std::string{id}));
      }
    }
  }

  // Comparing with a million ids is for nobody.
  [[nodiscard]] std::string nearest_id(const std::string& id) const {
    constexpr std::size_t kMost = 2000;
    if (wanted_.blocks.size() > kMost || id.size() > 100) {
      return {};
    }
    std::vector<std::string> ids;
    for (const PlannedBlock& block : wanted_.blocks) {
      if (block.id.size() <= 100) {
        ids.push_back(core::printable(block.id));
      }
    }
    return core::did_you_mean(id, ids);
  }

  // --- rules and homes

  // Rules that meet nothing, most likely because of a mistyped id.
  void check_rules() {
    if (options_.rules.tensors.empty()) {
      return;
    }
    std::unordered_map<std::string_view, Lifetime> roles;
    for (const PlannedBlock& block : wanted_.blocks) {
      roles.emplace(block.id, block.role);
    }
    std::size_t said = 0;
    for (const TensorRule& rule : options_.rules.tensors) {
      for (const std::string& id : rule.ids) {
        const auto found = roles.find(id);
        if (found != roles.end() && (!rule.type || *rule.type == found->second)) {
          continue;
        }
        if (++said > kMostErrors) {
          return;
        }
        warn(Code::kPlanRule,
             found == roles.end()
                 ? fmt::format("a rule is about {}, which the plan has not", quoted(id))
                 : fmt::format("a rule for {} tensors names {}, which is {}",
                               model::name_of(*rule.type),
                               quoted(id),
                               model::name_of(found->second)),
             rule.place,
             found == roles.end() ? nearest_id(id) : "it changes nothing");
      }
    }
  }

  void find_homes(Slot& slot) {
    const PlannedBlock& root = wanted_.blocks[slot.blocks.front()];
    const TensorAttributes rule = rules_.of(slot.role, root.id);
    if (slot.role == Lifetime::kConstant) {
      find_constant_homes(slot, root, rule);
    } else {
      find_writable_homes(slot, root, rule);
    }
    if (slot.offset && slot.homes.size() > 1) {
      slot.homes.resize(1);
    }
    for (Home& home : slot.homes) {
      home.price = static_cast<double>(problem_.banks[home.bank].cost - lowest()) *
                   static_cast<double>(slot.uses) * static_cast<double>(slot.size);
      check_fixed(slot, root, problem_.banks[home.bank]);
    }
  }

  void check_fixed(const Slot& slot, const PlannedBlock& root, const Bank& bank) {
    const std::uint64_t alignment = std::max(slot.alignment, bank.slot_alignment);
    if (slot.offset && *slot.offset % alignment != 0) {
      wrong(Code::kPlanAlignment,
            fmt::format("{} shall stay at {} of its arena, which is no multiple of {}",
                        label_of(root),
                        *slot.offset,
                        alignment),
            place_of(root),
            "let it move, or give it another offset");
    }
  }

  [[nodiscard]] std::uint32_t lowest() const { return problem_.banks[by_cost_.front()].cost; }

  // A bank that a rule or the report names; an error where it is not there.
  std::optional<std::size_t> asked_bank(const std::string& name,
                                        const core::Place& place,
                                        bool of_rule) {
    const auto bank = bank_named(name);
    if (!bank) {
      unknown_memory(name, place, of_rule ? "a rule asks for" : "a block is in");
    }
    return bank;
  }

  // Where the report has a block, if that shall stay.
  [[nodiscard]] bool keeps(const PlannedBlock& root, const Slot& slot) const {
    const bool kept = options_.keep_memories || slot.offset.has_value();
    return kept && !root.memory.empty() &&
           (root.memory != "default" || bank_named(root.memory).has_value());
  }

  void find_writable_homes(Slot& slot, const PlannedBlock& root, const TensorAttributes& rule) {
    const bool by_rule = !rule.memory.empty();
    // Who puts something where no kernel reads has buffers that it comes through.
    const auto reported = bank_named(root.memory);
    if (by_rule || keeps(root, slot) || (reported && !problem_.banks[*reported].mapped)) {
      const core::Place place = by_rule ? rule.memory_place : place_of(root);
      const auto bank = asked_bank(by_rule ? rule.memory : root.memory, place, by_rule);
      if (bank && !problem_.banks[*bank].writable) {
        not_writable(*bank, root, place);
      } else if (bank) {
        slot.homes = {{*bank, *bank, 0}};
      }
      return;
    }
    for (const std::size_t bank : by_cost_) {
      const Bank& candidate = problem_.banks[bank];
      if (candidate.writable && !candidate.by_rule && candidate.mapped) {
        slot.homes.push_back({bank, bank, 0});
      }
    }
    if (slot.homes.empty()) {
      wrong(Code::kPlanMemory,
            fmt::format("no memory of part {} can be written without a rule that names it",
                        quoted(part_.name)),
            place_of(root),
            fmt::format("name one: {}", core::join(bank_names(), ", ")));
    }
  }

  void not_writable(std::size_t bank, const PlannedBlock& root, const core::Place& place) {
    std::vector<std::string> others;
    for (const std::size_t other : by_cost_) {
      if (problem_.banks[other].writable) {
        others.push_back(problem_.banks[other].name);
      }
    }
    wrong_for(root,
              Code::kPlanRule,
              fmt::format("{} is written at run time, but {} is read-only",
                          label_of(root),
                          quoted(problem_.banks[bank].name)),
              place,
              fmt::format("name memory that can be written: {}", core::join(others, ", ")));
  }

  void is_volatile(std::size_t bank,
                   const PlannedBlock& root,
                   const core::Place& place,
                   const TensorAttributes* rule) {
    std::string keeps_content;
    for (const std::size_t other : by_cost_) {
      if (!problem_.banks[other].is_volatile && keeps_content.empty()) {
        keeps_content = problem_.banks[other].name;
      }
    }
    const std::string& name = problem_.banks[bank].name;
    const auto destination =
        rule == nullptr ? std::nullopt : bank_named(rule->constant_destination_memory);
    const std::string& wanted = problem_.banks[destination.value_or(bank)].name;
    wrong_for(
        root,
        Code::kPlanVolatile,
        fmt::format("the constant {} shall come from {}, which holds nothing when the power comes",
                    label_of(root),
                    quoted(name)),
        place,
        keeps_content.empty()
            ? fmt::format("part {} has no memory that keeps it", quoted(part_.name))
            : fmt::format(
                  "to have it in {} at run time: memory: {}, constant_destination_memory: {}",
                  wanted,
                  keeps_content,
                  wanted));
  }

  // Whoever staged a constant wants it read where it is copied to: another part's memories of these
  // names are as good.
  [[nodiscard]] bool can_be_staged(const PlannedBlock& root) const {
    const auto bank = bank_named(root.memory);
    const auto source = bank_named(root.source_memory);
    return bank && source && *bank != *source && problem_.banks[*bank].writable &&
           problem_.banks[*bank].mapped && !problem_.banks[*source].is_volatile;
  }

  void find_constant_homes(Slot& slot, const PlannedBlock& root, const TensorAttributes& rule) {
    const bool staged_on_purpose =
        rule.memory.empty() && rule.constant_destination_memory.empty() && can_be_staged(root);
    const bool keep = keeps(root, slot) || staged_on_purpose;
    std::vector<Home> homes;
    // Where it comes from.
    if (!rule.memory.empty()) {
      add_source(homes, rule.memory, rule.memory_place, &rule, root);
    } else if (keep) {
      const std::string& from = root.source_memory.empty() ? root.memory : root.source_memory;
      add_source(homes, from, place_of(root), nullptr, root);
    } else {
      add_sources(homes, root);
    }
    if (homes.empty()) {
      return;
    }
    // Where it is read.
    const bool staged_by_report = keep && rule.memory.empty() && !root.source_memory.empty() &&
                                  root.source_memory != root.memory;
    if (!rule.constant_destination_memory.empty() || staged_by_report) {
      const bool by_rule = !rule.constant_destination_memory.empty();
      const core::Place place = by_rule ? rule.destination_place : place_of(root);
      const auto bank =
          asked_bank(by_rule ? rule.constant_destination_memory : root.memory, place, by_rule);
      if (!bank) {
        return;
      }
      if (!problem_.banks[*bank].writable && *bank != homes.front().source) {
        return not_writable(*bank, root, place);
      }
      slot.homes = {{*bank, homes.front().source, 0}};
      return;
    }
    slot.homes = std::move(homes);
  }

  void add_source(std::vector<Home>& homes,
                  const std::string& name,
                  const core::Place& place,
                  const TensorAttributes* rule,
                  const PlannedBlock& root) {
    const auto bank = asked_bank(name, place, rule != nullptr);
    if (bank && problem_.banks[*bank].is_volatile) {
      is_volatile(*bank, root, place, rule);
    } else if (bank) {
      homes.push_back({*bank, *bank, 0});
    }
  }

  // Cold where that is possible; else staged from the cheapest that keeps its content.
  void add_sources(std::vector<Home>& homes, const PlannedBlock& root) {
    std::optional<std::size_t> unmapped;
    for (const std::size_t bank : by_cost_) {
      const Bank& candidate = problem_.banks[bank];
      if (candidate.is_volatile || candidate.by_rule) {
        continue;
      }
      if (candidate.mapped) {
        homes.push_back({bank, bank, 0});
      } else if (!unmapped) {
        unmapped = bank;
      }
    }
    for (const std::size_t bank : by_cost_) {
      const Bank& candidate = problem_.banks[bank];
      if (!homes.empty() && !homes.front().staged()) {
        break;
      }
      if (unmapped && candidate.writable && !candidate.by_rule && candidate.mapped) {
        homes.push_back({bank, *unmapped, 0});
      }
    }
    if (homes.empty()) {
      wrong(Code::kPlanVolatile,
            fmt::format("no memory of part {} can hold the constant {} when the power comes",
                        quoted(part_.name),
                        label_of(root)),
            place_of(root),
            "say with a rule where constants come from");
    }
  }

  // --- one source for each destination

  void check_sources() {
    // Of each bank: the slot that says where its constants come from.
    std::vector<const Slot*> sure(problem_.banks.size(), nullptr);
    for (const Slot& slot : problem_.slots) {
      if (slot.role != Lifetime::kConstant || slot.homes.size() != 1) {
        continue;
      }
      const Home& home = slot.homes.front();
      const Slot*& first = sure[home.bank];
      if (first == nullptr) {
        first = &slot;
      } else if (first->homes.front().source != home.source) {
        two_sources(*first, slot);
        return;
      }
    }
    for (Slot& slot : problem_.slots) {
      if (slot.role != Lifetime::kConstant || slot.homes.size() == 1) {
        continue;
      }
      const auto contradicts = [&](const Home& home) {
        const Slot* first = sure[home.bank];
        return first != nullptr && first->homes.front().source != home.source;
      };
      const std::vector<Home> all = slot.homes;
      std::erase_if(slot.homes, contradicts);
      if (slot.homes.empty()) {
        slot.homes = {all.front()};
        two_sources(*sure[all.front().bank], slot);
        return;
      }
    }
  }

  void two_sources(const Slot& a, const Slot& b) {
    const PlannedBlock& first = wanted_.blocks[a.blocks.front()];
    const PlannedBlock& second = wanted_.blocks[b.blocks.front()];
    const std::string& where = problem_.banks[a.homes.front().bank].name;
    const auto from = [&](const Slot& slot) {
      return quoted(problem_.banks[slot.homes.front().source].name);
    };
    const TensorAttributes rule = rules_.of(Lifetime::kConstant, second.id);
    const core::Place& of_rule =
        rule.constant_destination_memory.empty() ? rule.memory_place : rule.destination_place;
    wrong(Code::kPlanRule,
          fmt::format("the constants of {} come from two memories: {} from {}, {} from {}",
                      quoted(where),
                      label_of(first),
                      from(a),
                      label_of(second),
                      from(b)),
          of_rule.path.empty() ? place_of(second) : of_rule,
          "one copy fills an arena, from one memory: give both the same source, or another memory "
          "at run time");
  }

  const model::PlanReport& wanted_;
  const board::MemorySet& part_;
  const PlanOptions& options_;
  core::Diagnostics& notes_;
  RuleIndex rules_;
  model::IdOrder order_;
  Problem problem_;
  std::vector<std::size_t> by_cost_;
  // Of all blocks with their padding.
  core::Bytes sum_;
  core::Diagnostics errors_;
  std::size_t unsaid_ = 0;
  std::set<std::pair<std::string, std::size_t>> said_;

  using Spot = std::pair<Code, core::Place>;

  struct EarlierSpot {
    bool operator()(const Spot& a, const Spot& b) const {
      return std::tie(a.first, a.second.path, a.second.line, a.second.column) <
             std::tie(b.first, b.second.path, b.second.line, b.second.column);
    }
  };

  // Where something is wrong: the error, and for how many blocks besides the first.
  std::map<Spot, std::pair<std::size_t, std::size_t>, EarlierSpot> by_place_;
};

}  // namespace

std::string label_of(const PlannedBlock& block) {
  return block.name.empty() || block.name == block.id
             ? quoted(block.id)
             : fmt::format("{} ({})", quoted(block.id), core::printable(block.name, 80));
}

core::Result<Problem> make_problem(const model::PlanReport& wanted,
                                   const board::MemorySet& part,
                                   const PlanOptions& options,
                                   core::Diagnostics& notes) {
  return ProblemMaker{wanted, part, options, notes}.make();
}

}  // namespace memsize::plan
