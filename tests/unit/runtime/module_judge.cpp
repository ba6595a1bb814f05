// What programs of a module found, as sentences.
#include "module_judge.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::runtime::module_judge_test {

namespace {

using core::Code;

// probe_about of target/module/module_probe.h.
constexpr std::uint64_t kArena = 1ULL << 32U;
constexpr std::uint64_t kTensor = 2ULL << 32U;
constexpr std::uint64_t kStep = 3ULL << 32U;

emit::Module two_arenas() {
  emit::Module module;
  module.prefix = "wake";
  module.arenas = {{.name = "wake_arena_ram", .size = core::Bytes{64}},
                   {.name = "wake_arena_const_rom", .size = core::Bytes{4}, .bytes = "abcd"}};
  module.tensors = {{.id = "a"}, {.id = "b"}, {.id = "w", .arena = 1, .size = core::Bytes{4}}};
  return module;
}

ModuleRun run_with(const char* program, std::vector<Finding> findings) {
  ModuleRun run{.program = program};
  run.report.findings = std::move(findings);
  run.report.verdict = run.report.findings.size();
  return run;
}

std::vector<std::string> said(const std::vector<ModuleRun>& runs) {
  std::vector<std::string> lines;
  const auto found = judge_module(two_arenas(), runs);
  REQUIRE(found);
  for (const core::Diagnostic& each : *found) {
    lines.push_back(std::string{core::code_name(each.code)} + ": " + each.message);
    lines.insert(lines.end(), each.details.begin(), each.details.end());
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("what all programs of a module find is said once, else with their names") {
  const Finding code{"contract", "bind_arena: no buffer", kArena, 2, 0};
  const Finding status{"contract", "model_run", 0, 200, 0xFFFFFFFFFFFFFFFF};
  CHECK(said({run_with("weak", {code}), run_with("strong", {code, status})}) ==
        Lines{"module.contract: 'wake_arena_ram': bind_arena: no buffer: 0, but must be 2",
              "module.contract: module 'wake': model_run: -1, but must be 200 (with strong "
              "hydrate_constants)"});
}

TEST_CASE("bytes of a module's constants and tensors are told by place and owner") {
  CHECK(
      said({run_with("weak",
                     {{"constant", "its bytes are wrong", kArena + 1, 2, 0x5A},
                      {"constant", "its bytes are wrong after a run", kArena + 1, 2, 0x5A},
                      {"overlap", "its bytes were changed", kTensor, 7, 1},
                      {"overlap", "its bytes were changed", kTensor + 1, 8, 1},
                      {"persistent", "it was changed", kTensor + 1, 9, 0}})}) ==
      Lines{"module.constant: 'wake_arena_const_rom': its bytes are wrong: byte 2 (tensor 'w') is "
            "0x5a, but must be 0x63",
            "module.overlap: tensor 'a': its bytes were changed: byte 7 is tensor 'b's",
            "module.overlap: tensor 'b': its bytes were changed: byte 8",
            "module.persistent: tensor 'b': it was changed, from byte 9 on"});
}

TEST_CASE("one mistake of a module that shows many times is one finding") {
  std::vector<Finding> steps;
  for (std::uint64_t step = 0; step < 9; ++step) {
    steps.push_back({"contract", "the status of run_finished", kStep + step, 0, 1});
  }
  CHECK(
      said({run_with("weak", steps)}) ==
      Lines{"module.contract: operator 0 of the test: the status of run_finished: 1, but must be 0",
            "and 8 more like this"});
}

TEST_CASE("how programs of a module end is a finding; what the machine does not do is an error") {
  ModuleRun faulty = run_with("weak", {{"fault", "run", 0, 0, 0x10}});
  faulty.report.fault = Fault{0x10, 0, 0x2B6};
  faulty.function = "wake_model_init";
  ModuleRun endless = run_with("strong", {});
  endless.report.verdict.reset();
  endless.report.parts.push_back({"bind", 5, 0, 0});
  endless.broken = "did not end within 5 ms";
  CHECK(said({faulty, endless}) ==
        Lines{"module.fault: module 'wake': run: an access to 0x10 faults, by wake_model_init() "
              "(with weak hydrate_constants)",
              "module.fault: module 'wake': its test application did not end within 5 ms, after "
              "bind (with strong hydrate_constants)"});
  const auto failed = judge_module(
      two_arenas(), {run_with("weak", {{"machine", "there is no room for it", kArena, 1, 0}})});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().front().code == Code::kValidateMachine);
}

}  // namespace memsize::runtime::module_judge_test
