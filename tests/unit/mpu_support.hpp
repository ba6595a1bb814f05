// A small board with an R5F, and what the tests of its MPU and RAT put into it.
#pragma once

#include "support.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace memsize::test {

// A small board with one R5F, "r5", that has nothing but code yet: [0xA0000000, 0xA1000000).
inline constexpr const char* kR5Board = R"toml(schema = 1
title = "A board with an R5F"
soc = "zr5"
hard_granule = "4KiB"

[files]
linker = "map.cmd"
header = "map.h"
dts = "map.dtsi"

[core.r5]
[core.other]

[bank.low]
base = "0x80000000"
size = "2GiB"

[bank.far]
base = "0x900000000"
size = "4GiB"

[chain.code]
physical = "0xA0000000"
regions = [
  { name = "CODE", size = "16MiB", cores = ["r5"], cache = "cached" },
]

[mpu]
first = 0
last = 15

[mpu.attribute]
device = { tex = 0, shareable = true, sysconfig = "Device" }
non-cached = { tex = 1, shareable = true, sysconfig = "NonCached" }
write-through = { tex = 6, cacheable = true }
cached = { tex = 1, cacheable = true, bufferable = true, execute = true, sysconfig = "Cached" }

[mpu.region]
REGISTERS = { base = "0x0", size = "2GiB", attribute = "device" }
DRAM = { base = "0x80000000", size = "2GiB", attribute = "cached", note = "all of it" }

[mpu.core.r5]
fixed = ["REGISTERS", "DRAM"]
)toml";

// Something that the R5F may have to see.
struct Item {
  std::string name;
  std::string size;
  std::string cache;
};

inline std::string chain(const std::string& name,
                         const std::string& address,
                         const std::vector<Item>& items,
                         const std::string& more = "") {
  std::string text =
      fmt::format("\n[chain.{}]\nphysical = \"{}\"\n{}regions = [\n", name, address, more);
  for (const Item& item : items) {
    text +=
        fmt::format("  {{ name = \"{}\", size = \"{}\", cores = [\"r5\"]", item.name, item.size);
    text += item.cache.empty() ? " },\n" : fmt::format(", cache = \"{}\" }},\n", item.cache);
  }
  return text + "]\n";
}

inline std::string board_with(const std::string& areas,
                              const std::string& chains,
                              const std::string& keys = "first = 0\nlast = 15\n") {
  const std::string fixed = "fixed = [\"REGISTERS\", \"DRAM\"]\n";
  const std::string wishes = fmt::format("{}areas = {{ {} }}\n", fixed, areas);
  return with(with(kR5Board, "first = 0\nlast = 15\n", keys), fixed, wishes) + chains;
}

}  // namespace memsize::test
