// Two lenses behind each other: what decides over an address, and where the RAT leads it. The way
// back, from the bus, is proposed by entries, then tested.
#include "memsize/layout/sight.hpp"

#include "memsize/chip/lens.hpp"

#include <algorithm>
#include <utility>

namespace memsize::layout {

namespace {

// Ranges here are [base, last], so that one may end at the end of the address space.
struct SightSpan {
  std::uint64_t base = 0;
  std::uint64_t last = 0;
};

std::uint64_t last_of(std::uint64_t base, std::uint64_t size) {
  return size - 1 > UINT64_MAX - base ? UINT64_MAX : base + (size - 1);
}

chip::Lens lens_over(const std::vector<HardwareEntry>& entries) {
  return chip::lens_of(entries, [](const HardwareEntry& entry) -> chip::Layer {
    return {entry.base, entry.size, entry.disabled};
  });
}

const HardwareEntry* entry_of(const std::vector<HardwareEntry>& entries, const chip::Piece& piece) {
  return piece.layer ? &entries[*piece.layer] : nullptr;
}

Sight sight_at(const CoreHardware& hardware,
               const HardwareEntry* entry,
               const HardwareEntry* moved,
               std::uint64_t address) {
  Sight sight{.core = hardware.core, .build = hardware.build, .address = address};
  const bool beyond = hardware.limit != 0 && address >= hardware.limit;
  sight.is_mapped = !beyond && (entry != nullptr || !(hardware.has_mmu || hardware.has_mpu));
  if (!sight.is_mapped) {
    return sight;
  }
  sight.physical = address;
  if (entry != nullptr) {
    sight.cached = entry->cached;
    sight.by = entry->label;
    sight.by_place = entry->place;
    sight.physical = entry->target + (address - entry->base);
  }
  if (moved != nullptr) {
    sight.physical = moved->target + (address - moved->base);
    sight.moved_by = moved->label;
    sight.moved_by_place = moved->place;
  }
  return sight;
}

bool continues(const Sight& before, const Sight& after) {
  const bool same_way = before.is_mapped == after.is_mapped && before.by == after.by &&
                        before.by_place == after.by_place && before.moved_by == after.moved_by;
  return same_way &&
         (!before.physical || *after.physical - *before.physical == after.address - before.address);
}

void add_sight(const CoreHardware& hardware,
               const HardwareEntry* entry,
               const HardwareEntry* moved,
               const SightSpan& span,
               std::vector<Sight>& sights) {
  Sight sight = sight_at(hardware, entry, moved, span.base);
  sight.size = span.last - span.base + 1;
  if (!sights.empty() && continues(sights.back(), sight)) {
    sights.back().size += sight.size;
  } else {
    sights.push_back(std::move(sight));
  }
}

// What of the span leads to [physical, last] of the bus, if its addresses lead to `target` on.
void add_preimage(const SightSpan& span,
                  std::uint64_t target,
                  const SightSpan& wanted,
                  std::vector<SightSpan>& found) {
  const std::uint64_t target_last = last_of(target, span.last - span.base + 1);
  const std::uint64_t low = std::max(target, wanted.base);
  const std::uint64_t high = std::min(target_last, wanted.last);
  if (low <= high) {
    found.push_back({span.base + (low - target), span.base + (high - target)});
  }
}

// Sorted, and without overlaps.
std::vector<SightSpan> united(std::vector<SightSpan> spans) {
  std::ranges::sort(spans, {}, &SightSpan::base);
  std::vector<SightSpan> out;
  for (const SightSpan& span : spans) {
    if (!out.empty() && span.base <= out.back().last) {
      out.back().last = std::max(out.back().last, span.last);
    } else {
      out.push_back(span);
    }
  }
  return out;
}

// The part of the piece that leads there.
std::optional<Sight> clipped(Sight sight, const SightSpan& wanted) {
  if (!sight.is_mapped) {
    return std::nullopt;
  }
  const std::uint64_t first = *sight.physical;
  const std::uint64_t last = last_of(first, sight.size);
  const std::uint64_t low = std::max(first, wanted.base);
  const std::uint64_t high = std::min(last, wanted.last);
  if (low > high) {
    return std::nullopt;
  }
  sight.address += low - first;
  sight.physical = low;
  sight.size = high - low + 1;
  return sight;
}

}  // namespace

std::vector<Sight> look_at(const CoreHardware& hardware, std::uint64_t base, std::uint64_t size) {
  std::vector<Sight> sights;
  if (size == 0) {
    return sights;
  }
  const chip::Lens rat = lens_over(hardware.rat);
  for (const chip::Piece& piece : lens_over(hardware.entries).over(base, size)) {
    const HardwareEntry* entry = entry_of(hardware.entries, piece);
    for (const chip::Piece& part : rat.over(piece.base, piece.size())) {
      const HardwareEntry* moved = entry_of(hardware.rat, part);
      const bool is_cut = hardware.limit > part.base && hardware.limit <= part.last;
      add_sight(
          hardware, entry, moved, {part.base, is_cut ? hardware.limit - 1 : part.last}, sights);
      if (is_cut) {
        add_sight(hardware, entry, moved, {hardware.limit, part.last}, sights);
      }
    }
  }
  return sights;
}

std::vector<Sight> look_for(const CoreHardware& hardware,
                            std::uint64_t physical,
                            std::uint64_t size) {
  if (size == 0) {
    return {};
  }
  const SightSpan wanted{physical, last_of(physical, size)};
  std::vector<SightSpan> candidates;
  for (const std::vector<HardwareEntry>* list : {&hardware.entries, &hardware.rat}) {
    for (const HardwareEntry& entry : *list) {
      if (entry.size != 0) {
        add_preimage(
            {entry.base, last_of(entry.base, entry.size)}, entry.target, wanted, candidates);
      }
    }
  }
  if (!hardware.has_mmu && !hardware.has_mpu) {
    candidates.push_back(wanted);
  }
  std::vector<Sight> sights;
  for (const SightSpan& span : united(std::move(candidates))) {
    for (Sight& sight : look_at(hardware, span.base, span.last - span.base + 1)) {
      // Another entry may lead a part of it elsewhere.
      if (auto part = clipped(std::move(sight), wanted)) {
        sights.push_back(std::move(*part));
      }
    }
  }
  return sights;
}

}  // namespace memsize::layout
