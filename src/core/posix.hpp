// What the files that call the operating system share.
#pragma once

#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace memsize::core {

inline std::string reason(int number) {
  return std::generic_category().message(number);
}

// The mode that a program gives to a file without saying so. umask() tells by setting, which
// another thread would see.
[[nodiscard]] unsigned usual_mode();

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ~Descriptor() {
    if (number_ > STDERR_FILENO) {
      ::close(number_);
    }
  }

  [[nodiscard]] int get() const { return number_; }

  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

inline bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// An interrupt in the middle would leave temporary files: it waits for the few milliseconds.
// Several may be there at once; the last one lets them through.
class HoldSignals {
 public:
  HoldSignals() {
    if (depth++ > 0) {
      return;
    }
    sigset_t held;
    sigemptyset(&held);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      sigaddset(&held, number);
    }
    pthread_sigmask(SIG_BLOCK, &held, &before);
  }

  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

  ~HoldSignals() {
    if (--depth == 0) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
  }

 private:
  inline static thread_local int depth = 0;
  inline static thread_local sigset_t before{};
};

}  // namespace memsize::core
