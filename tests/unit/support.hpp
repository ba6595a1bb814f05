// What several unit tests need: a small board that exists nowhere, and ways to look at diagnostics.
#pragma once

#include "memsize/board/load.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/layout/memory_map.hpp"

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::test {

/// The board "zx9": two cores, four DDR regions, an on-chip memory, a tightly coupled memory, an
/// MMU, carve-outs, a group, an alias. Nothing of it is in boards/.
[[nodiscard]] std::string zx9_text();

/// `text` with the one occurrence of `from` replaced; a missing or second occurrence fails the
/// test.
[[nodiscard]] std::string with(std::string text, std::string_view from, std::string_view to);

/// Loads `text` as the board "zx9".
[[nodiscard]] core::Result<board::Board> load_text(const std::string& text);

/// Loads and resolves; an error fails the test.
[[nodiscard]] layout::MemoryMap map_of(const std::string& text, const board::KnobValues& set = {});

[[nodiscard]] const core::Diagnostic* find(const core::Diagnostics& diagnostics, core::Code code);
[[nodiscard]] std::size_t count(const core::Diagnostics& diagnostics, core::Code code);
[[nodiscard]] std::string all_text(const core::Diagnostics& diagnostics);
[[nodiscard]] bool contains(std::string_view text, std::string_view part);

/// How often something random is tried: less often before a commit, and under the sanitizers, where
/// a program takes ten times as long.
template <std::integral Number>
[[nodiscard]] constexpr Number rounds(Number full) {
#ifdef MEMSIZE_FEW_ROUNDS
  constexpr Number kSlower = 10;
  return full / kSlower;
#else
  return full;
#endif
}

/// The folder of the repository.
[[nodiscard]] std::string source_folder();

/// A generator whose numbers are the same everywhere (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  /// From 0 to `limit` - 1.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

 private:
  std::uint64_t state_;
};

template <typename T>
void shuffle(std::vector<T>& list, Random& random) {
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[random.below(i)]);
  }
}

}  // namespace memsize::test
