// The stages of pipeline.cpp that read and judge plans.
#pragma once

#include "memsize/model/plan.hpp"

#include "pipeline.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

/// Reports of one model, combined into one; "-" is standard input, files may be packed. All errors
/// of all files come together. An empty `format`: each is found by its content.
[[nodiscard]] core::Result<model::PlanReport> read_plans(Session& session,
                                                         const std::vector<std::string>& paths,
                                                         const std::string& format);

}  // namespace memsize::cli
