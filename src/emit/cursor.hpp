// Reads a file of a written map token by token: words, numbers, quoted strings and single
// characters. Comments are skipped.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memsize::emit {

class Cursor {
 public:
  Cursor(const MapFile& file, const std::string& root, core::Diagnostics& errors);

  [[nodiscard]] bool done() const { return at_ >= tokens_.size(); }

  /// The token that is `ahead` of the next; empty behind the end.
  [[nodiscard]] const std::string& peek(std::size_t ahead = 0) const;

  std::string take();

  /// File and line of the next token.
  [[nodiscard]] core::Place place() const;

  /// Takes the token if it is `text`; else that is an error.
  bool expect(const std::string& text);

  /// Takes a number, decimal or hexadecimal, with a suffix of C or without; else that is an error.
  std::uint64_t number();

  /// Moves past the next `text`, or to the end.
  void skip_past(const std::string& text);

  void wrong(const std::string& what, const core::Place& place);

 private:
  struct Token {
    std::string text;
    std::size_t line = 0;
  };

  static std::vector<Token> tokens_of(const std::string& text);

  std::string path_;
  std::vector<Token> tokens_;
  core::Diagnostics& errors_;
  std::size_t at_ = 0;
};

/// The text between quotes.
[[nodiscard]] std::string unquoted(const std::string& text);

}  // namespace memsize::emit
