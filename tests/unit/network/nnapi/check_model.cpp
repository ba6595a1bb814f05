// One mistake each in a model that has none, and what of a cut list nothing is said of.
#include "network/nnapi/nnapi_support.hpp"

#include <functional>
#include <string>

#include <doctest/doctest.h>

namespace memsize::network::nnapi_check_model_test {

namespace {

using namespace nnapi_test;
using core::Code;

model::NnModel valid() {
  model::NnModel made = whole_model();
  made.main.operands.items = {operand("TENSOR_FLOAT32", {1, 4}, "SUBGRAPH_INPUT"),
                              constant("CONSTANT_REFERENCE", 0, 16),
                              constant("CONSTANT_COPY", 0, 4),
                              temporary(16),
                              operand("TENSOR_FLOAT32", {1, 4}, "SUBGRAPH_OUTPUT")};
  made.main.operations.items = {{"ADD", numbers({0, 1, 2}), numbers({3})},
                                {"RELU", numbers({3}), numbers({4})}};
  made.main.inputs = numbers({0});
  made.main.outputs = numbers({4});
  made.values_size = 4;
  made.pools =
      model::NnList<model::NnPool>{.items = {{.name = "ashmem", .size = 16}}, .is_whole = true};
  return made;
}

core::Diagnostics found_in(const std::function<void(model::NnModel&)>& change) {
  model::NnLog log;
  log.models = {valid()};
  change(log.models[0]);
  return check_nnapi(log, format(), "log");
}

void expect(Code code, const std::function<void(model::NnModel&)>& change) {
  const core::Diagnostics found = found_in(change);
  INFO(test::all_text(found));
  CHECK(found.size() == 1);
  CHECK(test::find(found, code) != nullptr);
}

}  // namespace

TEST_SUITE_BEGIN("network");

TEST_CASE("nnapi model: nothing is wrong with one that is right") {
  CHECK(found_in([](model::NnModel&) {}).empty());
}

TEST_CASE("nnapi model: one mistake each") {
  const auto at = [](model::NnModel& model, std::size_t index) -> model::NnOperand& {
    return model.main.operands.items[index];
  };
  expect(Code::kNnBounds, [&](auto& m) { at(m, 1).location.offset = 1; });
  expect(Code::kNnBounds, [&](auto& m) { at(m, 1).location.offset = UINT64_MAX; });
  expect(Code::kNnBounds, [&](auto& m) { at(m, 1).location.pool = 1; });
  expect(Code::kNnBounds, [&](auto& m) { m.values_size = 3; });
  expect(Code::kNnLength, [&](auto& m) { at(m, 1).location.length = 15; });
  expect(Code::kNnLength, [&](auto& m) { at(m, 3).location.length = 1; });
  expect(Code::kNnLength, [&](auto& m) { at(m, 2).location.padding = 4; });
  expect(Code::kNnLength, [&](auto& m) { at(m, 0).dimensions = numbers({65536, 65536}); });
  expect(Code::kNnLength, [&](auto& m) {
    at(m, 1).dimensions = numbers({1U << 31U, 1U << 31U, 8});
  });
  expect(Code::kNnOrder,
         [&](auto& m) { std::swap(m.main.operations.items[0], m.main.operations.items[1]); });
  expect(Code::kNnWriter, [&](auto& m) { m.main.operations.items[1].outputs = numbers({4, 1}); });
  expect(Code::kNnWriter, [&](auto& m) { m.main.operations.items[1].outputs = numbers({}); });
  expect(Code::kNnConsumers, [&](auto& m) { at(m, 0).consumers = 2; });
  expect(Code::kNnLists, [&](auto& m) { m.main.inputs = numbers({}); });
  expect(Code::kNnLists, [&](auto& m) { m.main.outputs = numbers({4, 4}); });
  expect(Code::kNnQuantisation, [&](auto& m) { at(m, 0).scale = 0.5; });
  expect(Code::kNnQuantisation, [&](auto& m) { at(m, 0).zero_point = 1; });
  expect(Code::kNnHal, [&](auto& m) { at(m, 0).type = "NO_SUCH_TYPE"; });
  expect(Code::kNnHal, [&](auto& m) {
    m.version = "1.1";
    at(m, 1).type = at(m, 2).type = "TENSOR_QUANT8_ASYMM";
    at(m, 1).scale = at(m, 2).scale = 1;
  });
  expect(Code::kNnPool, [&](auto& m) { m.pools->items[0].name = "heap"; });
  expect(Code::kNnPool, [&](auto& m) { m.pools->items[0] = {.name = "hardware_buffer"}; });
}

TEST_CASE("nnapi model: six decimals of HIDL may hide a small scale") {
  const auto scaled = [](model::NnSkin skin) {
    return found_in([&](model::NnModel& model) {
      model.skin = skin;
      model.main.operands.items[0].type = "TENSOR_QUANT8_ASYMM";
    });
  };
  CHECK(scaled(model::NnSkin::kHidl).empty());
  CHECK(test::find(scaled(model::NnSkin::kCanonical), Code::kNnQuantisation) != nullptr);
}

TEST_CASE("nnapi model: of lists that were cut nothing is said that may stand behind the cut") {
  CHECK(found_in([](model::NnModel& model) {
          model.main.operations.items.pop_back();
          model.main.operations.is_whole = false;
          model.main.outputs = {};
          model.pools.reset();
          model.values_size.reset();
          model.main.operands.items[0].consumers = 5;
        }).empty());
}

TEST_CASE("nnapi model: packed constants are a note alone") {
  const core::Diagnostics found = found_in([](model::NnModel& model) {
    model.main.operands.items[2].location.offset = 1;
    model.values_size = 5;
  });
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == Code::kNnAlignment);
  CHECK(found[0].severity == core::Severity::kNote);
}

TEST_SUITE_END();

}  // namespace memsize::network::nnapi_check_model_test
