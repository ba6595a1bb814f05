// Rewrites one line on standard error, where that is a terminal and the run has taken a second, and
// clears it at the end.
#include "progress_line.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace memsize::cli {

ProgressLine::ProgressLine(bool attended)
    : attended_(attended), begun_(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
  if (shown_) {
    std::fputs("\r\x1b[K", stderr);
  }
}

void ProgressLine::show(const std::string& text) {
  // Before that nobody wonders.
  constexpr std::chrono::seconds kShort{1};
  if (!attended_ || ::isatty(STDERR_FILENO) == 0 ||
      std::chrono::steady_clock::now() - begun_ < kShort) {
    return;
  }
  shown_ = true;
  std::fputs(fmt::format("\r\x1b[K{}", text).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace memsize::cli
