// Reads JSON that memsize wrote and a user may have edited.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/text.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::emit {

using Document = nlohmann::json;

// Members of a JSON object that a user may have edited: each is asked for with its type, and what
// is missing or of another type is an error that names it.
class Fields {
 public:
  Fields(const Document& json, std::string at, core::Place place, core::Diagnostics& errors)
      : json_(json), at_(std::move(at)), place_(std::move(place)), errors_(errors) {}

  [[nodiscard]] bool has(const char* key) const { return json_.is_object() && json_.contains(key); }

  std::string text(const char* key) {
    const Document& value = member(key);
    return expect(value.is_string(), key, "a string", value)
               ? core::printable(value.get<std::string>(), 100)
               : std::string{};
  }

  // A text that is one of `words`.
  std::string one_of(const char* key, const std::set<std::string>& words) {
    const Document& value = member(key);
    const bool known = value.is_string() && words.contains(value.get<std::string>());
    const std::string kinds = core::join({words.begin(), words.end()}, " or ");
    return expect(known, key, kinds.c_str(), value) ? value.get<std::string>() : std::string{};
  }

  bool flag(const char* key) {
    const Document& value = member(key);
    return expect(value.is_boolean(), key, "true or false", value) && value.get<bool>();
  }

  std::uint64_t number(const char* key) { return whole(key, member(key)); }

  // A whole number up to `last`.
  unsigned small(const char* key, unsigned last) {
    const Document& value = member(key);
    const std::uint64_t number = whole(key, value);
    const bool fits = number <= last;
    const std::string kind = fmt::format("at most {}", last);
    return expect(fits, key, kind.c_str(), value) ? static_cast<unsigned>(number) : 0;
  }

  std::uint64_t address(const char* key) { return hexadecimal(key, member(key)); }

  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> list;
    const Document& value = member(key);
    if (expect(value.is_array(), key, "an array", value)) {
      for (const Document& item : value) {
        if (expect(item.is_string(), key, "an array of strings", item)) {
          list.push_back(core::printable(item.get<std::string>(), 100));
        }
      }
    }
    return list;
  }

  // Whole numbers, as the attributes that sysconfig calls MAIR0 and so on.
  std::set<std::string> attributes(const char* key) {
    std::set<std::string> names;
    const Document& value = member(key);
    if (expect(value.is_array(), key, "an array", value)) {
      for (const Document& item : value) {
        names.insert(fmt::format("MAIR{}", whole(key, item)));
      }
    }
    return names;
  }

  Fields object(const char* key) {
    const Document& value = member(key);
    expect(value.is_object(), key, "an object", value);
    return {value, name(key), place_, errors_};
  }

  std::vector<Fields> items(const char* key) {
    std::vector<Fields> list;
    const Document& value = member(key);
    if (expect(value.is_array(), key, "an array", value)) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        list.emplace_back(value[i], fmt::format("{}[{}]", name(key), i), place_, errors_);
      }
    }
    return list;
  }

  // Names with texts.
  std::map<std::string, std::string> text_map(const char* key) {
    std::map<std::string, std::string> map;
    const Document& value = member(key);
    if (expect(value.is_object(), key, "an object", value)) {
      for (const auto& [inner, item] : value.items()) {
        const std::string full = fmt::format("{}.{}", key, core::printable(inner, 100));
        if (expect(item.is_string(), full, "a string", item)) {
          map.emplace(inner, core::printable(item.get<std::string>(), 100));
        }
      }
    }
    return map;
  }

  // Names with whole numbers or hexadecimal addresses.
  std::vector<std::pair<std::string, std::uint64_t>> numbers(const char* key) {
    std::vector<std::pair<std::string, std::uint64_t>> list;
    const Document& value = member(key);
    if (expect(value.is_object(), key, "an object", value)) {
      for (const auto& [inner, item] : value.items()) {
        const std::string full = fmt::format("{}.{}", key, core::printable(inner, 100));
        list.emplace_back(core::printable(inner, 100),
                          item.is_string() ? hexadecimal(full, item) : whole(full, item));
      }
    }
    return list;
  }

 private:
  [[nodiscard]] std::string name(const std::string& key) const {
    return at_.empty() ? key : fmt::format("{}.{}", at_, key);
  }

  const Document& member(const char* key) {
    static const Document nothing = Document(Document::value_t::discarded);
    if (has(key)) {
      return json_.at(key);
    }
    // One error an object: what lacks one member is no object of ours.
    if (!json_.is_discarded() && !complained_) {
      complain(fmt::format("'{}' is missing", name(key)));
      complained_ = true;
    }
    return nothing;
  }

  bool expect(bool good, const std::string& key, const char* kind, const Document& value) {
    if (!good && !value.is_discarded()) {
      complain(fmt::format("{}: it must be {}, not {}", name(key), kind, shown(value)));
    }
    return good;
  }

  std::uint64_t whole(const std::string& key, const Document& value) {
    return expect(value.is_number_unsigned(), key, "a whole number", value)
               ? value.get<std::uint64_t>()
               : 0;
  }

  std::uint64_t hexadecimal(const std::string& key, const Document& value) {
    const auto parsed = value.is_string() ? core::parse_address(value.get<std::string>())
                                          : core::Result<std::uint64_t>{0};
    expect(value.is_string() && parsed.has_value(), key, "a hexadecimal address", value);
    return parsed ? *parsed : 0;
  }

  static std::string shown(const Document& value) {
    return core::printable(value.dump(-1, ' ', true, Document::error_handler_t::replace), 40);
  }

  void complain(const std::string& what) {
    errors_.push_back(core::error(
        core::Code::kVerifyParse, what, place_, "write the map again with: memsize emit"));
  }

  const Document& json_;
  std::string at_;
  core::Place place_;
  core::Diagnostics& errors_;
  bool complained_ = false;
};

}  // namespace memsize::emit
