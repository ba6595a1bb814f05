// The fewest MPU regions, found from large to small.
//
// Two regions are either apart or one lies inside of the other, because both are powers of two on
// multiples of their size. A smaller one below a larger one shows only through parts that the
// larger has switched off, so switching off its own parts gives the same with the smaller one on
// top. So regions can be chosen from the 4 GiB downwards, each half on its own: what counts for a
// half is what shines through from above, in eighths, because a part is an eighth. The least cost
// of a half under what shines through is computed once.
//
// A half costs nothing where it shows all that is wanted, and one region where all of it wants one
// attribute. Else every way is tried in which regions of its own size paint its eighths. Few are:
// an eighth need not be painted with what nothing in it lacks, and a region that paints in one of
// the two halves only is that half's business, if it can have parts.
#include "memsize/chip/limits.hpp"
#include "memsize/layout/mpu.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <unordered_map>

namespace memsize::layout {

namespace {

// What an eighth shows: an attribute that was painted, or what is below all regions.
using Shown = std::uint8_t;
constexpr Shown kBelow = 0xFF;

using Pattern = std::array<Shown, chip::kMpuParts>;

// A set of attributes, a bit each.
using Attributes = std::uint64_t;

// Choices looked at before only the simplest are; the bundled boards need some ten.
constexpr std::size_t kMostChoices = 200'000;

struct Cost {
  std::size_t regions = 0;
  /// Regions with parts that are switched off.
  std::size_t masked = 0;
  /// Bytes where nothing is wanted, painted all the same.
  std::uint64_t spare = 0;

  friend bool operator<(const Cost& a, const Cost& b) {
    return std::tie(a.regions, a.masked, a.spare) < std::tie(b.regions, b.masked, b.spare);
  }

  friend Cost operator+(const Cost& a, const Cost& b) {
    return {a.regions + b.regions, a.masked + b.masked, a.spare + b.spare};
  }
};

constexpr Cost kNever{1'000'000, 0, 0};

// At most one for each eighth: no allocation, for plans are made by the ten thousand.
template <typename T>
class PerPart {
 public:
  void push_back(const T& item) { items_[count_++] = item; }

  [[nodiscard]] const T* begin() const { return items_.data(); }

