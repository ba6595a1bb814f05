// A rule decides alone; then, where memories are kept, the report; else every memory that can hold
// the block is a home, the cheapest first, but for those that want to be asked for by name.
//
// Constants stay cold unless a rule or the report stages them: copying them costs room twice and
// time at every start, which nobody asked for. Only where no memory both keeps its content and is
// mapped there is no other way: then they are staged from the cheapest that keeps its content.
#include "homes.hpp"

#include "memsize/core/text.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;

std::optional<std::size_t> asked_by(bool is_rule,
                                    const std::string& name,
                                    const core::Place& place,
                                    const Banks& banks,
                                    Mistakes& mistakes) {
  return banks.asked(name, place, is_rule ? "a rule asks for" : "a block is in", mistakes);
}

void say_not_writable(const Wish& wish,
                      const Bank& bank,
                      const core::Place& place,
                      const Banks& banks,
                      Mistakes& mistakes) {
  std::vector<std::string> others;
  for (const std::size_t other : banks.by_cost) {
    if (banks[other].writable) {
      others.push_back(banks[other].name);
    }
  }
  mistakes.add_for(
      wish.root,
      Code::kPlanRule,
      fmt::format(
          "{} is written at run time, but {} is read-only", label_of(wish.root), quoted(bank.name)),
      place,
      fmt::format("name memory that can be written: {}", core::join(others, ", ")));
}

// `wanted`: where it shall be at run time.
void say_volatile(const Wish& wish,
                  const Bank& bank,
                  const std::string& wanted,
                  const core::Place& place,
                  const Banks& banks,
                  Mistakes& mistakes) {
  std::string keeps_content;
  for (const std::size_t other : banks.by_cost) {
    if (!banks[other].is_volatile && keeps_content.empty()) {
      keeps_content = banks[other].name;
    }
  }
  mistakes.add_for(
      wish.root,
      Code::kPlanVolatile,
      fmt::format("the constant {} shall come from {}, which holds nothing when the power comes",
                  label_of(wish.root),
                  quoted(bank.name)),
      place,
      keeps_content.empty()
          ? fmt::format("part {} has no memory that keeps it", quoted(banks.part))
          : fmt::format("to have it in {} at run time: memory: {}, constant_destination_memory: {}",
                        wanted,
                        keeps_content,
                        wanted));
}

std::vector<Home> writable_homes(const Wish& wish, const Banks& banks, Mistakes& mistakes) {
  const bool by_rule = !wish.rule.memory.empty();
  // Who puts something where no kernel reads has buffers that it comes through.
  const auto reported = banks.named(wish.root.memory);
  if (by_rule || wish.keeps || (reported && !banks[*reported].mapped)) {
    const core::Place place = by_rule ? wish.rule.memory_place : wish.place();
    const auto bank =
        asked_by(by_rule, by_rule ? wish.rule.memory : wish.root.memory, place, banks, mistakes);
    if (bank && banks[*bank].writable) {
      return {{*bank, *bank, 0}};
    }
    if (bank) {
      say_not_writable(wish, banks[*bank], place, banks, mistakes);
    }
    return {};
  }
  std::vector<Home> homes;
  for (const std::size_t bank : banks.by_cost) {
    if (banks[bank].writable && !banks[bank].by_rule && banks[bank].mapped) {
      homes.push_back({bank, bank, 0});
    }
  }
  if (homes.empty()) {
    mistakes.add(Code::kPlanMemory,
                 fmt::format("no memory of part {} can be written without a rule that names it",
                             quoted(banks.part)),
                 wish.place(),
                 fmt::format("name one: {}", core::join(banks.names(), ", ")));
  }
  return homes;
}

// Whoever staged a constant wants it read where it is copied to: another part's memories of these
// names are as good.
bool can_be_staged(const model::PlannedBlock& root, const Banks& banks) {
  const auto bank = banks.named(root.memory);
  const auto source = banks.named(root.source_memory);
  return bank && source && *bank != *source && banks[*bank].writable && banks[*bank].mapped &&
         !banks[*source].is_volatile;
}

