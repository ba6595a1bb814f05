// Cuts the bytes of translation tables into words and rows for C source. Rows of zeros are left
// out, because C fills what has no initialiser with zeros.
#include "view_tables.hpp"

#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "view.hpp"

#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

constexpr std::size_t kWordsOfTable = 512;
constexpr std::size_t kWordsOfRow = 4;
constexpr std::size_t kBytesOfWord = 8;

std::vector<std::uint64_t> words_of(const std::string& bytes) {
  std::vector<std::uint64_t> words(bytes.size() / kBytesOfWord, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    words[i / kBytesOfWord] |= static_cast<std::uint64_t>(byte) << (i % kBytesOfWord * 8);
  }
  return words;
}

// The rows of a table that are not all 0, which is what C makes of those that are left out.
Json rows_of(const std::vector<std::uint64_t>& words, std::size_t first) {
  Json rows = Json::array();
  for (std::size_t at = first; at < first + kWordsOfTable; at += kWordsOfRow) {
    std::vector<std::string> row;
    bool is_empty = true;
    for (std::size_t i = at; i < at + kWordsOfRow; ++i) {
      row.push_back(words[i] == 0 ? "0" : fmt::format("0x{:X}ULL", words[i]));
      is_empty = is_empty && words[i] == 0;
    }
    if (!is_empty) {
      rows.push_back({{"index", fmt::format("{}", at)}, {"words", core::join(row, ", ")}});
    }
  }
  return rows;
}

}  // namespace

Json mmu_tables_view(const layout::MemoryMap& map,
                     const std::string& core,
                     const Armv8Tables& tables) {
  const auto& places = map.board.mmu.tables_in;
  const auto* place = core::find_in(places, core, &board::MmuTablesIn::core);
  core::bug_if(place == nullptr, "translation tables without a region");
  const std::vector<std::uint64_t> words = words_of(tables.bytes);
  Json view = head_view(map);
  view["core"] = core;
  view["base"] = core::format_address(tables.base);
  view["region"] = place->region;
  view["tcr"] = core::format_hex(kTcrEl1);
  view["mair"] = core::format_hex(kMairEl1);
  view["words"] = fmt::format("{}", words.size());
  view["tables"] = Json::array();
  for (std::size_t first = 0; first < words.size(); first += kWordsOfTable) {
    const std::uint64_t address = tables.base.value() + first * kBytesOfWord;
    view["tables"].push_back(
        {{"name", first == 0 ? "the root" : fmt::format("table {}", first / kWordsOfTable)},
         {"address", core::format_hex(address)},
         {"rows", rows_of(words, first)}});
  }
  return view;
}

}  // namespace memsize::emit
