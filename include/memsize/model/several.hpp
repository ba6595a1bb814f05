// Several models of one part that never run at once: scratch of one may lie where that of another
// does, persistent tensors and constants of all are there all the time (heliaAOT: memory/defines,
// "scratch ... may be aliased across models").
#pragma once

#include "memsize/model/plan.hpp"

#include <string>
#include <vector>

namespace memsize::model {

/// Of each what generated C names begin with, where the report says it, else its file's name
/// without what stands behind the point. Those that are the same get a number: "kws", "kws-2".
[[nodiscard]] std::vector<std::string> names_of_models(const std::vector<PlanReport>& models);

/// One report of all, whose steps follow one another. Ids are NAME/ID. What was planned before is
/// forgotten: offsets of one say nothing beside another.
[[nodiscard]] PlanReport one_after_another(std::vector<PlanReport> models,
                                           const std::vector<std::string>& names);

}  // namespace memsize::model
