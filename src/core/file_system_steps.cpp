// The single steps of the real disk.
#include "memsize/core/file_system.hpp"
#include "memsize/core/text.hpp"

#include "posix.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace memsize::core {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNanosecondsOfASecond = 1'000'000'000;
constexpr unsigned kPermissions = 07777;

tl::unexpected<Diagnostics> disk_refused(std::string_view verb,
                                         const std::string& path,
                                         int number) {
  return fail(
      error(Code::kFileWrite,
            fmt::format("cannot {} '{}': {}", verb, printable(path, PATH_MAX), reason(number)),
            {path}));
}

// The years 1678 to 2261; what a broken clock wrote may be any year.
std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t kLast =
      std::numeric_limits<std::int64_t>::max() / kNanosecondsOfASecond - 1;
  return std::clamp<std::int64_t>(time.tv_sec, -kLast, kLast) * kNanosecondsOfASecond +
         time.tv_nsec;
}

timespec time_of(const std::optional<std::int64_t>& mtime_ns) {
  if (!mtime_ns) {
    return {0, UTIME_NOW};
  }
  timespec time{*mtime_ns / kNanosecondsOfASecond, *mtime_ns % kNanosecondsOfASecond};
  if (time.tv_nsec < 0) {
    time.tv_nsec += kNanosecondsOfASecond;
    --time.tv_sec;
  }
  return time;
}

// A list of names that the system fills, or a value; empty where there is none.
template <typename Get>
std::string filled(Get get) {
  std::string text;
  // It may grow between the two calls.
  for (ssize_t size = get(nullptr, 0); size > 0; size = get(nullptr, 0)) {
    text.resize(static_cast<std::size_t>(size));
    if (const ssize_t got = get(text.data(), text.size()); got >= 0) {
      text.resize(static_cast<std::size_t>(got));
      return text;
    }
    if (errno != ERANGE) {
      break;
    }
  }
  return {};
}

Attributes attributes_of(int file) {
  Attributes found;
  const std::string names =
      filled([&](char* to, std::size_t size) { return ::flistxattr(file, to, size); });
  for (std::size_t at = 0; at < names.size(); at = names.find('\0', at) + 1) {
    const std::string name{names.c_str() + at};
    if (!name.starts_with("security.")) {
      found[name] = filled(
          [&](char* to, std::size_t size) { return ::fgetxattr(file, name.c_str(), to, size); });
    }
  }
  return found;
}

// What cannot be had is missing afterwards, which the caller sees.
void give_attributes(int file, const Attributes& wanted) {
  for (const auto& [name, value] : attributes_of(file)) {
    if (!wanted.contains(name)) {
      (void)::fremovexattr(file, name.c_str());
    }
  }
  for (const auto& [name, value] : wanted) {
    (void)::fsetxattr(file, name.c_str(), value.data(), value.size(), 0);
  }
}

// The owner first: giving a file away drops the bits that run it as its owner. An access list has
// the bits, too: they come behind it.
bool give_metadata(int file, const Metadata& metadata) {
  if (metadata.owner && ::fchown(file, metadata.owner->user, metadata.owner->group) != 0 &&
      errno != EPERM) {
    return false;
  }
  if (metadata.attributes) {
    give_attributes(file, *metadata.attributes);
  }
  if (::fchmod(file, metadata.mode) != 0) {
    return false;
  }
  if (!metadata.mtime_ns) {
    return true;
  }
  const std::array<timespec, 2> times = {time_of(std::nullopt), time_of(metadata.mtime_ns)};
  return ::futimens(file, times.data()) == 0;
}

struct flock whole_file(short kind) {
  struct flock range {};

  range.l_type = kind;
  range.l_whence = SEEK_SET;
  return range;
}

// Whether the path still leads to the open file: who held it before may just have removed it.
bool is_at(int file, const std::string& path) {
  struct stat open {};

  struct stat named {};

  return ::fstat(file, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

std::string read_holder(int file) {
  constexpr std::size_t kMost = 400;
  std::string text(kMost, '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  const std::string_view words = trim(text);
  return words.empty() ? "a process that has not said which" : printable(words, kMost);
}

std::string describe_holder(std::string_view purpose) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) {
    host[0] = '?';
  }
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> time{};
  // NOLINTNEXTLINE(cert-err33-c): the buffer holds any year of four digits.
  std::strftime(time.data(), time.size(), "%Y-%m-%d %H:%M:%S UTC", &utc);
  return fmt::format(
      "process {} on {} since {}: {}\n", ::getpid(), host.data(), time.data(), purpose);
}

class HeldLock : public FileLock {
 public:
  HeldLock(int file, std::string path) : file_(file), path_(std::move(path)) {}

  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;

  // The name goes first: who opens the file afterwards makes a new one.
  ~HeldLock() override { ::unlink(path_.c_str()); }

 private:
  HoldSignals hold_;
  Descriptor file_;
  std::string path_;
};

}  // namespace

unsigned usual_mode() {
  constexpr unsigned kUsual = 022;
  constexpr int kOctal = 8;
  unsigned mask = kUsual;
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kName = "Umask:";
    if (line.starts_with(kName)) {
      mask = static_cast<unsigned>(std::strtoul(line.c_str() + kName.size(), nullptr, kOctal));
      break;
    }
  }
  return 0666 & ~mask;
}

