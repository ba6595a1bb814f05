// Requests against the model that they are for, pools of theirs, and buffers by tokens.
#include "network/nnapi/nnapi_support.hpp"

#include <functional>
#include <string>

#include <doctest/doctest.h>

namespace memsize::network::nnapi_check_request_test {

namespace {

using namespace nnapi_test;
using core::Code;

model::NnLog valid() {
  model::NnModel made = whole_model();
  made.main.operands.items = {operand("TENSOR_FLOAT32", {1, 4}, "SUBGRAPH_INPUT"),
                              operand("TENSOR_FLOAT32", {0, 4}, "SUBGRAPH_OUTPUT"),
                              operand("TENSOR_FLOAT32", {1, 4}, "SUBGRAPH_OUTPUT")};
  made.main.operations.items = {{"A", numbers({0}), numbers({1, 2})}};
  made.main.inputs = numbers({0});
  made.main.outputs = numbers({1, 2});
  model::NnRequest request;
  request.line = 9;
  request.inputs = {.items = {argument(0, 0, 16)}, .is_whole = true};
  request.outputs = {.items = {argument(1, 0, 64), argument(1, 64, 16)}, .is_whole = true};
  request.pools = {.items = {{.name = "ashmem", .size = 16},
                             {.name = "mmap_fd", .size = 80},
                             {.name = "token", .token = 3}},
                   .is_whole = true};
  model::NnLog log;
  log.models = {made};
  log.requests = {request};
  return log;
}

core::Diagnostics found_in(const std::function<void(model::NnLog&)>& change) {
  model::NnLog log = valid();
  change(log);
  return check_nnapi(log, format(), "log");
}

void expect(Code code, const std::function<void(model::NnRequest&)>& change) {
  const core::Diagnostics found =
      found_in([&](model::NnLog& log) { change(log.requests.front()); });
  INFO(test::all_text(found));
  CHECK(found.size() == 1);
  CHECK(test::find(found, code) != nullptr);
}

}  // namespace

TEST_SUITE_BEGIN("network");

TEST_CASE("nnapi request: nothing is wrong with one that is right; one mistake each") {
  CHECK(found_in([](model::NnLog&) {}).empty());
  expect(Code::kNnBounds, [](auto& r) { r.inputs.items[0].location.offset = 1; });
  expect(Code::kNnBounds, [](auto& r) { r.inputs.items[0].location.padding = 1; });
  expect(Code::kNnBounds, [](auto& r) { r.inputs.items[0].location.pool = 3; });
  expect(Code::kNnLength, [](auto& r) { r.inputs.items[0].location.length = 12; });
  expect(Code::kNnRequest, [](auto& r) { r.inputs.items[0].location.length = 0; });
  expect(Code::kNnRequest, [](auto& r) { r.inputs.items.clear(); });
  expect(Code::kNnRequest, [](auto& r) { r.inputs.items[0].dimensions = numbers({1, 4, 1}); });
  expect(Code::kNnRequest, [](auto& r) { r.inputs.items[0].dimensions = numbers({0, 4}); });
  expect(Code::kNnRequest, [](auto& r) {
    r.inputs.items[0].lifetime = "NO_VALUE";
    r.inputs.items[0].location.offset = 8;
  });
  expect(Code::kNnRequest, [](auto& r) { r.outputs.items[1].location = {2, 0, 16, 0, {}}; });
  expect(Code::kNnAlias, [](auto& r) { r.outputs.items[1].location.offset = 48; });
  expect(Code::kNnToken, [](auto& r) { r.pools.items[2].token = -1; });
  expect(Code::kNnPool, [](auto& r) { r.pools.items[1].name = "heap"; });
  expect(Code::kNnRole, [](auto& r) {
    r.outputs.items[0].location = {2, 0, 0, 0, {}};
    r.outputs.items[1].location = {2, 0, 0, 0, {}};
  });
}

TEST_CASE("nnapi request: a pool in part, a request in part, and several models") {
  CHECK(found_in([](model::NnLog& log) {
          log.requests[0].pools.items.resize(1);
          log.requests[0].pools.is_whole = false;
          log.requests[0].inputs.items.clear();
          log.requests[0].inputs.is_whole = false;
        }).empty());
  // Whose request it is nobody knows.
  CHECK(found_in([](model::NnLog& log) {
          log.models.push_back(log.models[0]);
          log.models[1].main.operands.items[0].type = "TENSOR_INT32";
          log.requests[0].inputs.items.clear();
        }).empty());
}

TEST_CASE("nnapi request: a token that was given back, before it and behind it") {
  const auto found_with = [](std::size_t line) {
    return found_in([&](model::NnLog& log) {
      model::NnEvents events;
      events.tokens = {{true, 3, 1}, {false, 3, line}};
      log.events = {events};
    });
  };
  CHECK(test::find(found_with(5), Code::kNnToken) != nullptr);
  CHECK(found_with(20).empty());
}

TEST_SUITE_END();

}  // namespace memsize::network::nnapi_check_request_test
