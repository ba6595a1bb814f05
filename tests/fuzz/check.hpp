// What a fuzz target does where an invariant is broken.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace memsize::fuzz {

inline void require(bool holds, const char* what) {
  if (!holds) {
    (void)std::fprintf(stderr, "broken invariant: %s\n", what);
    std::abort();
  }
}

}  // namespace memsize::fuzz
