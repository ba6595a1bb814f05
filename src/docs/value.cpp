// Walks over the flat row of values that a parser or a builder made, and makes new rows of old
// ones.
#include "memsize/docs/value.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace memsize::docs {

namespace {

// The lowest first. Of each key there is what counts: the last value, or the tables that end the
// row.
void add_merged(Builder& out, const std::vector<Value>& layers) {
  std::unordered_map<std::string_view, std::vector<Value>> members;
  std::vector<std::string_view> keys;
  for (const Value layer : layers) {
    for (const Value member : layer) {
      std::vector<Value>& same_key = members[member.key()];
      if (same_key.empty()) {
        keys.push_back(member.key());
      } else if (!member.is(Kind::kTable) || !same_key.back().is(Kind::kTable)) {
        same_key.clear();
      }
      same_key.push_back(member);
    }
  }
  out.open(Kind::kTable, layers.empty() ? core::Place{} : layers.back().place());
  for (const std::string_view key : keys) {
    const std::vector<Value>& same_key = members[key];
    if (same_key.size() == 1) {
      out.copy_member(same_key.front());
    } else {
      out.key(key, same_key.front().key_place());
      add_merged(out, same_key);
    }
  }
  out.close();
}

void add_without(Builder& out, Value table, std::string_view dotted, bool& is_found) {
  const std::size_t dot = std::min(dotted.find('.'), dotted.size());
  const std::string_view key = dotted.substr(0, dot);
  out.open(Kind::kTable, table.place());
  for (const Value member : table) {
    if (member.key() != key) {
      out.copy_member(member);
    } else if (dot == dotted.size()) {
      is_found = true;
    } else if (member.is(Kind::kTable)) {
      out.key(key, member.key_place());
      add_without(out, member, dotted.substr(dot + 1), is_found);
    } else {
      out.copy_member(member);
    }
  }
  out.close();
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kAbsent:
      return "nothing";
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return "true or false";
    case Kind::kWhole:
    case Kind::kNegative:
      return "a whole number";
    case Kind::kReal:
      return "a number or date";
    case Kind::kText:
      return "a string";
    case Kind::kList:
      return "an array";
    case Kind::kTable:
      return "a table";
  }
  return "a value";
}

std::size_t Document::lines() const {
  const bool ended = line_begins_.back() == text_.size();
  return line_begins_.size() - (ended ? 1 : 0);
}

std::vector<Document::Misspelt> Document::misspelt() const {
  std::vector<Misspelt> found;
  for (const Misspelt& each : doubtful_) {
    if (!nodes_[each.index].is_asked) {
      found.push_back(each);
    }
  }
  return found;
}

std::string_view Document::stored(std::uint32_t begin, std::uint32_t size) const {
  return begin < text_.size() ? text_.substr(begin, size)
                              : std::string_view{own_}.substr(begin - text_.size(), size);
}

Position Document::position_of(std::size_t at) const {
  const auto behind = std::ranges::upper_bound(line_begins_, at);
  const auto line = static_cast<std::size_t>(behind - line_begins_.begin());
  return {line, at - line_begins_[line - 1] + 1};
}

core::Place Document::place_of(std::size_t at, std::size_t length) const {
  const auto [line, column] = position_of(at);
  core::Place place;
  place.path = path_;
  place.line = line;
  place.column = column;
  place.length = length;
  return place;
}

Kind Value::kind() const {
  return document_ == nullptr ? Kind::kAbsent : document_->nodes_[index_].kind;
}

bool Value::boolean() const {
  return document_->nodes_[index_].bits != 0;
}

std::uint64_t Value::whole() const {
  return document_->nodes_[index_].bits;
}

std::int64_t Value::integer() const {
  return std::bit_cast<std::int64_t>(document_->nodes_[index_].bits);
}

double Value::real() const {
  return std::bit_cast<double>(document_->nodes_[index_].bits);
}

std::string_view Value::text() const {
  if (!is(Kind::kText)) {
    return {};
  }
  const std::uint64_t bits = document_->nodes_[index_].bits;
  return document_->stored(static_cast<std::uint32_t>(bits >> 32U),
                           static_cast<std::uint32_t>(bits & UINT32_MAX));
}

Value Value::operator[](std::string_view key) const {
  if (is(Kind::kTable)) {
    for (const Value value : *this) {
      if (value.key() == key) {
        document_->nodes_[value.index_].is_asked = true;
        return value;
      }
    }
    constexpr std::size_t kMost = 100;
    for (const Value value : *this) {
      if (core::one_byte_off(value.key(), key) && document_->doubtful_.size() < kMost) {
        document_->doubtful_.push_back({value.index_, std::string{key}});
      }
    }
  }
  return {};
}

std::size_t Value::size() const {
  std::size_t count = 0;
  if (!is(Kind::kList) && !is(Kind::kTable)) {
    return count;
  }
  for (auto item = begin(); item != end(); ++item) {
    ++count;
  }
  return count;
}

Value::Iterator Value::begin() const {
  const bool full = is(Kind::kList) || is(Kind::kTable);
  return full ? Iterator{document_, index_ + 1} : end();
}

Value::Iterator Value::end() const {
  return {document_, document_ == nullptr ? 0 : document_->nodes_[index_].next};
}

std::string_view Value::key() const {
  const Document::Node& node = document_->nodes_[index_];
  return document_->stored(node.key_begin, node.key_size);
}

