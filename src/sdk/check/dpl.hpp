// Whether what sysconfig made, and a release has checked in, is what it makes now.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/sdk/view.hpp"

namespace memsize::sdk {

/// Holds the generated file of each core against its sysconfig files: sdk.generated, one finding a
/// file, where it is what none of them makes. A core has one such file, whichever operating system
/// it was last built for: those of all variants may have made it, and the finding is about the
/// nearest one, in the variant that this belongs to.
void check_dpl(const View& view, core::Diagnostics& found);

}  // namespace memsize::sdk
