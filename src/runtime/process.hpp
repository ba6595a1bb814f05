// Other programs, run to their end or until they may not go on.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace memsize::runtime {

struct ProcessSpec {
  /// The program, looked up in PATH, and its words.
  std::vector<std::string> arguments;
  /// Empty: this process' own.
  std::string folder;
  /// Where it puts its own temporary files; empty: where this process does.
  std::string temporary;
  /// File descriptors that it inherits, under the same numbers.
  std::vector<int> descriptors;
  std::chrono::milliseconds timeout{30000};
};

struct ProcessEnd {
  enum class How {
    kExited,
    kKilled,       // by a signal that was not ours
    kTimedOut,     // it was killed, with whatever it had started
    kTooMuch,      // likewise: it printed more than anything of ours does
    kNotStarted,   // `reason` says why
    kInterrupted,  // this process was asked to end
  };

  How how = How::kNotStarted;
  /// The exit status, or the signal's number.
  int status = 0;
  std::string output;
  std::string errors;
  std::string reason;
};

/// Standard input is empty. The program dies with this process, and nothing that it started stays.
[[nodiscard]] ProcessEnd run_process(const ProcessSpec& spec);

/// While one lives, SIGINT, SIGTERM and SIGHUP end run_process() instead of this process.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  [[nodiscard]] static bool interrupted();
};

/// Where PATH has a program of that name; empty: nowhere.
[[nodiscard]] std::string path_of_program(const std::string& name);

/// What tells one program from another under the same name: where it really lies, its size and its
/// time. Empty: it is not in PATH.
[[nodiscard]] std::string identity_of(const std::string& program);

/// Whether a program of that name is in PATH.
[[nodiscard]] bool has_program(const std::string& name);

}  // namespace memsize::runtime
