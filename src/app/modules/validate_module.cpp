// A module is written as emit writes it, or taken from a folder, and run: on this machine, or on
// the core that the part has, with a linker script that has the part's memories where the machine
// has them. A network's program brings its own main() and runs on a cluster.
#include "memsize/app/module.hpp"
#include "memsize/core/text.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

core::Result<void> read_files(Session& session,
                              const std::string& folder,
                              std::vector<emit::Artifact>& files) {
  if (!session.files.is_directory(folder)) {
    return core::fail(core::error(
        Code::kFileRead,
        fmt::format("cannot read '{}': there is no such folder", core::printable(folder)),
        {folder},
        "--map names what emit --plan wrote with --out"));
  }
  core::Diagnostics errors;
  for (emit::Artifact& file : files) {
    auto content = session.files.read(fmt::format("{}/{}", folder, file.path));
    if (content) {
      file.content = std::move(*content);
    } else {
      errors.insert(errors.end(), content.error().begin(), content.error().end());
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return {};
}

core::Diagnostic not_emulated(const board::MemorySet& part) {
  return core::error(Code::kBoardReference,
                     fmt::format("no machine that QEMU has stands in for part '{}'", part.name),
                     part.files.empty() ? core::Place{} : core::Place{part.files.front()},
                     "--on host runs the module on this machine");
}

std::vector<std::string> moved_memories(const board::MemorySet& part) {
  std::vector<std::string> moved;
  for (const board::PartMemory& memory : part.memories) {
    const auto here = board::emulated_at(part, memory);
    if (here && here != memory.base) {
      moved.push_back(memory.name);
    }
  }
  return moved;
}

}  // namespace

core::Result<ModuleValidation> validate_module(Session& session,
                                               const ModuleValidateRequest& request) {
  // What emit would write.
  ModuleRequest sources = request.module;
  sources.is_to_run = true;
  auto emission = render_module(session, sources);
  MEMSIZE_TRY(emission);
  ModuleValidation validation{.module = std::move(emission->module),
                              .diagnostics = std::move(emission->diagnostics)};
  if (emission->schedule) {
    runtime::NetworkSubject subject{.program = *emission->program,
                                    .plan = emission->plan,
                                    .part = validation.module.part,
                                    .files = std::move(emission->artifacts)};
    if (!request.files.empty()) {
      MEMSIZE_TRY(read_files(session, request.files, subject.files));
    }
    auto result = runtime::run_network(subject, request.run);
    MEMSIZE_TRY(result);
    validation.network = std::move(*result);
    validation.schedule = std::move(emission->schedule);
    return validation;
  }
  runtime::ModuleSubject subject{.module = validation.module,
                                 .files = std::move(emission->artifacts)};
  if (!request.files.empty()) {
    MEMSIZE_TRY(read_files(session, request.files, subject.files));
  }

  // Where the machine has the part's memories.
  if (request.run.where == runtime::Where::kQemu) {
    if (validation.module.part.machine.empty()) {
      return core::fail(not_emulated(validation.module.part));
    }
    auto script =
        emit::part_script({validation.module, session.files, session.data.templates}, true);
    MEMSIZE_TRY(script);
    subject.linker_script = std::move(*script);
    validation.moved = moved_memories(validation.module.part);
  }
  auto result = runtime::run_module(subject, request.run);
  MEMSIZE_TRY(result);
  validation.result = std::move(*result);
  return validation;
}

}  // namespace memsize::app
