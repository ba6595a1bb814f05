// What is there all the time: persistent blocks, constants that are read where they lie, and staged
// constants, which one copy brings into their arena. That copy is why an arena has one source, why
// offsets in the source blob are those in the arena, and why the blob has the arena's padding, too:
// it takes the same room in both memories.
#include "arenas.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace memsize::plan {

namespace {

using model::Lifetime;

std::uint64_t up(std::uint64_t value, std::uint64_t alignment) {
  return (value + (alignment - 1)) & ~(alignment - 1);
}

}  // namespace

std::uint64_t alignment_in(const Bank& bank, const Slot& slot) {
  return std::max(bank.slot_alignment, slot.alignment);
}

std::vector<Buffer> buffers_of(const Problem& problem, const Arena& arena) {
  const Bank& bank = problem.banks[arena.bank];
  std::vector<Buffer> buffers;
  buffers.reserve(arena.slots.size());
  for (const std::size_t index : arena.slots) {
    const Slot& slot = problem.slots[index];
    Buffer buffer;
    if (arena.role == Lifetime::kScratch) {
      buffer.lower = slot.live.lower;
      buffer.upper = slot.live.upper;
      buffer.windows = slot.windows;
    }
    buffer.size = core::Bytes{slot.size};
    buffer.alignment = core::Align::make(alignment_in(bank, slot)).value_or(core::Align{});
    buffer.offset = slot.offset ? std::optional{core::Bytes{*slot.offset}} : std::nullopt;
    buffers.push_back(buffer);
  }
  return buffers;
}

Taken taken_of(const Problem& problem, const Arena& arena) {
  Taken taken;
  for (std::size_t i = 0; i < arena.slots.size(); ++i) {
    const Slot& slot = problem.slots[arena.slots[i]];
    const std::uint64_t offset = arena.offsets[i];
    if (arena.role != Lifetime::kScratch) {
      taken.buffers.push_back({0, 1, offset, slot.size});
    } else if (slot.windows.empty()) {
      taken.buffers.push_back({slot.live.lower, slot.live.upper, offset, slot.size});
    }
    for (const model::Window& window : slot.windows) {
      taken.buffers.push_back({window.live.lower,
                               window.live.upper,
                               offset + window.begin.count(),
                               (window.end - window.begin).count()});
    }
    taken.owners.resize(taken.buffers.size(), i);
  }
  return taken;
}

std::vector<Arena> arenas_of(const Problem& problem,
                             const std::vector<std::size_t>& assignment,
                             bool reports_order) {
  std::map<std::tuple<std::size_t, int>, Arena> arenas;
  for (std::size_t i = 0; i < problem.slots.size(); ++i) {
    if (assignment[i] == kNowhere) {
      continue;
    }
    const Slot& slot = problem.slots[i];
    const Home& home = slot.homes[assignment[i]];
    const int order = slot.role == Lifetime::kScratch      ? 0
                      : slot.role == Lifetime::kPersistent ? 1
                                                           : 2;
    Arena& arena = arenas[{home.bank, order}];
    arena.role = slot.role;
    arena.bank = home.bank;
    arena.source = home.source;
    arena.base_alignment = std::max({arena.base_alignment,
                                     problem.banks[home.bank].base_alignment,
                                     alignment_in(problem.banks[home.bank], slot)});
    arena.slots.push_back(i);
  }
  std::vector<Arena> list;
  for (auto& [key, arena] : arenas) {
    if (reports_order && arena.role == Lifetime::kScratch) {
      std::ranges::sort(arena.slots, [&](std::size_t a, std::size_t b) {
        return problem.slots[a].blocks.front() < problem.slots[b].blocks.front();
      });
    }
    list.push_back(std::move(arena));
  }
  return list;
}

