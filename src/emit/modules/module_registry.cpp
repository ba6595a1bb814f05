// The emitters of modules, a row each.
#include "memsize/emit/module.hpp"

#include "modules/module_emitters.hpp"
#include "wanted.hpp"

namespace memsize::emit {

const std::vector<ModuleEmitter>& all_module_emitters() {
  static const std::vector<ModuleEmitter> emitters = {
      {"module", "a plan's arenas, bindings and constants in C", render_module_sources},
      {"blobs", "the bytes of each constant arena", render_module_blobs},
      {"residency", "heliaAOT's residency report of it", render_module_residency},
      {"part-ld", "a linker script of the part, for GNU ld and lld", render_part_script},
      {"sections-ld",
       "sections for its arenas beside the part's own script (GNU ld, lld)",
       render_module_sections},
      {"scatter", "a scatter file of the part, for Arm Compiler", render_scatter},
      {"zephyr", "sections for its arenas in Zephyr", render_zephyr_sections},
      {"cmake", "it as a library of CMake", render_module_cmake},
  };
  return emitters;
}

core::Result<std::vector<Artifact>> render_module(const ModuleInput& input,
                                                  const std::vector<std::string>& only) {
  return render_wanted(all_module_emitters(), input, only);
}

}  // namespace memsize::emit
