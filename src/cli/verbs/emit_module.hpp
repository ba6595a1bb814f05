// emit --plan: a module's files, shown, checked or written; and the options of modules.
#pragma once

#include "memsize/app/module.hpp"

#include "verbs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::cli {

struct ModuleOptions {
  app::ModuleRequest request;
  std::string out;
  bool diff = false;
  bool check = false;
  bool force = false;
  bool json = false;
  /// Files of the user besides those that are typed.
  std::vector<std::string> inputs;
};

/// --plan, --data, --rules, --stage, --profile, --prefix, --external; returns the first.
Option add_module_options(const Command& verb, app::ModuleRequest& request);

/// What is wrong where one of these is given without --plan.
[[nodiscard]] std::optional<core::Diagnostic> lacks_plan(const app::ModuleRequest& request,
                                                         const char* verb);

/// What is wrong where --plan is given: a prefix that is none, and what a module has no use for.
[[nodiscard]] std::optional<core::Diagnostic> wrong_with_plan(const app::ModuleRequest& module,
                                                              const app::EmitRequest& request,
                                                              bool has_trace);

/// `schema` is that of emit's document.
[[nodiscard]] Outcome emit_module(app::Session& session, ModuleOptions options, const char* schema);

}  // namespace memsize::cli
