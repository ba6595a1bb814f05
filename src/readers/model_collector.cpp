// A table waits as printed at creation until one with addresses has the same rows. What lost rows
// on the way still matches: by rows contained in each other, or most of both alike.
#include "model_collector.hpp"

#include "memsize/core/find.hpp"
#include "memsize/model/prints.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace memsize::readers {

namespace {

using model::Block;
using model::Instance;

// As many models as the target can hold of one priority, four times.
constexpr std::size_t kMostWaiting = 64;

bool has_addresses(const Instance& table) {
  return std::ranges::any_of(table.blocks,
                             [](const Block& block) { return block.address.has_value(); });
}

bool is_requests(const Instance& table) {
  return table.form == "requests";
}

// A request has the exact size and no lifetime, a row of a table the rounded one.
bool same_record(const Block& exact, const Block& rounded) {
  return exact.record == rounded.record && exact.space == rounded.space &&
         exact.size.nearest <= rounded.size.upper &&
         exact.size.nearest + rounded.size.upper >= rounded.size.nearest + rounded.size.nearest;
}

// Whether every row of `part` stands in `whole`. Both are sorted by record.
template <typename Same>
bool stands_in(const std::vector<Block>& part, const std::vector<Block>& whole, Same same) {
  auto known = whole.begin();
  return std::ranges::all_of(part, [&](const Block& row) {
    known = std::find_if(
        known, whole.end(), [&](const Block& block) { return block.record >= row.record; });
    return known != whole.end() && same(row, *known);
  });
}

bool same_address(const Block& a, const Block& b) {
  return a.address && b.address ? a.address->agrees_with(*b.address)
                                : a.address.has_value() == b.address.has_value();
}

bool same_place(const Block& a, const Block& b) {
  return model::same_row(a, b) && a.size.upper == b.size.upper && a.alignment == b.alignment &&
         same_address(a, b);
}

// Two prints of one model at one place.
bool same_table(const Instance& a, const Instance& b) {
  return a.form == b.form && a.priority == b.priority && model::same_totals(a, b) &&
         std::equal(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(), same_place);
}

Block* find_record(Instance& table, std::uint32_t record) {
  return core::find_in(table.blocks, record, &Block::record);
}

void sort_rows(Instance& table) {
  const auto earlier = [](const Block& a, const Block& b) { return a.record < b.record; };
  if (!std::ranges::is_sorted(table.blocks, earlier)) {
    std::ranges::stable_sort(table.blocks, earlier);
  }
}

// Each print lost rows, but not the same ones: what both have is alike, and most of both, or the
// sums below are those of the rows of both, which neither has alone.
bool agree(const Instance& earlier, const Instance& later) {
  const auto common = model::common_rows(earlier.blocks, later.blocks);
  if (!common || 2 * *common >= std::max(earlier.blocks.size(), later.blocks.size())) {
    return common.has_value();
  }
  Instance both;
  both.blocks = model::rows_of_both(earlier.blocks, later.blocks);
  both.totals = later.totals;
  return !model::totals_agree(later) && model::totals_agree(both);
}

// The rows of both; the later print has the addresses.
void merge(Instance& earlier, Instance later) {
  earlier.blocks = model::rows_of_both(earlier.blocks, std::move(later.blocks));
  earlier.line = later.line;
  // Sums alone have none.
  earlier.form = later.form;
  if (!later.totals.empty()) {
    earlier.totals = std::move(later.totals);
  }
  if (later.priority) {
    earlier.priority = later.priority;
  }
}

}  // namespace

std::uint64_t hash_of(const Instance& table) {
  // FNV-1a, 64 bits, a number at a time.
  constexpr std::uint64_t kOffsetBasis = 14695981039346656037ULL;
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  std::uint64_t hash = kOffsetBasis;
  for (const Block& block : table.blocks) {
    // What two prints have in common of one address.
    const auto low = static_cast<std::uint32_t>(block.address ? block.address->value() : 0);
    for (const std::uint64_t number :
         {std::uint64_t{block.record}, block.size.upper.count(), std::uint64_t{low}}) {
      hash = (hash ^ number) * kPrime;
    }
  }
  return hash;
}

ModelCollector::ModelCollector(std::string core, const OnModel& on_model)
    : core_(std::move(core)), on_model_(on_model) {}

std::optional<std::size_t> ModelCollector::find_first_print(const Instance& later) const {
  std::optional<std::size_t> whole;
  std::optional<std::size_t> longer;
  std::optional<std::size_t> shorter;
  std::optional<std::size_t> alike;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const Instance& earlier = waiting_[i].table;
    const std::vector<Block>& rows = earlier.blocks;
    const bool in = stands_in(later.blocks, rows, model::same_row);
    const bool around = stands_in(rows, later.blocks, model::same_row);
    if (rows.empty() && !earlier.totals.empty() && model::same_totals(earlier, later)) {
      // Every row of the first print was lost, but not its sums.
      alike = i;
    } else if (earlier.form != later.form || rows.empty()) {
      continue;
    } else if (in && around && !whole) {
      // Models are initialised in the order in which they are created.
      whole = i;
    } else if (in) {
      longer = i;
    } else if (around && 2 * rows.size() >= later.blocks.size()) {
      // Few rows prove little: the first ones are alike in most models.
      shorter = i;
    } else if (agree(earlier, later)) {
      alike = i;
    }
  }
  return whole ? whole : longer ? longer : shorter ? shorter : alike;
}

