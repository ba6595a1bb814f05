#include "memsize/core/toml_doc.hpp"

#include <algorithm>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

// Header-only and without exceptions: the packaged library is of the throwing kind.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace memsize::core {

namespace {

class Converter {
 public:
  Converter(std::string_view text, std::string path) : path_(std::move(path)) {
    std::size_t from = 0;
    while (from <= text.size()) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      std::string_view line = text.substr(from, end - from);
      if (line.ends_with('\r')) {
        line.remove_suffix(1);
      }
      lines_.emplace_back(std::string{line});
      from = end + 1;
    }
  }

  [[nodiscard]] Place place(const toml::source_region& region) const {
    Place place;
    place.path = path_;
    place.line = region.begin.line;
    place.column = region.begin.column;
    place.length = region.end.line == region.begin.line && region.end.column > region.begin.column
                       ? region.end.column - region.begin.column
                       : 1;
    if (place.line >= 1 && place.line <= lines_.size()) {
      place.text = lines_[place.line - 1];
    }
    return place;
  }

  [[nodiscard]] TomlValue convert(const toml::node& node) const {
    TomlValue value;
    value.place = place(node.source());
    if (const auto* table = node.as_table()) {
      value.kind = TomlValue::Kind::kTable;
      for (const auto& [key, child] : *table) {
        TomlField field;
        field.key = std::string{key.str()};
        field.key_place = place(key.source());
        field.value.push_back(convert(child));
        value.fields.push_back(std::move(field));
      }
      // toml++ sorts by name; a board is read in the order in which it was written.
      std::stable_sort(
          value.fields.begin(), value.fields.end(), [](const TomlField& a, const TomlField& b) {
            return std::tie(a.key_place.line, a.key_place.column) <
                   std::tie(b.key_place.line, b.key_place.column);
          });
    } else if (const auto* array = node.as_array()) {
      value.kind = TomlValue::Kind::kArray;
      for (const toml::node& item : *array) {
        value.items.push_back(convert(item));
      }
    } else if (const auto* string = node.as_string()) {
      value.kind = TomlValue::Kind::kString;
      value.string = string->get();
    } else if (const auto* integer = node.as_integer()) {
      value.kind = TomlValue::Kind::kInteger;
      value.integer = integer->get();
    } else if (const auto* boolean = node.as_boolean()) {
      value.kind = TomlValue::Kind::kBoolean;
      value.boolean = boolean->get();
    } else {
      value.kind = TomlValue::Kind::kFloat;
      value.real = node.value<double>().value_or(0);
    }
    return value;
  }

 private:
  SharedText path_;
  std::vector<SharedText> lines_;
};

}  // namespace

const TomlField* TomlValue::find(std::string_view key) const {
  const auto found = std::find_if(
      fields.begin(), fields.end(), [&](const TomlField& field) { return field.key == key; });
  return found == fields.end() ? nullptr : &*found;
}

TomlField* TomlValue::find(std::string_view key) {
  return const_cast<TomlField*>(std::as_const(*this).find(key));
}

std::string_view kind_name(TomlValue::Kind kind) {
  switch (kind) {
    case TomlValue::Kind::kString:
      return "a string";
    case TomlValue::Kind::kInteger:
      return "a whole number";
    case TomlValue::Kind::kFloat:
      return "a number or date";
    case TomlValue::Kind::kBoolean:
      return "true or false";
    case TomlValue::Kind::kArray:
      return "an array";
    case TomlValue::Kind::kTable:
      return "a table";
  }
  return "a value";
}

Result<TomlValue> parse_toml(std::string_view text, const std::string& path) {
  const Converter converter{text, path};
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& problem = parsed.error();
    return fail(error(Code::kTomlSyntax,
                      fmt::format("this is not TOML: {}", problem.description()),
                      converter.place(problem.source())));
  }
  return converter.convert(parsed.table());
}

}  // namespace memsize::core
