// Says which of memsize's own assumptions failed and where. A program ends at once with the status
// of a bug; a library may not.
#include "memsize/core/bug.hpp"

#include "memsize/core/diagnostic.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace memsize::core {

namespace {

std::atomic<bool> throws = false;

}  // namespace

void throw_bugs() {
  throws = true;
}

void report_bug(const char* what, const char* file, int line) {
  if (throws) {
    throw Bug{fmt::format("{} ({}:{})", what, file, line)};
  }
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
