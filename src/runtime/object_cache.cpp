// One file for each compiler, its words and the sources, with the hash of its content in front:
// what was cut short or changed is not used. The folder must be the user's alone.
#include "object_cache.hpp"

#include "memsize/core/sha256.hpp"

#include "process.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace memsize::runtime {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 64;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

// The folder of the XDG Base Directory Specification; empty: there is none that is this user's
// alone.
std::string cache_folder() {
  // A relative path is to be ignored there.
  fs::path folder = variable("XDG_CACHE_HOME");
  if (!folder.is_absolute()) {
    const fs::path home = variable("HOME");
    if (!home.is_absolute()) {
      return {};
    }
    folder = home / ".cache";
  }
  folder /= "memsize";
  std::error_code failure;
  fs::create_directories(folder.parent_path(), failure);
  ::mkdir(folder.c_str(), S_IRWXU);

  struct stat found {};

  const bool is_own = ::stat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                      found.st_uid == ::geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return is_own ? folder.string() : std::string{};
}

// "SIZE\n" and so many bytes, from the front of `rest`.
std::optional<std::string_view> next_object(std::string_view& rest) {
  std::size_t size = 0;
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (failure != std::errc{} || digits == rest.size() || rest[digits] != '\n' ||
      size > rest.size() - digits - 1) {
    return std::nullopt;
  }
  const std::string_view object = rest.substr(digits + 1, size);
  rest.remove_prefix(digits + 1 + size);
  return object;
}

}  // namespace

std::string content_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

bool write_file(const std::string& path, const std::string& content) {
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file << content;
  file.close();
  return !file.fail();
}

std::string identity_of(const std::string& program) {
  std::error_code failure;
  const fs::path path = fs::canonical(path_of_program(program), failure);

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

ObjectCache::ObjectCache(const std::string& made_of) {
  const std::string folder = cache_folder();
  if (!folder.empty()) {
    file_ = folder + "/runtime-" + core::sha256(made_of);
  }
}

bool ObjectCache::take(const std::vector<std::string>& paths) const {
  const std::string content = file_.empty() ? std::string{} : content_of(file_);
  if (content.size() < kHashDigits) {
    return false;
  }
  std::string_view rest = std::string_view{content}.substr(kHashDigits);
  if (core::sha256(rest) != std::string_view{content}.substr(0, kHashDigits)) {
    return false;
  }
  for (const std::string& path : paths) {
    const auto object = next_object(rest);
    if (!object || !write_file(path, std::string{*object})) {
      return false;
    }
  }
  return rest.empty();
}

void ObjectCache::keep(const std::vector<std::string>& paths) const {
  if (file_.empty()) {
    return;
  }
  std::string objects;
  for (const std::string& path : paths) {
    const std::string object = content_of(path);
    if (object.empty()) {
      return;
    }
    objects += fmt::format("{}\n", object.size()) + object;
  }
  std::string whole = file_ + "-XXXXXX";
  const int descriptor = ::mkstemp(whole.data());
  if (descriptor < 0) {
    return;
  }
  ::close(descriptor);
  if (!write_file(whole, core::sha256(objects) + objects) ||
      std::rename(whole.c_str(), file_.c_str()) != 0) {
    ::unlink(whole.c_str());
  }
}

}  // namespace memsize::runtime
