// The grammar, as the three printers write it:
//
//   HIDL       {.field = value, .field = value}   [2]{a, b}   memory {.name = "ashmem", ...}
//   operator<< Name{.field=value, field=value}    [a, b]      [a, ..., 19...]   <12bytes>
//   AIDL       Name{field: value, field: value}   [a, b]      (null)   fd:9
//
// A bracket with a number is a count in the first, and a list of one in the others, which is why a
// text is read in one skin. Lists are long and nested little: what is nested deeper than kDeepest
// is no text of these printers, and its rest counts as cut.
#include "nnapi/text.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace memsize::readers::nnapi {

namespace {

using model::NnSkin;

constexpr std::size_t kDeepest = 40;
// A value takes about a hundred bytes; what has more of them is told as cut.
constexpr std::size_t kMostValues = 4'000'000;
// Bytes, each a number: only how many there are counts.
constexpr std::string_view kBytes = "operandValues";

bool is_blank_of_text(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// All of the digits; nothing where they are none.
template <typename Number, typename... Base>
std::optional<Number> number_in(std::string_view digits, Base... base) {
  Number number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, number, base...);
  return !digits.empty() && failure == std::errc{} && stop == end ? std::optional{number}
                                                                  : std::nullopt;
}

}  // namespace

class Parser {
 public:
  Parser(std::string_view text, NnSkin skin, Tree& tree) : text_(text), skin_(skin), tree_(tree) {}

  // The value that begins here; whether what comes behind it can be told.
  std::size_t value(std::size_t& at, std::size_t depth) {
    const std::size_t index = tree_.values_.size();
    tree_.values_.emplace_back();
    skip_blanks(at);
    if (depth > kDeepest || index >= kMostValues) {
      give_up(at, index);
    } else if (peek(at) == '[') {
      list(at, index, depth);
    } else if (peek(at) == '"') {
      quoted(at, index);
    } else if (peek(at) == '<') {
      angled(at, index);
    } else {
      word_or_record(at, index, depth);
    }
    return index;
  }

 private:
  Value& here(std::size_t index) { return tree_.values_[index]; }

  // Nothing can be told of what is behind.
  void give_up(std::size_t& at, std::size_t index) {
    at = text_.size();
    here(index).is_cut = true;
  }

  [[nodiscard]] char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  void skip_blanks(std::size_t& at) const {
    while (at < text_.size() && is_blank_of_text(text_[at])) {
      ++at;
    }
  }

  void quoted(std::size_t& at, std::size_t index) {
    const std::size_t begin = ++at;
    const std::size_t end = std::min(text_.find('"', begin), text_.size());
    here(index).text = text_.substr(begin, end - begin);
    here(index).is_cut = end == text_.size();
    at = std::min(end + 1, text_.size());
  }

  // "<handle with 1 fds and 0 ints>".
  void angled(std::size_t& at, std::size_t index) {
    const std::size_t end = text_.find('>', at);
    here(index).is_cut = end == std::string_view::npos;
    const std::size_t behind = here(index).is_cut ? text_.size() : end + 1;
    here(index).text = text_.substr(at, behind - at);
    at = behind;
  }

  void word_or_record(std::size_t& at, std::size_t index, std::size_t depth) {
    const std::size_t begin = at;
    at = std::min(text_.find_first_of(",}]{\n", at), text_.size());
    if (peek(at) == '{') {
      here(index).kind = Value::Kind::kRecord;
      here(index).text = core::trim(text_.substr(begin, at - begin));
      record(at, index, depth);
      return;
    }
    here(index).text = core::trim(text_.substr(begin, at - begin));
    // A line's end may stand in the middle of what was one word.
    here(index).is_cut = at == text_.size() || text_[at] == '\n';
    skip_blanks(at);
  }

