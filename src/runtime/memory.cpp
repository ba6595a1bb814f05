// Memory without a name in any file system (memfd), sparse, as one file for an emulator or one for
// each part for processes. It goes away with the last descriptor.
#include "memsize/core/find.hpp"

#include "machine.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace memsize::runtime {

namespace {

const core::Align kMegabyte = *core::Align::make(core::kMiB.count());

core::Diagnostic no_memory() {
  return machine_error(fmt::format("the emulated memory cannot be made: {}", std::strerror(errno)),
                       "it is sparse, and takes some megabytes: see ulimit -a and df -h");
}

}  // namespace

core::Diagnostic machine_error(std::string message, std::string hint) {
  return core::error(core::Code::kValidateMachine, std::move(message), {}, std::move(hint));
}

HiddenFile& HiddenFile::operator=(HiddenFile&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

HiddenFile::~HiddenFile() {
  if (file_ >= 0) {
    ::close(file_);
  }
}

core::Result<HiddenFile> HiddenFile::make(std::uint64_t size) {
  HiddenFile file;
  file.file_ = ::memfd_create("memsize", MFD_CLOEXEC);
  if (file.file_ < 0 || ::ftruncate(file.file_, static_cast<off_t>(size)) != 0) {
    return core::fail(no_memory());
  }
  return file;
}

std::string HiddenFile::path() const {
  return fmt::format("/proc/self/fd/{}", file_);
}

bool HiddenFile::write(std::uint64_t offset, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno != EINTR) {
      return false;
    }
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    }
  }
  return true;
}

std::string HiddenFile::read(std::uint64_t offset, std::uint64_t size) const {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got == 0 || (got < 0 && errno != EINTR)) {
      break;
    }
    done += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return bytes;
}

core::Result<BoardMemory> BoardMemory::make(const Subject& subject, bool one_file) {
  BoardMemory memory;
  for (const Memory& part : subject.memories) {
    const std::uint64_t base = part.range.base().value();
    memory.size_ = std::max(memory.size_, base + part.range.size().count());
    memory.pieces_.push_back(
        {part.range, one_file ? 0 : memory.files_.size(), one_file ? base : 0});
    if (!one_file) {
      auto file = HiddenFile::make(part.range.size().count());
      MEMSIZE_TRY(file);
      memory.files_.push_back(std::move(*file));
    }
  }
  if (one_file) {
    // Cores of 32 bits see all of their address space, and sizes of machines are whole MiB.
    constexpr std::uint64_t kSpace32 = 1ULL << 32U;
    memory.size_ = std::max(core::align_up(core::Bytes{memory.size_}, kMegabyte).count(), kSpace32);
    auto file = HiddenFile::make(memory.size_);
    MEMSIZE_TRY(file);
    memory.files_.push_back(std::move(*file));
  }
  return memory;
}

const BoardMemory::Piece* BoardMemory::find(const core::PhysRange& range) const {
  return core::find_where(pieces_, [&](const Piece& piece) { return piece.range.contains(range); });
}

bool BoardMemory::holds(const core::PhysRange& range) const {
  return find(range) != nullptr;
}

bool BoardMemory::write(std::uint64_t physical, std::string_view bytes) {
  const auto range = core::PhysRange::make(core::PhysAddr{physical}, core::Bytes{bytes.size()});
  const Piece* piece = range ? find(*range) : nullptr;
  return piece != nullptr &&
         files_[piece->file].write(piece->offset + (physical - piece->range.base().value()), bytes);
}

std::uint64_t BoardMemory::read_word(std::uint64_t physical) const {
  std::uint64_t word = 0;
  const auto range = core::PhysRange::make(core::PhysAddr{physical}, core::Bytes{sizeof word});
  if (const Piece* piece = range ? find(*range) : nullptr; piece != nullptr) {
    const std::string bytes = files_[piece->file].read(
        piece->offset + (physical - piece->range.base().value()), sizeof word);
    std::memcpy(&word, bytes.data(), sizeof word);
  }
  return word;
}

}  // namespace memsize::runtime
