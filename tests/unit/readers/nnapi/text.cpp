// The grammar of braced records: the same operand in three skins, and texts that end anywhere.
#include "nnapi/text.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace memsize::readers::nnapi::text_test {

namespace {

using model::NnSkin;

const Value* field_of(const Tree& tree, std::string_view name) {
  return tree.field(tree.root(), name);
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("nnapi text: three skins say the same") {
  const std::string hidl = "{.type = INT32, .dimensions = [2]{3, 0}, .scale = 0.500000}";
  const std::string canonical = "Operand{.type=INT32, .dimensions=[3, 0], .scale=0.5}";
  const std::string aidl = "Operand{type: INT32, dimensions: [3, 0], scale: 0.500000}";
  for (const auto& [text, skin] : {std::pair{&hidl, NnSkin::kHidl},
                                   {&canonical, NnSkin::kCanonical},
                                   {&aidl, NnSkin::kAidl}}) {
    const Tree tree{*text, 0, skin};
    CHECK_FALSE(tree.root().is_cut);
    CHECK(tree.end() == text->size());
    CHECK(word_of(field_of(tree, "type")) == "INT32");
    CHECK(decimal_of(field_of(tree, "scale")) == 0.5);
    const Value* const dimensions = field_of(tree, "dimensions");
    REQUIRE(dimensions != nullptr);
    REQUIRE(dimensions->items.size() == 2);
    CHECK(unsigned_of(&tree.at(dimensions->items[0])) == 3);
    CHECK(unsigned_of(&tree.at(dimensions->items[1])) == 0);
  }
}

TEST_CASE("nnapi text: what was announced and what is there") {
  const Tree fewer{"[3]{1, 2}", 0, NnSkin::kHidl};
  CHECK(fewer.root().announced == 3);
  CHECK(fewer.root().has_more);
  CHECK_FALSE(fewer.root().is_cut);
  const Tree dots{"[0, 1, 2...]", 0, NnSkin::kCanonical};
  CHECK(dots.root().has_more);
  REQUIRE(dots.root().items.size() == 3);
  CHECK(unsigned_of(&dots.at(dots.root().items[2])) == 2);
}

TEST_CASE("nnapi text: a number at the end of the text is none") {
  const std::string whole = "[2]{12, 345}";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Tree tree{std::string_view{whole}.substr(0, length), 0, NnSkin::kHidl};
    CAPTURE(length);
    CHECK(tree.root().is_cut);
    for (const std::size_t item : tree.root().items) {
      const auto number = unsigned_of(&tree.at(item));
      CHECK((!number || *number == 12));
    }
  }
}

TEST_CASE("nnapi text: raw bytes of extensions may be anything") {
  using namespace std::string_literals;
  const std::string text = "Operand{.extraParams=Operand::ExtraParams{[}, \n, \0, ]]}, .scale=1}"s;
  const Tree tree{text, 0, NnSkin::kCanonical};
  CHECK_FALSE(tree.root().is_cut);
  CHECK(decimal_of(field_of(tree, "scale")) == 1.0);
  for (std::size_t length = 0; length < text.size(); ++length) {
    CHECK(Tree{std::string_view{text}.substr(0, length), 0, NnSkin::kCanonical}.root().is_cut);
  }
}

TEST_CASE("nnapi text: bytes of values are counted, over lines, too") {
  const Tree aidl{"M{operandValues: [1, 2,\n3, -4], scale: 1.0}", 0, NnSkin::kAidl};
  const Value* const values = field_of(aidl, "operandValues");
  REQUIRE(values != nullptr);
  CHECK(values->announced == 4);
  CHECK_FALSE(aidl.root().is_cut);
}

TEST_CASE("nnapi text: words are numbers or not") {
  const auto number = [](const char* text) {
    const Tree tree{text, 0, NnSkin::kHidl};
    return unsigned_of(tree.field(tree.root(), "a"));
  };
  CHECK(number("{.a = 0x27}") == 0x27);
  CHECK(number("{.a = 18446744073709551615}") == UINT64_MAX);
  CHECK_FALSE(number("{.a = 18446744073709551616}"));
  CHECK_FALSE(number("{.a = -1}"));
  CHECK_FALSE(number("{.a = }"));
  CHECK_FALSE(number("{.a = 1 2}"));
  const Tree flags{"{.a = 1, .b = false, .c = 2}", 0, NnSkin::kHidl};
  CHECK(flag_of(field_of(flags, "a")) == true);
  CHECK(flag_of(field_of(flags, "b")) == false);
  CHECK_FALSE(flag_of(field_of(flags, "c")));
  CHECK(signed_of(field_of(flags, "c")) == 2);
}

TEST_CASE("nnapi text: what is nested too deeply counts as cut") {
  std::string deep;
  for (int i = 0; i < 100000; ++i) {
    deep += "{.a = ";
  }
  CHECK(Tree{deep, 0, NnSkin::kHidl}.root().is_cut);
}

TEST_SUITE_END();

}  // namespace memsize::readers::nnapi::text_test
