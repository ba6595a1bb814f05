#pragma once

#include "memsize/core/diagnostic.hpp"

#include "source.hpp"
#include "tree.hpp"

namespace memsize::sdk {

/// The whole script, or the first thing in it that is not understood.
[[nodiscard]] core::Result<Tree> parse_script(const ScriptSource& source);

}  // namespace memsize::sdk
