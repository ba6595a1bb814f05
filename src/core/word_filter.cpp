// Knows each word by its three neighbouring bytes that are rarest, spreads the words over groups,
// and makes the tables that every width searches with. The search byte by byte is here, too.
#include "word_filter.hpp"

#include <algorithm>

namespace memsize::core {

namespace {

// A word's bytes one above the other, as shifted() has them.
constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};
constexpr std::uint32_t kLastByte = std::uint32_t{0xFF} << (8 * (WordFilter::kBytes - 1));

std::uint8_t byte_of(char c) {
  return static_cast<std::uint8_t>(c);
}

// How common a byte is in a console log, roughly: a word is known best by what is rare.
unsigned commonness(char c) {
  constexpr std::string_view kCommon = " etaoinsr012345";
  if (kCommon.find(c) != std::string_view::npos) {
    return 8;
  }
  const bool small = c >= 'a' && c <= 'z';
  const bool digit = c >= '0' && c <= '9';
  return small || digit ? 4 : 1;
}

std::size_t rarest_bytes(std::string_view word) {
  std::size_t best = 0;
  unsigned least = ~0U;
  for (std::size_t from = 0; from + WordFilter::kBytes <= word.size(); ++from) {
    unsigned common = 1;
    for (const char c : word.substr(from, WordFilter::kBytes)) {
      common *= commonness(c);
    }
    if (common < least) {
      least = common;
      best = from;
    }
  }
  return best;
}

// The groups one of whose words may have its bytes there.
unsigned groups_at(const WordFilter& filter, std::string_view text, std::size_t at) {
  const auto& masks = filter.masks();
  return static_cast<unsigned>(masks[0][byte_of(text[at])] & masks[1][byte_of(text[at + 1])] &
                               masks[2][byte_of(text[at + 2])]);
}

}  // namespace

WordFilter::WordFilter(const std::vector<std::string>& words) {
  std::vector<Word> sorted;
  for (const std::string& word : words) {
    sorted.push_back({word, rarest_bytes(word)});
  }
  // Words that are known by the same bytes, or begin with the same ones, share a group: then the
  // tables accept little that is no word's.
  const auto bytes = [](const Word& word) {
    return std::string_view{word.text}.substr(word.from, kBytes);
  };
  std::ranges::sort(sorted, [&](const Word& a, const Word& b) { return bytes(a) < bytes(b); });
  shifted_.fill(kNoGroup);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::size_t group = i * kGroups / sorted.size();
    const auto bit = static_cast<std::uint8_t>(1U << group);
    for (std::size_t at = 0; at < kBytes; ++at) {
      const std::uint8_t byte = byte_of(bytes(sorted[i])[at]);
      masks_[at][byte] |= bit;
      shifted_[byte] &= ~(std::uint32_t{bit} << (8 * at));
      halves_[at].low[byte & 0x0FU] |= bit;
      halves_[at].high[byte >> 4U] |= bit;
      ascii_ = ascii_ && byte < 0x80;
    }
    groups_[group].push_back(sorted[i]);
  }
}

bool WordFilter::confirm(std::string_view text, std::size_t at) const {
  unsigned groups = groups_at(*this, text, at);
  for (std::size_t group = 0; groups != 0; ++group, groups >>= 1U) {
    const auto stands_there = [&](const Word& word) {
      return word.from <= at && text.substr(at - word.from).starts_with(word.text);
    };
    if ((groups & 1U) != 0 && std::ranges::any_of(groups_[group], stands_there)) {
      return true;
    }
  }
  return false;
}

Look wide_look(std::size_t widest) {
#if defined(__x86_64__)
  static const bool has_avx512 = __builtin_cpu_supports("avx512bw") != 0 &&
                                 __builtin_cpu_supports("avx512vbmi") != 0 &&
                                 __builtin_cpu_supports("popcnt") != 0;
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx512 && widest >= 64) {
    return look_avx512;
  }
  if (has_avx2 && widest >= 32) {
    return look_avx2;
  }
#endif
  return nullptr;
}

bool look_bytewise(const WordFilter& filter,
                   std::string_view text,
                   std::size_t quiet,
                   Search& search) {
  while (search.at < text.size()) {
    const std::string_view step = text.substr(search.at, kStep);
    // A word's bytes may reach into the next step.
    const std::string_view reach = text.substr(search.at, kStep + WordFilter::kBytes - 1);
    const auto newlines = static_cast<std::size_t>(std::ranges::count(step, '\n'));
    std::uint32_t last = kNoGroup;
    std::uint32_t all = kNoGroup;
    for (const char c : reach) {
      last = last << 8U | filter.shifted()[byte_of(c)];
      all &= last;
    }
    search.quiet = newlines == 0 ? search.quiet + 1 : 0;
    if ((all & kLastByte) != kLastByte || search.quiet >= quiet) {
      search.candidates = {};
      for (std::size_t i = 0; i + WordFilter::kBytes <= reach.size(); ++i) {
        const bool candidate = groups_at(filter, reach, i) != 0;
        search.candidates[i / 64] |= std::uint64_t{candidate} << (i % 64);
      }
      return true;
    }
    search.newlines += newlines;
    search.at += step.size();
  }
  return false;
}

}  // namespace memsize::core
