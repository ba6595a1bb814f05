#include "memsize/emit/plan_files.hpp"

#include "memsize/core/text.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/diff_plans.hpp"
#include "memsize/plan/planner.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::emit::plan_files_test {

namespace {

using core::Align;
using core::Bytes;
using model::Interval;
using model::Lifetime;
using model::PlannedBlock;
using model::PlanReport;
using Json = nlohmann::json;

constexpr const char* kHostile =
    "*/ #error <script>\"&'</script>,\n\\ {{title}} ]]> \xFF\xEF\xBF\xBE";

PlannedBlock scratch(const std::string& id,
                     std::int64_t lower,
                     std::int64_t upper,
                     std::uint64_t size,
                     std::uint64_t offset) {
  PlannedBlock block;
  block.id = id;
  block.memory = "default";
  block.live = Interval{lower, upper};
  block.size = Bytes{size};
  block.offset = Bytes{offset};
  return block;
}

PlannedBlock constant(const std::string& id, const std::string& source, std::uint64_t offset) {
  PlannedBlock block;
  block.id = id;
  block.role = Lifetime::kConstant;
  block.memory = "dtcm";
  block.source_memory = source;
  block.size = Bytes{100};
  block.offset = Bytes{offset};
  return block;
}

// Three blocks over four steps; a and c share bytes at different times.
PlanReport small_plan() {
  PlanReport plan;
  plan.blocks = {scratch("a", 0, 2, 64, 0), scratch("b", 1, 4, 32, 64), scratch("c", 2, 4, 48, 0)};
  return plan;
}

// Three arenas in two memories, one of them staged.
PlanReport large_plan() {
  PlanReport plan = small_plan();
  for (PlannedBlock& block : plan.blocks) {
    block.memory = "sram";
    block.alignment = Align::make(16);
  }
  PlannedBlock kept = constant("kept", "", 0);
  kept.role = Lifetime::kPersistent;
  plan.blocks.push_back(kept);
  plan.blocks.push_back(constant("w1", "mram", 0));
  plan.blocks.push_back(constant("w2", "mram", 112));
  model::PlannedArena staged;
  staged.memory = "dtcm";
  staged.role = Lifetime::kConstant;
  staged.source_memory = "mram";
  staged.used = Bytes{212};
  staged.total = Bytes{224};
  staged.alignment = Align::make(16);
  plan.arenas.push_back(staged);
  model::PlannedMemory memory;
  memory.name = "dtcm";
  memory.capacity = Bytes{1024};
  memory.base = core::PhysAddr{0x20000000};
  plan.memories.push_back(memory);
  plan.prefix = "net";
  return plan;
}

core::Result<std::string> written(const PlanReport& plan,
                                  const std::string& format,
                                  const std::string& prefix = "net") {
  core::RealFileSystem files;
  PlanFileOptions options;
  options.prefix = prefix;
  options.templates = {test::source_folder() + "/templates"};
  return plan_file(files, format, plan, options);
}

// A plan goes into a model that is there: tests/unit/emit/plan_tflite.cpp.
std::vector<PlanFormat> formats_of_texts() {
  std::vector<PlanFormat> formats = plan_formats();
  std::erase_if(formats, [](const PlanFormat& format) { return format.name == "tflite"; });
  return formats;
}

std::string text_of(const PlanReport& plan, const std::string& format) {
  const auto text = written(plan, format);
  REQUIRE_MESSAGE(text.has_value(), (text ? "" : test::all_text(text.error())));
  return *text;
}

Json json_of(const PlanReport& plan, const std::string& format) {
  const Json json = Json::parse(text_of(plan, format), nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  return json;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

// What stands between the first `before` at or behind `at` and the next `after`.
std::string between(const std::string& text,
                    const std::string& before,
                    const std::string& after,
                    std::size_t at = 0) {
  const std::size_t begin = text.find(before, at);
  REQUIRE_MESSAGE(begin != std::string::npos, before);
  const std::size_t from = begin + before.size();
  return text.substr(from, text.find(after, from) - from);
}

// The values of the header's macros.
std::map<std::string, std::uint64_t> macros_of(const std::string& header) {
  std::map<std::string, std::uint64_t> macros;
  for (const std::string& line : lines_of(header)) {
    std::istringstream words{line};
    std::string define, name, value;
    words >> define >> name >> value;
    if (define == "#define" && !value.empty() && value[0] >= '0' && value[0] <= '9') {
      REQUIRE_MESSAGE(macros.emplace(name, std::stoull(value, nullptr, 0)).second, name);
    }
  }
  return macros;
}

// The two arguments of every check of this name.
std::vector<std::pair<std::string, std::string>> checks_of(const std::string& header,
                                                           const std::string& name) {
  std::vector<std::pair<std::string, std::string>> checks;
  for (const std::string& line : lines_of(header)) {
    if (line.starts_with("NET_PLAN_" + name + "(")) {
      checks.emplace_back(between(line, "(", ","), between(line, ", ", ")"));
    }
  }
  return checks;
}

struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
};

std::map<std::string, Rect> rects_of(const std::string& svg) {
  std::map<std::string, Rect> rects;
  const auto number = [](const std::string& line, const std::string& key) {
    return std::stod(between(line, " " + key + "=\"", "\""));
  };
  for (const std::string& line : lines_of(svg)) {
    if (line.find("data-id") != std::string::npos) {
      rects[between(line, "data-id=\"", "\"")] = {
          number(line, "x"), number(line, "y"), number(line, "width"), number(line, "height")};
    }
  }
  return rects;
}

// Rules need a memory's name.
PlanReport in_dtcm(PlanReport plan) {
  for (PlannedBlock& block : plan.blocks) {
    block.memory = "dtcm";
  }
  return plan;
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("every format of a plan is written, the same each time") {
    const PlanReport plan = in_dtcm(large_plan());
    std::set<std::string_view> names;
    for (const PlanFormat& format : formats_of_texts()) {
      CAPTURE(format.name);
      CHECK(names.insert(format.name).second);
      const std::string text = text_of(plan, std::string{format.name});
      CHECK_FALSE(text.empty());
      CHECK(text.back() == '\n');
      CHECK_FALSE(test::contains(text, "{{"));
      CHECK(text == text_of(in_dtcm(large_plan()), std::string{format.name}));
      // A plan without anything in it is no reason to fail.
      CHECK(written(PlanReport{}, std::string{format.name}).has_value());
    }
    CHECK(names.size() == 9);
  }

  TEST_CASE("without a model there is none to put a plan into") {
    const auto none = written(small_plan(), "tflite");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().front().code == core::Code::kEmitData);
  }

  TEST_CASE("an unknown format and a prefix that is no name are errors") {
    const auto unknown = written(small_plan(), "chorme-trace");
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().front().code == core::Code::kEmitUnknown);
    CHECK(unknown.error().front().hint == "did you mean 'chrome-trace'?");
    for (const char* prefix : {"", "1net", "a b", "x*/", "n\xC3\xA9"}) {
      CAPTURE(prefix);
      CHECK_FALSE(written(small_plan(), "c-header", prefix).has_value());
    }
  }

