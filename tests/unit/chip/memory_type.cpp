// What bits and indexes mean, as the manuals have it.
#include "memsize/chip/memory_type.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::chip::memory_type_test {

TEST_SUITE("chip") {
  TEST_CASE("TEX, C and B as in DDI 0406C, table B5-11") {
    struct Row {
      unsigned tex;
      bool c;
      bool b;
      Cache cache;
      bool is_memory;
    };

    // Strongly ordered and devices are not cached, and no memory.
    const Row rows[] = {{0, false, false, Cache::kNonCached, false},
                        {0, false, true, Cache::kNonCached, false},
                        {0, true, false, Cache::kWriteThrough, true},
                        {0, true, true, Cache::kCached, true},
                        {1, false, false, Cache::kNonCached, true},
                        {1, true, true, Cache::kCached, true},
                        {2, false, false, Cache::kNonCached, false},
                        {4, false, false, Cache::kNonCached, true},
                        {4, false, true, Cache::kCached, true},
                        {4, true, false, Cache::kWriteThrough, true},
                        {7, true, true, Cache::kCached, true}};
    for (const Row& row : rows) {
      CAPTURE(row.tex);
      const MpuBits bits{row.tex, row.c, row.b};
      CHECK(cache_of(bits) == row.cache);
      CHECK(is_memory(bits) == row.is_memory);
    }
  }

  TEST_CASE("attributes of an MMU by their names, and what a board uses them for") {
    CHECK(mair_of("MAIR0") == 0U);
    CHECK(mair_of("MAIR7") == 7U);
    for (const char* const wrong : {"", "MAIR", "MAIR8", "MAIR12", "mair7", "7", "MAIR-"}) {
      CHECK_FALSE(mair_of(wrong));
    }
    CHECK(mair_name(4) == "MAIR4");
    const MairKinds kinds{.non_cached = {0, 4}, .write_through = {}, .cached = {7}};
    CHECK(kinds.of(4) == Cache::kNonCached);
    CHECK(kinds.of(5) == Cache::kAny);
    CHECK(kinds.allow(Cache::kNonCached, "MAIR0"));
    CHECK_FALSE(kinds.allow(Cache::kCached, "MAIR0"));
    CHECK_FALSE(kinds.allow(Cache::kCached, "words"));
    // Nothing is known of it.
    CHECK(kinds.allow(Cache::kWriteThrough, "MAIR1"));
    CHECK(kinds.allow(Cache::kAny, "words"));
  }
}

}  // namespace memsize::chip::memory_type_test
