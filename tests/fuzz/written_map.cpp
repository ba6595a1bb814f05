// Any bytes as one file of a written map, beside good ones: a report, never a crash, and no file
// that differs from a good one in its numbers passes as read.
#include "memsize/emit/verify.hpp"

#include "check.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using memsize::fuzz::require;

namespace {

constexpr const char* kMap = R"({
  "schema": "memsize.map/1", "board": "b",
  "files": { "linker": "l.cmd", "header": "h.h", "dts": "d.dtsi" }, "mmu_cores": ["c"],
  "mair": { "non-cached": [0, 4], "write-through": [6], "cached": [7] },
  "knobs": { "size": 4096, "at": "0x1000" }, "header_bases": { "BASE": "0x1000" },
  "regions": [ { "name": "R", "kind": "region", "address": "0x2000", "physical": "0x1000",
                 "size_bytes": 4096, "cores": ["c"], "in_header": true, "cache": "cached" } ],
  "carveouts": [ { "name": "R_ALL", "label": "r_label", "physical": "0x1000",
                   "size_bytes": 4096, "in_header": false, "no_map": true } ] })";

const std::vector<memsize::emit::MapFile>& good_files() {
  static const std::vector<memsize::emit::MapFile> files = {
      {"memory_map.json", kMap},
      {"c/l.cmd", "MEMORY\n{\n R ( RW ) : ORIGIN = 0x2000 , LENGTH = 0x1000\n}\n"},
      {"h.h", "#define R_ADDR (0x2000u)\n#define R_SIZE (0x1000u)\n#define BASE (0x1000u)\n"},
      {"d.dtsi", "r_label: r@1000 { reg = <0x00 0x1000 0x00 0x1000>; no-map; };\n"},
      {"c/mmu.syscfg",
       "mmu_armv81.$name = \"E\";\nmmu_armv81.vAddr = 0x2000;\nmmu_armv81.pAddr = 0x1000;\n"
       "mmu_armv81.size = 0x1000;\nmmu_armv81.attribute = \"MAIR7\";\n"},
      {"c/mmu_map.json",
       R"({ "core": "c", "ranges": [ { "virtual": "0x2000", "physical": "0x1000",
            "size_bytes": 4096, "mair": 7, "entry": "E" } ] })"},
  };
  return files;
}

}  // namespace

/// The first byte says which file the rest replaces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool good_is_good = memsize::emit::verify_map(good_files(), "").diagnostics.empty();
  require(good_is_good, "the good files agree");
  if (size == 0) {
    return 0;
  }
  std::vector<memsize::emit::MapFile> files = good_files();
  memsize::emit::MapFile& victim = files[data[0] % files.size()];
  victim.content.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto report = memsize::emit::verify_map(files, "out");
  for (const auto& problem : report.diagnostics) {
    require(!problem.message.empty(), "a finding has a message");
    require(problem.place.path.str().starts_with("out/"), "a finding has a file");
  }
  if (report.diagnostics.empty() && victim.path == "c/l.cmd") {
    require(victim.content.find("R") != std::string::npos, "a missing region is found");
  }
  return 0;
}
