// What a model cannot have as its plan; what it can is read back by tests/accept/accept_tflite.py.
#include "memsize/emit/plan_tflite.hpp"

#include "memsize/core/file_system.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace memsize::emit::plan_tflite_test {

namespace {

using core::Bytes;
using core::Code;
using model::Lifetime;

struct Planned {
  std::string text;
  model::PlanReport plan;
};

// Each scratch tensor behind the one before.
Planned planned() {
  core::RealFileSystem files;
  const auto text =
      files.read(test::source_folder() + "/samples/plans/tflite/kws_ref_model.tflite");
  REQUIRE(text.has_value());
  auto plan = readers::read_plan(*text, "m.tflite");
  REQUIRE(plan.has_value());
  Bytes next;
  for (model::PlannedBlock& block : plan->blocks) {
    if (block.role == Lifetime::kScratch) {
      block.offset = next;
      next += Bytes{8192};
    }
  }
  return {*text, std::move(*plan)};
}

model::PlannedBlock& scratch_in(model::PlanReport& plan) {
  return *std::ranges::find(plan.blocks, Lifetime::kScratch, &model::PlannedBlock::role);
}

Code refused(const Planned& model) {
  const auto written = plan_tflite(model.text, "m.tflite", model.plan);
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().front().place.path == "m.tflite");
  CHECK_FALSE(written.error().front().hint.empty());
  return written.error().front().code;
}

}  // namespace

TEST_SUITE_BEGIN("emit");

TEST_CASE("a plan goes into its model") {
  const Planned model = planned();
  const auto written = plan_tflite(model.text, "m.tflite", model.plan);
  REQUIRE_MESSAGE(written.has_value(), (written ? "" : test::all_text(written.error())));
  // All that was there stays behind the new beginning.
  CHECK(written->ends_with(model.text));
  CHECK((written->size() - model.text.size()) % kTfliteSlot == 0);
  const auto again = readers::read_plan(*written, "m.tflite");
  REQUIRE(again.has_value());
  for (std::size_t i = 0; i < model.plan.blocks.size(); ++i) {
    CHECK(again->blocks[i].offset == model.plan.blocks[i].offset);
  }
}

TEST_CASE("a plan takes the place of the one before") {
  Planned model = planned();
  const auto first = plan_tflite(model.text, "m.tflite", model.plan);
  REQUIRE(first.has_value());
  const auto same = plan_tflite(*first, "m.tflite", model.plan);
  REQUIRE(same.has_value());
  CHECK(*same == *first);
  model::PlannedBlock& moved = scratch_in(model.plan);
  moved.offset = Bytes{1 << 20};
  const auto second = plan_tflite(*first, "m.tflite", model.plan);
  REQUIRE(second.has_value());
  CHECK(second->size() == first->size());
  CHECK(second->ends_with(model.text));
  const auto again = readers::read_plan(*second, "m.tflite");
  REQUIRE(again.has_value());
  CHECK(std::ranges::find(again->blocks, moved.id, &model::PlannedBlock::id)->offset ==
        moved.offset);
  // What somebody else wrote there is behind the new beginning, as all else.
  std::string other = *first;
  other[other.size() - model.text.size() - 1] = 'x';
  const auto third = plan_tflite(other, "m.tflite", model.plan);
  REQUIRE(third.has_value());
  CHECK(third->ends_with(other));
}

TEST_CASE("plans that no interpreter takes are refused") {
  Planned model = planned();
  scratch_in(model.plan).memory = "another";
  CHECK(refused(model) == Code::kEmitData);
  model = planned();
  scratch_in(model.plan).offset = Bytes{8};
  CHECK(refused(model) == Code::kPlanAlignment);
  scratch_in(model.plan).offset = Bytes{std::uint64_t{1} << 31U};
  CHECK(refused(model) == Code::kPlanAlignment);
  scratch_in(model.plan).offset.reset();
  CHECK(refused(model) == Code::kPlanAlignment);
  model = planned();
  scratch_in(model.plan).id = "1000";
  CHECK(refused(model) == Code::kPlanOrder);
  model = planned();
  model.plan.network.operators.pop_back();
  CHECK(refused(model) == Code::kPlanOrder);
  model = planned();
  model.plan.network.operators.back().id = "99";
  CHECK(refused(model) == Code::kPlanOrder);
  model.plan.network.operators.back().id = "x";
  CHECK(refused(model) == Code::kPlanOrder);
}

TEST_SUITE_END();

}  // namespace memsize::emit::plan_tflite_test
