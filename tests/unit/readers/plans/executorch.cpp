// Tensors of ExecuTorch's trace are put together from their events, and what cannot be is told.
#include "memsize/core/bytes.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::readers::executorch_test {

namespace {

using core::Bytes;
using core::Code;
using model::Interval;
using test::with;

std::string event(std::string_view name, int step, int start, int bytes, int memory = 1) {
  return "{\"name\": \"" + std::string{name} +
         "\", \"cat\": \"memory_allocation\", \"ph\": \"X\", \"ts\": " + std::to_string(start) +
         ", \"dur\": " + std::to_string(bytes) + ", \"pid\": " + std::to_string(memory) +
         ", \"tid\": " + std::to_string(step) + ", \"args\": {\"op_name\": \"aten.add\", " +
         "\"Memory ID\": " + std::to_string(memory) + ", \"bytes\": " + std::to_string(bytes) +
         "}}";
}

std::string trace(const std::vector<std::string>& events) {
  std::string text = "{\"traceEvents\": [\n";
  for (const std::string& each : events) {
    text += (text.ends_with('[') || text.ends_with("[\n") ? "" : ",\n") + each;
  }
  return text + "\n]}\n";
}

const std::string kTrace = trace({event("a", 0, 16, 40),
                                  event("a", 1, 16, 40),
                                  event("b", 1, 64, 8),
                                  event("b", 1, 80, 4),
                                  event("b", 2, 64, 8),
                                  event("c", 2, 0, 4, 2)});

model::PlanReport read(const std::string& text) {
  auto report = read_plan(text, "memory_profile.json");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  CHECK(report->format == "executorch");
  return std::move(*report);
}

core::Diagnostic refused(const std::string& text) {
  CAPTURE(text);
  const auto report = read_plan(text, "memory_profile.json", "executorch");
  REQUIRE_FALSE(report.has_value());
  return report.error().front();
}

}  // namespace

TEST_SUITE_BEGIN("plan");

TEST_CASE("executorch: a tensor is alive from its first event to its last") {
  const model::PlanReport report = read(kTrace);
  REQUIRE(report.blocks.size() == 4);
  const model::PlannedBlock& a = report.blocks[0];
  CHECK(a.id == "a");
  CHECK(a.live == Interval{0, 2});
  CHECK(a.size == Bytes{40});
  CHECK(a.offset == Bytes{16});
  CHECK(a.memory == "memory1");
  CHECK(a.role == model::Lifetime::kScratch);
  CHECK(a.line == 2);
  // A node of two tensors.
  CHECK(report.blocks[1].id == "b");
  CHECK(report.blocks[1].live == Interval{1, 3});
  CHECK(report.blocks[2].id == "b:1");
  CHECK(report.blocks[2].live == Interval{1, 2});
  CHECK(report.blocks[2].offset == Bytes{80});
  CHECK(report.blocks[3].memory == "memory2");
  // A node may have tensors in two memories.
  const model::PlanReport two = read(trace({event("a", 0, 16, 4), event("a", 0, 0, 4, 2)}));
  CHECK(two.blocks[1].id == "a:1");
  CHECK(two.blocks[1].memory == "memory2");
}

TEST_CASE("executorch: without offsets there are none") {
  const model::PlanReport report = read(trace(
      {event("a", 0, 0, 40), event("b", 0, 40, 8), event("b", 1, 0, 8), event("c", 1, 8, 4)}));
  REQUIRE(report.blocks.size() == 3);
  for (const model::PlannedBlock& block : report.blocks) {
    CHECK_FALSE(block.offset.has_value());
  }
  CHECK(report.blocks[1].live == Interval{0, 2});
  // Where none of them moves, they may be offsets as well.
  CHECK(read(trace({event("a", 0, 0, 40), event("a", 1, 0, 40)})).blocks[0].offset == Bytes{});
}

TEST_CASE("executorch: names that may be one are told") {
  const auto told = [](const std::vector<std::string>& events) {
    return read(trace(events)).diagnostics.size();
  };
  CHECK(told({event("a", 0, 16, 4), event("a", 1, 16, 4), event("b", 2, 16, 4)}) == 1);
  CHECK(told({event("b", 0, 16, 4), event("a", 1, 16, 4), event("a", 2, 16, 4)}) == 1);
  // Two that take turns, and others that are not alike.
  CHECK(told({event("a", 0, 16, 4),
              event("a", 1, 16, 4),
              event("b", 2, 16, 4),
              event("b", 3, 16, 4)}) == 0);
  CHECK(told({event("a", 0, 16, 4), event("b", 1, 32, 4)}) == 0);
  CHECK(told({event("a", 0, 16, 4), event("b", 1, 16, 8)}) == 0);
}

TEST_CASE("executorch: what a tensor cannot be") {
  core::Diagnostic error = refused(with(kTrace,
                                        "\"ts\": 16, \"dur\": 40, \"pid\": 1, \"tid\": 1",
                                        "\"ts\": 16, \"dur\": 44, \"pid\": 1, \"tid\": 1"));
  CHECK(error.code == Code::kPlanContradiction);
  CHECK(error.message == "its dur is 44, and its bytes 40");
  error = refused(trace({event("a", 0, 16, 40), event("a", 1, 16, 44)}));
  CHECK(error.code == Code::kPlanContradiction);
  CHECK(error.message == "'a' has 44 B here, and 40 B in line 2");
  error = refused(with(kTrace,
                       "\"ts\": 16, \"dur\": 40, \"pid\": 1, \"tid\": 1",
                       "\"ts\": 24, \"dur\": 40, \"pid\": 1, \"tid\": 1"));
  CHECK(error.code == Code::kPlanContradiction);
  CHECK(error.message == "'a' lies elsewhere than at 16, as it does in line 2");
  error = refused(trace({event("a", 0, 16, 4), event("b", 1, 16, 4), event("a", 2, 16, 4)}));
  CHECK(error.code == Code::kPlanLifetime);
  CHECK(error.message == "'a' is in 2 events from step 0 to 2: it cannot come and go");
  // So far apart that nobody counts the steps between.
  std::string far = trace({event("a", 0, 16, 4), event("a", 7, 16, 4)});
  far.replace(far.find("\"tid\": 7"), 8, "\"tid\": 9223372036854775807");
  CHECK(refused(far).code == Code::kPlanLifetime);
  error = refused(with(kTrace, "\"Memory ID\": 2", "\"Memory ID\": 1"));
  CHECK(error.code == Code::kPlanContradiction);
  CHECK(error.message == "its pid is 2, and its Memory ID 1");
  error = refused(trace({event("a", 0, 16, 4), event("a", 2, 16, 4)}));
  CHECK(error.code == Code::kPlanLifetime);
  CHECK(error.message == "step 2 comes behind step 0");
  CHECK(refused(trace({event("a", 1, 16, 4)})).message == "the first step is 1");
  std::string other = trace({event("a", 0, 16, 4), event("a", 1, 16, 4)});
  other.replace(other.rfind("aten.add"), 8, "aten.mul");
  CHECK(refused(other).message == "'a' is made by another operator than in line 2");
  other = trace({event("a", 0, 16, 4), event("a", 1, 16, 4)});
  other.replace(other.rfind("memory_"), 7, "memorz_");
  CHECK(refused(other).code == Code::kPlanSyntax);
  CHECK(refused(trace({})).code == Code::kReadEmpty);
  CHECK(refused("{\"traceEvents\": 3}").code == Code::kPlanSyntax);
  CHECK(refused(trace({event("a", 0, 16, -1)})).code == Code::kPlanSize);
}

TEST_SUITE_END();

}  // namespace memsize::readers::executorch_test
