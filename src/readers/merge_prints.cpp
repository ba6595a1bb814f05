#include "merge_prints.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using model::Block;
using model::Instance;

bool has_addresses(const Instance& table) {
  return std::any_of(table.blocks.begin(), table.blocks.end(), [](const Block& block) {
    return block.address_low.has_value();
  });
}

bool same_row(const Block& a, const Block& b) {
  return a.record == b.record && a.space == b.space && a.cacheability == b.cacheability &&
         a.lifetime == b.lifetime && a.size.printed_kib == b.size.printed_kib;
}

// Whether every row of `part` stands in `whole`. Both are sorted by record.
bool stands_in(const std::vector<Block>& part, const std::vector<Block>& whole) {
  auto known = whole.begin();
  return std::all_of(part.begin(), part.end(), [&](const Block& row) {
    known = std::find_if(
        known, whole.end(), [&](const Block& block) { return block.record >= row.record; });
    return known != whole.end() && same_row(*known, row);
  });
}

// Everything that two prints of one model have in common.
std::string signature(const Instance& table) {
  std::string text;
  for (const Block& row : table.blocks) {
    text += fmt::format("{} {} {} {} {}\n",
                        row.record,
                        row.space,
                        model::name_of(row.cacheability),
                        model::name_of(row.lifetime),
                        row.size.printed_kib);
  }
  return text;
}

// The tables that wait for their second print, by their place in the list of models.
class Waiting {
 public:
  explicit Waiting(const std::vector<Instance>& models) : models_(models) {}

  void add(std::size_t index) {
    places_.insert(index);
    by_signature_[signature(models_[index])].push(index);
  }

  // The table whose second print `later` is; it waits no longer.
  std::optional<std::size_t> take(const Instance& later) {
    const auto found = whole(later);
    const auto taken = found ? found : partial(later);
    if (taken) {
      places_.erase(*taken);
    }
    return taken;
  }

 private:
  std::optional<std::size_t> whole(const Instance& later) {
    const auto same = by_signature_.find(signature(later));
    while (same != by_signature_.end() && !same->second.empty()) {
      const std::size_t index = same->second.front();
      same->second.pop();
      if (places_.contains(index)) {
        return index;
      }
    }
    return std::nullopt;
  }

  // One of the two prints lost rows. Both are close to each other, so only the latest tables are
  // looked at, which bounds the time that a long log takes.
  [[nodiscard]] std::optional<std::size_t> partial(const Instance& later) const {
    constexpr std::size_t kLatest = 64;
    std::optional<std::size_t> shorter;
    std::optional<std::size_t> longer;
    auto place = places_.rbegin();
    for (std::size_t i = 0; i < kLatest && place != places_.rend(); ++i, ++place) {
      const std::vector<Block>& rows = models_[*place].blocks;
      if (stands_in(later.blocks, rows)) {
        longer = *place;
      } else if (2 * rows.size() >= later.blocks.size() && stands_in(rows, later.blocks)) {
        // Few rows prove little: the first ones are alike in most models.
        shorter = *place;
      }
    }
    return longer ? longer : shorter;
  }

  const std::vector<Instance>& models_;
  std::set<std::size_t> places_;
  std::map<std::string, std::queue<std::size_t>> by_signature_;
};

// The rows of both, sorted by record; the later print has the addresses.
void merge(Instance& earlier, Instance later) {
  std::vector<Block> rows = std::move(later.blocks);
  rows.insert(rows.end(), earlier.blocks.begin(), earlier.blocks.end());
  std::stable_sort(
      rows.begin(), rows.end(), [](const Block& a, const Block& b) { return a.record < b.record; });
  const auto end = std::unique(rows.begin(), rows.end(), [](const Block& a, const Block& b) {
    return a.record == b.record;
  });
  rows.erase(end, rows.end());
  earlier.blocks = std::move(rows);
  earlier.line = later.line;
}

}  // namespace

std::vector<Instance> merge_prints(std::vector<Instance> tables) {
  std::vector<Instance> models;
  Waiting waiting{models};
  for (Instance& table : tables) {
    const bool initialised = has_addresses(table);
    const auto first = initialised ? waiting.take(table) : std::nullopt;
    if (first) {
      merge(models[*first], std::move(table));
      continue;
    }
    models.push_back(std::move(table));
    if (!initialised) {
      waiting.add(models.size() - 1);
    }
  }
  return models;
}

}  // namespace memsize::readers
