#include "memsize/core/line_scanner.hpp"

#include "support.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::core::line_scanner_test {

namespace {

using Lines = std::vector<std::string>;

struct Scanned {
  /// "number: line", as they came.
  Lines taken;
  std::size_t lines = 0;
  /// Of the line that is too long; 0 where none is.
  std::size_t too_long = 0;
};

// Wants the next line, too, where one has an 'n'.
bool wants_next(std::string_view line) {
  return line.find('n') != std::string_view::npos;
}

class Taker : public LineTaker {
 public:
  Lines taken;

  bool take(std::string_view line, std::size_t number) override {
    taken.push_back(fmt::format("{}: {}", number, line));
    return wants_next(line);
  }
};

// What the header says, and nothing else: the text is cut into lines, then each is looked at.
Scanned by_definition(std::string_view text, const LineScanner::Options& options) {
  Scanned scanned;
  bool next = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.size() > options.longest) {
      scanned.too_long = scanned.lines + 1;
      scanned.lines = 0;
      return scanned;
    }
    ++scanned.lines;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    const bool has_word = std::ranges::any_of(options.words, [&](const std::string& word) {
      return line.find(word) != std::string_view::npos;
    });
    if (next || has_word || line.size() >= options.long_line) {
      scanned.taken.push_back(fmt::format("{}: {}", scanned.lines, line));
      next = wants_next(line);
    } else {
      next = false;
    }
  }
  return scanned;
}

// In blocks of the sizes that `block` gives.
template <typename Block>
Scanned scan(std::string_view text, const LineScanner::Options& options, const Block& block) {
  Taker taker;
  LineScanner scanner{options, taker};
  Scanned scanned;
  while (!text.empty()) {
    // A copy, so that the sanitizers see who reads behind a block.
    const std::string piece{text.substr(0, block())};
    text.remove_prefix(piece.size());
    const auto fed = scanner.feed(piece);
    if (!fed) {
      scanned.too_long = fed.error();
      break;
    }
  }
  if (scanned.too_long == 0) {
    scanner.finish();
    scanned.lines = scanner.lines();
  }
  scanned.taken = std::move(taker.taken);
  return scanned;
}

template <typename Block>
void compare(std::string_view text, LineScanner::Options options, const Block& block) {
  const Scanned expected = by_definition(text, options);
  for (const std::size_t widest : {64U, 32U, 1U}) {
    CAPTURE(widest);
    options.widest = widest;
    const Scanned scanned = scan(text, options, block);
    CHECK(scanned.too_long == expected.too_long);
    CHECK(scanned.lines == expected.lines);
    // Not as one CHECK: it would print texts of many kilobytes.
    CHECK(scanned.taken.size() == expected.taken.size());
    CHECK(std::equal(
        scanned.taken.begin(), scanned.taken.end(), expected.taken.begin(), expected.taken.end()));
  }
}

constexpr std::size_t kWhole = 1U << 30;

