// A value of a board that a user may set, and what may size it.
#pragma once

#include "memsize/board/expression.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/block.hpp"

#include <optional>
#include <string>

namespace memsize::board {

/// What a knob's size is driven by: the bytes that one core needs of one kind of memory.
struct DemandKey {
  std::string core;
  std::string space;
  model::Cacheability cacheability{};
  model::Lifetime lifetime{};

  friend bool operator==(const DemandKey&, const DemandKey&) = default;
};

/// A heap as statistics name it: its core, and "DDR_LOCAL_MEM".
struct CoreHeap {
  std::string core;
  std::string name;

  friend bool operator==(const CoreHeap&, const CoreHeap&) = default;
};

struct Knob {
  std::string name;
  Expression default_value;
  bool is_address = false;
  core::Align granule;
  core::Align hard_granule;
  core::Bytes minimum;
  std::string minimum_why;
  /// Why the minimum is also all that is ever used; empty: nobody says that.
  std::string enough;
  /// The heap of this core, under this name in its statistics, that the knob's region is: not one
  /// that models drive.
  std::optional<CoreHeap> heap;
  std::optional<DemandKey> demand;
  core::Place demand_place;
  core::Place place;
};

}  // namespace memsize::board
