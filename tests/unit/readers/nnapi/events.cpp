// The runtime's own lines, as AOSP prints them.
#include "memsize/readers/nnapi_reader.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::readers::nnapi::events_test {

TEST_SUITE_BEGIN("readers");

TEST_CASE("nnapi events: where each value went, thread by thread") {
  const auto log = read_nnapi(
      "01-02 03:04:05.006    10    11 I ModelBuilder: setOperandValue for operand 4 size 3\n"
      "01-02 03:04:05.006    10    12 I ModelBuilder: setOperandValue for operand 9 size 900\n"
      "01-02 03:04:05.006    10    11 I ModelBuilder: Copied small value to offset 8\n"
      "01-02 03:04:05.006    10    12 I ModelBuilder: Saving large value\n"
      "01-02 03:04:05.006    10    12 I ModelBuilder: setOperandValueFromMemory for operand 7 "
      "offset 64 size 32\n"
      "01-02 03:04:05.006    10    12 I ModelBuilder: Copied small value to offset 99\n"
      "01-02 03:04:05.006    10    12 I ModelBuilder: copyLargeValuesToSharedMemory has 1 values.\n"
      "01-02 03:04:05.006    10    12 I ModelBuilder: Allocated large value pool of size 900 at "
      "index 2\n");
  using Kind = model::NnValue::Kind;
  REQUIRE(log.events.size() == 1);
  const auto& values = log.events[0].values;
  REQUIRE(values.size() == 3);
  CHECK(values[0].kind == Kind::kCopied);
  CHECK(values[0].offset == 8);
  CHECK(values[1].kind == Kind::kLarge);
  CHECK(values[1].size == 900);
  CHECK(values[2].kind == Kind::kFromMemory);
  CHECK(values[2].offset == 64);
  REQUIRE(log.events[0].large_pools.size() == 2);
  CHECK(log.events[0].large_pools[0].values == 1);
  CHECK(log.events[0].large_pools[1].size == 900);
  CHECK(log.events[0].large_pools[1].index == 2);
}

TEST_CASE("nnapi events: arguments, temporaries, devices, failures") {
  const auto log = read_nnapi(
      "input[0] = MEMORY(pool=1, off=64) dim(1, 2)\n"
      "output[3] = POINTER(0x7c)\n"
      "input[1] = HAS_NO_VALUE\n"
      "temp: operand (0, 5) offset = 64 paddedLength = 128\n"
      "temp (boundary constant): operand (1, 6) offset = 0 paddedLength = 64\n"
      "DynamicTemporaries: sourceOperandIndex = (0, 7), stepIndex = 1, offset = 192, dimensions = "
      "[1, 2], paddedLength = 64, alignment = 64, padding = 64\n"
      "SIMPLE for some-dsp\n"
      "**Execution failed**\n"
      "setOperandValue for operand 1 size 1");
  REQUIRE(log.events.size() == 1);
  const model::NnEvents& events = log.events[0];
  REQUIRE(events.bindings.size() == 3);
  CHECK(events.bindings[0].pool == 1);
  CHECK(events.bindings[0].offset == 64);
  REQUIRE(events.bindings[0].dimensions);
  CHECK(events.bindings[0].dimensions->items == std::vector<std::uint64_t>{1, 2});
  CHECK(events.bindings[1].is_output);
  CHECK(events.bindings[1].kind == "POINTER");
  CHECK(events.bindings[2].kind == "HAS_NO_VALUE");
  REQUIRE(events.temporaries.size() == 3);
  CHECK(events.temporaries[0].padded_length == 128);
  CHECK(events.temporaries[1].is_constant);
  CHECK(events.temporaries[2].is_dynamic);
  CHECK(events.temporaries[2].offset == 192);
  CHECK(events.device == "some-dsp");
  CHECK(events.failures == std::vector<std::size_t>{8});
  // The last line has no end: its number may go on.
  CHECK(events.values.empty());
  CHECK(log.is_cut);
}

TEST_CASE("nnapi events: a descriptor of each printer, and what a driver says of it") {
  const auto log = read_nnapi(
      "MemoryDescriptor start\n    Data type: TENSOR_FLOAT32\n    Dimensions: [1, 0]\n"
      "    Prepared models [2]:\n        service = a\n        service = a\n    Input roles [2]:\n"
      "        {.modelIndex = 1, .ioIndex = 2, .frequency = 0.500000}\n"
      "        BufferRole{.modelIndex=0, .ioIndex=3, .probability=1}\n    Output roles [1]:\n"
      "        BufferRole{modelIndex: 0, ioIndex: 4, probability: 1.000000}\n"
      "MemoryDescriptor end\n"
      "MemoryDescriptor start\n    Input roles [1]:\nMemoryDescriptor end\n"
      "SampleDriver::allocate -- type = TENSOR_FLOAT32, dimensions = [2]{1, 4}, size = 16\n"
      "SampleDriver::allocate -- validation failed.\n"
      "BufferTracker::add -- new token = 5\nBufferTracker::free -- release token = 5\n");
  REQUIRE(log.events.size() == 1);
  const model::NnEvents& events = log.events[0];
  REQUIRE(events.descriptors.size() == 1);
  const model::NnDescriptor& one = events.descriptors[0];
  CHECK(one.is_whole);
  CHECK(one.models == 2);
  CHECK(one.dimensions.items == std::vector<std::uint64_t>{1, 0});
  REQUIRE(one.roles.size() == 3);
  CHECK(one.roles[0].model == 1);
  CHECK(one.roles[0].index == 2);
  CHECK(one.roles[0].probability == 0.5);
  CHECK_FALSE(one.roles[1].is_output);
  CHECK(one.roles[2].is_output);
  CHECK(one.roles[2].index == 4);
  REQUIRE(events.allocations.size() == 2);
  CHECK(events.allocations[0].size == 16);
  CHECK(events.allocations[0].dimensions.items == std::vector<std::uint64_t>{1, 4});
  CHECK(events.allocations[1].refusal == "validation failed.");
  REQUIRE(events.tokens.size() == 2);
  CHECK(events.tokens[0].is_added);
  CHECK(events.tokens[1].token == 5);
}

TEST_SUITE_END();

}  // namespace memsize::readers::nnapi::events_test
