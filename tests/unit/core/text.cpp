#include "memsize/core/text.hpp"

#include "support.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::core::text_test {

namespace {

void check_size(std::string_view text, std::uint64_t expected) {
  CAPTURE(std::string{text});
  const auto size = parse_bytes(text);
  REQUIRE(size.has_value());
  CHECK(size->count() == expected);
}

// Refused as a size; gives the hint.
std::string refused(std::string_view text) {
  CAPTURE(std::string{text});
  const auto size = parse_bytes(text);
  REQUIRE_FALSE(size.has_value());
  REQUIRE(size.error().size() == 1);
  CHECK(size.error().front().code == Code::kTextSize);
  CHECK_FALSE(size.error().front().hint.empty());
  return size.error().front().hint;
}

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("a size is bytes, hex, or a number with a binary unit") {
    check_size("0", 0);
    check_size("4096", 4096);
    check_size("4096B", 4096);
    check_size("0x1000", 4096);
    check_size("0X1F", 31);
    check_size("0x1_0000_0000", 1ULL << 32);
    check_size("64_000", 64000);
    check_size("16KiB", 16384);
    check_size("64MiB", 67108864);
    check_size("2 GiB", 2147483648U);
    check_size("  1MiB\t", 1048576);
    check_size("1mib", 1048576);
    check_size("18446744073709551615", UINT64_MAX);
    check_size("0xFFFFFFFFFFFFFFFF", UINT64_MAX);
    // 2^64 - 1 GiB.
    check_size("17179869183GiB", 0xFFFFFFFFC0000000U);
  }

  TEST_CASE("a leading zero does not make a number octal") {
    check_size("010", 10);
    check_size("0777", 777);
    check_size("007KiB", 7168);
    CHECK(parse_address("010").value() == 10);
  }

  TEST_CASE("a fraction must be a whole number of bytes") {
    check_size("1.5MiB", 1572864);
    check_size("1.5 MiB", 1572864);
    check_size("0.25KiB", 256);
    check_size("1.0", 1);
    check_size("9.000000000", 9);
    // A KiB has 1024 bytes: a tenth of it is 102.4 bytes.
    (void)refused("0.1KiB");
    (void)refused("1.5");
    (void)refused("1.");
    (void)refused(".5MiB");
    (void)refused("1.2.5KiB");
    (void)refused("1.0000000001KiB");
    (void)refused("0x1.8");
  }

  TEST_CASE("a separator in a fraction does not move its digits") {
    // 1.625 KiB are 1664 bytes, however the digits are grouped.
    check_size("1.625KiB", 1664);
    const auto grouped = parse_bytes("1.62_5KiB");
    CHECK((!grouped || grouped->count() == 1664));
  }

  TEST_CASE("KB and MB are refused with a way out") {
    CHECK(test::contains(refused("64KB"), "KiB"));
    CHECK(test::contains(refused("64 MB"), "MiB"));
    CHECK(test::contains(refused("1gb"), "GiB"));
    CHECK(test::contains(refused("1.5kb"), "KiB"));
  }

  TEST_CASE("what is no size is refused") {
    CHECK(test::contains(refused("-1"), "negative"));
    CHECK(test::contains(refused("-4KiB"), "negative"));
    for (const std::string_view text : {"",
                                        "   ",
                                        "MiB",
                                        "one",
                                        "0x",
                                        "0xG",
                                        "0x10KiB",
                                        "1_",
                                        "_1",
                                        "1__0",
                                        "+1",
                                        "1e3",
                                        "1 2",
                                        "1,5MiB",
                                        "64K",
                                        "64TiB",
                                        "1MiBB",
                                        "1 000"}) {
      (void)refused(text);
    }
    (void)refused(std::string_view{"1\0", 2});
    (void)refused("\xEF\xBC\x91");
  }

