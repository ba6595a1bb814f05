#include "memsize/core/bug.hpp"

#include "memsize/core/diagnostic.hpp"

#include <cstdio>
#include <cstdlib>

namespace memsize::core {

void report_bug(const char* what, std::source_location where) {
  std::fprintf(stderr,
               "memsize: bug: %s (%s, %s)\nPlease report it with the command line and the input.\n",
               what,
               where.file_name(),
               where.function_name());
  std::fflush(stderr);
  // No destructors: the state is not to be trusted any more.
  std::_Exit(static_cast<int>(ExitStatus::kBug));
}

}  // namespace memsize::core
