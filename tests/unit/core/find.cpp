#include "memsize/core/find.hpp"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::core::find_test {

namespace {

struct Item {
  std::string name;
  int number = 0;
};

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("the item of a list that has a name, a number, or something else") {
    std::vector<Item> items = {{"a", 1}, {"b", 2}, {"b", 3}};
    find_in(items, "b", &Item::name)->number = 7;
    CHECK(items[1].number == 7);
    CHECK(find_in(items, "c", &Item::name) == nullptr);
    CHECK(find_where(items, [](const Item& item) { return item.number > 2; }) == &items[1]);
    CHECK(find_where(items, [](const Item& item) { return item.number > 9; }) == nullptr);
    CHECK(contains(items, 3, &Item::number));
    CHECK_FALSE(contains(items, 2, &Item::number));
    CHECK(contains(std::vector{1, 2}, 2));
  }

  TEST_CASE("the value of a key, and a text of each item") {
    const std::map<std::string, int> numbers = {{"one", 1}};
    CHECK(*value_in(numbers, "one") == 1);
    CHECK(value_in(numbers, "two") == nullptr);
    const std::vector<Item> items = {{"a", 1}, {"b", 2}};
    CHECK(texts_of(items, &Item::name) == std::vector<std::string>{"a", "b"});
    CHECK(texts_of(items, [](const Item& item) { return item.name + "!"; }).back() == "b!");
  }
}

}  // namespace memsize::core::find_test