  void record(std::size_t& at, std::size_t index, std::size_t depth) {
    const std::string_view name = here(index).text;
    ++at;
    if (skin_ == NnSkin::kCanonical && name.ends_with("ExtraParams") && peek(at) == '[') {
      return raw_bytes(at, index);
    }
    if (skin_ != NnSkin::kHidl && (name.ends_with("OperandType") || name.ends_with("LifeTime"))) {
      return unknown_enum(at, index);
    }
    while (true) {
      skip_blanks(at);
      if (at == text_.size()) {
        return give_up(at, index);
      }
      if (text_[at] == '}') {
        ++at;
        return;
      }
      if (text_[at] == ',') {
        ++at;
        continue;
      }
      const std::string_view field = field_name(at);
      const std::size_t before = at;
      const std::size_t child =
          field == kBytes && peek(at_value(at)) == '[' ? counted_bytes(at) : value(at, depth + 1);
      if (field.empty()) {
        here(index).items.push_back(child);
      } else {
        here(index).fields.push_back({field, child});
      }
      if (!ends_well(at, child, '}')) {
        return give_up(at, index);
      }
      if (at == before && peek(at) != ',' && peek(at) != '}') {
        ++at;
      }
    }
  }

  [[nodiscard]] std::size_t at_value(std::size_t at) const {
    skip_blanks(at);
    return at;
  }

  // A list of bytes, of which nothing is kept but their number.
  std::size_t counted_bytes(std::size_t& at) {
    const std::size_t index = tree_.values_.size();
    tree_.values_.emplace_back();
    here(index).kind = Value::Kind::kList;
    at = at_value(at);
    const bool has_count = skin_ == NnSkin::kHidl;
    if (has_count && !counts(at, index)) {
      here(index).announced.reset();
      give_up(at, index);
      return index;
    }
    const std::size_t begin = std::min(at + 1, text_.size());
    const std::size_t end = text_.find_first_not_of("0123456789, -\t\r\n", begin);
    here(index).is_cut = end == std::string_view::npos || text_[end] != (has_count ? '}' : ']');
    at = here(index).is_cut ? text_.size() : end + 1;
    const std::string_view inside = text_.substr(begin, std::min(end, text_.size()) - begin);
    if (!here(index).is_cut) {
      const auto commas = static_cast<std::uint64_t>(std::ranges::count(inside, ','));
      const std::uint64_t found = core::trim(inside).empty() ? 0 : commas + 1;
      here(index).has_more = has_count && here(index).announced != found;
      here(index).announced = found;
    }
    return index;
  }

  // What follows a value is a comma or the end of what it is in; else the text was cut there and
  // something else follows.
  bool ends_well(std::size_t& at, std::size_t child, char end) {
    skip_blanks(at);
    if (at < text_.size() && (text_[at] == ',' || text_[at] == end)) {
      return !here(child).is_cut;
    }
    here(child).is_cut = here(child).is_cut || here(child).kind == Value::Kind::kWord;
    return false;
  }

  // ".name = ", ".name=", "name=", "name: "; empty where a value has none.
  std::string_view field_name(std::size_t& at) {
    std::size_t begin = at;
    begin += peek(begin) == '.' ? 1U : 0U;
    std::size_t end = begin;
    while (end < text_.size() && is_name_character(text_[end])) {
      ++end;
    }
    std::size_t behind = end;
    while (peek(behind) == ' ') {
      ++behind;
    }
    const char sign = skin_ == NnSkin::kAidl ? ':' : '=';
    if (end == begin || peek(behind) != sign || peek(behind + 1) == ':') {
      return {};
    }
    at = behind + 1;
    return text_.substr(begin, end - begin);
  }

  static bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  // "OperandType{77}" is one word for who reads it: its number.
  void unknown_enum(std::size_t& at, std::size_t index) {
    const std::size_t end = std::min(text_.find('}', at), text_.size());
    here(index).kind = Value::Kind::kWord;
    here(index).text = core::trim(text_.substr(at, end - at));
    here(index).is_cut = end == text_.size();
    at = std::min(end + 1, text_.size());
  }