  TEST_CASE("a plan's document has what is known and nothing else") {
    const Json small = json_of(small_plan(), "json");
    CHECK(small["schema"] == "memsize.plan/1");
    for (const char* absent : {"prefix", "planner", "memories", "layers", "diagnostics"}) {
      CAPTURE(absent);
      CHECK_FALSE(small.contains(absent));
    }
    CHECK(small["arenas"] ==
          Json{{{"memory", "default"}, {"role", "scratch"}, {"height_bytes", 96}}});
    CHECK(small["blocks"][1] == Json{{"id", "b"},
                                     {"memory", "default"},
                                     {"role", "scratch"},
                                     {"lower", 1},
                                     {"upper", 4},
                                     {"size", 32},
                                     {"offset", 64}});
    const Json large = json_of(large_plan(), "json");
    CHECK(large["prefix"] == "net");
    CHECK(large["memories"] ==
          Json{{{"name", "dtcm"}, {"capacity_bytes", 1024}, {"base", "0x20000000"}}});
    // Scratch, persistent, constant, whatever the report's order is.
    CHECK(large["arenas"][0]["memory"] == "sram");
    CHECK(large["arenas"][1] == Json{{"memory", "dtcm"},
                                     {"role", "persistent"},
                                     {"height_bytes", 100},
                                     {"capacity_bytes", 1024}});
    CHECK(large["arenas"][2] == Json{{"memory", "dtcm"},
                                     {"role", "constant"},
                                     {"source_memory", "mram"},
                                     {"height_bytes", 212},
                                     {"total_bytes", 224},
                                     {"capacity_bytes", 1024},
                                     {"alignment", 16}});
    CHECK_FALSE(large["blocks"][4].contains("lower"));
    CHECK(large["blocks"][4]["source_memory"] == "mram");
    CHECK(large["envelope_hash"] != small["envelope_hash"]);
  }

