// The emitters of maps, a row each. Those that are one file of consumers/ have their rows in
// consumers.def. Errors of several are told together.
#include "memsize/emit/artifact.hpp"

#include "consumer_rows.hpp"
#include "emitters.hpp"
#include "wanted.hpp"

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
      {"svg", "the banks of DRAM to scale, as a picture for documents", render_svg, true},
      {"gnu-ld",
       "a linker script of each core, for GNU ld and lld",
       render_gnu_ld,
       true,
       "*/linker.ld",
       verify_gnu_ld},
      {"mmu-tables",
       "the MMU entries of each core as Armv8 translation tables",
       render_mmu_tables,
       true},
      {"mpu-tables",
       "the MPU regions of each R5F core as register values",
       render_mpu_tables,
       true},
#define MEMSIZE_CONSUMER(name) name##_emitter(),
#include "consumers.def"
#undef MEMSIZE_CONSUMER
  };
  return emitters;
}

core::Result<std::vector<Artifact>> render_all(const EmitInput& input,
                                               const std::vector<std::string>& only) {
  return render_wanted(all_emitters(), input, only);
}

}  // namespace memsize::emit
