// A table of patterns over operations in a row. A group that matches is one step, and no step is in
// two groups; there is no second pass. Where a convolution is followed by a pool, what it makes
// itself is never seen: it must be in one tile, and nobody else may read it.
#include "fuse.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

namespace memsize::network {

namespace {

struct Pattern {
  Fusion fusion = Fusion::kNone;
  std::array<std::string_view, 3> ops;
};

// pool_quant is of either average, so it stands twice.
constexpr auto kPatterns = std::to_array<Pattern>({
    {Fusion::kConvReluQuant, {"conv2d", "relu", "requantize"}},
    {Fusion::kLinearReluQuant, {"linear_int8", "relu", "requantize"}},
    {Fusion::kConvReluMaxpool, {"conv2d", "relu", "maxpool"}},
    {Fusion::kConvRelu, {"conv2d", "relu", ""}},
    {Fusion::kLinearRelu, {"linear_int8", "relu", ""}},
    {Fusion::kPoolQuant, {"avgpool", "requantize", ""}},
    {Fusion::kPoolQuant, {"global_avgpool", "requantize", ""}},
});

std::size_t length_of(const Pattern& pattern) {
  return pattern.ops.back().empty() ? 2 : 3;
}

// `last_reader` is the last step that reads the first one's buffer, counted from the first.
bool matches(const Pattern& pattern, std::span<const Step> steps, std::size_t last_reader) {
  const std::size_t length = length_of(pattern);
  if (steps.size() < length) {
    return false;
  }
  const std::size_t buffer = steps.front().writes;
  for (std::size_t i = 0; i < length; ++i) {
    const bool follows = i == 0 || steps[i].reads == std::vector{buffer};
    if (steps[i].op != pattern.ops[i] || !follows) {
      return false;
    }
  }
  const Step& base = steps.front();
  if (base.tier == Tier::kL3Tiled) {
    // Slabs leave L2 before the next layer runs.
    return false;
  }
  if (pattern.fusion != Fusion::kConvReluMaxpool) {
    return std::ranges::all_of(steps.subspan(1, length - 1),
                               [](const Step& step) { return step.is_in_place; });
  }
  const bool is_one_tile =
      base.tiles && base.tiles->row_tiles * base.tiles->column_tiles == 1 && base.tiles->slabs == 1;
  return is_one_tile && last_reader < length;
}

}  // namespace

std::vector<Step> fused(const std::vector<Step>& steps) {
  std::map<std::size_t, std::size_t> last_readers;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const std::size_t read : steps[i].reads) {
      last_readers[read] = i;
    }
  }
  std::vector<Step> all;
  for (std::size_t i = 0; i < steps.size();) {
    const std::span rest{steps.begin() + static_cast<std::ptrdiff_t>(i), steps.end()};
    // Nobody: 0, as if it were the step itself.
    const std::size_t last_reader = std::max(last_readers[rest.front().writes], i) - i;
    const auto* const pattern = std::ranges::find_if(
        kPatterns, [&](const Pattern& candidate) { return matches(candidate, rest, last_reader); });
    Step step = rest.front();
    std::size_t length = 1;
    if (pattern != kPatterns.end()) {
      length = length_of(*pattern);
      step.fusion = pattern->fusion;
      for (const Step& next : rest.subspan(1, length - 1)) {
        step.layers.push_back(next.layers.front());
      }
      step.writes = rest[length - 1].writes;
    }
    all.push_back(std::move(step));
    i += length;
  }
  return all;
}

}  // namespace memsize::network
