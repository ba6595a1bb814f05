#include "memsize/emit/plan_files.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memsize::readers::plan_document_test {

namespace {

using core::Code;
using model::Lifetime;
using nlohmann::json;

json good() {
  return json::parse(R"({
    "schema": "memsize.plan/1",
    "prefix": "kws",
    "planner": "exact",
    "envelope_hash": "0123456789abcdef",
    "layout_hash": "fedcba9876543210",
    "memories": [
      { "name": "dtcm", "capacity_bytes": 65536, "used_bytes": 96, "base": "0x10000000",
        "alignment": 16, "writable": true },
      { "name": "mram", "writable": false } ],
    "arenas": [
      { "memory": "dtcm", "role": "scratch", "region_id": 0, "height_bytes": 48, "total_bytes": 64,
        "lower_bound_bytes": 48, "capacity_bytes": 65536, "alignment": 16, "proof": "bound" },
      { "memory": "dtcm", "role": "constant", "source_memory": "mram", "region_id": 1,
        "height_bytes": 32, "capacity_bytes": 65536 } ],
    "blocks": [
      { "id": "in", "memory": "dtcm", "role": "scratch", "lower": 0, "upper": 2, "size": 32,
        "alignment": 16, "offset": 0, "input": true, "uses": 2 },
      { "id": "flat", "name": "reshape", "memory": "dtcm", "role": "scratch", "lower": 1,
        "upper": 3, "size": 32, "offset": 0, "alias_of": "in", "output": true },
      { "id": "w", "memory": "dtcm", "role": "constant", "source_memory": "mram", "size": 32,
        "offset": 0 },
      { "id": "state", "memory": "dtcm", "role": "persistent", "size": 16 } ],
    "layers": [ { "name": "conv", "total_cycles": 100, "compute_cycles": 80, "load_cycles": 15,
                  "store_cycles": 5 } ],
    "diagnostics": []
  })");
}

model::PlanReport read(const std::string& text) {
  auto report = read_plan(text, "p.json");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  CHECK(report->format == "memsize-plan");
  return std::move(*report);
}

core::Diagnostics refused(const json& document) {
  auto report = read_plan(document.dump(2), "p.json", "memsize-plan");
  REQUIRE_FALSE(report.has_value());
  return std::move(report.error());
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("plan document: what it says") {
  const auto report = read(good().dump(2));
  CHECK(report.prefix == "kws");
  CHECK(report.planner == "exact");
  REQUIRE(report.memories.size() == 2);
  CHECK(report.memories[0].capacity == core::Bytes{65536});
  CHECK(report.memories[0].base == core::PhysAddr{0x10000000});
  CHECK(report.memories[0].alignment->value() == 16);
  CHECK(report.memories[1].writable == false);
  REQUIRE(report.arenas.size() == 2);
  CHECK(report.arenas[0].used == core::Bytes{48});
  CHECK(report.arenas[0].total == core::Bytes{64});
  CHECK(report.arenas[0].lower_bound == core::Bytes{48});
  CHECK(report.arenas[0].proof == "bound");
  CHECK(report.arenas[1].source_memory == "mram");
  CHECK(report.arenas[1].region_id == 1U);
  REQUIRE(report.blocks.size() == 4);
  CHECK(report.blocks[0].is_input);
  CHECK(report.blocks[0].uses == 2U);
  CHECK(report.blocks[0].live == model::Interval{0, 2});
  CHECK(report.blocks[1].alias_of == "in");
  CHECK(report.blocks[1].name == "reshape");
  CHECK(report.blocks[1].is_output);
  CHECK(report.blocks[2].source_memory == "mram");
  CHECK_FALSE(report.blocks[3].offset.has_value());
  REQUIRE(report.layers.size() == 1);
  CHECK(report.layers[0].load == 15);
}

TEST_CASE("plan document: what was written comes back as it was") {
  const std::string once = emit::plan_json(read(good().dump(2)));
  CHECK(emit::plan_json(read(once)) == once);
  // A height that a report does not say is in its file, and so in its hash.
  json heightless = good();
  heightless["arenas"][1].erase("height_bytes");
  const std::string first = emit::plan_json(read(heightless.dump(2)));
  CHECK(emit::plan_json(read(first)) == first);
  json expected = good();
  for (const char* const key : {"envelope_hash", "layout_hash", "diagnostics"}) {
    expected.erase(key);
  }
  json written = json::parse(once);
  written.erase("envelope_hash");
  written.erase("layout_hash");
  // The writer lists arenas of all blocks; those of the document are there as they were.
  for (const json& arena : expected["arenas"]) {
    CHECK_MESSAGE(std::ranges::find(written["arenas"], arena) != written["arenas"].end(),
                  arena.dump());
  }
  for (const char* const key : {"prefix", "planner", "memories", "blocks", "layers"}) {
    CHECK_MESSAGE(written[key] == expected[key], key);
  }
}

TEST_CASE("plan document: windows come back as they were, and lie inside of their block") {
  json document = good();
  document["blocks"][0]["windows"] = {{{"lower", 0}, {"upper", 1}, {"begin", 8}, {"end", 32}},
                                      {{"lower", 1}, {"upper", 2}, {"begin", 0}, {"end", 4}}};
  const auto report = read(document.dump(2));
  CHECK(report.blocks[0].windows ==
        std::vector<model::Window>{{{0, 1}, core::Bytes{8}, core::Bytes{32}},
                                   {{1, 2}, core::Bytes{0}, core::Bytes{4}}});
  const json written = json::parse(emit::plan_json(report));
  CHECK(written["blocks"][0] == document["blocks"][0]);
  for (const auto& [key, value] : {std::pair{"upper", 3}, {"end", 33}, {"begin", 40}}) {
    json wrong = document;
    wrong["blocks"][0]["windows"][0][key] = value;
    CHECK(refused(wrong).front().code == Code::kPlanSyntax);
  }
}

TEST_CASE("plan document: the smallest, as it is described") {
  const auto report = read(R"({ "schema": "memsize.plan/1",
    "arenas": [ { "memory": "default", "role": "scratch", "height_bytes": 55296,
                  "lower_bound_bytes": 55296, "capacity_bytes": 131072, "alignment": 16,
                  "proof": "bound" } ],
    "blocks": [ { "id": "7", "memory": "default", "role": "scratch", "lower": 3, "upper": 5,
                  "size": 18432, "offset": 36864 } ],
    "diagnostics": [ ] })");
  REQUIRE(report.memories.size() == 1);
  CHECK(report.memories[0].capacity == core::Bytes{131072});
  CHECK(report.blocks[0].live == model::Interval{3, 5});
}

