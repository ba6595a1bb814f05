// Says what ran, at which addresses, and what no emulator can show: nobody should read a pass for
// more than it is.
#include "report_module.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;
using runtime::Where;

// "Cortex-M55" of "cortex-m55".
std::string core_in_words(std::string name) {
  bool is_first = true;
  for (char& c : name) {
    const bool is_small = c >= 'a' && c <= 'z';
    if (is_first && is_small) {
      c = static_cast<char>(c - 'a' + 'A');
    }
    is_first = c == '-';
  }
  return name;
}

std::vector<std::string> module_not_proven(const app::ModuleValidateRequest& request,
                                           const app::ModuleValidation& validation) {
  const bool is_emulated = request.run.where == Where::kQemu;
  std::vector<std::string> said = {
      "kernels: the operators that ran only write and read their tensors",
      "timing, energy, caches, DMA, and what an application does first to use external memory",
      "the vendor's start-up code and linker script (check --images judges the firmware)"};
  if (!is_emulated) {
    said.emplace_back("addresses, and any core but this machine's: --on qemu has the part's core");
  } else {
    said.push_back(fmt::format("{} itself: {} emulates its core",
                               validation.module.part.name,
                               validation.module.part.machine));
  }
  if (!validation.module.has_data) {
    said.emplace_back("the constants' bytes: nobody gave any (--data)");
  }
  return said;
}

// A line for each reason.
std::vector<std::string> module_untried(const runtime::ModuleResult& result) {
  std::vector<std::string> said;
  for (const runtime::Untried& one : result.untried) {
    said.push_back(one.region.empty() ? one.why : fmt::format("{}: {}", one.region, one.why));
  }
  return said;
}

std::string list_of(const char* title, const std::vector<std::string>& said) {
  std::string text = said.empty() ? std::string{} : fmt::format("{}\n", title);
  for (const std::string& sentence : said) {
    text += fmt::format("  - {}\n", sentence);
  }
  return text;
}

std::string addresses_in_words(const app::ModuleValidation& validation) {
  return validation.moved.empty()
             ? "every memory lies at its own address"
             : fmt::format("{} {} at other addresses here, the others at their own",
                           core::join(validation.moved, " and "),
                           validation.moved.size() == 1 ? "lies" : "lie");
}

}  // namespace

std::string module_counts(const emit::Module& module) {
  core::Bytes staged;
  std::size_t count = 0;
  for (const emit::ModuleArena& arena : module.arenas) {
    if (!arena.source_memory.empty()) {
      ++count;
      staged += arena.size;
    }
  }
  return fmt::format(
      "{}{}, {}{}",
      core::plural(module.arenas.size(), "arena"),
      count == 0 ? "" : fmt::format(", {} of them staged ({})", count, core::format_bytes(staged)),
      core::plural(module.tensors.size(), "tensor"),
      module.is_external ? "; the application owns the arenas" : "");
}

std::string module_text(const app::ModuleValidateRequest& request,
                        const app::ModuleValidation& validation) {
  const runtime::ModuleResult& result = validation.result;
  const bool is_emulated = request.run.where == Where::kQemu;
  std::string text = fmt::format(
      "{} on {}: {}\n",
      validation.module.part.name,
      is_emulated ? "an emulated " + core_in_words(validation.module.part.core)
                  : std::string{"the host"},
      core::has_errors(result.findings) ? core::plural(result.findings.size(), "finding")
                                        : "nothing wrong was found");
  text += fmt::format("  module '{}': {}{}\n",
                      validation.module.prefix,
                      module_counts(validation.module),
                      is_emulated ? "; " + addresses_in_words(validation) : std::string{});
  if (!result.programs.empty()) {
    text += fmt::format("  {} in {} ({} hydrate_constants()); behind {} of {} an access faults\n",
                        core::plural(result.checks, "check"),
                        core::plural(result.programs.size(), "program"),
                        core::join(result.programs, ", "),
                        result.guarded,
                        core::plural(result.arenas, "arena"));
  }
  text += list_of("Not proven:", module_not_proven(request, validation));
  return text + list_of("Not tried:", module_untried(result));
}

void add_module(const app::ModuleValidateRequest& request,
                const app::ModuleValidation& validation,
                Json& document) {
  const runtime::ModuleResult& result = validation.result;
  document["on"] = runtime::name_of(request.run.where);
  document["passed"] = !core::has_errors(result.findings);
  document["module"] = {{"prefix", validation.module.prefix},
                        {"plan_hash", validation.module.envelope_hash},
                        {"arenas", validation.module.arenas.size()},
                        {"guarded_arenas", result.guarded},
                        {"tensors", validation.module.tensors.size()},
                        {"programs", result.programs},
                        {"checks", result.checks},
                        {"moved_memories", validation.moved}};
  document["not_proven"] = module_not_proven(request, validation);
  document["not_tried"] = Json::array();
  for (const runtime::Untried& one : result.untried) {
    Json json = {{"core", validation.module.part.core}};
    json.set_if_any("region", one.region);
    json["why"] = one.why;
    document["not_tried"].push_back(std::move(json));
  }
}

}  // namespace memsize::cli
