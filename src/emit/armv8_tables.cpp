// Turns the drivers' tables into descriptors, numbered in the order of a walk, and puts them at the
// end of the region that the board names for them. What the hardware cannot load is an error.
#include "memsize/emit/armv8_tables.hpp"

#include "memsize/board/mmu.hpp"
#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/translation.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Bytes;
using core::Code;
using core::PhysAddr;
using layout::TranslationTables;

constexpr std::uint64_t kPage = 4096;
constexpr unsigned kLastLevel = 3;
constexpr unsigned kBitsOfByte = 8;

// The fields of a descriptor that are the same in every block and page: the header has them all.
constexpr std::uint64_t kTableOrPage = 3;
constexpr std::uint64_t kBlock = 1;
constexpr unsigned kAttributeShift = 2;
constexpr std::uint64_t kOuterShareable = 2ULL << 8;
constexpr std::uint64_t kAccessed = 1ULL << 10;
constexpr std::uint64_t kNoExecuteBelow = 1ULL << 54;

// The tables that the root leads to, in the order in which a walk finds them.
class Words {
 public:
  Words(const TranslationTables& tables, PhysAddr base) : tables_(tables.tables()), base_(base) {
    number(0, 0);
  }

  [[nodiscard]] Bytes size() const { return Bytes{order_.size() * kPage}; }

  [[nodiscard]] std::string bytes() const {
    std::string bytes;
    bytes.reserve(order_.size() * kPage);
    for (const auto& [table, level] : order_) {
      for (const TranslationTables::Slot& slot : tables_[table]) {
        const std::uint64_t word = descriptor(slot, level);
        for (unsigned shift = 0; shift < 64; shift += kBitsOfByte) {
          bytes += static_cast<char>(word >> shift & 0xFFU);
        }
      }
    }
    return bytes;
  }

 private:
  struct Placed {
    std::size_t table = 0;
    unsigned level = 0;
  };

  void number(std::size_t table, unsigned level) {
    core::bug_if(level > kLastLevel, "a table below the last level");
    place_of_[table] = order_.size();
    order_.push_back({table, level});
    for (const TranslationTables::Slot& slot : tables_[table]) {
      if (slot.kind == TranslationTables::Kind::kTable) {
        number(static_cast<std::size_t>(slot.target), level + 1);
      }
    }
  }

  [[nodiscard]] std::uint64_t descriptor(const TranslationTables::Slot& slot,
                                         unsigned level) const {
    const std::uint64_t target = slot.target;
    switch (slot.kind) {
      case TranslationTables::Kind::kNothing:
        break;
      case TranslationTables::Kind::kTable:
        return (base_.value() + place_of_.at(static_cast<std::size_t>(target)) * kPage) |
               kTableOrPage;
      case TranslationTables::Kind::kBlock:
        return target | (level == kLastLevel ? kTableOrPage : kBlock) |
               static_cast<std::uint64_t>(slot.mair) << kAttributeShift | kOuterShareable |
               kAccessed | kNoExecuteBelow;
    }
    return 0;
  }

  const std::vector<TranslationTables::Table>& tables_;
  PhysAddr base_;
  std::vector<Placed> order_;
  std::map<std::size_t, std::size_t> place_of_;
};

bool is_pages(std::uint64_t base, std::uint64_t size) {
  return base % kPage == 0 && size % kPage == 0;
}

bool is_reachable(std::uint64_t base, std::uint64_t size) {
  return base < layout::kAddressLimit && size <= layout::kAddressLimit - base;
}

core::Diagnostics wrong_entries(const layout::MmuTable& entries) {
  core::Diagnostics errors;
  for (const layout::MmuRange& range : entries.ranges) {
    const std::uint64_t seen = range.virtual_range.base().value();
    const std::uint64_t real = range.physical.base().value();
    const std::uint64_t size = range.virtual_range.size().count();
    if (!is_pages(seen, size) || !is_pages(real, size)) {
      errors.push_back(core::error(Code::kMmuGranule,
                                   fmt::format("MMU entry '{}' of '{}' is no whole pages of 4 KiB",
                                               core::printable(range.entry),
                                               core::printable(entries.core)),
                                   range.place));
    } else if (!is_reachable(seen, size) || !is_reachable(real, size)) {
      errors.push_back(
          core::error(Code::kMmuSpan,
                      fmt::format("MMU entry '{}' of '{}' goes beyond 48 bits of address",
                                  core::printable(range.entry),
                                  core::printable(entries.core)),
                      range.place));
    }
  }
  return errors;
}

