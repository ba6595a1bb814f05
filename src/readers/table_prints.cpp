// Splits rows of a table where those with bases and those without meet. The trap is a single row
// with base 0 among others: its neighbours in the same heap say whether it lies there.
#include "table_prints.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace memsize::readers {

namespace {

using model::Block;
using model::Instance;
using RecordRows = std::vector<Block>;

// RecordRows [first, last), behind each other: all have a base, or none has. A zero of memory on
// the chip says nothing, because a part may lack that memory; it stands in either.
struct Run {
  std::size_t first = 0;
  std::size_t last = 0;
  bool zero = false;
  // RecordRows of heaps.
  std::size_t heap_rows = 0;
};

bool in_heap(const Block& row) {
  return row.cacheability != model::Cacheability::kOnChip;
}

bool is_at_zero(const Block& row) {
  return row.address && row.address->value() == 0;
}

bool says_nothing(const Block& row) {
  return is_at_zero(row) && !in_heap(row);
}

std::vector<Run> runs_of(const RecordRows& rows) {
  std::vector<Run> runs;
  bool told = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool tells = !says_nothing(rows[i]);
    const bool zero = is_at_zero(rows[i]);
    if (runs.empty() || (tells && told && runs.back().zero != zero)) {
      runs.push_back({i, i, zero, 0});
    } else if (tells && !told) {
      runs.back().zero = zero;
    }
    told = told || tells;
    runs.back().last = i + 1;
    runs.back().heap_rows += in_heap(rows[i]) ? 1U : 0U;
  }
  return runs;
}

bool same_heap(const Block& a, const Block& b) {
  return in_heap(a) && a.space == b.space && a.cacheability == b.cacheability &&
         a.lifetime == b.lifetime;
}

// Whether `next` may have been placed behind `block` in their heap: not before its end, as far as
// sizes are known, and not much further than padding and what else a model allocates.
bool follows(const Block& block, const Block& next) {
  constexpr std::uint64_t kMostBetween = std::uint64_t{1} << 20U;
  const std::uint64_t slack = block.size.upper.count() - block.size.nearest.count();
  const std::uint64_t least =
      block.size.nearest.count() - std::min(slack, block.size.nearest.count());
  const std::uint64_t distance = next.address->offset_from(*block.address).count();
  return distance >= least && distance - least < kMostBetween;
}

// Whether a heap's row with base 0, alone among rows with bases, lies there: its neighbours in its
// heap say so, or it has none.
bool lies_at_zero(const RecordRows& rows, std::size_t at, const Run& before, const Run& behind) {
  for (std::size_t i = at; i > before.first; --i) {
    if (same_heap(rows[i - 1], rows[at])) {
      if (!follows(rows[i - 1], rows[at])) {
        return false;
      }
      break;
    }
  }
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  const auto last = rows.begin() + static_cast<std::ptrdiff_t>(std::max(at + 1, behind.last));
  const auto next =
      std::find_if(first, last, [&](const Block& row) { return same_heap(row, rows[at]); });
  return next == last || follows(rows[at], *next);
}

// One print, as it grows.
struct Print {
  Run rows;
  // The row whose base 0 is its address.
  std::optional<std::size_t> at_zero;
};

class Splitter {
 public:
  explicit Splitter(const RecordRows& rows) : rows_(rows), runs_(runs_of(rows)) {}

  std::vector<Print> run() {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run& run = runs_[i];
      const bool goes_on = !prints_.empty() && joins_;
      joins_ = false;
      if (run.zero && run.heap_rows == 1 && runs_.size() > 1) {
        take_lone_zero(i);
      } else if (goes_on) {
        prints_.back().rows.last = run.last;
      } else {
        prints_.push_back({run, std::nullopt});
      }
    }
    return std::move(prints_);
  }

 private:
  // Between rows with bases it is a row of theirs, whether or not it can lie at 0; at an end of
  // them only if it can.
  void take_lone_zero(std::size_t i) {
    const Run& run = runs_[i];
    const auto row = std::find_if(rows_.begin() + static_cast<std::ptrdiff_t>(run.first),
                                  rows_.begin() + static_cast<std::ptrdiff_t>(run.last),
                                  in_heap);
    const auto at = static_cast<std::size_t>(row - rows_.begin());
    const Run before = i == 0 ? Run{at, at} : runs_[i - 1];
    const Run behind = i + 1 == runs_.size() ? Run{at, at} : runs_[i + 1];
    const bool between = i != 0 && i + 1 != runs_.size();
    const bool joins_before = i != 0;
    const bool has_one = joins_before && prints_.back().at_zero.has_value();
    const bool there = !has_one && lies_at_zero(rows_, at, before, behind);
    if (joins_before && (there || between)) {
      prints_.back().rows.last = run.last;
    } else {
      prints_.push_back({run, std::nullopt});
    }
    if (there) {
      prints_.back().at_zero = at;
    }
    joins_ = there || between;
  }

  const RecordRows& rows_;
  std::vector<Run> runs_;
  std::vector<Print> prints_;
  // Whether the next run is of the last print.
  bool joins_ = false;
};

}  // namespace

std::vector<Instance> prints_of(Instance table) {
  std::vector<Instance> prints;
  // Other forms have pointers, which are whole, or none.
  if (table.form != "kib-placed") {
    prints.push_back(std::move(table));
    return prints;
  }
  const RecordRows rows = std::move(table.blocks);
  for (const Print& print : Splitter{rows}.run()) {
    Instance& part = prints.emplace_back();
    part.form = table.form;
    part.line = prints.size() == 1 ? table.line : rows[print.rows.first].line;
    for (std::size_t i = print.rows.first; i < print.rows.last; ++i) {
      Block& row = part.blocks.emplace_back(rows[i]);
      if (is_at_zero(row) && print.at_zero != i) {
        row.address.reset();
      }
    }
  }
  prints.front().priority = table.priority;
  prints.back().totals = std::move(table.totals);
  return prints;
}

}  // namespace memsize::readers
