// The fewest MPU regions, found from large to small.
//
// Two regions are either apart or one lies inside of the other, because both are powers of two on
// multiples of their size. A smaller one below a larger one shows only through parts that the
// larger has switched off, so switching off its own parts gives the same with the smaller one on
// top. So regions can be chosen from the 4 GiB downwards, each half on its own: what counts for a
// half is what shines through from above, in eighths, because a part is an eighth. The least cost
// of a half under what shines through is computed once.
//
// Where all of a half wants one attribute, it costs nothing or one region. Where it does not, the
// choices are which eighths one region, or two with different attributes, paint here: an eighth
// that wants one attribute decides itself, one that wants several is tried both ways.
#include "memsize/layout/mpu.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace memsize::layout {

namespace {

// What an eighth shows: an attribute that was painted, or what is below all regions.
using Shown = std::uint8_t;
constexpr Shown kBelow = 0xFF;

using Pattern = std::array<Shown, kMpuParts>;

// Choices looked at before only the simplest are; the real boards need some hundred.
constexpr std::size_t kMostChoices = 1'000'000;

struct Cost {
  std::size_t regions = 0;
  /// Regions with parts that are switched off.
  std::size_t masked = 0;
  /// Bytes where nothing is wanted, painted all the same.
  std::uint64_t spare = 0;

  friend auto operator<=>(const Cost&, const Cost&) = default;

  friend Cost operator+(const Cost& a, const Cost& b) {
    return {a.regions + b.regions, a.masked + b.masked, a.spare + b.spare};
  }
};

constexpr Cost kNever{1'000'000, 0, 0};

struct Place {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  Pattern pattern{};

  friend bool operator==(const Place&, const Place&) = default;
};

struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    std::uint64_t hash = place.base * 0x9E3779B97F4A7C15ULL + place.size;
    for (const Shown shown : place.pattern) {
      hash = (hash ^ shown) * 0x100000001B3ULL;
    }
    return static_cast<std::size_t>(hash ^ (hash >> 29U));
  }
};

struct Choice {
  Cost cost = kNever;
  std::array<MpuBlock, 2> blocks;
  std::size_t used = 0;
  Pattern shown{};
};

// What to do with an eighth.
enum class Paint : std::uint8_t { kKeep, kFirst, kSecond, kEither };

using Plan = std::array<Paint, kMpuParts>;

class Cover {
 public:
  explicit Cover(const std::vector<MpuStretch>& stretches) {
    for (const MpuStretch& stretch : stretches) {
      const bool same = !stretches_.empty() && stretches_.back().below == stretch.below &&
                        stretches_.back().wanted == stretch.wanted;
      if (same) {
        stretches_.back().size += stretch.size;
      } else if (stretch.size != 0) {
        stretches_.push_back(stretch);
      }
    }
  }

  std::optional<std::vector<MpuBlock>> run() {
    Pattern nothing;
    nothing.fill(kBelow);
    const Place all{0, kMpuSpace, nothing};
    if (best(all).cost >= kNever) {
      return std::nullopt;
    }
    std::vector<MpuBlock> blocks;
    collect(all, blocks);
    return blocks;
  }

 private:
  [[nodiscard]] std::size_t index_of(std::uint64_t address) const {
    const auto behind = std::upper_bound(
        stretches_.begin(), stretches_.end(), address, [](std::uint64_t a, const MpuStretch& s) {
          return a < s.base;
        });
    return static_cast<std::size_t>(behind - stretches_.begin()) - 1;
  }

  // The stretch that holds all of it, or nullptr.
  [[nodiscard]] const MpuStretch* whole(std::uint64_t base, std::uint64_t size) const {
    const MpuStretch& stretch = stretches_[index_of(base)];
    return stretch.base + stretch.size >= base + size ? &stretch : nullptr;
  }

