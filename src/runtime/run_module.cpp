// The order of a run: files, objects, and three programs, which differ in hydrate_constants(). What
// a compiler or linker says of a module is a finding; so is how its programs end.
#include "memsize/runtime/run_module.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/core/user_cache.hpp"
#include "memsize/readers/image_reader.hpp"

#include "image.hpp"
#include "machine.hpp"
#include "module_files.hpp"
#include "module_judge.hpp"
#include "toolchain.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEmulator = "qemu-system-arm";
constexpr std::array<std::string_view, 3> kPrograms = {"weak", "strong", "forgetful"};

Words object_names(const Words& sources) {
  Words objects;
  for (const std::string& source : sources) {
    objects.push_back(fs::path{source}.stem().string() + ".o");
  }
  return objects;
}

core::Result<void> find_emulator(const board::MemorySet& part) {
  if (part.machine.empty() || part.core.empty()) {
    return core::fail(machine_error(
        fmt::format("part '{}' names no machine that emulates it", part.name), "try --on host"));
  }
  if (!has_program(std::string{kEmulator})) {
    return core::fail(machine_error(
        fmt::format("'{}' is not in PATH", kEmulator),
        "apt-get install --no-install-recommends qemu-system-arm, or try --on host, which needs "
        "no emulator"));
  }
  return {};
}

core::Result<void> write_all(const std::vector<emit::Artifact>& files, const std::string& folder) {
  for (const emit::Artifact& file : files) {
    const fs::path path = fs::path{folder} / file.path;
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    if (!core::write_file(path.string(), file.content)) {
      return core::fail(machine_error(fmt::format("'{}' cannot be written", path.string()),
                                      "is there room in TMPDIR?"));
    }
  }
  return {};
}

// The folders of headers.
Words include_words(const std::vector<emit::Artifact>& files) {
  std::set<std::string> folders{"."};
  for (const emit::Artifact& file : files) {
    if (file.path.ends_with(".h")) {
      folders.insert(fs::path{file.path}.parent_path().string());
    }
  }
  Words words;
  for (const std::string& folder : folders) {
    words.push_back("-I" + (folder.empty() ? "." : folder));
  }
  return words;
}

// The programs of a module in one folder. What a step gives is what a compiler or a linker says
// first; empty: it was content.
class ProgramBuilder {
 public:
  ProgramBuilder(const Compiler& compiler, const ModuleSubject& subject, std::string folder)
      : compiler_(compiler),
        subject_(subject),
        folder_(std::move(folder)),
        includes_(include_words(subject.files)) {}

  // As its users compile it.
  core::Result<std::string> compile_module() {
    Words sources;
    for (const emit::Artifact& file : subject_.files) {
      if (file.path.ends_with(".c")) {
        sources.push_back(file.path);
      }
    }
    Words command = compiler_.words("c99");
    extend(command, {"-Werror", "-pedantic", "-c"});
    extend(command, includes_);
    extend(command, sources);
    objects_ = object_names(sources);
    return compiler_.attempt(std::move(command), folder_);
  }

  // `runtime`: the folder of the sources.
  core::Result<std::string> compile_application(const std::string& runtime) {
    Words sources;
    for (const char* source : {"buffers.c", "contract.c", "module_probe.c", "steps.c"}) {
      sources.push_back(fmt::format("{}/module/{}", runtime, source));
    }
    extend(sources, {"tables.c", "rooms.S"});
    Words command = compiler_.words();
    command.emplace_back("-c");
    extend(command, includes_);
    Words once = command;
    extend(once, sources);
    application_ = object_names(sources);
    auto said = compiler_.attempt(std::move(once), folder_);
    for (std::size_t variant = 0; said && said->empty() && variant < kPrograms.size(); ++variant) {
      Words one = command;
      extend(one,
             {fmt::format("-DPROBE_VARIANT={}", variant),
              runtime + "/module/hydrate.c",
              "-o",
              fmt::format("hydrate{}.o", variant)});
      said = compiler_.attempt(std::move(one), folder_);
    }
    return said;
  }

  core::Result<std::string> link(const std::string& script, const Words& runtime_objects) const {
    core::Result<std::string> said;
    for (std::size_t variant = 0; said && said->empty() && variant < kPrograms.size(); ++variant) {
      Words command = compiler_.words();
      extend(command, compiler_.link_words(script));
      extend(command, objects_);
      extend(command, application_);
      extend(command, runtime_objects);
      extend(command, {fmt::format("hydrate{}.o", variant), "-o", fmt::format("probe{}", variant)});
      said = compiler_.attempt(std::move(command), folder_);
    }
    return said;
  }

 private:
  const Compiler& compiler_;
  const ModuleSubject& subject_;
  std::string folder_;
  Words includes_;
  Words objects_;
  Words application_;
};

// What a compiler or a linker says first; empty: three programs are there.
core::Result<std::string> build_programs(const ModuleSubject& subject,
                                         const RunOptions& options,
                                         const Compiler& compiler,
                                         const std::string& folder,
                                         ModuleResult& result) {
  const auto runtime = compiler.compile_runtime(folder);
  MEMSIZE_TRY(runtime);
  MEMSIZE_TRY(write_all(subject.files, folder));
  MEMSIZE_TRY(write_all({{"module.ld", {}, subject.linker_script}}, folder));
  ProgramBuilder programs{compiler, subject, folder};
  auto said = programs.compile_module();
  if (!said || !said->empty()) {
    return said;
  }
  // A plan may leave no room for what lies behind arenas.
  for (const bool is_roomy : {true, false}) {
    ModuleFiles files = module_files(subject.module, options.where, is_roomy);
    MEMSIZE_TRY(write_all(files.files, folder));
    result.steps = files.steps;
    result.untried = std::move(files.untried);
    said = programs.compile_application(options.sources);
    if (said && said->empty()) {
      said = programs.link(options.where == Where::kHost ? "" : "module.ld", *runtime);
    }
    if (!said || said->empty()) {
      break;
    }
  }
  return said;
}

