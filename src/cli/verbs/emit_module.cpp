// A module's files are a plan's: no map, no balance, nothing to reflash. What is said of the files
// is what emit says of those of a map.
#include "emit_module.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "emit_files.hpp"
#include "show/plans/report_module.hpp"
#include "show/plans/report_network.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

// "2026-11-24T08:00:00Z".
bool is_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  return std::ranges::equal(text, kForm, [](char c, char form) {
    return form == '0' ? c >= '0' && c <= '9' : c == form;
  });
}

std::vector<std::string> inputs_of(const ModuleOptions& options,
                                   const app::ModuleEmission& emission) {
  const app::ModuleRequest& request = options.request;
  std::vector<std::string> inputs = options.inputs;
  inputs.insert(inputs.end(), request.plan.reports.begin(), request.plan.reports.end());
  inputs.insert(inputs.end(), emission.data_files.begin(), emission.data_files.end());
  if (!request.plan.rules.empty()) {
    inputs.push_back(request.plan.rules);
  }
  inputs.insert(inputs.end(), request.plan.profiles.begin(), request.plan.profiles.end());
  return inputs;
}

Json document(const char* schema,
              const ModuleOptions& options,
              const app::ModuleEmission& emission,
              const FilesOnDisk& files) {
  Json json;
  json["schema"] = schema;
  json["board"] = emission.module.part.name;
  json["out"] = options.out;
  json["inputs"] = inputs_of(options, emission);
  json["artifacts"] = artifacts_json(emission.artifacts, files);
  if (emission.schedule) {
    return json;
  }
  json["module"] = {{"prefix", emission.module.prefix},
                    {"plan_hash", emission.module.envelope_hash},
                    {"arenas", emission.module.arenas.size()},
                    {"tensors", emission.module.tensors.size()},
                    {"external", emission.module.is_external},
                    {"has_data", emission.module.has_data}};
  return json;
}

// Beside newer files they would be built with what they no longer belong to.
std::optional<core::Diagnostic> says_what_is_left(const std::string& out,
                                                  const std::vector<std::string>& left,
                                                  core::Severity severity) {
  if (left.empty()) {
    return std::nullopt;
  }
  core::Diagnostic said = core::error(
      Code::kEmitStale,
      left.size() == 1
          ? std::string{"this file is of what memsize wrote here before, and belongs to it no more"}
          : fmt::format("this file and {} more are of what memsize wrote here before, and belong "
                        "to it no more",
                        left.size() - 1),
      {fmt::format("{}/{}", out, left.front())},
      "remove what is old, or write into an empty folder");
  said.severity = severity;
  return said;
}

}  // namespace

Option add_module_options(const Command& verb, app::ModuleRequest& request) {
  const Option plan =
      verb.option("--plan",
                  request.plan.reports,
                  "A part's module, or a network's program, of these reports of one model (repeat)")
          .repeated()
          .one_value()
          .filled();
  verb.option("--data",
              request.data,
              "Its constants: a .tflite, a folder of ID.bin and ID.npy, or a network's folder")
      .filled();
  verb.option("--rules", request.plan.rules, "With --plan: where tensors go, as for memsize plan")
      .filled();
  const Option stage =
      verb.option("--stage", request.plan.stage, "With --plan: as for memsize plan (repeat)")
          .repeated()
          .one_value()
          .filled();
  verb.option("--profile", request.plan.profiles, "With --stage: as for memsize plan (repeat)")
      .repeated()
      .one_value()
      .filled()
      .needs(stage);
  verb.option("--prefix", request.prefix, "With --plan: what names in C begin with").filled();
  verb.option("--tiles", request.plan.tiles, "With --plan of a network: cut as ares, or best")
      .one_of({"ares", "best"});
  verb.option("--created", request.created, "With --plan of a network: when, for its checkpoints")
      .filled();
  verb.flag("--external",
            request.is_external,
            "With --plan: the application owns the arenas (allocate_arenas: false)");
  return plan;
}

