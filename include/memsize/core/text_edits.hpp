// Changes of a text in place: what is not changed keeps its bytes.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

/// Collects changes by places of the unchanged text, and makes them together. Lines and columns
/// count from 1, columns in bytes, as in Place. A place that the text does not have, or two changes
/// of the same bytes, are bugs of the caller. The text must outlive the edits.
class TextEdits {
 public:
  explicit TextEdits(std::string_view text);

  /// The bytes of `place`, all on one line.
  void replace(const Place& place, std::string text);

  /// Lines of their own behind a line. `text` has no line ending at its end; it gets that of the
  /// line, as do the '\n' in it. What is inserted behind the same line keeps the order of the
  /// calls.
  void insert_after_line(std::size_t line, const std::string& text);

  /// From the first to the last line, with their endings. What is inserted behind one of them
  /// stays.
  void remove_lines(std::size_t first, std::size_t last);

  [[nodiscard]] bool empty() const { return edits_.empty(); }

  /// The number of lines; a text that ends with a line ending has no line behind it.
  [[nodiscard]] std::size_t lines() const { return begins_.size() - 1; }

  /// A line without its ending.
  [[nodiscard]] std::string_view line(std::size_t number) const;

  /// The bytes of a place.
  [[nodiscard]] std::string_view at(const Place& place) const;

  [[nodiscard]] std::string apply() const;

 private:
  struct Edit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
  };

  void check_line(std::size_t line) const;
  [[nodiscard]] std::string ending(std::size_t line) const;

  std::string_view text_;
  /// Where each line begins, and where the text ends.
  std::vector<std::size_t> begins_;
  std::vector<Edit> edits_;
};

}  // namespace memsize::core
