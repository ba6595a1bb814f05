// Tables that Python's csv module writes, row by row.
#pragma once

#include "memsize/core/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::readers {

/// Rows of a CSV whose fields may be quoted: "[64, 1, 5, 1]", a quote in it doubled.
class QuotedRows {
 public:
  explicit QuotedRows(std::string_view text) : text_(text) {}

  /// The next row that is not blank; false at the end.
  bool next() {
    do {
      if (at_ >= text_.size()) {
        return false;
      }
      read();
    } while (fields_.size() == 1 && core::trim(fields_.front()).empty() && !unclosed_);
    return true;
  }

  [[nodiscard]] const std::vector<std::string>& fields() const { return fields_; }

  [[nodiscard]] std::size_t line() const { return line_; }

  [[nodiscard]] bool unclosed() const { return unclosed_; }

 private:
  void read() {
    line_ = next_line_;
    fields_.assign(1, {});
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"' && fields_.back().empty()) {
        read_quoted();
      } else if (c == ',') {
        fields_.emplace_back();
      } else if (c == '\n') {
        ++next_line_;
        break;
      } else {
        fields_.back() += c;
      }
    }
    if (fields_.back().ends_with('\r')) {
      fields_.back().pop_back();
    }
  }

  void read_quoted() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      next_line_ += c == '\n' ? 1 : 0;
      if (c != '"') {
        fields_.back() += c;
      } else if (at_ < text_.size() && text_[at_] == '"') {
        fields_.back() += text_[at_++];
      } else {
        return;
      }
    }
    unclosed_ = true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t next_line_ = 1;
  std::size_t line_ = 0;
  std::vector<std::string> fields_;
  bool unclosed_ = false;
};

}  // namespace memsize::readers
