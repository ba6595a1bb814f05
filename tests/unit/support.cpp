#include "support.hpp"

#include "mpu_programs.hpp"

#include <doctest/doctest.h>

namespace memsize::test {

std::string zx9_text() {
  return R"toml(schema = 1
title = "ZX9 trial board"
soc = "zx9"
sdk = "7"
format = "tidl"
generation = "11"
granule = "1MiB"
hard_granule = "4KiB"
sources = ["nowhere"]

[files]
linker = "areas.cmd"
header = "areas.h"
dts = "zx9-memory.dtsi"

[core.alpha]
title = "the core with an MMU"
onchip = { l2 = "SCRATCHPAD" }

[core.beta_1]
title = "the core without"

[bank.near]
base = "0x40000000"
size = "1GiB"

[bank.far]
base = "0x1000000000"
size = "8GiB"

[constant]
page = "4KiB"

[knob]
alpha_code = { default = "2MiB" }
beta_code = { default = "256 * page", minimum = "512KiB", why = "its vectors" }
keep_size = { default = "16MiB", demand = "alpha ddr cacheable persistent" }
temp_size = { default = "16MiB", demand = "alpha ddr cacheable scratch" }
keep_raw_size = { default = "16MiB", demand = "alpha ddr non-cacheable persistent" }
temp_raw_size = { default = "16MiB", demand = "alpha ddr non-cacheable scratch" }
pool_size = { default = "4GiB" }
pool_at = { default = "0x1100000000", kind = "address" }

[chain.tcm]
space = "core"
virtual = "0x0"
regions = [
  { name = "TCM", size = "64KiB", cores = ["beta_1"], header = false, html = false, note = "tightly coupled" },
]

[chain.pad]
space = "sram"
physical = "0x100000"
regions = [
  { name = "SCRATCHPAD", size = "256KiB", cores = ["alpha"], note = "on-chip" },
]

[chain.firmware]
physical = "0x40000000"
limit = "0x44000000"
limit_why = "the test ends there"
regions = [
  { name = "FW_ALPHA", size = "alpha_code", cores = ["alpha"], align = "1MiB", note = "alpha code" },
  { gap = "1MiB", why = "kept for later" },
  { name = "FW_BETA", size = "beta_code", cores = ["beta_1"], note = "beta code" },
  { name = "MAILBOX", size = "64KiB * 4", cores = "all", attributes = "", cache = "non-cached", note = "mailbox" },
]

[chain.arenas]
physical = "0x1000000000"
virtual = "0x80000000"
limit = "pool_at"
limit_why = "the pool begins there"
regions = [
  { name = "ARENA_KEEP", size = "keep_size", cores = ["alpha"], cache = "cached", phys = true, note = "weights" },
  { name = "ARENA_TEMP", size = "temp_size", cores = ["alpha"], cache = "cached", note = "activations" },
  { name = "RAW_KEEP", size = "keep_raw_size", cores = ["alpha"], cache = "non-cached", note = "raw weights" },
  { name = "RAW_TEMP", size = "temp_raw_size", cores = ["alpha"], cache = "non-cached", note = "raw activations" },
]

[chain.pool]
physical = "pool_at"
virtual = "0x200000000"
regions = [
  { name = "POOL", size = "pool_size", cores = "all", attributes = "", cache = "cached", note = "shared" },
]

[alias]
BETA_KEEP = { of = "ARENA_KEEP", cores = ["beta_1"] }

[header_base]
FAR_VADDR = "0x80000000"
FAR_PADDR = "0x1000000000"

[group]
ARENAS = { attributes = "RW", covers = ["ARENA_KEEP", "ARENA_TEMP", "RAW_KEEP", "RAW_TEMP"] }

[carveout]
alpha_region = { node = "alpha-memory", covers = ["FW_ALPHA"] }
beta_region = { node = "beta-memory", name = "FW_BETA_ALL", header = true, covers = ["FW_BETA", "MAILBOX"] }
arena_region = { node = "arena-memory", name = "ARENA_ALL", covers = ["ARENAS"] }
pool_region = { node = "pool-memory", name = "POOL_PHYS", covers = ["POOL"], compatible = "dma-pool", no_map = false, unit_address = false }

[mmu]
granule = "4KiB"
mair_non_cached = [0, 4]
mair_cached = [7]
mair_write_through = [6]

[mmu.property]
flavour = "plain"
global = true

[mmu.entry]
REGISTERS = { mair = 0, base = "0x0", size = "1MiB" }
PAD = { mair = 0, covers = ["SCRATCHPAD"] }
CODE = { mair = 7, covers = ["FW_ALPHA"] }
BOX = { mair = 4, covers = ["MAILBOX"] }
WARM = { mair = 7, covers = ["ARENA_KEEP", "ARENA_TEMP"] }
RAW = { mair = 4, covers = ["RAW_KEEP", "RAW_TEMP"] }
LAKE = { name = "LAKE_7", mair = 7, covers = ["POOL"] }

[mmu.core]
alpha = ["REGISTERS", "PAD", "CODE", "BOX", "WARM", "RAW", "LAKE"]

[[rebuild]]
when = "always"
what = "Build it again"
why = "sizes are compiled in"
run = "make all"

[[rebuild]]
when = "linux"
what = "Install the device tree"
why = "it reserves the memory"
run = "make dtbs"

[[rebuild]]
when = "beta_1"
what = "Write the boot image"
why = "beta_1 is in it"
run = "make boot"
)toml";
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, "not in the text: ", std::string{from});
  REQUIRE_MESSAGE(text.find(from, at + 1) == std::string::npos, "not unique: ", std::string{from});
  return text.replace(at, from.size(), to);
}

core::Result<board::Board> load_text(const std::string& text) {
  core::MemFileSystem files;
  files.content["boards/zx9.toml"] = text;
  put_mpu_programs(files);
  return board::load_board(files, "boards", "zx9");
}

layout::MemoryMap map_of(const std::string& text, const board::KnobValues& set) {
  const auto loaded = load_text(text);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string{} : all_text(loaded.error())));
  auto map = layout::resolve(*loaded, set);
  REQUIRE_MESSAGE(map.has_value(), (map ? std::string{} : all_text(map.error())));
  return std::move(*map);
}

const core::Diagnostic* find(const core::Diagnostics& diagnostics, core::Code code) {
  for (const core::Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.code == code) {
      return &diagnostic;
    }
  }
  return nullptr;
}

std::size_t count(const core::Diagnostics& diagnostics, core::Code code) {
  std::size_t found = 0;
  for (const core::Diagnostic& diagnostic : diagnostics) {
    found += diagnostic.code == code ? 1U : 0U;
  }
  return found;
}

std::string all_text(const core::Diagnostics& diagnostics) {
  std::string text;
  for (const core::Diagnostic& diagnostic : diagnostics) {
    text += std::string{core::code_name(diagnostic.code)} + ": " + diagnostic.message + "\n";
  }
  return text;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string source_folder() {
  return MEMSIZE_SOURCE_DIR;
}

}  // namespace memsize::test
