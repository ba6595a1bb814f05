// The fewest MPU regions, against painting them and against searching through everything that
// could be laid.
#include "memsize/chip/limits.hpp"
#include "memsize/layout/mpu.hpp"

#include "support.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::layout::cover_test {

namespace {

constexpr std::uint64_t kMiB = 1048576;
constexpr std::uint64_t kDdr = 0x80000000;

// The attributes of these tests.
constexpr std::uint8_t kCached = 1;
constexpr std::uint8_t kNonCached = 2;
constexpr std::uint8_t kWriteThrough = 3;
constexpr std::uint8_t kDevice = 4;

// What a core shows and what it must show, from 0 to 4 GiB.
class Picture {
 public:
  explicit Picture(std::uint8_t below) { cuts_[0] = {below, below}; }

  /// Something else shows here, and that is right.
  Picture& below(std::uint64_t base, std::uint64_t size, std::uint8_t attribute) {
    return set(base, size, [&](Part& part) { part = {attribute, attribute}; });
  }

  Picture& want(std::uint64_t base, std::uint64_t size, std::optional<std::uint8_t> attribute) {
    return set(base, size, [&](Part& part) { part.wanted = attribute; });
  }

  Picture& free(std::uint64_t base, std::uint64_t size) { return want(base, size, std::nullopt); }

  [[nodiscard]] std::vector<MpuStretch> stretches() const {
    std::vector<MpuStretch> list;
    for (auto at = cuts_.begin(); at != cuts_.end(); ++at) {
      const auto next = std::next(at);
      const std::uint64_t end = next == cuts_.end() ? chip::kMpuSpace : next->first;
      list.push_back({at->first, end - at->first, at->second.below, at->second.wanted});
    }
    return list;
  }

 private:
  struct Part {
    std::uint8_t below = 0;
    std::optional<std::uint8_t> wanted;
  };

  void cut(std::uint64_t at) {
    if (at < chip::kMpuSpace) {
      cuts_.insert({at, std::prev(cuts_.upper_bound(at))->second});
    }
  }

  template <typename Change>
  Picture& set(std::uint64_t base, std::uint64_t size, const Change& change) {
    cut(base);
    cut(base + size);
    const auto end = cuts_.lower_bound(base + size);
    for (auto at = cuts_.find(base); at != end; ++at) {
      change(at->second);
    }
    return *this;
  }

