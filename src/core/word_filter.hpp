// Looks for places where one of some words may begin, and counts lines meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

/// Words are known by three of their bytes that follow each other, and divided into eight groups, a
/// bit each: a byte's mask has the groups one of whose words has it there.
class WordFilter {
 public:
  static constexpr std::size_t kBytes = 3;
  static constexpr std::size_t kGroups = 8;

  /// By the low and by the high half of a byte: one table of sixteen masks each fits into what a
  /// processor looks up at once. Their common bits are the byte's mask, or more.
  struct Halves {
    alignas(16) std::array<std::uint8_t, 16> low{};
    alignas(16) std::array<std::uint8_t, 16> high{};
  };

  /// Each word has at least three bytes.
  explicit WordFilter(const std::vector<std::string>& words);

  [[nodiscard]] const std::array<Halves, kBytes>& halves() const { return halves_; }

  [[nodiscard]] const std::array<std::array<std::uint8_t, 256>, kBytes>& masks() const {
    return masks_;
  }

  /// The masks of a byte above each other, the first lowest, and inverted: shifted by a byte and
  /// joined with the next byte's, bits of the last mask stay zero where all three bytes fit.
  [[nodiscard]] const std::array<std::uint32_t, 256>& shifted() const { return shifted_; }

  /// Whether every byte that is looked for is one of ASCII.
  [[nodiscard]] bool is_ascii() const { return ascii_; }

  /// Whether a word has its three bytes at `at`, which a table said is possible.
  [[nodiscard]] bool confirm(std::string_view text, std::size_t at) const;

 private:
  struct Word {
    std::string text;
    /// Where its three bytes are.
    std::size_t from = 0;
  };

  std::array<Halves, kBytes> halves_{};
  std::array<std::array<std::uint8_t, 256>, kBytes> masks_{};
  std::array<std::uint32_t, 256> shifted_{};
  std::array<std::vector<Word>, kGroups> groups_;
  bool ascii_ = true;
};

/// Texts are looked at in steps of so many bytes.
constexpr std::size_t kStep = 128;

/// How far a search has come.
struct Search {
  /// The step that it stopped at, or the first byte that it did not look at.
  std::size_t at = 0;
  /// Line ends before that.
  std::size_t newlines = 0;
  /// How many steps before that one, and it too where the search stopped, follow each other
  /// without a line's end.
  std::size_t quiet = 0;
  /// Of the step that it stopped at: bit n of them all is set where the three bytes of a word may
  /// begin at byte n.
  std::array<std::uint64_t, kStep / 64> candidates{};
};

/// Goes on until a step has a candidate or is the `quiet`th without a line's end: then true.
using Look = bool (*)(const WordFilter& filter,
                      std::string_view text,
                      std::size_t quiet,
                      Search& search);

/// To the text's end, on any processor.
bool look_bytewise(const WordFilter& filter,
                   std::string_view text,
                   std::size_t quiet,
                   Search& search);

/// The widest of the following that this processor can do and that is no wider than `widest` bytes;
/// null where none is. They look at whole steps behind which there is enough for a word's last
/// byte, and for words of ASCII only.
[[nodiscard]] Look wide_look(std::size_t widest);

#if defined(__x86_64__)
bool look_avx2(const WordFilter& filter, std::string_view text, std::size_t quiet, Search& search);
bool look_avx512(const WordFilter& filter,
                 std::string_view text,
                 std::size_t quiet,
                 Search& search);
#endif

}  // namespace memsize::core
