// Whole logs: models line by line and in one piece, several of them, requests, and what was cut.
#include "memsize/readers/nnapi_reader.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::readers::nnapi_log_test {

namespace {

using Numbers = std::vector<std::uint64_t>;

constexpr const char* kOperand =
    "{.type = TENSOR_FLOAT32, .dimensions = [2]{1, 4}, .numberOfConsumers = 1, .scale = 0.000000, "
    ".zeroPoint = 0, .lifetime = SUBGRAPH_INPUT, .location = {.poolIndex = 0, .offset = 0, .length "
    "= 0}, .extraParams = {.none = {}}}";

std::string lines_of_model(const std::string& end) {
  return std::string{"V1_3::Model start\nmain.operands[1]{"} + kOperand +
         "}\nmain.operations[1]{{.type = RELU, .inputs = [1]{0}, .outputs = [1]{0}}}\n"
         "main.inputIndexes[1]{0}\nmain.outputIndexes[1]{0}\n" +
         end;
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("nnapi log: HIDL, line by line") {
  const auto log = read_nnapi(lines_of_model("operandValues size 1480\npools\n"));
  REQUIRE(log.models.size() == 1);
  const model::NnModel& model = log.models[0];
  CHECK(model.version == "1.3");
  CHECK(model.values_size == 1480);
  CHECK_FALSE(model.pools);
  CHECK_FALSE(model.lacks_end);
  CHECK(model.main.operands.is_whole);
  REQUIRE(model.main.operands.items.size() == 1);
  CHECK(model.main.operands.items[0].dimensions.items == Numbers{1, 4});
  CHECK(model.main.operands.items[0].line == 2);
  REQUIRE(model.main.operations.items.size() == 1);
  CHECK(model.main.operations.items[0].outputs.items == Numbers{0});
  CHECK(model.main.inputs.items == Numbers{0});
  CHECK_FALSE(log.is_cut);
}

TEST_CASE("nnapi log: sizes without a blank, pools, graphs within, and versions") {
  const auto log = read_nnapi(
      "Model start\noperands[0]{}\noperations[0]{}\ninputIndexes[0]{}\noutputIndexes[0]{}\n"
      "operandValues size12\npools[1]{memory {.name = \"ashmem\", .size = 216, .handle = 0x7c}}\n"
      "V1_3::Model start\nmain.operands[0]{}\nreferenced[1].operands[1]{" +
      std::string{kOperand} + "}\n");
  REQUIRE(log.models.size() == 2);
  CHECK(log.models[0].version == "1.0");
  CHECK(log.models[0].values_size == 12);
  REQUIRE(log.models[0].pools);
  REQUIRE(log.models[0].pools->items.size() == 1);
  CHECK(log.models[0].pools->items[0].name == "ashmem");
  CHECK(log.models[0].pools->items[0].size == 216);
  CHECK_FALSE(log.models[0].lacks_end);
  CHECK(log.models[1].lacks_end);
  REQUIRE(log.models[1].referenced.size() == 2);
  CHECK(log.models[1].referenced[1].operands.items.size() == 1);
}

TEST_CASE("nnapi log: a model without the lines behind its lists is not whole") {
  for (const char* const end : {"",
                                "oper",
                                "operandValues size 14",
                                "operandValues size 14\n",
                                "operandValues size 14\npool"}) {
    CAPTURE(end);
    const auto log = read_nnapi(lines_of_model(end));
    REQUIRE(log.models.size() == 1);
    CHECK(log.models[0].lacks_end);
  }
  // Its last digit may not be its last.
  CHECK_FALSE(read_nnapi(lines_of_model("operandValues size 14")).models[0].values_size);
}

TEST_CASE("nnapi log: canonical and AIDL models and requests in one piece") {
  const auto log = read_nnapi(
      "Model{.main=Model::Subgraph{.operands=[Operand{.type=INT32, .dimensions=[], .scale=0, "
      ".zeroPoint=0, lifetime=CONSTANT_COPY, .location=DataLocation{.pointer=<constant null "
      "pointer>, .poolIndex=0, .offset=12, .length=4, .padding=0}, "
      ".extraParams=Operand::ExtraParams{<no params>}}], .operations=[], .inputIndexes=[], "
      ".outputIndexes=[]}, .referenced=[], .operandValues=Model::OperandValues{<16bytes>}, "
      ".pools=[Memory{.handle=Ashmem{.fd=<valid fd>, .size=216}}], "
      ".relaxComputationFloat32toFloat16=false, extensionNameToPrefix=[]}\n"
      "execute(Request{inputs: [RequestArgument{hasNoValue: true, location: "
      "DataLocation{poolIndex: 0, offset: 0, length: 0, padding: 0}, dimensions: []}], outputs: "
      "[RequestArgument{hasNoValue: false, location: DataLocation{poolIndex: 1, offset: 64, "
      "length: "
      "8, padding: 56}, dimensions: [2, 4]}], pools: [RequestMemoryPool{pool: Memory{mappableFile: "
      "MappableFile{length: 4096, prot: 3, fd: fd:12, offset: 8192}}}, RequestMemoryPool{token: "
      "7}]})\n");
  REQUIRE(log.models.size() == 1);
  CHECK(log.models[0].skin == model::NnSkin::kCanonical);
  CHECK(log.models[0].values_size == 16);
  CHECK(log.models[0].main.operands.items[0].location.offset == 12);
  CHECK(log.models[0].main.operands.items[0].lifetime == "CONSTANT_COPY");
  REQUIRE(log.models[0].pools);
  CHECK(log.models[0].pools->items[0].size == 216);
  REQUIRE(log.requests.size() == 1);
  const model::NnRequest& request = log.requests[0];
  CHECK(request.skin == model::NnSkin::kAidl);
  CHECK(request.inputs.items[0].lifetime == "NO_VALUE");
  CHECK(request.outputs.items[0].lifetime == "POOL");
  CHECK(request.outputs.items[0].location.padding == 56);
  CHECK(request.outputs.items[0].dimensions.items == Numbers{2, 4});
  REQUIRE(request.pools.items.size() == 2);
  CHECK(request.pools.items[0].size == 4096);
  CHECK(request.pools.items[0].offset == 8192);
  CHECK(request.pools.items[1].token == 7);
}

TEST_CASE("nnapi log: scales of channels, in each printer's words") {
  const std::string rest =
      ", .dimensions = [1]{2}, .lifetime = CONSTANT_COPY, .location = {.poolIndex = 0, .offset = "
      "0, "
      ".length = 2}, .extraParams = {.channelQuant = {.scales = [2]{0.500000, 0.250000}, "
      ".channelDim = 0}}}";
  const auto log =
      read_nnapi("V1_2::Model start\noperands[1]{{.type = TENSOR_QUANT8_SYMM_PER_CHANNEL" + rest +
                 "}\noperations[0]{}\n");
  REQUIRE(log.models.size() == 1);
  REQUIRE(log.models[0].main.operands.items.size() == 1);
  const model::NnOperand& operand = log.models[0].main.operands.items[0];
  REQUIRE(operand.channel_scales);
  CHECK(operand.channel_scales->items == std::vector<double>{0.5, 0.25});
  CHECK(operand.channel_dimension == 0);
}

TEST_CASE("nnapi log: other processes' lines stand between, and chatty ones for others") {
  const auto line = [](int process, const std::string& message) {
    return "01-02 03:04:05.006 " + std::to_string(process) + " 7 I Utils   : " + message + "\n";
  };
  const auto log =
      read_nnapi(line(1, "V1_0::Model start") + line(2, "V1_1::Model start") +
                 line(1, "operands[0]{}") + line(2, std::string{"operands[1]{"} + kOperand + "}") +
                 "01-02 03:04:05.006 1 7 I chatty  : uid=10123(app) identical 129 lines\n" +
                 line(1, "operations[0]{}"));
  REQUIRE(log.models.size() == 2);
  CHECK(log.models[0].version == "1.0");
  CHECK(log.models[0].main.operands.items.empty());
  CHECK(log.models[0].main.operations.is_whole);
  CHECK(log.models[1].version == "1.1");
  CHECK(log.models[1].main.operands.items.size() == 1);
  CHECK(log.repeated_lines == 129);
}

TEST_CASE("nnapi log: a text without any of it is told so") {
  const auto report = read_plan("ModelBuilder::nothing\n", "nn.log");
  REQUIRE_FALSE(report);
  CHECK(test::contains(test::all_text(report.error()), "no model, no request and no event"));
  CHECK_FALSE(probe_nnapi("a log of something else\n"));
}

TEST_SUITE_END();

}  // namespace memsize::readers::nnapi_log_test