void pack_steady(const Problem& problem, Arena& arena, Packer& packer) {
  const Bank& bank = problem.banks[arena.bank];
  const std::size_t count = arena.slots.size();
  std::vector<std::size_t> order(count);
  std::uint64_t least = UINT64_MAX;
  bool fixed = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Slot& slot = problem.slots[arena.slots[i]];
    order[i] = i;
    least = std::min(least, alignment_in(bank, slot));
    fixed = fixed || slot.offset.has_value();
  }
  const auto size_of = [&](std::size_t i) { return problem.slots[arena.slots[i]].size; };
  const auto alignment_of = [&](std::size_t i) {
    return alignment_in(bank, problem.slots[arena.slots[i]]);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      const std::uint64_t waste = up(size_of(i), alignment_of(i)) - size_of(i);
      return std::tuple{~alignment_of(i), waste, i};
    };
    return key(a) < key(b);
  });
  // Every begin is a multiple of the least alignment: all but the topmost take whole multiples.
  std::uint64_t whole = 0;
  std::uint64_t most_waste = 0;
  arena.offsets.assign(count, 0);
  arena.height = 0;
  for (const std::size_t i : order) {
    const std::uint64_t padded = up(size_of(i), least);
    whole += padded;
    most_waste = std::max(most_waste, padded - size_of(i));
    if (size_of(i) > 0) {
      arena.offsets[i] = up(arena.height, alignment_of(i));
      arena.height = arena.offsets[i] + size_of(i);
    }
  }
  arena.lower_bound = whole - most_waste;
  arena.proof = arena.height == arena.lower_bound ? Proof::kBound : Proof::kBest;
  constexpr std::size_t kFew = 64;
  if (!fixed && (arena.proof == Proof::kBound || count > kFew)) {
    return;
  }
  const Packing packing = packer.pack(buffers_of(problem, arena), std::nullopt, 100);
  const bool packed = packing.offsets.size() == count;
  if (fixed || (packed && packing.height.count() < arena.height)) {
    // Empty where fixed ones collide.
    arena.offsets.clear();
    for (const core::Bytes offset : packing.offsets) {
      arena.offsets.push_back(offset.count());
    }
    arena.height = packing.height.count();
  }
  arena.lower_bound = std::max(arena.lower_bound, packing.lower_bound.count());
  arena.proof = arena.height == arena.lower_bound                  ? Proof::kBound
                : packed && packing.height.count() == arena.height ? packing.proof
                                                                   : Proof::kBest;
}

void Load::add(const Bank& bank, std::uint64_t alignment, std::uint64_t height) {
  if (height == 0) {
    return;
  }
  const std::uint64_t base = bank.base.value_or(0) & (alignment - 1);
  used = up(base + used, alignment) - base + height;
}

std::vector<Load> loads_of(const Problem& problem, const std::vector<Arena>& arenas) {
  std::vector<Load> loads(problem.banks.size());
  for (const Arena& arena : arenas) {
    if (arena.staged()) {
      const Bank& source = problem.banks[arena.source];
      const std::uint64_t alignment = std::max(arena.base_alignment, source.base_alignment);
      loads[arena.source].add(source, alignment, arena.height);
      loads[arena.source].blobs = loads[arena.source].used;
    }
  }
  for (const Lifetime role : {Lifetime::kConstant, Lifetime::kPersistent}) {
    for (const Arena& arena : arenas) {
      if (arena.role == role) {
        loads[arena.bank].add(problem.banks[arena.bank], arena.base_alignment, arena.height);
      }
    }
  }
  return loads;
}

std::optional<std::uint64_t> room_for_scratch(const Bank& bank,
                                              const Load& load,
                                              std::uint64_t alignment) {
  const std::uint64_t base = bank.base.value_or(0) & (alignment - 1);
  const std::uint64_t begin = up(base + load.used, alignment) - base;
  if (load.used > bank.budget) {
    return std::nullopt;
  }
  return begin > bank.budget ? 0 : bank.budget - begin;
}

}  // namespace memsize::plan