  std::map<std::uint64_t, Part> cuts_;
};

using Stretches = std::vector<MpuStretch>;
using Blocks = std::vector<MpuBlock>;

std::string to_text(const Stretches& stretches) {
  std::string text;
  for (const MpuStretch& stretch : stretches) {
    text += fmt::format("\n{:#x}+{:#x}: {} wants {}",
                        stretch.base,
                        stretch.size,
                        stretch.below,
                        stretch.wanted ? std::to_string(*stretch.wanted) : "nothing");
  }
  return text;
}

std::string to_text(const Blocks& blocks) {
  std::string text;
  for (const MpuBlock& block : blocks) {
    text += fmt::format(
        "\n{:#x}+{:#x} - {:08b}: {}", block.base, block.size, block.disabled, block.attribute);
  }
  return text;
}

bool paints(const MpuBlock& block, std::uint64_t address) {
  if (address < block.base || address - block.base >= block.size) {
    return false;
  }
  const std::uint64_t part = (address - block.base) * chip::kMpuParts / block.size;
  return ((block.disabled >> part) & 1U) == 0;
}

bool is_legal(const MpuBlock& block) {
  return std::has_single_bit(block.size) && block.size >= chip::kMpuSmallest &&
         block.size <= chip::kMpuSpace && block.base % block.size == 0 &&
         block.base < chip::kMpuSpace && block.attribute != 0 && block.disabled != 0xFF &&
         (block.disabled == 0 || block.size >= chip::kMpuSmallestWithParts);
}

// A stretch between all edges there are.
struct Layers {
  MpuStretch stretch;
  /// What lies over each other, the topmost first, and at last what is below.
  std::vector<std::uint8_t> attributes;
  /// The number of the topmost block.
  std::size_t first = 0;
};

std::vector<Layers> paint(const Stretches& stretches, const Blocks& blocks) {
  std::set<std::uint64_t> edges = {chip::kMpuSpace};
  for (const MpuBlock& block : blocks) {
    const std::uint64_t parts = block.disabled == 0 ? 1 : chip::kMpuParts;
    for (std::uint64_t part = 0; part <= parts; ++part) {
      edges.insert(block.base + block.size / parts * part);
    }
  }
  std::vector<Layers> painted;
  for (const MpuStretch& stretch : stretches) {
    for (std::uint64_t at = stretch.base; at < stretch.base + stretch.size;) {
      const std::uint64_t end = std::min(*edges.upper_bound(at), stretch.base + stretch.size);
      Layers layers{{at, end - at, stretch.below, stretch.wanted}, {}, blocks.size()};
      for (std::size_t i = blocks.size(); i > 0; --i) {
        if (paints(blocks[i - 1], at)) {
          layers.first = layers.attributes.empty() ? i - 1 : layers.first;
          layers.attributes.push_back(blocks[i - 1].attribute);
        }
      }
      layers.attributes.push_back(stretch.below);
      painted.push_back(std::move(layers));
      at = end;
    }
  }
  return painted;
}

// What is wrong with the blocks; "" if nothing is.
std::string fault(const Stretches& stretches, const Blocks& blocks) {
  for (const MpuBlock& block : blocks) {
    if (!is_legal(block)) {
      return "no region of the MPU:" + to_text(Blocks{block});
    }
  }
  std::vector<bool> is_needed(blocks.size(), false);
  for (const Layers& layers : paint(stretches, blocks)) {
    const std::vector<std::uint8_t>& shown = layers.attributes;
    const auto wanted = layers.stretch.wanted;
    if (wanted && shown[0] != *wanted) {
      return fmt::format("{:#x} shows {}, not {}", layers.stretch.base, shown[0], *wanted);
    }
    // Without the topmost block the next would show.
    if (wanted && shown.size() > 1 && shown[1] != *wanted) {
      is_needed[layers.first] = true;
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_needed[i]) {
      return "nothing needs" + to_text(Blocks{blocks[i]});
    }
  }
  return "";
}

// Whether fewer blocks suffice: every sequence of legal blocks, in any order and with any mask,
// from the last one back to the first. What the last one paints must be wanted so, and what lies
// below it no longer matters. So a state is a set of pieces that still matter; the end is reached
// where all of these show below what they want.
//
// The fewer pieces matter, the fewer blocks suffice: so a block paints as much as it may, and one
// mask for each block and attribute will do. The pieces are the largest aligned blocks that no edge
// divides. Nothing within one need be tried: look at one granule of each piece only; what any block
// paints of them is also painted by a block made of whole pieces. All that is larger is tried.
class Peeled {
 public:
  explicit Peeled(const Stretches& stretches) : stretches_(stretches) {
    add_node(0, chip::kMpuSpace);
    REQUIRE(pieces_.size() <= 64);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (const MpuStretch& piece = pieces_[i]; piece.wanted) {
        matters_ |= 1ULL << i;
        wants_[*piece.wanted] |= 1ULL << i;
        unlike_ |= *piece.wanted != piece.below ? 1ULL << i : 0;
      }
    }
    for (Node& node : nodes_) {
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const MpuStretch& piece = pieces_[i];
        for (std::size_t part = 0; part < node.parts.size(); ++part) {
          const std::uint64_t size = node.size / node.parts.size();
          const std::uint64_t base = node.base + size * part;
          if (piece.base < base + size && base < piece.base + piece.size) {
            node.parts[part] |= 1ULL << i;
          }
        }
      }
    }
  }

  /// Whether so many blocks, or fewer, suffice.
  [[nodiscard]] bool allows(std::size_t most) const {
    std::vector<std::uint64_t> layer = {matters_};
    for (std::size_t left = most;; --left) {
      const bool is_end =
          std::ranges::any_of(layer, [&](std::uint64_t state) { return (state & unlike_) == 0; });
      if (is_end || left == 0 || layer.empty()) {
        return is_end;
      }
      layer = next(layer, left - 1);
    }
  }

 private:
  struct Node {
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    /// The pieces that each part touches.
    std::vector<std::uint64_t> parts;
  };

  void add_node(std::uint64_t base, std::uint64_t size) {
    nodes_.push_back({base, size, {}});
    nodes_.back().parts.resize(size >= chip::kMpuSmallestWithParts ? chip::kMpuParts : 1);
    std::optional<MpuStretch> piece;
    for (const MpuStretch& stretch : stretches_) {
      if (stretch.base >= base + size || base >= stretch.base + stretch.size) {
        continue;
      }
      if (piece && (piece->below != stretch.below || piece->wanted != stretch.wanted)) {
        add_node(base, size / 2);
        add_node(base + size / 2, size / 2);
        return;
      }
      piece = {base, size, stretch.below, stretch.wanted};
    }
    pieces_.push_back(piece.value());
  }

  // Every attribute that is missing needs a block.
  [[nodiscard]] std::size_t at_least(std::uint64_t state) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        wants_, [&](const auto& w) { return (state & unlike_ & w.second) != 0; }));
  }

  // What one more block makes of the states, where `left` others may follow.
  [[nodiscard]] std::vector<std::uint64_t> next(const std::vector<std::uint64_t>& layer,
                                                std::size_t left) const {
    std::unordered_set<std::uint64_t> found;
    for (const std::uint64_t state : layer) {
      for (const auto& [attribute, wanting] : wants_) {
        for (const Node& node : nodes_) {
          std::uint64_t on = 0;
          std::uint64_t off = 0;
          for (const std::uint64_t part : node.parts) {
            ((part & state & ~wanting) != 0 ? off : on) |= part;
          }
          const std::uint64_t rest = state & ~(on & ~off);
          if (attribute != 0 && rest != state && at_least(rest) <= left) {
            found.insert(rest);
          }
        }
      }
    }
    std::vector<std::uint64_t> states(found.begin(), found.end());
    if (left == 0) {
      return states;
    }
    // Where more matters than elsewhere, no fewer blocks suffice.
    std::ranges::sort(states, [](std::uint64_t a, std::uint64_t b) {
      return std::make_pair(std::popcount(a), a) < std::make_pair(std::popcount(b), b);
    });
    std::vector<std::uint64_t> kept;
    for (const std::uint64_t state : states) {
      if (std::ranges::none_of(kept, [&](std::uint64_t k) { return (k & ~state) == 0; })) {
        kept.push_back(state);
      }
    }
    return kept;
  }

  const Stretches& stretches_;
  std::vector<MpuStretch> pieces_;
  std::vector<Node> nodes_;
  std::uint64_t matters_ = 0;
  std::uint64_t unlike_ = 0;
  std::map<std::uint8_t, std::uint64_t> wants_;
};