void ModelCollector::refuse_last() {
  if (!waiting_.empty()) {
    waiting_.back().refused = true;
  }
}

void ModelCollector::forget_attempt(const Instance& table) {
  const auto attempt = std::ranges::find_if(waiting_, [&](const Waiting& waits) {
    return waits.refused && waits.table.form == table.form &&
           std::equal(waits.table.blocks.begin(),
                      waits.table.blocks.end(),
                      table.blocks.begin(),
                      table.blocks.end(),
                      model::same_row);
  });
  if (attempt != waiting_.end()) {
    waiting_.erase(attempt);
  }
}

std::size_t ModelCollector::first_line_of(Instance table) const {
  sort_rows(table);
  const auto first = has_addresses(table) ? find_first_print(table) : std::nullopt;
  return first ? waiting_[*first].table.line : table.line;
}

bool ModelCollector::add(Instance table, bool refused) {
  sort_rows(table);
  if (is_requests(table)) {
    flush_requests();
    requests_ = std::move(table);
    return models_.size() <= kMostModels;
  }
  if (has_addresses(table)) {
    settle_requests(table);
    std::size_t first_line = table.line;
    if (const auto first = find_first_print(table); first) {
      Instance model = std::move(waiting_[*first].table);
      first_line = model.line;
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(*first));
      merge(model, std::move(table));
      table = std::move(model);
    }
    keep(std::move(table), first_line);
    return models_.size() <= kMostModels;
  }
  // Both prints lost every row, but not their sums.
  const bool again = table.blocks.empty() && !waiting_.empty() &&
                     waiting_.back().table.blocks.empty() &&
                     model::same_totals(waiting_.back().table, table);
  if (again) {
    return true;
  }
  forget_attempt(table);
  waiting_.push_back({std::move(table), refused});
  if (waiting_.size() > kMostWaiting) {
    const std::size_t line = waiting_.front().table.line;
    keep(std::move(waiting_.front().table), line);
    waiting_.pop_front();
  }
  return models_.size() <= kMostModels;
}

void ModelCollector::settle_requests(Instance& table) {
  if (!requests_) {
    return;
  }
  const bool same = std::ranges::all_of(requests_->blocks, [&](const Block& request) {
    const Block* row = find_record(table, request.record);
    return row == nullptr ||
           (same_record(request, *row) &&
            (!request.address || !row->address || request.address->agrees_with(*row->address)));
  });
  if (!same) {
    flush_requests();
    return;
  }
  for (const Block& request : requests_->blocks) {
    Block* row = find_record(table, request.record);
    // The table has its low bits.
    if (row != nullptr && row->address && request.address) {
      row->address = request.address;
    }
  }
  requests_.reset();
}

// Requests that no initialised table follows: those of a table that waits, or a model of their own.
void ModelCollector::flush_requests() {
  if (!requests_) {
    return;
  }
  Instance requests = std::move(*requests_);
  requests_.reset();
  const auto table = std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Waiting& waits) {
    return stands_in(requests.blocks, waits.table.blocks, same_record);
  });
  if (table == waiting_.rend()) {
    const std::size_t line = requests.line;
    keep(std::move(requests), line);
    return;
  }
  for (const Block& request : requests.blocks) {
    if (Block* row = find_record(table->table, request.record); row != nullptr) {
      row->address = request.address;
    }
  }
}

void ModelCollector::keep(Instance instance, std::size_t first_line) {
  if (has_addresses(instance)) {
    const std::uint64_t hash = hash_of(instance);
    const auto [begin, end] = known_.equal_range(hash);
    const auto known = std::find_if(begin, end, [&](const auto& candidate) {
      return same_table(models_[candidate.second], instance);
    });
    if (known != end) {
      models_[known->second].times += 1;
      return;
    }
    known_.emplace(hash, models_.size());
  }
  if (on_model_) {
    on_model_(core_, instance, first_line);
  }
  models_.push_back(std::move(instance));
}

std::vector<Instance> ModelCollector::finish() {
  flush_requests();
  for (Waiting& waits : waiting_) {
    const std::size_t line = waits.table.line;
    keep(std::move(waits.table), line);
  }
  waiting_.clear();
  std::ranges::stable_sort(models_, {}, &Instance::line);
  return std::move(models_);
}

}  // namespace memsize::readers
