#include "memsize/docs/describe.hpp"

#include "memsize/docs/parse.hpp"

#include "support.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::docs::describe_test {

namespace {

using core::Code;

enum class Colour { kRed, kGreen, kBlue };

constexpr auto names_of(Colour /*all*/) {
  return std::to_array<std::string_view>({"red", "green", "blue"});
}

struct Leaf {
  std::uint32_t number = 0;
  std::size_t tree = 0;
  std::string name;
  Colour colour = Colour::kBlue;
};

struct Tree {
  std::string kind;
  core::Bytes size;
  core::Align alignment;
  std::optional<core::VirtAddr> address;
  std::optional<double> height;
  bool old = false;
  std::size_t times = 1;
  std::vector<std::string> birds;
  std::vector<Leaf> leaves;
};

template <typename Visitor>
void describe(Visitor& visit, Of<Leaf> auto& leaf) {
  visit.required({"number", Role::kUnique}, leaf.number);
  visit.optional({"tree", Role::kIndex}, leaf.tree, false);
  visit.optional({"name", Role::kName}, leaf.name);
  visit.required("colour", leaf.colour);
}

template <typename Visitor>
void describe(Visitor& visit, Of<Tree> auto& tree) {
  visit.required({"kind", Role::kIdentifier}, tree.kind);
  visit.required("size_bytes", tree.size);
  visit.optional("alignment", tree.alignment, tree.alignment.value() == 1);
  visit.optional("address", tree.address);
  visit.optional("height", tree.height);
  visit.optional("old", tree.old);
  visit.optional("times", tree.times, tree.times == 1);
  visit.check("times", tree.times != 0, "it must be at least 1");
  visit.optional("birds", tree.birds);
  visit.required("leaves", tree.leaves);
}

Tree read(std::string_view text, core::Diagnostics& errors) {
  const auto document = parse_json(text, "a.json", Code::kVerifyParse);
  REQUIRE(document);
  const Voice voice = Voice::of(Code::kVerifyParse);
  Tree tree;
  Reader reader{Fields{document->root(), {}, errors, voice}, 3};
  describe(reader, tree);
  return tree;
}

std::string written(const Tree& tree) {
  return Writer::json_of(tree).compact();
}

// What is said of a tree with other members.
std::string refused(std::string_view members) {
  core::Diagnostics errors;
  (void)read("{" + std::string{members} + "}", errors);
  std::string all;
  for (const core::Diagnostic& error : errors) {
    all += error.message + "\n";
  }
  return all;
}

constexpr std::string_view kLeast = R"({"kind":"oak","size_bytes":0,"leaves":[]})";
constexpr std::string_view kMost =
    R"({"kind":"oak","size_bytes":9007199254740992,"alignment":128,"address":"0x1f0000000",)"
    R"("height":1.5,"old":true,"times":2,"birds":["owl"],)"
    R"("leaves":[{"number":4294967295,"tree":3,"name":"a","colour":"green"},)"
    R"({"number":0,"tree":0,"colour":"red"}]})";

}  // namespace

TEST_SUITE("docs") {
  TEST_CASE("what is described is read back as it was written") {
    for (const std::string_view text : {kLeast, kMost}) {
      core::Diagnostics errors;
      CHECK(written(read(text, errors)) == text);
      CHECK(errors.empty());
    }
  }

  TEST_CASE("what is not there stays as it is, and is written where it says something") {
    core::Diagnostics errors;
    const Tree tree = read(kLeast, errors);
    CHECK(tree.times == 1);
    CHECK(tree.alignment.value() == 1);
    CHECK_FALSE(tree.address.has_value());
    CHECK(written(Tree{}) == R"({"kind":"","size_bytes":0,"leaves":[]})");
    core::Diagnostics none;
    const Tree leaf =
        read(R"({"kind":"oak","size_bytes":0,"leaves":[{"number":1,"colour":"red"}]})", none);
    CHECK(test::contains(written(leaf), R"({"number":1,"tree":0,"colour":"red"})"));
  }

  TEST_CASE("a name of somebody else's is cut") {
    core::Diagnostics errors;
    const Tree tree = read(R"({"kind":"oak","size_bytes":0,"leaves":[{"number":1,"name":")" +
                               std::string(100, 'x') + R"(","colour":"red"}]})",
                           errors);
    CHECK(errors.empty());
    CHECK(tree.leaves.at(0).name.size() < 50);
  }

  TEST_CASE("every mistake is told, with its path") {
    CHECK(refused("") ==
          "document: 'kind' is missing\n"
          "document: 'size_bytes' is missing\n"
          "document: 'leaves' is missing\n");
    const std::string good = R"("kind": "oak", "size_bytes": 0, "leaves": [])";
    const auto with = [&](std::string_view from, std::string_view to) {
      return refused(test::with(good, from, to));
    };
    const auto also = [&](std::string_view member) {
      return refused(good + ", " + std::string{member});
    };
    CHECK(refused(good).empty());
    CHECK(with("\"oak\"", "5") == "kind: it must be a string, not 5\n");
    CHECK(with("oak", "an oak") == "kind: it must be a name such as ddr, not 'an oak'\n");
    CHECK(with("0", "-1") ==
          "size_bytes: it must be a whole number from 0 to 9007199254740992, not -1\n");
    CHECK(with("[]", "{}") == "leaves: it must be an array, not an object\n");
    CHECK(with("[]", "[7]") == "leaves[0]: it must be an object, not 7\n");
    CHECK(also("\"alignment\": 3") == "alignment: 3 is not a power of two\n");
    CHECK(test::contains(also("\"alignment\": -1"), "it must be a whole number"));
    CHECK(also("\"address\": \"x\"") == "address: it must be a hexadecimal address, not 'x'\n");
    CHECK(also("\"height\": -1.5") ==
          "height: it must be a number that is not negative, not -1.5\n");
    CHECK(also("\"old\": 1") == "old: it must be true or false, not 1\n");
    CHECK(also("\"times\": 0") == "times: it must be at least 1\n");
    CHECK(also("\"birds\": [5]") == "birds[0]: it must be a string, not 5\n");
    const auto leaves = [&](std::string_view items) {
      return with("[]", "[" + std::string{items} + "]");
    };
    CHECK(leaves(R"({"number": 1, "colour": "pink"})") ==
          "leaves[0].colour: it must be red, green or blue, not 'pink'\n");
    CHECK(leaves(R"({"number": 4294967296, "colour": "red"})") ==
          "leaves[0].number: it must be a whole number from 0 to 4294967295, not 4294967296\n");
    CHECK(leaves(R"({"number": 1, "tree": 4, "colour": "red"})") ==
          "leaves[0].tree: it must be a whole number from 0 to 3, not 4\n");
    CHECK(leaves(R"({"number": 1, "colour": "red"}, {"number": 1, "colour": "red"})") ==
          "leaves[1].number: number 1 stands twice in one table\n");
  }
}

}  // namespace memsize::docs::describe_test
