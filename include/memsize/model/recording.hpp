// Everything that one or several logs said, as if they had been one.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/block.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::model {

struct Recording {
  std::vector<Input> inputs;
  /// The options that a sizing document was made with; empty for a log.
  std::string headroom;
  std::string instances;
  std::optional<bool> one_priority;
  /// Made with more than what traces size, which only who asks again gets.
  bool has_reservation = false;
  std::vector<CoreRecording> cores;
  /// Each in the order of its lines, input by input.
  std::vector<HeapReport> heaps;
  std::vector<PoolReport> pools;
  std::vector<Failure> failures;
  std::vector<RunReport> runs;
  core::Diagnostics diagnostics;
};

/// Appends `more` to `recording`: the instances of a core that both have follow each other.
void append(Recording& recording, Recording more);

/// Brings a recording into the one order that it has whatever order its inputs were appended in:
/// inputs by path and content, cores by name, everything else by input and line.
void sort(Recording& recording);

/// What each input says, as a number that those which say the same have in common, whatever they
/// are called; nothing for one that says nothing. Where every table has addresses, the lines in
/// which it stands make no difference: models that are loaded together lie at different addresses.
[[nodiscard]] std::vector<std::optional<std::uint64_t>> sayings_of(const Recording& recording);

/// Of inputs that say the same keeps the first, which names the others (Input::copies): they are
/// one run. The recording is sorted.
void count_once(Recording& recording);

}  // namespace memsize::model
