// Takes none, one or two regions away, else those behind one, and has cover() find what must lie
// over the others. Of what fits, the fewest changes win: another size is less of one than a new
// region. A new region takes the number of one that goes where that shows the same.
#include "repaint.hpp"

#include "memsize/chip/limits.hpp"
#include "memsize/layout/mpu.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using chip::MpuRegionFields;
using Regions = std::vector<MpuRegionFields>;

class Repainter {
 public:
  Repainter(const Regions& regions, const std::vector<MpuPatch>& patches, unsigned last)
      : regions_(regions), patches_(patches), last_(last), seen_(regions) {
    for (const MpuPatch& patch : patches) {
      seen_.push_back({patch.bits, 0, patch.name, patch.base, patch.size, 0});
    }
    lens_ = lens_of(seen_);
    for (const MpuRegionFields& each : seen_) {
      if (std::ranges::find(bits_, static_cast<const chip::MpuBits&>(each)) == bits_.end()) {
        bits_.push_back(each);
      }
    }
  }

  std::optional<Regions> run() {
    if (patches_.empty() && regions_.back().number <= last_) {
      return regions_;
    }
    const std::size_t count = regions_.size();
    try_without({});
    for (std::size_t i = 0; i < count; ++i) {
      try_without({i});
    }
    for (std::size_t i = 0; i < count && !has_best_; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) {
        try_without({i, j});
      }
    }
    std::set<std::size_t> behind;
    for (std::size_t i = count; i-- > 0 && !has_best_;) {
      behind.insert(i);
      try_without(behind);
    }
    return has_best_ ? std::optional{std::move(best_)} : std::nullopt;
  }

 private:
  // 0: nothing is shown.
  [[nodiscard]] std::uint8_t attribute_at(const chip::Lens& lens,
                                          const Regions& regions,
                                          std::uint64_t address) const {
    const auto layer = lens.at(address);
    if (!layer) {
      return 0;
    }
    const auto found = std::ranges::find(bits_, static_cast<const chip::MpuBits&>(regions[*layer]));
    return static_cast<std::uint8_t>(found - bits_.begin() + 1);
  }

  // What the regions show beside what is to be seen.
  [[nodiscard]] std::vector<layout::MpuStretch> stretches_over(const Regions& regions) const {
    const chip::Lens lens = lens_of(regions);
    std::set<std::uint64_t> begins;
    for (const chip::Lens* each : {&lens, &lens_}) {
      for (const chip::Piece& piece : each->over(0, chip::kMpuSpace)) {
        begins.insert(piece.base);
      }
    }
    std::vector<layout::MpuStretch> stretches;
    for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
      const auto next = std::next(begin);
      stretches.push_back({*begin,
                           (next == begins.end() ? chip::kMpuSpace : *next) - *begin,
                           attribute_at(lens, regions, *begin),
                           attribute_at(lens_, seen_, *begin)});
    }
    return stretches;
  }

  [[nodiscard]] bool shows_all(const Regions& regions) const {
    return std::ranges::all_of(stretches_over(regions),
                               [](const auto& each) { return each.below == each.wanted; });
  }

  void try_without(const std::set<std::size_t>& gone) {
    Regions made;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      if (!gone.contains(i)) {
        made.push_back(regions_[i]);
      }
    }
    const auto stretches = stretches_over(made);
    const bool is_legal = std::ranges::all_of(
        stretches, [](const auto& each) { return each.base % chip::kMpuSmallest == 0; });
    const auto blocks = is_legal ? layout::cover(stretches) : std::nullopt;
    if (!blocks || made.size() + blocks->size() > last_ + 1U) {
      return;
    }
    const std::size_t kept = made.size();
    for (const layout::MpuBlock& block : *blocks) {
      made.push_back(region_of(block, gone));
    }
    const std::size_t resized = take_places(made, kept, gone);
    const std::size_t cost = 2 * (blocks->size() + gone.size()) - 3 * resized;
    number(made);
    if (made.back().number <= last_ && (!has_best_ || cost < cost_)) {
      has_best_ = true;
      cost_ = cost;
      best_ = std::move(made);
    }
  }

  [[nodiscard]] MpuRegionFields region_of(const layout::MpuBlock& block,
                                          const std::set<std::size_t>& gone) const {
    MpuRegionFields region{
        bits_[block.attribute - 1U], 0, "", block.base, block.size, block.disabled};
    const auto is_for = [&](const auto& each, const chip::MpuBits& bits) {
      return bits == region && each.base < block.base + block.size &&
             block.base < each.base + each.size;
    };
    for (const std::size_t i : gone) {
      region.name = is_for(regions_[i], regions_[i]) ? regions_[i].name : region.name;
    }
    for (const MpuPatch& patch : patches_) {
      region.name = is_for(patch, patch.bits) ? free_name(patch.name) : region.name;
    }
    return region;
  }

  [[nodiscard]] std::string free_name(const std::string& wish) const {
    std::string name = wish;
    for (int i = 2; std::ranges::find(regions_, name, &MpuRegionFields::name) != regions_.end();
         ++i) {
      name = fmt::format("{}_{}", wish, i);
    }
    return name;
  }

  // Has the regions from the `next`-th on, which are new, stand where others went, if they can: as
  // another size of the same, or as what is there instead. Gives how many are the same.
  std::size_t take_places(Regions& made,
                          std::size_t next,
                          const std::set<std::size_t>& gone) const {
    std::size_t resized = 0;
    std::size_t before = 0;
    for (const std::size_t at : gone) {
      const MpuRegionFields& old = regions_[at];
      const std::size_t place = at - before;
      const auto is_same = [&](const MpuRegionFields& each) {
        return each.base == old.base && static_cast<const chip::MpuBits&>(each) == old;
      };
      const auto fits = [&](std::size_t i, bool only_same) {
        const bool overlaps =
            made[i].base < old.base + old.size && old.base < made[i].base + made[i].size;
        Regions moved = made;
        std::rotate(moved.begin() + static_cast<std::ptrdiff_t>(place),
                    moved.begin() + static_cast<std::ptrdiff_t>(i),
                    moved.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        if (!overlaps || is_same(made[i]) != only_same || !shows_all(moved)) {
          return false;
        }
        made = std::move(moved);
        return true;
      };
      bool is_taken = false;
      for (const bool only_same : {true, false}) {
        for (std::size_t i = next; i < made.size() && !is_taken; ++i) {
          is_taken = fits(i, only_same);
          if (is_taken && only_same) {
            made[place].name = old.name;
            ++resized;
          }
        }
      }
      next += is_taken ? 1U : 0U;
      before += is_taken ? 0U : 1U;
    }
    return resized;
  }

  // Where no number was left out, none is.
  void number(Regions& made) const {
    const unsigned first = regions_.front().number;
    const bool is_dense = regions_.back().number - first + 1 == regions_.size();
    unsigned next = first;
    for (MpuRegionFields& region : made) {
      next = is_dense ? next : std::max(next, region.number);
      region.number = next++;
    }
  }

  const Regions& regions_;
  const std::vector<MpuPatch>& patches_;
  unsigned last_;
  // The regions, and the patches over them.
  Regions seen_;
  chip::Lens lens_{{}};
  std::vector<chip::MpuBits> bits_;
  bool has_best_ = false;
  Regions best_;
  std::size_t cost_ = 0;
};

}  // namespace

chip::Lens lens_of(const Regions& regions) {
  return chip::lens_of(regions, [](const MpuRegionFields& region) { return region.layer(); });
}

std::optional<std::vector<MpuRegionFields>> repaint_mpu(const std::vector<MpuRegionFields>& regions,
                                                        const std::vector<MpuPatch>& patches,
                                                        unsigned last) {
  return regions.empty() ? std::nullopt : Repainter{regions, patches, last}.run();
}

}  // namespace memsize::sdk
