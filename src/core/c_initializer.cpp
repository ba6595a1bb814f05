// Hands over the entries of a table one by one, each as its fields by name, with their places.
// Inner braces only group: their fields count as the entry's own, and none may be set twice.
#include "memsize/core/c_initializer.hpp"

#include "memsize/core/text.hpp"

#include <optional>

#include <fmt/format.h>

namespace memsize::core {

namespace {

class Table {
 public:
  Table(Cursor& cursor, const CTableRules& rules) : cursor_(cursor), rules_(rules) {}

  bool run(const CEntry& entry) {
    if (!cursor_.expect("{")) {
      return false;
    }
    while (!cursor_.done() && cursor_.peek() != "}") {
      const Place place = cursor_.place();
      CFields fields;
      if (!cursor_.expect("{") || !read_fields(fields, false) || !entry(fields, place)) {
        return false;
      }
      if (cursor_.peek() != "}" && !cursor_.expect(",")) {
        return false;
      }
    }
    return cursor_.expect("}");
  }

 private:
  // Up to the closing brace.
  bool read_fields(CFields& fields, bool is_inner) {
    while (!cursor_.done() && cursor_.peek() != "}") {
      const Place begin = cursor_.place();
      const std::string name = designator();
      const Place place = cursor_.place_since(begin);
      if (!name.empty() && !cursor_.expect("=")) {
        return false;
      }
      if (cursor_.peek() == "{" && !is_inner) {
        cursor_.take();
        if (!read_fields(fields, true)) {
          return false;
        }
      } else if (!read_value(fields, name, place)) {
        return false;
      }
      if (cursor_.peek() != "}" && !cursor_.expect(",")) {
        return false;
      }
    }
    return cursor_.expect("}");
  }

  // ".name", or the last name of ".outer.name", whether the cursor's words have dots or not.
  std::string designator() {
    std::string name;
    while (cursor_.peek().starts_with('.')) {
      const std::string word = cursor_.take();
      name = word == "." ? cursor_.take() : word.substr(word.rfind('.') + 1);
    }
    return name;
  }

  bool read_value(CFields& fields, const std::string& name, const Place& place) {
    const bool is_known = rules_.fields.contains(name);
    if (!name.empty() && !is_known && rules_.skips_others) {
      skip_value();
      return true;
    }
    const Place begin = cursor_.place();
    const std::optional<std::uint64_t> value = c_expression(cursor_, rules_.values);
    if (!value) {
      return false;
    }
    if (name.empty()) {
      // A lone zero stands for an entry without anything.
      if (*value == 0 && fields.empty()) {
        return true;
      }
      cursor_.wrong("a field with its name is expected here", begin);
      return false;
    }
    const CField field{*value, place, cursor_.place_since(begin)};
    if (is_known && fields.emplace(name, field).second) {
      return true;
    }
    cursor_.wrong(
        fmt::format("there is no field '{}' here, or it is set twice", printable(name, 40)), place);
    return false;
  }

  // Up to the comma behind it, or to the brace that ends the fields.
  void skip_value() {
    std::size_t open = 0;
    while (!cursor_.done()) {
      const std::string_view next = cursor_.peek();
      if (open == 0 && (next == "," || next == "}")) {
        return;
      }
      open += next == "(" || next == "{" || next == "[" ? 1U : 0U;
      open -= open > 0 && (next == ")" || next == "}" || next == "]") ? 1U : 0U;
      cursor_.take();
    }
  }

  Cursor& cursor_;
  const CTableRules& rules_;
};

}  // namespace

bool c_table(Cursor& cursor, const CTableRules& rules, const CEntry& entry) {
  return Table{cursor, rules}.run(entry);
}

std::uint64_t c_field(Cursor& cursor,
                      const CFields& fields,
                      const std::string& name,
                      std::uint64_t limit) {
  const auto found = fields.find(name);
  if (found == fields.end()) {
    return 0;
  }
  if (found->second.number >= limit) {
    cursor.wrong(fmt::format("'{}' of {} is too large: at most {} is possible",
                             name,
                             format_hex(found->second.number),
                             format_hex(limit - 1)),
                 found->second.place);
    return 0;
  }
  return found->second.number;
}

}  // namespace memsize::core
