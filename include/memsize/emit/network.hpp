// Files of a network that is planned on a cluster: ARES' checkpoints, and the program that runs it,
// which is tables over a fixed runtime (src/runtime/target/net).
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/network/schedule.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memsize::emit {

/// What a program loads, and what its layers must make, by the layer's name.
struct NetworkData {
  /// int8, outermost dimension first; as many as the layer has.
  std::map<std::string, std::string> weights;
  /// One each channel or feature, before it is quantised.
  std::map<std::string, std::vector<float>> biases;
  /// int8, or floats with the smallest byte first.
  std::map<std::string, std::string> goldens;
  /// int8.
  std::string input;
};

/// A file below bin/.
struct ProgramFile {
  std::string name;
  /// Of its macros.
  std::string macro;
  /// A row of enum net_memory, and where in it.
  std::string memory;
  std::uint64_t offset = 0;
  std::string bytes;
};

struct ProgramStep {
  /// Of its last layer, as program and reports call it.
  std::string name;
  /// Initialisers of struct net_step, and of its operands: target/net/net.h.
  std::vector<std::string> fields;
  std::vector<std::string> operands;
  /// What its DMA transfers come to.
  network::TileCost cost;
};

/// A network as C has it.
struct NetworkProgram {
  std::string name;
  std::vector<ProgramStep> steps;
  /// Constants, then the input.
  std::vector<ProgramFile> files;

  struct Golden {
    std::size_t step = 0;
    ProgramFile file;
  };

  /// By step.
  std::vector<Golden> goldens;
  /// Of L1, tiles with biases and tables; of each row of enum net_memory, what is allocated.
  core::Bytes l1;
  core::Bytes l2;
  core::Bytes l2_constants;
  core::Bytes l3;
  core::Bytes l3_constants;
  /// Of the cluster's controller: the part's, else the SDK's own (gap_sdk: pi_cluster_conf).
  core::Bytes stack{0x800};
  network::TileBudget budget;
  std::uint64_t workers = 1;
  /// The runtime's sources that it needs, by name.
  std::vector<std::string> sources;
};

/// Errors: layers that memsize plans but cannot write (emit.network), and data that are missing
/// (emit.data).
[[nodiscard]] core::Result<NetworkProgram> make_program(const network::Schedule& schedule,
                                                        const model::PlanReport& plan,
                                                        const board::MemorySet& part,
                                                        const NetworkData& data);

struct NetworkInput {
  const network::Schedule& schedule;
  /// Of the schedule's blocks.
  const model::PlanReport& plan;
  core::FileSystem& files;
  std::vector<std::string> template_folders;
  /// The sources of the embedded runtime.
  std::string runtime_folder;
  /// Nothing: it cannot be written, and `why_no_program` says why.
  std::optional<NetworkProgram> program;
  core::Diagnostics why_no_program;
  /// When the files are made, as ARES writes it ("2026-11-24T08:00:00Z"); empty: they do not say.
  std::string created_utc;
};

using NetworkEmitter = EmitterOf<NetworkInput>;

[[nodiscard]] const std::vector<NetworkEmitter>& all_network_emitters();

/// As render_module() of a module; without a program and unless it is asked for, the rest.
[[nodiscard]] core::Result<std::vector<Artifact>> render_network(
    const NetworkInput& input, const std::vector<std::string>& only);

}  // namespace memsize::emit
