#include "memsize/emit/plan_files.hpp"
#include "memsize/plan/rules.hpp"

#include "support.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::emit::plan_rules_yaml_test {

namespace {

using core::Bytes;
using model::Lifetime;
using model::PlannedBlock;
using model::PlanReport;

PlannedBlock block(const std::string& id,
                   Lifetime role,
                   const std::string& memory,
                   const std::string& source = {}) {
  PlannedBlock made;
  made.id = id;
  made.role = role;
  made.memory = memory;
  made.source_memory = source;
  made.size = Bytes{16};
  return made;
}

PlannedBlock scratch(const std::string& id, const std::string& memory) {
  return block(id, Lifetime::kScratch, memory);
}

PlannedBlock constant(const std::string& id,
                      const std::string& memory,
                      const std::string& source = {}) {
  return block(id, Lifetime::kConstant, memory, source);
}

core::Result<std::string> written(const PlanReport& plan) {
  core::MemFileSystem files;
  return plan_file(files, "helia-yaml", plan, {});
}

// Read back, they give each tensor the memory that it has.
plan::Rules rules_of(const PlanReport& plan) {
  const auto text = written(plan);
  REQUIRE(text.has_value());
  auto rules = plan::read_rules(*text, "memory.yaml");
  REQUIRE_MESSAGE(rules.has_value(), *text);
  CHECK(rules->diagnostics.empty());
  for (const PlannedBlock& each : plan.blocks) {
    CAPTURE(*text);
    CAPTURE(each.id);
    const auto found = plan::attributes_of(*rules, each.role, each.id);
    const bool is_staged = !each.source_memory.empty();
    CHECK(found.memory == (is_staged ? each.source_memory : each.memory));
    CHECK(found.constant_destination_memory == (is_staged ? each.memory : ""));
  }
  return *rules;
}

std::size_t count(const std::vector<PlannedBlock>& blocks) {
  PlanReport plan;
  plan.blocks = blocks;
  return rules_of(plan).tensors.size();
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("helia-yaml: the rules are as few as can be") {
    // One for all.
    CHECK(count({scratch("1", "sram"), constant("2", "sram")}) == 1);
    // One for all and one for a role, in any way.
    CHECK(count({scratch("1", "dtcm"), scratch("2", "dtcm"), constant("3", "mram")}) == 2);
    // Of one role some go elsewhere: a rule with their ids.
    CHECK(count({scratch("1", "dtcm"), scratch("2", "sram"), scratch("3", "sram")}) == 2);
    // Some of two roles, with the same way out: rules of roles would be four.
    CHECK(count({scratch("1", "dtcm"),
                 scratch("2", "sram"),
                 block("3", Lifetime::kPersistent, "dtcm"),
                 block("4", Lifetime::kPersistent, "sram")}) == 2);
    // A destination beside a source, for all constants.
    CHECK(count({scratch("1", "dtcm"), constant("2", "dtcm", "mram")}) == 2);
    // Cold ones have none, so that the others are named.
    CHECK(count({scratch("1", "dtcm"), constant("2", "dtcm", "mram"), constant("3", "mram")}) == 3);
    // Both in one rule, where both are of the same ids.
    CHECK(count({constant("1", "mram"), constant("2", "dtcm", "psram")}) == 2);
    CHECK(count({constant("1", "mram"),
                 constant("2", "dtcm", "psram"),
                 constant("3", "dtcm", "mram")}) == 3);
  }

  TEST_CASE("helia-yaml: it names the fewest ids, in the plan's order") {
    PlanReport plan;
    plan.blocks = {scratch("5", "sram"), scratch("a\"b\\", "dtcm"), scratch("7", "sram")};
    const plan::Rules rules = rules_of(plan);
    REQUIRE(rules.tensors.size() == 2);
    CHECK(rules.tensors[1].ids == std::vector<std::string>{"a\"b\\"});
    CHECK(rules.tensors[1].attributes.memory == "dtcm");
  }

  TEST_CASE("helia-yaml: limits of what is used, and what all slots are aligned to") {
    PlanReport plan;
    plan.blocks = {scratch("1", "dtcm"), scratch("2", "sram"), scratch("3", "sram")};
    plan.blocks[1].alignment = core::Align::make(64);
    plan.blocks[2].alignment = core::Align::make(32);
    for (const char* name : {"dtcm", "sram", "psram"}) {
      model::PlannedMemory memory;
      memory.name = name;
      memory.capacity = Bytes{4096};
      memory.alignment = core::Align::make(16);
      plan.memories.push_back(memory);
    }
    const plan::Rules rules = rules_of(plan);
    REQUIRE(rules.constraints.size() == 2);
    CHECK(rules.constraints[0].memory == "dtcm");
    CHECK(rules.constraints[0].max_size == Bytes{4096});
    CHECK_FALSE(rules.constraints[0].arena_alignment.has_value());
    CHECK(rules.constraints[1].arena_alignment == core::Align::make(32));
  }

  TEST_CASE("helia-yaml: a plan without memories has no rules") {
    PlanReport plan;
    plan.blocks = {scratch("1", "default")};
    const auto text = written(plan);
    REQUIRE_FALSE(text.has_value());
    CHECK(test::contains(text.error().front().hint, "--board PART"));
  }

  TEST_CASE("helia-yaml: of random plans, each tensor has its memory again") {
    std::mt19937 random{22};
    const auto pick = [&](std::uint64_t below) { return std::uint64_t{random()} % below; };
    const std::vector<std::string> memories = {"dtcm", "sram", "mram", "psram"};
    for (int round = 0; round < 200; ++round) {
      PlanReport plan;
      const auto blocks = 1 + pick(30);
      const auto choice = 1 + pick(4);
      for (std::uint64_t i = 0; i < blocks; ++i) {
        const auto role = static_cast<Lifetime>(pick(3));
        PlannedBlock made = block(fmt::format("{}", i), role, memories[pick(choice)]);
        if (role == Lifetime::kConstant && pick(3) == 0) {
          made.source_memory = made.memory == "mram" ? "psram" : "mram";
        }
        plan.blocks.push_back(std::move(made));
      }
      (void)rules_of(plan);
    }
  }
}

}  // namespace memsize::emit::plan_rules_yaml_test