  TEST_CASE("a height is not made up for blocks that have no place") {
    PlanReport plan = small_plan();
    plan.blocks[1].offset.reset();
    const Json json = json_of(plan, "json");
    CHECK_FALSE(json["arenas"][0].contains("height_bytes"));
    CHECK_FALSE(json["blocks"][1].contains("offset"));
    plan = small_plan();
    plan.abridged = true;
    CHECK_FALSE(json_of(plan, "json")["arenas"][0].contains("height_bytes"));
  }

  TEST_CASE("heliaAOT's residency report") {
    const Json json = json_of(large_plan(), "residency");
    CHECK(json["schema_version"] == 3);
    CHECK(json["module_prefix"] == "net");
    // Only heliaAOT knows how these are made.
    CHECK_FALSE(json.contains("plan_hash"));
    CHECK_FALSE(json.contains("tensor_layout_hash"));
    CHECK(json["memsize_envelope_hash"] == json_of(large_plan(), "json")["envelope_hash"]);
    CHECK(json["arenas"]["scratch"] ==
          Json{{{"region_id", 0}, {"memory", "sram"}, {"used", 96}, {"total_size", 96}}});
    CHECK(json["arenas"]["persistent"][0]["region_id"] == 1);
    CHECK(json["arenas"]["constant"] == Json{{{"region_id", 2},
                                              {"memory", "dtcm"},
                                              {"source_memory", "mram"},
                                              {"kind", "staged"},
                                              {"used", 212},
                                              {"total_size", 224},
                                              {"alignment", 16},
                                              {"tensor_count", 2}}});
    REQUIRE(json["tensors"].size() == 6);
    CHECK(json["tensors"][5] == Json{{"id", "w2"},
                                     {"role", "constant"},
                                     {"memory", "dtcm"},
                                     {"source_memory", "mram"},
                                     {"offset", 112},
                                     {"size", 100}});
    CHECK(json["tensors"][0]["source_memory"] == "sram");

    PlanReport plan;
    plan.blocks = {constant("w", "", 0)};
    plan.blocks[0].memory = "MRAM";
    const Json cold = json_of(plan, "residency")["arenas"]["constant"][0];
    CHECK(cold["kind"] == "cold");
    CHECK(cold["memory"] == "mram");
    CHECK(cold["source_memory"] == "mram");
  }

  TEST_CASE("region ids are kept where every arena has one of its own") {
    PlanReport plan = large_plan();
    plan.arenas.clear();
    for (const auto& [role, memory, id] : {std::tuple{Lifetime::kConstant, "dtcm", 7U},
                                           {Lifetime::kPersistent, "dtcm", 3U},
                                           {Lifetime::kScratch, "sram", 5U}}) {
      model::PlannedArena arena;
      arena.role = role;
      arena.memory = memory;
      arena.region_id = id;
      plan.arenas.push_back(arena);
    }
    CHECK(json_of(plan, "residency")["arenas"]["scratch"][0]["region_id"] == 5);
    CHECK(json_of(plan, "residency")["arenas"]["constant"][0]["region_id"] == 7);
    plan.arenas[0].region_id = 5;
    CHECK(json_of(plan, "residency")["arenas"]["scratch"][0]["region_id"] == 0);
    CHECK(json_of(plan, "residency")["arenas"]["constant"][0]["region_id"] == 2);
  }

