// For memsize's own mistakes, never for the user's.
#pragma once

#include <stdexcept>

namespace memsize::core {

// The builtins behind std::source_location, which clang 14 cannot take from gcc 12's library.

/// Where throw_bugs() was asked for.
class Bug : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// From here on a bug is thrown: in a process of somebody else's that may not end.
void throw_bugs();

/// Prints the place and ends the process with status 70, or throws Bug.
[[noreturn]] void report_bug(const char* what,
                             const char* file = __builtin_FILE(),
                             int line = __builtin_LINE());

inline void bug_if(bool broken,
                   const char* what,
                   const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
  if (broken) {
    report_bug(what, file, line);
  }
}

}  // namespace memsize::core
