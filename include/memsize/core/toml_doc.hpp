// TOML with places. A file becomes a tree of plain values in which every key and every value knows
// where it was written, so that a mistake found much later can still point at its text.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::core {

struct TomlValue;

struct TomlField {
  std::string key;
  Place key_place;
  // Out of line because the type is recursive.
  std::vector<TomlValue> value;

  [[nodiscard]] const TomlValue& get() const { return value.front(); }

  [[nodiscard]] TomlValue& get() { return value.front(); }
};

struct TomlValue {
  enum class Kind { kString, kInteger, kFloat, kBoolean, kArray, kTable };

  Kind kind = Kind::kTable;
  std::string string;
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::vector<TomlValue> items;
  /// In the order of the file.
  std::vector<TomlField> fields;
  Place place;

  [[nodiscard]] const TomlField* find(std::string_view key) const;
  [[nodiscard]] TomlField* find(std::string_view key);
};

[[nodiscard]] std::string_view kind_name(TomlValue::Kind kind);

/// Parses `text`; `path` is what places say.
[[nodiscard]] Result<TomlValue> parse_toml(std::string_view text, const std::string& path);

}  // namespace memsize::core
