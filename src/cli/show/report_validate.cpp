// Says what a run proved, what it did not and what could not be tried, with reasons, so that
// silence about a region is never taken for a pass.
#include "report_validate.hpp"

#include "memsize/core/text.hpp"
#include "memsize/runtime/report.hpp"

#include "table.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;
using runtime::CoreRun;
using runtime::RunResult;
using runtime::Unit;
using runtime::Where;

std::uint64_t sum(const RunResult& result, std::uint64_t CoreRun::*figure) {
  std::uint64_t total = 0;
  for (const CoreRun& core : result.cores) {
    total += core.*figure;
  }
  return total;
}

bool has_unit(const RunResult& result, Unit unit) {
  return std::ranges::any_of(result.cores,
                             [&](const CoreRun& core) { return core.ran && core.unit == unit; });
}

// What a run without findings shows, in sentences.
std::vector<std::string> proven(const app::ValidateRequest& request, const RunResult& result) {
  std::vector<std::string> said;
  if (has_unit(result, Unit::kMmu)) {
    said.emplace_back(
        request.run.where == Where::kQemu
            ? "an emulated Armv8 MMU, under the tables that the entries come to, leads to the "
              "map's "
              "bytes and reports the kind of caching that is wanted"
            : "the translation tables that the entries come to lead to the map's bytes, with the "
              "kind of caching that is wanted");
  }
  if (has_unit(result, Unit::kMpu)) {
    said.emplace_back(request.run.where == Where::kQemu
                          ? "an emulated Armv7-R MPU lets each core reach its regions, with the "
                            "kind of caching that is wanted"
                          : "the MPU regions and address translation of each core let it reach its "
                            "regions, with the kind of caching that is wanted");
  }
  if (const std::uint64_t guards = sum(result, &CoreRun::guards); guards != 0) {
    said.push_back(fmt::format("beside regions, where nothing is to be reached, reading faults: {}",
                               core::plural(guards, "place")));
  }
  if (const std::uint64_t peers = sum(result, &CoreRun::peers); peers != 0) {
    said.push_back(fmt::format("what one core writes others read at their own addresses, in {}",
                               core::plural(peers, "place")));
  }
  if (result.outside != 0) {
    said.push_back(
        fmt::format("{} of memory, looked at from outside of the cores, hold what they must, "
                    "Linux's among them",
                    core::plural(result.outside, "word")));
  }
  std::size_t records = 0;
  std::size_t blocks = 0;
  for (const CoreRun& core : result.cores) {
    blocks += core.blocks.size();
    records += static_cast<std::size_t>(std::ranges::count_if(
        core.blocks, [](const auto& block) { return block.record.has_value(); }));
  }
  if (records != 0) {
    said.push_back(
        fmt::format("the trace's records fit their heaps, placed as the SDK's allocators do: {}",
                    core::plural(records, "record")));
  } else if (blocks != 0) {
    said.emplace_back("each heap's region holds a heap of its size");
  }
  if (request.run.where == Where::kQemu &&
      (has_unit(result, Unit::kMmu) || has_unit(result, Unit::kMpu))) {
    said.emplace_back(
        "an image that is linked with each core's GNU ld script starts and runs there");
  }
  return said;
}

std::vector<std::string> not_proven(const app::ValidateRequest& request,
                                    const app::Validation& validation) {
  std::vector<std::string> said = {
      "caches: no emulation has any, so stale data after a wrong cache operation is not seen",
      "timing, bandwidth, DMA, firewalls and interrupts"};
  const bool has_mmu = has_unit(*validation.result, Unit::kMmu);
  if (request.run.where == Where::kQemu && has_mmu) {
    said.emplace_back(
        "the accelerator itself: an Armv8 core stands in for it, whose MMU reads the same tables");
  }
  if (request.run.where == Where::kHost && (has_mmu || has_unit(*validation.result, Unit::kMpu))) {
    said.emplace_back(
        "any core's hardware: memsize itself reads tables and MPU regions here (--on qemu asks an "
        "emulated MMU and MPU)");
  }
  if (has_unit(*validation.result, Unit::kNone)) {
    said.emplace_back(
        "how cores without an MMU or MPU in the board cache, and what they may reach");
  }
  if (!validation.is_traced) {
    said.emplace_back("that a model fits: no trace was given (--trace LOG)");
  }
  return said;
}

