// A schedule knows its tiles. A checkpoint has them as ARES' calculators return them: sizes of one
// buffer, of which inputs, outputs and weights have two or three.
#include "memsize/network/consumers.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace memsize::network {

namespace {

using core::Bytes;
using model::Operator;

constexpr std::uint64_t kDouble = 2;
constexpr std::uint64_t kTriple = 3;
constexpr std::uint64_t kBiasElement = 4;

std::uint64_t number(const Operator& op, std::string_view name) {
  for (const auto& [key, value] : op.attributes) {
    if (key == name) {
      return static_cast<std::uint64_t>(value);
    }
  }
  return 0;
}

std::string_view word(const Operator& op, std::string_view name) {
  for (const auto& [key, value] : op.words) {
    if (key == name) {
      return value;
    }
  }
  return {};
}

Bytes times(Bytes size, std::uint64_t count) {
  return Bytes{core::checked_mul(size.count(), count).value_or(UINT64_MAX)};
}

// Of L1, what a layer's tiles take.
Bytes tiles_in_l1(const Operator& op) {
  const auto size = [&](const char* name) {
    return Bytes{number(op, fmt::format("tile_config.{}", name))};
  };
  if (const Bytes buffers = size("l1_buffer_bytes"); buffers != Bytes{}) {
    return buffers;
  }
  const bool is_linear = op.kind.starts_with("linear");
  const std::uint64_t weights =
      number(op, "tile_config.triple_buffer_weights") != 0 ? kTriple : kDouble;
  // A vector's input stays; outputs, and what sums up, move.
  return times(size("l1_input_bytes"), is_linear ? 1 : kDouble) +
         times(size("l1_output_bytes"), op.kind == "global_avgpool" ? 1 : kDouble) +
         size("l1_partial_sum_bytes") + times(size("l1_weight_bytes"), weights);
}

LevelConsumer tiles(Bytes size, const std::string& layer) {
  return {.name = fmt::format("tiles of '{}'", core::printable(layer, 60)),
          .size = size,
          .knob = "l1",
          .is_ours = true};
}

LevelConsumer planned(std::string name, Bytes size) {
  return {.name = std::move(name), .size = size, .knob = {}, .is_ours = true};
}

// What a program copies besides tiles: a tile's biases, and 256 bytes where quantisers are looked
// up (src/emit/networks/program.cpp).
Bytes beside_tiles(const Schedule& schedule) {
  constexpr std::uint64_t kTable = 256;
  Bytes most;
  for (const Step& step : schedule.steps) {
    const Layer& layer = schedule.layers[step.layers.front()];
    const bool has_bias = step.tiles && layer.bias != Bytes{};
    const bool quantises = step.layers.size() > 1 || step.shape.kind == TileKind::kElementwise ||
                           step.shape.kind == TileKind::kConcat;
    const Bytes bias = has_bias ? times(Bytes{step.tiles->channels}, kBiasElement) : Bytes{};
    most = std::max(most, bias + Bytes{quantises && !step.does_nothing ? kTable : 0});
  }
  return most;
}

std::optional<Ne16Kind> ne16_kind(std::string_view op) {
  if (op == "conv2d_1x1_ne16" || op == "linear_ne16") {
    return Ne16Kind::kPointwise;
  }
  if (op == "conv2d_3x3_ne16") {
    return Ne16Kind::k3x3;
  }
  return op == "conv2d_3x3_dw_ne16" ? std::optional{Ne16Kind::kDepthwise3x3} : std::nullopt;
}

}  // namespace

Consumers consumers_of(const Schedule& schedule) {
  const LargestTiles largest = largest_tiles(schedule);
  if (largest.bytes == Bytes{}) {
    return {};
  }
  const Step& step = schedule.steps[largest.step];
  Consumers all = {{"l1", tiles(largest.bytes, schedule.layers[step.layers.front()].name)}};
  if (const Bytes beside = beside_tiles(schedule); beside != Bytes{}) {
    all.emplace_back("l1", planned("biases and tables beside tiles", beside));
  }
  return all;
}

Consumers consumers_of(const model::Network& checkpoint) {
  Bytes in_l2;
  Bytes staged;
  Bytes packed;
  Bytes in_l1;
  std::string largest;
  for (const Operator& op : checkpoint.operators) {
    const Bytes weights{std::max(number(op, "weight_size_bytes"), number(op, "weight_elements"))};
    const Bytes bias = times(Bytes{number(op, "bias_elements")}, kBiasElement);
    if (word(op, "weight_residency").starts_with("L3")) {
      staged = std::max(staged, weights + bias);
    } else {
      in_l2 += weights + bias;
    }
    if (const auto kind = ne16_kind(op.kind)) {
      const bool is_linear = op.kind == "linear_ne16";
      packed += ne16_weights(*kind,
                             number(op, is_linear ? "in_features" : "in_ch"),
                             number(op, is_linear ? "out_features" : "out_ch"));
    }
    if (const Bytes own = tiles_in_l1(op); own > in_l1) {
      in_l1 = own;
      largest = op.id;
    }
  }
  Consumers all;
  if (in_l1 != Bytes{}) {
    all.emplace_back("l1", tiles(in_l1, largest));
  }
  if (in_l2 != Bytes{}) {
    all.emplace_back("l2", planned("weights and biases", in_l2));
  }
  if (staged != Bytes{}) {
    all.emplace_back("l2", planned("the largest weights that are staged", staged));
  }
  if (packed != Bytes{}) {
    all.emplace_back("l2", planned("weights as NE16 packs them", packed));
  }
  return all;
}

}  // namespace memsize::network
