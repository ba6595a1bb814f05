// What the files of a probe say, where several readers need it: the kernel's map, remote cores.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/probe.hpp"
#include "memsize/model/recording.hpp"

#include <vector>

namespace memsize::readers {

/// Fills what follows from the files. Errors: a line that no kernel prints.
void read_probe_facts(model::Probe& probe, core::Diagnostics& errors);

/// What samples saw of each pool, by its name; none where there are no samples.
[[nodiscard]] std::vector<model::PoolReport> probe_pools(const model::Probe& probe);

}  // namespace memsize::readers
