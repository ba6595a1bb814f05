// Says what ran, on what, and what an emulated cluster cannot show.
#include "report_network_run.hpp"

#include "memsize/core/text.hpp"

#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;
using runtime::DmaTiming;
using runtime::Where;

std::vector<std::string> not_proven(const app::ModuleValidateRequest& request,
                                    const app::ModuleValidation& validation) {
  const std::string& part = validation.module.part.name;
  const bool is_emulated = request.run.where == Where::kQemu;
  std::vector<std::string> said = {
      is_emulated
          ? fmt::format("a core of {}: RV32 harts of QEMU's virt stand in, at other addresses",
                        part)
          : fmt::format("any core but this machine's: --on qemu has RV32, and says which worker "
                        "reaches what it must not to the byte; here a page tells"),
      "NE16, timing and bandwidth: nothing here says how many cycles anything takes",
      "the external memory's protocol and the SDK's own drivers, which are emulated"};
  if (validation.network->compared == 0) {
    said.emplace_back("values: the data have no goldens of layers (test_cases/)");
  }
  return said;
}

std::vector<std::string> timings_of(const runtime::NetworkResult& result) {
  std::vector<std::string> words;
  for (const DmaTiming timing : result.timings) {
    words.emplace_back(runtime::in_words(timing));
  }
  return words;
}

}  // namespace

std::string network_text(const app::ModuleValidateRequest& request,
                         const app::ModuleValidation& validation) {
  const runtime::NetworkResult& result = *validation.network;
  const board::TileRules& tiles = *validation.module.part.tiles;
  std::string text = fmt::format(
      "{} on {}, {} workers, a controller, a DMA engine: {}\n",
      validation.module.part.name,
      request.run.where == Where::kQemu ? "emulated RV32" : "threads of the host",
      tiles.workers,
      core::has_errors(result.findings) ? core::plural(result.findings.size(), "finding")
                                        : "nothing wrong was found");
  if (!result.timings.empty()) {
    text += fmt::format("  {}, {} of {} ({} of L3), at most {} open of {}",
                        core::plural(result.steps, "step"),
                        core::plural(result.transfers, "transfer"),
                        core::format_bytes(result.moved),
                        core::format_bytes(result.moved_l3),
                        result.most_open,
                        tiles.dma_open);
    text += result.compared == 0 ? "\n"
            : core::has_errors(result.findings)
                ? fmt::format("; {} compared\n", core::plural(result.compared, "layer"))
                : fmt::format("; {} layers, every one equals its golden\n", result.compared);
    text += fmt::format("  the DMA moves {}: {}\n",
                        result.timings.size() == 1 ? "once" : "at several times",
                        core::join(timings_of(result), ", "));
  }
  text += "Not proven:\n";
  for (const std::string& sentence : not_proven(request, validation)) {
    text += fmt::format("  - {}\n", sentence);
  }
  return text;
}

void add_network(const app::ModuleValidateRequest& request,
                 const app::ModuleValidation& validation,
                 Json& document) {
  const runtime::NetworkResult& result = *validation.network;
  document["on"] = runtime::name_of(request.run.where);
  document["passed"] = !core::has_errors(result.findings);
  Json timings = Json::array();
  for (const DmaTiming timing : result.timings) {
    timings.push_back(core::name_of(timing));
  }
  document["network"] = {{"steps", result.steps},
                         {"compared_layers", result.compared},
                         {"transfers", result.transfers},
                         {"most_open", result.most_open},
                         {"moved_bytes", result.moved.count()},
                         {"moved_l3_bytes", result.moved_l3.count()},
                         {"workers", validation.module.part.tiles->workers}};
  document["network"]["timings"] = std::move(timings);
  document["not_proven"] = not_proven(request, validation);
  document["not_tried"] = Json::array();
}

}  // namespace memsize::cli
