// What would help is tried before it is said: a block is only named if the rest fits without it.
// The smallest such block is the smallest change; how many are tried is bounded, because a report
// may have a million.
#include "explain.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/plan/check_plan.hpp"

#include "place.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using model::Lifetime;

constexpr std::size_t kLargest = 5;
// How many blocks are left out for a try, by lower bound and by packing.
constexpr std::size_t kBounds = 64;
constexpr std::size_t kPackings = 6;
constexpr std::uint64_t kShare = 200;
// Above this a bound alone takes too long to try many.
constexpr std::size_t kManySlots = 20'000;

// A bank that holds more than it may, and what it holds.
struct Overfull {
  const Problem& problem;
  const model::PlanReport& wanted;
  const Planned& planned;
  std::size_t index = 0;
  const Arena* scratch = nullptr;
  std::vector<const Arena*> steady = {};

  [[nodiscard]] const Bank& bank() const { return problem.banks[index]; }

  [[nodiscard]] std::uint64_t needed() const { return planned.used[index]; }

  [[nodiscard]] std::uint64_t excess() const { return needed() - bank().budget; }
};

Overfull overfull(const Problem& problem,
                  const model::PlanReport& wanted,
                  const Planned& planned,
                  std::size_t bank) {
  Overfull full{problem, wanted, planned, bank};
  for (const Arena& arena : planned.arenas) {
    if (arena.bank == bank && arena.role == Lifetime::kScratch) {
      full.scratch = &arena;
    } else if (arena.bank == bank) {
      full.steady.push_back(&arena);
    }
  }
  return full;
}

// Where slots have a choice, or several arenas share the bank, another plan may need less of it.
bool is_least(const Overfull& full) {
  const Arena* const only = full.steady.empty() ? full.scratch
                            : full.steady.size() == 1 && full.scratch == nullptr
                                ? full.steady.front()
                                : nullptr;
  return only != nullptr && !has_choice(full.problem) &&
         (only->proof == Proof::kBound || only->proof == Proof::kExhausted);
}

std::string with_size(const Overfull& full, std::size_t index) {
  const Slot& slot = full.problem.slots[index];
  return fmt::format("{} of {}",
                     label_of(full.wanted.blocks[slot.blocks.front()]),
                     core::format_bytes(core::Bytes{slot.size}));
}

// Largest first; of equal ones the problem's order, which is that of ids.
void sort_by_size(std::vector<std::size_t>& slots, const Problem& problem) {
  std::ranges::stable_sort(slots, {}, [&](std::size_t slot) {
    return std::tuple{~problem.slots[slot].size, slot};
  });
}

// Of their roots, in the report.
std::vector<std::size_t> first_blocks(const std::vector<std::size_t>& slots,
                                      const Problem& problem) {
  std::vector<std::size_t> roots;
  roots.reserve(slots.size());
  for (const std::size_t slot : slots) {
    roots.push_back(problem.slots[slot].blocks.front());
  }
  return roots;
}

// Largest first.
std::vector<std::size_t> live_at(std::int64_t step,
                                 const Taken& taken,
                                 const Arena& arena,
                                 const Problem& problem) {
  std::vector<std::size_t> live;
  for (std::size_t i = 0; i < taken.buffers.size(); ++i) {
    const PlacedBuffer& buffer = taken.buffers[i];
    const std::size_t slot = arena.slots[taken.owners[i]];
    if (buffer.lower <= step && step < buffer.upper && buffer.size > 0 &&
        (live.empty() || live.back() != slot)) {
      live.push_back(slot);
    }
  }
  sort_by_size(live, problem);
  return live;
}

std::vector<std::size_t> largest_in(const Overfull& full) {
  std::vector<std::size_t> slots;
  for (const Arena& arena : full.planned.arenas) {
    if (arena.bank == full.index || arena.source == full.index) {
      slots.insert(slots.end(), arena.slots.begin(), arena.slots.end());
    }
  }
  sort_by_size(slots, full.problem);
  slots.resize(std::min(slots.size(), kLargest));
  return slots;
}

// Whether each slot by itself has room somewhere.
bool each_fits(const Problem& problem) {
  return std::ranges::all_of(problem.slots, [&](const Slot& slot) {
    return std::ranges::any_of(
        slot.homes, [&](const Home& home) { return slot.size <= problem.banks[home.bank].budget; });
  });
}

std::string more_room(const Overfull& full) {
  const Bank& bank = full.bank();
  const std::uint64_t all = bank.begin + full.needed();
  const std::string more = core::format_bytes(core::Bytes{full.excess()});
  if (bank.limited_by_rule && full.needed() <= bank.window) {
    return fmt::format("raise max_size of {} to {} ({} more)", quoted(bank.name), all, more);
  }
  if (bank.enough_within) {
    return fmt::format("a capacity of {} ({} more)", all, more);
  }
  return full.needed() <= bank.window
             ? fmt::format("keep back {} less of {}", more, quoted(bank.name))
             : fmt::format("{} more in {}", more, quoted(bank.name));
}

// A bank that the slot may not go to by itself, but has room for it.
const Bank* other_bank(const Overfull& full, const Slot& moved) {
  for (std::size_t bank = 0; bank < full.problem.banks.size(); ++bank) {
    const Bank& other = full.problem.banks[bank];
    const bool constant = moved.role == Lifetime::kConstant;
    const bool suits = constant ? !other.is_volatile : other.writable;
    const bool known = core::contains(moved.homes, bank, &Home::bank);
    const std::uint64_t padding = std::max(alignment_in(other, moved), other.base_alignment);
    if (bank != full.index && suits && !known && other.mapped &&
        full.planned.used[bank] + moved.size + padding <= other.budget) {
      return &other;
    }
  }
  return nullptr;
}

