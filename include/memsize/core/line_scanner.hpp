// Finds the few lines of a long text that hold one of some words, block by block.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

/// Takes the lines that a LineScanner finds.
class LineTaker {
 public:
  LineTaker() = default;
  LineTaker(const LineTaker&) = delete;
  LineTaker& operator=(const LineTaker&) = delete;
  virtual ~LineTaker() = default;

  /// A line without its end ("\n", or "\r\n"), and its number from 1. Whether the next line is
  /// wanted too, whatever it holds.
  [[nodiscard]] virtual bool take(std::string_view line, std::size_t number) = 0;
};

/// What is handed over: each line that holds one of the words, each one of at least `long_line`
/// bytes, and the one behind a line whose taker wants it. Others may be handed over too: words are
/// looked for with few instructions a byte, not exactly. Lines are counted whatever they hold.
class LineScanner {
 public:
  struct Options {
    /// Each of at least three bytes, without a line's end.
    std::vector<std::string> words;
    std::size_t long_line = 0;
    /// A longer line is an error: more than that is never kept.
    std::size_t longest = 0;
    /// How many bytes are looked at together, at most: as many as this processor can, of 64, 32 or
    /// 1. Less is for tests of what other processors do.
    std::size_t widest = 64;
  };

  LineScanner(Options options, LineTaker& taker);
  LineScanner(const LineScanner&) = delete;
  LineScanner& operator=(const LineScanner&) = delete;
  ~LineScanner();

  /// Where a line is too long, its number; then nothing more may be fed.
  [[nodiscard]] tl::expected<void, std::size_t> feed(std::string_view block);
  /// The last line, if nothing ends it.
  void finish();
  /// Lines so far; one without an end counts.
  [[nodiscard]] std::size_t lines() const;

 private:
  class Scan;
  std::unique_ptr<Scan> scan_;
};

}  // namespace memsize::core
