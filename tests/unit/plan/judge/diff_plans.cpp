// What changed between two plans, and for whom that matters. The hashes are those of Python's
// hashlib over the documented lines.
#include "memsize/plan/diff_plans.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::diff_test {

namespace {

using core::Bytes;
using model::Lifetime;
using model::PlannedArena;
using model::PlannedBlock;
using model::PlanReport;
using Words = std::vector<std::string>;

PlannedBlock block(const std::string& id, Lifetime role, std::uint64_t offset, std::uint64_t size) {
  PlannedBlock made;
  made.id = id;
  made.role = role;
  made.memory = "dtcm";
  made.source_memory = role == Lifetime::kConstant ? "mram" : "";
  made.offset = Bytes{offset};
  made.size = Bytes{size};
  if (role == Lifetime::kScratch) {
    made.live = model::Interval{0, 2};
  }
  return made;
}

PlannedArena arena(Lifetime role, std::uint64_t region, std::uint64_t total) {
  PlannedArena made;
  made.memory = "dtcm";
  made.role = role;
  made.region_id = region;
  made.total = Bytes{total};
  made.used = Bytes{total};
  made.alignment = core::Align::make(16);
  return made;
}

PlanReport plan() {
  PlanReport report;
  report.arenas = {arena(Lifetime::kScratch, 0, 256), arena(Lifetime::kConstant, 1, 8704)};
  report.arenas[1].source_memory = "mram";
  report.blocks = {block("10", Lifetime::kScratch, 0, 256),
                   block("9", Lifetime::kConstant, 0, 8192),
                   block("bias", Lifetime::kConstant, 8192, 512)};
  return report;
}

}  // namespace

