// Finds the tools, compiles the runtime once for each kind of core, and links it with a core's map
// table. Compilers that say anything have failed: memsize's own sources compile without a word.
#include "image.hpp"

#include "memsize/core/text.hpp"
#include "memsize/readers/image_reader.hpp"

#include "machine.hpp"
#include "object_cache.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

namespace fs = std::filesystem;

// --timeout is about what runs, and a busy machine compiles slowly.
constexpr std::chrono::milliseconds kLeastForTools{20000};

using Words = std::vector<std::string>;

// What a core of that kind is compiled for. No libc and no floating point: target/hal.h.
struct Isa {
  /// The folder with its start code.
  std::string folder;
  std::string triple;
  std::string gcc;
  Words flags;
  Words sources;
};

const Isa& isa_of(Unit unit) {
  static const Isa a64{"a64",
                       "aarch64-none-elf",
                       "aarch64-linux-gnu-gcc",
                       {"-mgeneral-regs-only", "-mstrict-align"},
                       {"start.S", "hal.c"}};
  static const Isa r5f{"r5f",
                       "arm-none-eabi",
                       "arm-none-eabi-gcc",
                       {"-mcpu=cortex-r5", "-marm", "-mfloat-abi=soft", "-mno-unaligned-access"},
                       {"start.S", "hal.c", "mpu.c"}};
  return unit == Unit::kMmu ? a64 : r5f;
}

// In every image.
const Words& common_sources() {
  static const Words sources = {"arena.c",
                                "heap.c",
                                "map_table.c",
                                "memory.c",
                                "probe.c",
                                "replay.c",
                                "report.c",
                                "runtime.c",
                                "semihosting.c"};
  return sources;
}

Words compiler(const RunOptions& options, const Isa& isa) {
  Words words = options.toolchain == Toolchain::kClang ? Words{"clang", "--target=" + isa.triple}
                                                       : Words{isa.gcc};
  for (const char* flag : {"-std=c11",
                           "-O2",
                           "-ffreestanding",
                           "-fno-pic",
                           "-fno-stack-protector",
                           "-fno-unwind-tables",
                           "-fno-asynchronous-unwind-tables",
                           "-Wall",
                           "-Wextra"}) {
    words.emplace_back(flag);
  }
  words.insert(words.end(), isa.flags.begin(), isa.flags.end());
  words.push_back("-I" + options.sources);
  words.push_back("-I" + options.sources + "/" + isa.folder);
  return words;
}

// All that the objects of the runtime follow from: the compiler, its words, and the sources with
// what they include.
std::string made_of(const RunOptions& options, const Isa& isa, const Words& command) {
  std::string text = identity_of(command.front());
  for (const std::string& word : command) {
    text += word.starts_with("-I") ? std::string{} : "\n" + word;
  }
  std::vector<std::string> files;
  for (const std::string& folder : {options.sources, options.sources + "/" + isa.folder}) {
    std::error_code failure;
    for (fs::directory_iterator at{folder, failure}, end; !failure && at != end;
         at.increment(failure)) {
      if (at->is_regular_file(failure)) {
        files.push_back(at->path().string());
      }
    }
  }
  std::ranges::sort(files);
  for (const std::string& file : files) {
    const std::string content = content_of(file);
    text += fmt::format("\n{} {}\n{}", fs::path{file}.filename().string(), content.size(), content);
  }
  return text;
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

core::Result<Image> parse_elf(const std::string& bytes) {
  const auto elf = readers::read_elf(bytes, {});
  if (!elf) {
    return core::fail(
        machine_error(fmt::format("the linker wrote no image: {}", elf.error().front().message)));
  }
  Image image{.entry = elf->entry};
  for (const model::ImageSegment& part : elf->segments) {
    image.segments.push_back({part.address, bytes.substr(part.offset, part.stored), part.size});
  }
  return image;
}

WorkFolder::~WorkFolder() {
  if (!path_.empty()) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
}

core::Result<void> WorkFolder::make() {
  const char* folder = std::getenv("TMPDIR");
  std::string pattern = folder == nullptr || *folder == '\0' ? "/tmp" : folder;
  // Compilers work in it, so that its path must hold there, too.
  std::error_code failure;
  pattern = fs::absolute(pattern, failure).string() + "/memsize-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    return core::fail(
        machine_error(fmt::format("no folder can be made in '{}': {}",
                                  core::printable(fs::path{pattern}.parent_path().string()),
                                  std::strerror(errno)),
                      "name another one in TMPDIR"));
  }
  path_ = pattern;
  return {};
}

