// Images of the runtime for cores that QEMU emulates: compiled and linked on this machine.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/runtime/run.hpp"

#include "process.hpp"
#include "toolchain.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memsize::runtime {

/// A part of an image that is loaded.
struct Segment {
  std::uint64_t virtual_base = 0;
  std::string bytes;
  /// Bytes in memory: what is beyond `bytes` the image clears itself.
  std::uint64_t size = 0;
};

struct Image {
  std::uint64_t entry = 0;
  std::vector<Segment> segments;
};

/// The loaded parts of an ELF file, of 32 or 64 bits, little endian. Errors: what is no such file.
[[nodiscard]] core::Result<Image> parse_elf(const std::string& bytes);

/// The function of an ELF file that has the address; empty: none has. Of Thumb code, bit 0 of a
/// function's address is set.
[[nodiscard]] std::string function_at(const std::string& path,
                                      std::uint64_t address,
                                      bool is_thumb = false);

/// How a program ended that came to no end of its own: "did not end within 30000 ms"; empty: it
/// did. Errors: it was not started, or this process was asked to end.
[[nodiscard]] core::Result<std::string> broken_end(const ProcessEnd& end,
                                                   const std::string& program,
                                                   std::chrono::milliseconds timeout);

/// A folder of this process' own for compilers to work in. It is removed with everything in it.
class WorkFolder {
 public:
  WorkFolder() = default;
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder();

  /// In TMPDIR, or /tmp.
  [[nodiscard]] core::Result<void> make();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Builds images: what all cores of one kind have in common is compiled once.
class ImageBuilder {
 public:
  explicit ImageBuilder(const RunOptions& options) : options_(options) {}

  /// Whether what cores with that unit need is in PATH.
  [[nodiscard]] core::Result<void> find_tools(Unit unit);

  /// `data` is the C file that tells the image about its core, `script` the linker script.
  [[nodiscard]] core::Result<Image> build(const SubjectCore& core,
                                          const std::string& data,
                                          const std::string& script);

 private:
  [[nodiscard]] const Compiler& compiler_of(Unit unit);

  const RunOptions& options_;
  WorkFolder work_;
  std::map<Unit, Compiler> compilers_;
  /// Object files by unit.
  std::map<Unit, Words> common_;
};

}  // namespace memsize::runtime
