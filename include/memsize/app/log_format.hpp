// Formats of logs as data: which there are, and what one finds in logs.
#pragma once

#include "memsize/app/session.hpp"
#include "memsize/readers/pattern_reader.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// Those of boards/formats whose lines are described, by name; what is wrong with one is an error
/// of whoever names it, not of all.
[[nodiscard]] readers::PatternReaders bundled_formats(Session& session);

struct CheckedLog {
  std::string path;
  readers::PatternAccount account;
  /// What is wrong with it, if it cannot be read as such a log.
  core::Diagnostics diagnostics;
};

struct FormatCheck {
  std::string name;
  std::string title;
  std::vector<CheckedLog> logs;
  /// Of all logs: what is warned of fails the check.
  core::Diagnostics diagnostics;
};

/// Reads logs by a format, a bundled one or a file, and counts what each of its patterns matched.
/// Fails where the format is wrong or a log cannot be opened.
///
/// Example:
///     const auto checked = app::check_format(session, "tflm", {"samples/formats/tflm.log"});
///     MEMSIZE_TRY(checked);
///     assert(checked->logs.front().account.rows > 0);
[[nodiscard]] core::Result<FormatCheck> check_format(Session& session,
                                                     const std::string& format,
                                                     const std::vector<std::string>& logs);

}  // namespace memsize::app
