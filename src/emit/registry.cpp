// The emitters, a row each, and a run over those that are wanted: the ones asked for, else all that
// are not by request. Errors of several are told together.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"

#include "emitters.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace memsize::emit {

const std::vector<Emitter>& all_emitters() {
  static const std::vector<Emitter> emitters = {
      {"ti-linker", "MEMORY of each core, in the TI linker's syntax", render_linker},
      {"syscfg", "the MMU entries of each core that has an MMU, for sysconfig", render_syscfg},
      {"mpu", "the MPU regions and RAT entries of each R5F core", render_mpu},
      {"mmu-json", "the same mapping as data (memsize.mmu/1)", render_mmu_json},
      {"c-header", "C macros NAME_ADDR and NAME_SIZE", render_header},
      {"dts", "the reserved-memory nodes of the Linux device tree", render_dts},
      {"html", "the map for people", render_html},
      {"map-json", "the resolved map as data (memsize.map/1)", render_map_json},
      {"rebuild", "what must be rebuilt and reflashed after the change", render_rebuild},
      {"gnu-ld", "a linker script of each core, for GNU ld and lld", render_gnu_ld, true},
      {"mmu-tables",
       "the MMU entries of each core as Armv8 translation tables",
       render_mmu_tables,
       true},
      {"mpu-tables",
       "the MPU regions of each R5F core as register values",
       render_mpu_tables,
       true},
  };
  return emitters;
}

core::Result<std::vector<Artifact>> render_all(const EmitInput& input,
                                               const std::vector<std::string>& only) {
  const std::vector<std::string> names = core::texts_of(all_emitters(), &Emitter::name);
  for (const std::string& name : only) {
    if (std::ranges::find(names, name) == names.end()) {
      return core::fail(core::error(core::Code::kEmitUnknown,
                                    fmt::format("there is no emitter '{}'", core::printable(name)),
                                    {},
                                    core::did_you_mean(name, names, "the emitters are")));
    }
  }
  std::vector<Artifact> artifacts;
  core::Diagnostics errors;
  for (const Emitter& emitter : all_emitters()) {
    const std::string name{emitter.name};
    const bool wanted =
        only.empty() ? !emitter.by_request : std::ranges::find(only, name) != only.end();
    if (!wanted) {
      continue;
    }
    auto rendered = emitter.render(input);
    if (!rendered) {
      std::move(rendered.error().begin(), rendered.error().end(), std::back_inserter(errors));
      continue;
    }
    for (Artifact& artifact : *rendered) {
      artifact.emitter = name;
      artifacts.push_back(std::move(artifact));
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return artifacts;
}

}  // namespace memsize::emit
