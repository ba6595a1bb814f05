// Which cores those are is what the demands of the board's knobs say.
#include "traced_cores.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::app {

std::vector<std::string> cores_with_heaps(const board::Board& board) {
  std::vector<std::string> cores;
  for (const board::Knob& knob : board.knobs) {
    if (knob.demand && !core::contains(cores, knob.demand->core)) {
      cores.push_back(knob.demand->core);
    }
  }
  return cores;
}

core::Diagnostic without_heaps(const board::Board& board,
                               const std::string& core,
                               core::Place place) {
  const std::vector<std::string> cores = cores_with_heaps(board);
  return core::error(
      core::Code::kSizingUnknownCore,
      fmt::format("board '{}' has no core '{}' with heaps that traces size",
                  board.name,
                  core::printable(core, 40)),
      std::move(place),
      cores.empty() ? "no core of it has any" : core::did_you_mean(core, cores, "these have some"));
}

}  // namespace memsize::app
