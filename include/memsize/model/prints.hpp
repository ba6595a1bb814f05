// What prints of one table have in common, and what its sums prove of its rows.
#pragma once

#include "memsize/model/block.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace memsize::model {

/// The same record as printed, wherever it lies.
[[nodiscard]] bool same_row(const Block& a, const Block& b);

/// The same sums, in the same order.
[[nodiscard]] bool same_totals(const Instance& a, const Instance& b);

/// How many records stand in both; nothing where one of them differs.
[[nodiscard]] std::optional<std::size_t> common_rows(const std::vector<Block>& a,
                                                     const std::vector<Block>& b);

/// The rows of both, sorted by record: where a record stands in both, that of `later`.
[[nodiscard]] std::vector<Block> rows_of_both(const std::vector<Block>& earlier,
                                              std::vector<Block> later);

/// The least and the most bytes that can print like this sum of rows, and the sum as printed.
struct RowSum {
  core::Bytes least;
  core::Bytes nearest;
  core::Bytes most;
};

/// Of the rows that a total is about.
[[nodiscard]] RowSum sum_of(const Instance& instance, const ClassTotal& total);

[[nodiscard]] bool agrees(const Instance& instance, const ClassTotal& total);

/// Whether a block of main memory stands in none of the totals.
[[nodiscard]] bool lacks_total(const Instance& instance, const Block& block);

/// Every byte of main memory is in a total, and every total agrees.
[[nodiscard]] bool totals_agree(const Instance& instance);

}  // namespace memsize::model
