#include "memsize/model/recording.hpp"

#include "sizing/sizing_support.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::model::copies_test {

namespace {

Recording one_log(const std::string& path, Instance instance) {
  Recording recording = test::recording_of("c7x_2", {std::move(instance)});
  recording.inputs.front().path = path;
  return recording;
}

Recording together(const std::vector<Recording>& logs) {
  Recording all;
  for (const Recording& log : logs) {
    append(all, log);
  }
  sort(all);
  count_once(all);
  return all;
}

Instance further_down(Instance instance) {
  instance.line += 7;
  for (Block& block : instance.blocks) {
    block.line += 7;
  }
  return instance;
}

core::Diagnostic at(const std::string& path) {
  core::Place place;
  place.path = path;
  place.line = 3;
  return core::warning(core::Code::kReadBadRecord, "damaged", place);
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("inputs that say the same count once, under the first name") {
    const Instance placed = test::appnote_instance(true);
    const Recording all = together({one_log("c.log", placed),
                                    one_log("a.log", further_down(placed)),
                                    one_log("b.log", placed)});
    REQUIRE(all.inputs.size() == 1);
    CHECK(all.inputs[0].path == "a.log");
    CHECK(all.inputs[0].copies == std::vector<std::string>{"b.log", "c.log"});
    REQUIRE(all.cores.at(0).instances.size() == 1);
    CHECK(all.cores[0].instances[0].input == 0);
    CHECK(all.cores[0].instances[0].line == further_down(placed).line);
  }

  TEST_CASE("what was joined before joins the same") {
    const Instance placed = test::appnote_instance(true);
    const Recording all = together({together({one_log("c.log", placed), one_log("b.log", placed)}),
                                    one_log("a.log", placed),
                                    one_log("b.log", placed)});
    REQUIRE(all.inputs.size() == 1);
    CHECK(all.inputs[0].path == "a.log");
    CHECK(all.inputs[0].copies == std::vector<std::string>{"b.log", "b.log", "c.log"});
  }

  TEST_CASE("another size, place or kind of anything is another run") {
    const Instance placed = test::appnote_instance(true);
    Instance larger = placed;
    larger.blocks[5].size = measured_exactly(core::Bytes{1});
    Instance moved = placed;
    moved.blocks[5].address = PrintedAddress::low(moved.blocks[5].address->value() + 64);
    Instance whole = placed;
    whole.blocks[5].address = PrintedAddress::whole(whole.blocks[5].address->value());
    Instance kept = placed;
    kept.blocks[6].lifetime = Lifetime::kPersistent;
    for (const Instance& other : {larger, moved, whole, kept}) {
      CHECK(together({one_log("a.log", placed), one_log("b.log", other)}).inputs.size() == 2);
    }
    Recording timed = one_log("b.log", placed);
    timed.runs.emplace_back().init_ms = 3;
    CHECK(together({one_log("a.log", placed), timed}).inputs.size() == 2);
  }

  TEST_CASE("without addresses only what stands in the same lines is the same") {
    const Instance bare = test::appnote_instance(false);
    CHECK(together({one_log("a.log", bare), one_log("b.log", bare)}).inputs.size() == 1);
    CHECK(together({one_log("a.log", bare), one_log("b.log", further_down(bare))}).inputs.size() ==
          2);
  }

  TEST_CASE("inputs that say nothing are not the same") {
    Recording silent;
    silent.inputs.emplace_back().path = "a.log";
    CHECK(together({silent, silent}).inputs.size() == 2);
  }

  TEST_CASE("what was said of a copy's lines is said once") {
    const Instance placed = test::appnote_instance(true);
    Recording a = one_log("a.log", placed);
    Recording b = one_log("b.log", placed);
    a.diagnostics = {at("a.log")};
    b.diagnostics = {at("b.log")};
    const Recording copied = together({a, b});
    REQUIRE(copied.diagnostics.size() == 1);
    CHECK(copied.diagnostics[0].place.path.str() == "a.log");
    CHECK(together({a, a}).diagnostics.size() == 1);
    CHECK(together({a, one_log("z.log", test::appnote_instance(false))}).diagnostics.size() == 1);
  }

  TEST_CASE("what was said of copies is told apart by what it is about, or else by its words") {
    const auto count = [](const core::Diagnostic& first, const core::Diagnostic& second) {
      Recording a = one_log("a.log", test::appnote_instance(true));
      Recording b = a;
      a.diagnostics = {first};
      b.diagnostics = {second};
      return together({a, b}).diagnostics.size();
    };
    const core::Diagnostic bare = at("a.log");
    core::Diagnostic reworded = bare;
    reworded.message = "this is damaged";
    const auto about = [](core::Diagnostic of, const char* core) {
      return std::move(of).about({{"core", core}});
    };
    CHECK(count(bare, reworded) == 2);
    CHECK(count(about(bare, "c7x_1"), about(reworded, "c7x_1")) == 1);
    CHECK(count(about(bare, "c7x_1"), about(bare, "c7x_2")) == 2);
    // One of an older document does not tell.
    CHECK(count(about(bare, "c7x_1"), bare) == 1);
    CHECK(count(bare, about(reworded, "c7x_1")) == 2);
  }
}

}  // namespace memsize::model::copies_test
