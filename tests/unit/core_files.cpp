#include "memsize/core/file_system.hpp"

#include "support.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace memsize::core {

namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "memsize-unit-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::size_t entries() const {
    std::size_t found = 0;
    for (const auto& entry : fs::recursive_directory_iterator{path_}) {
      found += entry.path().empty() ? 0U : 1U;
    }
    return found;
  }

 private:
  std::string path_;
};

std::string gzip(const std::string& content) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string in = content;
  std::string out(content.size() + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("a disk in memory reads, writes and lists") {
    MemFileSystem files;
    files.content["a/one"] = "1";
    files.content["a/two"] = "2";
    files.content["a/sub/three"] = "3";
    files.content["a/sub/deep/four"] = "4";
    files.content["ab"] = "5";
    CHECK(files.read("a/one").value() == "1");
    CHECK(files.exists("a"));
    CHECK(files.is_directory("a"));
    CHECK_FALSE(files.is_directory("ab"));
    CHECK_FALSE(files.exists("a/o"));
    CHECK(files.list("a").value() == std::vector<std::string>{"one", "two"});
    CHECK(files.list_tree("a").value() == std::vector<std::string>{"one", "sub/three", "two"});
    CHECK_FALSE(files.list("nowhere").has_value());
    CHECK_FALSE(files.list_tree("nowhere").has_value());
    const auto missing = files.read("nowhere");
    REQUIRE_FALSE(missing.has_value());
    CHECK(missing.error().front().code == Code::kFileRead);
    CHECK(missing.error().front().place.path == "nowhere");
    CHECK_FALSE(files.read("a").has_value());
  }

  TEST_CASE("a disk in memory writes all or nothing") {
    MemFileSystem files;
    files.content["old"] = "before";
    files.refuse["locked"] = "read-only";
    const auto refused = files.replace({{"old", "after"}, {"locked", "x"}, {"new", "y"}});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().front().code == Code::kFileWrite);
    CHECK(files.content.size() == 1);
    CHECK(files.content["old"] == "before");
    REQUIRE(files.replace({{"old", "after"}, {"new", "y"}}).has_value());
    CHECK(files.content["old"] == "after");
    CHECK(files.content["new"] == "y");
  }

  TEST_CASE("the real disk makes folders, replaces and keeps the mode") {
    const TemporaryFolder folder;
    RealFileSystem files;
    REQUIRE(files.replace({{folder / "a/b/file", "one"}, {folder / "other", "two"}}).has_value());
    CHECK(files.read(folder / "a/b/file").value() == "one");
    REQUIRE(::chmod((folder / "other").c_str(), 0750) == 0);
    REQUIRE(files.replace({{folder / "other", "three"}}).has_value());
    CHECK(files.read(folder / "other").value() == "three");

    struct stat status {};

    REQUIRE(::stat((folder / "other").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0750);
    // Two folders and two files: nothing temporary is left.
    CHECK(folder.entries() == 4);
    CHECK(files.list(folder.path()).value() == std::vector<std::string>{"other"});
    CHECK(files.is_directory(folder / "a"));
    CHECK(files.exists(folder / "other"));
    CHECK_FALSE(files.exists(folder / "nothing"));
  }

  TEST_CASE("list_tree of the real disk sees one level of folders") {
    const TemporaryFolder folder;
    RealFileSystem files;
    REQUIRE(files
                .replace({{folder / "top", ""},
                          {folder / "core/file", ""},
                          {folder / "core/too/deep", ""},
                          {folder / "alpha/file", ""}})
                .has_value());
    CHECK(files.list_tree(folder.path()).value() ==
          std::vector<std::string>{"alpha/file", "core/file", "top"});
    CHECK_FALSE(files.list_tree(folder / "nowhere").has_value());
  }

  TEST_CASE("list_tree of the real disk knows links by their own names, and no broken ones") {
    const TemporaryFolder folder;
    RealFileSystem files;
    REQUIRE(files.replace({{folder / "elsewhere/file", "abc"}, {folder / "tree/own", ""}}));
    fs::create_symlink(folder / "elsewhere/file", folder / "tree/a-link");
    fs::create_directory_symlink(folder / "elsewhere", folder / "tree/linked");
    fs::create_directory_symlink("..", folder / "tree/up");
    fs::create_symlink("nowhere", folder / "tree/broken");
    fs::create_symlink("itself", folder / "tree/itself");
    fs::create_directory(folder / "tree/b-folder");
    CHECK(files.list_tree(folder / "tree").value() ==
          std::vector<std::string>{"a-link", "linked/file", "own"});
    CHECK(files.list(folder / "tree").value() == std::vector<std::string>{"a-link", "own"});
    CHECK(files.size(folder / "tree/a-link").value() == 3);
    CHECK_FALSE(files.size(folder / "tree/broken").has_value());
    CHECK_FALSE(files.size(folder / "tree").has_value());
  }

  TEST_CASE("where one target cannot be written, no target is") {
    const TemporaryFolder folder;
    RealFileSystem files;
    REQUIRE(files.replace({{folder / "first", "old"}, {folder / "last", "old"}}).has_value());
    REQUIRE(::mkdir((folder / "taken").c_str(), 0755) == 0);
    const auto refused = files.replace(
        {{folder / "first", "new"}, {folder / "taken", "new"}, {folder / "last", "new"}});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().front().code == Code::kFileWrite);
    CHECK(refused.error().front().place.path == folder / "taken");
    CHECK(files.read(folder / "first").value() == "old");
    CHECK(files.read(folder / "last").value() == "old");
    CHECK(files.is_directory(folder / "taken"));
    CHECK(folder.entries() == 3);
  }

  TEST_CASE("a file in the way of a folder refuses everything") {
    const TemporaryFolder folder;
    RealFileSystem files;
    REQUIRE(files.replace({{folder / "first", "old"}, {folder / "file", "old"}}).has_value());
    const auto refused = files.replace({{folder / "first", "new"}, {folder / "file/below", "new"}});
    REQUIRE_FALSE(refused.has_value());
    CHECK(files.read(folder / "first").value() == "old");
    CHECK(files.read(folder / "file").value() == "old");
    CHECK(folder.entries() == 2);
  }

  TEST_CASE("writing through a link keeps the link") {
    const TemporaryFolder folder;
    RealFileSystem files;
    REQUIRE(files.replace({{folder / "real", "old"}}).has_value());
    REQUIRE(::symlink((folder / "real").c_str(), (folder / "link").c_str()) == 0);
    REQUIRE(files.replace({{folder / "link", "new"}}).has_value());
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(files.read(folder / "real").value() == "new");
    CHECK(folder.entries() == 2);
  }

  TEST_CASE("a folder or a missing file is not read") {
    const TemporaryFolder folder;
    RealFileSystem files;
    for (const std::string& path : {folder.path(), folder / "missing"}) {
      const auto content = files.read(path);
      REQUIRE_FALSE(content.has_value());
      CHECK(content.error().front().code == Code::kFileRead);
    }
  }

  TEST_CASE("gzip is unpacked, anything else passes") {
    const std::string text = "line one\nline two\n";
    CHECK(gunzip_if_needed(text, "log").value() == text);
    CHECK(gunzip_if_needed("", "log")->empty());
    CHECK(gunzip_if_needed("\x1F", "log").value() == "\x1F");
    CHECK(gunzip_if_needed(gzip(text), "log.gz").value() == text);
    CHECK(gunzip_if_needed(gzip(""), "log.gz")->empty());
  }

  TEST_CASE("several gzip members in a row are one text") {
    const std::string joined = gzip("first\n") + gzip("second\n") + gzip("third\n");
    CHECK(gunzip_if_needed(joined, "log.gz").value() == "first\nsecond\nthird\n");
  }

  TEST_CASE("a text larger than any buffer survives gzip") {
    std::string text;
    test::Random random{11};
    while (text.size() < 1000000) {
      text += static_cast<char>('a' + random.below(26));
    }
    CHECK(gunzip_if_needed(gzip(text), "log.gz").value() == text);
  }

  TEST_CASE("gzip that ends early or is damaged is an error wherever it is cut") {
    const std::string whole = gzip("some text that is long enough to have a body\n");
    for (std::size_t cut = 2; cut < whole.size(); ++cut) {
      CAPTURE(cut);
      const auto text = gunzip_if_needed(whole.substr(0, cut), "log.gz");
      REQUIRE_FALSE(text.has_value());
      CHECK(text.error().front().code == Code::kFileGzip);
      CHECK(text.error().front().place.path == "log.gz");
    }
    std::string damaged = whole;
    damaged[damaged.size() - 5] = static_cast<char>(damaged[damaged.size() - 5] ^ 0x55);
    CHECK_FALSE(gunzip_if_needed(damaged, "log.gz").has_value());
    CHECK_FALSE(gunzip_if_needed(whole + whole.substr(0, 12), "log.gz").has_value());
  }
}

}  // namespace memsize::core
