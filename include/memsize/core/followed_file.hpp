// A text that is read while it still grows: a file, a pipe, a serial line.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace memsize::core {

/// While it lives, SIGINT and SIGTERM do not end the program but FollowedFile::wait(). A second one
/// ends the program. One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  class Handlers;
  std::unique_ptr<Handlers> handlers_;
};

class FollowedFile {
 public:
  /// kBytes: some came. kSilence: none for as long as was asked. kRestarted: the file was cut or
  /// another one took its place, and what comes now is its beginning. kEnd: a pipe or a device that
  /// has nobody at its other end; a regular file never ends, except on standard input.
  /// kInterrupted: an InterruptWatch saw a signal.
  enum class Event { kBytes, kSilence, kRestarted, kEnd, kInterrupted };

  struct News {
    Event event = Event::kEnd;
    /// kBytes: how many.
    std::size_t size = 0;
  };

  /// "-" is standard input. Errors are those of FileSystem::read().
  [[nodiscard]] static Result<std::unique_ptr<FollowedFile>> open(const std::string& path);

  FollowedFile(const FollowedFile&) = delete;
  FollowedFile& operator=(const FollowedFile&) = delete;
  ~FollowedFile();

  /// Waits until there is any news, at most `patience`.
  [[nodiscard]] Result<News> wait(std::span<char> buffer, std::chrono::milliseconds patience);

 private:
  FollowedFile(std::string path, int file, bool grows);

  [[nodiscard]] Result<News> wait_for_growth(std::span<char> buffer,
                                             std::chrono::milliseconds patience);
  [[nodiscard]] Result<News> wait_for_bytes(std::span<char> buffer,
                                            std::chrono::milliseconds patience);
  /// Whether what is read next is the beginning of a file.
  [[nodiscard]] bool restart_if_replaced();

  std::string path_;
  int file_;
  /// A regular file, whose end says nothing.
  bool grows_;
};

}  // namespace memsize::core
