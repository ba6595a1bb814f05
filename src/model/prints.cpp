// Compares prints row by row, and sums with what their rows can add up to: sizes print rounded.
#include "memsize/model/prints.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>

namespace memsize::model {

namespace {

using core::Bytes;

// The least that prints like this.
Bytes lower_of(const MeasuredSize& size) {
  return size.nearest + size.nearest - size.upper;
}

bool is_of(const Block& block, const ClassTotal& total) {
  return block.space == total.space && block.cacheability == total.cacheability &&
         (!total.lifetime || *total.lifetime == block.lifetime);
}

}  // namespace

bool same_row(const Block& a, const Block& b) {
  return a.record == b.record && a.space == b.space && a.cacheability == b.cacheability &&
         a.lifetime == b.lifetime && a.size.nearest == b.size.nearest;
}

bool same_totals(const Instance& a, const Instance& b) {
  return std::equal(a.totals.begin(),
                    a.totals.end(),
                    b.totals.begin(),
                    b.totals.end(),
                    [](const ClassTotal& x, const ClassTotal& y) {
                      return x.space == y.space && x.cacheability == y.cacheability &&
                             x.lifetime == y.lifetime && x.size.nearest == y.size.nearest;
                    });
}

std::optional<std::size_t> common_rows(const std::vector<Block>& a, const std::vector<Block>& b) {
  std::size_t common = 0;
  for (const Block& row : a) {
    const auto* other = core::find_in(b, row.record, &Block::record);
    if (other != nullptr && !same_row(row, *other)) {
      return std::nullopt;
    }
    common += other == nullptr ? 0U : 1U;
  }
  return common;
}

std::vector<Block> rows_of_both(const std::vector<Block>& earlier, std::vector<Block> later) {
  later.insert(later.end(), earlier.begin(), earlier.end());
  std::ranges::stable_sort(later, {}, &Block::record);
  const auto end = std::unique(later.begin(), later.end(), [](const Block& a, const Block& b) {
    return a.record == b.record;
  });
  later.erase(end, later.end());
  return later;
}

RowSum sum_of(const Instance& instance, const ClassTotal& total) {
  RowSum sum;
  for (const Block& block : instance.blocks) {
    if (is_of(block, total)) {
      sum.least += lower_of(block.size);
      sum.nearest += block.size.nearest;
      sum.most += block.size.upper;
    }
  }
  return sum;
}

bool agrees(const Instance& instance, const ClassTotal& total) {
  const RowSum sum = sum_of(instance, total);
  return sum.least <= total.size.upper && lower_of(total.size) <= sum.most;
}

bool lacks_total(const Instance& instance, const Block& block) {
  return block.cacheability != Cacheability::kOnChip && block.size.nearest > Bytes{} &&
         std::ranges::none_of(instance.totals,
                              [&](const ClassTotal& total) { return is_of(block, total); });
}

bool totals_agree(const Instance& instance) {
  const auto& totals = instance.totals;
  return !totals.empty() && std::ranges::none_of(instance.blocks, [&](const Block& block) {
    return lacks_total(instance, block);
  }) && std::ranges::all_of(totals, [&](const ClassTotal& t) { return agrees(instance, t); });
}

}  // namespace memsize::model
