// What every fuzz target is made of: how it begins, and what it does where an invariant is broken.
#pragma once

#include "memsize/core/text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace memsize::fuzz {

inline void require(bool holds, const char* what) {
  if (!holds) {
    (void)std::fprintf(stderr, "broken invariant: %s\n", what);
    std::abort();
  }
}

/// What is shown hides nothing and commands no terminal.
inline bool is_visible(std::string_view text) {
  return core::visible_text(text) == text;
}

/// A target among those of the program that replays corpora.
struct Target {
  using Run = int (*)(const std::uint8_t* data, std::size_t size);
  Target(const char* name, Run run);
};

}  // namespace memsize::fuzz

// Before the braces of what is done with `size` bytes at `data`; ends with 0. Under libFuzzer each
// target is a program.
#ifdef MEMSIZE_REPLAY
#define MEMSIZE_FUZZ_TARGET(name)                                       \
  static int run_##name(const std::uint8_t* data, std::size_t size);    \
  static const memsize::fuzz::Target target_##name{#name, &run_##name}; \
  static int run_##name(const std::uint8_t* data, std::size_t size)
#else
#define MEMSIZE_FUZZ_TARGET(name) \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#endif
