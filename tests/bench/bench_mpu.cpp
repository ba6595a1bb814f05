// The MPU regions of all cores of a board, from the resolved map.
#include "memsize/board/load.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/layout/memory_map.hpp"

#include "program_mpu.hpp"

#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using memsize::layout::MemoryMap;
using memsize::layout::MpuRegion;
using memsize::layout::MpuTable;

void compute(benchmark::State& state, const MemoryMap& map) {
  std::vector<MpuTable> before = map.mpu;
  for (MpuTable& table : before) {
    std::erase_if(table.regions, [](const MpuRegion& region) { return !region.is_fixed; });
  }
  for ([[maybe_unused]] auto _ : state) {
    for (MpuTable table : before) {
      memsize::layout::program_mpu(map, table);
      benchmark::DoNotOptimize(table.regions.data());
    }
  }
  state.counters["cores"] = static_cast<double>(before.size());
}

}  // namespace

int main(int argc, char** argv) {
  memsize::core::RealFileSystem files;
  const std::string folder = MEMSIZE_SOURCE_DIR "/boards";
  std::vector<std::pair<std::string, MemoryMap>> maps;
  const auto names = memsize::board::bundled_boards(files, folder).value();
  for (const std::string& name : names) {
    const auto board = memsize::board::load_board(files, folder, name).value();
    MemoryMap map = memsize::layout::resolve(board, {}).value();
    if (!map.mpu.empty()) {
      maps.emplace_back(name, std::move(map));
    }
  }
  for (const auto& [name, map] : maps) {
    benchmark::RegisterBenchmark(name.c_str(), compute, map)->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