core::Result<TranslationTables> built(const layout::MmuTable& entries, bool blocks_replace_tables) {
  core::Diagnostics errors = wrong_entries(entries);
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  TranslationTables tables{entries, blocks_replace_tables};
  if (tables.overflow()) {
    return core::fail(
        core::error(Code::kMmuTables,
                    fmt::format("the MMU entries of '{}' take more than {} translation tables",
                                core::printable(entries.core),
                                tables.taken()),
                    entries.place,
                    "let the entries begin and end on multiples of 2 MiB"));
  }
  return tables;
}

core::Result<Armv8Tables> written_tables(const layout::MmuTable& entries,
                                         const TranslationTables& tables,
                                         PhysAddr base) {
  const Words words{tables, base};
  if (!is_pages(base.value(), 0)) {
    return core::fail(core::error(Code::kMmuGranule,
                                  fmt::format("the translation tables of '{}' cannot begin at {}: "
                                              "that is no multiple of 4 KiB",
                                              core::printable(entries.core),
                                              core::format_hex(base.value())),
                                  entries.place));
  }
  if (!is_reachable(base.value(), words.size().count())) {
    return core::fail(
        core::error(Code::kMmuSpan,
                    fmt::format("the translation tables of '{}' at {} go beyond 48 bits of address",
                                core::printable(entries.core),
                                core::format_hex(base.value())),
                    entries.place));
  }
  return Armv8Tables{base, words.bytes()};
}

}  // namespace

core::Result<Armv8Tables> armv8_tables(const layout::MmuTable& entries,
                                       bool blocks_replace_tables,
                                       PhysAddr base) {
  const auto tables = built(entries, blocks_replace_tables);
  MEMSIZE_TRY(tables);
  return written_tables(entries, *tables, base);
}

core::Result<Armv8Tables> tables_of(const layout::MemoryMap& map, const std::string& core) {
  const layout::MmuTable* entries = map.find_mmu(core);
  core::bug_if(entries == nullptr, "a core without MMU entries has no translation tables");
  const auto& places = map.board.mmu.tables_in;
  const auto* place = core::find_in(places, core, &board::MmuTablesIn::core);
  if (place == nullptr) {
    return core::fail(core::error(
        Code::kBoardReference,
        fmt::format("the board does not say where the translation tables of '{}' lie",
                    core::printable(core)),
        entries->place,
        fmt::format("write {} = \"REGION\" in [mmu.tables_in], with the core's code and data",
                    core::printable(core))));
  }
  const auto region = std::ranges::find_if(map.regions, [&](const layout::Region& r) {
    return r.name == place->region && r.seen_by(core) && r.physical_base;
  });
  core::bug_if(region == map.regions.end(), "a region that the board named is not in its map");
  const auto tables = built(*entries, map.board.mmu.blocks_replace_tables);
  MEMSIZE_TRY(tables);
  const std::uint64_t needed = Words{*tables, {}}.size().count();
  const std::uint64_t first = region->physical_base->value();
  const std::uint64_t end = first + region->size.count();
  const std::uint64_t base = (end - std::min(end, needed)) / kPage * kPage;
  if (needed > end || base < first) {
    return core::fail(core::error(
        Code::kLayoutWindow,
        fmt::format("'{}' has {}: too little for the translation tables of '{}', which take {}",
                    core::printable(region->name),
                    core::format_size(region->size),
                    core::printable(core),
                    core::format_size(Bytes{needed})),
        place->place));
  }
  return written_tables(*entries, *tables, PhysAddr{base});
}

}  // namespace memsize::emit
