// Takes the place of the C library's calls that change the disk, in the program that this is linked
// into: counts them, and ends the process or lets one fail.
//
//   MEMSIZE_DISK_FAULT="kill N"              SIGKILL before the Nth call
//   MEMSIZE_DISK_FAULT="tear N"              SIGKILL after it; a write stops half-way
//   MEMSIZE_DISK_FAULT="fail CALL ERRNO N"   the Nth call of that name fails with the number
//   MEMSIZE_DISK_FAULT="fail+ CALL ERRNO N"  and all behind it ("any" is every name)
//   MEMSIZE_DISK_FAULT="edit N FILE"         before the Nth call somebody else writes the file anew
//   MEMSIZE_DISK_LOG=FILE                    each call, a line: its name and paths or descriptor
//
// The calls themselves are made as system calls, so that this also works below a sanitizer.
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

enum class Fault { kNone, kKill, kTear, kFail, kFailOn, kEdit };

struct Plan {
  Fault fault = Fault::kNone;
  std::array<char, 32> call{};
  std::array<char, PATH_MAX> file{};
  int number = 0;
  long at = 0;
  int log = -1;
};

const Plan& plan() {
  static const Plan made = [] {
    Plan plan;
    if (const char* log = std::getenv("MEMSIZE_DISK_LOG")) {
      plan.log = static_cast<int>(
          syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    }
    const char* text = std::getenv("MEMSIZE_DISK_FAULT");
    std::array<char, 8> word{};
    if (text == nullptr || std::sscanf(text, "%7s", word.data()) != 1) {
      return plan;
    }
    if (std::sscanf(text, "edit %ld %4095s", &plan.at, plan.file.data()) == 2) {
      plan.fault = Fault::kEdit;
      return plan;
    }
    const bool fails = std::strncmp(word.data(), "fail", 4) == 0;
    const int read =
        fails ? std::sscanf(text, "%*s %31s %d %ld", plan.call.data(), &plan.number, &plan.at) - 2
              : std::sscanf(text, "%*s %ld", &plan.at);
    if (read != 1) {
      std::abort();
    }
    plan.fault = fails ? (word[4] == '+' ? Fault::kFailOn : Fault::kFail)
                       : (word[0] == 'k' ? Fault::kKill : Fault::kTear);
    return plan;
  }();
  return made;
}

void die() {
  syscall(SYS_kill, getpid(), SIGKILL);
  // Until the signal is delivered.
  while (true) {
    pause();
  }
}

void edit(const char* path) {
  constexpr std::string_view kBytes = "in between\n";
  const long file =
      syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || syscall(SYS_write, file, kBytes.data(), kBytes.size()) < 0) {
    std::abort();
  }
  syscall(SYS_close, file);
}

// One call that is about to be made.
class Call {
 public:
  explicit Call(const char* name, const char* first = "", const char* second = "", int file = -1) {
    const Plan& faults = plan();
    if (faults.log >= 0) {
      std::array<char, 2 * PATH_MAX> line{};
      const int length =
          std::snprintf(line.data(), line.size(), "%s\t%s\t%s\t%d\n", name, first, second, file);
      (void)syscall(SYS_write, faults.log, line.data(), static_cast<std::size_t>(length));
    }
    static long all = 0;
    static long matching = 0;
    ++all;
    if (faults.fault == Fault::kKill && all == faults.at) {
      die();
    }
    if (faults.fault == Fault::kEdit && all == faults.at) {
      edit(faults.file.data());
    }
    tears_ = faults.fault == Fault::kTear && all == faults.at;
    if (faults.fault == Fault::kFail || faults.fault == Fault::kFailOn) {
      const bool same =
          std::strcmp(faults.call.data(), name) == 0 || std::strcmp(faults.call.data(), "any") == 0;
      matching += same ? 1 : 0;
      fails_ =
          same && (faults.fault == Fault::kFail ? matching == faults.at : matching >= faults.at);
    }
  }

  [[nodiscard]] bool fails() const {
    if (fails_) {
      errno = plan().number;
    }
    return fails_;
  }

