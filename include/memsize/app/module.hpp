// A plan, made or as it is, as the C module of a part.
#pragma once

#include "memsize/app/map.hpp"
#include "memsize/app/plan.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/module.hpp"
#include "memsize/emit/network.hpp"
#include "memsize/runtime/run_module.hpp"
#include "memsize/runtime/run_network.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

struct ModuleRequest {
  /// Reports that say where every tensor lies are taken as they are, unless rules or stages are
  /// given; others are planned into the part.
  PlanRequest plan;
  /// A model, or a folder of ID.bin and ID.npy; empty: constants are zeros.
  std::string data;
  /// What names in C begin with; empty: what the reports say, else the first one's name.
  std::string prefix;
  /// The application owns every arena; rules may say so, too.
  bool is_external = false;
  /// Emitters by name; none: all of modules, or of networks.
  std::vector<std::string> only;
  /// Instead of `only`: what is compiled and run.
  bool is_to_run = false;
  /// When it is made, for files that have that: "2026-11-24T08:00:00Z"; empty: they do not say.
  std::string created;
};

struct ModuleEmission {
  /// Of a network, its part and prefix alone.
  emit::Module module;
  /// How a network runs, whose files these are then.
  std::optional<network::Schedule> schedule;
  /// Of its blocks.
  model::PlanReport plan;
  /// Its program; nothing: it has none.
  std::optional<emit::NetworkProgram> program;
  std::vector<emit::Artifact> artifacts;
  /// The model, or what was read of the folder.
  std::vector<std::string> data_files;
  /// Warnings and notes.
  core::Diagnostics diagnostics;
};

/// Every file of the module, and nothing on the disk. Errors: plans that are wrong or do not fit,
/// data that are not the plan's, and those of emit::make_module().
///
/// Example:
///     app::ModuleRequest request;
///     request.plan.reports = {"samples/plans/tflite/kws_ref_model.tflite"};
///     request.plan.board = "apollo510";
///     const auto module = app::render_module(session, request);
///     MEMSIZE_TRY(module);
///     for (const emit::Artifact& artifact : module->artifacts) {
///       assert(!artifact.content.empty());
///     }
[[nodiscard]] core::Result<ModuleEmission> render_module(Session& session,
                                                         const ModuleRequest& request);

/// As write_map() does of a map. Unless `force`, a folder that has another module is refused.
[[nodiscard]] core::Result<std::vector<OnDisk>> write_module(Session& session,
                                                             const std::string& out,
                                                             const ModuleEmission& emission,
                                                             bool force = false);

/// The report of the module that a folder has, "module/kws_residency.json"; empty: it has none, or
/// a map.
[[nodiscard]] std::string written_module(Session& session, const std::string& folder);

/// Files in the folder that memsize wrote there and that this network has no more, by their paths
/// below it, such as a program that it lacks arrays for. None where some emitters alone are wanted.
[[nodiscard]] std::vector<std::string> left_over(Session& session,
                                                 const std::string& out,
                                                 const ModuleRequest& request,
                                                 const ModuleEmission& emission);

struct ModuleValidateRequest {
  ModuleRequest module;
  /// A folder that emit --plan wrote, whose files are run as they are; empty: none.
  std::string files;
  runtime::RunOptions run;
};

struct ModuleValidation {
  emit::Module module;
  runtime::ModuleResult result;
  /// Of a network instead of a module, whose part `module` has.
  std::optional<runtime::NetworkResult> network;
  std::optional<network::Schedule> schedule;
  /// Memories that lie elsewhere on the machine than on the part; empty on the host.
  std::vector<std::string> moved;
  core::Diagnostics diagnostics;
};

/// Runs the module with an application that tries its whole contract, or a network's program. What
/// is wrong with it is in the result; errors are of inputs and of this machine.
[[nodiscard]] core::Result<ModuleValidation> validate_module(Session& session,
                                                             const ModuleValidateRequest& request);

}  // namespace memsize::app