std::optional<core::Diagnostic> lacks_plan(const app::ModuleRequest& request, const char* verb) {
  const std::array options = {std::pair{"--data", !request.data.empty()},
                              std::pair{"--rules", !request.plan.rules.empty()},
                              std::pair{"--stage", !request.plan.stage.empty()},
                              std::pair{"--prefix", !request.prefix.empty()},
                              std::pair{"--tiles", !request.plan.tiles.empty()},
                              std::pair{"--created", !request.created.empty()},
                              std::pair{"--external", request.is_external}};
  const auto* lone = core::find_where(options, [](const auto& each) { return each.second; });
  return lone == nullptr ? std::nullopt : std::optional{lacks_option(lone->first, "--plan", verb)};
}

std::optional<core::Diagnostic> wrong_with_plan(const app::ModuleRequest& module,
                                                const app::EmitRequest& request,
                                                bool has_trace) {
  if (!module.prefix.empty() && !core::is_identifier(module.prefix)) {
    return core::error(
        Code::kUsage,
        fmt::format("--prefix: '{}' begins no C name", core::printable(module.prefix, 60)),
        {},
        "use letters, digits and underscores, no digit first");
  }
  if (!module.created.empty() && !is_time(module.created)) {
    return core::error(
               Code::kUsage,
               fmt::format("--created: '{}' is no time", core::printable(module.created, 60)),
               {},
               "write it in UTC, as 2026-11-24T08:00:00Z")
        .of_option("--created");
  }
  const std::array options = {std::pair{"--dram", !request.board.dram.empty()},
                              std::pair{"--sdk", !request.sdk.empty()},
                              std::pair{"--linux", !request.linux_tree.empty()},
                              std::pair{"--trace", has_trace}};
  const auto* given = core::find_where(options, [](const auto& each) { return each.second; });
  if (given == nullptr) {
    return std::nullopt;
  }
  return core::error(Code::kUsage,
                     fmt::format("{} is about a map of memory, --plan about a model", given->first),
                     {},
                     "ask for one of them")
      .of_option(given->first);
}

Outcome emit_module(app::Session& session, ModuleOptions options, const char* schema) {
  auto emission = render_module(session, options.request);
  if (!emission) {
    Outcome outcome = failed(emission.error(), schema, options.json);
    outcome.document["board"] = options.request.plan.board;
    return outcome;
  }
  const bool writes = !options.diff && !options.check;
  const auto files =
      writes ? write_module(session, options.out, *emission, options.force)
             : core::Result<FilesOnDisk>{compare(session, options.out, emission->artifacts)};
  if (!files) {
    Outcome refused = failed(files.error(), schema, options.json);
    refused.document["board"] = emission->module.part.name;
    return refused;
  }
  Outcome outcome{.json = options.json};
  outcome.diagnostics = emission->diagnostics;
  if (auto left =
          says_what_is_left(options.out,
                            left_over(session, options.out, options.request, *emission),
                            options.check ? core::Severity::kError : core::Severity::kWarning);
      left && !options.diff) {
    outcome.diagnostics.push_back(std::move(*left));
  }
  outcome.document = document(schema, options, *emission, *files);
  if (options.diff) {
    return show_diff(emission->artifacts, *files, std::move(outcome));
  }
  if (options.check) {
    return check_disk(*files, std::move(outcome));
  }
  outcome.text =
      written_summary(emission->module.part.name, options.out, emission->artifacts, *files);
  outcome.text +=
      emission->schedule
          ? fmt::format("Network: {}\n", network_head(*emission->schedule))
          : fmt::format(
                "Module '{}': {}\n", emission->module.prefix, module_counts(emission->module));
  for (const core::Diagnostic& said : emission->diagnostics) {
    // Whoever builds with it must know.
    if (said.severity == core::Severity::kNote &&
        (said.code == Code::kEmitData || said.code == Code::kEmitSections)) {
      outcome.text += fmt::format("Note: {}; {}\n", said.message, said.hint);
    }
  }
  return outcome;
}

}  // namespace memsize::cli