// Cold where that is possible; else staged from the cheapest that keeps its content.
std::vector<Home> all_sources(const Wish& wish, const Banks& banks, Mistakes& mistakes) {
  std::vector<Home> homes;
  std::optional<std::size_t> unmapped;
  for (const std::size_t bank : banks.by_cost) {
    if (banks[bank].is_volatile || banks[bank].by_rule) {
      continue;
    }
    if (banks[bank].mapped) {
      homes.push_back({bank, bank, 0});
    } else if (!unmapped) {
      unmapped = bank;
    }
  }
  if (homes.empty() && unmapped) {
    for (const std::size_t bank : banks.by_cost) {
      if (banks[bank].writable && !banks[bank].by_rule && banks[bank].mapped) {
        homes.push_back({bank, *unmapped, 0});
      }
    }
  }
  if (homes.empty()) {
    mistakes.add(Code::kPlanVolatile,
                 fmt::format("no memory of part {} can hold the constant {} when the power comes",
                             quoted(banks.part),
                             label_of(wish.root)),
                 wish.place(),
                 "say with a rule where constants come from");
  }
  return homes;
}

// Where a constant comes from, with nothing said of where it is read.
std::vector<Home> sources_of(const Wish& wish, bool keeps, const Banks& banks, Mistakes& mistakes) {
  const bool by_rule = !wish.rule.memory.empty();
  if (!by_rule && !keeps) {
    return all_sources(wish, banks, mistakes);
  }
  const model::PlannedBlock& root = wish.root;
  const std::string& reported = root.source_memory.empty() ? root.memory : root.source_memory;
  const core::Place place = by_rule ? wish.rule.memory_place : wish.place();
  const auto bank =
      asked_by(by_rule, by_rule ? wish.rule.memory : reported, place, banks, mistakes);
  if (bank && !banks[*bank].is_volatile) {
    return {{*bank, *bank, 0}};
  }
  if (bank) {
    const auto destination =
        by_rule ? banks.named(wish.rule.constant_destination_memory) : std::nullopt;
    const std::string& wanted = banks[destination.value_or(*bank)].name;
    say_volatile(wish, banks[*bank], wanted, place, banks, mistakes);
  }
  return {};
}

std::vector<Home> constant_homes(const Wish& wish, const Banks& banks, Mistakes& mistakes) {
  const std::string& ruled = wish.rule.constant_destination_memory;
  const bool staged_on_purpose =
      wish.rule.memory.empty() && ruled.empty() && can_be_staged(wish.root, banks);
  const bool keeps = wish.keeps || staged_on_purpose;
  std::vector<Home> sources = sources_of(wish, keeps, banks, mistakes);
  const bool staged_by_report = keeps && wish.rule.memory.empty() &&
                                !wish.root.source_memory.empty() &&
                                wish.root.source_memory != wish.root.memory;
  if (sources.empty() || (ruled.empty() && !staged_by_report)) {
    return sources;
  }
  const bool by_rule = !ruled.empty();
  const core::Place place = by_rule ? wish.rule.destination_place : wish.place();
  const auto bank = asked_by(by_rule, by_rule ? ruled : wish.root.memory, place, banks, mistakes);
  if (!bank) {
    return {};
  }
  if (!banks[*bank].writable && *bank != sources.front().source) {
    say_not_writable(wish, banks[*bank], place, banks, mistakes);
    return {};
  }
  return {{*bank, sources.front().source, 0}};
}

}  // namespace

std::vector<Home> homes_of(const Wish& wish, const Banks& banks, Mistakes& mistakes) {
  return wish.root.role == model::Lifetime::kConstant ? constant_homes(wish, banks, mistakes)
                                                      : writable_homes(wish, banks, mistakes);
}

}  // namespace memsize::plan
