// Cuts the 4 GiB into stretches between all edges, each with what shows now and what must show, and
// has cover() find the regions. If those are too many, free memory may show anything.
#include "program_mpu.hpp"

#include "memsize/chip/limits.hpp"
#include "memsize/core/bug.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <set>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

struct Span {
  std::uint64_t base = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool holds(std::uint64_t address) const { return base <= address && address < end; }
};

Span span_of(const core::VirtRange& range) {
  return {range.base().value(), range.base().value() + range.size().count()};
}

// DRAM below 4 GiB in which no region lies, neither on the bus nor where a core sees it, and for
// which no fixed region of its own stands.
std::vector<Span> free_spans(const MemoryMap& map, const std::vector<MpuRegion>& fixed) {
  std::vector<Span> taken;
  for (const MpuRegion& region : fixed) {
    const Span own = span_of(region.range);
    const bool is_part = std::ranges::any_of(map.board.banks, [&](const board::Bank& bank) {
      return bank.range.base().value() <= own.base && own.end - 1 <= bank.range.last().value() &&
             region.range.size() < bank.range.size();
    });
    if (is_part) {
      taken.push_back(own);
    }
  }
  for (const Region& region : map.regions) {
    if (region.kind != RegionKind::kRegion || region.size.count() == 0) {
      continue;
    }
    if (const auto seen = region.virtual_range(); seen && seen->last().value() < chip::kMpuSpace) {
      taken.push_back(span_of(*seen));
    }
    if (const auto real = region.physical(); real && real->last().value() < chip::kMpuSpace) {
      taken.push_back({real->base().value(), real->last().value() + 1});
    }
  }
  std::ranges::sort(taken, {}, &Span::base);
  std::vector<Span> free;
  for (const board::Bank& bank : map.board.banks) {
    std::uint64_t at = bank.range.base().value();
    const std::uint64_t end = std::min(bank.range.last().value(), chip::kMpuSpace - 1) + 1;
    for (const Span& each : taken) {
      if (each.base > at && at < end) {
        free.push_back({at, std::min(each.base, end)});
      }
      at = std::max(at, each.end);
    }
    if (at < end) {
      free.push_back({at, end});
    }
  }
  return free;
}

class Programmer {
 public:
  Programmer(const MemoryMap& map, MpuTable& table) : map_(map), table_(table) {
    for (const MpuRegion& region : table_.regions) {
      below_.push_back(span_of(region.range));
    }
    for (const MpuArea& area : table_.areas) {
      areas_.push_back(span_of(area.range));
    }
  }

  void run() {
    auto blocks = cover(stretches({}));
    if (blocks && !fits(blocks->size())) {
      const std::vector<Span> free = free_spans(map_, table_.regions);
      const auto fewer = cover(stretches(free));
      if (fewer && fewer->size() < blocks->size()) {
        blocks = fewer;
        spare(free, *blocks);
      }
    }
    if (blocks) {
      for (const MpuBlock& block : *blocks) {
        add(block);
      }
    }
  }

 private:
  [[nodiscard]] bool fits(std::size_t computed) const {
    const board::Mpu& mpu = map_.board.mpu;
    return table_.regions.size() + computed <= mpu.last - mpu.first + 1;
  }

  // Attributes count from 1, in the board's order.
  [[nodiscard]] std::uint8_t number_of(const std::string& attribute) const {
    const auto& all = map_.board.mpu.attributes;
    const auto found =
        std::ranges::find_if(all, [&](const auto& each) { return each.name == attribute; });
    core::bug_if(found == all.end(), "an MPU attribute was not checked at load");
    return static_cast<std::uint8_t>(found - all.begin() + 1);
  }

