// Forks, reads both outputs and waits, until the end, the time limit, too much output or a signal;
// then the whole process group is killed. A pipe tells of a program that could not be started.
#include "process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace memsize::runtime {

namespace {

using Clock = std::chrono::steady_clock;

// A report of the largest map has some hundred KiB; a compiler's complaints have less.
constexpr std::size_t kLargestOutput = 64U << 20U;

volatile std::sig_atomic_t interrupted_flag = 0;

constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kEnding.size()> old_actions;

extern "C" void on_ending_signal(int) {
  interrupted_flag = 1;
}

class Descriptor {
 public:
  Descriptor() = default;

  explicit Descriptor(int file) : file_(file) {}

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ~Descriptor() { close(); }

  void close() {
    if (file_ >= 0) {
      ::close(file_);
    }
    file_ = -1;
  }

  [[nodiscard]] int get() const { return file_; }

  [[nodiscard]] bool is_open() const { return file_ >= 0; }

  void set(int file) { file_ = file; }

 private:
  int file_ = -1;
};

struct Pipe {
  Descriptor reading;
  Descriptor writing;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return false;
    }
    reading.set(ends[0]);
    writing.set(ends[1]);
    return true;
  }
};

// In the child: nothing but calls that are safe between fork and exec.
[[noreturn]] void become(const ProcessSpec& spec,
                         const std::vector<char*>& arguments,
                         const Pipe& output,
                         const Pipe& errors,
                         const Pipe& failure,
                         pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool good = ::getppid() == parent && ::dup2(nothing, STDIN_FILENO) >= 0 &&
              ::dup2(output.writing.get(), STDOUT_FILENO) >= 0 &&
              ::dup2(errors.writing.get(), STDERR_FILENO) >= 0 &&
              (spec.folder.empty() || ::chdir(spec.folder.c_str()) == 0);
  for (const int file : spec.descriptors) {
    good = good && ::fcntl(file, F_SETFD, 0) == 0;
  }
  // This process has one thread, so that nobody holds a lock of the allocator's.
  good = good && (spec.temporary.empty() || ::setenv("TMPDIR", spec.temporary.c_str(), 1) == 0);
  if (good) {
    ::execvp(arguments.front(), arguments.data());
  }
  const int reason = errno;
  if (::write(failure.writing.get(), &reason, sizeof reason) < 0) {
    ::_exit(127);
  }
  ::_exit(127);
}

// Reads what is there; false at the end of the file.
bool take(int file, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::read(file, buffer.data(), buffer.size());
  if (got < 0) {
    return errno == EINTR || errno == EAGAIN;
  }
  text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(std::min<long long>(left, 1000));
}

}  // namespace

ProcessEnd run_process(const ProcessSpec& spec) {
  ProcessEnd end;
  Pipe output;
  Pipe errors;
  Pipe failure;
  if (!output.open() || !errors.open() || !failure.open()) {
    end.reason = std::strerror(errno);
    return end;
  }
  std::vector<std::string> words = spec.arguments;
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    end.reason = std::strerror(errno);
    return end;
  }
  if (child == 0) {
    become(spec, arguments, output, errors, failure, self);
  }
  ::setpgid(child, child);
  output.writing.close();
  errors.writing.close();
  failure.writing.close();

  const auto deadline = Clock::now() + spec.timeout;
  std::optional<ProcessEnd::How> stopped;
  while ((output.reading.is_open() || errors.reading.is_open()) && !stopped) {
    std::array<pollfd, 2> files{
        {{output.reading.get(), POLLIN, 0}, {errors.reading.get(), POLLIN, 0}}};
    ::poll(files.data(), files.size(), milliseconds_until(deadline));
    if (files[0].revents != 0 && !take(output.reading.get(), end.output)) {
      output.reading.close();
    }
    if (files[1].revents != 0 && !take(errors.reading.get(), end.errors)) {
      errors.reading.close();
    }
    if (InterruptGuard::interrupted()) {
      stopped = ProcessEnd::How::kInterrupted;
    } else if (end.output.size() + end.errors.size() > kLargestOutput) {
      stopped = ProcessEnd::How::kTooMuch;
    } else if (Clock::now() >= deadline) {
      stopped = ProcessEnd::How::kTimedOut;
    }
  }
  // One that closed its output may still run.
  int status = 0;
  while (!stopped && ::waitpid(child, &status, WNOHANG) == 0) {
    if (InterruptGuard::interrupted() || Clock::now() >= deadline) {
      stopped = InterruptGuard::interrupted() ? ProcessEnd::How::kInterrupted
                                              : ProcessEnd::How::kTimedOut;
    } else {
      ::poll(nullptr, 0, 1);
    }
  }
  ::kill(-child, SIGKILL);
  if (stopped) {
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    end.how = *stopped;
    return end;
  }
  int reason = 0;
  if (::read(failure.reading.get(), &reason, sizeof reason) == sizeof reason) {
    end.how = ProcessEnd::How::kNotStarted;
    end.reason = std::strerror(reason);
    return end;
  }
  end.how = WIFEXITED(status) ? ProcessEnd::How::kExited : ProcessEnd::How::kKilled;
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  return end;
}

InterruptGuard::InterruptGuard() {
  interrupted_flag = 0;

  struct sigaction action {};

  action.sa_handler = on_ending_signal;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    sigaction(kEnding.at(i), &action, &old_actions.at(i));
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    sigaction(kEnding.at(i), &old_actions.at(i), nullptr);
  }
}

bool InterruptGuard::interrupted() {
  return interrupted_flag != 0;
}

std::string path_of_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return ::access(name.c_str(), X_OK) == 0 ? name : std::string{};
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string folder{rest.substr(0, end)};
    std::string found = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(found.c_str(), X_OK) == 0) {
      return found;
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return {};
}

std::string identity_of(const std::string& program) {
  std::error_code failure;
  const std::filesystem::path path = std::filesystem::canonical(path_of_program(program), failure);

  struct stat found {};

  if (failure || ::stat(path.c_str(), &found) != 0) {
    return {};
  }
  return fmt::format("{} {} {}.{} {}",
                     path.string(),
                     found.st_size,
                     found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec,
                     found.st_ino);
}

bool has_program(const std::string& name) {
  return !path_of_program(name).empty();
}

}  // namespace memsize::runtime
