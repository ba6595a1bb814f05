// The order of a run: files, objects, and three programs, which differ in hydrate_constants(). What
// a compiler or linker says of a module is a finding; so is how its programs end.
#include "memsize/runtime/run_module.hpp"

#include "memsize/core/text.hpp"
#include "memsize/readers/image_reader.hpp"

#include "image.hpp"
#include "machine.hpp"
#include "module_files.hpp"
#include "module_judge.hpp"
#include "object_cache.hpp"
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

class ModuleRunner {
 public:
  ModuleRunner(const ModuleSubject& subject, const RunOptions& options)
      : subject_(subject),
        module_(subject.module),
        options_(options),
        is_host_(options.where == Where::kHost),
        compiler_(options, is_host_ ? isa_of_host() : isa_of_core(subject.module.part.core)) {}

  core::Result<ModuleResult> run() {
    MEMSIZE_TRY(find_tools());
    MEMSIZE_TRY(work_.make());
    auto runtime = compiler_.compile_runtime(work_.path());
    MEMSIZE_TRY(runtime);
    runtime_ = std::move(*runtime);
    result_.arenas = module_.arenas.size();
    result_.tensors = module_.tensors.size();
    auto said = build();
    MEMSIZE_TRY(said);
    if (!said->empty()) {
      result_.findings.push_back(core::error(
          core::Code::kModuleBuild, fmt::format("module '{}': {}", module_.prefix, *said)));
      return std::move(result_);
    }
    check_buffers();
    std::vector<ModuleRun> runs;
    for (std::size_t variant = 0; variant < kPrograms.size(); ++variant) {
      auto one = run_program(variant);
      MEMSIZE_TRY(one);
      runs.push_back(std::move(*one));
    }
    auto findings = judge_module(module_, runs);
    MEMSIZE_TRY(findings);
    std::ranges::move(*findings, std::back_inserter(result_.findings));
    count(runs);
    return std::move(result_);
  }

 private:
  [[nodiscard]] core::Result<void> find_tools() const {
    if (!is_host_ && (module_.part.machine.empty() || module_.part.core.empty())) {
      return core::fail(machine_error(
          fmt::format("part '{}' names no machine that emulates it", module_.part.name),
          "try --on host"));
    }
    if (!is_host_ && !has_program(std::string{kEmulator})) {
      return core::fail(machine_error(
          fmt::format("'{}' is not in PATH", kEmulator),
          "apt-get install --no-install-recommends qemu-system-arm, or try --on host, which needs "
          "no emulator"));
    }
    return compiler_.find_tools();
  }

  [[nodiscard]] core::Result<void> write(const std::vector<emit::Artifact>& files) const {
    for (const emit::Artifact& file : files) {
      const fs::path path = fs::path{work_.path()} / file.path;
      std::error_code ignored;
      fs::create_directories(path.parent_path(), ignored);
      if (!write_file(path.string(), file.content)) {
        return core::fail(machine_error(fmt::format("'{}' cannot be written", path.string()),
                                        "is there room in TMPDIR?"));
      }
    }
    return {};
  }

  // What a compiler or a linker says first; empty: three programs are there.
  core::Result<std::string> build() {
    MEMSIZE_TRY(write(subject_.files));
    MEMSIZE_TRY(write({{"module.ld", {}, subject_.linker_script}}));
    auto said = compile_module();
    if (!said || !said->empty()) {
      return said;
    }
    // A plan may leave no room for what lies behind arenas.
    for (const bool is_roomy : {true, false}) {
      ModuleFiles files = module_files(module_, options_.where, is_roomy);
      MEMSIZE_TRY(write(files.files));
      result_.steps = files.steps;
      result_.untried = std::move(files.untried);
      said = compile_application();
      if (said && said->empty()) {
        said = link();
      }
      if (!said || said->empty()) {
        break;
      }
    }
    return said;
  }

