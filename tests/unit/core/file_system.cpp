#include "memsize/core/file_system.hpp"

#include "memsize/core/overlay.hpp"
#include "memsize/core/unpacked.hpp"

#include "support.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace memsize::core::files_test {

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

// At most `piece` bytes at a time.
class Dribble : public ByteStream {
 public:
  Dribble(std::string text, std::size_t piece)
      : text_(stream_with(std::move(text))), piece_(piece) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    return text_->read(buffer.first(std::min(piece_, buffer.size())));
  }

 private:
  std::unique_ptr<ByteStream> text_;
  std::size_t piece_;
};

// Fails where the text ends.
class Broken : public ByteStream {
 public:
  explicit Broken(std::string text) : text_(stream_with(std::move(text))) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    const auto size = text_->read(buffer);
    return *size == 0 ? Result<std::size_t>{fail(error(Code::kFileRead, "broken"))} : size;
  }

 private:
  std::unique_ptr<ByteStream> text_;
};

Result<std::string> drain(ByteStream& stream, std::size_t block) {
  std::string text;
  std::vector<char> buffer(block);
  while (true) {
    const auto size = stream.read(buffer);
    if (!size) {
      return tl::make_unexpected(size.error());
    }
    if (*size == 0) {
      return text;
    }
    text.append(buffer.data(), *size);
  }
}

// How much is read and asked for at a time.
constexpr std::array<std::size_t, 5> kPieces = {1, 2, 3, 4096, 1 << 20};

