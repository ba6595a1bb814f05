// What runs of a network printed, as sentences.
#include "network_judge.hpp"

#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::runtime::network_judge_test {

namespace {

using core::Code;

const std::string kPlaces =
    "  L2 arena: 1C000800 - 1C000900\n  L2 constants: 1C000900 - 1C000A00\n";
const std::string kStart = R"({"event":"start","core":"cluster","phase":0})"
                           "\n" +
                           kPlaces;
const std::string kEnd = R"({"event":"verdict","ok":true,"findings":0})"
                         "\n";

std::string step(std::uint64_t commands, std::uint64_t bytes) {
  return R"({"event":"part","part":"commands","done":)" + std::to_string(commands) +
         R"(,"skipped":2,"findings":0})"
         "\n" +
         R"({"event":"part","part":"bytes","done":)" + std::to_string(bytes) +
         R"(,"skipped":8,"findings":0})"
         "\n";
}

std::string finding(const std::string& check, const std::string& what, const std::string& address) {
  return R"({"event":"finding","check":")" + check + R"(","region":")" + what + R"(","address":")" +
         address +
         R"(","expected":"0x0","actual":"0x0"})"
         "\n";
}

model::PlannedBlock block(const char* id, model::Lifetime role, std::uint64_t offset) {
  return {.id = id,
          .role = role,
          .memory = "l2",
          .live = role == model::Lifetime::kScratch ? std::optional{model::Interval{1, 2}}
                                                    : std::nullopt,
          .size = core::Bytes{16},
          .offset = core::Bytes{offset}};
}

NetworkResult judged(const std::vector<std::string>& outputs,
                     const std::vector<std::string>& broken = {}) {
  static const emit::NetworkProgram program = {
      .steps = {{.name = "input"}, {.name = "conv", .cost = {100, 4}}}};
  static const model::PlanReport plan = [] {
    model::PlanReport report;
    report.blocks = {block("conv_out", model::Lifetime::kScratch, 32),
                     block("conv_weight", model::Lifetime::kConstant, 0)};
    return report;
  }();
  static const board::MemorySet part;
  std::vector<NetworkRun> runs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    runs.push_back({static_cast<DmaTiming>(i), outputs[i], i < broken.size() ? broken[i] : ""});
  }
  NetworkResult result;
  judge_network(
      {program, plan, part, {}},
      runs,
      [](std::uint64_t address) { return address == 0 ? "" : "conv_work"; },
      result);
  return result;
}

std::vector<std::string> said(const NetworkResult& result) {
  return core::texts_of(result.findings, &core::Diagnostic::message);
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_SUITE_BEGIN("runtime");

TEST_CASE("network: runs that found nothing are counted") {
  const std::string good = kStart + step(0, 0) + step(4, 100) +
                           "Layer conv validation: 0 mismatches (max_diff=0)\n" + kEnd;
  const NetworkResult result = judged({good, good});
  CHECK(said(result).empty());
  CHECK(result.timings == std::vector{DmaTiming::kNow, DmaTiming::kWait});
  CHECK(result.steps == 2);
  CHECK(result.compared == 1);
  CHECK(result.transfers == 4);
  CHECK(result.most_open == 2);
  CHECK(result.moved == core::Bytes{100});
  CHECK(result.moved_l3 == core::Bytes{16});
}

TEST_CASE("network: a finding is said once, with when the DMA moves where that matters") {
  const std::string good = kStart + step(0, 0) + step(4, 100) + kEnd;
  const std::string wrong = kStart + step(0, 0) + step(4, 100) +
                            "Layer conv validation: 3 mismatches (max_diff=7)\n"
                            "Layer fc validation: 1 mismatches (max_diff=1)\n" +
                            kEnd;
  CHECK(said(judged({wrong, wrong})) ==
        Lines{"layer 'conv' is not its golden: 3 mismatches (max_diff=7)"});
  const NetworkResult some = judged({good, wrong});
  CHECK(said(some) == Lines{"layer 'conv' is not its golden: 3 mismatches (max_diff=7) (where the "
                            "DMA moves as late as possible)"});
  CHECK(some.findings.front().details == Lines{"and 1 layer behind it"});
}

TEST_CASE("network: what moves otherwise than planned, and who refused it") {
  CHECK(said(judged({kStart + step(0, 0) + step(5, 101) + kEnd})) ==
        Lines{"layer 'conv': 5 transfers of 101 B, where its tiles need 4 of 100 B"});
  CHECK(said(judged({kStart + step(0, 0) +
                     finding("dma", "its local side is not in L1", "0x1c000824") + step(4, 100) +
                     kEnd})) ==
        Lines{"layer 'conv': its local side is not in L1, byte 4 of 'conv_out' in L2"});
}

TEST_CASE("network: a fault names the block that lives there, an end without one is told") {
  const std::string fault = kStart + step(0, 0) + finding("fault", "worker 3 reads", "0x1c000901") +
                            R"({"event":"fault","address":"0x1c000901","status":"0x5","pc":"0x0"})"
                            "\n" +
                            kEnd;
  CHECK(said(judged({fault})) ==
        Lines{"layer 'conv': a worker reads 0x1C000901, byte 1 of 'conv_weight' in L2"});
  const std::string dead = kStart + finding("fault", "worker 0 writes", "0x1c000824") + kEnd;
  CHECK(said(judged({dead})) ==
        Lines{"layer 'input': a worker writes 0x1C000824, in L2, where nothing lives now"});
  CHECK(said(judged({kStart}, {"did not end within 5000 ms"})) ==
        Lines{"layer 'input': the program did not end within 5000 ms"});
  CHECK(judged({kStart}, {"did not end within 5000 ms"}).timings.empty());
}

TEST_CASE("network: files that are another run's") {
  const NetworkResult result =
      judged({kStart + "  [BAD] a.bin ck=0x1, not 0x2\nnetwork: a file is another one's\n" + kEnd});
  CHECK(said(result) ==
        Lines{"'a.bin ck=0x1, not 0x2'", "the program says: a file is another one's"});
  CHECK(result.findings.front().code == Code::kNetworkFile);
}

TEST_SUITE_END();

}  // namespace memsize::runtime::network_judge_test