  static bool shows(const MpuStretch& stretch, Shown shown) {
    return !stretch.wanted || *stretch.wanted == (shown == kBelow ? stretch.below : shown);
  }

  const Choice& best(const Place& place) {
    if (const auto known = known_.find(place); known != known_.end()) {
      return known->second;
    }
    const MpuStretch* stretch = whole(place.base, place.size);
    Choice choice = stretch != nullptr           ? of_one(*stretch, place)
                    : place.size <= kMpuSmallest ? Choice{}
                                                 : of_many(place);
    return known_.emplace(place, choice).first->second;
  }

  // All of it wants the same.
  static Choice of_one(const MpuStretch& stretch, const Place& place) {
    Choice choice;
    choice.shown = place.pattern;
    choice.cost = {};
    if (!stretch.wanted) {
      const auto painted = std::count_if(place.pattern.begin(), place.pattern.end(), [&](Shown s) {
        return s != kBelow && s != stretch.below;
      });
      choice.cost.spare = place.size / kMpuParts * static_cast<std::uint64_t>(painted);
      return choice;
    }
    if (std::all_of(place.pattern.begin(), place.pattern.end(), [&](Shown s) {
          return shows(stretch, s);
        })) {
      return choice;
    }
    if (*stretch.wanted == 0) {
      choice.cost = kNever;
      return choice;
    }
    choice.cost = {1, 0, 0};
    choice.blocks[0] = {place.base, place.size, 0, *stretch.wanted};
    choice.used = 1;
    return choice;
  }

  Choice of_many(const Place& place) {
    Choice choice;
    consider(place, place.pattern, {}, 0, choice);
    const std::vector<std::uint8_t> wanted = wanted_in(place);
    for (const std::uint8_t first : wanted) {
      try_plans(place, first, 0, choice);
      for (const std::uint8_t second : wanted) {
        if (second != first && place.size >= kMpuSmallestWithParts) {
          try_plans(place, first, second, choice);
        }
      }
    }
    return choice;
  }

  [[nodiscard]] std::vector<std::uint8_t> wanted_in(const Place& place) const {
    std::vector<std::uint8_t> wanted;
    for (std::size_t i = index_of(place.base);
         i < stretches_.size() && stretches_[i].base < place.base + place.size;
         ++i) {
      const auto attribute = stretches_[i].wanted;
      if (attribute && *attribute != 0 &&
          std::find(wanted.begin(), wanted.end(), *attribute) == wanted.end()) {
        wanted.push_back(*attribute);
      }
    }
    return wanted;
  }

