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

class Explainer {
 public:
  Explainer(const Problem& problem,
            const model::PlanReport& wanted,
            const Planned& planned,
            Packer& packer,
            std::size_t bank)
      : problem_(problem), wanted_(wanted), planned_(planned), packer_(packer), bank_(bank) {
    for (const Arena& arena : planned.arenas) {
      if (arena.bank == bank) {
        (arena.role == Lifetime::kScratch ? scratch_ : steady_).push_back(&arena);
      }
    }
  }

  Shortage explain() {
    const Bank& bank = problem_.banks[bank_];
    shortage_.memory = bank.name;
    shortage_.needed = core::Bytes{planned_.used[bank_]};
    shortage_.budget = core::Bytes{bank.budget};
    shortage_.is_least = is_least();
    if (!scratch_.empty()) {
      find_live(*scratch_.front());
    }
    find_largest();
    say_time();
    say_capacity();
    say_one_block();
    say_staging();
    return std::move(shortage_);
  }

 private:
  // Where slots have a choice, or several arenas share the bank, another plan may need less of it.
  [[nodiscard]] bool is_least() const {
    const Arena* const only = scratch_.size() + steady_.size() != 1 ? nullptr
                              : scratch_.empty()                    ? steady_.front()
                                                                    : scratch_.front();
    return only != nullptr && !has_choice(problem_) &&
           (only->proof == Proof::kBound || only->proof == Proof::kExhausted);
  }

  [[nodiscard]] std::uint64_t excess() const {
    return planned_.used[bank_] - problem_.banks[bank_].budget;
  }

  [[nodiscard]] const model::PlannedBlock& root_of(std::size_t slot) const {
    return wanted_.blocks[problem_.slots[slot].blocks.front()];
  }

  [[nodiscard]] std::string shown(std::size_t slot) const {
    return fmt::format("{} of {}",
                       label_of(root_of(slot)),
                       core::format_bytes(core::Bytes{problem_.slots[slot].size}));
  }

  [[nodiscard]] std::string name_of_bank(std::size_t bank) const {
    return fmt::format("'{}'", core::printable(problem_.banks[bank].name, 80));
  }

  // Largest first; of equal ones the problem's order, which is that of ids.
  void sort_by_size(std::vector<std::size_t>& slots) const {
    std::ranges::stable_sort(slots, [&](std::size_t a, std::size_t b) {
      return std::tuple{~problem_.slots[a].size, a} < std::tuple{~problem_.slots[b].size, b};
    });
  }

  void find_live(const Arena& arena) {
    const Taken taken = taken_of(problem_, arena);
    shortage_.step = peak_of(taken.buffers).step;
    for (std::size_t i = 0; i < taken.buffers.size(); ++i) {
      const PlacedBuffer& buffer = taken.buffers[i];
      const std::size_t slot = arena.slots[taken.owners[i]];
      if (buffer.lower <= shortage_.step && shortage_.step < buffer.upper && buffer.size > 0 &&
          (live_.empty() || live_.back() != slot)) {
        live_.push_back(slot);
      }
    }
    sort_by_size(live_);
    for (const std::size_t slot : live_) {
      shortage_.live.push_back(problem_.slots[slot].blocks.front());
    }
  }

  void find_largest() {
    std::vector<std::size_t> slots;
    for (const Arena& arena : planned_.arenas) {
      if (arena.bank == bank_ || arena.source == bank_) {
        slots.insert(slots.end(), arena.slots.begin(), arena.slots.end());
      }
    }
    sort_by_size(slots);
    slots.resize(std::min(slots.size(), kLargest));
    for (const std::size_t slot : slots) {
      shortage_.largest.push_back(problem_.slots[slot].blocks.front());
    }
  }

  // Whether each slot by itself has room somewhere.
  [[nodiscard]] bool each_fits() const {
    return std::ranges::all_of(problem_.slots, [&](const Slot& slot) {
      return std::ranges::any_of(slot.homes, [&](const Home& home) {
        return slot.size <= problem_.banks[home.bank].budget;
      });
    });
  }

  void say_time() {
    if (!shortage_.is_least && packer_.over() && each_fits()) {
      shortage_.remedies.emplace_back("more time: the search was cut off");
    }
  }

  void say_capacity() {
    const Bank& bank = problem_.banks[bank_];
    const std::uint64_t needed = planned_.used[bank_];
    const std::uint64_t all = bank.begin + needed;
    const std::string more = core::format_bytes(core::Bytes{excess()});
    if (bank.limited_by_rule && needed <= bank.window) {
      shortage_.remedies.push_back(
          fmt::format("raise max_size of {} to {} ({} more)", name_of_bank(bank_), all, more));
    } else if (bank.enough_within) {
      shortage_.remedies.push_back(fmt::format("a capacity of {} ({} more)", all, more));
    } else if (needed <= bank.window) {
      shortage_.remedies.push_back(
          fmt::format("keep back {} less of {}", more, name_of_bank(bank_)));
    } else {
      shortage_.remedies.push_back(fmt::format("{} more in {}", more, name_of_bank(bank_)));
    }
  }

