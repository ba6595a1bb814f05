#include "memsize/core/file_system.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers::helia_test {

namespace {

using core::Bytes;
using core::Code;
using model::Interval;
using model::Lifetime;

model::PlanReport good(std::string_view text, const std::string& format) {
  auto report = read_plan(text, "plan.json", format);
  if (!report) {
    FAIL(test::all_text(report.error()));
  }
  return std::move(*report);
}

core::Diagnostics refused(std::string_view text, const std::string& format) {
  auto report = read_plan(text, "plan.json", format);
  REQUIRE(!report);
  return report.error();
}

std::string sample(const std::string& name) {
  core::RealFileSystem disk;
  const auto text = disk.read(test::source_folder() + "/samples/plans/helia/" + name);
  REQUIRE(text);
  return *text;
}

const model::PlannedBlock& block(const model::PlanReport& report, std::string_view id) {
  const auto found =
      std::ranges::find_if(report.blocks, [&](const auto& one) { return one.id == id; });
  REQUIRE(found != report.blocks.end());
  return *found;
}

// What the published example of schema 3 says, in other words and numbers: a tensor of two is
// listed, none of the scratch arena, and texts stand for the hashes.
constexpr const char* kAbridged = R"({
  "schema_version": 3,
  "module_prefix": "net",
  "plan_hash": "<sixteen digits>",
  "arenas": {
    "scratch": [{"region_id": 0, "memory": "dtcm", "used": 96, "total_size": 96, "alignment": 16}],
    "persistent": [],
    "constant": [{"region_id": 1, "memory": "dtcm", "source_memory": "mram", "kind": "staged",
                  "used": 640, "total_size": 640, "alignment": 16, "tensor_count": 2}]
  },
  "tensors": [
    {"id": "1", "role": "constant", "memory": "dtcm", "source_memory": "mram", "offset": 0,
     "size": 512}
  ]
})";

constexpr const char* kSmall = R"({
  "schema_version": 3,
  "arenas": {
    "scratch": [],
    "constant": [{"memory": "DTCM", "source_memory": "MRAM", "kind": "staged",
                  "used": 64, "total_size": 64, "alignment": 16, "tensor_count": 1}]
  },
  "tensors": [
    {"id": "1", "role": "CONSTANT", "memory": "DTCM", "source_memory": "MRAM", "offset": 0,
     "size": 64}
  ]
})";

// One warning, and the report is used.
std::string doubt(const std::string& text, Code code) {
  const model::PlanReport report = good(text, "helia-residency");
  CHECK(test::count(report.diagnostics, code) == 1);
  CHECK(report.diagnostics.size() == 1);
  return report.diagnostics.empty() ? std::string{} : report.diagnostics.front().message;
}

std::string tensor(std::string_view id, std::string_view more) {
  return fmt::format(R"({{"id": "{}", "memory": "dtcm", "arena_role": "scratch", {}}})", id, more);
}

}  // namespace

