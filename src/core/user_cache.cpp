// A file has the hash of its content in front: what was cut short or changed is not used. The
// folder must be the user's alone.
#include "memsize/core/user_cache.hpp"

#include "memsize/core/sha256.hpp"

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

namespace memsize::core {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 64;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

// The folder of the XDG Base Directory Specification, made where it is missing and asked for;
// empty: there is none that is this user's alone.
std::string cache_folder(bool make) {
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
  if (make) {
    std::error_code failure;
    fs::create_directories(folder.parent_path(), failure);
    ::mkdir(folder.c_str(), S_IRWXU);
  }

  struct stat found {};

  const bool is_own = ::stat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                      found.st_uid == ::geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return is_own ? folder.string() : std::string{};
}

// "SIZE\n" and so many bytes, from the front of `rest`.
std::optional<std::string_view> next_text(std::string_view& rest) {
  std::size_t size = 0;
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (failure != std::errc{} || digits == rest.size() || rest[digits] != '\n' ||
      size > rest.size() - digits - 1) {
    return std::nullopt;
  }
  const std::string_view text = rest.substr(digits + 1, size);
  rest.remove_prefix(digits + 1 + size);
  return text;
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

std::optional<std::vector<std::string>> UserCache::take() const {
  const std::string folder = cache_folder(false);
  const std::string content = folder.empty() ? std::string{} : content_of(folder + "/" + name_);
  if (content.size() < kHashDigits) {
    return std::nullopt;
  }
  std::string_view rest = std::string_view{content}.substr(kHashDigits);
  if (sha256(rest) != std::string_view{content}.substr(0, kHashDigits)) {
    return std::nullopt;
  }
  std::vector<std::string> texts;
  while (!rest.empty()) {
    const auto text = next_text(rest);
    if (!text) {
      return std::nullopt;
    }
    texts.emplace_back(*text);
  }
  return texts;
}

void UserCache::keep(const std::vector<std::string>& texts) const {
  const std::string folder = cache_folder(true);
  if (folder.empty()) {
    return;
  }
  std::string content;
  for (const std::string& text : texts) {
    content += fmt::format("{}\n", text.size()) + text;
  }
  const std::string file = folder + "/" + name_;
  std::string whole = file + "-XXXXXX";
  const int descriptor = ::mkstemp(whole.data());
  if (descriptor < 0) {
    return;
  }
  ::close(descriptor);
  if (!write_file(whole, sha256(content) + content) ||
      std::rename(whole.c_str(), file.c_str()) != 0) {
    ::unlink(whole.c_str());
  }
}

}  // namespace memsize::core
