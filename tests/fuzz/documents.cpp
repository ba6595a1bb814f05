// Any bytes as a document, of each of the three kinds: an error with a place, or a tree in which
// every value stands in its text, has a path that leads to it, and survives being copied.
#include "memsize/docs/parse.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

using memsize::fuzz::require;

namespace {

using memsize::docs::Document;
using memsize::docs::Kind;
using memsize::docs::Value;

constexpr std::size_t kMost = 4096;

void check_value(Value value, std::size_t lines) {
  const memsize::core::Place place = value.place();
  require(place.line >= 1 && place.line <= lines, "a value stands in a line of its text");
  require(place.column >= 1, "a value has a column");
  require(value.position().line == place.line, "both places are one");
  // The path of a key without letters is empty.
  require(!value.shown().empty() && value.path().size() <= kMost * 50, "a value can be spoken of");
  std::size_t items = 0;
  for (const Value item : value) {
    if (value.is(Kind::kTable)) {
      require(value[item.key()].key_place() == item.key_place(), "a key leads to its value");
    }
    check_value(item, lines);
    ++items;
  }
  require(items == value.size(), "a value knows how many it contains");
}

void check_same(Value a, Value b) {
  require(a.kind() == b.kind() && a.text() == b.text() && a.size() == b.size(), "a copy is equal");
  require(a.place() == b.place(), "a copy stands where its value stands");
  for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right) {
    require((*left).key() == (*right).key(), "a copy has the keys in order");
    check_same(*left, *right);
  }
}

void check(const memsize::core::Result<Document>& document, std::size_t lines) {
  if (!document) {
    require(memsize::core::has_errors(document.error()), "a failure has errors");
    return;
  }
  const Value root = document->root();
  if (root.place().line != 0) {
    check_value(root, lines);
  }
  if (root.is(Kind::kTable)) {
    const Document copy = memsize::docs::merged({root, Value{}});
    const Document again = memsize::docs::merged({Value{}, copy.root()});
    require(copy.root().size() == root.size(), "nothing over a table is the table");
    for (auto left = copy.root().begin(), right = again.root().begin(); left != copy.root().end();
         ++left, ++right) {
      check_same(*left, *right);
    }
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(documents) {
  const std::string text{reinterpret_cast<const char*>(data), std::min(size, kMost)};
  const auto lines = 1 + static_cast<std::size_t>(std::ranges::count(text, '\n'));
  check(memsize::docs::parse_json(text, "a.json", memsize::core::Code::kPlanSyntax), lines);
  check(memsize::docs::parse_toml(text, "a.toml"), lines);
  check(memsize::docs::parse_yaml(text, "a.yaml"), lines);
  return 0;
}