TEST_SUITE("readers") {
  TEST_CASE("heliaAOT's files are found by their content") {
    for (const auto& [file, format] : std::map<std::string, std::string>{
             {"wake_residency.json", "helia-residency"},
             {"aot_operator_manifest.json", "helia-manifest"},
             {"aot_memory_layers.csv", "helia-layers"},
             {"convert.log", "helia-log"},
         }) {
      const std::string text = sample(file);
      for (const std::string& form : {text, "\xEF\xBB\xBF" + text}) {
        const PlanReader* const reader = plan_reader_of(form);
        REQUIRE(reader != nullptr);
        CHECK(reader->name == format);
        const model::PlanReport report = good(form, "");
        CHECK(report.format == format);
        CHECK(report.diagnostics.empty());
        CHECK(report.lines == static_cast<std::size_t>(std::ranges::count(text, '\n')));
      }
    }
  }

  TEST_CASE("texts that are no plan are told apart") {
    CHECK(refused("", "").front().code == Code::kReadEmpty);
    CHECK(refused(" \n", "").front().code == Code::kReadEmpty);
    CHECK(refused("\xFF\xFE{\0", "").front().code == Code::kReadNoTable);
    CHECK(test::contains(refused("\xFF\xFE{}", "").front().message, "UTF-16"));
    CHECK(refused("hello\n", "").front().code == Code::kReadNoTable);
    const core::Diagnostics unknown = refused("{}", "helia-residencie");
    CHECK(unknown.front().code == Code::kReadUnknownFormat);
    CHECK(unknown.front().hint == "did you mean 'helia-residency'?");
  }

  TEST_CASE("a residency report gives arenas and tensors") {
    const model::PlanReport report = good(sample("wake_residency.json"), "");
    CHECK(report.prefix == "wake");
    CHECK(report.foreign_plan_hash == "5b1f0c7e92d4a836");
    CHECK(report.foreign_layout_hash == "c04e87a1f36d2b95");
    CHECK(!report.abridged);
    REQUIRE(report.arenas.size() == 4);
    CHECK(report.arenas[0].role == Lifetime::kScratch);
    CHECK(report.arenas[0].used == Bytes{2504});
    CHECK(report.arenas[0].source_memory.empty());
    CHECK(report.arenas[2].memory == "dtcm");
    CHECK(report.arenas[2].source_memory == "mram");
    CHECK(report.arenas[2].region_id == 2);
    CHECK(report.arenas[2].block_count == 3);
    // Cold: it is read where it lies.
    CHECK(report.arenas[3].memory == "mram");
    CHECK(report.arenas[3].source_memory.empty());
    REQUIRE(report.blocks.size() == 15);
    const model::PlannedBlock& weights = block(report, "4");
    CHECK(weights.role == Lifetime::kConstant);
    CHECK(weights.source_memory == "mram");
    CHECK(weights.offset == Bytes{320});
    CHECK(weights.size == Bytes{72});
    CHECK(weights.line == 25);
    CHECK(!weights.live);
  }

  TEST_CASE("an abridged report is read, and says so") {
    const model::PlanReport report = good(kAbridged, "");
    CHECK(report.abridged);
    CHECK(report.foreign_plan_hash.empty());
    CHECK(report.blocks.size() == 1);
    CHECK(report.diagnostics.size() == 3);
    CHECK(test::count(report.diagnostics, Code::kPlanAbridged) == 3);
    const std::string all = test::all_text(report.diagnostics);
    CHECK(test::contains(all, "plan_hash is '<sixteen digits>', not 16 hexadecimal digits"));
    CHECK(test::contains(all, "the constant arena in 'dtcm' has 2 tensors, but lists 1"));
    CHECK(test::contains(
        all, "the scratch arena in 'dtcm' uses 96 B, but none of its tensors is listed"));
  }

  TEST_CASE("older schemas are tolerated, newer ones refused") {
    CHECK(good(kSmall, "").diagnostics.empty());
    CHECK(good(kSmall, "").arenas.front().memory == "dtcm");
    const std::string old =
        R"({"schema_version": 1, "arenas": {"scratch": [{"memory": "sram", "total_size": 8}]},
            "tensors": [{"id": 7, "role": "scratch", "memory": "sram", "size": 8}]})";
    const model::PlanReport report = good(old, "");
    CHECK(report.diagnostics.empty());
    CHECK(block(report, "7").size == Bytes{8});
    CHECK(!block(report, "7").offset);
    const core::Diagnostics newer =
        refused(test::with(kSmall, "\"schema_version\": 3", "\"schema_version\": 4"), "");
    REQUIRE(newer.size() == 1);
    CHECK(newer.front().code == Code::kPlanVersion);
    CHECK(newer.front().place.line == 2);
    CHECK(newer.front().message == "schema_version is 4; this memsize reads up to 3");
  }

  TEST_CASE("a report that contradicts itself is doubtful") {
    const auto doubtful = [](std::string_view from, std::string_view to) {
      return doubt(test::with(kSmall, from, to), Code::kPlanContradiction);
    };
    CHECK(doubtful("\"used\": 64", "\"used\": 65") ==
          "the constant arena in 'dtcm' uses 65 of 64 B");
    // What is never reclaimed fills its arena exactly.
    CHECK(doubtful("\"used\": 64", "\"used\": 63") ==
          "the constant arena in 'dtcm' uses 63 of 64 B");
    CHECK(doubtful("staged", "cold") ==
          "the constant arena in 'dtcm' is cold, but comes from 'mram'");
    CHECK(doubtful("staged", "warm") == "the constant arena in 'dtcm' is of the kind 'warm'");
    CHECK(doubtful("\"scratch\": []", "\"stack\": []") ==
          "arenas of the role 'stack' are left out");
    CHECK(doubtful("\"tensor_count\": 1", "\"tensor_count\": 0") ==
          "the constant arena in 'dtcm' has 0 tensors, but lists 1");
    CHECK(doubtful("\"CONSTANT\", \"memory\": \"DTCM\", \"source_memory\": \"MRAM\"",
                   "\"CONSTANT\", \"memory\": \"DTCM\", \"source_memory\": \"PSRAM\"") ==
          "tensor '1' comes from 'psram', but the constant arena in 'dtcm' comes from 'mram'");
  }

  TEST_CASE("an arena that stands twice is the first one") {
    const model::PlanReport report = good(
        R"({"schema_version": 3, "arenas": {"persistent": [
             {"memory": "dtcm", "region_id": 0, "used": 0, "total_size": 0},
             {"memory": "DTCM", "region_id": 1, "used": 8, "total_size": 8},
             {"memory": "sram", "region_id": 0, "used": 0, "total_size": 0}]}})",
        "");
    REQUIRE(report.arenas.size() == 2);
    CHECK(report.arenas[0].total == Bytes{0});
    CHECK(report.arenas[1].memory == "sram");
    const std::string all = test::all_text(report.diagnostics);
    CHECK(report.diagnostics.size() == 2);
    CHECK(test::contains(all, "the persistent arena in 'dtcm' stands here again; the first holds"));
    CHECK(test::contains(all, "region 0 is the persistent arena in 'sram' and another one, too"));
  }

  TEST_CASE("the total of a scratch arena may be its budget") {
    const std::string text =
        R"({"schema_version": 3, "arenas": {"scratch":
             [{"memory": "dtcm", "used": 16492, "total_size": 65536}]},
            "tensors": [{"id": "1", "role": "scratch", "memory": "dtcm", "offset": 0,
                         "size": 16492}]})";
    CHECK(good(text, "").diagnostics.empty());
    CHECK(doubt(test::with(text, "65536", "16491"), Code::kPlanContradiction) ==
          "the scratch arena in 'dtcm' uses 16492 of 16491 B");
  }

  TEST_CASE("what cannot be used is an error with its place") {
    const auto error = [](std::string_view from, std::string_view to) {
      const core::Diagnostics errors = refused(test::with(kSmall, from, to), "helia-residency");
      REQUIRE(errors.size() == 1);
      return fmt::format(
          "{} {}: {}", core::code_name(errors[0].code), errors[0].place.line, errors[0].message);
    };
    CHECK(error("\"offset\": 0", "\"offset\": -16") ==
          "plan.size 9: tensors[0].offset: -16 is no size");
    CHECK(error("\"offset\": 0", "\"offset\": 9223372036854775807") ==
          "plan.size 9: tensors[0].offset: 9223372036854775807 B is more than any memory has");
    CHECK(error("\"offset\": 0", "\"offset\": 4611686018427387904") ==
          "plan.size 9: the tensor: 64 B at offset 4611686018427387904 end beyond any memory");
    CHECK(error("\"alignment\": 16", "\"alignment\": 24") ==
          "plan.alignment 6: arenas.constant[0].alignment: 24 is no alignment");
    CHECK(error("\"role\": \"CONSTANT\"", "\"role\": \"stack\"") ==
          "plan.syntax 9: tensors[0].role: it must be 'scratch', 'persistent' or 'constant', not "
          "'stack'");
    CHECK(error("\"tensors\": [",
                "\"tensors\": [{\"id\": 1, \"role\": \"constant\", \"memory\": \"dtcm\", "
                "\"source_memory\": \"mram\", \"size\": 4},") ==
          "plan.duplicate 9: '1' stands here again; it is in line 8, too");
    CHECK(error("\"tensors\": [", "\"tensors\": [1, ") ==
          "plan.syntax 8: tensors[0]: it must be an object, not 1");
  }

  TEST_CASE("lifetimes follow from the operators that touch a tensor") {
    // By hand: eight scratch tensors of seven operators.
    const std::map<std::string, Interval> expected = {{"0", {0, 1}},
                                                      {"3", {0, 2}},
                                                      {"6", {1, 3}},
                                                      {"7", {2, 4}},
                                                      {"8", {3, 5}},
                                                      {"10", {4, 6}},
                                                      {"13", {5, 7}},
                                                      {"14", {6, 7}}};
    for (const char* file : {"aot_operator_manifest.json", "aot_memory_layers.csv"}) {
      CAPTURE(file);
      const model::PlanReport report = good(sample(file), "");
      CHECK(report.diagnostics.empty());
      CHECK(report.blocks.size() == 15);
      for (const model::PlannedBlock& one : report.blocks) {
        const auto live = expected.find(one.id);
        REQUIRE(one.live.has_value() == (live != expected.end()));
        CHECK((!one.live || *one.live == live->second));
        CHECK(one.is_input == (one.id == "0"));
        CHECK(one.is_output == (one.id == "14"));
        CHECK(one.alias_of == (one.id == "8" ? "7" : ""));
      }
      CHECK(block(report, "9").role == Lifetime::kPersistent);
      CHECK(block(report, "11").name == "dense/weights");
      CHECK(block(report, "11").source_memory == "mram");
      CHECK(block(report, "6").uses == 2);
      REQUIRE(report.arenas.size() == 4);
      CHECK(report.arenas[0].region_id == 0);
      CHECK(report.arenas[0].memory == "dtcm");
    }
  }

  TEST_CASE("the residency and the manifest of a build agree") {
    std::vector<model::PlanReport> reports;
    for (const char* file : {"wake_residency.json",
                             "aot_operator_manifest.json",
                             "aot_memory_layers.csv",
                             "convert.log"}) {
      reports.push_back(good(sample(file), ""));
    }
    const model::PlanReport all = model::combine(std::move(reports));
    CHECK(all.diagnostics.empty());
    CHECK(!all.abridged);
    CHECK(all.blocks.size() == 15);
    CHECK(all.arenas.size() == 4);
    CHECK(block(all, "8").alias_of == "7");
    CHECK(block(all, "8").live == Interval{3, 5});
  }

  TEST_CASE("inputs live from the beginning, outputs to the end") {
    const std::string two_bytes = R"("nbytes": 2)";
    const std::string text = fmt::format(
        R"([{{"idx": 5, "op_type": "ADD", "inputs": [{0}, null], "outputs": [{1}]}},
            {{"idx": 7, "op_type": "ADD", "inputs": [{2}], "outputs": [{3}],
              "local_tensors": [{4}]}},
            {{"idx": 9, "op_type": "ADD", "inputs": [{3}], "outputs": [{5}]}}])",
        tensor("a", two_bytes),
        tensor("left", two_bytes),
        tensor("late", two_bytes),
        tensor("b", two_bytes),
        tensor("temporary", two_bytes),
        tensor("out", two_bytes));
    const model::PlanReport report = good(text, "");
    CHECK(report.diagnostics.empty());
    CHECK(block(report, "a").live == Interval{5, 6});
    CHECK(block(report, "late").live == Interval{5, 8});
    CHECK(block(report, "late").is_input);
    CHECK(block(report, "left").live == Interval{5, 10});
    CHECK(block(report, "left").is_output);
    CHECK(block(report, "temporary").live == Interval{7, 8});
    CHECK(!block(report, "temporary").is_input);
    CHECK(!block(report, "temporary").is_output);
    CHECK(block(report, "out").live == Interval{9, 10});
  }

  TEST_CASE("only a view's output is its input") {
    const auto alias = [](std::string_view type, int offset) {
      const std::string text =
          fmt::format(R"([{{"op_type": "{}", "inputs": [{}], "outputs": [{}]}}])",
                      type,
                      tensor("a", R"("nbytes": 2, "offset": 16)"),
                      tensor("b", fmt::format(R"("nbytes": 2, "offset": {})", offset)));
      return block(good(text, ""), "b").alias_of;
    };
    CHECK(alias("RESHAPE", 16) == "a");
    CHECK(alias("reshape", 16) == "a");
    CHECK(alias("RESHAPE", 32).empty());
    // Somebody overwrites what he reads: that is for the check of the plan.
    CHECK(alias("ADD", 16).empty());
  }

  TEST_CASE("a tensor of several operators must agree with itself") {
    const std::string text = fmt::format(
        R"([{{"op_type": "ADD", "outputs": [{}]}},
{{"op_type": "ADD", "inputs": [{}]}}])",
        tensor("a", R"("nbytes": 2, "offset": 16, "arena_region_id": 0)"),
        tensor("a", R"("nbytes": 4, "offset": 32, "arena_region_id": 1, "staged": true,
                       "source_memory": "dtcm")"));
    const model::PlanReport report = good(text, "");
    CHECK(report.blocks.size() == 1);
    CHECK(block(report, "a").size == Bytes{2});
    CHECK(block(report, "a").offset == Bytes{16});
    CHECK(test::count(report.diagnostics, Code::kPlanContradiction) == 4);
    const std::string all = test::all_text(report.diagnostics);
    CHECK(test::contains(all, "its offset is 32 here and 16 in line 1; that one holds"));
    CHECK(test::contains(all, "its size is 4 here and 2 in line 1; that one holds"));
    CHECK(test::contains(all, "region 1 is 'scratch' in 'dtcm' here, but"));
    CHECK(test::contains(all, "is said to be staged, but lies in 'dtcm' and comes from 'dtcm'"));
  }

  TEST_CASE("operators beyond any step are errors") {
    for (const char* index : {"1099511627776", "9223372036854775807", "18446744073709551615"}) {
      const std::string text = fmt::format(R"([{{"idx": {}, "op_type": "ADD", "inputs": [{}]}}])",
                                           index,
                                           tensor("a", R"("nbytes": 2)"));
      CHECK(refused(text, "").front().code == Code::kPlanLifetime);
    }
  }

  TEST_CASE(
      "a table of layers is read whatever ends its lines and in whatever order it has columns") {
    const std::string table = sample("aot_memory_layers.csv");
    std::string returns;
    for (const char c : table) {
      returns += c == '\n' ? std::string{"\r\n"} : std::string{c};
    }
    const model::PlanReport report = good(returns, "");
    CHECK(report.blocks.size() == 15);
    CHECK(report.diagnostics.empty());
    CHECK(block(report, "14").live == Interval{6, 7});

    const model::PlanReport few = good(
        "shape,size,tensor_id,tensor_role,layer_idx\n"
        "\"a \"\"quoted\"\", name\",8,x,output,3\n"
        "\"two\nlines\",8,x,input,4\n"
        "[1],16,y,input,4\n",
        "");
    CHECK(few.blocks.size() == 2);
    CHECK(block(few, "x").live == Interval{3, 5});
    CHECK(block(few, "x").memory == "default");
    CHECK(block(few, "y").line == 5);
  }

  TEST_CASE("a column with one letter other than one that is missing is told") {
    const core::Diagnostics errors =
        refused("layer_idx,tensor_role,tensor_id,source_memoty,size\n0,input,a,mram,8\n", "");
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message == "there is no column 'source_memory', but one 'source_memoty'");
  }

  TEST_CASE("rows that are none are errors with their line") {
    const std::string head = "layer_idx,tensor_role,tensor_id,offset,size,shape\n";
    const auto error = [&](const std::string& rows) {
      const core::Diagnostics errors = refused(head + rows, "");
      REQUIRE(errors.size() == 1);
      return fmt::format("{}: {}", errors[0].place.line, errors[0].message);
    };
    CHECK(error("0,input,a,0,8,[1, 2]\n") == "2: the row has 7 fields, the first line 6");
    CHECK(error("0,input,a,0,8,x\n0,input,b,-1,8,x\n") ==
          "3: offset must be a whole number from 0, not '-1'");
    CHECK(error("0,weights,a,0,8,x\n") ==
          "2: tensor_role must be input, output or local, not 'weights'");
    CHECK(error("0,input,,0,8,x\n") == "2: tensor_id is empty");
    CHECK(error("0,input,a,0,8,\"x\n") == "2: a quoted field does not end");
    CHECK(error("9999999999999999999,input,a,0,8,x\n").find("beyond any step") !=
          std::string::npos);
    CHECK(refused("layer_idx,tensor_id\n", "").front().code == Code::kPlanSyntax);
  }

  TEST_CASE("arenas are found anywhere in a log") {
    const std::string log =
        "$ helia-aot convert --verbose 2\n"
        "[12:00:01] INFO  Scratch arenas (1):\n"
        "  \xE2\x80\xA2 dtcm          size=96 B  tensors=4\n"
        "\x1b[32mConstant arenas (2):\x1b[0m\n"
        "  \xE2\x80\xA2 const_dtcm    size=640 B  shape=staged  src=mram -> dst=dtcm  consts=2\n"
        "  * const_mram    size=32 B  shape=cold  src=mram  consts=1\n"
        "  (staged constants hydrated by net_model_init; ...)\n"
        "done, size=3\n";
    const model::PlanReport report = good(log, "");
    CHECK(report.format == "helia-log");
    CHECK(report.diagnostics.empty());
    REQUIRE(report.arenas.size() == 3);
    CHECK(report.arenas[0].role == Lifetime::kScratch);
    CHECK(report.arenas[0].memory == "dtcm");
    CHECK(report.arenas[0].total == Bytes{96});
    CHECK(report.arenas[1].role == Lifetime::kConstant);
    CHECK(report.arenas[1].memory == "dtcm");
    CHECK(report.arenas[1].source_memory == "mram");
    CHECK(report.arenas[1].block_count == 2);
    CHECK(report.arenas[1].line == 5);
    CHECK(report.arenas[2].memory == "mram");
    CHECK(report.arenas[2].source_memory.empty());

    const model::PlanReport cut = good(log.substr(0, log.find("  * const_mram")), "");
    CHECK(test::count(cut.diagnostics, Code::kPlanAbridged) == 1);
    CHECK(cut.diagnostics.front().message == "2 constant arenas are announced, 1 found");
  }

  TEST_CASE("a damaged line of a log is told") {
    const std::string text =
        "Constant arenas (2):\n"
        "  * const_dtcm  size=1168 B  shape=staged  src=mram -> dst=dtcm  consts=3\n"
        "  * const_mram  size=80 B  shape=cold  src=mram  consts=3\n";
    CHECK(good(text, "").diagnostics.empty());
    for (const auto& [what, with] : {std::pair{"shape=staged", "shbpe=staged"},
                                     std::pair{"size=1168", "size=116x"},
                                     std::pair{" size=80", "xsize=80"},
                                     std::pair{"dst=dtcm", "dst=dtcn"},
                                     std::pair{"cold  src=mram", "cold  src=m^am"}}) {
      const auto& shown_what = what;
      CHECK_MESSAGE(!refused(test::with(text, what, with), "").empty(), shown_what);
    }
    CHECK(good(test::with(text, "mram  consts=3", "mram"), "").diagnostics.size() == 1);
  }

  TEST_CASE("one operator may touch everything, and every mistake be in it") {
    std::string inputs;
    std::string outputs;
    for (int i = 0; i < 50'000; ++i) {
      const char* const comma = i == 0 ? "" : ",";
      inputs += comma + tensor(fmt::format("i{}", i), R"("nbytes": 1, "offset": 0)");
      outputs += comma + tensor(fmt::format("o{}", i), R"("nbytes": 1, "offset": 0)");
    }
    const std::string text = fmt::format(
        R"([{{"op_type": "RESHAPE", "inputs": [{}], "outputs": [{}]}}])", inputs, outputs);
    const model::PlanReport report = good(text, "");
    CHECK(report.blocks.size() == 100'000);
    CHECK(report.arenas.size() == 1);
  }

  TEST_CASE("a long list of mistakes takes a moment") {
    std::string text = R"({"schema_version": 3, "arenas": {}, "tensors": [)";
    for (int i = 0; i < 200'000; ++i) {
      text += fmt::format(
          R"({}{{"id": {}, "role": "x", "memory": 5, "size": -1}})", i == 0 ? "" : ",", i);
    }
    text += "]}";
    // Every value of it is wrong: each message with its path would cost the array's length.
    const core::Diagnostics errors = refused(text, "helia-residency");
    CHECK(errors.size() == 40);
  }
}

}  // namespace memsize::readers::helia_test
