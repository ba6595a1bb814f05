#include "commit/journal.hpp"

#include "support.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::journal_test {

namespace {

const std::string kHash(64, 'a');

// One file in every state that a journal knows, written out as the document's description says.
std::string good() {
  const std::string state = R"({ "sha256": ")" + kHash + R"(", "size_bytes": 5, "mode": "4755")";
  return R"({ "schema": "memsize.journal/1", "state": "applying", "description": "words",
  "files": [
    { "path": "a/b.h", "original": )" +
         state + R"(, "mtime_ns": -7 }, "applied": )" + state + R"( } },
    { "path": "a/new/c.h", "original": { "absent": true },
      "pending": { "from": { "absent": true }, "to": )" +
         state + R"( } }, "folders": ["a/new"] } ],
  "folder_times": [ { "path": ".", "original_ns": 5 },
                    { "path": "a", "original_ns": -6, "applied_ns": 8 } ] }
)";
}

core::Diagnostic error_of(const std::string& text) {
  const auto journal = parse_journal(text, "j.json");
  REQUIRE_FALSE(journal.has_value());
  CHECK(journal.error().front().code == core::Code::kSdkJournal);
  CHECK(journal.error().front().place.path == "j.json");
  CHECK_FALSE(journal.error().front().hint.empty());
  return journal.error().front();
}

// The good document with one change is refused, with these words.
void refused(const char* from, const char* to, const char* words) {
  CAPTURE(to);
  const std::string message = error_of(test::with(good(), from, to)).message;
  CAPTURE(message);
  CHECK(test::contains(message, words));
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("a journal is read") {
    const auto journal = parse_journal(good(), "j.json");
    REQUIRE(journal.has_value());
    CHECK(journal->state == Journal::State::kApplying);
    CHECK(journal->description == "words");
    REQUIRE(journal->files.size() == 2);
    const Journal::File& first = journal->files.front();
    CHECK(first.path == "a/b.h");
    CHECK(first.original.exists);
    CHECK(first.original.sha256 == kHash);
    CHECK(first.original.size == 5);
    CHECK(first.original.mode == 04755);
    CHECK(first.original.mtime_ns == -7);
    REQUIRE(first.applied);
    CHECK_FALSE(first.applied->mtime_ns.has_value());
    CHECK_FALSE(first.pending.has_value());
    const Journal::File& second = journal->files.back();
    CHECK_FALSE(second.original.exists);
    REQUIRE(second.pending);
    CHECK_FALSE(second.pending->from.exists);
    CHECK(second.pending->to.exists);
    CHECK(second.folders == std::vector<std::string>{"a/new"});
    REQUIRE(journal->folder_times.size() == 2);
    CHECK(journal->folder_times.front().path == ".");
    CHECK(journal->folder_times.front().original_ns == 5);
    CHECK_FALSE(journal->folder_times.front().applied_ns.has_value());
    CHECK(journal->folder_times.back().original_ns == -6);
    CHECK(journal->folder_times.back().applied_ns == 8);
  }

  TEST_CASE("a journal that is printed and read prints the same") {
    const auto journal = parse_journal(good(), "j.json");
    REQUIRE(journal.has_value());
    const std::string printed = print_journal(*journal);
    const auto again = parse_journal(printed, "j.json");
    REQUIRE(again.has_value());
    CHECK(print_journal(*again) == printed);
  }

  TEST_CASE("a journal that is not whole is refused wherever it is cut") {
    const std::string text = good();
    for (std::size_t cut = 0; cut + 2 < text.size(); cut += 3) {
      CAPTURE(cut);
      const core::Diagnostic error = error_of(text.substr(0, cut));
      CHECK(error.place.line > 0);
    }
  }

  TEST_CASE("what is wrong in a journal is named") {
    refused("memsize.journal/1", "memsize.journal/2", "another version");
    refused("applying", "nothing", "applying, applied or reverting, not 'nothing'");
    refused(R"("description": "words",)", "", "'description' is missing");
    refused("a/b.h", "/a/b.h", "is absolute");
    refused("a/b.h", "a/../b.h", "dots");
    refused("a/b.h", "a//b.h", "empty part");
    refused("a/b.h", "./b.h", "dots");
    refused("a/b.h", "a/.memsize/b.h", ".memsize folder");
    refused("a/b.h", "", "no path");
    refused("a/b.h", "a\\u0000b", "characters");
    refused("a/b.h", "a\\nb", "characters");
    refused("a/b.h", "b/b.h", "sorted");
    refused("a/b.h", "a/new/c.h", "stand once");
    refused(R"(["a/new"])", R"(["b"])", "folders that the path leads through");
    refused(R"(["a/new"])", R"(["a/new/c.h"])", "folders that the path leads through");
    refused(R"(["a/new"])", R"([4])", "folders[0]: it must be a string, not 4");
    refused(R"(["a/new"])", R"("a")", "array");
    refused("-7", "1.5", "mtime_ns: it must be a whole number");
    refused(R"("original": { "absent": true })", R"("original": { "absent": 1 })", "absent");
    refused(R"("original": { "absent": true })",
            R"("original": 4)",
            "original: it must be an object, not 4");
    refused(R"("from": { "absent": true },)", "", "'from' is missing");
    refused(R"({ "path": "a", "orig)", R"({ "path": "..", "orig)", "dots");
    refused(R"("original_ns": 5)", R"("ns": 5)", "folder_times[0]: 'original_ns' is missing");
    refused(R"("applied_ns": 8)", R"("applied_ns": "8")", "must be a whole number");
    refused("applying", "applied", "files[1]: it says of no change");
    CHECK(test::contains(error_of("[]").message, "it must be an object"));
    CHECK(test::contains(
        error_of(
            R"({ "schema": "memsize.journal/1", "state": "applied", "description": "", "files": [] })")
            .message,
        "not be empty"));
  }

  TEST_CASE("sizes, modes and hashes of a journal are checked") {
    const auto with_state = [](const std::string& state) {
      return R"({ "schema": "memsize.journal/1", "state": "applied", "description": "",
        "files": [ { "path": "a", "original": { "absent": true }, "applied": )" +
             state + " } ] }";
    };
    const std::string hash = R"("sha256": ")" + kHash + R"(")";
    CHECK(parse_journal(with_state("{" + hash + R"(, "size_bytes": 1, "mode": "0644" })"), "j")
              .has_value());
    for (const std::string& state :
         {"{" + hash + R"(, "size_bytes": -1, "mode": "0644" })",
          "{" + hash + R"(, "size_bytes": 1, "mode": "0888" })",
          "{" + hash + R"(, "size_bytes": 1, "mode": "077777" })",
          "{" + hash + R"(, "size_bytes": 1, "mode": "" })",
          "{" + hash + R"(, "size_bytes": 1, "mode": 644 })",
          "{" + hash + R"(, "mode": "0644" })",
          std::string{R"({ "sha256": "abc", "size_bytes": 1, "mode": "0644" })"},
          R"({ "sha256": ")" + std::string(64, 'A') + R"(", "size_bytes": 1, "mode": "0644" })"}) {
      CAPTURE(state);
      CHECK_FALSE(parse_journal(with_state(state), "j").has_value());
    }
  }

  TEST_CASE("an error in a journal's path points at it") {
    const std::string text = test::with(good(), "a/b.h", "../b.h");
    const core::Diagnostic error = error_of(text);
    CHECK(error.place.line == 3);
    CHECK(error.place.column == 15);
    CHECK(error.place.length == std::string{R"("../b.h")"}.size());
    CHECK(test::contains(error.place.text.str(), "../b.h"));
  }
}

}  // namespace memsize::sdk::journal_test
