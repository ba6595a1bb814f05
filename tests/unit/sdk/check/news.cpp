#include "memsize/sdk/news.hpp"

#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace memsize::sdk::news_test {

namespace {

core::Diagnostic finding(core::Code code,
                         const std::string& path,
                         const std::string& message,
                         core::Parties parties = {}) {
  core::Place place;
  place.path = path;
  place.line = 7;
  return core::error(code, message, place).about(std::move(parties));
}

}  // namespace

TEST_SUITE("sdk") {
  using core::Code;

  TEST_CASE("a finding with other numbers or other words is the same finding") {
    const core::Parties heap = {{"core", "r5"}, {"region", "HEAP_2"}};
    const core::Diagnostics before = {
        finding(Code::kMpuCache, "a", "r5 sees [0xA0, 0xB0) of 'HEAP_2' cached", heap)};
    const auto again = [&](const std::string& path, const core::Parties& parties) {
      return news(before, {finding(Code::kMpuCache, path, "r5 has it cached, by 7 B", parties)});
    };
    CHECK(again("a", heap).empty());
    CHECK(again("b", heap).size() == 1);
    CHECK(again("a", {{"core", "r5"}, {"region", "HEAP_3"}}).size() == 1);
    CHECK(again("a", {{"core", "r6"}, {"region", "HEAP_2"}}).size() == 1);
    CHECK(news(before, {}).empty());
    CHECK(news({}, before).size() == 1);
  }

  TEST_CASE("a word that is a number tells two entries apart, where a sentence would not") {
    const auto entry = [](const std::string& name) {
      return finding(Code::kMpuRegion, "a", "MPU region " + name + " is odd", {{"entry", name}});
    };
    CHECK(news({entry("7")}, {entry("8")}).size() == 1);
    CHECK(news({entry("7")}, {entry("7")}).empty());
  }

  TEST_CASE("more of the same is new, and so is another code") {
    const core::Diagnostic one = finding(Code::kMmuCache, "a", "x at 0x1");
    const core::Diagnostic other = finding(Code::kMmuCache, "a", "x at 0x2");
    CHECK(news({one}, {one, other}).size() == 1);
    CHECK(news({one, other}, {other, one}).empty());
    CHECK(news({one}, {finding(Code::kMpuCache, "a", "x at 0x1")}).size() == 1);
  }

  TEST_CASE("findings that are lists of a file go by the file") {
    const core::Diagnostics before = {
        finding(Code::kSdkComment, "a", "2 comments: of 'X'", {{"entry", "X"}})};
    CHECK(news(before, {finding(Code::kSdkComment, "a", "of 'Y'", {{"entry", "Y"}})}).empty());
    CHECK(news(before, {finding(Code::kSdkComment, "b", "2 comments: of 'X'")}).size() == 1);
    CHECK(news(before, {finding(Code::kSdkGenerated, "a", "2 comments: of 'X'")}).size() == 1);
  }
}

}  // namespace memsize::sdk::news_test
