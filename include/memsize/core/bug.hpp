// For memsize's own mistakes, never for the user's.
#pragma once

#include <source_location>

namespace memsize::core {

/// Prints the place and ends the process with status 70.
[[noreturn]] void report_bug(const char* what,
                             std::source_location where = std::source_location::current());

inline void bug_if(bool broken,
                   const char* what,
                   std::source_location where = std::source_location::current()) {
  if (broken) {
    report_bug(what, where);
  }
}

}  // namespace memsize::core