  TEST_CASE("a table of one arena has the columns of minimalloc") {
    CHECK(text_of(small_plan(), "csv") ==
          "id,lower,upper,size,offset\na,0,2,64,0\nb,1,4,32,64\nc,2,4,48,0\n");
    PlanReport plan = small_plan();
    plan.blocks[1].alignment = Align::make(32);
    plan.blocks[2].offset.reset();
    CHECK(text_of(plan, "csv") ==
          "id,lower,upper,size,offset,alignment\na,0,2,64,0,1\nb,1,4,32,64,32\nc,2,4,48,,1\n");
    plan = large_plan();
    const std::vector<std::string> lines = lines_of(text_of(plan, "csv"));
    REQUIRE(lines.size() == 7);
    CHECK(lines[0] == "id,lower,upper,size,offset,alignment,memory,role,source_memory");
    CHECK(lines[1] == "a,0,2,64,0,16,sram,scratch,");
    CHECK(lines[6] == "w2,,,100,112,1,dtcm,constant,mram");
    plan = small_plan();
    plan.blocks[0].id = "a \"quoted\", id";
    plan.blocks[1].id = " blank";
    plan.blocks[2].alias_of = "a \"quoted\", id";
    CHECK(text_of(plan, "csv") ==
          "id,lower,upper,size,offset,alias_of\n\"a \"\"quoted\"\", id\",0,2,64,0,\n"
          "\" blank\",1,4,32,64,\nc,2,4,48,0,\"a \"\"quoted\"\", id\"\n");
  }

  TEST_CASE("a C header has every size, offset and alignment once") {
    const std::string header = text_of(large_plan(), "c-header");
    const auto macros = macros_of(header);
    CHECK(macros.at("NET_ARENA_SRAM_SIZE") == 96);
    CHECK(macros.at("NET_ARENA_PERSISTENT_DTCM_SIZE") == 100);
    CHECK(macros.at("NET_ARENA_CONST_DTCM_SIZE") == 224);
    CHECK(macros.at("NET_ARENA_CONST_DTCM_ALIGNMENT") == 16);
    CHECK_FALSE(macros.contains("NET_ARENA_SRAM_ALIGNMENT"));
    CHECK(macros.at("NET_BLOCK_B_OFFSET") == 64);
    CHECK(macros.at("NET_BLOCK_B_SIZE") == 32);
    CHECK(macros.at("NET_MEMORY_DTCM_CAPACITY") == 1024);
    CHECK(checks_of(header, "INSIDE").size() == 6);
    CHECK(checks_of(header, "ALIGNED").size() == 3);
    // What lives all the time is compared, too.
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    CHECK(checks_of(header, "APART") == Pairs{{"NET_BLOCK_A", "NET_BLOCK_B"},
                                              {"NET_BLOCK_C", "NET_BLOCK_B"},
                                              {"NET_BLOCK_W1", "NET_BLOCK_W2"}});
    CHECK(checks_of(header, "FITS") ==
          Pairs{{"NET_MEMORY_DTCM",
                 "0ull + NET_ARENA_PERSISTENT_DTCM_SIZE + NET_ARENA_CONST_DTCM_SIZE"}});
  }

  TEST_CASE("names in C are identifiers, and no two are the same") {
    PlanReport plan;
    const std::vector<std::string> ids = {"a.b",
                                          "a_b",
                                          "A/B",
                                          "a_b_2",
                                          "a..b",
                                          "",
                                          "***",
                                          "\xE9\x87\x8D",
                                          "7",
                                          "__x__",
                                          kHostile,
                                          std::string(5000, 'n'),
                                          std::string(5000, 'n') + "m",
                                          "b_SIZE",
                                          "b"};
    for (std::size_t i = 0; i < ids.size(); ++i) {
      plan.blocks.push_back(scratch(ids[i], 0, 1, 16, 16 * i));
    }
    plan.blocks.push_back(scratch("elsewhere", 0, 1, 16, 0));
    plan.blocks.back().memory = "persistent.dtcm";
    plan.blocks.push_back(constant("kept", "", 0));
    plan.blocks.back().role = Lifetime::kPersistent;
    const std::string header = text_of(plan, "c-header");
    const auto macros = macros_of(header);
    std::size_t offsets = 0;
    for (const auto& [name, value] : macros) {
      const auto& shown_name = name;
      CAPTURE(shown_name);
      CHECK(core::is_identifier(name));
      CHECK(name.size() < 100);
      CHECK(name.find("__") == std::string::npos);
      offsets += name.ends_with("_OFFSET") ? 1U : 0U;
    }
    CHECK(offsets == ids.size() + 2);
    CHECK(macros.at("NET_BLOCK_A_B_OFFSET") == 0);
    CHECK(macros.at("NET_BLOCK_A_B_2_OFFSET") == 16);
    CHECK(macros.contains("NET_ARENA_PERSISTENT_DTCM_SIZE"));
    CHECK(macros.contains("NET_ARENA_PERSISTENT_DTCM_2_SIZE"));
    CHECK_FALSE(test::contains(header, "*/ #error"));
  }

