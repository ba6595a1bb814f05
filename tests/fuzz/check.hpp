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

/// What is shown hides nothing and commands no terminal: UTF-8 without control characters, without
/// what turns the direction of writing, and without what has no width. Said here once more.
inline bool is_visible(std::string_view text) {
  const auto has = [&](const char* letter) { return text.find(letter) != std::string_view::npos; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next < 0xA0)) {
      return false;
    }
  }
  return core::is_utf8(text) && !has("\u200B") && !has("\u200E") && !has("\u200F") &&
         !has("\u2028") && !has("\u2029") && !has("\u202A") && !has("\u202B") && !has("\u202C") &&
         !has("\u202D") && !has("\u202E") && !has("\u2066") && !has("\u2067") && !has("\u2068") &&
         !has("\u2069") && !has("\uFEFF");
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
