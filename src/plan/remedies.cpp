// What would help is planned before it is said: with more of a memory, without a block, with a
// block elsewhere. How much of that is done is bounded, because a report may have a million blocks:
// where the bound or the time ends it, what is said is what the plan at hand shows.
#include "remedies.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "place.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using model::Lifetime;

// Of all trials of growths, and of all others, in slots looked at and steps of searches.
constexpr std::uint64_t kWorkOfGrowths = 4'000'000;
constexpr std::uint64_t kWorkOfOthers = 2'000'000;
// Above this one trial takes too long to plan many.
constexpr std::size_t kFewToTry = 300;
constexpr std::size_t kMostGrowths = 3;
// Of more slots: how many are left out of one arena for a try, by lower bound and by packing.
constexpr std::size_t kBounds = 64;
constexpr std::size_t kPackings = 6;
constexpr std::uint64_t kShare = 200;
// Above this a bound alone takes too long to try many.
constexpr std::size_t kManySlots = 20'000;

std::string more_room(const Bank& bank, std::uint64_t needed) {
  const std::uint64_t all = bank.begin + needed;
  const std::string more = core::format_bytes(core::Bytes{needed - bank.budget});
  if (bank.limited_by_rule && needed <= bank.window) {
    return fmt::format("raise max_size of {} to {} ({} more)", quoted(bank.name), all, more);
  }
  if (bank.enough_within) {
    return fmt::format("a capacity of {} ({} more)", all, more);
  }
  return needed <= bank.window ? fmt::format("keep back {} less of {}", more, quoted(bank.name))
                               : fmt::format("{} more in {}", more, quoted(bank.name));
}

// Enough for everything, however it is arranged.
std::uint64_t everything_in(const Bank& bank, const Problem& problem) {
  const std::uint64_t largest = model::kLargestPlan.count();
  std::uint64_t sum = (problem.banks.size() + 3) * bank.base_alignment;
  for (const Slot& slot : problem.slots) {
    // Twice, for what is copied from here.
    sum = std::min(largest, sum + 2 * (slot.size + alignment_in(bank, slot)));
  }
  return sum;
}

// More of every bank that is too small.
std::string more_of_all(const Lack& lack) {
  return core::join(core::texts_of(lack.banks,
                                   [&](const Overfull& full) {
                                     return more_room(lack.problem.banks[full.bank], full.needed);
                                   }),
                    " and ");
}

struct Growth {
  std::uint64_t bytes = 0;
  std::string text;
};

// Of each bank alone, as far as a plan was found with it.
std::vector<Growth> single_growths(const Lack& lack, Packer& packer) {
  const Problem& problem = lack.problem;
  std::vector<Growth> found;
  for (std::size_t bank = 0; bank < problem.banks.size(); ++bank) {
    const std::uint64_t budget = problem.banks[bank].budget;
    const std::uint64_t everything = everything_in(problem.banks[bank], problem);
    std::vector<std::uint64_t> enough = {everything};
    if (lack.banks.size() == 1 && lack.banks.front().bank == bank) {
      enough.insert(enough.begin(), lack.banks.front().needed);
    }
    std::uint64_t work = kWorkOfGrowths / problem.banks.size();
    for (const std::uint64_t most : enough) {
      const auto least =
          most > budget ? least_budget(problem, bank, most, packer, work) : std::nullopt;
      // Nobody needs to be told that all of it is enough.
      if (least && (work > 0 || *least < everything)) {
        found.push_back({*least - budget, more_room(problem.banks[bank], *least)});
        break;
      }
    }
  }
  return found;
}

// The smallest first.
std::vector<std::string> growths_for(const Lack& lack, Packer& packer) {
  if (!has_choice(lack.problem)) {
    return {more_of_all(lack)};
  }
  std::vector<Growth> found;
  if (lack.problem.slots.size() <= kFewToTry) {
    found = single_growths(lack, packer);
  }
  std::ranges::stable_sort(found, {}, &Growth::bytes);
  std::vector<std::string> texts = core::texts_of(found, &Growth::text);
  texts.resize(std::min(texts.size(), kMostGrowths));
  const std::uint64_t both = std::accumulate(
      lack.banks.begin(), lack.banks.end(), std::uint64_t{0}, [&](auto sum, const Overfull& full) {
        return sum + full.needed - lack.problem.banks[full.bank].budget;
      });
  if (!found.empty() && (lack.banks.size() == 1 || both >= found.front().bytes)) {
    return texts;
  }
  Problem larger = lack.problem;
  for (const Overfull& full : lack.banks) {
    larger.banks[full.bank].budget = full.needed;
  }
  std::uint64_t work = larger.slots.size() <= kFewToTry ? kWorkOfGrowths : 0;
  if (lack.banks.size() > 1 && is_plannable(larger, packer, work)) {
    texts.insert(texts.begin(), more_of_all(lack));
  } else if (texts.empty()) {
    texts.push_back("for this plan, " + more_of_all(lack));
  }
  return texts;
}

