#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memsize::readers::st_edge_ai_test {

namespace {

using core::Code;
using model::Lifetime;
using nlohmann::json;

model::PlanReport read(const json& document) {
  auto report = read_plan(document.dump(2), "c_info.json");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  CHECK(report->format == "st-edge-ai");
  return std::move(*report);
}

core::Diagnostics refused(const json& document) {
  auto report = read_plan(document.dump(2), "c_info.json", "st-edge-ai");
  REQUIRE_FALSE(report.has_value());
  return std::move(report.error());
}

const model::PlannedBlock& block(const model::PlanReport& report, std::string_view id) {
  const auto found =
      std::ranges::find_if(report.blocks, [&](const auto& each) { return each.id == id; });
  REQUIRE_MESSAGE(found != report.blocks.end(), id);
  return *found;
}

json buffer(int id, int pool, int offset, int size, int start, int end, const char* flags = "") {
  return {{"id", id},
          {"name", "b" + std::to_string(id)},
          {"mpool_id", pool},
          {"offset_start", offset},
          {"size_bytes", size},
          {"epochs", {{"start", start}, {"end", end}}},
          {"alignment", 4},
          {"flags", flags},
          {"is_param", std::string_view{flags}.find("CONST") != std::string_view::npos}};
}

json node(std::initializer_list<int> inputs, std::initializer_list<int> outputs) {
  return {{"inputs", inputs}, {"outputs", outputs}, {"scratchs", json::array()}};
}

// Two pools; 2 writes in place what 1 holds, 3 begins 8 bytes before 2.
json good() {
  return {{"json_schema_version", "2.0"},
          {"buffers",
           {buffer(1, 0, 16, 64, 0, 1, "STAI_FLAG_INPUTS|STAI_FLAG_ACTIVATIONS"),
            buffer(2, 0, 16, 64, 1, 2, "STAI_FLAG_ACTIVATIONS"),
            buffer(3, 0, 8, 64, 2, 3, "STAI_FLAG_OUTPUTS|STAI_FLAG_ACTIVATIONS"),
            buffer(4, 1, 0, 100, 0, 1, "STAI_FLAG_WEIGHTS|STAI_FLAG_CONST")}},
          {"graphs",
           {{{"inputs", {1}}, {"outputs", {3}}, {"nodes", {node({1, 4}, {2}), node({2}, {3})}}}}},
          {"memory_footprint", {{"activations", 80}, {"weights", 100}, {"io", {0, 0}}}},
          {"memory_pools",
           {{{"id", 0},
             {"name", "npuRAM5"},
             {"address", "875429888"},
             {"alignment", 8},
             {"rights", "ACC_WRITE"},
             {"size_bytes", 458752},
             {"used_size_bytes", 80},
             {"subpools", json::array()},
             {"buffers", {1, 2, 3}}},
            {{"id", 1},
             {"name", "weights_array"},
             {"address", "s_network_weights_array_u64"},
             {"alignment", 0},
             {"rights", "ACC_READ"},
             {"size_bytes", -1},
             {"used_size_bytes", 100},
             {"subpools", json::array()},
             {"buffers", {4}}}}}};
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("st edge ai: pools are memories, buffers are blocks") {
  const auto report = read(good());
  REQUIRE(report.memories.size() == 2);
  CHECK(report.memories[0].name == "npuram5");
  CHECK(report.memories[0].base == core::PhysAddr{0x342E0000});
  CHECK(report.memories[0].capacity == core::Bytes{458752});
  CHECK(report.memories[0].writable == true);
  CHECK_FALSE(report.memories[1].capacity.has_value());
  CHECK_FALSE(report.memories[1].base.has_value());
  CHECK(report.memories[1].writable == false);
  CHECK(block(report, "1").name == "b1");
  CHECK(block(report, "1").is_input);
  CHECK(block(report, "3").is_output);
  // The epoch of the last reader is inside.
  CHECK(block(report, "1").live == model::Interval{0, 2});
  CHECK(block(report, "4").role == Lifetime::kConstant);
  CHECK_FALSE(block(report, "4").live.has_value());
  REQUIRE(report.arenas.size() == 2);
  CHECK(report.arenas[0].total == core::Bytes{80});
  CHECK(report.arenas[0].alignment->value() == 8);
  CHECK_FALSE(report.arenas[1].alignment.has_value());
  CHECK_FALSE(report.abridged);
  CHECK(report.diagnostics.empty());
}

TEST_CASE("st edge ai: layers that work in place share bytes on purpose") {
  const auto report = read(good());
  // 3 begins before 2, which has the bytes of 1.
  for (const char* id : {"1", "2", "3"}) {
    CHECK(block(report, id).alias_of == "group of 1");
  }
  CHECK(block(report, "2").live == model::Interval{1, 3});
  const auto& group = block(report, "group of 1");
  CHECK(group.live == model::Interval{0, 4});
  CHECK(group.offset == core::Bytes{8});
  CHECK(group.size == core::Bytes{72});
  using model::Window;
  CHECK(group.windows == std::vector<Window>{{{0, 2}, core::Bytes{8}, core::Bytes{72}},
                                             {{2, 3}, core::Bytes{0}, core::Bytes{72}},
                                             {{3, 4}, core::Bytes{0}, core::Bytes{64}}});
}

TEST_CASE(
    "st edge ai: a group that has one buffer's bytes all the time needs no block of its own") {
  json document = good();
  document["buffers"][2] = buffer(3, 0, 16, 64, 2, 3, "STAI_FLAG_OUTPUTS|STAI_FLAG_ACTIVATIONS");
  // Two names of one tensor.
  document["buffers"].push_back(buffer(5, 0, 16, 64, 2, 3));
  document["memory_pools"][0]["buffers"].push_back(5);
  const auto report = read(document);
  CHECK(report.blocks.size() == 5);
  CHECK(block(report, "1").alias_of.empty());
  for (const char* id : {"2", "3", "5"}) {
    CHECK(block(report, id).alias_of == "1");
  }
}

TEST_CASE("st edge ai: what shares bytes without a layer between is left as it is") {
  json document = good();
  document["graphs"] = json::array();
  const auto report = read(document);
  CHECK(report.blocks.size() == 4);
  CHECK(block(report, "2").alias_of.empty());
  CHECK(block(report, "2").live == model::Interval{1, 3});
}

TEST_CASE("st edge ai: constants beside activations are of one arena") {
  json document = good();
  document["buffers"].push_back(buffer(6, 0, 128, 32, 0, 1, "STAI_FLAG_CONST"));
  document["memory_pools"][0]["buffers"].push_back(6);
  document["memory_pools"][0]["used_size_bytes"] = 160;
  const auto report = read(document);
  CHECK(block(report, "6").role == Lifetime::kScratch);
  CHECK(block(report, "6").live == model::Interval{0, 4});
  CHECK(report.diagnostics.empty());
}

TEST_CASE("st edge ai: no alignment is less than elements need") {
  CHECK_FALSE(read(good()).aligns_elements);
  json document = good();
  for (json& each : document["buffers"]) {
    each["alignment"] = 1;
    each["nbits"] = 32;
  }
  document["buffers"][0]["nbits"] = 8;
  document["buffers"][1]["nbits"] = 1;
  const auto report = read(document);
  CHECK(block(report, "1").alignment == core::Align{});
  CHECK(block(report, "2").alignment == core::Align{});
  CHECK(block(report, "4").alignment == core::Align::make(4));
  // With 1 everywhere nobody says more.
  CHECK(report.aligns_elements);
  document["buffers"][3]["alignment"] = 2;
  CHECK(block(read(document), "4").alignment == core::Align::make(4));
  CHECK_FALSE(read(document).aligns_elements);
}

TEST_CASE("st edge ai: sums that do not agree are warnings") {
  json document = good();
  document["memory_footprint"]["activations"] = 81;
  CHECK(test::count(read(document).diagnostics, Code::kPlanContradiction) == 1);
  document = good();
  document["memory_pools"][0]["used_size_bytes"] = 79;
  // Of the pool only: what is used decides the sum.
  CHECK(test::count(read(document).diagnostics, Code::kPlanContradiction) == 1);
  document = good();
  document["memory_pools"][1]["buffers"].push_back(9);
  const auto report = read(document);
  CHECK(report.abridged);
  CHECK(test::count(report.diagnostics, Code::kPlanAbridged) == 1);
}

TEST_CASE("st edge ai: a key with one byte other than one that is read is told") {
  json document = good();
  document["buffers"][0]["epoxhs"] = document["buffers"][0]["epochs"];
  document["buffers"][0].erase("epochs");
  const auto report = read(document);
  const auto* told = test::find(report.diagnostics, Code::kPlanSyntax);
  REQUIRE(told != nullptr);
  CHECK(told->message == "nothing reads buffers[0].epoxhs, and there is no 'epochs'");
  CHECK(test::find(read(good()).diagnostics, Code::kPlanSyntax) == nullptr);
}

TEST_CASE("st edge ai: other versions, and what no plan can have") {
  json document = good();
  document["json_schema_version"] = "3.1";
  CHECK(read(document).blocks.size() == 5);
  document.erase("json_schema_version");
  document.erase("graphs");
  document.erase("memory_footprint");
  CHECK(read(document).blocks.size() == 4);
  const auto code_of = [](const json& wrong) { return refused(wrong).front().code; };
  document["json_schema_version"] = "4.0";
  CHECK(code_of(document) == Code::kPlanVersion);
  document = good();
  document["buffers"][1]["epochs"]["end"] = 0;
  CHECK(code_of(document) == Code::kPlanLifetime);
  document = good();
  document["buffers"][1]["id"] = 1;
  CHECK(code_of(document) == Code::kPlanDuplicate);
  document = good();
  document["buffers"][1]["mpool_id"] = 7;
  CHECK(code_of(document) == Code::kPlanMemory);
  document = good();
  document["buffers"][1]["size_bytes"] = -1;
  CHECK(code_of(document) == Code::kPlanSize);
  document = good();
  document["buffers"][1]["alignment"] = 12;
  CHECK(code_of(document) == Code::kPlanAlignment);
  document = good();
  document.erase("buffers");
  CHECK(code_of(document) == Code::kPlanSyntax);
}

TEST_SUITE_END();

}  // namespace memsize::readers::st_edge_ai_test
