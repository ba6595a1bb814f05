// The memory of an emulated board, and the machines that run images on it.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/runtime/run.hpp"

#include "plan.hpp"
#include "process.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::runtime {

/// A file that only this process and those that inherit it know; it is gone with the last of them.
class HiddenFile {
 public:
  HiddenFile() = default;
  HiddenFile(const HiddenFile&) = delete;
  HiddenFile& operator=(const HiddenFile&) = delete;

  HiddenFile(HiddenFile&& other) noexcept : file_(other.file_) { other.file_ = -1; }

  HiddenFile& operator=(HiddenFile&& other) noexcept;
  ~HiddenFile();

  /// Sparse: only what is written takes memory.
  [[nodiscard]] static core::Result<HiddenFile> make(std::uint64_t size);

  [[nodiscard]] int descriptor() const { return file_; }

  /// As another program opens it that inherits the descriptor.
  [[nodiscard]] std::string path() const;

  [[nodiscard]] bool write(std::uint64_t offset, std::string_view bytes) const;
  /// Zeros where nothing was written.
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t size) const;

 private:
  int file_ = -1;
};

/// Memory on the bus, in one file or in several.
class BoardMemory {
 public:
  struct Piece {
    core::PhysRange range;
    /// Of the file, by its row; and where in it the range begins.
    std::size_t file = 0;
    std::uint64_t offset = 0;
  };

  /// A file for each memory; or one for all, whose offsets are the addresses.
  [[nodiscard]] static core::Result<BoardMemory> make(const Subject& subject, bool one_file);

  [[nodiscard]] bool holds(const core::PhysRange& range) const;
  /// False: the bytes are not all memory.
  [[nodiscard]] bool write(std::uint64_t physical, std::string_view bytes);
  [[nodiscard]] std::uint64_t read_word(std::uint64_t physical) const;

  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }

  [[nodiscard]] const HiddenFile& file(std::size_t row) const { return files_.at(row); }

  /// Bytes of the one file.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  [[nodiscard]] const Piece* find(const core::PhysRange& range) const;

  std::vector<HiddenFile> files_;
  std::vector<Piece> pieces_;
  std::uint64_t size_ = 0;
};

/// Addresses on the bus where an image itself lies.
using ImageRanges = std::vector<core::PhysRange>;

class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  /// Before the first run: programs and images.
  [[nodiscard]] virtual core::Result<void> prepare() = 0;
  [[nodiscard]] virtual core::Result<ProcessEnd> run(const SubjectCore& core, unsigned phase) = 0;
  /// Where the core's image lies.
  [[nodiscard]] virtual ImageRanges image_of(const SubjectCore& core) const = 0;
  /// The machine's name for messages.
  [[nodiscard]] virtual std::string_view name() const = 0;
};

struct MachineInput {
  const Subject& subject;
  const Plan& plan;
  const std::vector<CoreTables>& tables;
  const std::map<std::string, std::string>& scripts;
  const RunOptions& options;
  BoardMemory& memory;
};

[[nodiscard]] std::unique_ptr<Machine> make_host_machine(const MachineInput& input);
[[nodiscard]] std::unique_ptr<Machine> make_qemu_machine(const MachineInput& input);

/// Of QEMU: nothing but a core, memory, and a report on standard output. `arguments` are those of
/// the program, "arg=A,arg=B".
[[nodiscard]] std::vector<std::string> report_words(const std::string& arguments);

/// What cannot be had on this machine.
[[nodiscard]] core::Diagnostic machine_error(std::string message, std::string hint = {});

}  // namespace memsize::runtime
