// The words and numbers of one printed line.
#pragma once

#include "memsize/core/text.hpp"

#include "tidl_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace memsize::readers {

/// Reads what a printf wrote, piece by piece.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// Goes behind the next place where `word` stands.
  bool skip_to(std::string_view word) {
    const std::size_t found = text_.find(word);
    if (found == std::string_view::npos) {
      return false;
    }
    text_.remove_prefix(found + word.size());
    return true;
  }

  /// Goes behind `word`, with blanks before it.
  bool skip(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) {
      return false;
    }
    text_.remove_prefix(word.size());
    return true;
  }

  /// Goes behind `words`, which come next, each blank one blank or tab.
  bool skip_exactly(std::string_view words) {
    const bool same = text_.size() >= words.size() &&
                      std::equal(words.begin(), words.end(), text_.begin(), [](char a, char b) {
                        return a == b || (a == ' ' && b == '\t');
                      });
    text_.remove_prefix(same ? words.size() : 0);
    return same;
  }

  /// The next character is a digit, of a base up to 16.
  [[nodiscard]] bool at_digit() const {
    return !text_.empty() && kHex.find(text_.front()) != std::string_view::npos;
  }

  std::optional<std::uint64_t> number() {
    skip_blanks();
    return whole_number(take(kDecimal));
  }

  std::optional<std::uint64_t> hex() {
    constexpr std::size_t kMost = 16;
    skip_blanks();
    const std::string_view digits = take(kHex);
    std::uint64_t value = 0;
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const bool all = !digits.empty() && digits.size() <= kMost && failure == std::errc{};
    return all && end == digits.data() + digits.size() ? std::optional{value} : std::nullopt;
  }

  /// "145.00".
  std::optional<double> decimal() {
    constexpr std::size_t kMost = 24;
    skip_blanks();
    const std::string_view digits = take("0123456789.");
    double value = 0;
    const auto [end, failure] = std::from_chars(
        digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
    const bool all = !digits.empty() && digits.size() <= kMost && failure == std::errc{};
    return all && end == digits.data() + digits.size() ? std::optional{value} : std::nullopt;
  }

  /// Up to one of `ends`, which must come.
  std::optional<std::string_view> word(std::string_view ends) {
    skip_blanks();
    const std::size_t end = text_.find_first_of(ends);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view found = core::trim(text_.substr(0, end));
    text_.remove_prefix(end);
    return found;
  }

  [[nodiscard]] std::string_view rest() const { return text_; }

 private:
  static constexpr std::string_view kBlank = " \t";
  static constexpr std::string_view kDecimal = "0123456789";
  static constexpr std::string_view kHex = "0123456789abcdefABCDEF";

  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(kBlank), text_.size()));
  }

  std::string_view take(std::string_view allowed) {
    const std::size_t end = std::min(text_.find_first_not_of(allowed), text_.size());
    const std::string_view found = text_.substr(0, end);
    text_.remove_prefix(end);
    return found;
  }

  std::string_view text_;
};

}  // namespace memsize::readers
