// What a C7x's MMU driver does, written down a second time for the tests: with sets of slots
// instead of tables, and with a map of single pages. It shares nothing with layout/translation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace memsize::test {

inline constexpr std::uint64_t kPage = 1ULL << 12;
inline constexpr std::uint64_t kTwoMiB = 1ULL << 21;
inline constexpr std::uint64_t kOneGiB = 1ULL << 30;

/// An entry as the driver is given it.
struct ModelEntry {
  std::uint64_t virtual_base = 0;
  std::uint64_t physical = 0;
  std::uint64_t size = 0;
  unsigned mair = 0;
};

/// A block whose physical address was cut.
struct ModelCut {
  std::size_t instance = 0;
  std::uint64_t virtual_base = 0;
  std::uint64_t wanted = 0;
  std::uint64_t block = 0;

  friend bool operator==(const ModelCut&, const ModelCut&) = default;
};

/// Physical address and attribute of a page; the default is a page that nothing maps.
struct ModelPage {
  std::uint64_t physical = UINT64_MAX;
  unsigned mair = 0;

  friend bool operator==(const ModelPage&, const ModelPage&) = default;
};

/// The pages of a piece of virtual address space.
class Pages {
 public:
  Pages() = default;

  Pages(std::uint64_t base, std::uint64_t size) : base_(base), pages_(size / kPage) {}

  /// Whether all of it lies in this piece.
  bool map(std::uint64_t from, std::uint64_t size, std::uint64_t physical, unsigned mair) {
    const std::uint64_t first = (from - base_) / kPage;
    const std::uint64_t count = size / kPage;
    if (from < base_ || first + count > pages_.size()) {
      return false;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      pages_[first + i] = {physical + i * kPage, mair};
    }
    return true;
  }

  friend bool operator==(const Pages&, const Pages&) = default;

 private:
  std::uint64_t base_ = 0;
  std::vector<ModelPage> pages_;
};

class DriverModel {
 public:
  /// `pages` is filled; empty where only counts are wanted.
  DriverModel(const std::vector<ModelEntry>& entries, bool blocks_replace_tables, Pages pages = {})
      : replace_(blocks_replace_tables), pages_(std::move(pages)) {
    for (const ModelEntry& entry : entries) {
      ++instance_;
      add(entry);
    }
  }

  /// Root, one per 512 GiB in use, one per 1 GiB and per 2 MiB that was ever taken to pieces.
  [[nodiscard]] std::size_t taken() const { return 1 + roots_.size() + splits_; }

  [[nodiscard]] const std::vector<ModelCut>& cuts() const { return cuts_; }

  [[nodiscard]] const Pages& pages() const { return pages_; }

 private:
  void add(const ModelEntry& entry) {
    const std::uint64_t end = entry.virtual_base + entry.size;
    for (std::uint64_t at = entry.virtual_base; at < end; at = (at / kOneGiB + 1) * kOneGiB) {
      roots_.insert(at >> 39);
      const std::uint64_t slot = at / kOneGiB;
      const bool whole = at % kOneGiB == 0 && end - at >= kOneGiB;
      if (whole && (replace_ || !large_.contains(slot))) {
        large_.erase(slot);
        small_.erase(small_.lower_bound(slot * 512), small_.lower_bound((slot + 1) * 512));
        put(entry, at, kOneGiB, kOneGiB);
        continue;
      }
      splits_ += large_.insert(slot).second ? 1U : 0U;
      add_small(entry, at, std::min(end, (slot + 1) * kOneGiB));
    }
  }

  void add_small(const ModelEntry& entry, std::uint64_t from, std::uint64_t end) {
    for (std::uint64_t at = from; at < end; at = (at / kTwoMiB + 1) * kTwoMiB) {
      const std::uint64_t slot = at / kTwoMiB;
      const std::uint64_t stop = std::min(end, (slot + 1) * kTwoMiB);
      if (stop - at == kTwoMiB && (replace_ || !small_.contains(slot))) {
        small_.erase(slot);
        put(entry, at, kTwoMiB, kTwoMiB);
        continue;
      }
      splits_ += small_.insert(slot).second ? 1U : 0U;
      put(entry, at, stop - at, kPage);
    }
  }

  void put(const ModelEntry& entry, std::uint64_t at, std::uint64_t size, std::uint64_t block) {
    const std::uint64_t wanted = entry.physical + (at - entry.virtual_base);
    const std::uint64_t held = wanted / block * block;
    if (held != wanted) {
      cuts_.push_back({instance_, at, wanted, block});
    }
    pages_.map(at, size, held, entry.mair);
  }

  bool replace_;
  std::size_t instance_ = 0;
  std::size_t splits_ = 0;
  std::set<std::uint64_t> roots_;
  /// Slots of 1 GiB and of 2 MiB that are tables now.
  std::set<std::uint64_t> large_;
  std::set<std::uint64_t> small_;
  std::vector<ModelCut> cuts_;
  Pages pages_;
};

}  // namespace memsize::test
