// Rows and sums of TIDL's tables, in every form that its SDKs print.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/block.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memsize::readers {

struct Row {
  std::string_view form;
  /// With the base as it was printed: whether 0 is an address, only the whole table tells.
  model::Block block;
};

/// What of a row cannot be, and why.
struct RowProblem {
  /// Part of the row's text.
  std::string_view field;
  std::string message;
  std::string hint;
};

/// Whether the text is a row with words, however broken.
[[nodiscard]] bool looks_like_row(std::string_view text);

/// Whether the text is no row, but ends in most of one: what stands before it, or its number, is
/// damaged.
[[nodiscard]] bool resembles_row(std::string_view text);

/// A row for which looks_like_row() holds.
[[nodiscard]] tl::expected<Row, RowProblem> parse_row(std::string_view text);

/// A row of the stand-alone test: "  0,    17,        15208,      0.015 0x7f0010".
[[nodiscard]] std::optional<Row> parse_test_row(std::string_view text);

/// Whether the text is a row of that table, however broken.
[[nodiscard]] bool looks_like_test_row(std::string_view text);

/// "Allocating memory record 0 @ space = 17, size = 15208, align = 128 ..." and "Allocated ...".
[[nodiscard]] std::optional<Row> parse_request(std::string_view text);

/// "DDR Cacheable(Persistent), 9058.16", with or without its comma, "KB" behind it, and words
/// behind that; without the parentheses only "DDR Cacheable , 9058.16".
[[nodiscard]] std::optional<model::ClassTotal> parse_total(std::string_view text);

/// No sum for parse_total(), but two of its three parts are there: a space, an attribute in
/// parentheses, a size.
[[nodiscard]] bool looks_like_total(std::string_view text);

/// TIDL's number of a memory space (ialg.h), or false.
[[nodiscard]] bool space_of(std::uint64_t code,
                            std::string& space,
                            model::Cacheability& cacheability);

/// A decimal number that is all of `text`.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);

}  // namespace memsize::readers