  TEST_CASE("a size beyond 64 bits is refused, not wrapped") {
    CHECK(test::contains(refused("18446744073709551616"), "2^64"));
    CHECK(test::contains(refused("17179869184GiB"), "2^64"));
    (void)refused("0x10000000000000000");
    (void)refused("99999999999999999999999999999999999999999");
    (void)refused("17179869183.5000000000GiB");
  }

  TEST_CASE("an error carries its place and a printable piece of the text") {
    Place place;
    place.path = "b.toml";
    place.line = 3;
    const auto size = parse_bytes("\x1b[31m", place);
    REQUIRE_FALSE(size.has_value());
    CHECK(size.error().front().place == place);
    CHECK_FALSE(test::contains(size.error().front().message, "\x1b"));
  }

  TEST_CASE("addresses") {
    CHECK(parse_address("0x1_0000_0000").value() == 4294967296U);
    CHECK(parse_address("0XA0000000").value() == 2684354560U);
    CHECK(parse_address(" 4096 ").value() == 4096);
    CHECK(parse_address("0xffffffffffffffff").value() == UINT64_MAX);
    for (const std::string_view text :
         {"", "0x", "-1", "0x10000000000000000", "1KiB", "A0", "0x_1"}) {
      CAPTURE(std::string{text});
      const auto address = parse_address(text);
      REQUIRE_FALSE(address.has_value());
      CHECK(address.error().front().code == Code::kTextSize);
    }
  }

  TEST_CASE("every size that is printed is read back") {
    test::Random random{7};
    for (int round = 0; round < 500; ++round) {
      const std::uint64_t value = random.next() >> random.below(64);
      CAPTURE(value);
      CHECK(parse_address(format_hex(value)).value() == value);
      CHECK(parse_bytes(fmt::format("{}", value))->count() == value);
      CHECK(parse_bytes(format_hex(value))->count() == value);
    }
  }

  TEST_CASE("format_size takes the largest unit that gives a whole number") {
    CHECK(format_size(Bytes{0}) == "0 B");
    CHECK(format_size(Bytes{1}) == "1 B");
    CHECK(format_size(Bytes{7434}) == "7 434 B");
    CHECK(format_size(Bytes{1024}) == "1 KiB");
    CHECK(format_size(Bytes{67108864}) == "64 MiB");
    CHECK(format_size(Bytes{1536 * 1024}) == "1536 KiB");
    CHECK(format_size(Bytes{4294967296U}) == "4 GiB");
    CHECK(format_size(Bytes{4294967296U + 1048576U}) == "4097 MiB");
    CHECK(format_size(Bytes{1131ULL << 20}) == "1131 MiB");
    // 1051.25 MiB are 1076480 KiB, which is longer than the decimals.
    CHECK(format_size(Bytes{1076480ULL << 10}) == "1051.25 MiB");
    CHECK(format_size(Bytes{(10ULL << 30) + 1}) == "10.00 GiB");
    // 9528902 / 1048576 = 9.0874...
    CHECK(format_size(Bytes{9528902}) == "9.09 MiB");
    // 10241 / 1024 = 10.0009...; one byte less is a whole number of KiB.
    CHECK(format_size(Bytes{10241}) == "10.00 KiB");
    CHECK(format_size(Bytes{10240}) == "10 KiB");
    CHECK(format_size(Bytes{10239}) == "10 239 B");
  }

  TEST_CASE("format_setting is what parse_bytes reads back") {
    CHECK(format_setting(Bytes{9ULL << 20}) == "9MiB");
    CHECK(format_setting(Bytes{4097}) == "4097");
    CHECK(format_setting(Bytes{0}) == "0");
    test::Random random{21};
    for (int round = 0; round < 500; ++round) {
      const Bytes size{(random.next() >> random.below(64)) << random.below(12)};
      CAPTURE(size.count());
      CHECK(parse_bytes(format_setting(size)).value() == size);
    }
  }