// The blocks paint what is wanted.
Blocks checked(const Stretches& stretches) {
  const std::optional<Blocks> blocks = cover(stretches);
  CAPTURE(to_text(stretches));
  REQUIRE(blocks.has_value());
  CAPTURE(to_text(*blocks));
  CHECK(fault(stretches, *blocks) == "");
  return *blocks;
}

// And no fewer can.
void check_fewest(const Stretches& stretches) {
  const Blocks blocks = checked(stretches);
  CAPTURE(to_text(stretches));
  CAPTURE(to_text(blocks));
  const Peeled peeled(stretches);
  CHECK(peeled.allows(blocks.size()));
  CHECK((blocks.empty() || !peeled.allows(blocks.size() - 1)));
}

// Stretches of a few units each, at random.
struct Window {
  std::uint64_t base = 0;
  std::uint64_t unit = 0;
  std::uint64_t units = 0;
  /// What may be wanted; 0: anything.
  std::vector<std::uint8_t> wanted;
  std::vector<std::uint8_t> below = {kCached};
};

Stretches random_stretches(const Window& window, test::Random& random) {
  Picture picture(kCached);
  const auto runs = [&](const std::vector<std::uint8_t>& attributes, auto paint) {
    const std::uint64_t longest = 1 + random.below(window.units / 2);
    for (std::uint64_t at = 0; at < window.units;) {
      const std::uint64_t length = std::min(1 + random.below(longest), window.units - at);
      paint(window.base + at * window.unit,
            length * window.unit,
            attributes[random.below(attributes.size())]);
      at += length;
    }
  };
  runs(window.below,
       [&](auto base, auto size, auto attribute) { picture.below(base, size, attribute); });
  runs(window.wanted, [&](auto base, auto size, auto attribute) {
    picture.want(base, size, attribute == 0 ? std::nullopt : std::optional(attribute));
  });
  return picture.stretches();
}

