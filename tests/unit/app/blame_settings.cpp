#include "blame_settings.hpp"

#include <doctest/doctest.h>

namespace memsize::app {

namespace {

core::Diagnostics blamed(core::Parties parties) {
  board::Board board;
  board::Chain chain;
  chain.name = "heaps";
  board::Item item;
  item.name = "HEAP_2";
  item.size.text = "heap_2_size";
  chain.items = {item, {}};
  chain.items.back().name = "LAST";
  chain.items.back().size.text = "last_size";
  board.chains = {chain};
  core::Place place;
  place.path = "board.toml";
  place.line = 3;
  core::Diagnostics errors = {
      core::error(core::Code::kLayoutOverlap, "'HEAP_2' is odd: heap_2_size", place)
          .about(std::move(parties))};
  blame_settings(board, {}, {"heap=1MiB", "last_size=1MiB", "heap_2_size=2MiB"}, errors);
  return errors;
}

}  // namespace

TEST_CASE("an error is blamed on the setting that moves what it is about") {
  CHECK(blamed({{"region", "HEAP_2"}}).front().option == "--set heap_2_size");
  // What stands behind it does not move it.
  CHECK(blamed({{"region", "LAST"}}).front().option == "--set last_size");
  CHECK(blamed({{"chain", "heaps"}}).front().option == "--set last_size");
  CHECK(blamed({{"chain", "heaps"}, {"knob", "heap_2_size"}}).front().option ==
        "--set heap_2_size");
  CHECK(blamed({{"knob", "heap"}}).front().option == "--set heap");
  // One knob's name may be the beginning of another's.
  CHECK(blamed({{"knob", "heap_2_size"}}).front().option == "--set heap_2_size");
  CHECK(blamed({{"core", "heap"}}).front().option.empty());
}

}  // namespace memsize::app