TEST_CASE("plan document: what is wrong in it") {
  const auto code_of = [](const json& wrong) { return refused(wrong).front().code; };
  json document = good();
  document["schema"] = "memsize.plan/2";
  CHECK(code_of(document) == Code::kPlanVersion);
  CHECK(read_plan(document.dump(), "p.json").error().front().code == Code::kPlanVersion);
  document = good();
  document.erase("blocks");
  CHECK(code_of(document) == Code::kPlanSyntax);
  document = good();
  document["blocks"][0].erase("upper");
  CHECK(code_of(document) == Code::kPlanSyntax);
  document = good();
  document["blocks"][0]["upper"] = 0;
  CHECK(code_of(document) == Code::kPlanLifetime);
  document = good();
  document["blocks"][0]["role"] = "weights";
  CHECK(code_of(document) == Code::kPlanSyntax);
  document = good();
  document["blocks"][0]["size"] = 1ULL << 63U;
  CHECK(code_of(document) == Code::kPlanSize);
  document = good();
  document["blocks"][0]["offset"] = (1ULL << 62U) - 1;
  CHECK(code_of(document) == Code::kPlanSize);
  document = good();
  document["blocks"][1]["id"] = "in";
  document["blocks"][1].erase("alias_of");
  CHECK(code_of(document) == Code::kPlanDuplicate);
  document = good();
  document["blocks"][1]["alias_of"] = "nobody";
  CHECK(code_of(document) == Code::kPlanAlias);
  document["blocks"][1]["alias_of"] = "flat";
  CHECK(code_of(document) == Code::kPlanAlias);
  document = good();
  document["arenas"][0]["proof"] = "because";
  CHECK(code_of(document) == Code::kPlanSyntax);
  document = good();
  document["arenas"].push_back(document["arenas"][0]);
  CHECK(code_of(document) == Code::kPlanDuplicate);
  document = good();
  document["memories"][0]["base"] = "here";
  CHECK(code_of(document) == Code::kPlanSyntax);
}

TEST_SUITE_END();

}  // namespace memsize::readers::plan_document_test
