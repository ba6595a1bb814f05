// What the inputs of a recording say, as numbers to compare.
#pragma once

#include "memsize/model/recording.hpp"

#include <cstdint>
#include <vector>

namespace memsize::model {

/// Whether it makes a difference in which lines things stand.
enum class Lines { kCount, kIgnore };

/// Every field of each input but its names, as one number.
[[nodiscard]] std::vector<std::uint64_t> contents_of(const Recording& recording, Lines lines);

}  // namespace memsize::model