  [[nodiscard]] bool tears() const { return tears_; }

  template <typename... Arguments>
  long make(long number, Arguments... arguments) const {
    if (fails()) {
      return -1;
    }
    const long result = syscall(number, arguments...);
    if (tears_) {
      die();
    }
    return result;
  }

 private:
  bool fails_ = false;
  bool tears_ = false;
};

int open_file(int folder, const char* path, int flags, mode_t mode) {
  if ((flags & (O_CREAT | O_TRUNC)) == 0) {
    return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  }
  return static_cast<int>(Call{"open", path}.make(SYS_openat, folder, path, flags, mode));
}

mode_t mode_of(int flags, va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(list, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_file(folder, path, flags, mode);
}

int creat(const char* path, mode_t mode) {
  return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

ssize_t write(int file, const void* bytes, size_t count) {
  // What is printed is not on the disk.
  if (file <= STDERR_FILENO) {
    return syscall(SYS_write, file, bytes, count);
  }
  const Call call{"write", "", "", file};
  return call.make(SYS_write, file, bytes, call.tears() ? count / 2 : count);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  const Call call{"write", "", "", file};
  return call.make(SYS_pwrite64, file, bytes, call.tears() ? count / 2 : count, offset);
}

int ftruncate(int file, off_t length) noexcept {
  return static_cast<int>(Call{"truncate", "", "", file}.make(SYS_ftruncate, file, length));
}

int truncate(const char* path, off_t length) noexcept {
  return static_cast<int>(Call{"truncate", path}.make(SYS_truncate, path, length));
}

int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(
      Call{"rename", from, to}.make(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return static_cast<int>(
      Call{"rename", from, to}.make(SYS_renameat2, from_folder, from, to_folder, to, 0));
}

int unlink(const char* path) noexcept {
  return static_cast<int>(Call{"unlink", path}.make(SYS_unlinkat, AT_FDCWD, path, 0));
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return static_cast<int>(Call{"unlink", path}.make(SYS_unlinkat, folder, path, flags));
}

int remove(const char* path) noexcept {
  return unlink(path);
}

int rmdir(const char* path) noexcept {
  return static_cast<int>(Call{"rmdir", path}.make(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

int mkdir(const char* path, mode_t mode) noexcept {
  return static_cast<int>(Call{"mkdir", path}.make(SYS_mkdirat, AT_FDCWD, path, mode));
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return static_cast<int>(Call{"mkdir", path}.make(SYS_mkdirat, folder, path, mode));
}

int fsync(int file) {
  return static_cast<int>(Call{"fsync", "", "", file}.make(SYS_fsync, file));
}

int fdatasync(int file) {
  return static_cast<int>(Call{"fsync", "", "", file}.make(SYS_fdatasync, file));
}

int fchmod(int file, mode_t mode) noexcept {
  return static_cast<int>(Call{"chmod", "", "", file}.make(SYS_fchmod, file, mode));
}

int chmod(const char* path, mode_t mode) noexcept {
  return static_cast<int>(Call{"chmod", path}.make(SYS_fchmodat, AT_FDCWD, path, mode));
}

int fchown(int file, uid_t user, gid_t group) noexcept {
  return static_cast<int>(Call{"chown", "", "", file}.make(SYS_fchown, file, user, group));
}

int futimens(int file, const timespec* times) noexcept {
  return static_cast<int>(
      Call{"utimens", "", "", file}.make(SYS_utimensat, file, nullptr, times, 0));
}

int utimensat(int folder, const char* path, const timespec* times, int flags) noexcept {
  return static_cast<int>(Call{"utimens", path}.make(SYS_utimensat, folder, path, times, flags));
}

int link(const char* from, const char* to) noexcept {
  return static_cast<int>(Call{"link", from, to}.make(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int symlink(const char* target, const char* path) noexcept {
  return static_cast<int>(Call{"link", target, path}.make(SYS_symlinkat, target, AT_FDCWD, path));
}

}  // extern "C"
