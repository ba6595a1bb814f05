// What memsize remembers of a folder into which it wrote.
#pragma once

#include "memsize/app/session.hpp"

#include <optional>
#include <set>
#include <string>

namespace memsize::app {

/// The files that memsize wrote into `folder`, by their paths below it; nothing where that was not
/// kept, as in a fresh clone.
[[nodiscard]] std::optional<std::set<std::string>> paths_written(Session& session,
                                                                 const std::string& folder);

}  // namespace memsize::app
