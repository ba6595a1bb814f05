// The emitters that registry.cpp lists.
#pragma once

#include "memsize/emit/artifact.hpp"

#include <vector>

namespace memsize::emit {

core::Result<std::vector<Artifact>> render_linker(const EmitInput& input);
core::Result<std::vector<Artifact>> render_syscfg(const EmitInput& input);
core::Result<std::vector<Artifact>> render_mpu(const EmitInput& input);
core::Result<std::vector<Artifact>> render_mmu_json(const EmitInput& input);
core::Result<std::vector<Artifact>> render_header(const EmitInput& input);
core::Result<std::vector<Artifact>> render_dts(const EmitInput& input);
core::Result<std::vector<Artifact>> render_html(const EmitInput& input);
core::Result<std::vector<Artifact>> render_svg(const EmitInput& input);
core::Result<std::vector<Artifact>> render_map_json(const EmitInput& input);
core::Result<std::vector<Artifact>> render_rebuild(const EmitInput& input);
core::Result<std::vector<Artifact>> render_gnu_ld(const EmitInput& input);
void verify_gnu_ld(const WrittenFile& file, core::Diagnostics& found);
core::Result<std::vector<Artifact>> render_mmu_tables(const EmitInput& input);
core::Result<std::vector<Artifact>> render_mpu_tables(const EmitInput& input);

}  // namespace memsize::emit