std::string random_text(test::Random& random, const Lines& words, std::size_t size) {
  static constexpr std::string_view kLetters("ab, 0x\r\0n\xFF", 10);
  std::string text;
  while (text.size() < size) {
    const auto kind = random.below(200);
    if (kind == 0) {
      text.append(random.below(900), 'x');
    } else if (kind < 8) {
      const std::string& word = words[random.below(words.size())];
      text += random.below(2) == 0 ? word : word.substr(0, random.below(word.size()));
    } else if (kind < 14) {
      text += '\n';
    } else if (kind < 16) {
      text += "\r\n";
    } else {
      text += kLetters[random.below(kLetters.size())];
    }
  }
  return text;
}

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("lines with a word, long ones and those behind are handed over, with their numbers") {
    const std::string text =
        "first\nhas a word\nplain\r\nword n\r\nasked for\nnot this\n\n0123456789\n"
        "012345678\nlast word";
    LineScanner::Options options;
    options.words = {"word"};
    options.long_line = 10;
    options.longest = 20;
    const Scanned expected{
        {"2: has a word", "4: word n", "5: asked for", "8: 0123456789", "10: last word"}, 10, 0};
    for (std::size_t size = 1; size <= text.size(); ++size) {
      CAPTURE(size);
      for (const std::size_t widest : {64U, 32U, 1U}) {
        options.widest = widest;
        const Scanned scanned = scan(text, options, [&] { return size; });
        CHECK(scanned.taken == expected.taken);
        CHECK(scanned.lines == expected.lines);
        CHECK(scanned.too_long == 0);
      }
    }
  }

  TEST_CASE("a word is found wherever it stands") {
    const Lines words = {", 0x", "Total memory", "abc", "sixteen letters!", "\xC3\xBC-word"};
    LineScanner::Options options;
    options.long_line = 100000;
    options.longest = 200000;
    for (const bool ascii : {true, false}) {
      options.words = words;
      options.words.resize(ascii ? 4 : 5);
      for (const std::string& word : options.words) {
        CAPTURE(word);
        // Around the borders of wide registers, of steps, and of the blocks below.
        for (std::size_t at = 0; at < 420; ++at) {
          CAPTURE(at);
          std::string text(at, '.');
          text += word;
          text += "\n..\n";
          compare(text, options, [] { return kWhole; });
          compare(text + std::string(300, '-') + "\n", options, [] { return kWhole; });
          compare(text, options, [] { return std::size_t{128}; });
          // Many short lines before it, and nothing behind it.
          std::string lines;
          while (lines.size() < at) {
            lines += "..\n";
          }
          compare(lines + word, options, [] { return kWhole; });
          compare(lines + word + "\n" + lines, options, [] { return std::size_t{200}; });
        }
      }
    }
  }

  TEST_CASE("parts of words are none") {
    LineScanner::Options options;
    options.words = {", 0x", "Total memory", "DDR"};
    options.long_line = 1000;
    options.longest = 2000;
    for (std::size_t at = 0; at < 300; ++at) {
      const std::string before(at, ' ');
      const std::string text =
          before + "Total\n memory Tot al memory\n, \n0x DD\nR" + before + "\n, 0y Dotal memory\n";
      const Scanned scanned = scan(text, options, [] { return kWhole; });
      CHECK(scanned.taken.empty());
      CHECK(scanned.lines == 6);
    }
  }

  TEST_CASE("a long line is found whatever it holds") {
    LineScanner::Options options;
    options.words = {"word"};
    options.longest = 5000;
    for (const std::size_t long_line : {1U, 127U, 128U, 254U, 255U, 256U, 400U, 1000U, 2048U}) {
      CAPTURE(long_line);
      options.long_line = long_line;
      for (std::size_t before = 0; before < 300; before += 7) {
        CAPTURE(before);
        for (const std::size_t size : {long_line - 1, long_line, long_line + 1}) {
          const std::string line(size, 'x');
          const std::string text =
              std::string(before, '-') + "\n" + line + "\n" + line + "\r\n\n" + line + "\n-";
          compare(text, options, [] { return kWhole; });
          compare(text, options, [] { return std::size_t{1024}; });
        }
      }
    }
  }

  TEST_CASE("a line that is too long is an error with its number, in one block or many") {
    LineScanner::Options options;
    options.words = {"word"};
    for (const std::size_t long_line : {300U, 1000U, 2000U}) {
      options.long_line = long_line;
      options.longest = 1000;
      for (const std::size_t block : {1U, 100U, 999U, 1000U, 1001U, 1002U, 4096U}) {
        for (const std::size_t size : {999U, 1000U, 1001U, 1002U, 5000U}) {
          CAPTURE(block);
          CAPTURE(size);
          for (const std::string& before : {std::string{}, std::string{"word\n\n-\n"}}) {
            for (const std::string& end : {std::string{}, std::string{"\n"}, std::string{"\r\n"}}) {
              const std::string text = before + std::string(size, 'x') + end + "word";
              compare(text, options, [&] { return block; });
            }
          }
        }
      }
    }
  }

  TEST_CASE("a stream without a line's end is not kept") {
    LineScanner::Options options;
    options.words = {"word"};
    options.long_line = 1000;
    options.longest = 100000;
    Taker taker;
    LineScanner scanner{options, taker};
    const std::string block(60000, 'x');
    REQUIRE(scanner.feed("one\n").has_value());
    REQUIRE(scanner.feed(block).has_value());
    CHECK(scanner.lines() == 2);
    const auto fed = scanner.feed(block);
    REQUIRE_FALSE(fed.has_value());
    CHECK(fed.error() == 2);
  }

  TEST_CASE("nothing has no lines, and an empty line is one") {
    LineScanner::Options options;
    options.long_line = 1000;
    options.longest = 1000;
    compare("", options, [] { return kWhole; });
    compare("\n", options, [] { return kWhole; });
    compare("\n\n\r\n", options, [] { return std::size_t{1}; });
    compare(std::string(100000, '\n'), options, [] { return kWhole; });
    compare(std::string("\0\n\0", 3), options, [] { return kWhole; });
  }

  TEST_CASE("random texts in random blocks give the lines that they have") {
    test::Random random{77};
    const Lines all = {", 0x",
                       "abc",
                       "0xa",
                       "ab, ab, ab, ab, ",
                       "nnn",
                       "bxb",
                       "x0x0",
                       " , ",
                       "a\xFF"
                       "b",
                       "b a b",
                       "0 0 0",
                       "aaaa",
                       "bbb",
                       "x\r0",
                       "  ,"};
    for (int round = 0; round < 400; ++round) {
      CAPTURE(round);
      LineScanner::Options options;
      options.words.assign(all.begin(),
                           all.begin() + static_cast<std::ptrdiff_t>(1 + random.below(all.size())));
      options.long_line = 100 + random.below(1500);
      options.longest = random.below(4) == 0 ? 600 + random.below(600) : 100000;
      const std::string text = random_text(random, all, random.below(30000));
      const std::array<std::size_t, 6> sizes = {1, 7, 127, 4099, 65536, kWhole};
      const std::size_t most = sizes[random.below(sizes.size())];
      compare(text, options, [&] { return 1 + random.below(most); });
    }
  }
}

}  // namespace memsize::core::line_scanner_test
