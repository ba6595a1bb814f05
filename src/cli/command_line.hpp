// The command lines that hints and reports propose.
#pragma once

#include "memsize/app/map.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

/// The command line of a request, as another one may paste it, with `board` for its board.
[[nodiscard]] std::string command_of(const app::EmitRequest& request,
                                     const std::string& board,
                                     const std::vector<std::string>& further = {});

}  // namespace memsize::cli
