// The vectors of RFC 4648, and what is no base64.
#include "memsize/core/base64.hpp"

#include <array>
#include <utility>

#include <doctest/doctest.h>

using namespace memsize::core;

TEST_CASE("base64 is that of RFC 4648, in both directions") {
  using Vector = std::pair<const char*, const char*>;
  for (const auto& [bytes, text] : {Vector{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}}) {
    CHECK(to_base64(bytes) == text);
    CHECK(from_base64(text) == bytes);
  }
  const std::string zeros("\0\xff\0", 3);
  CHECK(from_base64(to_base64(zeros)) == zeros);
}

TEST_CASE("what is no base64 is nothing") {
  for (const char* text : {"Z", "Zg", "Zg=", "Zm9v!", "Zg==Zg==", "=", "Zm9vY"}) {
    CHECK_FALSE(from_base64(text));
  }
}
