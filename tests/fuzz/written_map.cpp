// Any bytes as one file of a written map, beside good ones: a report, never a crash, and no file
// that differs from a good one in its numbers passes as read.
#include "memsize/emit/verify.hpp"

#include "check.hpp"
#include "mpu_programs.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using memsize::fuzz::is_visible;
using memsize::fuzz::require;

namespace {

constexpr const char* kMap = R"({
  "schema": "memsize.map/1", "board": "b",
  "files": { "linker": "l.cmd", "header": "h.h", "dts": "d.dtsi", "linker_of": { "e": "e.cmd" } },
  "mmu_cores": ["c"], "mmu_program": "sysconfig",
  "mair": { "non-cached": [0, 4], "write-through": [6], "cached": [7] },
  "knobs": { "size": 4096, "at": "0x1000" }, "header_bases": { "BASE": "0x1000" },
  "regions": [ { "name": "R", "kind": "region", "attributes": "RW",
                 "address": "0x2000", "physical": "0x1000",
                 "size_bytes": 4096, "cores": ["c"], "in_header": true, "cache": "cached",
                 "knob": "size" },
               { "name": "S", "kind": "region", "address": "0x3000", "physical": "0x5000",
                 "size_bytes": 8192, "cores": ["c", "e"], "in_header": false,
                 "cache": "non-cached" } ],
  "carveouts": [ { "name": "R_ALL", "label": "r_label", "physical": "0x1000",
                   "size_bytes": 4096, "in_header": false, "no_map": true,
                   "compatible": "a,b", "alignment_bytes": 4096 } ],
  "rat_program": "sysconfig",
  "mpu": [ { "core": "e", "program": "sysconfig", "first": 0, "last": 1, "spare_bytes": 0,
             "regions": [ { "number": 0, "name": "P", "base": "0x0", "size_bytes": 32768,
                            "disabled": 252, "attribute": "non-cached", "tex": 1,
                            "cacheable": false, "bufferable": false, "shareable": true,
                            "execute": false, "covers": [] },
                          { "number": 1, "name": "S", "base": "0x0", "size_bytes": 32768,
                            "disabled": 231, "attribute": "non-cached", "tex": 1,
                            "cacheable": false, "bufferable": false, "shareable": true,
                            "execute": false, "covers": ["S"] } ],
             "areas": [ { "region": "S", "base": "0x3000", "size_bytes": 8192,
                          "attribute": "non-cached" } ] },
           { "core": "g", "program": "csl", "first": 0, "last": 15, "spare_bytes": 0,
             "regions": [ { "number": 0, "name": "Q", "base": "0x0", "size_bytes": 65536,
                            "disabled": 0, "attribute": "cached", "tex": 5, "cacheable": false,
                            "bufferable": true, "shareable": false, "execute": true,
                            "covers": [] } ], "areas": [] } ],
  "rat": [ { "core": "f", "entries": [ { "name": "T", "local": "0x8000", "system": "0x10000",
                                         "size_bytes": 32768, "covers": [] } ] } ] })";