core::Result<void> ImageBuilder::find_tools(Unit unit) const {
  const Isa& isa = isa_of(unit);
  const bool clang = options_.toolchain == Toolchain::kClang;
  const Words needed = clang ? Words{"clang", "ld.lld"} : Words{isa.gcc};
  for (const std::string& tool : needed) {
    if (!has_program(tool)) {
      return core::fail(machine_error(
          fmt::format("'{}' is not in PATH: images for an emulated board are compiled here", tool),
          clang ? "apt-get install clang lld, or try --on host, which needs neither"
                : "apt-get install gcc-aarch64-linux-gnu gcc-arm-none-eabi, or try --toolchain "
                  "clang"));
    }
  }
  return {};
}

core::Result<void> ImageBuilder::call(Words command,
                                      const std::string& folder,
                                      const std::string& what) const {
  ProcessSpec spec;
  const std::string tool = command.front();
  spec.arguments = std::move(command);
  spec.folder = folder;
  spec.temporary = folder;
  spec.timeout = std::max(options_.timeout, kLeastForTools);
  const ProcessEnd end = run_process(spec);
  if (end.how == ProcessEnd::How::kExited && end.status == 0 && end.errors.empty()) {
    return {};
  }
  if (end.how == ProcessEnd::How::kInterrupted) {
    return core::fail(machine_error("interrupted"));
  }
  return core::fail(
      machine_error(fmt::format("{}: {} {}", what, tool, what_went_wrong(end)),
                    "is there room in TMPDIR? memsize's own sources compile without a word"));
}

core::Result<void> ImageBuilder::compile_common(Unit unit) {
  if (work_.path().empty()) {
    MEMSIZE_TRY(work_.make());
  }
  const Isa& isa = isa_of(unit);
  const std::string folder = work_.path() + "/" + isa.folder;
  std::error_code failure;
  fs::create_directory(folder, failure);
  Words command = compiler(options_, isa);
  const ObjectCache cache{made_of(options_, isa, command)};
  command.emplace_back("-c");
  Words objects;
  const auto add = [&](const std::string& source, const std::string& path) {
    command.push_back(path + "/" + source);
    objects.push_back(folder + "/" + fs::path{source}.stem().string() + ".o");
  };
  for (const std::string& source : isa.sources) {
    add(source, options_.sources + "/" + isa.folder);
  }
  for (const std::string& source : common_sources()) {
    add(source, options_.sources);
  }
  if (!cache.take(objects)) {
    MEMSIZE_TRY(call(std::move(command), folder, "the runtime does not compile"));
    cache.keep(objects);
  }
  common_[unit] = std::move(objects);
  return {};
}

core::Result<Image> ImageBuilder::build(const SubjectCore& core,
                                        const std::string& data,
                                        const std::string& script) {
  if (!common_.contains(core.unit)) {
    MEMSIZE_TRY(compile_common(core.unit));
  }
  const Isa& isa = isa_of(core.unit);
  const std::string folder = work_.path() + "/" + isa.folder;
  const std::string base = fmt::format("{}/core{}", folder, core.number);
  if (!write_file(base + ".c", data) || !write_file(base + ".ld", script)) {
    return core::fail(
        machine_error(fmt::format("'{}' cannot be written", folder), "is there room in TMPDIR?"));
  }
  Words command = compiler(options_, isa);
  for (const char* flag : {"-nostdlib", "-static", "-Wl,-z,noexecstack", "-Wl,-e,_start"}) {
    command.emplace_back(flag);
  }
  // A compiler for Linux makes position-independent programs with an identity unless told
  // otherwise; GNU ld warns of code beside data, which is what these cores have (binutils 2.39).
  const Words own = options_.toolchain == Toolchain::kClang
                        ? Words{"-fuse-ld=lld"}
                        : Words{"-no-pie", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments"};
  command.insert(command.end(), own.begin(), own.end());
  command.insert(command.end(), {"-T", base + ".ld", base + ".c"});
  command.insert(command.end(), common_[core.unit].begin(), common_[core.unit].end());
  command.insert(command.end(), {"-o", base + ".elf"});
  if (auto done = call(std::move(command), folder, fmt::format("the image of {}", core.name));
      !done) {
    return tl::make_unexpected(done.error());
  }
  return parse_elf(content_of(base + ".elf"));
}

}  // namespace memsize::runtime
