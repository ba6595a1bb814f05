// What the files of a probe say, where several readers need it: the kernel's map, remote cores.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/probe.hpp"

namespace memsize::readers {

/// Fills what follows from the files. Errors: a line that no kernel prints.
void read_probe_facts(model::Probe& probe, core::Diagnostics& errors);

}  // namespace memsize::readers
