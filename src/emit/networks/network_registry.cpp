// The emitters of networks, a row each.
#include "networks/network_emitters.hpp"
#include "wanted.hpp"

namespace memsize::emit {

const std::vector<NetworkEmitter>& all_network_emitters() {
  static const std::vector<NetworkEmitter> emitters = {
      {"checkpoints", "the four checkpoints of ARES, for its own tools", render_checkpoints},
  };
  return emitters;
}

core::Result<std::vector<Artifact>> render_network(const NetworkInput& input,
                                                   const std::vector<std::string>& only) {
  return render_wanted(all_network_emitters(), input, only);
}

}  // namespace memsize::emit