const std::vector<memsize::emit::MapFile>& good_files() {
  static const std::vector<memsize::emit::MapFile> files = {
      {"memory_map.json", kMap},
      {"c/l.cmd",
       "MEMORY\n{\n R ( RW ) : ORIGIN = 0x2000 , LENGTH = 0x1000\n"
       " S : ORIGIN = 0x3000 , LENGTH = 0x2000\n}\n"},
      {"h.h", "#define R_ADDR (0x2000u)\n#define R_SIZE (0x1000u)\n#define BASE (0x1000u)\n"},
      {"d.dtsi",
       "r_label: r@1000 { compatible = \"a,b\"; reg = <0x00 0x1000 0x00 0x1000>;\n"
       "alignment = <0x1000>; no-map; };\n"},
      // The second entry lies over the end of the first.
      {"c/mmu.syscfg",
       "const mmu_armv8 = scripting.addModule(\"/kernel/dpl/mmu_armv8\", {}, false);\n"
       "const mmu_armv81 = mmu_armv8.addInstance();\n"
       "const mmu_armv82 = mmu_armv8.addInstance();\n"
       "mmu_armv81.$name = \"E\";\nmmu_armv81.vAddr = 0x2000;\nmmu_armv81.pAddr = 0x1000;\n"
       "mmu_armv81.size = 0x2000;\nmmu_armv81.attribute = \"MAIR7\";\n"
       "mmu_armv82.$name = \"F\";\nmmu_armv82.vAddr = 0x3000;\nmmu_armv82.pAddr = 0x5000;\n"
       "mmu_armv82.size = 0x2000;\nmmu_armv82.attribute = \"MAIR4\";\n"},
      {"c/mmu_map.json",
       R"({ "schema": "memsize.mmu/1", "core": "c", "ranges": [ { "virtual": "0x2000", "physical": "0x1000",
            "size_bytes": 4096, "mair": 7, "entry": "E" },
            { "virtual": "0x3000", "physical": "0x5000",
            "size_bytes": 8192, "mair": 4, "entry": "F" } ] })"},
      {"e/e.cmd", "MEMORY\n{\n S : ORIGIN = 0x3000 , LENGTH = 0x2000\n}\n"},
      {"e/mpu.syscfg",
       "const mpu_armv7 = scripting.addModule(\"/kernel/dpl/mpu_armv7\", {}, false);\n"
       "const mpu_armv71 = mpu_armv7.addInstance();\n"
       "const mpu_armv72 = mpu_armv7.addInstance();\nmpu_armv71.$name = \"P\";\n"
       "mpu_armv71.size = 15;\nmpu_armv71.attributes = \"NonCached\";\n"
       "mpu_armv71.allowExecute = false;\nmpu_armv71.subregionDisableMask = 0xFC;\n"
       "mpu_armv72.$name = \"S\";\nmpu_armv72.baseAddr = 0x0;\nmpu_armv72.size = 15;\n"
       "mpu_armv72.attributes = \"CUSTOM\";\nmpu_armv72.isCacheable = false;\n"
       "mpu_armv72.isBufferable = false;\nmpu_armv72.isShareable = true;\n"
       "mpu_armv72.allowExecute = false;\nmpu_armv72.subregionDisableMask = 0xE7;\n"},
      {"f/mpu.syscfg",
       "const addr_translate = scripting.addModule(\"/kernel/dpl/addr_translate\", {}, false);\n"
       "const addr_translate1 = addr_translate.addInstance();\n"
       "addr_translate1.$name = \"T\";\naddr_translate1.localAddr = 0x8000;\n"
       "addr_translate1.systemAddr = 0x10000;\naddr_translate1.size = 15;\n"},
      {"g/mpu_cfg.c",
       "const CSL_ArmR5MpuRegionCfg gCslR5MpuCfg[16] = {\n{ .regionId = 0U, .enable = 1U,\n"
       ".size = CSL_ARM_R5_MPU_REGION_SIZE_64KB, .cacheable = (uint32_t)UTRUE,\n"
       ".baseAddr = (R_SIZE * 0U), .cachePolicy = CSL_ARM_R5_CACHE_POLICY_WB_WA }, };\n"},
  };
  return files;
}

// What the file must still have in it where nothing is wrong with it.
const char* needed(const std::string& path) {
  return path == "c/l.cmd"          ? "R"
         : path == "e/e.cmd"        ? "S"
         : path == "h.h"            ? "R_ADDR"
         : path == "d.dtsi"         ? "no-map"
         : path == "c/mmu.syscfg"   ? "MAIR4"
         : path == "c/mmu_map.json" ? "ranges"
         : path == "e/mpu.syscfg"   ? "CUSTOM"
         : path == "f/mpu.syscfg"   ? "addr_translate"
         : path == "g/mpu_cfg.c"    ? "gCslR5MpuCfg"
                                    : "memsize.map/1";
}

}  // namespace

/// The first byte says which file the rest replaces.
MEMSIZE_FUZZ_TARGET(written_map) {
  static const bool good_is_good =
      memsize::emit::verify_map(good_files(), "", memsize::test::mpu_programs())
          .diagnostics.empty();
  require(good_is_good, "the good files agree");
  if (size == 0) {
    return 0;
  }
  std::vector<memsize::emit::MapFile> files = good_files();
  memsize::emit::MapFile& victim = files[data[0] % files.size()];
  victim.content.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto report = memsize::emit::verify_map(files, "out", memsize::test::mpu_programs());
  for (const auto& problem : report.diagnostics) {
    require(!problem.message.empty(), "a finding has a message");
    require(is_visible(problem.message) && is_visible(problem.hint), "a finding is printable");
    require(problem.place.path.str().starts_with("out/"), "a finding has a file");
  }
  if (report.diagnostics.empty()) {
    require(victim.content.find(needed(victim.path)) != std::string::npos,
            "what is missing is found");
  }
  return 0;
}