TEST_SUITE("plan") {
  TEST_CASE("What nobody has placed is compared by the least that it takes") {
    PlanReport before = plan();
    before.arenas.clear();
    for (PlannedBlock& each : before.blocks) {
      each.offset.reset();
    }
    // Alive together with "10"; "later" is not.
    before.blocks.push_back(block("beside", Lifetime::kScratch, 0, 100));
    before.blocks.push_back(block("later", Lifetime::kScratch, 0, 300));
    before.blocks[3].offset.reset();
    before.blocks[4].offset.reset();
    before.blocks[4].live = model::Interval{2, 3};
    CHECK(diff_plans(before, before).change == PlanChange::kNone);
    PlanReport after = before;
    after.blocks[4].size = Bytes{356};
    const PlanDiff hidden = diff_plans(before, after);
    CHECK(hidden.change == PlanChange::kLayout);
    CHECK(hidden.unplaced_arenas == 2);
    after.blocks[4].size = Bytes{357};
    after.blocks[1].size = Bytes{8193};
    const PlanDiff grown = diff_plans(before, after);
    CHECK(grown.change == PlanChange::kEnvelope);
    REQUIRE(grown.arenas.size() == 2);
    CHECK(grown.arenas[0].before->used == Bytes{356});
    CHECK(grown.arenas[0].after->used == Bytes{357});
    CHECK(grown.arenas[0].changed == Words{"least_bytes"});
    CHECK(grown.arenas[1].before->used == Bytes{8704});
    CHECK(grown.arenas[1].after->used == Bytes{8705});
    CHECK(grown.growth_bytes == 2);
    CHECK(grown.envelope_before != grown.envelope_after);
    // A plan is not compared with what is to be planned.
    CHECK(diff_plans(plan(), before).growth_bytes == 0);
    // Nor is there a least of what has no blocks left.
    PlanReport none;
    CHECK(diff_plans(before, none).growth_bytes == -9060);
  }

  TEST_CASE("Equal plans do not differ, in whatever order they are listed") {
    const PlanReport before = plan();
    PlanReport after = plan();
    std::ranges::reverse(after.blocks);
    std::ranges::reverse(after.arenas);
    const PlanDiff diff = diff_plans(before, after);
    CHECK(diff.change == PlanChange::kNone);
    CHECK(diff.arenas.empty());
    CHECK(diff.blocks.empty());
    CHECK(diff.unchanged_arenas == 2);
    CHECK(diff.unchanged_blocks == 3);
    CHECK(diff.growth_bytes == 0);
    CHECK(diff.envelope_before == diff.envelope_after);
    CHECK(diff.layout_before == diff.layout_after);
  }

  TEST_CASE("Hashes are those of the documented lines") {
    CHECK(envelope_hash(plan()) == "75764b954c2e09ce");
    CHECK(layout_hash(plan()) == "c6113ece4a73085c");
    CHECK(envelope_hash(PlanReport{}) == "e3b0c44298fc1c14");
    // What is not known is empty, and what would end a field is not.
    PlanReport odd;
    odd.blocks = {block("a|b\\c", Lifetime::kPersistent, 0, 1)};
    odd.blocks[0].offset.reset();
    CHECK(layout_hash(odd) == "ce9505dc4608fe3d");
  }

  TEST_CASE("Two blocks that swap their places are no change of the envelope") {
    PlanReport after = plan();
    after.blocks[1].offset = Bytes{512};
    after.blocks[2].offset = Bytes{0};
    const PlanDiff diff = diff_plans(plan(), after);
    CHECK(diff.change == PlanChange::kLayout);
    REQUIRE(diff.blocks.size() == 2);
    // Numbers before names.
    CHECK(diff.blocks[0].before->id == "9");
    CHECK(diff.blocks[0].changed == Words{"offset"});
    CHECK(diff.blocks[1].after->offset == Bytes{0});
    CHECK(diff.unchanged_arenas == 2);
    CHECK(diff.unchanged_blocks == 1);
    CHECK(diff.envelope_before == diff.envelope_after);
    CHECK(diff.layout_before != diff.layout_after);
  }

  TEST_CASE("An arena of another size is a change of the envelope") {
    PlanReport after = plan();
    after.arenas[0].total = Bytes{200};
    after.blocks[0].size = Bytes{200};
    PlanDiff diff = diff_plans(plan(), after);
    CHECK(diff.change == PlanChange::kEnvelope);
    CHECK(diff.growth_bytes == -56);
    REQUIRE(diff.arenas.size() == 1);
    CHECK(diff.arenas[0].changed == Words{"total_bytes"});
    CHECK(diff.blocks[0].changed == Words{"size"});
    CHECK(diff.envelope_before != diff.envelope_after);
    CHECK(diff_plans(after, plan()).growth_bytes == 56);
    // What is used counts where nothing is reserved.
    after = plan();
    after.arenas[0].total.reset();
    CHECK(diff_plans(plan(), after).change == PlanChange::kNone);
    after.arenas[0].used = Bytes{300};
    CHECK(diff_plans(plan(), after).growth_bytes == 44);
    // What only one of the two says is no growth.
    after.arenas[0].used.reset();
    CHECK(diff_plans(plan(), after).growth_bytes == 0);
    CHECK(diff_plans(after, plan()).growth_bytes == 0);
    CHECK(diff_plans(after, plan()).change == PlanChange::kNone);
  }

  TEST_CASE("Alignment, source and region of an arena are of the envelope") {
    PlanReport after = plan();
    after.arenas[0].alignment = core::Align::make(32);
    after.arenas[1].source_memory = "psram";
    after.arenas[1].region_id = 2;
    const PlanDiff diff = diff_plans(plan(), after);
    CHECK(diff.change == PlanChange::kEnvelope);
    REQUIRE(diff.arenas.size() == 2);
    CHECK(diff.arenas[0].changed == Words{"alignment"});
    CHECK(diff.arenas[1].changed == Words{"source_memory", "region_id"});
  }

  TEST_CASE("Arenas and blocks that came and went, by region and by id") {
    PlanReport after = plan();
    after.arenas.insert(after.arenas.begin() + 1, arena(Lifetime::kPersistent, 1, 64));
    after.arenas[2].region_id = 2;
    after.blocks.push_back(block("2", Lifetime::kPersistent, 0, 64));
    after.blocks.erase(after.blocks.begin());
    PlanDiff diff = diff_plans(plan(), after);
    CHECK(diff.growth_bytes == 64);
    REQUIRE(diff.arenas.size() == 2);
    CHECK_FALSE(diff.arenas[0].before);
    CHECK(diff.arenas[0].after->role == Lifetime::kPersistent);
    CHECK(diff.arenas[1].changed == Words{"region_id"});
    REQUIRE(diff.blocks.size() == 2);
    CHECK(diff.blocks[0].after->id == "2");
    CHECK_FALSE(diff.blocks[0].before);
    CHECK(diff.blocks[1].before->id == "10");
    CHECK_FALSE(diff.blocks[1].after);
  }

  TEST_CASE("A report without arenas has those that its blocks make") {
    PlanReport listed = plan();
    for (PlannedArena& row : listed.arenas) {
      row.alignment.reset();
      row.region_id.reset();
    }
    PlanReport made = listed;
    made.arenas.clear();
    PlanDiff diff = diff_plans(listed, made);
    CHECK(diff.change == PlanChange::kNone);
    CHECK(diff.unchanged_arenas == 2);
    CHECK(diff.envelope_before == diff.envelope_after);
    made.blocks[2].size = Bytes{600};
    diff = diff_plans(listed, made);
    CHECK(diff.growth_bytes == 88);
    CHECK(diff.change == PlanChange::kEnvelope);
  }

  TEST_CASE("A cold constant says so or says nothing: the same") {
    PlanReport before = plan();
    PlanReport after = plan();
    for (PlanReport* report : {&before, &after}) {
      report->arenas[1].source_memory = report == &before ? "" : "dtcm";
      for (PlannedBlock& each : report->blocks) {
        each.source_memory = report->arenas[1].source_memory;
      }
    }
    const PlanDiff diff = diff_plans(before, after);
    CHECK(diff.change == PlanChange::kNone);
    CHECK(diff.envelope_before == diff.envelope_after);
  }

  TEST_CASE("Other lifetimes and aliases are a change of the layout") {
    PlanReport after = plan();
    after.blocks[0].live = model::Interval{1, 3};
    after.blocks[2].alias_of = "9";
    const PlanDiff diff = diff_plans(plan(), after);
    CHECK(diff.change == PlanChange::kLayout);
    REQUIRE(diff.blocks.size() == 2);
    CHECK(diff.blocks[0].changed == Words{"lower", "upper"});
    CHECK(diff.blocks[1].changed == Words{"alias_of"});
    // What only one of them knows is no change.
    after = plan();
    after.blocks[0].live.reset();
    CHECK(diff_plans(plan(), after).change == PlanChange::kNone);
  }

  TEST_CASE("Sizes at the edge of 64 bits") {
    PlanReport after = plan();
    after.arenas[0].total = Bytes{UINT64_MAX};
    CHECK(diff_plans(plan(), after).growth_bytes == INT64_MAX);
    CHECK(diff_plans(after, plan()).growth_bytes == -INT64_MAX);
  }
}

}  // namespace memsize::plan::diff_test
