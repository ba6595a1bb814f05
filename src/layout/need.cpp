// Sizes that a constant, an image or somebody's word gives are small, but a map is more than its
// sizes: an R5F's MPU shows powers of two in eighths, a RAT entry one power of two, an MMU blocks.
// A map that breaks such a rule mostly needs one region to be a little larger, and which one is
// cheapest nobody sees: so each is tried, from what is wanted to what it has, and the cheapest is
// taken. Where no single one mends the map, all begin as they are, and shrink one by one as far as
// they can, again and again until none moves.
//
// Each try is a whole map with all checks. Their number is bounded, not their time.
#include "memsize/layout/need.hpp"

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/find.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/memory_map.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace memsize::layout {

namespace {

using board::KnobValues;

// For the largest bundled board, a second or two.
constexpr std::size_t kMostMapsTried = 600;
// Into which a range of sizes is divided; a power of two, so that steps stay multiples.
constexpr std::uint64_t kMostSteps = 64;

class LeastSearch {
 public:
  LeastSearch(const board::Board& board, const KnobValues& fixed, const KnobValues& wanted)
      : board_(board), fixed_(fixed), wanted_(wanted) {}

  std::optional<KnobValues> run() {
    if (is_legal(wanted_)) {
      return wanted_;
    }
    const auto now = resolve(board_, fixed_);
    if (!now) {
      return std::nullopt;
    }
    for (const auto& [knob, size] : wanted_) {
      current_[knob] = std::max(now->values.at(knob), size);
    }
    if (auto one = with_one_larger(); one) {
      return one;
    }
    return is_legal(current_) ? std::optional{shrunk()} : std::nullopt;
  }

 private:
  bool is_legal(const KnobValues& sizes) {
    ++looked_at_;
    KnobValues values = fixed_;
    for (const auto& [knob, size] : sizes) {
      values[knob] = size;
    }
    const auto map = resolve(board_, values);
    if (!map) {
      return false;
    }
    // What somebody may choose to do is not chosen for him.
    const core::Diagnostics found = check_and_accept(*map);
    return !core::has_errors(found) &&
           !core::contains(found, core::Code::kLayoutKept, &core::Diagnostic::code);
  }

  [[nodiscard]] std::uint64_t step_of(const std::string& name) const {
    return board_.find_knob(name)->granule.value();
  }

  // Sizes in [from, to], in steps from what is wanted and from what the knob has: a region whose
  // neighbour stands on a large multiple has a size that is no round number, and so have those that
  // would fit there.
  [[nodiscard]] std::set<std::uint64_t> sizes_of(const std::string& knob,
                                                 std::uint64_t from,
                                                 std::uint64_t to,
                                                 std::uint64_t step) const {
    const std::uint64_t wanted = wanted_.at(knob);
    const std::uint64_t current = current_.at(knob);
    std::set<std::uint64_t> sizes;
    for (std::uint64_t k = (from - wanted + step - 1) / step; k <= (to - wanted) / step; ++k) {
      sizes.insert(wanted + k * step);
    }
    for (std::uint64_t k = (current - to + step - 1) / step; k <= (current - from) / step; ++k) {
      sizes.insert(current - k * step);
    }
    return sizes;
  }

  // The least size of the knob, beside those of the others, that is `bound` at most: in steps that
  // divide the range into a few dozen, then in smaller ones before what was found.
  std::optional<std::uint64_t> least_of(const std::string& knob,
                                        KnobValues sizes,
                                        std::uint64_t bound) {
    const std::uint64_t finest = step_of(knob);
    std::uint64_t from = wanted_.at(knob);
    std::uint64_t to = std::min(bound, current_.at(knob));
    std::uint64_t step = finest;
    while (from < to && (to - from) / step > kMostSteps) {
      step *= 2;
    }
    const std::size_t most = looked_at_ + kMostMapsTried / wanted_.size();
    std::optional<std::uint64_t> least;
    for (bool moved = true; moved && from <= to;) {
      moved = false;
      for (const std::uint64_t size : sizes_of(knob, from, to, step)) {
        sizes[knob] = size;
        if (looked_at_ >= most) {
          return least;
        }
        if (is_legal(sizes)) {
          least = size;
          moved = step > finest && size > wanted_.at(knob);
          from = std::max(wanted_.at(knob), size - std::min(size, step));
          to = size - 1;
          step = std::max(finest, step / kMostSteps);
          break;
        }
      }
    }
    return least;
  }

  std::optional<KnobValues> with_one_larger() {
    std::optional<KnobValues> best;
    std::uint64_t most = UINT64_MAX;
    for (const auto& [knob, size] : wanted_) {
      const std::uint64_t bound = core::checked_add(size, most).value_or(UINT64_MAX);
      if (const auto least = least_of(knob, wanted_, bound); least && *least != bound) {
        best = wanted_;
        (*best)[knob] = *least;
        most = *least - size;
      }
    }
    return best;
  }

  KnobValues shrunk() {
    KnobValues sizes = current_;
    // What saves most goes first.
    std::vector<std::string> order;
    for (const auto& [knob, size] : wanted_) {
      order.push_back(knob);
    }
    std::ranges::stable_sort(order, std::greater<>{}, [&](const std::string& knob) {
      return current_.at(knob) - wanted_.at(knob);
    });
    for (bool moved = true; moved && looked_at_ <= 2 * kMostMapsTried;) {
      moved = false;
      for (const std::string& knob : order) {
        const auto least = least_of(knob, sizes, sizes[knob] - 1);
        if (least) {
          sizes[knob] = *least;
          moved = true;
        }
      }
    }
    return sizes;
  }

  const board::Board& board_;
  const KnobValues& fixed_;
  const KnobValues& wanted_;
  /// What each wanted knob has without the change: none grows beyond it.
  KnobValues current_;
  std::size_t looked_at_ = 0;
};

}  // namespace

std::optional<KnobValues> least_legal(const board::Board& board,
                                      const KnobValues& fixed,
                                      const KnobValues& wanted) {
  return LeastSearch{board, fixed, wanted}.run();
}

}  // namespace memsize::layout
