#include "memsize/plan/rules.hpp"

#include "support.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::rules_test {

namespace {

using core::Code;
using model::Lifetime;

Rules rules_of(const std::string& text, const std::string& path = "rules.yaml") {
  const auto rules = read_rules(text, path);
  REQUIRE_MESSAGE(rules.has_value(), test::all_text(rules.error()));
  return *rules;
}

core::Diagnostic error_of(const std::string& text, const std::string& path = "rules.yaml") {
  CAPTURE(text);
  const auto rules = read_rules(text, path);
  REQUIRE_FALSE(rules.has_value());
  return rules.error().front();
}

TensorRule rule(std::optional<Lifetime> type, std::vector<std::string> ids, std::string memory) {
  TensorRule made;
  made.type = type;
  made.ids = std::move(ids);
  made.attributes.memory = std::move(memory);
  return made;
}

}  // namespace

TEST_SUITE_BEGIN("plan");

TEST_CASE("a file that was written for heliaAOT is read, whatever else it configures") {
  const Rules rules = rules_of(R"yaml(
path: model.tflite
module: {name: aot, type: neuralspot}
memory:
  planner: greedy
  allocate_arenas: false
  dump_residency_json: true
  auto_hydrate_constants: true
  constraints:
    - name: PSRAM
      arena_alignment: 64        # cache line for the staged blob
    - name: Dtcm
      max_size: 128KiB
      arena_alignment: 32
    - {name: sram, max_size: null}
  tensors:
    - type: Constant
      id: "1"
      attributes:
        memory: MRAM
        constant_destination_memory: DTCM
    - type: "*"
      id: [2, "three"]
      attributes: {memory: sram}
    - attributes: {memory: SRAM}
)yaml");
  CHECK(rules.diagnostics.empty());
  REQUIRE(rules.constraints.size() == 3);
  CHECK(rules.constraints[0].memory == "psram");
  CHECK(rules.constraints[0].arena_alignment->value() == 64);
  CHECK_FALSE(rules.constraints[0].max_size.has_value());
  CHECK(rules.constraints[1].memory == "dtcm");
  CHECK(rules.constraints[1].max_size == core::Bytes{131072});
  CHECK_FALSE(rules.constraints[2].max_size.has_value());
  REQUIRE(rules.tensors.size() == 3);
  CHECK(rules.tensors[0].type == Lifetime::kConstant);
  CHECK(rules.tensors[0].ids == std::vector<std::string>{"1"});
  CHECK(rules.tensors[0].attributes.memory == "mram");
  CHECK(rules.tensors[0].attributes.constant_destination_memory == "dtcm");
  CHECK(rules.tensors[0].attributes.destination_place.line == 21);
  CHECK_FALSE(rules.tensors[1].type.has_value());
  CHECK(rules.tensors[1].ids == std::vector<std::string>{"2", "three"});
  CHECK_FALSE(rules.tensors[2].type.has_value());
  CHECK(rules.tensors[2].ids.empty());
}

TEST_CASE("the same rules as TOML, as JSON, and with anchors") {
  const std::string toml = R"toml(
[memory]
planner = "greedy"
[[memory.constraints]]
name = "dtcm"
max_size = "64KiB"
[[memory.tensors]]
type = "constant"
id = ["1", 2]
attributes = { memory = "mram", constant_destination_memory = "dtcm" }
)toml";
  const std::string json = R"json({"memory": {"constraints": [{"name": "DTCM", "max_size": 65536}],
    "tensors": [{"type": "CONSTANT", "id": ["1", 2],
                 "attributes": {"memory": "MRAM", "constant_destination_memory": "DTCM"}}]}})json";
  const std::string anchors = R"yaml(
staged: &staged {memory: mram, constant_destination_memory: dtcm}
memory:
  constraints: [{name: dtcm, max_size: 0x10000}]
  tensors: [{type: constant, id: ["1", 2], attributes: {<<: *staged}}]
)yaml";
  for (const Rules& rules :
       {rules_of(toml, "rules.toml"), rules_of(json, "rules.json"), rules_of(anchors)}) {
    REQUIRE(rules.constraints.size() == 1);
    CHECK(rules.constraints[0].max_size == core::Bytes{65536});
    REQUIRE(rules.tensors.size() == 1);
    CHECK(rules.tensors[0].ids == std::vector<std::string>{"1", "2"});
    CHECK(rules.tensors[0].attributes.memory == "mram");
    CHECK(rules.tensors[0].attributes.constant_destination_memory == "dtcm");
  }
}

