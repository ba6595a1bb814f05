// The text of a script: offsets into it become places.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include "script.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

/// Where no better hint is known.
constexpr std::string_view kBundledHint =
    "correct the script; memsize emit --board BOARD --out DIR does without it";

/// A half-open range of offsets.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class ScriptSource {
 public:
  /// `text` must outlive the source.
  ScriptSource(const std::string& path, std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }

  /// Behind the byte order mark.
  [[nodiscard]] std::size_t begin() const { return begin_; }

  [[nodiscard]] std::string_view text(Span span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  /// The span of a view into text().
  [[nodiscard]] Span span(std::string_view part) const;

  [[nodiscard]] std::size_t line(std::size_t offset) const;
  [[nodiscard]] ScriptPiece piece(Span span) const;
  /// The line is shown escaped, and the column is that of the shown line; a very long line is not
  /// shown.
  [[nodiscard]] core::Place place(Span span) const;

  [[nodiscard]] core::Diagnostic error(std::string message,
                                       Span span,
                                       std::string hint = std::string{kBundledHint}) const;

 private:
  [[nodiscard]] std::size_t line_begin(std::size_t line) const;
  [[nodiscard]] std::size_t line_end(std::size_t line) const;

  core::SharedText path_;
  std::string_view text_;
  std::size_t begin_ = 0;
  std::vector<std::size_t> lines_;
};

/// Too large, NUL bytes, not UTF-8.
[[nodiscard]] core::Diagnostics check_bytes(const ScriptSource& source);

}  // namespace memsize::sdk
