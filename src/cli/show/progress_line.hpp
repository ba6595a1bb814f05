// How far a long run is, on a terminal only.
#pragma once

#include <chrono>
#include <string>

namespace memsize::cli {

class ProgressLine {
 public:
  /// Says nothing unless somebody watches.
  explicit ProgressLine(bool attended);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Leaves the terminal as it was.
  ~ProgressLine();

  void show(const std::string& text);

 private:
  bool attended_;
  std::chrono::steady_clock::time_point begun_;
  bool shown_ = false;
};

}  // namespace memsize::cli
