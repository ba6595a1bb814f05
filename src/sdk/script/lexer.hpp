// A script as tokens, with Python's rules for indentation and joined lines.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include "script.hpp"
#include "source.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

enum class TokenKind {
  kName,
  kNumber,
  kString,
  kOperator,
  kNewline,
  kIndent,
  kDedent,
  kEnd,
  kWrong
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  /// A view into the file; empty for kDedent and kEnd, and at the end of a file without a line end.
  std::string_view text;
};

struct Tokens {
  /// Ends with kEnd, or with kWrong where the text cannot be read on.
  std::vector<Token> list;
  /// What is wrong at kWrong.
  std::optional<core::Diagnostic> problem;
  /// The innermost bracket that is never closed.
  std::optional<Span> unclosed;
};

[[nodiscard]] Tokens split(const ScriptSource& source);

/// A literal, decoded.
struct Literal {
  Integer number = 0;
  std::string text;
  bool is_float = false;
  /// An f-string with braces: its text is not known.
  bool is_formatted = false;
  /// Why it cannot be read, else empty.
  std::string problem;
  /// Which bytes of the literal the problem is about.
  Span where;
};

/// "0x10", "1_000", "1.5"
[[nodiscard]] Literal decode_number(std::string_view text);

/// With its prefix and quotes.
[[nodiscard]] Literal decode_string(std::string_view text);

}  // namespace memsize::sdk
