#pragma once

#include "memsize/core/diagnostic.hpp"

#include "script_source.hpp"
#include "script_tree.hpp"

namespace memsize::sdk {

/// The whole script, or the first thing in it that is not understood.
[[nodiscard]] core::Result<Tree> parse_script(const ScriptSource& source);

}  // namespace memsize::sdk
