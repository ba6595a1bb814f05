// Counts in the last printed digit, so that nothing is lost on the way.
#include "printed_size.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <re2/re2.h>

namespace memsize::readers {

namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 50U;
constexpr std::uint64_t kKib = 1024;
constexpr unsigned kHundredths = 2;
constexpr unsigned kMostDecimals = 6;
constexpr std::uint64_t kTen = 10;

// "20,625". Nothing: a comma is elsewhere than before three digits.
std::optional<std::string> without_commas(std::string_view text) {
  static const RE2 thousands{R"(\d{1,3}(,\d{3})+(\.\d+)?)"};
  std::string plain{text};
  if (plain.find(',') != std::string::npos && !RE2::FullMatch(plain, thousands)) {
    return std::nullopt;
  }
  std::erase(plain, ',');
  return plain;
}

}  // namespace

std::optional<model::MeasuredSize> printed_size(std::string_view printed, core::Bytes unit) {
  const auto text = without_commas(printed);
  if (!text) {
    return std::nullopt;
  }
  // In units of the last digit.
  std::uint64_t digits = 0;
  std::uint64_t scale = 1;
  unsigned decimals = 0;
  bool behind_point = false;
  bool any = false;
  for (const char c : *text) {
    if (c == '.' && !behind_point && any) {
      behind_point = true;
      continue;
    }
    if (c < '0' || c > '9' || digits > kMost || (behind_point && decimals == kMostDecimals)) {
      return std::nullopt;
    }
    digits = digits * kTen + static_cast<std::uint64_t>(c - '0');
    scale *= behind_point ? kTen : 1;
    decimals += behind_point ? 1 : 0;
    any = true;
  }
  if (!any || (behind_point && decimals == 0) || unit.count() == 0 ||
      digits / scale > kMost / unit.count()) {
    return std::nullopt;
  }
  if (decimals == 0) {
    return model::measured_exactly(core::Bytes{digits * unit.count()});
  }
  if (unit.count() == kKib && decimals == kHundredths) {
    return model::measured_kib(digits);
  }
  if (digits == 0) {
    return model::measured_exactly(core::Bytes{});
  }
  // Half of the last digit more.
  constexpr unsigned kHalf = 2;
  const std::uint64_t halves = digits * kHalf + 1;
  // Below 2^50 * 2^50: in 128 bits.
  __extension__ using Wide = unsigned __int128;
  const Wide most = (Wide{halves} * unit.count() + scale * kHalf - 1) / (scale * kHalf);
  return model::measured_exactly(core::Bytes{static_cast<std::uint64_t>(most)});
}

}  // namespace memsize::readers
