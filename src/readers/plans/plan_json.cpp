// The parser's events become a flat row of values in the order of the text; JsonValue walks over
// it. PlanFields takes members by type and range, and says what is wrong at the place of the value.
#include "plan_json.hpp"

#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::readers {

namespace {

using core::Code;
using nlohmann::json;

// Positions are of 32 bits, twice: in the text, and behind it in what was unescaped.
constexpr std::size_t kLongest = std::size_t{1} << 30U;
constexpr std::size_t kDeepest = 100;
constexpr std::size_t kLongestQuoted = 160;

// Reads the text and tells how far it has read.
class Watched {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Watched(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}

  const char& operator*() const { return *at_; }

  Watched& operator++() {
    *furthest_ = ++at_;
    return *this;
  }

  Watched operator++(int) {
    const Watched before = *this;
    ++*this;
    return before;
  }

  friend bool operator==(const Watched& a, const Watched& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

// As nlohmann writes it.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The value without blanks, objects by sorted keys; of the value itself without one member.
void add_content(JsonValue value, std::string_view without, std::string& out) {
  if (value.is(JsonKind::kObject)) {
    std::vector<JsonValue> members;
    for (const JsonValue member : value) {
      if (without.empty() || member.key() != without) {
        members.push_back(member);
      }
    }
    std::sort(
        members.begin(), members.end(), [](JsonValue a, JsonValue b) { return a.key() < b.key(); });
    out += members.empty() ? "{" : "";
    for (std::size_t i = 0; i < members.size(); ++i) {
      out += fmt::format("{}{}:", i == 0 ? '{' : ',', dumped(std::string{members[i].key()}));
      add_content(members[i], {}, out);
    }
    out += '}';
  } else if (value.is(JsonKind::kArray)) {
    out += '[';
    bool is_first = true;
    for (const JsonValue item : value) {
      out += is_first ? "" : ",";
      is_first = false;
      add_content(item, {}, out);
    }
    out += ']';
  } else if (value.is(JsonKind::kText)) {
    out += dumped(std::string{value.text()});
  } else if (value.is(JsonKind::kReal)) {
    out += dumped(value.real());
  } else {
    out += value.shown();
  }
}

}  // namespace

// Takes what the parser finds, in the order of the text.
class JsonEvents {
 public:
  JsonEvents(JsonDocument& document, const char*& furthest)
      : document_(document), furthest_(furthest) {}

  bool null() {
    add(JsonKind::kNull, 0);
    return true;
  }

  bool boolean(bool value) {
    add(JsonKind::kBoolean, value ? 1 : 0);
    return true;
  }

  bool number_integer(std::int64_t value) {
    add(value < 0 ? JsonKind::kNegative : JsonKind::kWhole, std::bit_cast<std::uint64_t>(value));
    return true;
  }

  bool number_unsigned(std::uint64_t value) {
    add(JsonKind::kWhole, value);
    return true;
  }

  bool number_float(double value, const std::string&) {
    add(JsonKind::kReal, std::bit_cast<std::uint64_t>(value));
    return true;
  }

  bool string(std::string& value) {
    const std::uint32_t begin = store(value);
    add(JsonKind::kText, std::uint64_t{begin} << 32U | value.size());
    return true;
  }

  // JSON has none; the parser asks for it.
  bool binary(json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(JsonKind::kObject); }

  bool start_array(std::size_t) { return open(JsonKind::kArray); }

  bool key(std::string& value) {
    key_begin_ = store(value);
    key_size_ = static_cast<std::uint32_t>(value.size());
    end_ = read();
    return true;
  }

  bool end_object() {
    if (!check_keys()) {
      return false;
    }
    return end_array();
  }

  bool end_array() {
    document_.nodes_[open_.back()].next = static_cast<std::uint32_t>(document_.nodes_.size());
    open_.pop_back();
    end_ = read();
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last, const json::exception& cause) {
    constexpr int kOutOfRange = 406;
    const bool ended = position > document_.text_.size();
    at_ = ended ? position - 1 : std::max<std::size_t>(read(), 1) - 1;
    if (cause.id == kOutOfRange) {
      why_ = fmt::format("the number {} is too large", core::printable(last, kLongestShown));
    } else if (ended) {
      why_ = open_.empty() ? "it ends before it says anything"
                           : "it ends in the middle, with brackets still open";
      hint_ = "the file was cut off: write it again";
    } else if (!core::is_utf8(document_.text_)) {
      why_ = "it has bytes that are not UTF-8";
    } else {
      const std::string_view rest = document_.text_.substr(at_);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n,]}", 1));
      why_ = fmt::format("'{}' cannot stand here", core::printable(word, kLongestShown));
      if (word == "NaN" || word == "Infinity") {
        hint_ = "JSON has no NaN and no Infinity";
      }
    }
    return false;
  }