TEST_CASE("type and id beat type, type beats id, id beats neither; then the later one holds") {
  const TensorRule none = rule({}, {}, "none");
  const TensorRule id = rule({}, {"7"}, "id");
  const TensorRule type = rule(Lifetime::kConstant, {}, "type");
  const TensorRule both = rule(Lifetime::kConstant, {"7"}, "both");
  const std::vector<TensorRule> by_strength = {none, id, type, both};
  // Any subset in any order: the strongest that applies wins.
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    for (unsigned subset = 1; subset < 16; ++subset) {
      Rules rules;
      for (const std::size_t i : order) {
        if ((subset >> i & 1U) != 0) {
          rules.tensors.push_back(by_strength[i]);
        }
      }
      const auto strongest = [&](unsigned applicable) {
        std::string memory;
        for (std::size_t i = 0; i < 4; ++i) {
          if ((subset & applicable) >> i & 1U) {
            memory = by_strength[i].attributes.memory;
          }
        }
        return memory;
      };
      CHECK(attributes_of(rules, Lifetime::kConstant, "7").memory == strongest(0b1111));
      CHECK(attributes_of(rules, Lifetime::kConstant, "8").memory == strongest(0b0101));
      CHECK(attributes_of(rules, Lifetime::kScratch, "7").memory == strongest(0b0011));
      CHECK(attributes_of(rules, Lifetime::kScratch, "8").memory == strongest(0b0001));
    }
  } while (std::ranges::next_permutation(order).found);
  Rules ties;
  ties.tensors = {rule(Lifetime::kScratch, {}, "first"), rule(Lifetime::kScratch, {}, "second")};
  CHECK(attributes_of(ties, Lifetime::kScratch, "x").memory == "second");
}

TEST_CASE("rules are merged field by field") {
  const Rules rules = rules_of(R"yaml(
memory:
  tensors:
    - {type: constant, id: "1", attributes: {constant_destination_memory: dtcm}}
    - {type: constant, attributes: {memory: mram, constant_destination_memory: sram}}
    - {id: "2", attributes: {memory: psram}}
    - {attributes: {memory: flash}}
)yaml");
  const auto one = attributes_of(rules, Lifetime::kConstant, "1");
  CHECK(one.memory == "mram");
  CHECK(one.constant_destination_memory == "dtcm");
  const auto two = attributes_of(rules, Lifetime::kConstant, "2");
  CHECK(two.memory == "mram");
  CHECK(two.constant_destination_memory == "sram");
  CHECK(attributes_of(rules, Lifetime::kScratch, "2").memory == "psram");
  CHECK(attributes_of(rules, Lifetime::kScratch, "2").constant_destination_memory.empty());
  CHECK(attributes_of(rules, Lifetime::kPersistent, "9").memory == "flash");
}

TEST_CASE("keys that mean nothing are ignored, but not without a word") {
  const Rules rules = rules_of(R"yaml(
memory:
  plannr: greedy
  constraints: [{name: dtcm, max_sise: 5}]
  tensors: [{type: scratch, attributes: {memry: dtcm, colour: red}}]
)yaml");
  REQUIRE(rules.diagnostics.size() == 4);
  CHECK(rules.diagnostics[0].hint == "did you mean 'planner'?");
  CHECK(rules.diagnostics[1].hint == "did you mean 'max_size'?");
  CHECK(rules.diagnostics[2].hint == "did you mean 'memory'?");
  CHECK(rules.diagnostics[3].severity == core::Severity::kWarning);
  CHECK(rules.diagnostics[3].code == Code::kPlanRule);
  CHECK(rules.diagnostics[3].place.line == 5);
  CHECK_FALSE(rules.constraints[0].max_size.has_value());
}

