// The stages of pipeline.cpp that read and judge plans.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/model/plan.hpp"

#include "pipeline.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// Reports of one model, combined into one; "-" is standard input, files may be packed. All errors
/// of all files come together. An empty `format`: each is found by its content.
[[nodiscard]] core::Result<model::PlanReport> read_plans(Session& session,
                                                         const std::vector<std::string>& paths,
                                                         const std::string& format);

/// The memories of a bundled part, or of a path to a .toml file.
[[nodiscard]] core::Result<board::MemorySet> load_part(Session& session, const std::string& name);

/// Every fault of the plan of request.plans.
void check_plans(Session& session, const CheckRequest& request, CheckReport& report);

/// "a.json and b.json".
[[nodiscard]] std::string plan_names(const std::vector<std::string>& paths);

}  // namespace memsize::app
