// From a template and a view to a file.
#pragma once

#include "memsize/emit/artifact.hpp"

#include "template.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

/// Adds the file that a template makes of a view.
inline core::Result<void> add_rendered(std::vector<Artifact>& artifacts,
                                       const EmitInput& input,
                                       const std::string& path,
                                       const std::string& name,
                                       const Json& view,
                                       Escape escape = escape_comment) {
  auto content = render_template(input.files, input.template_folders, name, view, escape);
  MEMSIZE_TRY(content);
  artifacts.push_back({path, {}, std::move(*content)});
  return {};
}

/// The only file of an emitter.
inline core::Result<std::vector<Artifact>> render_one(const EmitInput& input,
                                                      const std::string& path,
                                                      const std::string& name,
                                                      const Json& view,
                                                      Escape escape = escape_comment) {
  std::vector<Artifact> artifacts;
  MEMSIZE_TRY(add_rendered(artifacts, input, path, name, view, escape));
  return artifacts;
}

/// That no linker script of the core can be written.
inline core::Diagnostic no_sections(const board::Board& board, const board::Core& core) {
  return core::error(
      core::Code::kEmitSections,
      fmt::format(
          "board '{}' does not say where the sections of core '{}' go", board.name, core.name),
      core.place,
      "a linker script needs a [sections.NAME] with this core (boards/README.md)");
}

}  // namespace memsize::emit
