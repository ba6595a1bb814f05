// Opens files as the real disk does; for a named pipe a second thread says after a second that the
// opening still waits.
#include "patient_files.hpp"

#include "memsize/core/text.hpp"

#include <chrono>
#include <cstdio>
#include <future>

#include <fmt/format.h>
#include <sys/stat.h>

namespace memsize::cli {

namespace {

bool is_pipe(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

void tell_unless(const std::future<void>& opened, const std::string& path) {
  constexpr std::chrono::seconds kPatience{1};
  if (opened.wait_for(kPatience) == std::future_status::ready) {
    return;
  }
  const std::string text =
      fmt::format("memsize: waiting for '{}': it is a named pipe, and nobody writes to it\n",
                  core::printable(path));
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

core::Result<std::unique_ptr<core::ByteStream>> PatientFiles::open(const std::string& path) {
  if (path == "-" || !is_pipe(path)) {
    return RealFileSystem::open(path);
  }
  std::promise<void> opened;
  const std::future<void> told = std::async(
      std::launch::async, [is_open = opened.get_future(), &path] { tell_unless(is_open, path); });
  auto stream = RealFileSystem::open(path);
  opened.set_value();
  return stream;
}

}  // namespace memsize::cli