  [[nodiscard]] std::size_t where() const { return at_; }

  [[nodiscard]] const std::string& why() const { return why_; }

  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  [[nodiscard]] std::size_t read() const {
    return static_cast<std::size_t>(furthest_ - document_.text_.data());
  }

  // Where the value begins that ends where the parser stands.
  [[nodiscard]] std::size_t begin() const {
    return std::min(document_.text_.find_first_not_of(" \t\r\n,:", end_), read());
  }

  std::uint32_t store(const std::string& value) {
    const std::size_t quote = begin();
    if (quote + value.size() + 2 == read()) {
      return static_cast<std::uint32_t>(quote + 1);
    }
    const std::size_t at = document_.text_.size() + document_.unescaped_.size();
    document_.unescaped_ += value;
    return static_cast<std::uint32_t>(at);
  }

  void add(JsonKind kind, std::uint64_t bits) {
    JsonDocument::Node node;
    node.kind = kind;
    node.bits = bits;
    node.begin = static_cast<std::uint32_t>(begin());
    node.parent = open_.empty() ? 0 : open_.back();
    node.next = static_cast<std::uint32_t>(document_.nodes_.size()) + 1;
    node.key_begin = key_begin_;
    node.key_size = key_size_;
    document_.nodes_.push_back(node);
    key_begin_ = 0;
    key_size_ = 0;
    end_ = read();
  }

  bool open(JsonKind kind) {
    const auto index = static_cast<std::uint32_t>(document_.nodes_.size());
    add(kind, 0);
    if (open_.size() == kDeepest) {
      at_ = document_.nodes_.back().begin;
      why_ = fmt::format("it is nested more than {} deep", kDeepest);
      return false;
    }
    open_.push_back(index);
    return true;
  }

  // A key that stands twice has two values, and nobody knows which is meant.
  bool check_keys() {
    keys_.clear();
    const std::uint32_t object = open_.back();
    const auto& nodes = document_.nodes_;
    for (std::uint32_t i = object + 1; i < nodes.size(); i = nodes[i].next) {
      keys_.emplace_back(document_.stored(nodes[i].key_begin, nodes[i].key_size), i);
    }
    std::sort(keys_.begin(), keys_.end());
    const auto twice =
        std::adjacent_find(keys_.begin(), keys_.end(), [](const auto& a, const auto& b) {
          return a.first == b.first;
        });
    if (twice == keys_.end()) {
      return true;
    }
    at_ = nodes[std::next(twice)->second].begin;
    why_ = fmt::format("an object has '{}' twice", core::printable(twice->first, kLongestShown));
    return false;
  }

  JsonDocument& document_;
  const char*& furthest_;
  // Up to where everything is taken.
  std::size_t end_ = 0;
  std::vector<std::uint32_t> open_;
  std::uint32_t key_begin_ = 0;
  std::uint32_t key_size_ = 0;
  std::vector<std::pair<std::string_view, std::uint32_t>> keys_;
  std::size_t at_ = 0;
  std::string why_;
  std::string hint_;
};

core::Result<JsonDocument> JsonDocument::parse(std::string_view text, const std::string& path) {
  const auto refuse = [&](core::Place place, const std::string& why, const std::string& hint) {
    place.path = path;
    const std::string name =
        path == "-" ? "standard input" : fmt::format("'{}'", core::printable(path));
    return core::fail(core::error(Code::kPlanSyntax,
                                  fmt::format("{} is not valid JSON: {}", name, why),
                                  std::move(place),
                                  hint));
  };
  if (text.size() > kLongest) {
    return refuse({},
                  fmt::format("it is larger than {}", core::format_size(core::Bytes{kLongest})),
                  "a plan has one line for each tensor; this is something else");
  }
  JsonDocument document;
  document.text_ = text;
  document.line_begins_.push_back(0);
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', end + 1)) {
    document.line_begins_.push_back(static_cast<std::uint32_t>(end + 1));
  }
  const char* furthest = text.data();
  JsonEvents events{document, furthest};
  if (json::sax_parse(Watched{text.data(), &furthest},
                      Watched{text.data() + text.size(), &furthest},
                      &events)) {
    return document;
  }
  core::Place place;
  const auto [line, column] = document.place_of(events.where());
  place.line = line;
  place.column = column;
  const std::size_t begin = document.line_begins_[line - 1];
  const std::string_view written = text.substr(begin, text.find('\n', begin) - begin);
  if (written.size() <= kLongestQuoted && core::is_utf8(written)) {
    place.text = std::string{core::trim(written).empty() ? std::string_view{} : written};
  }
  return refuse(std::move(place), events.why(), events.hint());
}