  [[nodiscard]] const T* end() const { return begin() + count_; }

  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  std::array<T, chip::kMpuParts> items_{};
  std::size_t count_ = 0;
};

// One region of a place's size.
struct Painted {
  /// The parts that it leaves as they are, a bit each.
  std::uint8_t disabled = 0;
  std::uint8_t attribute = 0;
};

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
  PerPart<Painted> blocks;
  Pattern shown{};
};

// What an eighth has.
struct Eighth {
  /// Attributes that are wanted and not shown.
  Attributes lacking = 0;
  /// Attributes that are wanted.
  Attributes wanted = 0;
  /// Attributes that are wanted and shown.
  Attributes good = 0;
};

struct View {
  std::array<Eighth, chip::kMpuParts> eighths{};
  bool lacks = false;
  bool impossible = false;
  std::uint64_t spare = 0;
};

bool shows(const MpuStretch& stretch, Shown shown) {
  return !stretch.wanted || *stretch.wanted == (shown == kBelow ? stretch.below : shown);
}

// What is wanted where: one stretch after the other over all addresses.
class Stretches {
 public:
  explicit Stretches(const std::vector<MpuStretch>& stretches) {
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

  // The stretch that holds all of it, or nullptr.
  [[nodiscard]] const MpuStretch* whole(std::uint64_t base, std::uint64_t size) const {
    const MpuStretch& stretch = stretches_[index_of(base)];
    return stretch.base + stretch.size >= base + size ? &stretch : nullptr;
  }

  [[nodiscard]] View view_of(const Place& place) const {
    View view;
    const std::uint64_t part = std::max(place.size / chip::kMpuParts, std::uint64_t{1});
    for (std::size_t i = index_of(place.base);
         i < stretches_.size() && stretches_[i].base < place.base + place.size;
         ++i) {
      const MpuStretch& stretch = stretches_[i];
      const std::uint64_t from = std::max(stretch.base, place.base) - place.base;
      const std::uint64_t to =
          std::min(stretch.base + stretch.size, place.base + place.size) - place.base;
      for (std::size_t at = from / part; at < chip::kMpuParts && at * part < to; ++at) {
        const Shown shown = place.pattern[at];
        if (!stretch.wanted) {
          const bool painted = shown != kBelow && shown != stretch.below;
          view.spare += painted ? std::min(to, (at + 1) * part) - std::max(from, at * part) : 0;
          continue;
        }
        const Attributes bit = Attributes{1} << *stretch.wanted;
        view.eighths[at].wanted |= bit;
        if (shows(stretch, shown)) {
          view.eighths[at].good |= bit;
        } else {
          view.eighths[at].lacking |= bit;
          view.lacks = true;
          view.impossible = view.impossible || *stretch.wanted == 0;
        }
      }
    }
    return view;
  }

 private:
  [[nodiscard]] std::size_t index_of(std::uint64_t address) const {
    const auto behind = std::upper_bound(
        stretches_.begin(), stretches_.end(), address, [](std::uint64_t a, const MpuStretch& s) {
          return a < s.base;
        });
    return static_cast<std::size_t>(behind - stretches_.begin()) - 1;
  }

  std::vector<MpuStretch> stretches_;
};

Attributes lacking(const View& view, std::size_t from, std::size_t to) {
  Attributes all = 0;
  for (std::size_t i = from; i < to; ++i) {
    all |= view.eighths[i].lacking;
  }
  return all;
}

// Attributes that both halves lack: what only one lacks, a region of that half's size paints as
// well. Only where a half is too small to have parts, it does not.
Attributes useful(const Place& place, const View& view) {
  const Attributes low = lacking(view, 0, chip::kMpuParts / 2);
  const Attributes high = lacking(view, chip::kMpuParts / 2, chip::kMpuParts);
  return place.size == chip::kMpuSmallestWithParts ? low | high : low & high;
}

bool uses(const Pattern& plan, std::size_t from, std::size_t to, Shown attribute) {
  return std::find(plan.begin() + static_cast<std::ptrdiff_t>(from),
                   plan.begin() + static_cast<std::ptrdiff_t>(to),
                   attribute) != plan.begin() + static_cast<std::ptrdiff_t>(to);
}

// The attributes that a plan paints with; none where a half could do it alone.
PerPart<Shown> painted(const Place& place, const Pattern& plan) {
  PerPart<Shown> used;
  for (const Shown attribute : plan) {
    if (attribute != kBelow && std::find(used.begin(), used.end(), attribute) == used.end()) {
      used.push_back(attribute);
    }
  }
  const auto is_this_size = [&](Shown attribute) {
    return place.size == chip::kMpuSmallestWithParts ||
           (uses(plan, 0, chip::kMpuParts / 2, attribute) &&
            uses(plan, chip::kMpuParts / 2, chip::kMpuParts, attribute));
  };
  return std::all_of(used.begin(), used.end(), is_this_size) ? used : PerPart<Shown>{};
}

// Whether painting what the plan leaves alone as well would show something wrong that is right.
bool spoils(const View& view, const Pattern& plan, Shown attribute) {
  const Attributes own = Attributes{1} << attribute;
  for (std::size_t i = 0; i < chip::kMpuParts; ++i) {
    if (plan[i] == kBelow && (view.eighths[i].good & ~own) != 0) {
      return true;
    }
  }
  return false;
}

std::array<Place, 2> halves(const Place& place, const Pattern& shown) {
  std::array<Place, 2> both;
  for (std::size_t half = 0; half < 2; ++half) {
    both[half].size = place.size / 2;
    both[half].base = place.base + half * both[half].size;
    for (std::size_t i = 0; i < chip::kMpuParts; ++i) {
      both[half].pattern[i] = shown[half * chip::kMpuParts / 2 + i / 2];
    }
  }
  return both;
}

class Cover {
 public:
  explicit Cover(const std::vector<MpuStretch>& stretches) : stretches_(stretches) {}

  std::optional<std::vector<MpuBlock>> run() {
    Pattern nothing;
    nothing.fill(kBelow);
    const Place all{0, chip::kMpuSpace, nothing};
    if (!(best(all).cost < kNever)) {
      return std::nullopt;
    }
    std::vector<MpuBlock> blocks;
    collect(all, blocks);
    return blocks;
  }

 private:
  const Choice& best(const Place& place) {
    if (const auto known = known_.find(place); known != known_.end()) {
      return known->second;
    }
    Choice choice{.shown = place.pattern};
    const View view = stretches_.view_of(place);
    if (!view.lacks) {
      choice.cost = {0, 0, view.spare};
    } else if (const MpuStretch* stretch = stretches_.whole(place.base, place.size);
               stretch != nullptr && !view.impossible) {
      choice.cost = {1, 0, 0};
      choice.blocks.push_back({0, *stretch->wanted});
      choice.shown.fill(*stretch->wanted);
    } else if (!view.impossible && place.size > chip::kMpuSmallest) {
      consider(place, place.pattern, {}, choice);
      if (place.size >= chip::kMpuSmallestWithParts) {
        try_plans(place, view, choice);
      } else {
        try_whole(place, view, choice);
      }
    }
    return known_.emplace(place, std::move(choice)).first->second;
  }

