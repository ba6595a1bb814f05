// Links the runtime, compiled once for each kind of core, with a core's map table.
#include "image.hpp"

#include "memsize/core/text.hpp"
#include "memsize/core/user_cache.hpp"
#include "memsize/readers/image_reader.hpp"

#include "machine.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

namespace fs = std::filesystem;

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

std::string function_at(const std::string& path, std::uint64_t address, bool is_thumb) {
  const auto image = readers::read_elf(core::content_of(path), {});
  if (image) {
    for (const model::ImageSymbol& symbol : image->symbols) {
      const std::uint64_t base = is_thumb ? symbol.address & ~std::uint64_t{1} : symbol.address;
      if (symbol.size && address >= base && address - base < symbol.size->count()) {
        return std::string{symbol.name};
      }
    }
  }
  return {};
}

core::Result<std::string> broken_end(const ProcessEnd& end,
                                     const std::string& program,
                                     std::chrono::milliseconds timeout) {
  switch (end.how) {
    case ProcessEnd::How::kInterrupted:
      return core::fail(machine_error("interrupted"));
    case ProcessEnd::How::kNotStarted:
      return core::fail(
          machine_error(fmt::format("{} could not be started: {}", program, end.reason)));
    case ProcessEnd::How::kTimedOut:
      return fmt::format("did not end within {} ms", timeout.count());
    case ProcessEnd::How::kTooMuch:
      return std::string{"printed without end"};
    case ProcessEnd::How::kKilled:
      return fmt::format("was killed by signal {}", end.status);
    case ProcessEnd::How::kExited:
      break;
  }
  return std::string{};
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

const Compiler& ImageBuilder::compiler_of(Unit unit) {
  return compilers_.try_emplace(unit, options_, isa_of(unit)).first->second;
}

core::Result<void> ImageBuilder::find_tools(Unit unit) {
  return compiler_of(unit).find_tools();
}

core::Result<Image> ImageBuilder::build(const SubjectCore& core,
                                        const std::string& data,
                                        const std::string& script) {
  if (work_.path().empty()) {
    MEMSIZE_TRY(work_.make());
  }
  const Compiler& compiler = compiler_of(core.unit);
  const std::string folder = work_.path() + (core.unit == Unit::kMmu ? "/a64" : "/r5f");
  if (!common_.contains(core.unit)) {
    std::error_code failure;
    fs::create_directory(folder, failure);
    auto objects = compiler.compile_runtime(folder);
    MEMSIZE_TRY(objects);
    common_[core.unit] = std::move(*objects);
  }
  const std::string base = fmt::format("{}/core{}", folder, core.number);
  if (!core::write_file(base + ".c", data) || !core::write_file(base + ".ld", script)) {
    return core::fail(
        machine_error(fmt::format("'{}' cannot be written", folder), "is there room in TMPDIR?"));
  }
  Words command = compiler.words();
  const Words& common = common_[core.unit];
  for (const Words& more : {compiler.link_words(base + ".ld"), Words{base + ".c"}, common}) {
    command.insert(command.end(), more.begin(), more.end());
  }
  command.insert(command.end(), {"-o", base + ".elf"});
  MEMSIZE_TRY(compiler.call(std::move(command), folder, fmt::format("the image of {}", core.name)));
  return parse_elf(core::content_of(base + ".elf"));
}

}  // namespace memsize::runtime
