// Patterns as data: what text is in each match, printed sizes, and what a log becomes.
#include "memsize/readers/pattern_reader.hpp"

#include "patterns/literals.hpp"
#include "patterns/printed_size.hpp"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <re2/re2.h>

using namespace memsize;
using core::Bytes;
using readers::longest_literal;
using readers::printed_size;

namespace {

model::LogFormat npu() {
  model::LogFormat format{.name = "npu", .title = "a made-up NPU"};
  model::LogRow row{.pattern = {R"(npu: (?P<name>\w+) takes (?P<size>[\d.]+) ?(?P<unit>KB)?)", {}}};
  row.memory = {"ddr", model::Cacheability::kCacheable, model::Lifetime::kPersistent};
  format.rows.push_back(std::move(row));
  format.units["KB"] = Bytes{1024};
  return format;
}

core::Result<model::Recording> read_with(
    const std::shared_ptr<const readers::PatternReader>& reader,
    const std::string& text,
    const std::string& path,
    const std::string& format) {
  const auto stream = core::stream_of(text);
  return readers::read_stream(
      *stream, path, format, [&] { return readers::PatternReaders{reader}; });
}

core::Result<model::Recording> read(const model::LogFormat& format, const std::string& text) {
  const auto reader = readers::PatternReader::make(format);
  REQUIRE(reader.has_value());
  return read_with(*reader, text, "log", format.name);
}

}  // namespace

TEST_CASE("what is in each match is found, and nothing else") {
  using Row = std::pair<const char*, const char*>;
  for (const auto& [pattern, literal] : {Row{"abc", "abc"},
                                         {R"(\[Arena\] head (\d+) bytes)", "[Arena] head "},
                                         {"ab?cde", "cde"},
                                         {"abcd*", "abc"},
                                         {"abc{2,3}d", "ab"},
                                         {"abc+defg", "defg"},
                                         {"abc|defg", ""},
                                         {"(abc|defg)h", "h"},
                                         {"[abc]]def", "]def"},
                                         {"[]abc]def", "def"},
                                         {"[^]abc]def", "def"},
                                         {R"([\]abc]def)", "def"},
                                         {R"(a\.b\(c\)d)", "a.b(c)d"},
                                         {R"(\babc\d)", "abc"},
                                         {"(?i)abc", ""},
                                         {"[[:alpha:]]+xyz", "xyz"},
                                         {R"((a(b[)]c\)d)e)fgh)", "fgh"},
                                         {R"(ab\Q*\Ecd)", "ab"},
                                         {"(?si)abc", ""},
                                         {"(?U)abc", "abc"},
                                         {"ab(?s-i:c)def", ""},
                                         {"x(?m-i:y)abc", ""},
                                         {"(?P<i>abc)de", "de"},
                                         {R"(abc\060xyz0)", "abc"},
                                         {R"(abc\x41xyz0)", "abc"},
                                         {"abc\nwxyz", "wxyz"},
                                         {"", ""}}) {
    const std::string shown = pattern;
    CAPTURE(shown);
    CHECK(longest_literal(pattern) == literal);
  }
}

TEST_CASE("a text that matches has the literal, whatever the pattern") {
  std::mt19937 random{28};  // NOLINT(cert-msc51-cpp): the same cases each time
  const auto any = [&](int below) { return std::uniform_int_distribution{0, below - 1}(random); };
  const std::vector<std::string> parts = {"ab",
                                          "c",
                                          "a?",
                                          "b*",
                                          "c+",
                                          "(ab|c)",
                                          "[abc]",
                                          "[^a]",
                                          "a{2}",
                                          "b{0,2}",
                                          "\\.",
                                          ".",
                                          "(a)?",
                                          "\\w",
                                          "|",
                                          "(?:bc)"};
  int matched = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string pattern;
    for (int j = any(6) + 1; j > 0; --j) {
      pattern += parts[static_cast<std::size_t>(any(static_cast<int>(parts.size())))];
    }
    const re2::RE2 compiled{pattern, re2::RE2::Quiet};
    if (!compiled.ok()) {
      continue;
    }
    const std::string literal = longest_literal(pattern);
    for (int k = 0; k < 20; ++k) {
      std::string text;
      for (int j = any(8); j > 0; --j) {
        text += "abc."[any(4)];
      }
      if (re2::RE2::FullMatch(text, compiled)) {
        ++matched;
        CAPTURE(pattern);
        CAPTURE(text);
        CHECK(text.find(literal) != std::string::npos);
      }
    }
  }
  CHECK(matched > 1000);
}