// Changes to slots that let everything fit.
class SlotRemedies {
 public:
  SlotRemedies(const Lack& lack, std::string fits, Packer& packer)
      : lack_(lack), fits_(std::move(fits)), packer_(packer) {}

  [[nodiscard]] std::vector<std::string> all() {
    std::vector<std::string> remedies;
    if (const auto slot = smallest_too_much(); slot) {
      remedies.push_back(without(*slot));
    }
    for (const Overfull& full : lack_.banks) {
      for (const Arena* arena : full.steady) {
        if (auto remedy = without_staging(*arena); remedy) {
          remedies.push_back(std::move(*remedy));
        }
      }
    }
    return remedies;
  }

 private:
  [[nodiscard]] const Problem& problem() const { return lack_.problem; }

  [[nodiscard]] bool is_small() const { return problem().slots.size() <= kFewToTry; }

  [[nodiscard]] std::string with_size(std::size_t slot) const {
    return fmt::format("{} of {}",
                       label_of(lack_.wanted.blocks[problem().slots[slot].blocks.front()]),
                       core::format_bytes(core::Bytes{problem().slots[slot].size}));
  }

  // Planned anew where that is quick; else the plan at hand, with nothing else changed.
  [[nodiscard]] bool fits_with(const std::vector<std::size_t>& slots, const Home& home) {
    Problem changed = problem();
    std::vector<std::size_t> homes = lack_.planned.homes;
    for (const std::size_t slot : slots) {
      changed.slots[slot].homes = {home};
      homes[slot] = 0;
    }
    return is_small() ? is_plannable(changed, packer_, work_) : holds(changed, homes, packer_);
  }

  [[nodiscard]] bool fits_without(std::size_t slot) {
    if (is_small()) {
      Problem rest = problem();
      rest.slots.erase(rest.slots.begin() + static_cast<std::ptrdiff_t>(slot));
      return is_plannable(rest, packer_, work_);
    }
    std::vector<std::size_t> homes = lack_.planned.homes;
    homes[slot] = kNowhere;
    return holds(problem(), homes, packer_);
  }

  [[nodiscard]] std::vector<std::size_t> by_size(std::vector<std::size_t> slots) const {
    std::ranges::stable_sort(
        slots, {}, [&](std::size_t slot) { return problem().slots[slot].size; });
    return slots;
  }

  // The smallest block that is too much.
  [[nodiscard]] std::optional<std::size_t> smallest_too_much() {
    if (is_small()) {
      std::vector<std::size_t> slots(problem().slots.size());
      std::iota(slots.begin(), slots.end(), std::size_t{0});
      // Those that are copied have a remedy of their own.
      std::erase_if(slots, [&](std::size_t slot) {
        return std::ranges::all_of(problem().slots[slot].homes, &Home::staged);
      });
      slots = by_size(std::move(slots));
      const auto found =
          std::ranges::find_if(slots, [&](std::size_t slot) { return fits_without(slot); });
      return found == slots.end() ? std::nullopt : std::optional{*found};
    }
    if (lack_.banks.size() > 1) {
      return std::nullopt;
    }
    const Overfull& full = lack_.banks.front();
    std::optional<std::size_t> smallest = one_scratch(full);
    for (const Arena* arena : full.steady) {
      const auto one = arena->staged() ? std::nullopt : smallest_of(full, *arena);
      if (one && (!smallest || problem().slots[*one].size < problem().slots[*smallest].size) &&
          fits_without(*one)) {
        smallest = one;
      }
    }
    return smallest;
  }