// The shared memory of a J722S, at 64 MiB: non-cached, the last part write-through.
Picture small_board() {
  Picture picture(kCached);
  picture.below(0, kDdr, kDevice);
  for (const auto& [base, size] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0xA2000000, kMiB},
                                                            {0xA2100000, kMiB},
                                                            {0xA5000000, 16 * kMiB},
                                                            {0xA6000000, 16 * kMiB},
                                                            {0xA7000000, 8 * kMiB},
                                                            {0xA7800000, 4 * kMiB},
                                                            {0xA7C00000, kMiB / 4}}) {
    picture.want(base, size, kNonCached);
  }
  return picture.want(0xB7800000, 4 * kMiB, kWriteThrough);
}

// As many areas, page by page anywhere in the DDR.
Stretches scattered(std::size_t areas, test::Random& random) {
  constexpr std::uint64_t kPage = 4096;
  Picture picture(kCached);
  picture.below(0, kDdr, kDevice);
  for (std::size_t i = 0; i < areas; ++i) {
    const std::uint64_t base = kDdr + random.below(kDdr / kPage) * kPage;
    const std::uint64_t size = (1 + random.below(1ULL << random.below(13))) * kPage;
    picture.want(base,
                 std::min(size, chip::kMpuSpace - base),
                 random.below(4) == 0 ? kWriteThrough : kNonCached);
  }
  return picture.stretches();
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("MPU regions: as few as a search from the topmost one down finds") {
    struct Case {
      int rounds = 0;
      std::uint64_t units = 0;
      std::vector<std::uint8_t> wanted;
      std::vector<std::uint8_t> below;
    };

    const std::vector<Case> cases = {
        {60, 4, {0, kCached, kNonCached, kWriteThrough}, {kCached, kDevice}},
        {100, 8, {kCached, kCached, kNonCached}, {kCached}},
        {60, 8, {0, kCached, kNonCached, kWriteThrough}, {kCached}},
        {12, 16, {0, kCached, kNonCached}, {kCached, kCached, kNonCached}},
        {3, 16, {kCached, kCached, kNonCached, kWriteThrough}, {kCached}},
        {8, 32, {kCached, kCached, kNonCached}, {kCached}}};
    test::Random random(0xD0C5);
    for (const Case& c : cases) {
      for (const std::uint64_t unit :
           {std::uint64_t{32}, std::uint64_t{64}, std::uint64_t{256}, 2 * kMiB}) {
        for (int round = 0; round < test::rounds(c.rounds); ++round) {
          // Not on a multiple of the size of all.
          const std::uint64_t base = 0xA0000000 + unit * random.below(64);
          check_fewest(random_stretches({base, unit, c.units, c.wanted, c.below}, random));
        }
      }
    }
  }

  TEST_CASE("MPU regions: three attributes take turns") {
    // One region for each; what is below shows through all three.
    Picture picture(kDevice);
    for (const auto& [part, attribute] :
         std::vector<std::pair<std::uint64_t, std::uint8_t>>{{1, kCached},
                                                             {2, kNonCached},
                                                             {3, kWriteThrough},
                                                             {5, kCached},
                                                             {6, kNonCached},
                                                             {7, kWriteThrough}}) {
      picture.want(0xA0000000 + part * kMiB, kMiB, attribute);
    }
    CHECK(checked(picture.stretches()).size() == 3);
  }

  TEST_CASE("MPU regions: the shared memory of the real boards") {
    // One region each for 2 MiB and for the write-through part. The end at 0xA7C40000 needs one of
    // 2 MiB or less; what ends there needs one for its beginning, and none for that ends so early
    // that it leaves the rest cached.
    Picture exact = small_board();
    CHECK(checked(exact.stretches()).size() == 5);
    check_fewest(exact.stretches());

    // 64 MiB from 0xA4000000 do for all but the 2 MiB and the write-through part.
    const Stretches spared =
        small_board().free(0xA4000000, 16 * kMiB).free(0xA7C40000, 4 * kMiB - kMiB / 4).stretches();
    const Blocks blocks = checked(spared);
    CHECK(blocks.size() == 3);
    CHECK(std::ranges::find(blocks, MpuBlock{0xA4000000, 64 * kMiB, 0, kNonCached}) !=
          blocks.end());

    // 96 MiB, on both sides of a multiple of 256 MiB.
    const Stretches large = Picture(kCached)
                                .below(0, kDdr, kDevice)
                                .want(0xAC000000, 48 * kMiB, kNonCached)
                                .want(0xAF000000, 16 * kMiB, kNonCached)
                                .want(0xB0000000, 16 * kMiB, kNonCached)
                                .want(0xB1000000, 16 * kMiB, kNonCached)
                                .stretches();
    CHECK(checked(large) ==
          Blocks{{0xAC000000, 64 * kMiB, 0, kNonCached}, {0xB0000000, 32 * kMiB, 0, kNonCached}});
  }

  TEST_CASE("MPU regions: scattered areas get what they want") {
    test::Random random(0x5CA7);
    for (std::size_t round = 0; round < test::rounds(std::size_t{200}); ++round) {
      checked(scattered(1 + round % 4, random));
    }
    for (int round = 0; round < 4; ++round) {
      checked(scattered(round == 0 ? 64 : 10, random));
    }
  }

  TEST_CASE("MPU regions: none where nothing is wanted, or cannot be had") {
    CHECK(checked(Picture(kCached).stretches()).empty());
    CHECK(checked(Picture(0).stretches()).empty());
    CHECK(checked(Picture(kCached).below(0, kDdr, 0).free(kDdr, kMiB).stretches()).empty());
    CHECK(checked(Picture(0).want(0, chip::kMpuSpace, kCached).stretches()) ==
          Blocks{{0, chip::kMpuSpace, 0, kCached}});
    CHECK(checked(Picture(0).want(chip::kMpuSpace - 32, 32, kCached).stretches()) ==
          Blocks{{chip::kMpuSpace - 32, 32, 0, kCached}});

    // What is not mapped stays so: a part of the region is switched off.
    CHECK(checked(Picture(0).want(kDdr, 7 * kMiB, kCached).stretches()) ==
          Blocks{{kDdr, 8 * kMiB, 0x80, kCached}});
    CHECK_FALSE(cover(Picture(kCached).want(kDdr, kMiB, 0).stretches()).has_value());
    CHECK_FALSE(cover(Picture(kCached).want(0, kDdr, kNonCached).want(kDdr, 32, 0).stretches())
                    .has_value());
  }
}

}  // namespace memsize::layout::cover_test
