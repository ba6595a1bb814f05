#include "sizing/sizing_support.hpp"

#include "memsize/core/file_system.hpp"
#include "memsize/layout/memory_map.hpp"

#include "support.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include <doctest/doctest.h>

namespace memsize::test {

using model::Cacheability;
using model::Lifetime;

const board::TraceFormat& tidl_format() {
  static const board::TraceFormat format = [] {
    core::RealFileSystem files;
    auto loaded = board::load_trace_format(files, source_folder() + "/boards", "tidl");
    REQUIRE(loaded.has_value());
    return std::move(*loaded);
  }();
  return format;
}

model::Instance appnote_instance(bool with_addresses) {
  struct Row {
    const char* space;
    Cacheability cacheability;
    Lifetime lifetime;
    std::uint64_t hundredths;
    std::uint32_t address;
  };

  constexpr auto kWarm = Cacheability::kCacheable;
  constexpr auto kRaw = Cacheability::kNonCacheable;
  constexpr auto kChip = Cacheability::kOnChip;
  constexpr auto kKeep = Lifetime::kPersistent;
  constexpr auto kTemp = Lifetime::kScratch;
  constexpr std::array<Row, 16> kRows = {{
      {"ddr", kRaw, kKeep, 1942, 0x10000000},
      {"ddr", kWarm, kKeep, 66, 0x1043de40},
      {"l1d", kChip, kTemp, 1600, 0x7f83c000},
      {"l2", kChip, kTemp, 22400, 0x7f800000},
      {"l3", kChip, kTemp, 204800, 0x7e200000},
      {"ddr", kWarm, kKeep, 275541, 0x1043e180},
      {"ddr", kRaw, kTemp, 400, 0x10300000},
      {"ddr", kRaw, kKeep, 14825, 0x10005000},
      {"ddr", kRaw, kTemp, 13, 0x10301000},
      {"ddr", kRaw, kTemp, 313, 0x10301400},
      {"ddr", kWarm, kKeep, 53019, 0x106eefc0},
      {"ddr", kWarm, kTemp, 409625, 0x10e00000},
      {"ddr", kRaw, kKeep, 204800, 0x1002a400},
      {"ddr", kWarm, kKeep, 139006, 0x10773900},
      {"ddr", kRaw, kKeep, 0, 0x1022a400},
      {"ddr", kWarm, kKeep, 438113, 0x108cf1c0},
  }};
  model::Instance instance;
  for (std::uint32_t record = 0; record < kRows.size(); ++record) {
    const Row& row = kRows.at(record);
    model::Block block;
    block.record = record;
    block.space = row.space;
    block.cacheability = row.cacheability;
    block.lifetime = row.lifetime;
    block.alignment = *core::Align::make(128);
    block.size = model::measured_kib(row.hundredths);
    if (with_addresses) {
      block.address = model::PrintedAddress::low(row.address);
    }
    instance.blocks.push_back(std::move(block));
  }
  return instance;
}

model::Recording recording_of(const std::string& core, std::vector<model::Instance> instances) {
  model::Recording recording;
  model::Input& input = recording.inputs.emplace_back();
  input.path = "log";
  input.format = "tidl-log";
  input.trace_format = "tidl";
  input.lines = 1;
  input.records = 1;
  recording.cores.push_back({core, std::move(instances)});
  return recording;
}

ViewOfZx9::ViewOfZx9() {
  const layout::MemoryMap map = map_of(zx9_text());
  board = map.board;
  view.board = &board;
  view.values = map.values;
  for (const board::Knob& knob : board.knobs) {
    if (const layout::Region* region = map.find_by_knob(knob.name); region != nullptr) {
      view.region_of_knob.emplace_back(knob.name, region->name);
    }
  }
  view.onchip.push_back({"alpha", "l2", "SCRATCHPAD", map.find_owned("SCRATCHPAD")->size});
}

const sizing::Demand* demand_of(const sizing::CoreSizing& core,
                                model::Cacheability cacheability,
                                model::Lifetime lifetime) {
  for (const sizing::Demand& demand : core.demands) {
    if (demand.key.cacheability == cacheability && demand.key.lifetime == lifetime) {
      return &demand;
    }
  }
  return nullptr;
}

}  // namespace memsize::test
