// From reports to a module's files. A plan that is there is not made again: what was checked, built
// and measured stays as it is.
#include "memsize/app/module.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/network.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/part_names.hpp"
#include "memsize/plan/rules.hpp"
#include "memsize/readers/constants_reader.hpp"

#include "networks/arrays.hpp"
#include "networks/network.hpp"
#include "plans/plan_stages.hpp"
#include "plans/planning.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

constexpr std::string_view kBinary = ".bin";
constexpr std::string_view kNumpy = ".npy";

std::string name_of_file(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// "vww_96_int8" of "models/vww-96-int8.tflite".
std::string prefix_of(const std::string& path) {
  std::string name = name_of_file(path);
  name = core::to_lower(name.substr(0, name.find('.')));
  std::ranges::replace_if(
      name,
      [](char c) {
        return !core::is_identifier(std::string_view{&c, 1}) && (c < '0' || c > '9');
      },
      '_');
  return core::is_identifier(name) ? name : "model_" + name;
}

// Of letters that C has not, nothing is left that tells one model from another.
std::optional<core::Diagnostic> no_prefix(const std::string& path) {
  const std::string name = name_of_file(path);
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(name.substr(0, name.find('.')), is_ascii)) {
    return std::nullopt;
  }
  return core::error(Code::kUsage,
                     fmt::format("no names in C can begin with '{}'", core::printable(name, 80)),
                     {path},
                     "say with --prefix what they begin with");
}

bool is_placed(const model::PlanReport& plan) {
  return std::ranges::all_of(
      plan.blocks, [](const model::PlannedBlock& block) { return block.offset.has_value(); });
}

// What was read of whom; the bytes are in the texts.
struct Data {
  std::vector<std::string> paths;
  std::deque<std::string> texts;
  emit::ConstantBytes bytes;
};

// Of a folder, each constant of the plan that it has.
core::Result<void> read_folder(Session& session,
                               const std::string& folder,
                               const model::PlanReport& plan,
                               Data& data) {
  const auto names = session.files.list(folder);
  MEMSIZE_TRY(names);
  for (const model::PlannedBlock& block : plan.blocks) {
    const bool is_wanted = block.role == model::Lifetime::kConstant && block.alias_of.empty();
    for (const std::string_view ending : {kBinary, kNumpy}) {
      const std::string name = fmt::format("{}{}", block.id, ending);
      if (!is_wanted || !std::ranges::binary_search(*names, name)) {
        continue;
      }
      const std::string& path = data.paths.emplace_back(folder + "/" + name);
      auto content = session.files.read(path);
      MEMSIZE_TRY(content);
      core::Result<std::string_view> bytes = data.texts.emplace_back(std::move(*content));
      if (ending == kNumpy) {
        bytes = readers::read_npy(*bytes, path).map([](const auto& array) { return array.bytes; });
      }
      MEMSIZE_TRY(bytes);
      data.bytes.insert_or_assign(block.id, *bytes);
      break;
    }
  }
  return {};
}

core::Result<Data> read_data(Session& session,
                             const std::string& path,
                             const model::PlanReport& plan) {
  Data data;
  if (session.files.is_directory(path)) {
    MEMSIZE_TRY(read_folder(session, path, plan, data));
  } else if (!path.empty()) {
    data.paths.push_back(path);
    auto content = session.files.read(path);
    MEMSIZE_TRY(content);
    auto bytes = readers::read_constants(data.texts.emplace_back(std::move(*content)), path);
    MEMSIZE_TRY(bytes);
    data.bytes = std::move(*bytes);
  }
  return data;
}

// The plan as it is, with what is wrong with it; or one that is made.
core::Result<model::PlanReport> plan_to_emit(Session& session,
                                             const PlanRequest& request,
                                             const board::MemorySet& part,
                                             ModuleEmission& emission) {
  core::Diagnostics& said = emission.diagnostics;
  auto plan = read_plans(session, request.reports, request.format);
  MEMSIZE_TRY(plan);
  plan::name_as_part(*plan, part);
  const bool is_asked = !request.rules.empty() || !request.stage.empty() || is_network(*plan);
  if (is_placed(*plan) && !is_asked) {
    std::ranges::move(plan->diagnostics, std::back_inserter(said));
    std::ranges::move(plan::check_plan(*plan, &part), std::back_inserter(said));
  } else {
    auto planning = plan_memory(session, request);
    MEMSIZE_TRY(planning);
    std::ranges::move(planning->diagnostics, std::back_inserter(said));
    if (!planning->schedules.empty()) {
      emission.schedule = std::move(planning->schedules.front());
    }
    const std::string prefix = planning->wanted.prefix;
    *plan = std::move(planning->outcome.plan);
    plan->prefix = prefix;
  }
  if (core::has_errors(said)) {
    return tl::make_unexpected(std::move(said));
  }
  return plan;
}

core::Result<bool> is_external(Session& session, const ModuleRequest& request) {
  if (request.is_external || request.plan.rules.empty()) {
    return request.is_external;
  }
  const auto text = session.files.read(request.plan.rules, core::kWrittenFile);
  MEMSIZE_TRY(text);
  const auto rules = plan::read_rules(*text, request.plan.rules);
  MEMSIZE_TRY(rules);
  return !rules->allocates_arenas;
}

