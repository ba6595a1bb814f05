// What each model of a core brings, as it counts: its records, what its totals say is missing, and
// what it shares with other models of its priority.
#pragma once

#include "allocator.hpp"
#include "work.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace memsize::sizing {

/// One instance.
struct Candidate {
  /// In the order of the records.
  std::vector<Counted> blocks;
  std::vector<std::uint32_t> missing;
  bool complete = true;
  bool totals_only = false;
};

/// Looks at one instance: assigns classes where its form has none, holds its rows against its
/// totals, and says what is missing.
[[nodiscard]] Candidate make_candidate(const Work& work,
                                       const std::string& core,
                                       std::size_t index,
                                       const model::Instance& instance);

/// Pairs of instances that may be two prints of one model: the first lacks records and addresses,
/// the second begins behind it and has addresses, and no record differs. Their sum proves nothing.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> perhaps_one(
    const std::vector<model::Instance>& instances, const std::vector<Candidate>& candidates);

/// The blocks of a class.
[[nodiscard]] BlockList blocks_of(const Candidate& candidate, const board::DemandKey& key);

/// What the models of one priority share, counted once: the record is taken down to its rest in
/// every candidate, and `largest` has it in full.
struct SharedContext {
  /// The candidates of the priority.
  std::vector<std::size_t> members;
  std::size_t owner = 0;
  /// As the owner printed it.
  Counted largest;
};

/// Takes the record down in `candidates` wherever priorities are known or all are one.
[[nodiscard]] std::vector<SharedContext> share_contexts(const Work& work,
                                                        const model::CoreRecording& recorded,
                                                        std::vector<Candidate>& candidates);

}  // namespace memsize::sizing
