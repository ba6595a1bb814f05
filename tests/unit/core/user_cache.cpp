// Texts that one run keeps for the next.
#include "memsize/core/user_cache.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace memsize::core::user_cache_test {

namespace fs = std::filesystem;

// Sets XDG_CACHE_HOME to a new folder while it lives.
class CacheHome {
 public:
  CacheHome()
      : folder_(fs::temp_directory_path() / ("memsize-user-cache-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    if (const char* before = std::getenv("XDG_CACHE_HOME"); before != nullptr) {
      before_ = before;
    }
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }

  CacheHome(const CacheHome&) = delete;
  CacheHome& operator=(const CacheHome&) = delete;

  ~CacheHome() {
    fs::remove_all(folder_);
    before_.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
  }

  [[nodiscard]] fs::path file(const std::string& name) const { return folder_ / "memsize" / name; }

 private:
  fs::path folder_;
  std::string before_;
};

TEST_SUITE("core") {
  TEST_CASE("what is kept is taken as it was, also what is empty, has zeros or looks like a size") {
    const CacheHome home;
    const std::vector<std::string> texts = {"", std::string("a\0b", 3), "12\n", "", "\n"};
    const UserCache cache{"some"};
    CHECK_FALSE(cache.take());
    CHECK_FALSE(fs::exists(home.file("").parent_path()));
    cache.keep(texts);
    CHECK(cache.take() == texts);
    CHECK_FALSE(UserCache{"other"}.take());
    cache.keep({});
    CHECK(cache.take() == std::vector<std::string>{});
    // Nothing else lies there.
    const auto names = fs::directory_iterator{home.file("").parent_path()};
    CHECK(std::distance(begin(names), end(names)) == 1);
  }

  TEST_CASE("what is damaged, or what others could have written, is not there") {
    const CacheHome home;
    const UserCache cache{"some"};
    cache.keep({"first", "second"});
    const fs::path file = home.file("some");
    const std::string whole = content_of(file.string());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      REQUIRE(write_file(file.string(), whole.substr(0, size)));
      CHECK_FALSE(cache.take());
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = changed[at] == '0' ? '1' : '0';
      REQUIRE(write_file(file.string(), changed));
      CHECK_FALSE(cache.take());
    }
    REQUIRE(write_file(file.string(), whole));
    CHECK(cache.take());
    REQUIRE(::chmod(file.parent_path().c_str(), S_IRWXU | S_IWGRP) == 0);
    CHECK_FALSE(cache.take());
  }

  TEST_CASE("a folder that is no absolute path keeps nothing") {
    const CacheHome home;
    ::setenv("XDG_CACHE_HOME", "here", 1);
    const char* before = std::getenv("HOME");
    const std::string own = before == nullptr ? "" : before;
    ::setenv("HOME", "also-here", 1);
    const UserCache cache{"some"};
    cache.keep({"text"});
    CHECK_FALSE(cache.take());
    CHECK_FALSE(fs::exists("here"));
    ::setenv("HOME", own.c_str(), 1);
  }
}

}  // namespace memsize::core::user_cache_test
