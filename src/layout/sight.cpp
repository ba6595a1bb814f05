// Cuts a range where any entry begins or ends; in between one entry decides, and a piece that
// continues the last joins it. The way back, from the bus, is proposed by entries, then tested.
#include "memsize/layout/sight.hpp"

#include "memsize/layout/mpu.hpp"

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

bool entry_shows_at(const HardwareEntry& entry, std::uint64_t address) {
  if (address < entry.base || address - entry.base >= entry.size) {
    return false;
  }
  const std::uint64_t part = std::max<std::uint64_t>(entry.size / kMpuParts, 1);
  return (entry.disabled >> std::min((address - entry.base) / part, kMpuParts - 1) & 1U) == 0;
}

const HardwareEntry* entry_at(const std::vector<HardwareEntry>& entries, std::uint64_t address) {
  const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const auto& each) {
    return entry_shows_at(each, address);
  });
  return found == entries.rend() ? nullptr : &*found;
}

// Where something may change within the span.
void add_edges(const std::vector<HardwareEntry>& entries,
               const SightSpan& span,
               std::vector<std::uint64_t>& edges) {
  const auto add = [&](std::uint64_t edge) {
    if (edge > span.base && edge <= span.last) {
      edges.push_back(edge);
    }
  };
  for (const HardwareEntry& entry : entries) {
    if (entry.size == 0) {
      continue;
    }
    add(entry.base);
    const std::uint64_t last = last_of(entry.base, entry.size);
    if (last != UINT64_MAX) {
      add(last + 1);
    }
    for (std::uint64_t part = 1; entry.disabled != 0 && part < kMpuParts; ++part) {
      add(entry.base + entry.size / kMpuParts * part);
    }
  }
}

Sight sight_at(const CoreHardware& hardware, std::uint64_t address) {
  Sight sight{.core = hardware.core, .build = hardware.build, .address = address};
  const HardwareEntry* entry = entry_at(hardware.entries, address);
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
  if (const HardwareEntry* moved = entry_at(hardware.rat, address); moved != nullptr) {
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
  const SightSpan span{base, last_of(base, size)};
  std::vector<std::uint64_t> edges = {base};
  add_edges(hardware.entries, span, edges);
  add_edges(hardware.rat, span, edges);
  if (hardware.limit > base && hardware.limit <= span.last) {
    edges.push_back(hardware.limit);
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    Sight sight = sight_at(hardware, edges[i]);
    sight.size = (i + 1 < edges.size() ? edges[i + 1] - 1 : span.last) - edges[i] + 1;
    if (!sights.empty() && continues(sights.back(), sight)) {
      sights.back().size += sight.size;
    } else {
      sights.push_back(std::move(sight));
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
