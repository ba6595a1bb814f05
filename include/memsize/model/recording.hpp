// Everything that one or several logs said, as if they had been one.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/block.hpp"

#include <vector>

namespace memsize::model {

struct Recording {
  std::vector<Input> inputs;
  /// The options that a sizing document was made with; empty for a log.
  std::string headroom;
  std::string instances;
  /// In the order in which the cores first appear.
  std::vector<CoreRecording> cores;
  core::Diagnostics diagnostics;
};

/// Appends `more` to `recording`: the instances of a core that both have follow each other.
void append(Recording& recording, Recording more);

}  // namespace memsize::model
