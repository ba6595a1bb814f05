// Bytes by lifetime and by pool, by hand: sharing, holes, the runtime's own layouts.
#include "network/nnapi/nnapi_support.hpp"
#include "nnapi/operands.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::network::nnapi_account_test {

namespace {

using namespace nnapi_test;
using core::Bytes;

}  // namespace

TEST_SUITE_BEGIN("network");

TEST_CASE("nnapi account: sizes by type and dimensions; unknown is absent") {
  const auto bytes = [](const char* type, model::NnNumbers dimensions) {
    return nn_bytes(format(), type, dimensions);
  };
  CHECK(bytes("INT32", numbers({})) == Bytes{4});
  CHECK(bytes("TENSOR_FLOAT16", numbers({3, 5})) == Bytes{30});
  CHECK(bytes("TENSOR_QUANT8_ASYMM", numbers({1, 3, 2})) == Bytes{6});
  CHECK_FALSE(bytes("TENSOR_FLOAT32", numbers({})));
  CHECK_FALSE(bytes("TENSOR_FLOAT32", numbers({1, 0, 2})));
  CHECK_FALSE(bytes("TENSOR_FLOAT32", numbers({UINT64_MAX, UINT64_MAX})));
  CHECK_FALSE(bytes("OEM", numbers({})));
  CHECK_FALSE(bytes("Extension OperandType 65537", numbers({4})));
  CHECK_FALSE(bytes("TENSOR_FLOAT32", model::NnNumbers{.items = {4}}));
  // Numbers of what has no name, as printers print them.
  CHECK(bytes("0x4", numbers({2})) == Bytes{8});
}

TEST_CASE("nnapi account: shared bytes count once, and holes up to the size") {
  model::NnModel model = whole_model();
  // [0, 16) and [8, 24) of 40: 24 covered, 8 shared, 16 in holes.
  model.main.operands.items = {constant("CONSTANT_REFERENCE", 0, 16),
                               constant("CONSTANT_REFERENCE", 8, 16),
                               constant("CONSTANT_COPY", 4, 4)};
  model.values_size = 10;
  model.pools =
      model::NnList<model::NnPool>{.items = {{.name = "Ashmem", .size = 40}}, .is_whole = true};
  model::NnLog log;
  log.models = {model, model};
  const NnAccount account = nn_account(log, format());
  REQUIRE(account.models.size() == 1);
  const NnModelUse& use = account.models[0];
  CHECK(use.times == 2);
  REQUIRE(use.pools.size() == 1);
  CHECK(use.pools[0].name == "ashmem");
  CHECK(use.pools[0].count == 2);
  CHECK(use.pools[0].bytes == Bytes{32});
  CHECK(use.pools[0].covered == Bytes{24});
  CHECK(use.pools[0].shared() == Bytes{8});
  CHECK(use.pools[0].holes() == Bytes{16});
  REQUIRE(use.values);
  CHECK(use.values->covered == Bytes{4});
  CHECK(use.values->holes() == Bytes{6});
}

TEST_CASE("nnapi account: what the runtime lays out between devices") {
  // 100 B at 0, 30 B at 128; a loop's output twice: 5 B at 192 and 256. HIDL pads to 1, AIDL to 64.
  model::NnModel model = whole_model();
  model.main.operands.items = {temporary(100), temporary(30), temporary(5)};
  model.main.operations.items = {{"A", numbers({}), numbers({0})},
                                 {"B", numbers({}), numbers({1})},
                                 {"WHILE", numbers({}), numbers({2})}};
  model::NnLog log;
  log.models = {model};
  CHECK(nn_account(log, format()).models[0].laid_out_by_runtime == Bytes{261});
  log.models[0].skin = model::NnSkin::kAidl;
  CHECK(nn_account(log, format()).models[0].laid_out_by_runtime == Bytes{320});
}

TEST_CASE("nnapi account: each pool of a request is laid out by itself") {
  model::NnRequest request;
  request.inputs = {.items = {argument(0, 0, 6), argument(0, 6, 10)}, .is_whole = true};
  request.outputs = {.items = {argument(1, 0, 9)}, .is_whole = true};
  request.pools = {.items = {{.name = "ashmem", .size = 16}, {.name = "ashmem", .size = 16}},
                   .is_whole = true};
  model::NnLog log;
  log.requests = {request};
  const NnRequestUse use = nn_account(log, format()).requests[0];
  // Pool 0: 6 B at 0, 10 B at 64, which is 74 B for 16; pool 1 is as preferred.
  CHECK(use.not_preferred == 1);
  CHECK(use.preferred_extra == Bytes{58});
  REQUIRE(use.pools.size() == 2);
  CHECK(use.pools[0].covered == Bytes{16});
  CHECK(use.pools[1].holes() == Bytes{7});
}

TEST_CASE("nnapi account: large values lie in the order of their calls, if that is their pool") {
  using Kind = model::NnValue::Kind;
  const auto log_of = [](std::uint64_t pool) {
    model::NnEvents events;
    events.values = {{.operand = 1, .kind = Kind::kLarge, .size = 129, .line = 1},
                     {.operand = 2, .kind = Kind::kCopied, .size = 4, .offset = 20, .line = 2},
                     {.operand = 3, .kind = Kind::kLarge, .size = 200, .line = 3}};
    events.large_pools = {{.size = pool, .index = 0, .line = 4}};
    model::NnLog log;
    log.events = {events};
    return log;
  };
  // 129 is followed by three bytes of padding: 132 + 200.
  const NnEventUse right = nn_account(log_of(332), format()).events[0];
  CHECK(right.values[0].offset == 0);
  CHECK(right.values[2].offset == 132);
  CHECK(right.copied_end == Bytes{24});
  CHECK_FALSE(right.lacks_values);
  const NnEventUse wrong = nn_account(log_of(400), format()).events[0];
  CHECK_FALSE(wrong.values[0].offset);
  CHECK(wrong.lacks_values);
  CHECK(nn_lacks_values(log_of(400)));
  CHECK_FALSE(nn_lacks_values(log_of(332)));
}

TEST_SUITE_END();

}  // namespace memsize::network::nnapi_account_test
