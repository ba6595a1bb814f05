// The order of a run: the program is compiled as its users compile it, linked with the emulation of
// PMSIS and its files, and run once for each time at which the DMA may move.
#include "memsize/runtime/run_network.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/names.hpp"
#include "memsize/core/text.hpp"
#include "memsize/core/user_cache.hpp"

#include "image.hpp"
#include "machine.hpp"
#include "network_judge.hpp"
#include "toolchain.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kClusterEmulator = "qemu-system-riscv32";

// Real addresses need a machine of one hart: memories move to where `virt` has RAM. What the
// workers may run and read of an image ends at __code_end (target/rv32/cores.c).
constexpr std::string_view kScript = R"(OUTPUT_ARCH(riscv)
ENTRY(_start)
SECTIONS {
  . = 0x80000000;
  .text : {
    *(.text.start) *(.text .text.*) *(.rodata .rodata.* .srodata .srodata.*)
    . = ALIGN(16);
    __code_end = .;
  }
  .data : ALIGN(16) { *(.data .data.* .sdata .sdata.*) }
  .bss : ALIGN(16) { *(.sbss .sbss.* .bss .bss.* COMMON) }
  .files : ALIGN(16) { *(.files) }
  /DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) *(.riscv.attributes) }
}
)";

// Behind what an image has, with its files; in this order.
constexpr std::uint64_t kFirstMemory = 0x88000000;
constexpr std::uint64_t kMemoryStep = 0x01000000;
constexpr std::uint64_t kRam = 0x80000000;

class NetworkRunner {
 public:
  NetworkRunner(const NetworkSubject& subject, const RunOptions& options)
      : subject_(subject),
        options_(options),
        is_host_(options.where == Where::kHost),
        compiler_(options, isa_of_cluster(is_host_)) {}

  core::Result<NetworkResult> run() {
    MEMSIZE_TRY(find_tools());
    MEMSIZE_TRY(work_.make());
    auto runtime = compiler_.compile_runtime(work_.path());
    MEMSIZE_TRY(runtime);
    MEMSIZE_TRY(write_files());
    NetworkResult result;
    const auto said = build(*runtime);
    MEMSIZE_TRY(said);
    if (!said->empty()) {
      result.findings.push_back(core::error(core::Code::kNetworkBuild, *said));
      return result;
    }
    std::vector<NetworkRun> runs;
    for (std::size_t i = 0; i < names_of(DmaTiming{}).size(); ++i) {
      auto one = run_program(static_cast<DmaTiming>(i));
      MEMSIZE_TRY(one);
      runs.push_back(std::move(*one));
    }
    judge_network(
        subject_,
        runs,
        [this](std::uint64_t address) { return function_at(work_.path() + "/network", address); },
        result);
    return result;
  }

 private:
  [[nodiscard]] core::Result<void> find_tools() const {
    if (!is_host_ && !has_program(std::string{kClusterEmulator})) {
      return core::fail(machine_error(
          fmt::format("'{}' is not in PATH", kClusterEmulator),
          "apt-get install --no-install-recommends qemu-system-misc, or try --on host, which needs "
          "no emulator"));
    }
    return compiler_.find_tools();
  }

  [[nodiscard]] core::Result<void> write(const std::string& name,
                                         const std::string& content) const {
    const fs::path path = fs::path{work_.path()} / name;
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    if (!core::write_file(path.string(), content)) {
      return core::fail(machine_error(fmt::format("'{}' cannot be written", path.string()),
                                      "is there room in TMPDIR?"));
    }
    return {};
  }

  [[nodiscard]] std::uint64_t size_of(std::string_view memory) const {
    const board::PartMemory* found =
        core::find_in(subject_.part.memories, memory, &board::PartMemory::name);
    return found == nullptr ? 0 : found->hardware.count();
  }