Entry RealFileSystem::entry(const std::string& path) {
  struct stat status {};

  Entry entry;
  if (::lstat(path.c_str(), &status) != 0) {
    // What cannot be looked at may be there.
    entry.kind = errno == ENOENT || errno == ENOTDIR ? Entry::Kind::kNothing : Entry::Kind::kOther;
    return entry;
  }
  entry.kind = S_ISREG(status.st_mode)   ? Entry::Kind::kFile
               : S_ISDIR(status.st_mode) ? Entry::Kind::kFolder
               : S_ISLNK(status.st_mode) ? Entry::Kind::kLink
                                         : Entry::Kind::kOther;
  entry.mode = status.st_mode & kPermissions;
  entry.mtime_ns = nanoseconds(status.st_mtim);
  entry.owner = {status.st_uid, status.st_gid};
  entry.device = status.st_dev;
  entry.names = status.st_nlink;
  return entry;
}

Attributes RealFileSystem::attributes(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  return file.get() < 0 ? Attributes{} : attributes_of(file.get());
}

Result<std::vector<std::string>> RealFileSystem::list_entries(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry{folder, failure}, end; !failure && entry != end;
       entry.increment(failure)) {
    names.push_back(entry->path().filename().string());
  }
  if (failure) {
    return disk_refused("list", folder, failure.value());
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> RealFileSystem::real_path(const std::string& path) {
  std::array<char, PATH_MAX> resolved{};
  if (::realpath(path.c_str(), resolved.data()) == nullptr) {
    return disk_refused("resolve", path, errno);
  }
  return std::string{resolved.data()};
}

bool RealFileSystem::may_write(const std::string& path) {
  return ::access(path.c_str(), W_OK) == 0;
}

unsigned RealFileSystem::new_file_mode() {
  return usual_mode();
}

Result<void> RealFileSystem::create(const std::string& path,
                                    std::string_view content,
                                    const Metadata& metadata) {
  Descriptor file{::open(
      path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)};
  if (file.get() < 0) {
    return disk_refused("create", path, errno);
  }
  if (write_all(file.get(), content) && give_metadata(file.get(), metadata) &&
      ::fsync(file.get()) == 0 && ::close(file.release()) == 0) {
    return {};
  }
  const int why = errno;
  ::unlink(path.c_str());
  return disk_refused("write", path, why);
}

Result<void> RealFileSystem::set_metadata(const std::string& path, const Metadata& metadata) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  if (file.get() < 0 || !give_metadata(file.get(), metadata) || ::fsync(file.get()) != 0) {
    return disk_refused("restore mode and time of", path, errno);
  }
  return {};
}

Result<void> RealFileSystem::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return disk_refused("write", to, errno);
  }
  return {};
}

Result<void> RealFileSystem::remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    return disk_refused("remove", path, errno);
  }
  return {};
}

Result<void> RealFileSystem::make_folder(const std::string& path) {
  constexpr mode_t kAsTheUmaskSays = 0777;
  if (::mkdir(path.c_str(), kAsTheUmaskSays) != 0) {
    return disk_refused("make folder", path, errno);
  }
  return {};
}

Result<void> RealFileSystem::remove_folder(const std::string& path) {
  if (::rmdir(path.c_str()) != 0) {
    return disk_refused("remove folder", path, errno);
  }
  return {};
}

Result<void> RealFileSystem::sync_folder(const std::string& path) {
  const Descriptor folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  // Some file systems cannot sync a folder, and say so by one of these numbers.
  if (folder.get() < 0 ||
      (::fsync(folder.get()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS)) {
    return disk_refused("write folder", path, errno);
  }
  return {};
}

Result<LockAttempt> RealFileSystem::lock(const std::string& path, std::string_view purpose) {
  while (true) {
    Descriptor file{
        ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644)};
    if (file.get() < 0) {
      return disk_refused("create", path, errno);
    }
    struct flock range = whole_file(F_WRLCK);
    // A lock of the open file, not of the process: the system drops it when the process dies.
    if (::fcntl(file.get(), F_OFD_SETLK, &range) != 0) {
      if (errno == EAGAIN || errno == EACCES) {
        return LockAttempt{nullptr, read_holder(file.get())};
      }
      return disk_refused("lock", path, errno);
    }
    if (!is_at(file.get(), path)) {
      continue;
    }
    const int number = file.get();
    auto held = std::make_unique<HeldLock>(file.release(), path);
    if (::ftruncate(number, 0) != 0 || !write_all(number, describe_holder(purpose))) {
      return disk_refused("write", path, errno);
    }
    return LockAttempt{std::move(held), {}};
  }
}

std::string RealFileSystem::lock_holder(const std::string& path) {
  // A pipe in its place would wait for somebody to write.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  struct flock range = whole_file(F_WRLCK);
  // Asks only: taking it for a moment would turn others away.
  if (file.get() < 0 || ::fcntl(file.get(), F_OFD_GETLK, &range) != 0 || range.l_type == F_UNLCK) {
    return {};
  }
  return read_holder(file.get());
}

}  // namespace memsize::core