TEST_CASE("a file without a rule is an error: it would change nothing") {
  CHECK(error_of("path: x\nmemori: {}\n").hint == "did you mean 'memory'?");
  CHECK(error_of("").message == "there is no 'memory': the file has no rule");
  CHECK(error_of("engine: {config: {aot_args: {planner: greedy}}}").code == Code::kPlanRule);
  CHECK(error_of("memory: {planner: greedy}").message == "there is no rule in 'memory'");
  CHECK(error_of("memory: {tensors: [], constraints: []}").code == Code::kPlanRule);
}

TEST_CASE("rules are found where a profiler's configuration has them") {
  const Rules rules = rules_of(R"yaml(
model: {path: ./wake.tflite}
engine:
  type: aot
  config:
    aot_args:
      memory:
        constraints: [{name: dtcm, max_size: 64KiB}]
        tensors:
          - {type: constant, attributes: {memory: mram}}
)yaml");
  CHECK(rules.diagnostics.empty());
  CHECK(rules.constraints.size() == 1);
  REQUIRE(rules.tensors.size() == 1);
  CHECK(rules.tensors[0].attributes.memory == "mram");
}

TEST_CASE("rules that cannot be meant are errors with a place") {
  CHECK(error_of("memory: {tensors: [{type: scrach}]}").hint == "did you mean 'scratch'?");
  CHECK(
      error_of("memory:\n  constraints:\n    - name: x\n      arena_alignment: 24\n").place.line ==
      4);
  CHECK(error_of("memory: {constraints: [{max_size: 5}]}").code == Code::kPlanRule);
  CHECK(error_of("memory: {constraints: [{name: x, max_size: -1}]}").code == Code::kPlanRule);
  CHECK(error_of("memory: {constraints: [{name: x, max_size: 64KB}]}").code == Code::kPlanRule);
  CHECK(error_of("memory: {constraints: [{name: x, max_size: 010}]}").code == Code::kPlanRule);
  CHECK(error_of("memory: {constraints: [{name: x, max_size: 1.5}]}").code == Code::kPlanRule);
  CHECK(error_of("memory: {constraints: {name: x}}").code == Code::kPlanRule);
  CHECK(error_of("memory: {tensors: [{id: [], attributes: {}}]}").code == Code::kPlanRule);
  CHECK(error_of("memory: {tensors: [{id: {a: 1}, attributes: {}}]}").code == Code::kPlanRule);
  CHECK(error_of("memory: {tensors: [{attributes: {memory: 5}}]}").code == Code::kPlanRule);
  CHECK(error_of("memory: {tensors: [{memory: dtcm}]}").code == Code::kPlanRule);
  CHECK(error_of("memory: 5").code == Code::kPlanRule);
  CHECK(error_of("- 1").code == Code::kPlanRule);
  CHECK(error_of("tensors: []").code == Code::kPlanRule);
}

TEST_CASE("hostile YAML is an error, not a crash and not a long wait") {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) {
      bomb += "*a" + std::to_string(i - 1) + (j == 8 ? "]\n" : ",");
    }
  }
  const auto repeated = [](std::string_view part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) {
      text += part;
    }
    return text;
  };
  for (const std::string& text : {bomb,
                                  repeated("[", 100000),
                                  repeated("{a: ", 100000),
                                  repeated("- ", 100000),
                                  repeated("? ", 100000),
                                  std::string{"&a [*a]"},
                                  std::string{"a: 1\n---\nb: 1\n"},
                                  std::string{"a: 1\na: 2\n"},
                                  std::string{"a: *b\n"},
                                  std::string{"? [a]\n: 1\n"},
                                  std::string{"a: !!python/object:os.system 1\n"},
                                  std::string{"a: [1\n"},
                                  std::string{"a: \xff\n"},
                                  std::string{"a: \"\0\"\n", 7},
                                  repeated("a\n", 3U << 20)}) {
    const core::Diagnostic problem = error_of(text);
    CHECK(problem.code == Code::kPlanSyntax);
    CHECK_FALSE(problem.message.empty());
  }
}

TEST_SUITE_END();

}  // namespace memsize::plan::rules_test
