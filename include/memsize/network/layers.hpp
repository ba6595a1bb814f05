// The layers of a network with what each makes of what it reads: shapes, sizes, scales. The rules
// are ARES' (tools/pytorch_extractor.py, the handlers of its code generator): batch 1, int8,
// channel by channel.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/network/tiles.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::network {

enum class Op : std::uint8_t {
  kInput,
  kConv,
  kLinear,
  kRelu,
  kRequantise,
  kMaxPool,
  kAvgPool,
  kGlobalPool,
  kAdd,
  kConcat,
  kPad,
  /// The same bytes under another shape.
  kView,
  /// Its output and its constants are known, what it computes is not.
  kOther,
};

/// Outermost dimension first, the batch among them.
using Shape = std::vector<std::uint64_t>;

struct Layer {
  std::string name;
  /// As the report calls it: "QuantConv2d".
  std::string kind;
  Op op = Op::kOther;
  /// The layers whose outputs it reads, all before it.
  std::vector<std::size_t> reads;
  /// Of the first that it reads; of an input, its own.
  Shape in;
  Shape out;
  /// Bytes of an element of the output: 4 of a classifier's fp32.
  std::uint64_t element = 1;
  TileShape tile_shape;
  /// As they lie in memory: weights of 2 bits are packed; a bias is an int32 or fp32 a channel.
  core::Bytes weights;
  core::Bytes bias;
  /// Multiplications, each with its addition.
  std::uint64_t macs = 0;
  /// What one step of an element is worth; 1 where nobody says.
  double scale_in = 1;
  double scale_weight = 1;
  double scale_out = 1;
  /// Of each that it reads.
  std::vector<double> read_scales;
  /// Where ARES' extractor wants its weights: "L2", "L3_STAGED"; empty: it does not say.
  std::string residency;
  std::string block;
  std::size_t line = 0;

  friend bool operator==(const Layer&, const Layer&) = default;
};

/// Bytes of the layer's output.
[[nodiscard]] core::Bytes size_of(const Layer& layer);

/// "1x16x8x8".
[[nodiscard]] std::string shape_text(const Shape& shape);

/// Elements; UINT64_MAX where that leaves 64 bits.
[[nodiscard]] std::uint64_t elements_of(const Shape& shape);

/// The layers of report.network, in the order in which they run. `input` is the shape of what the
/// network reads where the report does not say it; empty: nobody does. Errors, each with the
/// layer's place: a shape that is missing or not what its inputs make, arrays of another size,
/// batches.
[[nodiscard]] core::Result<std::vector<Layer>> layers_of(const model::PlanReport& report,
                                                         const Shape& input = {});

}  // namespace memsize::network
