// Which findings a change brings.
#pragma once

#include "memsize/core/diagnostic.hpp"

namespace memsize::sdk {

/// Those of `after` that are not in `before`: of another code, in another file, about others, or
/// more of the same. Of files whose findings are one list (sdk.generated, sdk.comment), code and
/// file decide.
[[nodiscard]] core::Diagnostics news(const core::Diagnostics& before, core::Diagnostics after);

}  // namespace memsize::sdk
