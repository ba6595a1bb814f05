// Says which of memsize's own assumptions failed and where, and ends the process at once with the
// status of a bug.
#include "memsize/core/bug.hpp"

#include "memsize/core/diagnostic.hpp"

#include <cstdio>
#include <cstdlib>

namespace memsize::core {

void report_bug(const char* what, const char* file, int line) {
  std::fprintf(stderr,
               "memsize: bug: %s (%s:%d)\nPlease report it with the command line and the input.\n",
               what,
               file,
               line);
  std::fflush(stderr);
  // No destructors: the state is not to be trusted any more.
  std::_Exit(static_cast<int>(ExitStatus::kBug));
}

}  // namespace memsize::core