TEST_CASE("a line that says that there was no room is kept, beside models and alone") {
  model::LogFormat format = npu();
  format.core = "npu0";
  format.failures.push_back({R"(out of memory: \d+)", {}});
  const auto recording = read(format, "npu: w takes 4KB\nE out of memory: 77 \n");
  REQUIRE(recording.has_value());
  REQUIRE(recording->failures.size() == 1);
  CHECK(recording->failures[0].core == "npu0");
  CHECK(recording->failures[0].line == 2);
  CHECK(recording->failures[0].text == "E out of memory: 77");
  const auto alone = read(format, "boot\nout of memory: 78\n");
  REQUIRE_FALSE(alone.has_value());
  CHECK(alone.error().front().place.line == 2);
  CHECK(alone.error().front().details == std::vector<std::string>{"out of memory: 78"});
  CHECK((*readers::PatternReader::make(format))->probe("boot\nout of memory: 78\n"));
  std::string many = "npu: w takes 4KB\n";
  for (int i = 0; i < 4099; ++i) {
    many += "out of memory: 79\n";
  }
  const auto most = read(format, many);
  REQUIRE(most.has_value());
  CHECK(most->failures.size() == 4096);
  REQUIRE(most->diagnostics.size() == 1);
  CHECK(most->diagnostics[0].message == "3 more failures are not kept: this is the first of them");
  CHECK(most->diagnostics[0].place.line == 4098);
}

TEST_CASE("printed sizes are what they can be at most") {
  const auto upper = [](const char* text, std::uint64_t unit) {
    const auto size = printed_size(text, Bytes{unit});
    return size ? static_cast<std::int64_t>(size->upper.count()) : -1;
  };
  CHECK(upper("440", 1) == 440);
  // Hundredths of a KiB have a span of their own: 5.12 B more.
  CHECK(upper("19.42", 1024) == 19892);
  // 0.875 KiB is 896 B; the last digit may hide half of 1.024 B.
  CHECK(upper("0.875", 1024) == 897);
  CHECK(upper("3", 1024) == 3072);
  CHECK(upper("1.5", 1 << 20) == 1625293);
  CHECK(upper("0", 1024) == 1);
  CHECK(upper("5.123456", 1) == 6);
  CHECK(upper("20,625", 1) == 20625);
  CHECK(upper("1,020,625", 1) == 1020625);
  CHECK(upper("1,020.5", 1) == 1021);
  CHECK(upper("1125899906842623.5", 1) == 1125899906842624);
  for (const char* wrong : {"",
                            ".",
                            "1.",
                            ".5",
                            "1.2.3",
                            "-1",
                            ",",
                            ",625",
                            "20,62",
                            "20,6255",
                            "2062,625",
                            "20,625,",
                            "20625,625",
                            "1,2,345",
                            "1.234,567",
                            "1e3",
                            "0x10",
                            " 1",
                            "99999999999999999999",
                            "1.1234567"}) {
    CAPTURE(wrong);
    CHECK_FALSE(printed_size(wrong, Bytes{1024}));
  }
  CHECK_FALSE(printed_size("1125899906842625", Bytes{1}));
  CHECK_FALSE(printed_size("1125899906842624", Bytes{2}));
}

TEST_CASE("a record that a model has begins the next one") {
  const auto recording =
      read(npu(), "x\nnpu: a takes 5\nnpu: b takes 2 KB\nnpu: c takes 7\nrest\n");
  REQUIRE(recording.has_value());
  REQUIRE(recording->cores.size() == 1);
  REQUIRE(recording->cores[0].instances.size() == 1);
  model::LogFormat named = npu();
  named.names = {{"a", {0, {}}}, {"b", {1, {}}}};
  const auto two =
      read(named, "npu: a takes 5\nnpu: b takes 2 KB\nnpu: a takes 6\nnpu: z takes 1\n");
  REQUIRE(two.has_value());
  const auto& instances = two->cores[0].instances;
  REQUIRE(instances.size() == 2);
  CHECK(instances[0].blocks[1].size.upper == Bytes{2048});
  CHECK(instances[1].line == 3);
  // What no record is called follows the known ones.
  CHECK(instances[1].blocks[1].record == 2);
  CHECK(two->inputs[0].trace_format == "npu");
}

