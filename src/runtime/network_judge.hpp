// What the runs of a network found, as sentences.
#pragma once

#include "memsize/runtime/run_network.hpp"

#include <functional>
#include <string>
#include <vector>

namespace memsize::runtime {

/// One run, at one time of the DMA.
struct NetworkRun {
  DmaTiming timing = DmaTiming::kNow;
  /// What the program and the board printed.
  std::string output;
  /// How it ended where it came to no end of its own: "did not end within 30000 ms"; empty: it did.
  std::string broken;
};

/// The function that has an address of code; empty: nobody knows.
using FunctionAt = std::function<std::string(std::uint64_t address)>;

/// Counts the runs and adds what they found, each finding once, however many runs have it.
void judge_network(const NetworkSubject& subject,
                   const std::vector<NetworkRun>& runs,
                   const FunctionAt& function_at,
                   NetworkResult& result);

}  // namespace memsize::runtime
