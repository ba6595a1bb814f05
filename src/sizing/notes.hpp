// What is to be said of a whole recording, beside its demands.
#pragma once

#include "candidate.hpp"
#include "live.hpp"

namespace memsize::sizing {

/// How many models a core has, which of them count at a time, and what is shared.
void report_instances(const Work& work,
                      const model::CoreRecording& recorded,
                      const LiveModels& live,
                      const CoreSizing& sized);

/// Warns where addresses show that a linear heap was handed out again under a model that was still
/// loaded.
void report_unload(const Work& work, const model::CoreRecording& recorded);

/// Inputs that a host emulation printed.
void report_emulated(const Work& work);

/// Says which inputs say the same, and count once.
void report_copies(const Work& work);

/// Knobs that no demand of this trace drives keep their size.
void report_untouched(const Work& work);

void report_margin(const Work& work);

}  // namespace memsize::sizing