  // The smallest scratch block of a large arena that is too much, of those at the busiest step.
  [[nodiscard]] std::optional<std::size_t> one_scratch(const Overfull& full) {
    if (full.scratch == nullptr) {
      return std::nullopt;
    }
    const Arena& arena = *full.scratch;
    const auto room = room_for_scratch(
        problem().banks[full.bank], lack_.planned.loads[full.bank], arena.base_alignment);
    if (!room) {
      return std::nullopt;
    }
    const std::uint64_t least = arena.lower_bound - std::min(arena.lower_bound, *room);
    std::size_t bounds = arena.slots.size() > kManySlots ? kPackings : kBounds;
    std::size_t packings = kPackings;
    for (std::size_t i = full.live.size(); i > 0 && bounds > 0 && packings > 0; --i) {
      if (!packer_.has_time_for(arena.slots.size())) {
        break;
      }
      const std::size_t slot = full.live[i - 1];
      if (problem().slots[slot].size < least) {
        continue;
      }
      --bounds;
      Arena rest = arena;
      std::erase(rest.slots, slot);
      const std::vector<Buffer> buffers = buffers_of(problem(), rest);
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

  // The smallest of the arena that is as large as what is too much.
  [[nodiscard]] std::optional<std::size_t> smallest_of(const Overfull& full,
                                                       const Arena& arena) const {
    const std::uint64_t excess = full.needed - problem().banks[full.bank].budget;
    for (const std::size_t slot : by_size(arena.slots)) {
      if (problem().slots[slot].size >= excess) {
        return slot;
      }
    }
    return std::nullopt;
  }

  // To a bank that it may not go to by itself, if one has room for it.
  [[nodiscard]] std::string without(std::size_t slot) {
    const Slot& moved = problem().slots[slot];
    for (std::size_t bank = 0; bank < problem().banks.size(); ++bank) {
      const Bank& other = problem().banks[bank];
      const bool constant = moved.role == Lifetime::kConstant;
      const bool suits = constant ? !other.is_volatile : other.writable;
      const bool known = core::contains(moved.homes, bank, &Home::bank);
      if (suits && !known && other.mapped && fits_with({slot}, {bank, bank, 0})) {
        return fmt::format("a rule that moves {} to {}", with_size(slot), quoted(other.name));
      }
    }
    return fmt::format("without {} {}", with_size(slot), fits_);
  }

  // Constants need not be staged.
  [[nodiscard]] std::optional<std::string> without_staging(const Arena& arena) {
    const Bank& source = problem().banks[arena.source];
    if (!arena.staged() || !source.mapped) {
      return std::nullopt;
    }
    const Home cold{arena.source, arena.source, 0};
    std::vector<std::size_t> tried = by_size(arena.slots);
    if (!is_small()) {
      const auto one = smallest_of(lack_.banks.front(), arena);
      tried = one ? std::vector{*one} : std::vector<std::size_t>{};
    }
    for (const std::size_t slot : tried) {
      if (fits_with({slot}, cold)) {
        return fmt::format(
            "read the constant {} in {}, without staging it", with_size(slot), quoted(source.name));
      }
    }
    if (fits_with(arena.slots, cold)) {
      return fmt::format("read the staged constants in {}, all {} of them",
                         quoted(source.name),
                         core::format_bytes(core::Bytes{arena.height}));
    }
    return std::nullopt;
  }

  const Lack& lack_;
  // "it would fit".
  std::string fits_;
  Packer& packer_;
  std::uint64_t work_ = kWorkOfOthers;
};

// Whether each slot by itself has room somewhere.
bool each_fits(const Problem& problem) {
  return std::ranges::all_of(problem.slots, [&](const Slot& slot) {
    return std::ranges::any_of(
        slot.homes, [&](const Home& home) { return slot.size <= problem.banks[home.bank].budget; });
  });
}

// `growths` among them.
std::vector<std::string> all_remedies(const Lack& lack,
                                      const std::vector<std::string>& growths,
                                      std::string fits,
                                      Packer& packer) {
  std::vector<std::string> remedies;
  const bool is_proved = std::ranges::all_of(lack.banks, &Overfull::is_least);
  if (!is_proved && packer.over() && each_fits(lack.problem)) {
    remedies.emplace_back("more time: the search was cut off");
  }
  remedies.insert(remedies.end(), growths.begin(), growths.end());
  for (std::string& remedy : SlotRemedies{lack, std::move(fits), packer}.all()) {
    remedies.push_back(std::move(remedy));
  }
  return remedies;
}

}  // namespace

std::vector<std::vector<std::string>> remedies_for(const Lack& lack, Packer& packer) {
  const std::vector<std::string> growths = growths_for(lack, packer);
  if (lack.banks.size() == 1 || has_choice(lack.problem)) {
    return std::vector(lack.banks.size(), all_remedies(lack, growths, "it would fit", packer));
  }
  // Each has its own, as if the others were large enough.
  std::vector<std::vector<std::string>> remedies;
  for (const Overfull& full : lack.banks) {
    Problem alone = lack.problem;
    for (const Overfull& other : lack.banks) {
      Bank& bank = alone.banks[other.bank];
      bank.budget = other.bank == full.bank ? bank.budget : other.needed;
    }
    const std::vector<Overfull> one = {full};
    remedies.push_back(
        all_remedies({alone, lack.wanted, lack.planned, one},
                     growths,
                     fmt::format("{} would have room", quoted(alone.banks[full.bank].name)),
                     packer));
  }
  return remedies;
}

}  // namespace memsize::plan
