// The emitters of networks, a row each.
#include "memsize/core/find.hpp"

#include "networks/network_emitters.hpp"
#include "wanted.hpp"

namespace memsize::emit {

namespace {

constexpr auto kProgram = std::to_array<std::string_view>({"tables", "runtime", "bin"});

}  // namespace

const std::vector<NetworkEmitter>& all_network_emitters() {
  static const std::vector<NetworkEmitter> emitters = {
      {"checkpoints", "the four checkpoints of ARES, for its own tools", render_checkpoints},
      {"tables", "layers, tiles, offsets and scales in C, and a Makefile", render_tables},
      {"runtime", "what runs the tables on a cluster, layer by layer, in C", render_runtime},
      {"bin", "weights, biases, the input and what each layer must make", render_binaries},
  };
  return emitters;
}

core::Result<std::vector<Artifact>> render_network(const NetworkInput& input,
                                                   const std::vector<std::string>& only) {
  const bool asks_for_program =
      std::ranges::any_of(only, [](const auto& name) { return core::contains(kProgram, name); });
  if (!input.program && asks_for_program) {
    return tl::make_unexpected(input.why_no_program);
  }
  if (!input.program && only.empty()) {
    return render_wanted(all_network_emitters(), input, {"checkpoints"});
  }
  return render_wanted(all_network_emitters(), input, only);
}

}  // namespace memsize::emit