std::string bullets(const char* title, const std::vector<std::string>& said) {
  std::string text = fmt::format("{}\n", title);
  for (const std::string& sentence : said) {
    text += fmt::format("  - {}\n", sentence);
  }
  return text;
}

// What could not be tried, a line for each reason.
std::vector<std::string> untried(const RunResult& result) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const runtime::Untried& one : result.untried) {
    auto reason =
        std::ranges::find_if(by_reason, [&](const auto& known) { return known.first == one.why; });
    if (reason == by_reason.end()) {
      reason = by_reason.insert(by_reason.end(), {one.why, {}});
    }
    reason->second.push_back(one.region.empty() ? one.core
                                                : fmt::format("{} of {}", one.region, one.core));
  }
  std::vector<std::string> said;
  for (const auto& [why, what] : by_reason) {
    said.push_back(fmt::format("{}: {}", core::join(what, ", "), why));
  }
  return said;
}

}  // namespace

std::string validation_text(const app::ValidateRequest& request,
                            const app::Validation& validation) {
  const RunResult& result = *validation.result;
  Table table;
  table.columns = {{"core"},
                   {"unit"},
                   {"places", true},
                   {"must fault", true},
                   {"shared", true},
                   {"blocks", true},
                   {"skipped", true}};
  for (const CoreRun& core : result.cores) {
    if (core.ran) {
      table.rows.push_back({core.core,
                            std::string{runtime::name_of(core.unit)},
                            fmt::format("{}", core.points),
                            fmt::format("{}", core.guards),
                            fmt::format("{}", core.peers),
                            fmt::format("{}", core.blocks.size()),
                            fmt::format("{}", core.skipped)});
    }
  }
  std::string text = fmt::format("{} on {}: {}\n{}\n",
                                 validation.map.board.name,
                                 request.run.where == Where::kQemu ? "QEMU" : "the host",
                                 core::has_errors(result.findings)
                                     ? core::plural(result.findings.size(), "finding")
                                     : "nothing wrong was found",
                                 table.text(2));
  if (!core::has_errors(result.findings)) {
    text += bullets("Proven:", proven(request, result));
  }
  text += bullets("Not proven:", not_proven(request, validation));
  if (!result.untried.empty()) {
    text += bullets("Not tried:", untried(result));
  }
  return text;
}

void add_validation(const app::ValidateRequest& request,
                    const app::Validation& validation,
                    Json& document) {
  const RunResult& result = *validation.result;
  document["on"] = runtime::name_of(request.run.where);
  document["passed"] = !core::has_errors(result.findings);
  document["cores"] = Json::array();
  for (const CoreRun& core : result.cores) {
    Json json = {{"core", core.core},
                 {"unit", runtime::name_of(core.unit)},
                 {"ran", core.ran},
                 {"places", core.points},
                 {"must_fault", core.guards},
                 {"shared", core.peers},
                 {"skipped", core.skipped},
                 {"blocks", Json::array()}};
    for (const runtime::PlacedBlock& block : core.blocks) {
      Json placed = {{"region", block.region}, {"instance", block.instance}};
      placed.set_if_any("record", block.record);
      placed["address"] = core::format_hex(block.address);
      placed["size_bytes"] = block.size;
      json["blocks"].push_back(std::move(placed));
    }
    document["cores"].push_back(std::move(json));
  }
  document["words_seen_from_outside"] = result.outside;
  if (!core::has_errors(result.findings)) {
    document["proven"] = proven(request, result);
  }
  document["not_proven"] = not_proven(request, validation);
  document["not_tried"] = Json::array();
  for (const runtime::Untried& one : result.untried) {
    Json json = {{"core", one.core}};
    json.set_if_any("region", one.region);
    json["why"] = one.why;
    document["not_tried"].push_back(std::move(json));
  }
}

}  // namespace memsize::cli