// What the header does not say: how large the module's own arrays really are.
core::Diagnostics wrong_buffers(const std::vector<emit::ModuleArena>& arenas,
                                const std::string& program) {
  core::Diagnostics found;
  const auto image = readers::read_elf(core::content_of(program), {});
  if (!image) {
    return found;
  }
  for (const emit::ModuleArena& arena : arenas) {
    for (const std::string& name : {arena.name + "_buffer", arena.name + "__source"}) {
      const auto* symbol = core::find_in(image->symbols, name, &model::ImageSymbol::name);
      if (symbol != nullptr && symbol->size && *symbol->size != arena.size) {
        found.push_back(core::error(core::Code::kModuleBounds,
                                    fmt::format("'{}' has {}, but the arena has {}",
                                                name,
                                                core::format_bytes(*symbol->size),
                                                core::format_bytes(arena.size)))
                            .about({{"arena", arena.name}}));
      }
    }
  }
  return found;
}

Words program_command(const std::string& program, const board::MemorySet& part, bool is_host) {
  if (is_host) {
    return {program};
  }
  Words words{std::string{kEmulator}, "-machine", part.machine, "-kernel", program};
  extend(words, report_words("arg=memsize"));
  return words;
}

core::Result<ModuleRun> run_program(const board::MemorySet& part,
                                    const RunOptions& options,
                                    const std::string& folder,
                                    std::size_t variant) {
  const bool is_host = options.where == Where::kHost;
  const std::string program = fmt::format("{}/probe{}", folder, variant);
  const Words command = program_command(program, part, is_host);
  ModuleRun run{std::string{kPrograms.at(variant)}, {}, {}, {}};
  const ProcessEnd end =
      run_process(ProcessSpec{.arguments = command, .folder = folder, .timeout = options.timeout});
  run.report = parse_report(end.output);
  auto broken = broken_end(end, command.front(), options.timeout);
  MEMSIZE_TRY(broken);
  run.broken = std::move(*broken);
  if (run.report.fault) {
    run.function = function_at(program, run.report.fault->pc, !is_host);
  }
  if (run.broken.empty() && !run.report.verdict) {
    const std::string said = end.errors.substr(0, end.errors.find('\n'));
    run.broken = fmt::format("did not come to its end (status {}){}",
                             end.status,
                             said.empty() ? "" : ": " + core::printable(said, 200));
    // It did not begin: that is the emulator's.
    if (!is_host && run.report.core.empty() && !said.empty()) {
      return core::fail(machine_error(fmt::format("{} says: {}", kEmulator, said)));
    }
  }
  return run;
}

void count_runs(const std::vector<ModuleRun>& runs, ModuleResult& result) {
  for (const ModuleRun& run : runs) {
    if (run.report.verdict && !run.report.fault) {
      result.programs.push_back(run.program);
    }
    for (const Part& part : run.report.parts) {
      result.checks += part.done;
      if (part.name == "guards" && &run == &runs.front()) {
        result.guarded = result.arenas - std::min<std::size_t>(part.skipped, result.arenas);
      }
      if (part.name == "read-only" && part.skipped != 0 && &run == &runs.front()) {
        result.untried.push_back(
            {"", "", "the machine cannot make all constants read-only that lie in RAM"});
      }
    }
  }
}

}  // namespace

core::Result<ModuleResult> run_module(const ModuleSubject& subject, const RunOptions& options) {
  const InterruptGuard guard;
  const emit::Module& module = subject.module;
  const bool is_host = options.where == Where::kHost;
  const Compiler compiler{options, is_host ? isa_of_host() : isa_of_core(module.part.core)};
  if (!is_host) {
    MEMSIZE_TRY(find_emulator(module.part));
  }
  MEMSIZE_TRY(compiler.find_tools());
  WorkFolder work;
  MEMSIZE_TRY(work.make());
  ModuleResult result;
  result.arenas = module.arenas.size();
  result.tensors = module.tensors.size();
  const auto said = build_programs(subject, options, compiler, work.path(), result);
  MEMSIZE_TRY(said);
  if (!said->empty()) {
    result.findings.push_back(core::error(core::Code::kModuleBuild,
                                          fmt::format("module '{}': {}", module.prefix, *said)));
    return result;
  }
  result.findings = wrong_buffers(module.arenas, work.path() + "/probe0");
  std::vector<ModuleRun> runs;
  for (std::size_t variant = 0; variant < kPrograms.size(); ++variant) {
    auto one = run_program(module.part, options, work.path(), variant);
    MEMSIZE_TRY(one);
    runs.push_back(std::move(*one));
  }
  auto findings = judge_module(module, runs);
  MEMSIZE_TRY(findings);
  std::ranges::move(*findings, std::back_inserter(result.findings));
  count_runs(runs, result);
  return result;
}

}  // namespace memsize::runtime
