#include "plans/plan_fields.hpp"

#include "support.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers::plan_fields_test {

using core::Code;

TEST_SUITE("readers") {
  TEST_CASE("members of the wrong type are errors that name them") {
    const auto document = docs::parse_json(R"({
      "text": 5, "size": -1, "big": 4611686018427387905, "edge": 4611686018427387904,
      "align": 24, "role": "stack", "flag": 1, "whole": 4096.0, "part": 1.5, "null": null,
      "MEMORY": " DTCM "})",
                                           "plan.json",
                                           Code::kPlanSyntax);
    REQUIRE(document);
    const docs::Value root = document->root();
    PlanFields fields{"plan.json"};
    CHECK(fields.size(root, "edge") == model::kLargestPlan);
    CHECK(fields.whole(root, "whole") == 4096);
    CHECK(!fields.size_if_any(root, "none"));
    CHECK(!fields.size_if_any(root, "null"));
    CHECK(fields.memory_if_any(root, "MEMORY") == "dtcm");
    CHECK(fields.memory_if_any(root, "none") == "default");
    CHECK(!fields.failed());

    CHECK(fields.text(root, "text").empty());
    CHECK(!fields.size(root, "size"));
    CHECK(!fields.size(root, "big"));
    CHECK(!fields.alignment_if_any(root, "align"));
    CHECK(!fields.role(root, "role"));
    CHECK(!fields.flag_if_any(root, "flag"));
    CHECK(!fields.whole(root, "part"));
    CHECK(!fields.whole(root, "none"));
    const PlanResult result = fields.finish({});
    REQUIRE(!result);
    const std::string all = test::all_text(result.error());
    CHECK(result.error().size() == 8);
    CHECK(test::contains(all, "text: it must be a string, not 5"));
    CHECK(test::contains(all, "size: -1 is no size"));
    CHECK(test::contains(all, "big: 4611686018427387905 B is more than any memory has"));
    CHECK(test::contains(all, "align: 24 is no alignment"));
    CHECK(
        test::contains(all, "role: it must be 'scratch', 'persistent' or 'constant', not 'stack'"));
    CHECK(test::contains(all, "flag: it must be true or false, not 1"));
    CHECK(test::contains(all, "part: it must be a whole number from 0, not 1.5"));
    CHECK(test::contains(all, "document: 'none' is missing"));
  }

  TEST_CASE("a key with one byte other than one that is missing is told") {
    const std::string text = R"({"total_siz%": 8, "used": 4, "q_buffer": 1, "unlike": 2})";
    auto document = docs::parse_json(text, "p.json", Code::kPlanSyntax);
    REQUIRE(document.has_value());
    PlanFields fields{"p.json"};
    const docs::Value root = document->root();
    CHECK_FALSE(fields.whole_if_any(root, "total_size").has_value());
    CHECK(fields.whole_if_any(root, "used") == 4);
    // One that looks like it is a key, too.
    CHECK_FALSE(root["k_buffer"]);
    CHECK(root["q_buffer"]);
    const auto report = fields.finish({}, *document);
    REQUIRE(report.has_value());
    REQUIRE(report->diagnostics.size() == 1);
    CHECK(report->diagnostics[0].message ==
          "nothing reads total_siz%, and there is no 'total_size'");
  }

  TEST_CASE("lifetimes that no network has are errors") {
    PlanProblems problems{"plan.csv"};
    using model::Interval;
    const auto live = [&](std::int64_t first, std::int64_t last, LastStep meaning) {
      return problems.lifetime(first, last, meaning, {3, 1}, "'x'");
    };
    CHECK(live(2, 5, LastStep::kFirstAfter) == Interval{2, 5});
    CHECK(live(2, 5, LastStep::kInside) == Interval{2, 6});
    CHECK(live(2, 2, LastStep::kInside) == Interval{2, 3});
    CHECK(live(-3, 0, LastStep::kFirstAfter) == Interval{-3, 0});
    CHECK(live(0, model::kLastStep, LastStep::kFirstAfter) == Interval{0, model::kLastStep});
    CHECK(!problems.failed());
    CHECK(!live(2, 2, LastStep::kFirstAfter));
    CHECK(!live(3, 2, LastStep::kInside));
    CHECK(!live(0, model::kLastStep, LastStep::kInside));
    CHECK(!live(INT64_MIN, INT64_MAX, LastStep::kFirstAfter));
    const PlanResult result = problems.finish({});
    REQUIRE(!result);
    CHECK(result.error().size() == 4);
    CHECK(test::count(result.error(), Code::kPlanLifetime) == 4);
    CHECK(result.error()[0].message == "'x': the lifetime from 2 to 2 is empty");
    CHECK(result.error()[1].message == "'x': the lifetime from 3 to 2 ends before it begins");
  }

  TEST_CASE("of many problems of one kind twenty are kept, and how many more there are") {
    PlanProblems problems{"plan.csv"};
    for (std::size_t i = 0; i < 1000; ++i) {
      problems.warn(Code::kPlanContradiction, {i + 1, 0}, "doubtful");
    }
    CHECK(!problems.failed());
    const PlanResult warned = problems.finish({});
    REQUIRE(warned);
    REQUIRE(warned->diagnostics.size() == 20);
    CHECK(warned->diagnostics.back().details ==
          std::vector<std::string>{"and 980 places more like it"});

    // An error is kept whatever came before.
    problems.error(Code::kPlanContradiction, {1001, 0}, "unusable");
    CHECK(problems.failed());
    CHECK(!problems.finish({}));
  }

  TEST_CASE("an id stands once") {
    PlanProblems problems{"plan.csv"};
    CHECK(problems.is_new("a", {2, 0}));
    CHECK(problems.is_new("b", {3, 0}));
    CHECK(!problems.is_new("a", {4, 0}));
    const PlanResult result = problems.finish({});
    REQUIRE(!result);
    CHECK(result.error().front().code == Code::kPlanDuplicate);
    CHECK(result.error().front().message == "'a' stands here again; it is in line 2, too");
  }

  TEST_CASE("numbers in tables are digits and nothing else") {
    CHECK(whole_number("18446744073709551615") == UINT64_MAX);
    for (const char* text : {"", "18446744073709551616", "-1", "+1", " 1", "1 ", "0x10", "1.0"}) {
      CHECK(!whole_number(text));
    }
    CHECK(signed_number("-9223372036854775808") == INT64_MIN);
    CHECK(!signed_number("9223372036854775808"));
  }
}

}  // namespace memsize::readers::plan_fields_test
