// Buffers of a log in the reference: roles, refusals, tokens.
#include "memsize/runtime/nn_replay.hpp"

#include "memsize/core/file_system.hpp"
#include "memsize/readers/nnapi_reader.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::runtime::nn_replay_test {

namespace {

using core::Code;

const std::string kModel =
    "V1_3::Model start\n"
    "main.operands[2]{{.type = TENSOR_FLOAT32, .dimensions = [2]{0, 4}, .numberOfConsumers = 1, "
    ".scale = 0.000000, .zeroPoint = 0, .lifetime = SUBGRAPH_INPUT, .location = {.poolIndex = 0, "
    ".offset = 0, .length = 0}, .extraParams = {.none = {}}}, {.type = TENSOR_FLOAT32, .dimensions "
    "= [2]{1, 4}, .numberOfConsumers = 0, .scale = 0.000000, .zeroPoint = 0, .lifetime = "
    "SUBGRAPH_OUTPUT, .location = {.poolIndex = 0, .offset = 0, .length = 0}, .extraParams = "
    "{.none = {}}}}\n"
    "main.operations[1]{{.type = RELU, .inputs = [1]{0}, .outputs = [1]{1}}}\n"
    "main.inputIndexes[1]{0}\nmain.outputIndexes[1]{1}\noperandValues size 0\npools\n";

std::string descriptor(const std::string& dimensions,
                       const std::string& inputs,
                       const std::string& outputs,
                       const std::string& models = "1") {
  const auto role = [](const std::string& index) {
    return index.empty()
               ? std::string{}
               : "        {.modelIndex = 0, .ioIndex = " + index + ", .frequency = 1.000000}\n";
  };
  return "MemoryDescriptor start\n    Dimensions: [" + dimensions + "]\n    Prepared models [" +
         models + "]:\n    Input roles [" + (inputs.empty() ? "0" : "1") + "]:\n" + role(inputs) +
         "    Output roles [" + (outputs.empty() ? "0" : "1") + "]:\n" + role(outputs) +
         "MemoryDescriptor end\n";
}

std::string added(int token) {
  return "BufferTracker::add -- new token = " + std::to_string(token) + "\n";
}

// Token as input 0 with these dimensions, the output in memory; or as output.
std::string request(int token, bool is_output, const std::string& dimensions = "[0]{}") {
  const auto argument = [&](bool has_token) {
    return "{.hasNoValue = 0, .location = {.poolIndex = " + std::string{has_token ? "1" : "0"} +
           ", .offset = 0, .length = " + (has_token ? "0" : "16") +
           "}, .dimensions = " + (has_token ? dimensions : "[2]{1, 4}") + "}";
  };
  return "request: {.inputs = [1]{" + argument(!is_output) + "}, .outputs = [1]{" +
         argument(is_output) +
         "}, .pools = [2]{{.hidlMemory = memory {.name = \"ashmem\", .size = 16, .handle = 0x7}}, "
         "{.token = " +
         std::to_string(token) + "}}}\n";
}

core::Diagnostics replayed(const std::string& text, bool has_model = true) {
  core::RealFileSystem files;
  const auto format = board::load_nnapi_format(files, test::source_folder() + "/boards").value();
  const model::NnLog log = readers::read_nnapi(kModel + text);
  return replay_nnapi(log, has_model ? &log.models.at(0) : nullptr, format, "log");
}

}  // namespace

TEST_SUITE_BEGIN("runtime");

TEST_CASE("nn replay: a buffer in its roles") {
  const std::string both = descriptor("1, 4", "0", "0") + added(1);
  CHECK(replayed(both + request(1, true) + request(1, false, "[2]{1, 4}")).empty());
  const core::Diagnostics found =
      replayed(descriptor("1, 4", "0", "") + added(1) + request(1, true));
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == Code::kNnRole);
  CHECK(found[0].message ==
        "request 1 uses token 1 as output 0, but it was allocated for input 0 of this model only: "
        "INVALID_ARGUMENT");
}

TEST_CASE("nn replay: dimensions of the buffer, not of the model, count") {
  // The model takes any number of rows, the buffer has two.
  const std::string text = descriptor("2, 4", "0", "") + added(1);
  CHECK(replayed(text + request(1, false, "[2]{2, 4}")).empty());
  CHECK(test::find(replayed(text + request(1, false, "[2]{3, 4}")), Code::kNnRole) != nullptr);
}

TEST_CASE("nn replay: what had to be refused, and what was refused without need") {
  CHECK(test::find(replayed(descriptor("1, 4", "1", "") + added(1)), Code::kNnRole) != nullptr);
  CHECK(test::find(replayed(descriptor("1, 4", "", "") + added(1)), Code::kNnRole) != nullptr);
  const std::string refusal = "SampleDriver::allocate -- ";
  CHECK(replayed(descriptor("1, 4", "1", "") + refusal + "validation failed.\n").empty());
  CHECK(test::find(replayed(descriptor("1, 4", "0", "") + refusal + "validation failed.\n"),
                   Code::kNnRole) != nullptr);
  CHECK(replayed(descriptor("1, 4", "0", "") + refusal + "not enough memory.\n").empty());
}

TEST_CASE("nn replay: nothing is said where nobody knows which descriptor is meant") {
  const std::string wrong = descriptor("1, 4", "7", "");
  CHECK(replayed(wrong + descriptor("1, 4", "8", "") + added(1)).empty());
  CHECK(replayed(wrong + added(1), false).empty());
  CHECK(replayed(descriptor("1, 4", "7", "", "2") + added(1)).empty());
}

TEST_CASE("nn replay: tokens that live at once differ, and end once") {
  CHECK(replayed(added(1) + added(2) + "BufferTracker::free -- release token = 1\n" + added(1))
            .empty());
  CHECK(test::find(replayed(added(1) + added(1)), Code::kNnToken) != nullptr);
  CHECK(test::find(replayed(added(0)), Code::kNnToken) != nullptr);
  const std::string freed = "BufferTracker::free -- release token = 5\n";
  CHECK(replayed(freed).empty());
  CHECK(test::find(replayed(freed + freed), Code::kNnToken) != nullptr);
}

TEST_CASE("nn replay: a run that failed although its buffers are right is a note") {
  const core::Diagnostics found = replayed(descriptor("1, 4", "0", "0") + added(1) +
                                           request(1, true) + "**Execution failed**\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == core::Severity::kNote);
}

TEST_SUITE_END();

}  // namespace memsize::runtime::nn_replay_test
