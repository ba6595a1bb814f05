// Any bytes in blocks of any size: the lines that are found, with wide instructions and without,
// are those that a look at each line finds. The first bytes choose words, limits and blocks.
#include "memsize/core/line_scanner.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using memsize::core::LineScanner;
using memsize::fuzz::require;

namespace {

using Lines = std::vector<std::pair<std::size_t, std::string>>;

bool wants_next(std::string_view line) {
  return line.ends_with(':');
}

class Taker : public memsize::core::LineTaker {
 public:
  Lines lines;

  bool take(std::string_view line, std::size_t number) override {
    lines.emplace_back(number, line);
    return wants_next(line);
  }
};

struct Found {
  Lines lines;
  std::size_t count = 0;
  std::size_t too_long = 0;

  friend bool operator==(const Found&, const Found&) = default;
};

Found by_line(std::string_view text, const LineScanner::Options& options) {
  Found found;
  bool next = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++found.count;
    if (line.size() > options.longest) {
      found.too_long = std::exchange(found.count, 0);
      return found;
    }
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    const bool wanted = next || line.size() >= options.long_line ||
                        std::ranges::any_of(options.words, [&](const std::string& word) {
                          return line.find(word) != std::string_view::npos;
                        });
    if (wanted) {
      found.lines.emplace_back(found.count, line);
    }
    next = wanted && wants_next(line);
  }
  return found;
}

Found by_scanner(std::string_view text, const LineScanner::Options& options, std::size_t block) {
  Taker taker;
  LineScanner scanner{options, taker};
  Found found;
  while (!text.empty() && found.too_long == 0) {
    const std::string piece{text.substr(0, block)};
    text.remove_prefix(piece.size());
    const auto fed = scanner.feed(piece);
    found.too_long = fed ? 0 : fed.error();
  }
  if (found.too_long == 0) {
    scanner.finish();
    found.count = scanner.lines();
  }
  found.lines = std::move(taker.lines);
  return found;
}

}  // namespace

MEMSIZE_FUZZ_TARGET(line_scanner) {
  constexpr std::size_t kChoices = 4;
  if (size < kChoices) {
    return 0;
  }
  LineScanner::Options options;
  options.words = {", 0x", "Total", "DDR Cacheable", "Failed to Alloc", "\xC3\xA4h"};
  options.words.resize(data[0] % (options.words.size() + 1));
  options.long_line = data[1] * std::size_t{4};
  options.longest = data[2] * std::size_t{8};
  const std::size_t block = data[3] < 0x80 ? data[3] + std::size_t{1} : data[3] * std::size_t{64};
  const std::string_view text{reinterpret_cast<const char*>(data) + kChoices, size - kChoices};
  const Found expected = by_line(text, options);
  for (const std::size_t widest : {64U, 32U, 1U}) {
    options.widest = widest;
    require(by_scanner(text, options, block) == expected, "the same lines");
  }
  return 0;
}
