// Any bytes as an expression: an error, or a value that brackets do not change.
#include "memsize/board/expression.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using memsize::fuzz::require;

MEMSIZE_FUZZ_TARGET(expression) {
  const memsize::board::Values values = {
      {"a", 1}, {"page", 4096}, {"most", UINT64_MAX}, {"heap_size", 1U << 26}};
  const std::string text{reinterpret_cast<const char*>(data), size};
  const auto value = memsize::board::evaluate({text, {}}, values);
  if (!value) {
    require(memsize::core::has_errors(value.error()), "a failure has errors");
    return 0;
  }
  const auto again = memsize::board::evaluate({" " + text + "\t", {}}, values);
  require(again.has_value() && *again == *value, "blanks around change nothing");
  const auto zero = memsize::board::evaluate({"0 + " + text, {}}, values);
  require(zero.has_value() && *zero == *value, "nothing added changes nothing");
  const auto bracketed = memsize::board::evaluate({"(" + text + ")", {}}, values);
  // Only the deepest nesting may refuse one more.
  require(bracketed ? *bracketed == *value : text.find('(') != std::string::npos,
          "brackets change nothing");
  return 0;
}
