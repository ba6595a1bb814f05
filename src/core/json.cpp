// Values of JSON, and how they are printed: byte for byte as nlohmann's library does it.
#include "memsize/core/json.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace memsize::core {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

// Of the character that begins there; of one that is cut or wrong, its bytes up to the first that
// cannot follow (Unicode 15, table 3-7).
struct Character {
  std::size_t size = 1;
  bool is_whole = true;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) {
    return {};
  }
  const std::size_t size = first >= 0xC2 && first <= 0xDF   ? 2
                           : first >= 0xE0 && first <= 0xEF ? 3
                           : first >= 0xF0 && first <= 0xF4 ? 4
                                                            : 0;
  if (size == 0 || !is_continuation(text, at + 1)) {
    return {1, false};
  }
  const auto second = static_cast<unsigned char>(text[at + 1]);
  const bool is_wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  if (is_wrong) {
    return {1, false};
  }
  for (std::size_t i = 2; i < size; ++i) {
    if (!is_continuation(text, at + i)) {
      return {i, false};
    }
  }
  return {size, true};
}

void add_character(std::string& out, std::string_view character) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const char first = character.front();
  if (const std::size_t known = kEscaped.find(first); known != std::string_view::npos) {
    out += '\\';
    out += kLetters[known];
  } else if (static_cast<unsigned char>(first) < 0x20) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned char>(first));
  } else {
    out += character;
  }
}

void add_text(std::string& out, std::string_view text) {
  out += '"';
  // Most texts need nothing.
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') {
      ++at;
      continue;
    }
    out += text.substr(plain, at - plain);
    const Character character = character_at(text, at);
    if (character.is_whole) {
      add_character(out, text.substr(at, character.size));
    } else {
      out += kReplacement;
    }
    at += character.size;
    plain = at;
  }
  out += text.substr(plain);
  out += '"';
}

// The shortest digits that are read back as the same number, with a point.
void add_real(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) {
    digits += ".0";
  }
  out += digits;
}

}  // namespace

struct Json::Printing {
  /// Blanks a level; none: everything on one line.
  std::size_t indent = 0;
  bool by_key = false;

  void open(std::string& out, char bracket, std::size_t depth) const {
    out += bracket;
    line(out, depth + 1);
  }

  void line(std::string& out, std::size_t depth) const {
    if (indent != 0) {
      out += '\n';
      out.append(indent * depth, ' ');
    }
  }
};

Json::Json(const char* text) : Json(std::string{text}) {}

Json::Json(std::string_view text) : Json(std::string{text}) {}

Json::Json(std::string text) : value_(std::make_unique<std::string>(std::move(text))) {}

Json::Json(std::vector<std::string> texts) : Json(Array{}) {
  for (std::string& text : texts) {
    push_back(std::move(text));
  }
}

Json::Json(Array items) : value_(std::make_unique<Array>(std::move(items))) {}

Json::Json(std::initializer_list<JsonItem> items) {
  const bool is_object = std::ranges::all_of(items, [](const JsonItem& item) {
    return item.value_.is_array() && item.value_.size() == 2 &&
           item.value_.items().front().text() != nullptr;
  });
  if (!is_object) {
    Array array;
    array.reserve(items.size());
    for (const JsonItem& item : items) {
      array.push_back(std::move(item.value_));
    }
    value_ = std::make_unique<Array>(std::move(array));
    return;
  }
  Object& members = as_object();
  members.reserve(items.size());
  for (const JsonItem& item : items) {
    Array& pair = *std::get<std::unique_ptr<Array>>(item.value_.value_);
    members.emplace_back(*pair.front().text(), std::move(pair.back()));
  }
}

Json::Json(const Json& other) {
  *this = other;
}

Json& Json::operator=(const Json& other) {
  if (this != &other) {
    std::visit(
        [&](const auto& value) {
          if constexpr (requires { *value; }) {
            value_ = std::make_unique<std::remove_cvref_t<decltype(*value)>>(*value);
          } else {
            value_ = value;
          }
        },
        other.value_);
  }
  return *this;
}

