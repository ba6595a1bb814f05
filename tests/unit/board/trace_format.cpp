#include "memsize/board/trace_format.hpp"

#include "support.hpp"

#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::board::trace_format_test {

namespace {

using model::Cacheability;
using model::Lifetime;

const std::string kFormat = R"toml(schema = 1
format = "made_up"
title = "t"
not_covered = ["everything"]

[record]
0 = { name = "FIRST", what = "the first" }

[generation.old]
title = "Old"
records = 2
fingerprint = { record = 1, sizes = ["1KiB + 1"] }
heaps_like = "new"

[generation.new]
title = "New"
records = 3
fingerprint = { record = 1, sizes = ["2KiB", "3KiB"] }
fixed = { 1 = "2KiB", 2 = "all" }

[[generation.new.heap]]
classes = ["cacheable persistent", "cacheable scratch"]
kind = "rtos"
round = "256"
header = "32"
idle = "16"
objects = ["100", "1KiB"]
transient = ["8"]
source = "a book"
)toml";

core::Result<TraceFormat> load(const std::string& text) {
  core::MemFileSystem files;
  files.content["boards/formats/made_up.toml"] = text;
  return load_trace_format(files, "boards", "made_up");
}

}  // namespace

TEST_SUITE("board") {
  TEST_CASE("a format's file says what records mean and how heaps place them") {
    const auto format = load(kFormat);
    REQUIRE_MESSAGE(format.has_value(), (format ? "" : test::all_text(format.error())));
    CHECK(format->name == "made_up");
    CHECK(format->records.at(0).name == "FIRST");
    CHECK(format->not_covered.size() == 1);
    REQUIRE(format->generations.size() == 2);
    CHECK(format->generations[0].name == "old");
    CHECK(format->generations[0].fingerprint_sizes.at(0).count() == 1025);
    const Generation& fresh = *format->find_generation("new");
    CHECK(fresh.records == 3);
    CHECK(fresh.fixed.at(1).size.count() == 2048);
    CHECK_FALSE(fresh.fixed.at(1).whole);
    CHECK(fresh.fixed.at(2).whole);
    const HeapRule* heap = fresh.find_heap(Cacheability::kCacheable, Lifetime::kScratch, "");
    REQUIRE(heap != nullptr);
    CHECK(heap->kind == HeapRule::Kind::kRtos);
    CHECK(heap->align.value() == 256);
    CHECK(heap->header.count() == 32);
    CHECK(heap->objects.size() == 2);
    CHECK(heap->source == "a book");
    CHECK(fresh.find_heap(Cacheability::kNonCacheable, Lifetime::kScratch, "") == nullptr);
    // The old one has the heaps of the one further down.
    CHECK(format->generations[0].heaps.size() == 2);
    CHECK(format->find_generation("newest") == nullptr);
  }

  TEST_CASE("mistakes in a format's file are errors") {
    for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
             {"0 = { name", "zero = { name"},
             {"\"cacheable scratch\"", "\"cacheable sometimes\""},
             {"round = \"256\"", "round = \"200\""},
             {"records = 3", "recrods = 3"},
             {"\"2KiB\", \"3KiB\"", "\"2KB\""},
             {"fixed = { 1 = \"2KiB\"", "fixed = { 1 = \"lots\""},
             {"source = \"a book\"\n", ""},
             {"fingerprint = { record = 1, sizes = [\"1KiB + 1\"] }\n", ""}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const auto format = load(test::with(kFormat, from, to));
      REQUIRE_FALSE(format.has_value());
      CHECK(format.error().front().place.path == "boards/formats/made_up.toml");
    }
  }

  TEST_CASE("an unknown kind of heap and an unknown likeness are not guessed") {
    const std::string aligned = test::with(kFormat, "round = ", "align = ");
    CHECK(load(test::with(aligned, "kind = \"rtos\"", "kind = \"linear\"")).has_value());
    CHECK_FALSE(load(test::with(aligned, "kind = \"rtos\"", "kind = \"buddy\"")).has_value());
    CHECK_FALSE(
        load(test::with(kFormat, "heaps_like = \"new\"", "heaps_like = \"newer\"")).has_value());
  }

  TEST_CASE("a format's file says what tables of old forms, heaps and shared records mean") {
    std::string text = test::with(
        kFormat, "what = \"the first\"", "what = \"the first\", class = \"non-cacheable scratch\"");
    text = test::with(text, "[record]\n", R"toml(forms_without_lifetime = ["bare"]

[context]
record = 2
rest = "128"

[[heap_name]]
names = ["A_LONG_NAME_OF_A_HEAP", "SHORT"]
class = "cacheable scratch"

[[message]]
contains = "boom"
means = "it exploded"

[[heap_name]]
names = ["NEAR"]
space = "l2"
class = "on-chip scratch"

[record]
)toml");
    text = test::with(text,
                      "records = 2\nfingerprint = { record = 1, sizes = [\"1KiB + 1\"] }",
                      R"toml(form = "bare"
unknown = [{ class = "cacheable persistent", what = "a copy" }])toml");
    text = test::with(text, "[[generation.new.heap]]", R"toml([generation.new.part.zx9]
sizes = ["5KiB"]
fixed = { 1 = "4KiB" }

[[generation.new.heap]])toml");
    const auto format = load(text);
    REQUIRE_MESSAGE(format.has_value(), (format ? "" : test::all_text(format.error())));
    CHECK(format->forms_without_lifetime == std::vector<std::string>{"bare"});
    CHECK(format->records.at(0).memory ==
          MemoryClass{"ddr", Cacheability::kNonCacheable, Lifetime::kScratch});
    REQUIRE(format->context.has_value());
    CHECK(format->context->record == 2);
    CHECK(format->context->rest.count() == 128);
    CHECK(format->messages.at(0).means == "it exploded");
    CHECK(format->generations[0].form == "bare");
    CHECK(format->generations[0].records == 0);
    CHECK(format->generations[0].unknown.at(0).what == "a copy");
    const Generation& fresh = *format->find_generation("new");
    CHECK(fresh.fixed_on("zx9").at(1).size.count() == 4096);
    CHECK(fresh.fixed_on("elsewhere").at(1).size.count() == 2048);
    CHECK(fresh.parts.at("zx9").fingerprint_sizes.at(0).count() == 5120);
    // Cut to 15 characters, cut to 16, whole; 14 are too few.
    const MemoryClass warm{"ddr", Cacheability::kCacheable, Lifetime::kScratch};
    for (const char* name :
         {"A_LONG_NAME_OF_", "A_LONG_NAME_OF_A", "A_LONG_NAME_OF_A_HEAP", "SHORT"}) {
      CAPTURE(name);
      REQUIRE(format->find_heap(name) != nullptr);
      CHECK(*format->find_heap(name) == warm);
    }
    CHECK(format->find_heap("A_LONG_NAME_OF") == nullptr);
    CHECK(format->find_heap("SHOR") == nullptr);
    CHECK(format->find_heap("NEAR")->space == "l2");
    for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
             {"\"on-chip scratch\"", "\"on-chip now\""},
             {"\"non-cacheable scratch\"", "\"non-cacheable\""},
             {"record = 2\n", ""},
             {"what = \"a copy\"", "which = \"a copy\""},
             {"form = \"bare\"\n", ""}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      CHECK_FALSE(load(test::with(text, from, to)).has_value());
    }
  }

  TEST_CASE("from where printed totals are no sums is data") {
    const auto without = load(kFormat);
    REQUIRE(without.has_value());
    CHECK_FALSE(without->totals_below.has_value());
    const auto with =
        load(test::with(kFormat, "not_covered", "totals_below = \"2 * 1MiB\"\nnot_covered"));
    REQUIRE(with.has_value());
    CHECK(with->totals_below == core::Bytes{2ULL << 20});
    for (const char* wrong : {"\"2GB\"", "2147483648", "\"\""}) {
      CAPTURE(wrong);
      CHECK_FALSE(
          load(test::with(
                   kFormat, "not_covered", fmt::format("totals_below = {}\nnot_covered", wrong)))
              .has_value());
    }
  }

  TEST_CASE("the numbers of records have one limit wherever they stand") {
    const std::string context = test::with(
        kFormat, "[record]\n", "[context]\nrecord = 65535\nrest = \"128\"\n\n[record]\n");
    const auto largest = load(context);
    REQUIRE(largest.has_value());
    CHECK(largest->context->record == 65535);
    // Cut to 32 bits, the second one would be record 12.
    for (const std::string number : {"65536", "4294967308"}) {
      CAPTURE(number);
      for (const std::string& text :
           {test::with(context, "record = 65535", "record = " + number),
            test::with(
                kFormat, "record = 1, sizes = [\"1K", "record = " + number + ", sizes = [\"1K"),
            test::with(kFormat, "fixed = { 1", "fixed = { " + number),
            test::with(kFormat, "0 = { name", number + " = { name")}) {
        const auto format = load(text);
        REQUIRE_FALSE(format.has_value());
        CHECK(format.error().front().code == core::Code::kBoardValue);
      }
    }
    CHECK(load(test::with(kFormat, "records = 3", "records = 65536")).has_value());
    CHECK_FALSE(load(test::with(kFormat, "records = 3", "records = 4294967299")).has_value());
  }

  TEST_CASE("a format without a generation cannot size anything and is refused") {
    CHECK_FALSE(load("schema = 1\nformat = \"made_up\"\n").has_value());
  }
}

}  // namespace memsize::board::trace_format_test