std::size_t JsonDocument::lines() const {
  const bool ended = line_begins_.back() == text_.size();
  return line_begins_.size() - (ended ? 1 : 0);
}

std::vector<JsonDocument::Misspelt> JsonDocument::misspelt() const {
  std::vector<Misspelt> found;
  for (const Misspelt& each : doubtful_) {
    if (!nodes_[each.index].is_asked) {
      found.push_back(each);
    }
  }
  return found;
}

std::string JsonDocument::hash_without(std::string_view key) const {
  std::string content;
  add_content(root(), key, content);
  return core::short_hash(content);
}

std::string_view JsonDocument::stored(std::uint32_t begin, std::uint32_t size) const {
  return begin < text_.size() ? text_.substr(begin, size)
                              : std::string_view{unescaped_}.substr(begin - text_.size(), size);
}

PlanPlace JsonDocument::place_of(std::size_t at) const {
  const auto behind = std::upper_bound(line_begins_.begin(), line_begins_.end(), at);
  const auto line = static_cast<std::size_t>(behind - line_begins_.begin());
  return {line, at - line_begins_[line - 1] + 1};
}

JsonKind JsonValue::kind() const {
  return document_ == nullptr ? JsonKind::kAbsent : document_->nodes_[index_].kind;
}

bool JsonValue::boolean() const {
  return document_->nodes_[index_].bits != 0;
}

std::uint64_t JsonValue::whole() const {
  return document_->nodes_[index_].bits;
}

std::int64_t JsonValue::negative() const {
  return std::bit_cast<std::int64_t>(document_->nodes_[index_].bits);
}

double JsonValue::real() const {
  return std::bit_cast<double>(document_->nodes_[index_].bits);
}

std::string_view JsonValue::text() const {
  const std::uint64_t bits = document_->nodes_[index_].bits;
  return document_->stored(static_cast<std::uint32_t>(bits >> 32U),
                           static_cast<std::uint32_t>(bits & UINT32_MAX));
}

JsonValue JsonValue::operator[](std::string_view key) const {
  if (is(JsonKind::kObject)) {
    for (const JsonValue value : *this) {
      if (value.key() == key) {
        document_->nodes_[value.index_].is_asked = true;
        return value;
      }
    }
    constexpr std::size_t kMost = 100;
    for (const JsonValue value : *this) {
      if (one_byte_off(value.key(), key) && document_->doubtful_.size() < kMost) {
        document_->doubtful_.push_back({value.index_, std::string{key}});
      }
    }
  }
  return {};
}

std::size_t JsonValue::size() const {
  std::size_t count = 0;
  if (!is(JsonKind::kArray) && !is(JsonKind::kObject)) {
    return count;
  }
  for (auto item = begin(); item != end(); ++item) {
    ++count;
  }
  return count;
}

JsonValue::Iterator JsonValue::begin() const {
  const bool full = is(JsonKind::kArray) || is(JsonKind::kObject);
  return full ? Iterator{document_, index_ + 1} : end();
}

JsonValue::Iterator JsonValue::end() const {
  return {document_, document_ == nullptr ? 0 : document_->nodes_[index_].next};
}

std::string_view JsonValue::key() const {
  const JsonDocument::Node& node = document_->nodes_[index_];
  return document_->stored(node.key_begin, node.key_size);
}

PlanPlace JsonValue::place() const {
  return document_ == nullptr ? PlanPlace{} : document_->place_of(document_->nodes_[index_].begin);
}

std::string JsonValue::path() const {
  if (document_ == nullptr || index_ == 0) {
    return "document";
  }
  const JsonValue parent{document_, document_->nodes_[index_].parent};
  const std::string above = parent.index_ == 0 ? std::string{} : parent.path();
  if (parent.is(JsonKind::kObject)) {
    return fmt::format(
        "{}{}{}", above, above.empty() ? "" : ".", core::printable(key(), kLongestShown));
  }
  std::size_t before = 0;
  for (const JsonValue item : parent) {
    if (item.index_ == index_) {
      break;
    }
    ++before;
  }
  return fmt::format("{}[{}]", above, before);
}