  // The program, then what is told of the board: pmsis/board.h.
  core::Result<void> write_files() {
    std::vector<std::string> binaries;
    for (const emit::Artifact& file : subject_.files) {
      MEMSIZE_TRY(write(file.path, file.content));
      if (file.path.ends_with(".c")) {
        sources_.push_back(file.path);
      } else if (file.path.ends_with(".bin")) {
        binaries.push_back(file.path);
      }
    }
    const network::TileBudget& budget = subject_.program.budget;
    std::string board = fmt::format(
        "#include \"board.h\"\n"
        "const struct pmsis_board pmsis_board = {{\"cluster\", {}, {}, {}, {}, {}, {}}};\n",
        subject_.program.workers,
        size_of("l1"),
        size_of("l2"),
        size_of("l3"),
        budget.dma_longest.count(),
        budget.dma_open);
    std::string rows;
    std::string files = "  .section .files, \"a\"\n";
    for (std::size_t i = 0; i < binaries.size(); ++i) {
      board += fmt::format("extern const uint8_t file_{0}[], file_{0}_end[];\n", i);
      rows += fmt::format(
          "  {{\"{0}\", file_{1}, file_{1}_end}},\n", fs::path{binaries[i]}.filename().string(), i);
      files += fmt::format(
          "  .global file_{0}, file_{0}_end\nfile_{0}:\n  .incbin \"{1}\"\nfile_{0}_end:\n",
          i,
          binaries[i]);
    }
    board += fmt::format(
        "const struct pmsis_file pmsis_files[] = {{\n{}  {{\"\", 0, 0}}}};\n"
        "const size_t pmsis_file_count = {};\n",
        rows,
        binaries.size());
    MEMSIZE_TRY(write("board.c", board));
    MEMSIZE_TRY(
        write("files.S", files + "  .byte 0\n  .section .note.GNU-stack, \"\", %progbits\n"));
    std::string script{kScript};
    std::uint64_t at = kFirstMemory;
    for (const char* const memory : {"l1", "l2", "l3"}) {
      script += fmt::format("__{} = {:#x};\n", memory, at);
      at += kMemoryStep * (1 + size_of(memory) / kMemoryStep);
    }
    ram_ = at - kRam;
    return write("network.ld", script);
  }

  // What a compiler or a linker says first; empty: the program is there.
  core::Result<std::string> build(const Words& runtime) const {
    Words sources = sources_;
    extend(sources, {"board.c", "files.S"});
    Words command = compiler_.words();
    extend(command, {"-DMEMSIZE_EMULATED", "-Dmain=program_main", "-Iinc", "-c"});
    extend(command, sources);
    auto said = compiler_.attempt(std::move(command), work_.path());
    if (!said || !said->empty()) {
      return said;
    }
    Words link = compiler_.words();
    extend(link, compiler_.link_words(is_host_ ? "" : "network.ld"));
    for (const std::string& source : sources) {
      link.push_back(fs::path{source}.stem().string() + ".o");
    }
    extend(link, runtime);
    extend(link, {"-o", "network"});
    return compiler_.attempt(std::move(link), work_.path());
  }

  [[nodiscard]] Words command_of(DmaTiming timing) const {
    const std::string program = work_.path() + "/network";
    const std::string word = fmt::format("timing={}", core::name_of(timing));
    if (is_host_) {
      return {program, word};
    }
    Words words{std::string{kClusterEmulator},
                "-machine",
                "virt",
                "-smp",
                "10",
                "-m",
                fmt::format("{}M", ram_ >> 20U),
                "-bios",
                "none",
                "-kernel",
                program};
    extend(words, report_words("arg=memsize,arg=" + word));
    return words;
  }

  [[nodiscard]] core::Result<NetworkRun> run_program(DmaTiming timing) const {
    ProcessEnd end = run_process(ProcessSpec{
        .arguments = command_of(timing), .folder = work_.path(), .timeout = options_.timeout});
    NetworkRun run{timing, std::move(end.output), {}};
    auto broken = broken_end(end, command_of(timing).front(), options_.timeout);
    MEMSIZE_TRY(broken);
    run.broken = std::move(*broken);
    if (run.output.empty() && run.broken.empty()) {
      return core::fail(machine_error(fmt::format(
          "{} says: {}", command_of(timing).front(), core::printable(end.errors, 200))));
    }
    return run;
  }

  const NetworkSubject& subject_;
  const RunOptions& options_;
  bool is_host_;
  Compiler compiler_;
  WorkFolder work_;
  Words sources_;
  std::uint64_t ram_ = 0;
};

}  // namespace

core::Result<NetworkResult> run_network(const NetworkSubject& subject, const RunOptions& options) {
  const InterruptGuard guard;
  return NetworkRunner{subject, options}.run();
}

}  // namespace memsize::runtime
