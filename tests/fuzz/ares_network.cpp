// Any bytes as ARES' network_info.json: errors with a way out, or a network that is scheduled on a
// cluster with tiles that are right.
#include "memsize/network/schedule.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace {

using memsize::core::Bytes;
using memsize::fuzz::require;
namespace network = memsize::network;

// A small cluster, so that slabs, staging and spilling all come up.
memsize::board::TileRules small_rules() {
  return {.l1 = Bytes{4096},
          .l2 = Bytes{16384},
          .dma_longest = Bytes{65535},
          .dma_open = 16,
          .stage = Bytes{2048},
          .stage_linear = Bytes{1024},
          .stage_attention = Bytes{512},
          .activations = Bytes{8192},
          .activation_spill = Bytes{4096},
          .workers = 8,
          .source = {}};
}

void require_sound(const network::Schedule& schedule) {
  for (const network::Step& step : schedule.steps) {
    require(!step.tiles || schedule.choice == network::TileChoice::kAres ||
                network::check_tiles(step.shape, *step.tiles, schedule.budget).empty(),
            "the best tiles are right");
    require(step.writes < schedule.buffers.size(), "a step writes a buffer");
  }
  std::set<std::string> ids;
  for (const auto& block : network::blocks_of(schedule)) {
    require(ids.insert(block.id).second, "ids are there once");
    require(!block.live || block.live->lower < block.live->upper, "a lifetime is one");
    require(block.source_memory != block.memory, "a source is another memory");
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(ares_network) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto report = memsize::readers::read_plan(text, "network_info.json", "ares-network");
  if (!report) {
    require(!report.error().empty(), "a network fails without a word");
    return 0;
  }
  const auto layers = network::layers_of(*report, {1, 4, 8, 8});
  if (!layers) {
    require(!layers.error().front().hint.empty(), "a network fails without a way out");
    return 0;
  }
  const auto rules = small_rules();
  require_sound(network::schedule_of(*layers, &rules, network::TileChoice::kAres));
  require_sound(network::schedule_of(*layers, &rules, network::TileChoice::kBest));
  require_sound(network::schedule_of(*layers, nullptr));
  return 0;
}
