// Reads JSON that memsize wrote and a user may have edited.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/json.hpp"
#include "memsize/core/text.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

using core::Json;

// Members of a JSON object that a user may have edited: each is asked for with its type, and what
// is missing or of another type is an error that names it.
class Fields {
 public:
  // nullptr: what is asked for was said to be missing.
  Fields(const Json* json, std::string at, core::Place place, core::Diagnostics& errors)
      : json_(json), at_(std::move(at)), place_(std::move(place)), errors_(errors) {}

  [[nodiscard]] bool has(const char* key) const { return json_ != nullptr && json_->contains(key); }

  std::string text(const char* key) {
    const Json* value = member(key);
    return expect(text_of(value) != nullptr, key, "a string", value)
               ? core::printable(*text_of(value), 100)
               : std::string{};
  }

  // A text that is one of `words`.
  std::string one_of(const char* key, const std::set<std::string>& words) {
    const Json* value = member(key);
    const bool known = text_of(value) != nullptr && words.contains(*text_of(value));
    const std::string kinds = core::join({words.begin(), words.end()}, " or ");
    return expect(known, key, kinds.c_str(), value) ? *text_of(value) : std::string{};
  }

  bool flag(const char* key) {
    const Json* value = member(key);
    const bool* truth = value == nullptr ? nullptr : value->boolean();
    return expect(truth != nullptr, key, "true or false", value) && *truth;
  }

  std::uint64_t number(const char* key) { return whole(key, member(key)); }

  // A whole number up to `last`.
  unsigned small(const char* key, unsigned last) {
    const Json* value = member(key);
    const std::uint64_t number = whole(key, value);
    const bool fits = number <= last;
    const std::string kind = fmt::format("at most {}", last);
    return expect(fits, key, kind.c_str(), value) ? static_cast<unsigned>(number) : 0;
  }

  std::uint64_t address(const char* key) { return hexadecimal(key, member(key)); }

  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> list;
    const Json* value = member(key);
    if (expect(value != nullptr && value->is_array(), key, "an array", value)) {
      for (const Json& item : value->items()) {
        if (expect(item.text() != nullptr, key, "an array of strings", &item)) {
          list.push_back(core::printable(*item.text(), 100));
        }
      }
    }
    return list;
  }

  // Whole numbers, as the attributes that sysconfig calls MAIR0 and so on.
  std::set<std::string> attributes(const char* key) {
    std::set<std::string> names;
    const Json* value = member(key);
    if (expect(value != nullptr && value->is_array(), key, "an array", value)) {
      for (const Json& item : value->items()) {
        names.insert(fmt::format("MAIR{}", whole(key, &item)));
      }
    }
    return names;
  }

  Fields object(const char* key) {
    const Json* value = member(key);
    expect(value != nullptr && value->is_object(), key, "an object", value);
    return {value, name(key), place_, errors_};
  }

  std::vector<Fields> items(const char* key) {
    std::vector<Fields> list;
    const Json* value = member(key);
    if (expect(value != nullptr && value->is_array(), key, "an array", value)) {
      for (std::size_t i = 0; i < value->size(); ++i) {
        list.emplace_back(&value->items()[i], fmt::format("{}[{}]", name(key), i), place_, errors_);
      }
    }
    return list;
  }

  // Names with texts.
  std::map<std::string, std::string> text_map(const char* key) {
    std::map<std::string, std::string> map;
    const Json* value = member(key);
    if (expect(value != nullptr && value->is_object(), key, "an object", value)) {
      for (const auto& [inner, item] : value->members()) {
        const std::string full = fmt::format("{}.{}", key, core::printable(inner, 100));
        if (expect(item.text() != nullptr, full, "a string", &item)) {
          map.emplace(inner, core::printable(*item.text(), 100));
        }
      }
    }
    return map;
  }

  // Names with whole numbers or hexadecimal addresses.
  std::vector<std::pair<std::string, std::uint64_t>> numbers(const char* key) {
    std::vector<std::pair<std::string, std::uint64_t>> list;
    const Json* value = member(key);
    if (expect(value != nullptr && value->is_object(), key, "an object", value)) {
      for (const auto& [inner, item] : value->members()) {
        const std::string full = fmt::format("{}.{}", key, core::printable(inner, 100));
        list.emplace_back(core::printable(inner, 100),
                          item.text() != nullptr ? hexadecimal(full, &item) : whole(full, &item));
      }
    }
    return list;
  }

 private:
  [[nodiscard]] std::string name(const std::string& key) const {
    return at_.empty() ? key : fmt::format("{}.{}", at_, key);
  }

  static const std::string* text_of(const Json* value) {
    return value == nullptr ? nullptr : value->text();
  }

  const Json* member(const char* key) {
    if (has(key)) {
      return json_->find(key);
    }
    // One error an object: what lacks one member is no object of ours.
    if (json_ != nullptr && !complained_) {
      complain(fmt::format("'{}' is missing", name(key)));
      complained_ = true;
    }
    return nullptr;
  }

  bool expect(bool good, const std::string& key, const char* kind, const Json* value) {
    if (!good && value != nullptr) {
      complain(fmt::format(
          "{}: it must be {}, not {}", name(key), kind, core::printable(value->compact(), 40)));
    }
    return good;
  }

  std::uint64_t whole(const std::string& key, const Json* value) {
    const std::uint64_t* number = value == nullptr ? nullptr : value->whole();
    return expect(number != nullptr, key, "a whole number", value) ? *number : 0;
  }

  std::uint64_t hexadecimal(const std::string& key, const Json* value) {
    const std::string* text = text_of(value);
    const auto parsed =
        text != nullptr ? core::parse_address(*text) : core::Result<std::uint64_t>{0};
    expect(text != nullptr && parsed.has_value(), key, "a hexadecimal address", value);
    return parsed ? *parsed : 0;
  }

  void complain(const std::string& what) {
    errors_.push_back(core::error(
        core::Code::kVerifyParse, what, place_, "write the map again with: memsize emit"));
  }

  const Json* json_;
  std::string at_;
  core::Place place_;
  core::Diagnostics& errors_;
  bool complained_ = false;
};

}  // namespace memsize::emit
