// What does not fit, by how much, and who is alive then.
#include "explain.hpp"

#include "memsize/core/text.hpp"
#include "memsize/plan/check_plan.hpp"

#include "place.hpp"
#include "remedies.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace memsize::plan {

namespace {

using model::Lifetime;

constexpr std::size_t kLargest = 5;

// Where slots have a choice, or several arenas share the bank, another plan may need less of it.
bool is_least(const Problem& problem, const Overfull& full) {
  const Arena* const only = full.steady.empty() ? full.scratch
                            : full.steady.size() == 1 && full.scratch == nullptr
                                ? full.steady.front()
                                : nullptr;
  return only != nullptr && !has_choice(problem) &&
         (only->proof == Proof::kBound || only->proof == Proof::kExhausted);
}

// Largest first, `most` of them; of equal ones the problem's order, which is that of ids.
void keep_largest(std::vector<std::size_t>& slots, std::size_t most, const Problem& problem) {
  const std::size_t kept = std::min(slots.size(), most);
  const auto end = slots.begin() + static_cast<std::ptrdiff_t>(kept);
  std::ranges::partial_sort(slots, end, {}, [&](std::size_t slot) {
    return std::tuple{~problem.slots[slot].size, slot};
  });
  slots.resize(kept);
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
  keep_largest(live, live.size(), problem);
  return live;
}

std::vector<std::size_t> largest_in(std::size_t bank,
                                    const Problem& problem,
                                    const Planned& planned) {
  std::vector<std::size_t> slots;
  for (const Arena& arena : planned.arenas) {
    if (arena.bank == bank || arena.source == bank) {
      slots.insert(slots.end(), arena.slots.begin(), arena.slots.end());
    }
  }
  keep_largest(slots, kLargest, problem);
  return slots;
}

// With the facts of it in `shortage`.
Overfull overfull(const Problem& problem,
                  const Planned& planned,
                  std::size_t bank,
                  Shortage& shortage) {
  Overfull full{.bank = bank, .needed = planned.used[bank]};
  for (const Arena& arena : planned.arenas) {
    if (arena.bank == bank && arena.role == Lifetime::kScratch) {
      full.scratch = &arena;
    } else if (arena.bank == bank) {
      full.steady.push_back(&arena);
    }
  }
  full.is_least = is_least(problem, full);
  shortage = {.memory = problem.banks[bank].name,
              .needed = core::Bytes{full.needed},
              .is_least = full.is_least,
              .budget = core::Bytes{problem.banks[bank].budget}};
  if (full.scratch != nullptr) {
    const Taken taken = taken_of(problem, *full.scratch);
    shortage.step = peak_of(taken.buffers).step;
    full.live = live_at(shortage.step, taken, *full.scratch, problem);
  }
  shortage.live = first_blocks(full.live, problem);
  shortage.largest = first_blocks(largest_in(bank, problem, planned), problem);
  return full;
}

}  // namespace

std::vector<Shortage> explain(const Problem& problem,
                              const model::PlanReport& wanted,
                              const Planned& planned,
                              bool with_remedies,
                              Packer& packer) {
  std::vector<Shortage> shortages;
  std::vector<Overfull> banks;
  for (std::size_t bank = 0; bank < problem.banks.size(); ++bank) {
    if (planned.used[bank] > problem.banks[bank].budget) {
      banks.push_back(overfull(problem, planned, bank, shortages.emplace_back()));
    }
  }
  if (with_remedies && !banks.empty()) {
    const auto remedies = remedies_for({problem, wanted, planned, banks}, packer);
    for (std::size_t i = 0; i < shortages.size(); ++i) {
      shortages[i].remedies = remedies[i];
    }
  }
  return shortages;
}

}  // namespace memsize::plan