std::string remedy_without(const Overfull& full, std::size_t slot) {
  const Bank* const other = other_bank(full, full.problem.slots[slot]);
  return other != nullptr
             ? fmt::format("a rule that moves {} to {}", with_size(full, slot), quoted(other->name))
             : fmt::format("without {} it would fit", with_size(full, slot));
}

// The smallest scratch block that is too much; `live` at the busiest step, largest first.
std::optional<std::size_t> one_scratch(const Overfull& full,
                                       const std::vector<std::size_t>& live,
                                       Packer& packer) {
  if (full.scratch == nullptr) {
    return std::nullopt;
  }
  const Arena& arena = *full.scratch;
  const auto room =
      room_for_scratch(full.bank(), full.planned.loads[full.index], arena.base_alignment);
  if (!room) {
    return std::nullopt;
  }
  const std::uint64_t least = arena.lower_bound - std::min(arena.lower_bound, *room);
  std::size_t bounds = arena.slots.size() > kManySlots ? kPackings : kBounds;
  std::size_t packings = kPackings;
  for (std::size_t i = live.size(); i > 0 && bounds > 0 && packings > 0; --i) {
    const std::size_t slot = live[i - 1];
    if (full.problem.slots[slot].size < least) {
      continue;
    }
    --bounds;
    Arena rest = arena;
    std::erase(rest.slots, slot);
    const std::vector<Buffer> buffers = buffers_of(full.problem, rest);
    if (lower_bound(buffers).count() > *room) {
      continue;
    }
    --packings;
    const Packing packing = packer.pack_scratch(buffers, *room, kShare);
    if (packing.offsets.size() == buffers.size() && packing.height.count() <= *room) {
      return slot;
    }
  }
  return std::nullopt;
}

// The smaller of `smallest` and the smallest of the arena that is as large as what is too much.
std::optional<std::size_t> smallest_of(const Overfull& full,
                                       const Arena& arena,
                                       std::optional<std::size_t> smallest = std::nullopt) {
  for (const std::size_t slot : arena.slots) {
    const std::uint64_t size = full.problem.slots[slot].size;
    if (size >= full.excess() && (!smallest || size < full.problem.slots[*smallest].size)) {
      smallest = slot;
    }
  }
  return smallest;
}

// Constants need not be staged.
std::optional<std::string> without_staging(const Overfull& full, const Arena& arena) {
  const Bank& source = full.problem.banks[arena.source];
  if (!arena.staged() || !source.mapped) {
    return std::nullopt;
  }
  if (const auto smallest = smallest_of(full, arena); smallest) {
    return fmt::format("read the constant {} in {}, without staging it",
                       with_size(full, *smallest),
                       quoted(source.name));
  }
  if (arena.height >= full.excess()) {
    return fmt::format("read the staged constants in {}, all {} of them",
                       quoted(source.name),
                       core::format_bytes(core::Bytes{arena.height}));
  }
  return std::nullopt;
}

std::vector<std::string> remedies_for(const Overfull& full,
                                      bool is_proved,
                                      const std::vector<std::size_t>& live,
                                      Packer& packer) {
  std::vector<std::string> remedies;
  if (!is_proved && packer.over() && each_fits(full.problem)) {
    remedies.emplace_back("more time: the search was cut off");
  }
  remedies.push_back(more_room(full));
  std::optional<std::size_t> smallest = one_scratch(full, live, packer);
  for (const Arena* arena : full.steady) {
    smallest = arena->staged() ? smallest : smallest_of(full, *arena, smallest);
  }
  if (smallest) {
    remedies.push_back(remedy_without(full, *smallest));
  }
  for (const Arena* arena : full.steady) {
    if (auto remedy = without_staging(full, *arena); remedy) {
      remedies.push_back(std::move(*remedy));
    }
  }
  return remedies;
}

Shortage explained(const Overfull& full, Packer& packer) {
  Shortage shortage{.memory = full.bank().name,
                    .needed = core::Bytes{full.needed()},
                    .is_least = is_least(full),
                    .budget = core::Bytes{full.bank().budget}};
  std::vector<std::size_t> live;
  if (full.scratch != nullptr) {
    const Taken taken = taken_of(full.problem, *full.scratch);
    shortage.step = peak_of(taken.buffers).step;
    live = live_at(shortage.step, taken, *full.scratch, full.problem);
  }
  shortage.live = first_blocks(live, full.problem);
  shortage.largest = first_blocks(largest_in(full), full.problem);
  shortage.remedies = remedies_for(full, shortage.is_least, live, packer);
  return shortage;
}

}  // namespace

std::vector<Shortage> explain(const Problem& problem,
                              const model::PlanReport& wanted,
                              const Planned& planned,
                              Packer& packer) {
  std::vector<Shortage> shortages;
  for (std::size_t bank = 0; bank < problem.banks.size(); ++bank) {
    if (planned.used[bank] > problem.banks[bank].budget) {
      shortages.push_back(explained(overfull(problem, wanted, planned, bank), packer));
    }
  }
  return shortages;
}

}  // namespace memsize::plan
