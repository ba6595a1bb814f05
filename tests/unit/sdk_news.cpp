#include "memsize/sdk/news.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::sdk::news_test {

namespace {

core::Diagnostic finding(core::Code code, const std::string& path, const std::string& message) {
  core::Place place;
  place.path = path;
  place.line = 7;
  return core::error(code, message, place);
}

}  // namespace

TEST_SUITE("sdk") {
  using core::Code;

  TEST_CASE("a finding with other numbers is the same finding") {
    const core::Diagnostics before = {
        finding(Code::kMpuCache, "a", "r5 sees [0xA0, 0xB0) of 'HEAP_2' cached, by 16 MiB")};
    const auto again = [&](const std::string& path, const std::string& message) {
      return news(before, {finding(Code::kMpuCache, path, message)}).size();
    };
    CHECK(again("a", "r5 sees [0xA0, 0xB0) of 'HEAP_2' cached, by 16 MiB") == 0);
    CHECK(again("a", "r5 sees [0x10A0, 0xFFB0) of 'HEAP_2' cached, by 512 KiB") == 0);
    CHECK(again("a", "r5 sees [0xA0, 0xB0) of 'HEAP_2' cached, by 7 B") == 0);
    // Digits in a name are no number.
    CHECK(again("a", "r5 sees [0xA0, 0xB0) of 'HEAP_3' cached, by 16 MiB") == 1);
    CHECK(again("a", "r6 sees [0xA0, 0xB0) of 'HEAP_2' cached, by 16 MiB") == 1);
    CHECK(again("b", "r5 sees [0xA0, 0xB0) of 'HEAP_2' cached, by 16 MiB") == 1);
    CHECK(news(before, {}).empty());
    CHECK(news({}, before).size() == 1);
  }

  TEST_CASE("more of the same is new, and so is another code") {
    const core::Diagnostic one = finding(Code::kMmuCache, "a", "x at 0x1");
    const core::Diagnostic other = finding(Code::kMmuCache, "a", "x at 0x2");
    CHECK(news({one}, {one, other}).size() == 1);
    CHECK(news({one, other}, {other, one}).empty());
    CHECK(news({one}, {finding(Code::kMpuCache, "a", "x at 0x1")}).size() == 1);
  }

  TEST_CASE("findings that are lists of a file go by the file") {
    const core::Diagnostics before = {finding(Code::kSdkComment, "a", "2 comments: of 'X'")};
    CHECK(news(before, {finding(Code::kSdkComment, "a", "a comment: of 'Y'")}).empty());
    CHECK(news(before, {finding(Code::kSdkComment, "b", "2 comments: of 'X'")}).size() == 1);
    CHECK(news(before, {finding(Code::kSdkGenerated, "a", "2 comments: of 'X'")}).size() == 1);
  }
}

}  // namespace memsize::sdk::news_test