  [[nodiscard]] std::vector<MpuStretch> stretches(const std::vector<Span>& free) const {
    std::set<std::uint64_t> edges = {0};
    for (const auto* list : {&below_, &areas_, &free}) {
      for (const Span& each : *list) {
        edges.insert(each.base);
        edges.insert(each.end);
      }
    }
    edges.erase(edges.lower_bound(chip::kMpuSpace), edges.end());
    std::vector<MpuStretch> list;
    for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
      const auto next = std::next(edge);
      MpuStretch stretch{.base = *edge,
                         .size = (next == edges.end() ? chip::kMpuSpace : *next) - *edge};
      for (std::size_t i = 0; i < below_.size(); ++i) {
        if (below_[i].holds(*edge)) {
          stretch.below = number_of(table_.regions[i].attribute);
        }
      }
      stretch.wanted = stretch.below;
      if (holds(free, *edge)) {
        stretch.wanted.reset();
      }
      for (std::size_t i = 0; i < areas_.size(); ++i) {
        if (areas_[i].holds(*edge)) {
          stretch.wanted = number_of(table_.areas[i].attribute);
        }
      }
      list.push_back(stretch);
    }
    return list;
  }

  static bool holds(const std::vector<Span>& spans, std::uint64_t address) {
    return std::ranges::any_of(spans, [&](const Span& each) { return each.holds(address); });
  }

  // The parts of a block that are not switched off.
  static std::vector<Span> parts_of(const MpuBlock& block) {
    if (block.disabled == 0) {
      return {{block.base, block.base + block.size}};
    }
    std::vector<Span> parts;
    const std::uint64_t part = block.size / chip::kMpuParts;
    for (std::uint64_t i = 0; i < chip::kMpuParts; ++i) {
      if ((block.disabled >> i & 1U) == 0) {
        parts.push_back({block.base + i * part, block.base + (i + 1) * part});
      }
    }
    return parts;
  }

  // What free memory shows in the end, and not below the computed regions: they lie over each
  // other.
  void spare(const std::vector<Span>& free, const std::vector<MpuBlock>& blocks) {
    std::set<std::uint64_t> edges;
    for (const MpuBlock& block : blocks) {
      for (const Span& part : parts_of(block)) {
        edges.insert(part.base);
        edges.insert(part.end);
      }
    }
    for (const MpuStretch& stretch : stretches(free)) {
      edges.insert(stretch.base);
      edges.insert(stretch.base + stretch.size);
    }
    std::uint64_t bytes = 0;
    for (auto edge = edges.begin(); std::next(edge) != edges.end(); ++edge) {
      if (!holds(free, *edge)) {
        continue;
      }
      std::uint8_t below = 0;
      for (std::size_t i = 0; i < below_.size(); ++i) {
        if (below_[i].holds(*edge)) {
          below = number_of(table_.regions[i].attribute);
        }
      }
      std::uint8_t shown = below;
      for (const MpuBlock& block : blocks) {
        if (holds(parts_of(block), *edge)) {
          shown = block.attribute;
        }
      }
      bytes += shown != below ? *std::next(edge) - *edge : 0;
    }
    table_.spare = core::Bytes{bytes};
  }

  void add(const MpuBlock& block) {
    MpuRegion region{
        .number = map_.board.mpu.first + static_cast<unsigned>(table_.regions.size()),
        .range = *core::VirtRange::make(core::VirtAddr{block.base}, core::Bytes{block.size}),
        .disabled = block.disabled,
        .attribute = map_.board.mpu.attributes.at(block.attribute - 1U).name,
        .place = table_.place};
    const std::vector<Span> parts = parts_of(block);
    for (std::size_t i = 0; i < areas_.size(); ++i) {
      const bool inside = std::ranges::any_of(parts, [&](const Span& part) {
        return part.base < areas_[i].end && areas_[i].base < part.end;
      });
      if (inside && table_.areas[i].attribute == region.attribute) {
        region.covers.push_back(table_.areas[i].region);
      }
    }
    region.name = free_name(region.covers.empty() ? upper(region.attribute) + "_AGAIN"
                                                  : region.covers.front());
    table_.regions.push_back(std::move(region));
  }

  static std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
      return std::isalnum(c) != 0 ? static_cast<char>(std::toupper(c)) : '_';
    });
    return text;
  }

  [[nodiscard]] std::string free_name(const std::string& wish) const {
    std::string name = wish;
    for (int i = 2;
         std::ranges::any_of(table_.regions, [&](const auto& r) { return r.name == name; });
         ++i) {
      name = fmt::format("{}_{}", wish, i);
    }
    return name;
  }

  const MemoryMap& map_;
  MpuTable& table_;
  std::vector<Span> below_;
  std::vector<Span> areas_;
};

bool overlap_differently(const MpuArea& a, const MpuArea& b) {
  return a.attribute != b.attribute && a.range.overlaps(b.range);
}

}  // namespace

bool is_expressible(const MpuArea& area) {
  return area.range.last().value() < chip::kMpuSpace &&
         area.range.base().value() % chip::kMpuSmallest == 0 &&
         area.range.size().count() % chip::kMpuSmallest == 0;
}

bool is_legal(const MpuRegion& region) {
  const std::uint64_t size = region.range.size().count();
  return std::has_single_bit(size) && size >= chip::kMpuSmallest && size <= chip::kMpuSpace &&
         region.range.base().value() % size == 0 && region.range.last().value() < chip::kMpuSpace;
}

void program_mpu(const MemoryMap& map, MpuTable& table) {
  bool possible = std::ranges::all_of(table.areas, is_expressible) &&
                  std::ranges::all_of(table.regions, is_legal);
  for (auto area = table.areas.begin(); area != table.areas.end(); ++area) {
    possible = possible && std::none_of(table.areas.begin(), area, [&](const MpuArea& other) {
                 return overlap_differently(*area, other);
               });
  }
  if (possible) {
    Programmer{map, table}.run();
  }
}

}  // namespace memsize::layout