core::Diagnostics notes_of(const emit::Module& module) {
  core::Diagnostics notes;
  const bool has_constants =
      core::contains(module.arenas, model::Lifetime::kConstant, &emit::ModuleArena::role);
  if (has_constants && !module.has_data) {
    notes.push_back(core::note(Code::kEmitData,
                               "nobody gave the constants' bytes: sizes are right, the bytes are 0",
                               {},
                               "name the model with --data, or a folder of ID.bin and ID.npy"));
  }
  for (const emit::ModuleArena& arena : module.arenas) {
    if (!arena.source_memory.empty() && !arena.has_source) {
      notes.push_back(core::note(
          Code::kEmitSections,
          fmt::format("'{}' is copied from {}, where no section of {}'s linker scripts lies",
                      arena.name,
                      arena.source_memory,
                      module.part.name),
          {},
          fmt::format("the application has a {}_hydrate_constants() of its own, which gets {}__"
                      "blob.bin from there",
                      module.prefix,
                      arena.name)));
    }
  }
  return notes;
}

// Without arrays, or with layers that it cannot write, a program is left out, unless it is asked
// for.
core::Result<void> render_program(Session& session,
                                  const ModuleRequest& request,
                                  const model::PlanReport& plan,
                                  const board::MemorySet& part,
                                  ModuleEmission& emission) {
  if (core::contains(request.only, "module")) {
    return core::fail(core::error(
        Code::kEmitUnknown,
        "this is a network, of which memsize makes checkpoints and a program: it has no module",
        {request.plan.reports.front()},
        "memsize check counts what it takes of the part's memories"));
  }
  const std::string& report = request.plan.reports.front();
  if (!request.prefix.empty() || request.is_external) {
    return core::fail(core::error(Code::kUsage,
                                  "--prefix and --external are of modules: this is a network",
                                  {report},
                                  "leave them out"));
  }
  if (!request.data.empty() && !session.files.is_directory(request.data)) {
    return core::fail(core::error(Code::kEmitData,
                                  fmt::format("'{}' is no folder", core::printable(request.data)),
                                  {request.data},
                                  "--data names the folder that has weights/ and test_cases/"));
  }
  auto arrays = read_network_arrays(
      session, request.data.empty() ? folder_beside(report) : request.data, *emission.schedule);
  MEMSIZE_TRY(arrays);
  emission.data_files = std::move(arrays->paths);
  auto program = emit::make_program(*emission.schedule, plan, part, arrays->data);
  emit::NetworkInput input{.schedule = *emission.schedule,
                           .plan = plan,
                           .files = session.files,
                           .template_folders = session.data.templates,
                           .runtime_folder = session.data.runtime,
                           .program = std::nullopt,
                           .why_no_program = {},
                           .created_utc = request.created};
  if (program) {
    input.program = *program;
    emission.program = std::move(*program);
  } else {
    input.why_no_program = program.error();
  }
  const std::vector<std::string> only =
      request.is_to_run ? std::vector<std::string>{"tables", "runtime", "bin"} : request.only;
  auto files = emit::render_network(input, only);
  MEMSIZE_TRY(files);
  emission.artifacts = std::move(*files);
  const bool must_have_data =
      !request.data.empty() && !program &&
      core::contains(program.error(), Code::kEmitData, &core::Diagnostic::code);
  if (must_have_data) {
    return tl::make_unexpected(program.error());
  }
  if (!program && only.empty()) {
    for (core::Diagnostic& said : program.error()) {
      said.severity =
          said.code == Code::kEmitData ? core::Severity::kNote : core::Severity::kWarning;
      said.message = "no program: " + said.message;
      emission.diagnostics.push_back(std::move(said));
    }
  }
  return {};
}

}  // namespace

core::Result<ModuleEmission> render_module(Session& session, const ModuleRequest& request) {
  auto part = part_with_settings(session, request.plan.board, request.plan.set);
  MEMSIZE_TRY(part);
  ModuleEmission emission;
  auto plan = plan_to_emit(session, request.plan, *part, emission);
  MEMSIZE_TRY(plan);
  // Frozen: where everything lies.

  if (emission.schedule) {
    MEMSIZE_TRY(render_program(session, request, *plan, *part, emission));
    emission.module.part = std::move(*part);
    emission.plan = std::move(*plan);
    return emission;
  }

  const auto external = is_external(session, request);
  MEMSIZE_TRY(external);
  auto data = read_data(session, request.data, *plan);
  MEMSIZE_TRY(data);
  emission.data_files = std::move(data->paths);
  const bool has_prefix = !request.prefix.empty() || core::is_identifier(plan->prefix);
  if (auto none = no_prefix(request.plan.reports.front()); none && !has_prefix) {
    return core::fail(std::move(*none));
  }
  const std::vector<std::string> origins = core::texts_of(request.plan.reports, name_of_file);
  auto module = emit::make_module(
      *plan,
      *part,
      {.prefix = !request.prefix.empty()             ? request.prefix
                 : core::is_identifier(plan->prefix) ? plan->prefix
                                                     : prefix_of(request.plan.reports.front()),
       .origin = core::printable(core::join(origins, " and "), 300),
       .is_external = *external,
       .constants = request.data.empty() ? std::nullopt : std::optional{std::move(data->bytes)}});
  MEMSIZE_TRY(module);
  emission.module = std::move(*module);
  std::ranges::move(notes_of(emission.module), std::back_inserter(emission.diagnostics));
  auto artifacts =
      emit::render_module({emission.module, session.files, session.data.templates},
                          request.is_to_run ? std::vector<std::string>{"module"} : request.only);
  MEMSIZE_TRY(artifacts);
  emission.artifacts = std::move(*artifacts);
  return emission;
}

}  // namespace memsize::app