  // Every way in which one attribute, or two (`second` not 0) with the second on top, can be laid
  // over the eighths.
  void try_plans(const Place& place, std::uint8_t first, std::uint8_t second, Choice& choice) {
    Plan plan{};
    std::vector<std::size_t> open;
    const std::uint64_t part = place.size / kMpuParts;
    for (std::size_t i = 0; i < kMpuParts; ++i) {
      // Without parts, all of it is painted.
      const MpuStretch* stretch =
          place.size < kMpuSmallestWithParts ? nullptr : whole(place.base + i * part, part);
      if (place.size < kMpuSmallestWithParts) {
        plan[i] = Paint::kFirst;
      } else if (stretch == nullptr) {
        open.push_back(i);
      } else if (stretch->wanted && *stretch->wanted == first) {
        plan[i] = Paint::kFirst;
      } else if (second != 0 && stretch->wanted && *stretch->wanted == second) {
        plan[i] = Paint::kSecond;
      } else {
        const bool good = stretch->wanted && shows(*stretch, place.pattern[i]);
        plan[i] = good ? Paint::kKeep : Paint::kEither;
      }
    }
    const std::size_t ways = second == 0 ? 2 : 3;
    if (choices_ > kMostChoices) {
      for (std::size_t way = 0; way < ways; ++way) {
        for (const std::size_t i : open) {
          plan[i] = static_cast<Paint>(way);
        }
        try_plan(place, plan, first, second, choice);
      }
      return;
    }
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < open.size(); ++i) {
      combinations *= ways;
    }
    for (std::size_t combination = 0; combination < combinations; ++combination) {
      std::size_t rest = combination;
      for (const std::size_t i : open) {
        plan[i] = static_cast<Paint>(rest % ways);
        rest /= ways;
      }
      try_plan(place, plan, first, second, choice);
    }
  }

  void try_plan(
      const Place& place, Plan plan, std::uint8_t first, std::uint8_t second, Choice& choice) {
    // What does not matter is painted where that saves switching off a part, and else kept.
    const bool keeps = std::find(plan.begin(), plan.end(), Paint::kKeep) != plan.end();
    std::replace(plan.begin(), plan.end(), Paint::kEither, keeps ? Paint::kKeep : Paint::kFirst);
    Pattern shown = place.pattern;
    unsigned first_off = 0;
    unsigned second_off = 0;
    for (std::size_t i = 0; i < kMpuParts; ++i) {
      // What the second paints may have the first below.
      first_off |= plan[i] == Paint::kKeep ? 1U << i : 0U;
      second_off |= plan[i] == Paint::kSecond ? 0U : 1U << i;
      shown[i] = plan[i] == Paint::kKeep ? shown[i] : plan[i] == Paint::kFirst ? first : second;
    }
    const bool has_first = std::find(plan.begin(), plan.end(), Paint::kFirst) != plan.end();
    const bool has_second = std::find(plan.begin(), plan.end(), Paint::kSecond) != plan.end();
    if (!has_first || has_second != (second != 0)) {
      return;
    }
    std::array<MpuBlock, 2> blocks;
    blocks[0] = {place.base, place.size, static_cast<std::uint8_t>(first_off), first};
    blocks[1] = {place.base, place.size, static_cast<std::uint8_t>(second_off), second};
    consider(place, shown, blocks, second == 0 ? 1 : 2, choice);
  }

  // Takes the blocks for this place, with the best for both halves, if that costs less.
  void consider(const Place& place,
                const Pattern& shown,
                const std::array<MpuBlock, 2>& blocks,
                std::size_t used,
                Choice& choice) {
    ++choices_;
    Cost cost{used, 0, 0};
    for (std::size_t i = 0; i < used; ++i) {
      cost.masked += blocks[i].disabled != 0 ? 1U : 0U;
    }
    for (const Place& half : halves(place, shown)) {
      if (cost < choice.cost) {
        cost = cost + best(half).cost;
      }
    }
    if (cost < choice.cost) {
      choice = {cost, blocks, used, shown};
    }
  }

  static std::array<Place, 2> halves(const Place& place, const Pattern& shown) {
    std::array<Place, 2> both;
    for (std::size_t half = 0; half < 2; ++half) {
      both[half].size = place.size / 2;
      both[half].base = place.base + half * both[half].size;
      for (std::size_t i = 0; i < kMpuParts; ++i) {
        both[half].pattern[i] = shown[half * kMpuParts / 2 + i / 2];
      }
    }
    return both;
  }

  void collect(const Place& place, std::vector<MpuBlock>& blocks) {
    const Choice choice = best(place);
    blocks.insert(blocks.end(),
                  choice.blocks.begin(),
                  choice.blocks.begin() + static_cast<std::ptrdiff_t>(choice.used));
    if (whole(place.base, place.size) == nullptr) {
      for (const Place& half : halves(place, choice.shown)) {
        collect(half, blocks);
      }
    }
  }

  std::vector<MpuStretch> stretches_;
  std::unordered_map<Place, Choice, PlaceHash> known_;
  std::size_t choices_ = 0;
};

}  // namespace

std::optional<std::vector<MpuBlock>> cover(const std::vector<MpuStretch>& stretches) {
  return Cover{stretches}.run();
}

}  // namespace memsize::layout