  // "[\x01, \x02]}": each is one byte, of any value; twenty at most.
  void raw_bytes(std::size_t& at, std::size_t index) {
    constexpr std::size_t kMost = 20;
    ++at;
    for (std::size_t i = 0; i <= kMost && at < text_.size() && text_.substr(at, 2) != "]}"; ++i) {
      if (text_.substr(at, 5) == "...]}") {
        at += 3;
        break;
      }
      at = std::min(at + (i == 0 ? 1U : text_.substr(at, 2) == ", " ? 3U : 0U), text_.size());
    }
    if (at + 1 < text_.size() && text_.substr(at, 2) == "]}") {
      at += 2;
      return;
    }
    give_up(at, index);
  }

  void list(std::size_t& at, std::size_t index, std::size_t depth) {
    here(index).kind = Value::Kind::kList;
    char end = ']';
    if (skin_ == NnSkin::kHidl) {
      if (!counts(at, index)) {
        return give_up(at, index);
      }
      end = '}';
    }
    ++at;
    while (true) {
      skip_blanks(at);
      if (at == text_.size()) {
        return give_up(at, index);
      }
      if (text_[at] == end) {
        ++at;
        const auto& announced = here(index).announced;
        here(index).has_more =
            here(index).has_more || (announced && *announced != here(index).items.size());
        return;
      }
      if (text_[at] == ',') {
        ++at;
        continue;
      }
      const std::size_t before = at;
      const std::size_t child = value(at, depth + 1);
      here(index).items.push_back(child);
      take_dots(index, child);
      if (skin_ == NnSkin::kCanonical && text_.substr(at, 4) == "...]") {
        here(index).has_more = true;
        at += 3;
      }
      if (!ends_well(at, child, end)) {
        return give_up(at, index);
      }
      if (at == before) {
        ++at;
      }
    }
  }

  // "19..." is 19, and that there are more.
  void take_dots(std::size_t index, std::size_t child) {
    constexpr std::string_view kDots = "...";
    Value& last = here(child);
    if (skin_ == NnSkin::kCanonical && last.kind == Value::Kind::kWord &&
        last.text.ends_with(kDots)) {
      last.text.remove_suffix(kDots.size());
      here(index).has_more = true;
    }
  }

  // "[4]{", "[2][3]{"; where it is not whole nothing is known.
  bool counts(std::size_t& at, std::size_t index) {
    while (peek(at) == '[') {
      const std::size_t end = text_.find(']', at);
      if (end == std::string_view::npos) {
        return false;
      }
      const auto count = number_in<std::uint64_t>(text_.substr(at + 1, end - at - 1));
      if (!count) {
        return false;
      }
      if (!here(index).announced) {
        here(index).announced = count;
      }
      at = end + 1;
    }
    return peek(at) == '{';
  }

  std::string_view text_;
  NnSkin skin_;
  Tree& tree_;
};

Tree::Tree(std::string_view text, std::size_t begin, NnSkin skin) {
  std::size_t at = std::min(begin, text.size());
  (void)Parser{text, skin, *this}.value(at, 0);
  end_ = at;
}

const Value* Tree::field(const Value& record, std::string_view name) const {
  for (const Field& field : record.fields) {
    if (field.name == name) {
      return &values_[field.value];
    }
  }
  return nullptr;
}

const Value* Tree::first_item(const Value& record) const {
  return record.items.empty() ? nullptr : &values_[record.items.front()];
}

std::string_view word_of(const Value* value) {
  return value == nullptr || value->is_cut || value->kind != Value::Kind::kWord ? std::string_view{}
                                                                                : value->text;
}

std::optional<std::uint64_t> unsigned_of(const Value* value) {
  constexpr std::string_view kHex = "0x";
  const std::string_view digits = word_of(value);
  return digits.starts_with(kHex) ? number_in<std::uint64_t>(digits.substr(kHex.size()), 16)
                                  : number_in<std::uint64_t>(digits);
}

std::optional<std::int64_t> signed_of(const Value* value) {
  return number_in<std::int64_t>(word_of(value));
}

std::optional<double> decimal_of(const Value* value) {
  const auto number = number_in<double>(word_of(value));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<bool> flag_of(const Value* value) {
  const std::string_view word = word_of(value);
  return word == "1" || word == "true"    ? std::optional{true}
         : word == "0" || word == "false" ? std::optional{false}
                                          : std::nullopt;
}

}  // namespace memsize::readers::nnapi
