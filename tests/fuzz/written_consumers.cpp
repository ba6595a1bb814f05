// Any bytes as one file that an emitter for other consumers writes, beside a good map: a report,
// never a crash, and nothing passes as read that does not say what the map says.
#include "memsize/emit/consumers.hpp"

#include "check.hpp"
#include "mpu_programs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using memsize::fuzz::is_visible;
using memsize::fuzz::require;

namespace {

constexpr const char* kConsumersMap = R"({
  "schema": "memsize.map/1", "board": "b",
  "files": { "linker": "l.cmd", "header": "h.h", "dts": "d.dtsi" },
  "mmu_cores": [], "mmu_program": "sysconfig", "rat_program": "sysconfig",
  "mair": { "non-cached": [0], "write-through": [6], "cached": [7] },
  "knobs": {}, "header_bases": {},
  "regions": [ { "name": "R", "kind": "region", "space": "ddr", "attributes": "RW",
                 "address": "0x1000", "virtual": "0x1000", "physical": "0x1000",
                 "size_bytes": 4096, "cores": ["c"], "in_header": true, "cache": "cached" },
               { "name": "S", "kind": "region", "space": "ddr", "attributes": "",
                 "address": "0x3000", "virtual": "0x3000", "physical": "0x500000000",
                 "size_bytes": 8192, "cores": ["c"], "in_header": false } ],
  "carveouts": [ { "name": "R_ALL", "label": "r_label", "node": "r-node", "physical": "0x1000",
                   "size_bytes": 4096, "in_header": false, "no_map": true, "members": ["R"],
                   "compatible": "a,b" } ] })";

struct ConsumerFile {
  const char* path;
  const char* good;
  /// What a file must have in it that nothing is wrong with.
  const char* needed;
};

const std::vector<ConsumerFile>& consumer_files() {
  static const std::vector<ConsumerFile> list = {
      {"c/scatter.sct",
       "; code\nLR_R 0x1000 0x1000\n{\n  R 0x1000 0x1000\n  {\n    .ANY (+RO, +RW, +ZI)\n  }\n"
       "  ARM_LIB_STACK 0x2000 EMPTY -0x100 { }\n  S 0x3000 EMPTY 0x2000 { }\n}\n",
       "LR_R"},
      {"c/memory.overlay",
       "/ {\n memory-map {\n  #address-cells = <2>;\n  R: r@1000 {\n"
       "   compatible = \"zephyr,memory-region\", \"mmio-sram\";\n   reg = <0x0 0x1000 0x0 "
       "0x1000>;\n"
       "   zephyr,memory-region = \"R\";\n   zephyr,memory-attr = <0x1>;\n  };\n"
       "  S: s@500000000 { compatible = \"mmio-sram\"; reg = <0x5 0x0 0x0 0x2000>; };\n };\n};\n",
       "zephyr"},
      {"reserved_memory.cmd",
       "# nodes\nsetenv memsize_wrong\n"
       "test -n \"${fdt_addr_r}\" || setenv fdt_addr_r \"${fdtaddr}\"\n"
       "fdt addr ${fdt_addr_r}\nfdt resize 0x1000\n"
       "if fdt get size memsize_cells /reserved-memory; then true; else\n"
       "  fdt mknode / reserved-memory\n"
       "  fdt set /reserved-memory \"#address-cells\" <2>\n"
       "  fdt set /reserved-memory \"#size-cells\" <2>\n"
       "  fdt set /reserved-memory ranges\nfi\n"
       "fdt get value memsize_cells /reserved-memory \"#address-cells\"\n"
       "test \"${memsize_cells}\" -eq 2 || setenv memsize_wrong \"#address-cells\"\n"
       "fdt get value memsize_cells /reserved-memory \"#size-cells\"\n"
       "test \"${memsize_cells}\" -eq 2 || setenv memsize_wrong \"#size-cells\"\n"
       "if fdt get value memsize_node /__symbols__ r_label; then true; else\n"
       "  setenv memsize_node /reserved-memory/r-node@1000\n"
       "  fdt mknode /reserved-memory r-node@1000\nfi\n"
       "fdt set ${memsize_node} reg <0x0 0x1000 0x0 0x1000>\n"
       "fdt set ${memsize_node} compatible \"a,b\"\nfdt set ${memsize_node} no-map\n"
       "if test -n \"${memsize_wrong}\"; then echo \"wrong\"; fi\n",
       "r_label"},
      {"memory_map.hpp",
       "namespace memory_map {\nnamespace c {\ninline constexpr CoreRange R{ 0x1000, 0x1000 };\n"
       "inline constexpr CoreRange S{ 0x3000, 0x2000 };\nnamespace bus {\n"
       "inline constexpr BusRange R{ 0x1000, 0x1000 };\n"
       "inline constexpr BusRange S{ 0x500000000, 0x2000 };\n}\n}\nnamespace reserved {\n"
       "inline constexpr BusRange r_label{ 0x1000, 0x1000 };\n}\n}\n",
       "r_label"},
      {"memory_map.csv",
       "name,kind,of,space,cores,virtual,physical,size_bytes,attributes,cache,carveouts,knob,note\n"
       "R,region,,ddr,c,0x00001000,0x00001000,4096,RW,cached,R_ALL,,\"a, b\"\n"
       "S,region,,ddr,c,0x00003000,0x500000000,8192,,,,,'=1\n",
       "0x500000000"},
  };
  return list;
}

memsize::core::Diagnostics consumer_errors(const ConsumerFile& kind, const std::string& content) {
  auto found =
      memsize::emit::verify_files({{"memory_map.json", kConsumersMap}, {kind.path, content}},
                                  "out",
                                  memsize::test::mpu_programs())
          .diagnostics;
  std::erase_if(found,
                [](const auto& each) { return each.severity != memsize::core::Severity::kError; });
  return found;
}

}  // namespace

/// The first byte says which file the rest is.
MEMSIZE_FUZZ_TARGET(written_consumers) {
  static const bool good_is_good = std::ranges::all_of(
      consumer_files(),
      [](const ConsumerFile& kind) { return consumer_errors(kind, kind.good).empty(); });
  require(good_is_good, "the good files agree");
  if (size == 0) {
    return 0;
  }
  const ConsumerFile& kind = consumer_files()[data[0] % consumer_files().size()];
  const std::string content{reinterpret_cast<const char*>(data) + 1, size - 1};
  const auto found = consumer_errors(kind, content);
  for (const auto& problem : found) {
    require(!problem.message.empty(), "a finding has a message");
    require(is_visible(problem.message) && is_visible(problem.hint), "a finding is printable");
    require(problem.place.path.str().starts_with("out/"), "a finding has a file");
  }
  if (found.empty()) {
    require(content.find(kind.needed) != std::string::npos, "what is missing is found");
  }
  return 0;
}
