// Reads a file in the syntax that C, device trees, sysconfig and linker scripts share, token by
// token: words, numbers, quoted strings and single characters. Comments are skipped.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

/// What a word is made of, besides letters, digits, '_' and '$'. With `kNames` also '-', '@', '.'
/// and '#', so that names of nodes, sections and properties are one word; a string ends at the next
/// quote. With `kC` nothing else: operators stand alone, a backslash in a string or a character
/// keeps the next quote, and neither goes past the end of its line. With `kScript`, for JavaScript,
/// as with `kC`, but '.' is part of a word, and a template ends at its own quote.
enum class Words { kNames, kC, kScript };

/// The text must outlive the cursor.
class Cursor {
 public:
  /// Errors get the code.
  Cursor(std::string path,
         std::string_view text,
         Code code,
         Diagnostics& errors,
         Words words = Words::kNames);

  /// The tokens of another one, from the first on.
  Cursor(const Cursor& other, Diagnostics& errors)
      : path_(other.path_), code_(other.code_), tokens_(other.tokens_), errors_(errors) {}

  [[nodiscard]] bool done() const { return at_ >= tokens_.size(); }

  /// Whether the next token is on another line than the one before it, or there is none.
  [[nodiscard]] bool begins_line() const;

  /// The token that is `ahead` of the next; empty behind the end.
  [[nodiscard]] std::string_view peek(std::size_t ahead = 0) const;

  std::string take();

  /// Where the token stands that is `ahead` of the next. The line's own text is left out:
  /// add_text() puts it in.
  [[nodiscard]] Place place(std::size_t ahead = 0) const;

  /// From `first`, a place() of before, to the end of the last token that was taken; to the last
  /// one of that line if there are others.
  [[nodiscard]] Place place_since(const Place& first) const;

  /// The same tokens as text, on whatever lines, with one blank where there was white space.
  [[nodiscard]] std::string words_since(const Place& first) const;

  /// Takes the token if it is `text`; else that is an error.
  bool expect(std::string_view text);

  /// Takes a number, decimal or hexadecimal, with a suffix of C or without; else that is an error.
  std::uint64_t number();

  /// Moves past the next `text`, or to the end.
  void skip_past(std::string_view text);

  void wrong(const std::string& what, const Place& place);

 private:
  struct Token {
    std::string_view text;
    std::size_t line = 0;
    std::size_t column = 0;
  };

  static std::vector<Token> tokens_of(std::string_view text, Words words);

  SharedText path_;
  Code code_;
  std::vector<Token> tokens_;
  Diagnostics& errors_;
  std::size_t at_ = 0;
};

/// The text between quotes.
[[nodiscard]] std::string unquoted(std::string_view text);

/// Gives the line's text to every place in the file that has none, so that a caret can be drawn.
void add_text(Diagnostics& diagnostics, const std::string& path, std::string_view text);

}  // namespace memsize::core
