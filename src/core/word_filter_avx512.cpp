// The search of word_filter.hpp, 64 bytes at a time: for each of a word's three bytes, one look-up
// in a table of all of ASCII gives the groups whose words have it there.
#include "word_filter.hpp"

#if defined(__x86_64__)

#include <bit>

#include <immintrin.h>

namespace memsize::core {

namespace {

constexpr std::size_t kWide = 64;
static_assert(kStep == 2 * kWide);

struct Table {
  __m512i first;
  __m512i second;
};

[[gnu::target("avx512bw,avx512vbmi")]] inline __m512i load(const void* at) {
  return _mm512_loadu_si512(at);
}

// A byte above ASCII is taken for the one without its highest bit: confirm() knows better.
[[gnu::target("avx512bw,avx512vbmi")]] inline __m512i groups_of(const Table& table, __m512i bytes) {
  return _mm512_permutex2var_epi8(table.first, bytes, table.second);
}

[[gnu::target("avx512bw,avx512vbmi")]] inline __m512i groups_at(
    const std::array<Table, WordFilter::kBytes>& tables, const char* at) {
  return _mm512_and_si512(
      _mm512_and_si512(groups_of(tables[0], load(at)), groups_of(tables[1], load(at + 1))),
      groups_of(tables[2], load(at + 2)));
}

}  // namespace

[[gnu::target("avx512bw,avx512vbmi,popcnt")]] bool look_avx512(const WordFilter& filter,
                                                               std::string_view text,
                                                               std::size_t quiet,
                                                               Search& search) {
  std::array<Table, WordFilter::kBytes> tables{};
  for (std::size_t i = 0; i < WordFilter::kBytes; ++i) {
    const std::uint8_t* const masks = filter.masks()[i].data();
    tables[i].first = load(masks);
    tables[i].second = load(masks + kWide);
  }
  const __m512i newline = _mm512_set1_epi8('\n');
  constexpr std::size_t kReach = kStep + WordFilter::kBytes - 1;
  std::size_t newlines = 0;
  bool stopped = false;
  for (; search.at + kReach <= text.size(); search.at += kStep) {
    const char* const at = text.data() + search.at;
    const __m512i first = groups_at(tables, at);
    const __m512i second = groups_at(tables, at + kWide);
    const std::uint64_t first_ends = _mm512_cmpeq_epi8_mask(load(at), newline);
    const std::uint64_t second_ends = _mm512_cmpeq_epi8_mask(load(at + kWide), newline);
    search.quiet = (first_ends | second_ends) == 0 ? search.quiet + 1 : 0;
    const __m512i any = _mm512_or_si512(first, second);
    if (_mm512_test_epi8_mask(any, any) != 0 || search.quiet >= quiet) {
      search.candidates = {_mm512_test_epi8_mask(first, first),
                           _mm512_test_epi8_mask(second, second)};
      stopped = true;
      break;
    }
    newlines += static_cast<std::size_t>(std::popcount(first_ends) + std::popcount(second_ends));
  }
  search.newlines += newlines;
  return stopped;
}

}  // namespace memsize::core

#endif
