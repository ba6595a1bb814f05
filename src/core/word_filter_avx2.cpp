// The search of word_filter.hpp, 32 bytes at a time ("Teddy", of Hyperscan): for each of a word's
// three bytes, two table look-ups give the groups whose words have it there.
#include "word_filter.hpp"

#if defined(__x86_64__)

#include <algorithm>

#include <immintrin.h>

namespace memsize::core {

namespace {

constexpr std::size_t kWide = 32;
// Each lane counts at most this many vectors before it would overflow.
constexpr std::size_t kStepsUncounted = 255 / (kStep / kWide);

struct Wide {
  __m256i bits;
};

struct Tables {
  std::array<Wide, WordFilter::kBytes> low;
  std::array<Wide, WordFilter::kBytes> high;
};

[[gnu::target("avx2")]] inline __m256i load(const char* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

[[gnu::target("avx2")]] inline __m256i twice(const std::array<std::uint8_t, 16>& table) {
  return _mm256_broadcastsi128_si256(
      _mm_load_si128(reinterpret_cast<const __m128i*>(table.data())));
}

// The groups of which each byte may be the byte `I` of a word. A byte above ASCII gives none: with
// its highest bit set, the low half looks up nothing.
template <std::size_t I>
[[gnu::target("avx2")]] inline __m256i groups_of(const Tables& tables, __m256i bytes) {
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0F));
  return _mm256_and_si256(_mm256_shuffle_epi8(tables.low[I].bits, bytes),
                          _mm256_shuffle_epi8(tables.high[I].bits, high));
}

[[gnu::target("avx2")]] inline std::uint64_t not_zero(__m256i low, __m256i high) {
  const __m256i zero = _mm256_setzero_si256();
  const auto a = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, zero)));
  const auto b = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, zero)));
  return ~(std::uint64_t{a} | std::uint64_t{b} << 32U);
}

[[gnu::target("avx2")]] inline std::size_t sum(__m256i counts) {
  const __m256i sums = _mm256_sad_epu8(counts, _mm256_setzero_si256());
  return static_cast<std::size_t>(_mm256_extract_epi64(sums, 0) + _mm256_extract_epi64(sums, 1) +
                                  _mm256_extract_epi64(sums, 2) + _mm256_extract_epi64(sums, 3));
}

}  // namespace

[[gnu::target("avx2")]] bool look_avx2(const WordFilter& filter,
                                       std::string_view text,
                                       std::size_t quiet,
                                       Search& search) {
  Tables tables{};
  for (std::size_t i = 0; i < WordFilter::kBytes; ++i) {
    tables.low[i].bits = twice(filter.halves()[i].low);
    tables.high[i].bits = twice(filter.halves()[i].high);
  }
  const __m256i newline = _mm256_set1_epi8('\n');
  constexpr std::size_t kReach = kStep + WordFilter::kBytes - 1;
  while (search.at + kReach <= text.size()) {
    const std::size_t steps =
        std::min((text.size() - search.at - kReach) / kStep + 1, kStepsUncounted);
    const char* const end = text.data() + search.at + steps * kStep;
    __m256i counts = _mm256_setzero_si256();
    const char* at = text.data() + search.at;
    for (; at != end; at += kStep) {
      std::array<Wide, kStep / kWide> groups{};
      __m256i any_group = _mm256_setzero_si256();
      __m256i ends = _mm256_setzero_si256();
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kStep / kWide; ++i) {
        const char* const wide = at + i * kWide;
        const __m256i bytes = load(wide);
        groups[i].bits = _mm256_and_si256(
            _mm256_and_si256(groups_of<0>(tables, bytes), groups_of<1>(tables, load(wide + 1))),
            groups_of<2>(tables, load(wide + 2)));
        any_group = _mm256_or_si256(any_group, groups[i].bits);
        // Minus one in each byte that ends a line.
        ends = _mm256_add_epi8(ends, _mm256_cmpeq_epi8(bytes, newline));
      }
      search.quiet = _mm256_testz_si256(ends, ends) != 0 ? search.quiet + 1 : 0;
      if (_mm256_testz_si256(any_group, any_group) == 0 || search.quiet >= quiet) {
        search.newlines += sum(counts);
        search.at = static_cast<std::size_t>(at - text.data());
        search.candidates = {not_zero(groups[0].bits, groups[1].bits),
                             not_zero(groups[2].bits, groups[3].bits)};
        return true;
      }
      counts = _mm256_sub_epi8(counts, ends);
    }
    search.newlines += sum(counts);
    search.at += steps * kStep;
  }
  return false;
}

}  // namespace memsize::core

#endif
