// What every region of a map needs, not only the heaps that a trace sizes, and how sure that is.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/names.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::layout {

/// What a size rests on.
enum class Evidence {
  kTrace,    // records that an accelerator printed
  kDerived,  // a constant of the firmware, or the bytes of an image: less fails, more is never used
  kMeasured,  // samples of a running system: a lower bound, so that there is a margin
  kAsserted,  // the user's word
  kKept,      // silicon, boot chain, ABI; or nobody knows
};

using core::name_of;

constexpr auto names_of(Evidence /*all*/) {
  return std::to_array<std::string_view>({"trace", "derived", "measured", "asserted", "kept"});
}

/// One region, or what no knob sizes.
struct Need {
  /// Empty: all regions that no knob sizes, together.
  std::string region;
  std::string knob;
  core::Bytes current;
  /// Without margin and rounding; nothing: nobody knows.
  std::optional<core::Bytes> need;
  /// A sentence without an end: "2048 descriptors of 1 KiB".
  std::string why;
  Evidence evidence = Evidence::kKept;
  core::Bytes suggested;
  /// The part of `suggested` that only the MMU, MPU or RAT needs.
  core::Bytes grown;
};

/// The least sizes from `wanted` upwards, each at most what the board has with `fixed` alone, that
/// give a map in which every check passes, with `fixed` as it is. What grows does so in the knob's
/// granules. First what one knob alone can mend is tried, the cheapest
/// growth first; then the knobs one after the other from the sizes that they have. Nothing where
/// the map with `fixed` alone fails, too. The same input gives the same answer everywhere.
[[nodiscard]] std::optional<board::KnobValues> least_legal(const board::Board& board,
                                                           const board::KnobValues& fixed,
                                                           const board::KnobValues& wanted);

}  // namespace memsize::layout