std::string JsonValue::shown() const {
  switch (kind()) {
    case JsonKind::kAbsent:
      return "nothing";
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBoolean:
      return boolean() ? "true" : "false";
    case JsonKind::kWhole:
      return fmt::format("{}", whole());
    case JsonKind::kNegative:
      return fmt::format("{}", negative());
    case JsonKind::kReal:
      return fmt::format("{}", real());
    case JsonKind::kText:
      return fmt::format("'{}'", core::printable(text(), kLongestShown));
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kObject:
      return "an object";
  }
  return {};
}

void PlanFields::read_content_hash(const JsonDocument& document,
                                   const char* key,
                                   model::PlanReport& report) {
  report.claimed_content_hash = text_if_any(document.root(), key);
  if (!report.claimed_content_hash.empty()) {
    report.content_hash = document.hash_without(key);
  }
}

PlanResult PlanFields::finish(model::PlanReport report, const JsonDocument& document) {
  for (const JsonDocument::Misspelt& each : document.misspelt()) {
    const JsonValue value = document.at(each.index);
    warn(Code::kPlanSyntax,
         value.place(),
         fmt::format("nothing reads {}, and there is no '{}'", value.path(), each.wanted),
         fmt::format("did you mean '{}'?", each.wanted));
  }
  return PlanProblems::finish(std::move(report));
}

std::string PlanFields::subject(JsonValue value, Code code) const {
  return wants(core::Severity::kError, code) ? value.path() : std::string{};
}

void PlanFields::wrong(JsonValue value, const std::string& what, std::string hint) {
  error(Code::kPlanSyntax,
        value.place(),
        fmt::format("{}: {}", subject(value, Code::kPlanSyntax), what),
        std::move(hint));
}

std::optional<model::Interval> PlanFields::lifetime(JsonValue of,
                                                    std::int64_t first,
                                                    std::int64_t last,
                                                    LastStep meaning) {
  return PlanProblems::lifetime(
      first,
      last,
      meaning,
      of.place(),
      is_lifetime(first, last, meaning) ? "" : subject(of, Code::kPlanLifetime));
}

bool PlanFields::is_object(JsonValue value) {
  if (!value.is(JsonKind::kObject)) {
    wrong(value, fmt::format("it must be an object, not {}", value.shown()));
  }
  return value.is(JsonKind::kObject);
}

bool PlanFields::is_array(JsonValue value) {
  if (!value.is(JsonKind::kArray)) {
    wrong(value, fmt::format("it must be an array, not {}", value.shown()));
  }
  return value.is(JsonKind::kArray);
}

JsonValue PlanFields::member(JsonValue object, const char* key) {
  if (!object.is(JsonKind::kObject)) {
    is_object(object);
    return {};
  }
  const JsonValue found = object[key];
  if (!found) {
    wrong(object, fmt::format("'{}' is missing", key));
  }
  return found;
}

std::string PlanFields::text(JsonValue object, const char* key) {
  const JsonValue value = member(object, key);
  return value ? text_if_any(object, key) : std::string{};
}

std::string PlanFields::text_if_any(JsonValue object, const char* key) {
  const JsonValue value = object[key];
  if (value && !value.is(JsonKind::kText)) {
    wrong(value, fmt::format("it must be a string, not {}", value.shown()));
    return {};
  }
  return value ? std::string{value.text()} : std::string{};
}

std::string PlanFields::id(JsonValue object, const char* key) {
  const JsonValue value = member(object, key);
  return value ? as_id(value) : std::string{};
}

std::string PlanFields::as_id(JsonValue value) {
  if (value.is(JsonKind::kWhole)) {
    return fmt::format("{}", value.whole());
  }
  if (value.is(JsonKind::kNegative)) {
    return fmt::format("{}", value.negative());
  }
  if (!value.is(JsonKind::kText) || value.text().empty()) {
    wrong(value, fmt::format("it must be a name or a number, not {}", value.shown()));
    return {};
  }
  return std::string{value.text()};
}

std::optional<std::uint64_t> PlanFields::whole(JsonValue object, const char* key) {
  const JsonValue value = member(object, key);
  return value ? as_whole(value) : std::nullopt;
}

