// Finds the tools, and compiles the runtime once for each kind of program. Compilers that say
// anything have failed: memsize's own sources compile without a word.
#include "toolchain.hpp"

#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"
#include "memsize/core/user_cache.hpp"

#include "machine.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

namespace fs = std::filesystem;

// --timeout is about what runs, and a busy machine compiles slowly.
constexpr std::chrono::milliseconds kLeastForTools{20000};

// In every image that runs a map.
Words with_common(Words sources) {
  for (const char* source : {"arena.c",
                             "heap.c",
                             "map_table.c",
                             "memory.c",
                             "probe.c",
                             "replay.c",
                             "report.c",
                             "runtime.c",
                             "semihosting.c"}) {
    sources.emplace_back(source);
  }
  return sources;
}

// All that the objects of the runtime follow from: the compiler, its words, and the sources with
// what they include.
std::string made_of(const std::string& sources, const Isa& isa, const Words& command) {
  std::string text = identity_of(command.front());
  for (const std::string& word : command) {
    text += word.starts_with("-I") ? std::string{} : "\n" + word;
  }
  std::vector<std::string> files;
  for (const std::string& folder : isa.folders) {
    std::error_code failure;
    for (fs::directory_iterator at{fs::path{sources} / folder, failure}, end; !failure && at != end;
         at.increment(failure)) {
      if (at->is_regular_file(failure)) {
        files.push_back(at->path().string());
      }
    }
  }
  std::ranges::sort(files);
  for (const std::string& file : files) {
    const std::string content = core::content_of(file);
    text += fmt::format("\n{} {}\n{}", fs::path{file}.filename().string(), content.size(), content);
  }
  return text;
}

// Writes the objects of an earlier run to these paths; false: there are none.
bool write_kept(const core::UserCache& cache, const Words& paths) {
  const auto objects = cache.take();
  return objects && std::ranges::equal(paths, *objects, core::write_file);
}

// What compilers say first is what is wrong.
std::string what_went_wrong(const ProcessEnd& end) {
  switch (end.how) {
    case ProcessEnd::How::kTimedOut:
      return "takes too long";
    case ProcessEnd::How::kTooMuch:
      return "prints without end";
    case ProcessEnd::How::kNotStarted:
      return fmt::format("cannot be started: {}", end.reason);
    default:
      break;
  }
  const std::string said = end.errors.substr(0, end.errors.find('\n'));
  if (!said.empty()) {
    return fmt::format("says: {}", core::printable(said, 300));
  }
  return end.how == ProcessEnd::How::kKilled ? fmt::format("was killed by signal {}", end.status)
                                             : fmt::format("ended with {}", end.status);
}

}  // namespace

Isa isa_of(Unit unit) {
  if (unit == Unit::kMmu) {
    return {"aarch64-none-elf",
            "aarch64-linux-gnu-gcc",
            {"-mgeneral-regs-only", "-mstrict-align"},
            {"", "a64"},
            with_common({"a64/start.S", "a64/hal.c"})};
  }
  return {"arm-none-eabi",
          "arm-none-eabi-gcc",
          {"-mcpu=cortex-r5", "-marm", "-mfloat-abi=soft", "-mno-unaligned-access"},
          {"", "r5f"},
          with_common({"r5f/start.S", "r5f/hal.c", "r5f/mpu.c"})};
}

Isa isa_of_core(const std::string& core) {
  return {"arm-none-eabi",
          "arm-none-eabi-gcc",
          {"-mcpu=" + core, "-mthumb", "-mfloat-abi=hard"},
          {"", "m", "module"},
          {"m/start.S", "m/hal.c", "m/mpu.c", "memory.c", "report.c", "semihosting.c"}};
}

Isa isa_of_host() {
  return {"", "gcc", {"-D_GNU_SOURCE"}, {"", "module"}, {"module/host.c", "report.c"}};
}

// Sums of floats are rounded by themselves. Neither compiler brings what it would call for RV32:
// nothing here needs it. Small data would put constants beside variables, which workers may not
// read. clang 14 knows no zicsr, and lld none of the relaxations.
Isa isa_of_cluster(bool is_host) {
  if (is_host) {
    return {"",
            "gcc",
            {"-D_GNU_SOURCE", "-pthread", "-ffp-contract=off"},
            {"", "pmsis", "pmsis/bsp", "pmsis/bsp/fs"},
            {"pmsis/host.c", "pmsis/pmsis.c", "report.c"}};
  }
  return {"riscv32-unknown-elf",
          "riscv64-unknown-elf-gcc",
          {"-mabi=ilp32f", "-mno-relax", "-msmall-data-limit=0", "-ffp-contract=off"},
          {"", "pmsis", "pmsis/bsp", "pmsis/bsp/fs", "rv32"},
          {"rv32/start.S",
           "rv32/cores.c",
           "rv32/print.c",
           "pmsis/pmsis.c",
           "memory.c",
           "report.c",
           "semihosting.c"},
          {"-march=rv32imafc"},
          {"-march=rv32imafc_zicsr"}};
}

