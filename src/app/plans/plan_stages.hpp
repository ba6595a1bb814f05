// The stages that read and judge plans.
#pragma once

#include "memsize/app/check.hpp"
#include "memsize/app/plan.hpp"
#include "memsize/board/memories.hpp"
#include "memsize/model/image.hpp"
#include "memsize/model/plan.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// Every fault of the plan of request.plans.
void check_plans(Session& session, const CheckRequest& request, CheckReport& report);

/// A file that --images names, unpacked. Warnings: of what it is read from.
[[nodiscard]] core::Result<std::string> read_image_file(Session& session,
                                                        const std::string& path,
                                                        core::Diagnostics& warnings);

/// A program, or its map, as --images names it. Warnings: of what it is read from.
[[nodiscard]] core::Result<model::Image> read_image(Session& session,
                                                    const std::string& path,
                                                    core::Diagnostics& warnings);

/// The same, of a core's firmware: its loader judges it, or TI's linker map stands for it.
[[nodiscard]] core::Result<model::Image> read_firmware(Session& session,
                                                       const std::string& path,
                                                       core::Diagnostics& warnings);

/// "a.json and b.json".
[[nodiscard]] std::string plan_names(const std::vector<std::string>& paths);

}  // namespace memsize::app