core::Place Value::place() const {
  if (document_ == nullptr) {
    return {};
  }
  const std::size_t begin = document_->nodes_[index_].begin;
  if (!document_->spots_.empty()) {
    return document_->spots_[begin].value;
  }
  const bool is_plain = !is(Kind::kList) && !is(Kind::kTable) && !is(Kind::kText);
  const std::string_view rest = document_->text_.substr(begin);
  const std::size_t plain = std::min(rest.find_first_of(" \t\r\n,]}"), rest.size());
  return document_->place_of(begin, is(Kind::kText) ? text().size() + 2 : is_plain ? plain : 1);
}

core::Place Value::key_place() const {
  const Document::Node& node = document_->nodes_[index_];
  if (!document_->spots_.empty()) {
    return document_->spots_[node.begin].key;
  }
  // A key with escapes has its value's place.
  return node.key_begin == 0 || node.key_begin >= document_->text_.size()
             ? place()
             : document_->place_of(node.key_begin - 1, node.key_size + 2);
}

Position Value::position() const {
  if (document_ == nullptr) {
    return {};
  }
  const std::size_t begin = document_->nodes_[index_].begin;
  if (document_->spots_.empty()) {
    return document_->position_of(begin);
  }
  const core::Place& place = document_->spots_[begin].value;
  return {place.line, place.column};
}

std::string Value::path() const {
  if (document_ == nullptr || index_ == 0) {
    return "document";
  }
  const Value parent{document_, document_->nodes_[index_].parent};
  const std::string above = parent.index_ == 0 ? std::string{} : parent.path();
  if (parent.is(Kind::kTable)) {
    return fmt::format(
        "{}{}{}", above, above.empty() ? "" : ".", core::printable(key(), kLongestShown));
  }
  std::size_t before = 0;
  for (const Value item : parent) {
    if (item.index_ == index_) {
      break;
    }
    ++before;
  }
  return fmt::format("{}[{}]", above, before);
}

std::string Value::shown() const {
  switch (kind()) {
    case Kind::kAbsent:
      return "nothing";
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return boolean() ? "true" : "false";
    case Kind::kWhole:
      return fmt::format("{}", whole());
    case Kind::kNegative:
      return fmt::format("{}", integer());
    case Kind::kReal:
      return fmt::format("{}", real());
    case Kind::kText:
      return fmt::format("'{}'", core::printable(text(), kLongestShown));
    case Kind::kList:
      return "an array";
    case Kind::kTable:
      return "an object";
  }
  return {};
}

std::string Value::digits() const {
  const auto spelled = document_->spellings_.find(index_);
  return spelled != document_->spellings_.end() ? spelled->second : shown();
}

void Builder::key(std::string_view key, core::Place place) {
  key_ = key;
  key_place_ = std::move(place);
}

std::uint64_t Builder::store(std::string_view text) {
  const std::uint64_t begin = document_.own_.size();
  document_.own_ += text;
  return begin << 32U | text.size();
}

void Builder::add(Kind kind, std::uint64_t bits, core::Place place) {
  Document::Node node;
  node.kind = kind;
  node.bits = bits;
  node.begin = static_cast<std::uint32_t>(document_.spots_.size());
  node.parent = open_.empty() ? 0 : open_.back();
  node.next = static_cast<std::uint32_t>(document_.nodes_.size()) + 1;
  const std::uint64_t key = store(key_);
  node.key_begin = static_cast<std::uint32_t>(key >> 32U);
  node.key_size = static_cast<std::uint32_t>(key & UINT32_MAX);
  document_.nodes_.push_back(node);
  document_.spots_.push_back({std::move(place), std::exchange(key_place_, {})});
  key_.clear();
}

void Builder::add_text(std::string_view text, core::Place place) {
  const std::uint64_t bits = store(text);
  add(Kind::kText, bits, std::move(place));
}

void Builder::add_integer(std::int64_t value, core::Place place, std::string_view spelling) {
  if (!spelling.empty() && spelling != fmt::to_string(value)) {
    document_.spellings_.emplace(static_cast<std::uint32_t>(document_.nodes_.size()), spelling);
  }
  add(value < 0 ? Kind::kNegative : Kind::kWhole,
      std::bit_cast<std::uint64_t>(value),
      std::move(place));
}

void Builder::add_boolean(bool value, core::Place place) {
  add(Kind::kBoolean, value ? 1 : 0, std::move(place));
}

void Builder::add_real(double value, core::Place place) {
  add(Kind::kReal, std::bit_cast<std::uint64_t>(value), std::move(place));
}

void Builder::open(Kind kind, core::Place place) {
  const auto index = static_cast<std::uint32_t>(document_.nodes_.size());
  add(kind, 0, std::move(place));
  open_.push_back(index);
}

void Builder::close() {
  document_.nodes_[open_.back()].next = static_cast<std::uint32_t>(document_.nodes_.size());
  open_.pop_back();
}

void Builder::copy(Value value) {
  if (value.is(Kind::kList) || value.is(Kind::kTable)) {
    open(value.kind(), value.place());
    for (const Value item : value) {
      copy_member(item);
    }
    close();
  } else if (value.is(Kind::kText)) {
    add_text(value.text(), value.place());
  } else {
    if (const auto& known = value.document_->spellings_; known.contains(value.index_)) {
      document_.spellings_.emplace(static_cast<std::uint32_t>(document_.nodes_.size()),
                                   known.at(value.index_));
    }
    add(value.kind(), value.document_->nodes_[value.index_].bits, value.place());
  }
}

void Builder::copy_member(Value member) {
  key(member.key(), member.key_place());
  copy(member);
}

Document merged(const std::vector<Value>& layers) {
  Builder builder;
  add_merged(builder, layers);
  return builder.take();
}

Document without(Value table, std::string_view dotted, bool& is_found) {
  Builder builder;
  add_without(builder, table, dotted, is_found);
  return builder.take();
}

}  // namespace memsize::docs
