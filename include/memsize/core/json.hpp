// JSON as a value: built member by member, printed, and read where nobody asks for places.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memsize::core {

class JsonItem;

/// Members keep the order in which they were added. Copies are deep.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  /// null, which becomes an object or an array with the first member or item.
  Json() = default;

  // NOLINTBEGIN(google-explicit-constructor): values are written as they are.
  Json(std::same_as<bool> auto value) : value_(value) {}

  template <std::integral Number>

  requires(!std::same_as<Number, bool>) Json(Number value) {
    if constexpr (std::signed_integral<Number>) {
      if (value < 0) {
        value_ = std::int64_t{value};
        return;
      }
    }
    value_ = static_cast<std::uint64_t>(value);
  }

  Json(double value) : value_(value) {}

  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  Json(std::vector<std::string> texts);

  /// Numbers.
  template <typename List>

  requires std::integral<typename List::value_type> &&
      (!std::convertible_to<const List&, std::string_view>)Json(const List& numbers)
      : Json(Array(numbers.begin(), numbers.end())) {}

  Json(Array items);
  /// {{"key", value}, ...} is an object, {item, ...} an array, of one item too.
  Json(std::initializer_list<JsonItem> items);
  // NOLINTEND(google-explicit-constructor)

  Json(const Json& other);
  Json(Json&& other) noexcept = default;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept = default;
  ~Json() = default;

  [[nodiscard]] static Json array();

  /// What a function makes of each item.
  template <typename Items, typename Make>
  [[nodiscard]] static Json array(const Items& items, Make make) {
    Array made;
    for (const auto& item : items) {
      made.push_back(make(item));
    }
    return made;
  }

  [[nodiscard]] static Json object();

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }

  [[nodiscard]] bool is_array() const { return holds<Array>(); }

  [[nodiscard]] bool is_object() const { return holds<Object>(); }

  /// nullptr where it is of another kind.
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&value_); }

  [[nodiscard]] const std::uint64_t* whole() const { return std::get_if<std::uint64_t>(&value_); }

  [[nodiscard]] const std::string* text() const;

  /// The member, which is added as null where there is none.
  Json& operator[](std::string_view key);

  /// The member, unless there is nothing to say: an empty text or list, or no value.
  template <typename Value, typename Shown = std::identity>
  void set_if_any(std::string_view key, const Value& value, Shown shown = {}) {
    if constexpr (requires { value.has_value(); }) {
      if (value) {
        (*this)[key] = std::invoke(shown, *value);
      }
    } else if (!value.empty()) {
      (*this)[key] = std::invoke(shown, value);
    }
  }

  /// Behind the others, of which none may have that key.
  Json& append(std::string key, Json value);
  /// nullptr where this is no object or has no such member.
  [[nodiscard]] const Json* find(std::string_view key) const;

  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }

  void erase(std::string_view key);
  /// The item, where it is now.
  Json& push_back(Json item);
  /// Adds the members of another object behind those of this one, in place of those with their
  /// names.
  void update(const Json& other);

  /// Items of an array, members of an object; of other kinds none.
  [[nodiscard]] const Array& items() const;
  [[nodiscard]] const Object& members() const;
  [[nodiscard]] std::size_t size() const;

  [[nodiscard]] bool empty() const { return size() == 0; }

  /// One line a value and item, indented by two blanks. Bytes that are not UTF-8 become U+FFFD.
  [[nodiscard]] std::string pretty() const;
  /// On one line, without blanks.
  [[nodiscard]] std::string compact() const;
  /// As compact(), with the members of every object by their keys: what is hashed.
  [[nodiscard]] std::string sorted() const;

 private:
  struct Printing;

  template <typename Kind>
  [[nodiscard]] bool holds() const {
    return std::holds_alternative<std::unique_ptr<Kind>>(value_);
  }

  Object& as_object();
  void print(std::string& out, const Printing& how, std::size_t depth) const;

  // What is large is elsewhere: there are documents of millions of values.
  std::variant<std::monostate,
               bool,
               std::uint64_t,
               std::int64_t,
               double,
               std::unique_ptr<std::string>,
               std::unique_ptr<Array>,
               std::unique_ptr<Object>>
      value_;
};

/// What a text says; nothing: it is not JSON. Of members with one key the last one counts. Objects
/// and arrays that are nested more than a hundred deep are left out.
[[nodiscard]] std::optional<Json> read_json(std::string_view text);

/// One of the values between braces, which is moved from there.
class JsonItem {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  JsonItem(std::initializer_list<JsonItem> items) : value_(items) {}

  template <typename Value>

  requires std::convertible_to<Value, Json> JsonItem(Value&& value)
      : value_(std::forward<Value>(value)) {}

  // NOLINTEND(google-explicit-constructor)

 private:
  friend class Json;

  mutable Json value_;
};

}  // namespace memsize::core
