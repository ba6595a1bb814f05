// The schema of sizing documents against what describes itself: a key that only one of them has, or
// that is of another kind there, fails.
#include "memsize/model/describe.hpp"

#include "support.hpp"

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memsize::model::describe_test {

namespace {

using nlohmann::json;

// What a schema says of a member of the type.
template <typename Member>
json kind_of(const Member& member) {
  if constexpr (requires { member.has_value(); }) {
    return kind_of(typename Member::value_type{});
  } else if constexpr (core::Named<Member>) {
    const auto names = names_of(member);
    return {{"type", "string"}, {"enum", std::vector<std::string>(names.begin(), names.end())}};
  } else if constexpr (std::same_as<Member, bool>) {
    return {{"const", true}};
  } else if constexpr (std::same_as<Member, double>) {
    return {{"type", "number"}};
  } else if constexpr (std::same_as<Member, std::string> || std::same_as<Member, core::VirtAddr>) {
    return {{"type", "string"}};
  } else if constexpr (requires { member.begin(); }) {
    return {{"type", "array"}};
  } else {
    return {{"type", "integer"}};
  }
}

class Keys {
 public:
  static constexpr bool kReads = false;

  template <typename Member>
  void required(docs::Key key, const Member& member) {
    optional(key, member);
    required_.insert(std::string{key.name});
  }

  template <typename Member>
  void optional(docs::Key key, const Member& member, bool /*is_left_out*/ = false) {
    kinds_[std::string{key.name}] = kind_of(member);
  }

  void check(docs::Key key, bool is_good, std::string_view /*message*/) {
    CHECK(kinds_.contains(std::string{key.name}));
    CHECK(is_good);
  }

  std::map<std::string, json> kinds_;
  std::set<std::string> required_;
};

json schema() {
  std::ifstream file{test::source_folder() + "/samples/schema/sizing-1.json"};
  return json::parse(file);
}

// `derived` is what documents say of it beside, which is not read back.
template <typename Item>
void check_described(const json& schema, const std::set<std::string>& derived = {}) {
  Keys keys;
  const Item item;
  describe(keys, item);
  const json& properties = schema.at("properties");
  for (const auto& [described, kind] : keys.kinds_) {
    const std::string& key = described;
    CAPTURE(key);
    REQUIRE(properties.contains(key));
    for (const auto& [what, value] : kind.items()) {
      // The one width that is written has no type.
      const bool is_const = what == "type" && properties[key].contains("const");
      CHECK((is_const || properties[key].value(what, json{}) == value));
    }
  }
  for (const auto& property : properties.items()) {
    CAPTURE(property.key());
    CHECK(keys.kinds_.contains(property.key()) != derived.contains(property.key()));
  }
  for (const std::string& key : keys.required_) {
    CAPTURE(key);
    const auto required = schema.at("required").get<std::set<std::string>>();
    CHECK(required.contains(key));
  }
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("the schema of sizing documents has what is described, and nothing else") {
    const json whole = schema();
    const json& parts = whole.at("$defs");
    check_described<Input>(whole["properties"]["inputs"]["items"]);
    check_described<CoreRecording>(parts["core"], {"complete", "demands", "onchip"});
    check_described<Instance>(parts["instance"], {"index", "complete", "missing_records"});
    check_described<Block>(parts["block"]);
    check_described<ClassTotal>(parts["total"]);
    check_described<HeapReport>(parts["heap"]);
    check_described<Failure>(parts["failure"]);
    check_described<RunReport>(parts["run"]);
  }
}

}  // namespace memsize::model::describe_test
