#include "row_cache.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers::row_cache_test {
namespace {

Row row_of(std::uint32_t record) {
  Row row;
  row.form = "bytes";
  row.block.record = record;
  return row;
}

std::string text_of(std::uint32_t record) {
  return fmt::format("{:<12}, DDR Cacheable       , Persistent  ,  128, 4.00    ", record);
}

TEST_SUITE("readers: rows read before") {
  TEST_CASE("each text has its own row, and others have none") {
    RowCache cache;
    CHECK(cache.find("") == nullptr);
    CHECK(cache.find(text_of(0)) == nullptr);
    for (std::uint32_t record = 0; record < RowCache::kMostRows; ++record) {
      cache.put(text_of(record), row_of(record));
    }
    std::uint32_t wrong = 0;
    for (std::uint32_t record = 0; record < RowCache::kMostRows; ++record) {
      const Row* const row = cache.find(text_of(record));
      wrong += row == nullptr || row->block.record != record ? 1U : 0U;
      wrong += cache.find(text_of(record) + " ") != nullptr ? 1U : 0U;
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("a text keeps its first row; what is too long or too much is not kept") {
    RowCache cache;
    cache.put("a", row_of(1));
    cache.put("a", row_of(2));
    REQUIRE(cache.find("a") != nullptr);
    CHECK(cache.find("a")->block.record == 1);
    const std::string longest(RowCache::kLongestText, 'x');
    cache.put(longest, row_of(3));
    cache.put(longest + "x", row_of(4));
    REQUIRE(cache.find(longest) != nullptr);
    CHECK(cache.find(longest + "x") == nullptr);
    for (std::uint32_t record = 2; record < RowCache::kMostRows; ++record) {
      cache.put(text_of(record), row_of(record));
    }
    CHECK(cache.find(text_of(RowCache::kMostRows - 1)) != nullptr);
    cache.put("more", row_of(5));
    CHECK(cache.find("more") == nullptr);
  }
}

}  // namespace
}  // namespace memsize::readers::row_cache_test
