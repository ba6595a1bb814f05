// The lines of a log of Android, or of bare text, each with who said it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace memsize::readers::nnapi {

struct LogLine {
  std::string_view message;
  /// Empty: bare text.
  std::string_view tag;
  /// "29423", and what tells threads apart.
  std::string_view process;
  std::string_view thread;
  /// Its number in the file.
  std::size_t number = 0;
  /// As long as the log keeps of one: what follows of it was lost.
  bool is_at_limit = false;
  /// Nothing ends it, or another line begins in it: it may go on.
  bool is_cut = false;

  [[nodiscard]] bool same_source(const LogLine& other) const {
    return tag == other.tag && process == other.process && thread == other.thread;
  }
};

struct LogLines {
  std::vector<LogLine> lines;
  bool has_prefixes = false;
};

/// Prefixes of three kinds are known: "MM-DD hh:mm:ss.mmm PID TID L TAG: ", "YYYY-MM-DD
/// hh:mm:ss.mmm PID-TID/package L/TAG: " and "YYYY-MM-DD hh:mm:ss.mmm PID-TID TAG package L ".
/// Refers to the text.
[[nodiscard]] LogLines log_lines(std::string_view text);

}  // namespace memsize::readers::nnapi