  TEST_CASE("format_bytes groups by three") {
    CHECK(format_bytes(Bytes{0}) == "0 B");
    CHECK(format_bytes(Bytes{999}) == "999 B");
    CHECK(format_bytes(Bytes{1000}) == "1 000 B");
    CHECK(format_bytes(Bytes{9528902}) == "9 528 902 B");
    CHECK(format_bytes(Bytes{UINT64_MAX}) == "18 446 744 073 709 551 615 B");
  }

  TEST_CASE("addresses are printed as linker maps print them") {
    CHECK(format_hex(0) == "0x0");
    CHECK(format_address(PhysAddr{0xAD000000}) == "0xAD000000");
    CHECK(format_address(VirtAddr{0x100000000}) == "0x100000000");
    CHECK(format_range(*PhysRange::make(PhysAddr{0x880000000}, Bytes{0x10000000})) ==
          "[0x880000000, 0x890000000)");
    CHECK(format_range(*VirtRange::make(VirtAddr{0xFFFFFFFFFFFFF000}, Bytes{0x1000})) ==
          "[0xFFFFFFFFFFFFF000, 2^64)");
    CHECK(format_range(*PhysRange::make(PhysAddr{0x10}, Bytes{0})) == "[0x10, 0x10)");
  }

  TEST_CASE("plural, trim, to_lower, join") {
    CHECK(plural(1, "record") == "1 record");
    CHECK(plural(0, "record") == "0 records");
    CHECK(plural(2, "entry", "entries") == "2 entries");
    CHECK(plural(1, "entry", "entries") == "1 entry");
    CHECK(trim(" \t a b \r\n") == "a b");
    CHECK(trim(" \n ").empty());
    CHECK(to_lower("C7x_2 \xC4") == "c7x_2 \xC4");
    CHECK(join({}, ", ").empty());
    CHECK(join({"a", "b", "c"}, ", ") == "a, b, c");
  }

  TEST_CASE("printable shows nothing that a terminal would obey") {
    CHECK(printable("plain text") == "plain text");
    CHECK(printable("\x1b[31m") == "\\x1B[31m");
    CHECK(printable(std::string_view{"a\0b", 3}) == "a\\x00b");
    CHECK(printable("a\tb") == "a b");
    CHECK(printable("a\nb\r") == "a\\x0Ab\\x0D");
    CHECK(printable("\x7F") == "\\x7F");
    CHECK(printable("\xFF\x9B") == "\\xFF\\x9B");
    CHECK(printable("abcdef", 3) == "abc...");
    CHECK(printable("abc", 3) == "abc");
    CHECK(printable("", 0).empty());
    for (int byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      for (const char shown : printable(std::string_view{&c, 1})) {
        CHECK((shown >= 0x20 && shown < 0x7F));
      }
    }
  }

  TEST_CASE("letters of any alphabet are shown, and nothing that nobody sees") {
    // "größe", a layer's name in Japanese, a letter with a mark behind it, a picture.
    for (const std::string_view shown : {"gr\xC3\xB6\xC3\x9F"
                                         "e",
                                         "\xE7\x95\xB3\xE3\x81\xBF",
                                         "o\xCC\x88",
                                         "\xF0\x9F\x98\x80",
                                         "\xC2\xA0"}) {
      CHECK(printable(shown) == shown);
      CHECK(masked_text(shown) == shown);
    }
    // C1, a soft hyphen, marks of direction, joiners, separators, a byte order mark, selectors,
    // tags, what is no character.
    for (const auto& [hidden, shown] : std::vector<std::pair<std::string, std::string>>{
             {"\xC2\x85", "\\xC2\\x85"},
             {"\xC2\xAD", "\\xC2\\xAD"},
             {"\xD8\x9C", "\\xD8\\x9C"},
             {"\xE2\x80\x8B", "\\xE2\\x80\\x8B"},
             {"\xE2\x80\x8F", "\\xE2\\x80\\x8F"},
             {"\xE2\x80\xA8", "\\xE2\\x80\\xA8"},
             {"\xE2\x80\xAE", "\\xE2\\x80\\xAE"},
             {"\xE2\x81\xA9", "\\xE2\\x81\\xA9"},
             {"\xEF\xB8\x8F", "\\xEF\\xB8\\x8F"},
             {"\xEF\xBB\xBF", "\\xEF\\xBB\\xBF"},
             {"\xEF\xBF\xBE", "\\xEF\\xBF\\xBE"},
             {"\xF3\xA0\x81\x81", "\\xF3\\xA0\\x81\\x81"}}) {
      CHECK(printable("a" + hidden + "b") == "a" + shown + "b");
      CHECK(masked_text(hidden) == std::string(hidden.size(), '?'));
    }
  }