  // The folders of headers.
  [[nodiscard]] Words include_words() const {
    std::set<std::string> folders{"."};
    for (const emit::Artifact& file : subject_.files) {
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
    extend(command, include_words());
    extend(command, sources);
    objects_ = object_names(sources);
    return compiler_.attempt(std::move(command), work_.path());
  }

  core::Result<std::string> compile_application() {
    Words sources;
    for (const char* source : {"buffers.c", "contract.c", "module_probe.c", "steps.c"}) {
      sources.push_back(fmt::format("{}/module/{}", options_.sources, source));
    }
    extend(sources, {"tables.c", "rooms.S"});
    Words command = compiler_.words();
    command.emplace_back("-c");
    extend(command, include_words());
    Words once = command;
    extend(once, sources);
    application_ = object_names(sources);
    auto said = compiler_.attempt(std::move(once), work_.path());
    for (std::size_t variant = 0; said && said->empty() && variant < kPrograms.size(); ++variant) {
      Words one = command;
      extend(one,
             {fmt::format("-DPROBE_VARIANT={}", variant),
              options_.sources + "/module/hydrate.c",
              "-o",
              fmt::format("hydrate{}.o", variant)});
      said = compiler_.attempt(std::move(one), work_.path());
    }
    return said;
  }

  core::Result<std::string> link() {
    core::Result<std::string> said;
    for (std::size_t variant = 0; said && said->empty() && variant < kPrograms.size(); ++variant) {
      Words command = compiler_.words();
      extend(command, compiler_.link_words(is_host_ ? "" : "module.ld"));
      extend(command, objects_);
      extend(command, application_);
      extend(command, runtime_);
      extend(command, {fmt::format("hydrate{}.o", variant), "-o", fmt::format("probe{}", variant)});
      said = compiler_.attempt(std::move(command), work_.path());
    }
    return said;
  }

  [[nodiscard]] Words command_of(std::size_t variant) const {
    const std::string program = fmt::format("{}/probe{}", work_.path(), variant);
    if (is_host_) {
      return {program};
    }
    Words words{std::string{kEmulator}, "-machine", module_.part.machine, "-kernel", program};
    extend(words, report_words("arg=memsize"));
    return words;
  }

  // What the header does not say: how large the module's own arrays really are.
  void check_buffers() {
    const auto image = readers::read_elf(content_of(work_.path() + "/probe0"), {});
    if (!image) {
      return;
    }
    for (const emit::ModuleArena& arena : module_.arenas) {
      for (const std::string& name : {arena.name + "_buffer", arena.name + "__source"}) {
        const auto symbol =
            std::ranges::find(image->symbols, std::string_view{name}, &model::ImageSymbol::name);
        if (symbol != image->symbols.end() && symbol->size && *symbol->size != arena.size) {
          result_.findings.push_back(core::error(core::Code::kModuleBounds,
                                                 fmt::format("'{}' has {}, but the arena has {}",
                                                             name,
                                                             core::format_bytes(*symbol->size),
                                                             core::format_bytes(arena.size)))
                                         .about({{"arena", arena.name}}));
        }
      }
    }
  }

  [[nodiscard]] core::Result<ModuleRun> run_program(std::size_t variant) const {
    ModuleRun run{std::string{kPrograms.at(variant)}, {}, {}, {}};
    const ProcessEnd end = run_process(ProcessSpec{
        .arguments = command_of(variant), .folder = work_.path(), .timeout = options_.timeout});
    run.report = parse_report(end.output);
    auto broken = broken_end(end, command_of(variant).front(), options_.timeout);
    MEMSIZE_TRY(broken);
    run.broken = std::move(*broken);
    if (run.report.fault) {
      run.function = function_at(
          fmt::format("{}/probe{}", work_.path(), variant), run.report.fault->pc, !is_host_);
    }
    if (run.broken.empty() && !run.report.verdict) {
      const std::string said = end.errors.substr(0, end.errors.find('\n'));
      run.broken = fmt::format("did not come to its end (status {}){}",
                               end.status,
                               said.empty() ? "" : ": " + core::printable(said, 200));
      // It did not begin: that is the emulator's.
      if (!is_host_ && run.report.core.empty() && !said.empty()) {
        return core::fail(machine_error(fmt::format("{} says: {}", kEmulator, said)));
      }
    }
    return run;
  }

  void count(const std::vector<ModuleRun>& runs) {
    for (const ModuleRun& run : runs) {
      if (run.report.verdict && !run.report.fault) {
        result_.programs.push_back(run.program);
      }
      for (const Part& part : run.report.parts) {
        result_.checks += part.done;
        if (part.name == "guards" && &run == &runs.front()) {
          result_.guarded = result_.arenas - std::min<std::size_t>(part.skipped, result_.arenas);
        }
        if (part.name == "read-only" && part.skipped != 0 && &run == &runs.front()) {
          result_.untried.push_back(
              {"", "", "the machine cannot make all constants read-only that lie in RAM"});
        }
      }
    }
  }

  const ModuleSubject& subject_;
  const emit::Module& module_;
  const RunOptions& options_;
  bool is_host_;
  Compiler compiler_;
  WorkFolder work_;
  Words runtime_;
  Words objects_;
  Words application_;
  ModuleResult result_;
};

}  // namespace

core::Result<ModuleResult> run_module(const ModuleSubject& subject, const RunOptions& options) {
  const InterruptGuard guard;
  return ModuleRunner{subject, options}.run();
}

}  // namespace memsize::runtime
