// The emitters of modules that registry.cpp lists.
#pragma once

#include "memsize/emit/module.hpp"

#include "template.hpp"

#include <string>
#include <vector>

namespace memsize::emit {

core::Result<std::vector<Artifact>> render_module_sources(const ModuleInput& input);
core::Result<std::vector<Artifact>> render_module_blobs(const ModuleInput& input);
core::Result<std::vector<Artifact>> render_module_residency(const ModuleInput& input);
core::Result<std::vector<Artifact>> render_part_script(const ModuleInput& input);
core::Result<std::vector<Artifact>> render_module_sections(const ModuleInput& input);
core::Result<std::vector<Artifact>> render_scatter(const ModuleInput& input);
core::Result<std::vector<Artifact>> render_zephyr_sections(const ModuleInput& input);
core::Result<std::vector<Artifact>> render_module_cmake(const ModuleInput& input);

/// Adds the file that a template makes of a view.
core::Result<void> add_file(std::vector<Artifact>& artifacts,
                            const ModuleInput& input,
                            const std::string& path,
                            const std::string& name,
                            const Json& view);

/// What every template of a module shows: prefix, PREFIX, part, origin, planner.
[[nodiscard]] Json module_head(const Module& module);

}  // namespace memsize::emit
