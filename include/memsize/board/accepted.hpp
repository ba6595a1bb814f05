// What a board accepts of its own map's defects.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memsize::board {

/// Of the checks' findings the one with this code and message, whatever addresses it has.
struct AcceptedDefect {
  static constexpr std::size_t kLongestMessage = 400;

  std::string code;
  std::string message;
  std::string why;
  core::Place place;
};

using Accepted = std::vector<AcceptedDefect>;

}  // namespace memsize::board