  // A bank that the slot may not go to by itself, but has room for it.
  [[nodiscard]] std::optional<std::size_t> other_bank(std::size_t slot) const {
    const Slot& moved = problem_.slots[slot];
    for (std::size_t bank = 0; bank < problem_.banks.size(); ++bank) {
      const Bank& other = problem_.banks[bank];
      const bool constant = moved.role == Lifetime::kConstant;
      const bool suits = constant ? !other.is_volatile : other.writable;
      const bool known = core::contains(moved.homes, bank, &Home::bank);
      const std::uint64_t padding = std::max(alignment_in(other, moved), other.base_alignment);
      if (bank != bank_ && suits && !known && other.mapped &&
          planned_.used[bank] + moved.size + padding <= other.budget) {
        return bank;
      }
    }
    return std::nullopt;
  }

  void say_without(std::size_t slot) {
    const auto other = other_bank(slot);
    shortage_.remedies.push_back(
        other ? fmt::format("a rule that moves {} to {}", shown(slot), name_of_bank(*other))
              : fmt::format("without {} it would fit", shown(slot)));
  }

  // The smallest block that is too much.
  void say_one_block() {
    std::optional<std::size_t> smallest = one_scratch();
    for (const Arena* arena : steady_) {
      for (const std::size_t slot : arena->slots) {
        const std::uint64_t size = problem_.slots[slot].size;
        if (!arena->staged() && size >= excess() &&
            (!smallest || size < problem_.slots[*smallest].size)) {
          smallest = slot;
        }
      }
    }
    if (smallest) {
      say_without(*smallest);
    }
  }

  [[nodiscard]] std::optional<std::size_t> one_scratch() const {
    if (scratch_.empty()) {
      return std::nullopt;
    }
    const Arena& arena = *scratch_.front();
    const auto room =
        room_for_scratch(problem_.banks[bank_], planned_.loads[bank_], arena.base_alignment);
    if (!room) {
      return std::nullopt;
    }
    const std::uint64_t least = arena.lower_bound - std::min(arena.lower_bound, *room);
    std::size_t bounds = arena.slots.size() > kManySlots ? kPackings : kBounds;
    std::size_t packings = kPackings;
    for (std::size_t i = live_.size(); i > 0 && bounds > 0 && packings > 0; --i) {
      const std::size_t slot = live_[i - 1];
      if (problem_.slots[slot].size < least) {
        continue;
      }
      --bounds;
      Arena rest = arena;
      std::erase(rest.slots, slot);
      const std::vector<Buffer> buffers = buffers_of(problem_, rest);
      if (lower_bound(buffers).count() > *room) {
        continue;
      }
      --packings;
      const Packing packing = packer_.pack_scratch(buffers, *room, kShare);
      if (packing.offsets.size() == buffers.size() && packing.height.count() <= *room) {
        return slot;
      }
    }
    return std::nullopt;
  }

  // Constants need not be staged.
  void say_staging() {
    for (const Arena* arena : steady_) {
      if (!arena->staged() || !problem_.banks[arena->source].mapped) {
        continue;
      }
      std::optional<std::size_t> smallest;
      for (const std::size_t slot : arena->slots) {
        const std::uint64_t size = problem_.slots[slot].size;
        if (size >= excess() && (!smallest || size < problem_.slots[*smallest].size)) {
          smallest = slot;
        }
      }
      if (smallest) {
        shortage_.remedies.push_back(fmt::format("read the constant {} in {}, without staging it",
                                                 shown(*smallest),
                                                 name_of_bank(arena->source)));
      } else if (arena->height >= excess()) {
        shortage_.remedies.push_back(fmt::format("read the staged constants in {}, all {} of them",
                                                 name_of_bank(arena->source),
                                                 core::format_bytes(core::Bytes{arena->height})));
      }
    }
  }

  const Problem& problem_;
  const model::PlanReport& wanted_;
  const Planned& planned_;
  Packer& packer_;
  std::size_t bank_;
  std::vector<const Arena*> scratch_;
  std::vector<const Arena*> steady_;
  // Alive at the busiest step, largest first.
  std::vector<std::size_t> live_;
  Shortage shortage_;
};

}  // namespace

std::vector<Shortage> explain(const Problem& problem,
                              const model::PlanReport& wanted,
                              const Planned& planned,
                              Packer& packer) {
  std::vector<Shortage> shortages;
  for (std::size_t bank = 0; bank < problem.banks.size(); ++bank) {
    if (planned.used[bank] > problem.banks[bank].budget) {
      shortages.push_back(Explainer{problem, wanted, planned, packer, bank}.explain());
    }
  }
  return shortages;
}

}  // namespace memsize::plan