  TEST_CASE("what is shown is cut between two letters, by its width") {
    const std::string wide = "\xE7\x95\xB3\xE3\x81\xBF\xE5\xB1\xA4";
    CHECK(text_width(wide) == 6);
    CHECK(text_width("gr\xC3\xB6o\xCC\x88") == 4);
    CHECK(text_width("\xF0\x9F\x98\x80.") == 3);
    CHECK(printable(wide, 6) == wide);
    CHECK(printable(wide, 3) == wide.substr(0, 6) + "...");
    // However many marks are on it, a letter is not endless.
    CHECK(printable("o\xCC\x88\xCC\x88\xCC\x88\xCC\x88", 3) == "o\xCC\x88\xCC\x88...");
    CHECK(ascii_text("gr\xC3\xB6\n") == "gr\\xC3\\xB6\n");
  }

  TEST_CASE("UTF-8 is what RFC 3629 says") {
    for (const std::string_view good : {"",
                                        "a",
                                        "\xC3\xA9",
                                        "\xE0\xA0\x80",
                                        "\xED\x9F\xBF",
                                        "\xEE\x80\x80",
                                        "\xF0\x90\x80\x80",
                                        "\xF4\x8F\xBF\xBF"}) {
      CHECK_MESSAGE(is_utf8(good), printable(good));
    }
    // Followers alone, cut characters, longer forms than needed, surrogates, beyond U+10FFFF.
    for (const std::string_view bad : {"\x80",
                                       "\xC3",
                                       "\xC3(",
                                       "\xC0\x80",
                                       "\xC1\xBF",
                                       "\xE0\x9F\xBF",
                                       "\xED\xA0\x80",
                                       "\xED\xBF\xBF",
                                       "\xE2\x82",
                                       "\xF0\x8F\xBF\xBF",
                                       "\xF4\x90\x80\x80",
                                       "\xF5\x80\x80\x80",
                                       "\xFF"}) {
      CHECK_MESSAGE(!is_utf8(bad), printable(bad));
    }
  }

  TEST_CASE("text that is shown whole commands no terminal and turns no line around") {
    CHECK(visible_text("h\xC3\xA9 b") == "h\xC3\xA9 b");
    CHECK(visible_text("\x1B[m") == "\\x1B[m");
    CHECK(visible_text("\xC2\x9B"
                       "1m") ==
          "\\xC2\\x9B"
          "1m");
    CHECK(visible_text("\x9B"
                       "1m") ==
          "\\x9B"
          "1m");
    CHECK(visible_text("\xE2\x80\xAE"
                       "cba") ==
          "\\xE2\\x80\\xAE"
          "cba");
    CHECK(masked_text("a\tb\x1B\xC2\x9B\x9B\xC3\xA9\xE2\x81\xA6z") == "a b????\xC3\xA9???z");
    test::Random random{22};
    for (int round = 0; round < 500; ++round) {
      std::string text;
      for (int i = 0; i < 12; ++i) {
        text += static_cast<char>(random.below(3) == 0 ? 0xC2 : random.below(256));
      }
      CAPTURE(printable(text));
      CHECK(masked_text(text).size() == text.size());
      CHECK(is_utf8(masked_text(text)));
      CHECK(is_utf8(visible_text(text)));
      CHECK(masked_text(masked_text(text)) == masked_text(text));
    }
  }