Json Json::array() {
  return Json(Array{});
}

Json Json::object() {
  Json json;
  json.as_object();
  return json;
}

const std::string* Json::text() const {
  const auto* text = std::get_if<std::unique_ptr<std::string>>(&value_);
  return text == nullptr ? nullptr : text->get();
}

Json::Object& Json::as_object() {
  if (!is_object()) {
    value_ = std::make_unique<Object>();
  }
  return *std::get<std::unique_ptr<Object>>(value_);
}

Json& Json::operator[](std::string_view key) {
  Object& members = as_object();
  for (Member& member : members) {
    if (member.first == key) {
      return member.second;
    }
  }
  return append(std::string{key}, {});
}

Json& Json::append(std::string key, Json value) {
  return as_object().emplace_back(std::move(key), std::move(value)).second;
}

const Json* Json::find(std::string_view key) const {
  for (const Member& member : members()) {
    if (member.first == key) {
      return &member.second;
    }
  }
  return nullptr;
}

void Json::erase(std::string_view key) {
  if (is_object()) {
    std::erase_if(as_object(), [&](const Member& member) { return member.first == key; });
  }
}

Json& Json::push_back(Json item) {
  if (!is_array()) {
    value_ = std::make_unique<Array>();
  }
  return std::get<std::unique_ptr<Array>>(value_)->emplace_back(std::move(item));
}

void Json::update(const Json& other) {
  for (const Member& member : other.members()) {
    (*this)[member.first] = member.second;
  }
}

const Json::Array& Json::items() const {
  static const Array none;
  return is_array() ? *std::get<std::unique_ptr<Array>>(value_) : none;
}

const Json::Object& Json::members() const {
  static const Object none;
  return is_object() ? *std::get<std::unique_ptr<Object>>(value_) : none;
}

std::size_t Json::size() const {
  return is_array() ? items().size() : members().size();
}

void Json::print(std::string& out, const Printing& how, std::size_t depth) const {
  if (is_null()) {
    out += "null";
  } else if (const bool* truth = boolean()) {
    out += *truth ? "true" : "false";
  } else if (const auto* whole = std::get_if<std::uint64_t>(&value_)) {
    fmt::format_to(std::back_inserter(out), "{}", *whole);
  } else if (const auto* negative = std::get_if<std::int64_t>(&value_)) {
    fmt::format_to(std::back_inserter(out), "{}", *negative);
  } else if (const auto* real = std::get_if<double>(&value_)) {
    add_real(out, *real);
  } else if (const std::string* words = text()) {
    add_text(out, *words);
  } else if (size() == 0) {
    out += is_array() ? "[]" : "{}";
  } else if (is_array()) {
    how.open(out, '[', depth);
    for (const Json& item : items()) {
      if (&item != &items().front()) {
        out += ',';
        how.line(out, depth + 1);
      }
      item.print(out, how, depth + 1);
    }
    how.line(out, depth);
    out += ']';
  } else {
    std::vector<const Member*> shown;
    shown.reserve(members().size());
    for (const Member& member : members()) {
      shown.push_back(&member);
    }
    if (how.by_key) {
      std::ranges::sort(shown,
                        [](const Member* a, const Member* b) { return a->first < b->first; });
    }
    how.open(out, '{', depth);
    for (const Member* member : shown) {
      if (member != shown.front()) {
        out += ',';
        how.line(out, depth + 1);
      }
      add_text(out, member->first);
      out += how.indent != 0 ? ": " : ":";
      member->second.print(out, how, depth + 1);
    }
    how.line(out, depth);
    out += '}';
  }
}

std::string Json::pretty() const {
  std::string out;
  print(out, {2, false}, 0);
  return out;
}

std::string Json::compact() const {
  std::string out;
  print(out, {}, 0);
  return out;
}

std::string Json::sorted() const {
  std::string out;
  print(out, {0, true}, 0);
  return out;
}

}  // namespace memsize::core
