// What ARES' names of layers stand for.
#pragma once

#include "memsize/network/layers.hpp"

#include <string>
#include <string_view>

namespace memsize::network {

struct LayerKind {
  Op op = Op::kOther;
  /// What ARES' code generator calls it; empty: as the layer, in lower case.
  std::string_view step;
  /// Of one that memsize does not compute: its output is like its input.
  bool keeps_shape = false;
  /// And lies where its input lies.
  bool is_in_place = false;
};

[[nodiscard]] LayerKind kind_of(std::string_view name);

struct ViewShape {
  Shape shape;
  /// Elements change places.
  bool moves = false;
  /// In words; empty: it is a view of that shape.
  std::string why_not;
};

/// Of Flatten, Reshape, Squeeze and Permute.
[[nodiscard]] ViewShape view_of(const model::Operator& op, const Shape& in);

}  // namespace memsize::network