  TEST_CASE("the header's checks hold where no two blocks share a byte, and only there") {
    test::Random random{20240611};
    std::size_t wrong = 0;
    for (int round = 0; round < 400; ++round) {
      PlanReport plan;
      const std::uint64_t count = 2 + random.below(9);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto lower = static_cast<std::int64_t>(random.below(6));
        plan.blocks.push_back(scratch(fmt::format("{}", i),
                                      lower,
                                      lower + 1 + static_cast<std::int64_t>(random.below(4)),
                                      random.below(4) * 8,
                                      random.below(24) * 4));
      }
      bool apart = true;
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const PlannedBlock& a = plan.blocks[i];
          const PlannedBlock& b = plan.blocks[j];
          apart = apart && !(a.live->lower < b.live->upper && b.live->lower < a.live->upper &&
                             a.offset->count() < (*b.offset + b.size).count() &&
                             b.offset->count() < (*a.offset + a.size).count() &&
                             a.size.count() != 0 && b.size.count() != 0);
        }
      }
      const std::string header = text_of(plan, "c-header");
      const auto macros = macros_of(header);
      bool holds = true;
      for (const auto& [lower, upper] : checks_of(header, "APART")) {
        holds = holds && macros.at(lower + "_OFFSET") + macros.at(lower + "_SIZE") <=
                             macros.at(upper + "_OFFSET");
      }
      CAPTURE(round);
      CHECK(holds == apart);
      CHECK(checks_of(header, "APART").size() <= 3 * count);
      wrong += apart ? 0 : 1;
    }
    CHECK(wrong > 50);
    CHECK(wrong < 380);
  }

  TEST_CASE("an alias has bytes of another block, which lives as long as it does") {
    PlanReport plan = small_plan();
    // Over c, where a is no longer alive but its alias is.
    plan.blocks.push_back(scratch("view", 2, 3, 64, 0));
    plan.blocks.back().alias_of = "a";
    const auto apart = checks_of(text_of(plan, "c-header"), "APART");
    CHECK(std::ranges::count(
              apart, std::pair<std::string, std::string>{"NET_BLOCK_A", "NET_BLOCK_C"}) == 1);
    for (const auto& [lower, upper] : apart) {
      CHECK(lower != "NET_BLOCK_VIEW");
      CHECK(upper != "NET_BLOCK_VIEW");
    }
    CHECK(test::contains(text_of(plan, "svg"), "in the bytes of a"));
  }

  TEST_CASE("the chart shows who is where, the peak and the bound, in eighty columns") {
    PlanReport plan = small_plan();
    model::PlannedArena arena;
    arena.memory = "default";
    arena.lower_bound = Bytes{96};
    arena.proof = "bound";
    plan.arenas.push_back(arena);
    const std::vector<std::string> lines = lines_of(text_of(plan, "chart"));
    CHECK(lines[0] == "default, scratch: 96 B, no plan needs less than 96 B");
    // The edge of a row of 5 B that is nearest.
    CHECK(test::contains(lines[2], "96 B +-----"));
    CHECK(test::contains(lines[2], " no plan needs less "));
    // Four steps of 16 columns.
    const auto row_with = [&](const std::string& label) {
      const auto found = std::ranges::find_if(
          lines, [&](const std::string& line) { return test::contains(line, label + " |"); });
      REQUIRE(found != lines.end());
      return found->substr(found->find('|') + 1);
    };
    const std::string bottom = row_with(" 0 B");
    REQUIRE(bottom.size() == 64);
    CHECK(bottom == std::string(32, 'A') + std::string(32, 'C'));
    const std::string high = row_with("80 B");
    CHECK(high == std::string(16, '.') + std::string(48, 'B'));
    const auto peak = std::ranges::find_if(lines, [](const std::string& line) {
      return test::contains(line, "^ peak: 96 B alive at step 1");
    });
    REQUIRE(peak != lines.end());
    CHECK(peak->find('^') == 13 + 16);
    for (const std::string& line : lines) {
      CHECK(line.size() <= 80);
    }
  }

  TEST_CASE("a chart of many steps and blocks stays as small") {
    PlanReport plan;
    for (std::int64_t i = 0; i < 5000; ++i) {
      plan.blocks.push_back(scratch(fmt::format("block {}", i),
                                    i * 1000,
                                    i * 1000 + 3000,
                                    4096,
                                    static_cast<std::uint64_t>(i % 3) * 4096));
    }
    const std::vector<std::string> lines = lines_of(text_of(plan, "chart"));
    CHECK(lines.size() < 45);
    for (const std::string& line : lines) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
    CHECK(text_of(plan, "svg").size() < 500000);
    CHECK(text_of(plan, "html").size() < 1000000);
  }

  TEST_CASE("a drawing has each block where the document has it") {
    const auto rects = rects_of(text_of(small_plan(), "svg"));
    REQUIRE(rects.size() == 3);
    // 840 pixels for four steps, 320 for 96 bytes.
    const Rect& a = rects.at("a");
    const Rect& b = rects.at("b");
    CHECK(b.x - a.x == doctest::Approx(210).epsilon(0.001));
    CHECK(a.width == doctest::Approx(420).epsilon(0.001));
    CHECK(b.width == doctest::Approx(630).epsilon(0.001));
    CHECK(a.height == doctest::Approx(320.0 * 64 / 96).epsilon(0.001));
    CHECK(b.y + b.height == doctest::Approx(a.y).epsilon(0.001));
    CHECK(rects.at("c").y + rects.at("c").height == doctest::Approx(a.y + a.height).epsilon(0.001));
    // What lives all the time has the whole width.
    const auto large = rects_of(text_of(large_plan(), "svg"));
    CHECK(large.size() == 6);
    CHECK(large.at("w1").width == doctest::Approx(840));
  }

  TEST_CASE("hostile names stay what they are in every format") {
    PlanReport plan = large_plan();
    for (PlannedBlock& block : plan.blocks) {
      block.id += kHostile;
      block.name = kHostile;
      block.memory += kHostile;
      block.source_memory += kHostile;
    }
    plan.planner = kHostile;
    plan.arenas[0].memory = kHostile;
    plan.arenas[0].proof = kHostile;
    plan.memories[0].name = kHostile;
    CHECK_FALSE(test::contains(text_of(plan, "c-header"), "*/ #error"));
    for (const char* format : {"svg", "html"}) {
      CAPTURE(format);
      const std::string text = text_of(plan, format);
      // A page has the two of its own.
      const std::string plain = text_of(large_plan(), format);
      CHECK(count_of(text, "<script") == count_of(plain, "<script"));
      CHECK_FALSE(test::contains(text, "\xFF"));
      CHECK(test::contains(text, "&lt;script&gt;"));
    }
    CHECK(json_of(plan, "json")["blocks"].size() == 6);
    CHECK(json_of(plan, "residency")["tensors"].size() == 6);
    CHECK(json_of(plan, "chrome-trace").contains("traceEvents"));
    for (const std::string& line : lines_of(text_of(plan, "chart"))) {
      CHECK(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; }));
    }
  }

  TEST_CASE("the report needs nothing from elsewhere") {
    const std::string html = text_of(large_plan(), "html");
    for (const char* outside : {"<link", "<img", "<iframe", "@import", "href=", "src="}) {
      CAPTURE(outside);
      CHECK_FALSE(test::contains(html, outside));
    }
    // A pattern of its own.
    CHECK(count_of(html, "url(") == count_of(html, "url(#"));
    CHECK(test::contains(html, "<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(test::contains(html, "dtcm, constant from mram"));
  }

  TEST_CASE("events of one thread do not overlap, and the counter adds them up") {
    PlanReport plan = large_plan();
    plan.blocks[0].live = Interval{-5, 2};
    const Json trace = json_of(plan, "chrome-trace");
    std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> threads;
    std::map<int, std::string> processes;
    std::map<std::int64_t, std::uint64_t> counted;
    for (const Json& event : trace["traceEvents"]) {
      const int pid = event["pid"];
      if (event["ph"] == "X") {
        CHECK(event["ts"] >= 0);
        threads[{pid, event["tid"]}].emplace_back(
            event["ts"], event["ts"].get<std::int64_t>() + event["dur"].get<std::int64_t>());
        CHECK(event["args"]["upper"].get<std::int64_t>() -
                  event["args"]["lower"].get<std::int64_t>() ==
              event["dur"]);
      } else if (event["ph"] == "M" && event["name"] == "process_name") {
        processes[pid] = event["args"]["name"];
      } else if (event["ph"] == "C" && processes.at(pid) == "sram") {
        counted[event["ts"]] = event["args"]["scratch"];
      }
    }
    CHECK(processes == std::map<int, std::string>{{1, "dtcm"}, {2, "sram"}});
    std::size_t events = 0;
    for (auto& [thread, times] : threads) {
      std::ranges::sort(times);
      for (std::size_t i = 1; i < times.size(); ++i) {
        CHECK(times[i - 1].second <= times[i].first);
      }
      events += times.size();
    }
    CHECK(events == 6);
    // Steps -5, 1, 2 and 4, five later because no viewer has times before 0.
    CHECK(counted == std::map<std::int64_t, std::uint64_t>{{0, 64}, {6, 96}, {7, 80}, {9, 0}});
  }

  TEST_CASE("where nobody says when blocks are alive, nothing is made up") {
    PlanReport plan = in_dtcm(large_plan());
    for (PlannedBlock& block : plan.blocks) {
      block.live.reset();
    }
    for (const PlanFormat& format : formats_of_texts()) {
      CAPTURE(format.name);
      CHECK(written(plan, std::string{format.name}).has_value());
    }
    CHECK(test::contains(text_of(plan, "chart"), "3 blocks; nobody says when they are alive"));
    CHECK(rects_of(text_of(plan, "svg")).size() == 3);
    CHECK(test::contains(text_of(plan, "svg"), "Nobody says when its blocks are alive."));
    // Constants are compared all the same, scratch blocks cannot be.
    CHECK(checks_of(text_of(plan, "c-header"), "APART").size() == 1);
    const Json trace = json_of(plan, "chrome-trace");
    CHECK(trace["otherData"]["blocks_without_steps"] == 3);
    plan.blocks[0].live = Interval{2, 2};
    CHECK(written(plan, "chart").has_value());
  }

  TEST_CASE("all numbers of a header have one type") {
    CHECK(test::contains(text_of(small_plan(), "c-header"), "#define NET_BLOCK_A_OFFSET 0u\n"));
    PlanReport plan = small_plan();
    plan.blocks[0].offset = Bytes{1ULL << 32};
    const std::string header = text_of(plan, "c-header");
    for (const std::string& line : lines_of(header)) {
      if (test::contains(line, "_SIZE ") || test::contains(line, "_OFFSET ")) {
        CHECK((line.ends_with("ull") || !line.starts_with("#define")));
      }
    }
    CHECK(macros_of(header).at("NET_BLOCK_A_OFFSET") == 1ULL << 32);
    // A memory without a limit is none that needs 64 bits.
    plan = small_plan();
    model::PlannedMemory memory;
    memory.name = "default";
    memory.capacity = model::kLargestPlan;
    plan.memories.push_back(memory);
    CHECK(test::contains(text_of(plan, "c-header"), "#define NET_BLOCK_A_SIZE 64u\n"));
    CHECK_FALSE(test::contains(text_of(plan, "c-header"), "CAPACITY "));
  }

  TEST_CASE("the largest sizes and the furthest steps are drawn, too") {
    PlanReport plan;
    plan.blocks = {
        scratch("all", -model::kLastStep, model::kLastStep, model::kLargestPlan.count() / 2, 0),
        scratch("top", 0, 1, 1, model::kLargestPlan.count() - 1),
        scratch("beyond", 0, 1, UINT64_MAX, UINT64_MAX),
        scratch("never", 3, 3, 8, 0),
        scratch("nothing", 0, 5, 0, 8)};
    plan = in_dtcm(std::move(plan));
    for (const PlanFormat& format : formats_of_texts()) {
      CAPTURE(format.name);
      CHECK(written(plan, std::string{format.name}).has_value());
    }
    CHECK(test::contains(text_of(plan, "c-header"), "1 block of the plan has no place"));
    const auto rects = rects_of(text_of(plan, "svg"));
    CHECK(rects.size() == 2);
    CHECK(rects.at("all").width == doctest::Approx(840));
    CHECK(rects.at("all").height == doctest::Approx(160).epsilon(0.01));
  }

  TEST_CASE("a plan that is written as residency is right when it is read beside its manifest") {
    core::RealFileSystem disk;
    const auto read = [&](const std::string& name) {
      const auto text = disk.read(test::source_folder() + "/samples/plans/helia/" + name);
      REQUIRE(text);
      const auto report = readers::read_plan(*text, name);
      REQUIRE(report);
      return *report;
    };
    const PlanReport manifest = read("aot_operator_manifest.json");
    const PlanReport wanted = model::combine({read("wake_residency.json"), manifest});
    board::MemorySet part;
    for (const char* const name : {"dtcm", "mram"}) {
      board::PartMemory memory;
      memory.name = name;
      memory.window = Bytes{65536};
      memory.hardware = memory.window;
      memory.is_volatile = part.memories.empty();
      memory.writable = part.memories.empty();
      part.memories.push_back(std::move(memory));
    }
    const auto outcome = plan::make_plan(wanted, part, {});
    REQUIRE(outcome);
    for (const char* const format : {"residency", "json"}) {
      CAPTURE(format);
      const std::string text = text_of(outcome->plan, format);
      const auto back = readers::read_plan(text, "plan.json");
      REQUIRE(back);
      CHECK(plan::false_claims(*back).empty());
      const PlanReport all = model::combine({*back, manifest});
      CHECK_MESSAGE(all.diagnostics.empty(), test::all_text(all.diagnostics));
      const core::Diagnostics faults = plan::check_plan(all, &part);
      CHECK(std::ranges::none_of(
          faults, [](const auto& fault) { return fault.severity != core::Severity::kNote; }));
      CHECK(all.blocks.size() == wanted.blocks.size());
      // Lifetimes are the manifest's, and places the plan's.
      CHECK(std::ranges::all_of(all.blocks, [](const PlannedBlock& block) {
        return block.offset && (block.live || block.role != Lifetime::kScratch);
      }));
      // Whoever changes an id by hand changes what it hashes to.
      PlanReport changed = *back;
      changed.blocks[0].id = "renamed";
      CHECK(plan::false_claims(changed).size() == 1);
    }
  }

  TEST_CASE("whatever of a written plan is changed, its hashes tell") {
    PlanReport plan = large_plan();
    plan.blocks[0].windows = {{{plan.blocks[0].live->lower, plan.blocks[0].live->upper},
                               Bytes{0},
                               Bytes{plan.blocks[0].size.count() / 2}}};
    plan.prefix = kHostile;
    for (const std::string form : {"json", "residency"}) {
      const Json document = json_of(plan, form);
      REQUIRE(plan::false_claims(*readers::read_plan(document.dump(1), "plan.json")).empty());
      const Json flat = document.flatten();
      std::size_t leaves = 0;
      for (const auto& leaf : flat.items()) {
        Json changed = document;
        Json& value = changed[Json::json_pointer{leaf.key()}];
        if (value.is_structured()) {
          continue;
        }
        value = value.is_string()    ? Json(value.get<std::string>() + "1")
                : value.is_boolean() ? Json(!value.get<bool>())
                                     : Json(value.get<std::int64_t>() + 1);
        ++leaves;
        const auto back = readers::read_plan(changed.dump(1), "plan.json");
        CHECK_MESSAGE((!back || !plan::false_claims(*back).empty()), form << " " << leaf.key());
      }
      CHECK(leaves > 50);
      // Of an older memsize: what these two are made of, and nothing else, is held against them.
      Json older = document;
      older.erase(form == "json" ? "content_hash" : "memsize_content_hash");
      older[form == "json" ? "blocks" : "tensors"][0]["size"] = 1;
      const auto back = readers::read_plan(older.dump(), "plan.json");
      CHECK((!back || plan::false_claims(*back).size() == 1));
    }
  }
}

}  // namespace memsize::emit::plan_files_test