Result<std::string> unpack(const std::string& packed, std::size_t piece) {
  const auto stream = unpacked(std::make_unique<Dribble>(packed, piece), "log.gz");
  return drain(*stream, piece);
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

  TEST_CASE("a file is read as far as its kind goes, so that a device ends, too") {
    constexpr FileKind kSmall = {100'000, "a small file"};
    RealFileSystem disk;
    const auto endless = disk.read("/dev/zero", kSmall);
    REQUIRE(!endless);
    CHECK(endless.error().front().code == Code::kReadLimit);
    CHECK(endless.error().front().message ==
          "'/dev/zero' has more than 97.66 KiB: a small file has no more");
    MemFileSystem memory;
    memory.content["most"] = std::string(kSmall.most, 'x');
    memory.content["more"] = std::string(kSmall.most + 1, 'x');
    CHECK(memory.read("most", kSmall) == memory.content["most"]);
    CHECK(!memory.read("more", kSmall));
    CHECK(memory.read("more"));
    Overlay overlay{memory};
    overlay.lay("laid", memory.content["more"]);
    CHECK(!overlay.read("laid", kSmall));
    CHECK(!overlay.read("more", kSmall));
  }

  TEST_CASE("a file, a pipe and a text in memory are streams") {
    const TemporaryFolder folder;
    RealFileSystem files;
    std::string text(300000, 'x');
    text += "end";
    REQUIRE(files.replace({{folder / "log", text}}).has_value());
    auto file = files.open(folder / "log");
    REQUIRE(file.has_value());
    CHECK(drain(**file, 1000).value() == text);

    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    std::thread writer{[&] { std::ofstream{folder / "pipe"} << text; }};
    auto pipe = files.open(folder / "pipe");
    REQUIRE(pipe.has_value());
    CHECK(drain(**pipe, 1 << 20).value() == text);
    writer.join();

    MemFileSystem memory;
    memory.content["log"] = text;
    auto kept = memory.open("log");
    REQUIRE(kept.has_value());
    memory.content.clear();
    CHECK(drain(**kept, 77).value() == text);

    Overlay overlay{files};
    overlay.lay("above", "laid over");
    CHECK(drain(**overlay.open("above"), 4).value() == "laid over");
    CHECK(drain(**overlay.open(folder / "log"), 4096).value() == text);
  }

  TEST_CASE("what cannot be opened is said with its path") {
    const TemporaryFolder folder;
    RealFileSystem files;
    MemFileSystem memory;
    memory.content["a/b"] = "";
    const std::array<Result<std::unique_ptr<ByteStream>>, 4> refused = {
        files.open(folder.path()),
        files.open(folder / "missing"),
        memory.open("a"),
        memory.open("c")};
    for (const auto& stream : refused) {
      REQUIRE_FALSE(stream.has_value());
      CHECK(stream.error().front().code == Code::kFileRead);
      CHECK_FALSE(stream.error().front().place.path.empty());
    }
  }

  TEST_CASE("gzip is unpacked, anything else passes") {
    const std::string text = "line one\nline two\n";
    for (const std::size_t piece : kPieces) {
      CAPTURE(piece);
      CHECK(unpack(text, piece).value() == text);
      CHECK(unpack("", piece)->empty());
      CHECK(unpack("\x1F", piece).value() == "\x1F");
      CHECK(unpack("\x1F\x1F\x8B", piece).value() == "\x1F\x1F\x8B");
      CHECK(unpack("\n\x1F\x8B", piece).value() == "\n\x1F\x8B");
      CHECK(unpack(gzip(text), piece).value() == text);
      CHECK(unpack(gzip(""), piece)->empty());
    }
  }

  TEST_CASE("several gzip members in a row are one text") {
    const std::string joined = gzip("first\n") + gzip("") + gzip("second\n") + gzip("third\n");
    for (const std::size_t piece : kPieces) {
      CAPTURE(piece);
      CHECK(unpack(joined, piece).value() == "first\nsecond\nthird\n");
    }
  }

  TEST_CASE("a text larger than any buffer survives gzip") {
    std::string text;
    test::Random random{11};
    while (text.size() < 1000000) {
      text += static_cast<char>('a' + random.below(26));
    }
    const std::string packed = gzip(text);
    // Larger than a block: what is packed is read in several.
    REQUIRE(packed.size() > 300000);
    for (const std::size_t piece : kPieces) {
      CAPTURE(piece);
      CHECK(unpack(packed, piece).value() == text);
      CHECK(unpack(text, piece).value() == text);
    }
    // Little that unpacks to much.
    const std::string much(50000000, '\n');
    CHECK(unpack(gzip(much), 131072).value() == much);
  }

  TEST_CASE("gzip that ends early or is damaged is an error wherever it is cut") {
    const std::string whole = gzip("some text that is long enough to have a body\n");
    const auto message = [](const std::string& packed, std::size_t piece) -> std::string {
      const auto text = unpack(packed, piece);
      if (text) {
        return "no error";
      }
      CHECK(text.error().front().code == Code::kFileGzip);
      CHECK(text.error().front().place.path == "log.gz");
      return text.error().front().message;
    };
    std::string damaged = whole;
    damaged[damaged.size() - 5] = static_cast<char>(damaged[damaged.size() - 5] ^ 0x55);
    for (const std::size_t piece : kPieces) {
      CAPTURE(piece);
      for (std::size_t cut = 2; cut < whole.size(); ++cut) {
        CAPTURE(cut);
        CHECK(message(whole.substr(0, cut), piece) == "cannot unpack 'log.gz': it ends too early");
      }
      CHECK(message(damaged, piece) == "cannot unpack 'log.gz': it is not valid gzip");
      CHECK(message(whole + whole.substr(0, 12), piece) ==
            "cannot unpack 'log.gz': it ends too early");
      // A further member that is damaged is not what merely follows.
      CHECK(message(whole + "\x1F\x8B\x09 damaged", piece) ==
            "cannot unpack 'log.gz': it is not valid gzip");
    }
  }

  TEST_CASE("what is no gzip behind what is packed is left out and told") {
    const std::string whole = gzip("some text\n");
    for (const std::string_view behind : {"", "\n", "\x1F", "more\n"}) {
      for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
        const std::string packed = whole + std::string{behind};
        const auto stream = unpacked(std::make_unique<Dribble>(packed, piece), "log.gz");
        const auto text = drain(*stream, 100);
        REQUIRE(text.has_value());
        CHECK(*text == "some text\n");
        CHECK(warnings_of(*stream).size() == (behind.empty() ? 0U : 1U));
      }
    }
    CHECK(warnings_of(*stream_of("text")).empty());
  }

  TEST_CASE("where a stream fails, so does what unpacks it") {
    const std::string packed = gzip("some text\n");
    for (std::size_t good = 0; good <= packed.size(); ++good) {
      CAPTURE(good);
      const auto stream = unpacked(std::make_unique<Broken>(packed.substr(0, good)), "log.gz");
      const auto text = drain(*stream, 100);
      REQUIRE_FALSE(text.has_value());
      CHECK(text.error().front().code == Code::kFileRead);
    }
  }
}

}  // namespace memsize::core::files_test