core::Result<void> Compiler::find_tools() const {
  const bool clang = options_.toolchain == Toolchain::kClang;
  const Words needed = clang ? Words{"clang", "ld.lld"} : Words{isa_.gcc};
  for (const std::string& tool : needed) {
    if (has_program(tool)) {
      continue;
    }
    return core::fail(machine_error(
        isa_.triple.empty()
            ? fmt::format("'{}' is not in PATH: a module is compiled here", tool)
            : fmt::format("'{}' is not in PATH: images for an emulated board are compiled here",
                          tool),
        isa_.triple.empty() ? "apt-get install gcc, or clang and lld (--toolchain)"
        : clang             ? "apt-get install clang lld, or try --on host, which needs neither"
                            : fmt::format("apt-get install {}, or try --toolchain clang",
                              isa_.gcc.starts_with("riscv")
                                              ? "gcc-riscv64-unknown-elf"
                                              : "gcc-aarch64-linux-gnu gcc-arm-none-eabi")));
  }
  return {};
}

Words Compiler::words(const std::string& standard) const {
  Words words{isa_.gcc};
  if (options_.toolchain == Toolchain::kClang) {
    words = {"clang"};
    if (!isa_.triple.empty()) {
      words.push_back("--target=" + isa_.triple);
    }
  }
  words.push_back("-std=" + standard);
  for (const char* flag : {"-O2",
                           "-ffreestanding",
                           "-fno-pic",
                           "-fno-stack-protector",
                           "-fno-unwind-tables",
                           "-fno-asynchronous-unwind-tables",
                           "-Wall",
                           "-Wextra"}) {
    words.emplace_back(flag);
  }
  const Words& own = options_.toolchain == Toolchain::kClang ? isa_.clang_flags : isa_.gcc_flags;
  words.insert(words.end(), isa_.flags.begin(), isa_.flags.end());
  words.insert(words.end(), own.begin(), own.end());
  for (const std::string& folder : isa_.folders) {
    words.push_back("-I" + (folder.empty() ? options_.sources : options_.sources + "/" + folder));
  }
  return words;
}

// A compiler for Linux makes position-independent programs with an identity unless told otherwise;
// GNU ld warns of code beside data, which is what these cores have (binutils 2.39).
Words Compiler::link_words(const std::string& script) const {
  const bool clang = options_.toolchain == Toolchain::kClang;
  if (script.empty()) {
    return clang ? Words{"-fuse-ld=lld", "-no-pie"} : Words{"-no-pie"};
  }
  Words words = {"-nostdlib", "-static", "-Wl,-z,noexecstack", "-Wl,-e,_start"};
  const Words own = clang ? Words{"-fuse-ld=lld"}
                          : Words{"-no-pie", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments"};
  words.insert(words.end(), own.begin(), own.end());
  words.insert(words.end(), {"-T", script});
  return words;
}

core::Result<Words> Compiler::compile_runtime(const std::string& folder) const {
  Words command = words();
  // The runtime is the same for every map, and compiling it takes longer than running it.
  const core::UserCache cache{"runtime-" + core::sha256(made_of(options_.sources, isa_, command))};
  command.emplace_back("-c");
  Words objects;
  for (const std::string& source : isa_.sources) {
    command.push_back(options_.sources + "/" + source);
    objects.push_back(folder + "/" + fs::path{source}.stem().string() + ".o");
  }
  if (!write_kept(cache, objects)) {
    MEMSIZE_TRY(call(std::move(command), folder, "the runtime does not compile"));
    Words contents;
    std::ranges::transform(objects, std::back_inserter(contents), core::content_of);
    if (std::ranges::none_of(contents, &std::string::empty)) {
      cache.keep(contents);
    }
  }
  return objects;
}

core::Result<std::string> Compiler::attempt(Words command, const std::string& folder) const {
  ProcessSpec spec;
  const std::string tool = command.front();
  spec.arguments = std::move(command);
  spec.folder = folder;
  spec.temporary = folder;
  spec.timeout = std::max(options_.timeout, kLeastForTools);
  const ProcessEnd end = run_process(spec);
  if (end.how == ProcessEnd::How::kExited && end.status == 0 && end.errors.empty()) {
    return std::string{};
  }
  if (end.how == ProcessEnd::How::kInterrupted) {
    return core::fail(machine_error("interrupted"));
  }
  return fmt::format("{} {}", tool, what_went_wrong(end));
}

core::Result<void> Compiler::call(Words command,
                                  const std::string& folder,
                                  const std::string& what) const {
  const auto said = attempt(std::move(command), folder);
  MEMSIZE_TRY(said);
  if (said->empty()) {
    return {};
  }
  return core::fail(
      machine_error(fmt::format("{}: {}", what, *said),
                    "is there room in TMPDIR? memsize's own sources compile without a word"));
}

}  // namespace memsize::runtime