std::optional<std::uint64_t> PlanFields::whole_if_any(JsonValue object, const char* key) {
  const JsonValue value = object[key];
  return value ? as_whole(value) : std::nullopt;
}

std::optional<std::uint64_t> PlanFields::as_whole(JsonValue value) {
  if (value.is(JsonKind::kWhole)) {
    return value.whole();
  }
  // What a program computed with floating point: exact up to 2^53.
  constexpr double kMostExact = 9007199254740992.0;
  if (value.is(JsonKind::kReal) && value.real() >= 0 && value.real() <= kMostExact &&
      std::floor(value.real()) == value.real()) {
    return static_cast<std::uint64_t>(value.real());
  }
  wrong(value, fmt::format("it must be a whole number from 0, not {}", value.shown()));
  return std::nullopt;
}

std::optional<std::int64_t> PlanFields::step(JsonValue object, const char* key) {
  const JsonValue value = member(object, key);
  return value ? as_step(value) : std::nullopt;
}

std::optional<std::int64_t> PlanFields::step_if_any(JsonValue object, const char* key) {
  const JsonValue value = object[key];
  return value ? as_step(value) : std::nullopt;
}

std::optional<std::int64_t> PlanFields::as_step(JsonValue value) {
  if (value.is(JsonKind::kNegative)) {
    return value.negative();
  }
  const auto number = as_whole(value);
  if (number && *number > static_cast<std::uint64_t>(INT64_MAX)) {
    // More than any step, which is then said of the lifetime.
    return INT64_MAX;
  }
  return number ? std::optional{static_cast<std::int64_t>(*number)} : std::nullopt;
}

std::optional<bool> PlanFields::flag_if_any(JsonValue object, const char* key) {
  const JsonValue value = object[key];
  if (!value) {
    return std::nullopt;
  }
  if (!value.is(JsonKind::kBoolean)) {
    wrong(value, fmt::format("it must be true or false, not {}", value.shown()));
    return std::nullopt;
  }
  return value.boolean();
}

std::optional<core::Bytes> PlanFields::size(JsonValue object, const char* key) {
  const JsonValue value = member(object, key);
  return value ? as_size(value) : std::nullopt;
}

std::optional<core::Bytes> PlanFields::size_if_any(JsonValue object, const char* key) {
  const JsonValue value = object[key];
  return value ? as_size(value) : std::nullopt;
}

std::optional<core::Bytes> PlanFields::as_size(JsonValue value) {
  if (value.is(JsonKind::kWhole)) {
    return core::Bytes{value.whole()} <= model::kLargestPlan
               ? core::Bytes{value.whole()}
               : size(value.whole(), value.place(), subject(value, Code::kPlanSize));
  }
  if (value.is(JsonKind::kNegative) ||
      (value.is(JsonKind::kReal) && !(std::abs(value.real()) < 9007199254740992.0))) {
    error(Code::kPlanSize,
          value.place(),
          fmt::format("{}: {} is no size", subject(value, Code::kPlanSize), value.shown()),
          "sizes and offsets are whole numbers of bytes from 0 to 2^62");
    return std::nullopt;
  }
  const auto number = as_whole(value);
  return number ? std::optional{core::Bytes{*number}} : std::nullopt;
}

std::optional<core::Align> PlanFields::alignment_if_any(JsonValue object, const char* key) {
  const JsonValue value = object[key];
  const auto number = value ? as_whole(value) : std::nullopt;
  if (!number || core::Align::make(*number)) {
    return number ? core::Align::make(*number) : std::nullopt;
  }
  return alignment(*number, value.place(), subject(value, Code::kPlanAlignment));
}

std::string PlanFields::memory_if_any(JsonValue object, const char* key) {
  return memory_name(text_if_any(object, key));
}

std::optional<model::Lifetime> PlanFields::role(JsonValue object, const char* key) {
  return member(object, key) ? role_if_any(object, key) : std::nullopt;
}

std::optional<model::Lifetime> PlanFields::role_if_any(JsonValue object, const char* key) {
  const JsonValue value = object[key];
  if (!value) {
    return std::nullopt;
  }
  const auto role =
      value.is(JsonKind::kText) ? role_named(value.text()) : std::optional<model::Lifetime>{};
  if (!role) {
    wrong(value,
          fmt::format("it must be 'scratch', 'persistent' or 'constant', not {}", value.shown()));
  }
  return role;
}

}  // namespace memsize::readers
