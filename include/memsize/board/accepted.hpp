// What a board accepts of its own map's defects. It stands beside the board, because only the
// checks of a whole map ask for it.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"

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

/// The tables [[accepted]] of a board that can be loaded by that name, a bundled one's or a path.
[[nodiscard]] core::Result<Accepted> load_accepted(core::FileSystem& files,
                                                   const std::string& folder,
                                                   const std::string& name);

}  // namespace memsize::board