TEST_CASE("a line that looks like a row is told, one that does not is left") {
  const auto recording =
      read(npu(), "npu: a takes 5\nnpu: b takes nothing\n takes off\nnpu: c takes 1 GB\n");
  REQUIRE(recording.has_value());
  CHECK(recording->inputs[0].records == 2);
  CHECK(recording->inputs[0].broken_rows == 2);
  REQUIRE(recording->diagnostics.size() == 2);
  CHECK(recording->diagnostics[0].place.line == 2);
  CHECK(recording->diagnostics[1].place.line == 3);
}

TEST_CASE("an end that names its core ends that core's table") {
  model::LogFormat format = npu();
  format.rows.front().pattern.text = R"(npu(?P<core>\d) takes (?P<size>\d+))";
  format.begins = model::LogPattern{R"(npu(?P<core>\d) begins)", {}};
  format.ends = model::LogPattern{R"(npu(?P<core>\d) ends)", {}};
  const std::string log = "npu0 begins\nnpu1 begins\nnpu0 takes 5\nnpu0 ends\nnpu1 takes 6\n";
  const auto recording = read(format, log + "npu1 takes 7\nnpu1 ends\n");
  REQUIRE(recording.has_value());
  CHECK(recording->diagnostics.empty());
  REQUIRE(recording->cores.size() == 2);
  CHECK(recording->cores[1].instances.size() == 1);
  CHECK(recording->cores[1].instances[0].blocks.size() == 2);
  const auto cut = read(format, log);
  REQUIRE(cut.has_value());
  REQUIRE(cut->diagnostics.size() == 1);
  CHECK(cut->diagnostics[0].place.line == 2);
}

TEST_CASE("a core counts once, whether its table is open, closed or both") {
  model::LogFormat format = npu();
  format.rows.front().pattern.text = R"(npu(?P<core>\d+) takes (?P<size>\d+))";
  format.begins = model::LogPattern{R"(npu(?P<core>\d+) begins)", {}};
  // All of them at the same time, twice.
  const auto log_of = [](int cores) {
    std::string log;
    for (int i = 0; i < 4 * cores; ++i) {
      const bool begins = i / cores % 2 == 0;
      log += "npu" + std::to_string(i % cores) + (begins ? " begins\n" : " takes 5\n");
    }
    return log;
  };
  const auto most = read(format, log_of(256));
  REQUIRE(most.has_value());
  CHECK(most->cores.size() == 256);
  CHECK(most->cores.back().instances.size() == 2);
  const auto more = read(format, log_of(257));
  REQUIRE_FALSE(more.has_value());
  CHECK(more.error().front().code == core::Code::kReadLimit);
  CHECK(more.error().front().place.line == 257);
}

TEST_CASE("a format is found by what the log says, and a document stays one") {
  const auto reader = readers::PatternReader::make(npu());
  REQUIRE(reader.has_value());
  CHECK((*reader)->probe("boot\nnpu: a takes 5\n"));
  CHECK_FALSE((*reader)->probe("boot\nnpu: a takes no\n"));
  CHECK_FALSE((*reader)->probe(""));
  const auto found = read_with(*reader, "boot\nnpu: a takes 5\n", "log", "");
  REQUIRE(found.has_value());
  CHECK(found->inputs[0].format == "npu");
  const auto document =
      read_with(*reader, "{\n  \"schema\": \"memsize.sizing/1\"\n}", "s.json", "npu");
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().front().code == core::Code::kReadSizingDocument);
}

TEST_CASE("blocks of bytes make no difference") {
  const auto reader = readers::PatternReader::make(npu());
  REQUIRE(reader.has_value());
  const std::string text = "npu: a takes 5\r\nnpu: b takes 2 KB\r\nnpu: b takes x\n";
  const auto whole = read_with(*reader, text, "log", "npu");
  REQUIRE(whole.has_value());
  for (std::size_t size = 1; size < text.size(); ++size) {
    readers::PatternAccount account;
    const auto reading = (*reader)->open("log", {}, &account);
    for (std::size_t at = 0; at < text.size(); at += size) {
      reading->take(std::string_view{text}.substr(at, size));
    }
    const auto recording = reading->finish();
    REQUIRE(recording.has_value());
    CHECK(recording->cores[0].instances[0].blocks.size() ==
          whole->cores[0].instances[0].blocks.size());
    CHECK(account.patterns[0].lines == 2);
    CHECK(account.similar.size() == 1);
    CHECK(account.lines == 3);
  }
}