  TEST_CASE("a word for a shell is one word that holds the text, and no option") {
    CHECK(shell_word("run.log") == "run.log");
    CHECK(shell_word("a=64MiB,b+c@d%e:f") == "a=64MiB,b+c@d%e:f");
    CHECK(shell_word("") == "''");
    CHECK(shell_word("x $(touch PWN).log") == "'x $(touch PWN).log'");
    CHECK(shell_word("it's") == "'it'\\''s'");
    CHECK(shell_word("~") == "'~'");
    CHECK(shell_word("a\nb'\\\xFF"
                     "1") == "$'a\\012b\\'\\\\\\3771'");
    CHECK(shell_word("gr\xC3\xB6n.log") == "'gr\xC3\xB6n.log'");
    CHECK(shell_word("\xE2\x80\xAEx") == "$'\\342\\200\\256x'");
    CHECK(shell_path("-") == "-");
    CHECK(shell_path("-rf") == "./-rf");
    CHECK(shell_path("-a b") == "'./-a b'");
  }

  TEST_CASE("identifiers are C identifiers") {
    for (const std::string_view good : {"a", "_", "A9_b", "__x", "DDR_C7x_1"}) {
      CHECK_MESSAGE(is_identifier(good), std::string{good});
    }
    for (const std::string_view bad : {"", "9a", "a-b", "a b", "a.b", "\xC3\xA9", "a/", "*/"}) {
      CHECK_MESSAGE(!is_identifier(bad), std::string{bad});
    }
  }

  TEST_CASE("a word is one of several where all of it is") {
    CHECK(is_one_of("for", "if for while"));
    CHECK(is_one_of("if", "if for while"));
    CHECK(is_one_of("while", "if for while"));
    CHECK_FALSE(is_one_of("or", "if for while"));
    CHECK_FALSE(is_one_of("fo", "if for while"));
    CHECK_FALSE(is_one_of("if for", "if for while"));
    CHECK_FALSE(is_one_of("", "if for while"));
    CHECK_FALSE(is_one_of("if", ""));
  }

  TEST_CASE("did_you_mean names the nearest name within three edits") {
    const std::vector<std::string> names = {"heap_size", "scratch_size", "stack"};
    CHECK(did_you_mean("heap_sise", names) == "did you mean 'heap_size'?");
    CHECK(did_you_mean("HEAP_SIZE", names) == "did you mean 'heap_size'?");
    CHECK(did_you_mean("scrtch_sze", names) == "did you mean 'scratch_size'?");
    CHECK(did_you_mean("stakc", names) == "did you mean 'stack'?");
    CHECK(did_you_mean("completely_other", names).empty());
    CHECK(did_you_mean("completely_other", names, "sizes") ==
          "sizes: heap_size, scratch_size, stack");
    CHECK(did_you_mean("stakc", names, "sizes") == "did you mean 'stack'?");
    CHECK(did_you_mean("", names).empty());
    CHECK(did_you_mean("heap", {}).empty());
    // Three letters are three edits from any three letters.
    CHECK(did_you_mean("abc", {"xyz"}).empty());
    // The first of two equally near names.
    // What one begins with the other goes before letters that differ; the nearest of these.
    const std::vector<std::string> knobs = {
        "c7_scratch_non_cacheable_size", "c7_scratch_size", "c7_scrotch"};
    CHECK(did_you_mean("c7_scratch", knobs) == "did you mean 'c7_scratch_size'?");
    CHECK(did_you_mean("c7_scratch_size_kib", knobs) == "did you mean 'c7_scratch_size'?");
    CHECK(did_you_mean("c7_scratsh", knobs) == "did you mean 'c7_scrotch'?");
    CHECK(did_you_mean("dsp3", {"dsp1", "dsp2"}) == "did you mean 'dsp1'?");
  }
}

}  // namespace memsize::core::text_test
