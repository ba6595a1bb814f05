// Formats that are data, compiled: each once a session.
#pragma once

#include "memsize/app/session.hpp"
#include "memsize/readers/pattern_reader.hpp"

#include <memory>
#include <string>

namespace memsize::app {

/// With which readers a text is read.
struct ReadWith {
  /// Empty: its content tells.
  std::string format;
  readers::PatternSource patterns;
};

/// What --format says: nothing, a reader's name, or a path to a format's file.
[[nodiscard]] core::Result<ReadWith> read_with(Session& session, const std::string& format);

}  // namespace memsize::app