  // Without parts, all of it is painted.
  void try_whole(const Place& place, const View& view, Choice& choice) {
    for (Attributes rest = useful(place, view); rest != 0; rest &= rest - 1) {
      const auto attribute = static_cast<std::uint8_t>(std::countr_zero(rest));
      Pattern shown;
      shown.fill(attribute);
      PerPart<Painted> block;
      block.push_back({0, attribute});
      consider(place, shown, block, choice);
    }
  }

  // Every way in which each eighth keeps what it shows, or is painted with what it lacks.
  void try_plans(const Place& place, const View& view, Choice& choice) {
    const Attributes worth = useful(place, view);
    if (worth == 0) {
      return;
    }
    if (choices_ > kMostChoices) {
      for (Attributes rest = worth; rest != 0; rest &= rest - 1) {
        Pattern plan;
        for (std::size_t i = 0; i < chip::kMpuParts; ++i) {
          const Attributes bit = rest & (~rest + 1);
          plan[i] = (view.eighths[i].lacking & bit) != 0
                        ? static_cast<Shown>(std::countr_zero(rest))
                        : kBelow;
        }
        try_plan(place, view, plan, choice);
      }
      return;
    }
    // An odometer; here, what is below stands for "keep".
    Pattern plan;
    plan.fill(kBelow);
    std::array<Attributes, chip::kMpuParts> left{};
    for (std::size_t i = 0; i < chip::kMpuParts; ++i) {
      left[i] = view.eighths[i].lacking & worth;
    }
    for (std::size_t at = 0; at < chip::kMpuParts;) {
      try_plan(place, view, plan, choice);
      for (at = 0; at < chip::kMpuParts && left[at] == 0; ++at) {
        plan[at] = kBelow;
        left[at] = view.eighths[at].lacking & worth;
      }
      if (at < chip::kMpuParts) {
        plan[at] = static_cast<Shown>(std::countr_zero(left[at]));
        left[at] &= left[at] - 1;
      }
    }
  }

  void try_plan(const Place& place, const View& view, const Pattern& plan, Choice& choice) {
    const PerPart<Shown> used = painted(place, plan);
    if (used.size() == 0) {
      return;
    }
    // The first may lie below the others. Where that saves switching off parts, it also paints what
    // would be wrong anyway, or has no wish.
    const bool whole = !spoils(view, plan, *used.begin());
    PerPart<Painted> blocks;
    Pattern shown = place.pattern;
    for (const Shown attribute : used) {
      const bool bottom = blocks.size() == 0;
      unsigned off = 0;
      for (std::size_t i = 0; i < chip::kMpuParts; ++i) {
        const bool mine = plan[i] == attribute;
        const bool below_others = bottom && plan[i] != kBelow;
        const bool filled = bottom && whole && plan[i] == kBelow;
        off |= mine || below_others || filled ? 0U : 1U << i;
        shown[i] = mine || filled ? attribute : shown[i];
      }
      blocks.push_back({static_cast<std::uint8_t>(off), attribute});
    }
    consider(place, shown, blocks, choice);
  }

  // Takes the blocks for this place, with the best for both halves, if that costs less.
  void consider(const Place& place,
                const Pattern& shown,
                const PerPart<Painted>& blocks,
                Choice& choice) {
    ++choices_;
    Cost cost{blocks.size(), 0, 0};
    for (const Painted& block : blocks) {
      cost.masked += block.disabled != 0 ? 1U : 0U;
    }
    for (const Place& half : halves(place, shown)) {
      if (cost < choice.cost) {
        cost = cost + best(half).cost;
      }
    }
    if (cost < choice.cost) {
      choice.cost = cost;
      choice.blocks = blocks;
      choice.shown = shown;
    }
  }

  void collect(const Place& place, std::vector<MpuBlock>& blocks) {
    const Choice& choice = best(place);
    for (const Painted& block : choice.blocks) {
      blocks.push_back({place.base, place.size, block.disabled, block.attribute});
    }
    if (choice.cost.regions > choice.blocks.size()) {
      for (const Place& half : halves(place, choice.shown)) {
        collect(half, blocks);
      }
    }
  }

  Stretches stretches_;
  std::unordered_map<Place, Choice, PlaceHash> known_;
  std::size_t choices_ = 0;
};

}  // namespace

std::optional<std::vector<MpuBlock>> cover(const std::vector<MpuStretch>& stretches) {
  return Cover{stretches}.run();
}

}  // namespace memsize::layout
