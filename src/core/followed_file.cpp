// Waits for more bytes: a file is looked at ten times a second, anything else polled. What shrank
// or was replaced begins anew. Signals come in only while it waits, so that none is missed.
#include "memsize/core/followed_file.hpp"

#include "memsize/core/text.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace memsize::core {

namespace {

using Milliseconds = std::chrono::milliseconds;

// How often a file is looked at; there is no news of it that one could wait for.
constexpr Milliseconds kBetweenLooks{100};

volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interrupt(int) {
  interrupted = 1;
}

tl::unexpected<Diagnostics> cannot_follow(const std::string& path, int why) {
  return fail(error(Code::kFileRead,
                    fmt::format("cannot read '{}': {}", printable(path), std::strerror(why)),
                    {path})
                  .about({{"file", path}}));
}

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

timespec as_timespec(Milliseconds time) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  constexpr std::int64_t kPerSecond = 1000;
  timespec spec{};
  spec.tv_sec = static_cast<time_t>(time.count() / kPerSecond);
  spec.tv_nsec = static_cast<long>(time.count() % kPerSecond * kMillisecond);
  return spec;
}

enum class Waited { kNews, kTime, kSignal };

// Waits with the signals let in, and only then, so that none is missed between a look and a wait.
// A negative descriptor has no news.
Waited wait_with_signals(int file, Milliseconds patience) {
  sigset_t open_mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &open_mask);
  sigdelset(&open_mask, SIGINT);
  sigdelset(&open_mask, SIGTERM);
  pollfd watched{file, POLLIN, 0};
  const timespec time = as_timespec(patience);
  const int found = ::ppoll(&watched, file < 0 ? 0 : 1, &time, &open_mask);
  if (interrupted != 0) {
    return Waited::kSignal;
  }
  return found == 0 ? Waited::kTime : Waited::kNews;
}

}  // namespace

class InterruptWatch::Handlers {
 public:
  Handlers() {
    interrupted = 0;

    struct sigaction action {};

    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
    const sigset_t ending = ending_signals();
    pthread_sigmask(SIG_BLOCK, &ending, &old_mask_);
  }

  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

  ~Handlers() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
    pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }

 private:
  struct sigaction old_int_ {};

  struct sigaction old_term_ {};

  sigset_t old_mask_{};
};

InterruptWatch::InterruptWatch() : handlers_(std::make_unique<Handlers>()) {}

InterruptWatch::~InterruptWatch() = default;

FollowedFile::FollowedFile(std::string path, int file, bool grows)
    : path_(std::move(path)), file_(file), grows_(grows) {}

FollowedFile::~FollowedFile() {
  if (file_ != STDIN_FILENO) {
    ::close(file_);
  }
}

Result<std::unique_ptr<FollowedFile>> FollowedFile::open(const std::string& path) {
  // Without waiting: a pipe that nobody writes to yet would hold everything up.
  const bool standard = path == "-";
  const int file =
      standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

  struct stat status {};

  if (file < 0 || ::fstat(file, &status) != 0) {
    return cannot_follow(path, errno);
  }
  std::unique_ptr<FollowedFile> followed{
      new FollowedFile(path, file, !standard && S_ISREG(status.st_mode))};
  if (S_ISDIR(status.st_mode)) {
    return fail(
        error(Code::kFileRead,
              fmt::format("cannot read '{}': it is a directory, not a file", printable(path)),
              {path})
            .about({{"file", path}}));
  }
  return followed;
}

Result<FollowedFile::News> FollowedFile::wait(std::span<char> buffer, Milliseconds patience) {
  return grows_ ? wait_for_growth(buffer, patience) : wait_for_bytes(buffer, patience);
}

bool FollowedFile::restart_if_replaced() {
  struct stat own {};

  struct stat named {};

  const off_t at = ::lseek(file_, 0, SEEK_CUR);
  if (::fstat(file_, &own) == 0 && own.st_size < at) {
    return ::lseek(file_, 0, SEEK_SET) == 0;
  }
  const bool replaced = ::stat(path_.c_str(), &named) == 0 && S_ISREG(named.st_mode) &&
                        (named.st_ino != own.st_ino || named.st_dev != own.st_dev);
  const int other = replaced ? ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
  if (other < 0) {
    return false;
  }
  ::close(std::exchange(file_, other));
  return true;
}

Result<FollowedFile::News> FollowedFile::wait_for_growth(std::span<char> buffer,
                                                         Milliseconds patience) {
  for (Milliseconds waited{0};; waited += kBetweenLooks) {
    // A file that grows fast must not hide a signal.
    if (wait_with_signals(-1, Milliseconds{0}) == Waited::kSignal) {
      return News{Event::kInterrupted, 0};
    }
    const ssize_t size = ::read(file_, buffer.data(), buffer.size());
    if (size < 0) {
      return cannot_follow(path_, errno);
    }
    if (size > 0) {
      return News{Event::kBytes, static_cast<std::size_t>(size)};
    }
    if (restart_if_replaced()) {
      return News{Event::kRestarted, 0};
    }
    if (waited >= patience) {
      return News{Event::kSilence, 0};
    }
    if (wait_with_signals(-1, kBetweenLooks) == Waited::kSignal) {
      return News{Event::kInterrupted, 0};
    }
  }
}

Result<FollowedFile::News> FollowedFile::wait_for_bytes(std::span<char> buffer,
                                                        Milliseconds patience) {
  while (true) {
    const Waited waited = wait_with_signals(file_, patience);
    if (waited != Waited::kNews) {
      return News{waited == Waited::kTime ? Event::kSilence : Event::kInterrupted, 0};
    }
    const ssize_t size = ::read(file_, buffer.data(), buffer.size());
    if (size > 0) {
      return News{Event::kBytes, static_cast<std::size_t>(size)};
    }
    // A terminal whose other end was closed says EIO.
    if (size == 0 || errno == EIO) {
      return News{Event::kEnd, 0};
    }
    if (errno != EAGAIN && errno != EINTR) {
      return cannot_follow(path_, errno);
    }
  }
}

}  // namespace memsize::core
