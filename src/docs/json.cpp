// nlohmann's parser reads JSON, and its events become a document that looks into the text: a string
// is copied only where it has escapes. JSON is also what documents of memsize hash to.
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/parse.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::docs {

namespace {

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
void add_content(Value value, std::string_view without, std::string& out) {
  if (value.is(Kind::kTable)) {
    std::vector<Value> members;
    for (const Value member : value) {
      if (without.empty() || member.key() != without) {
        members.push_back(member);
      }
    }
    std::ranges::sort(members, [](Value a, Value b) { return a.key() < b.key(); });
    out += members.empty() ? "{" : "";
    for (std::size_t i = 0; i < members.size(); ++i) {
      out += fmt::format("{}{}:", i == 0 ? '{' : ',', dumped(std::string{members[i].key()}));
      add_content(members[i], {}, out);
    }
    out += '}';
  } else if (value.is(Kind::kList)) {
    out += '[';
    bool is_first = true;
    for (const Value item : value) {
      out += is_first ? "" : ",";
      is_first = false;
      add_content(item, {}, out);
    }
    out += ']';
  } else if (value.is(Kind::kText)) {
    out += dumped(std::string{value.text()});
  } else if (value.is(Kind::kReal)) {
    out += dumped(value.real());
  } else {
    out += value.shown();
  }
}

}  // namespace

// Takes what the parser finds, in the order of the text.
class JsonEvents {
 public:
  JsonEvents(Document& document, const char*& furthest)
      : document_(document), furthest_(furthest) {}

  bool null() {
    add(Kind::kNull, 0);
    return true;
  }

  bool boolean(bool value) {
    add(Kind::kBoolean, value ? 1 : 0);
    return true;
  }

  bool number_integer(std::int64_t value) {
    add(value < 0 ? Kind::kNegative : Kind::kWhole, std::bit_cast<std::uint64_t>(value));
    return true;
  }

  bool number_unsigned(std::uint64_t value) {
    add(Kind::kWhole, value);
    return true;
  }

  bool number_float(double value, const std::string&) {
    add(Kind::kReal, std::bit_cast<std::uint64_t>(value));
    return true;
  }

  bool string(std::string& value) {
    const std::uint32_t begin = store(value);
    add(Kind::kText, std::uint64_t{begin} << 32U | value.size());
    return true;
  }

  // JSON has none; the parser asks for it.
  bool binary(json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Kind::kTable); }

  bool start_array(std::size_t) { return open(Kind::kList); }

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
    const std::size_t at = document_.text_.size() + document_.own_.size();
    document_.own_ += value;
    return static_cast<std::uint32_t>(at);
  }

  void add(Kind kind, std::uint64_t bits) {
    Document::Node node;
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

  bool open(Kind kind) {
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
    std::ranges::sort(keys_);
    const auto twice = std::ranges::adjacent_find(
        keys_, [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice == keys_.end()) {
      return true;
    }
    const auto& second = nodes[std::next(twice)->second];
    // A key with escapes is told where its value is.
    at_ = second.key_begin < document_.text_.size() ? second.key_begin - 1 : second.begin;
    why_ = fmt::format("an object has '{}' twice", core::printable(twice->first, kLongestShown));
    return false;
  }

  Document& document_;
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

core::Result<Document> parse_json(std::string_view text,
                                  const std::string& path,
                                  core::Code code,
                                  const std::string& hint) {
  const auto refuse = [&](core::Place place, const std::string& why, const std::string& better) {
    place.path = path;
    const std::string name =
        path == "-" ? "standard input" : fmt::format("'{}'", core::printable(path));
    return core::fail(core::error(code,
                                  fmt::format("{} is not valid JSON: {}", name, why),
                                  std::move(place),
                                  hint.empty() ? better : hint));
  };
  if (text.size() > kLongest) {
    return refuse(
        {},
        fmt::format("it is larger than {}", core::format_size(core::Bytes{kLongest})),
        hint.empty() ? "a plan has one line for each tensor; this is something else" : hint);
  }
  Document document;
  document.path_ = path;
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
  const auto [line, column] = document.position_of(events.where());
  place.line = line;
  place.column = column;
  const std::size_t begin = document.line_begins_[line - 1];
  const std::string_view written = text.substr(begin, text.find('\n', begin) - begin);
  if (written.size() <= kLongestQuoted && core::is_utf8(written)) {
    place.text = std::string{core::trim(written).empty() ? std::string_view{} : written};
  }
  return refuse(std::move(place), events.why(), events.hint());
}

std::string Document::hash_without(std::string_view key) const {
  std::string content;
  add_content(root(), key, content);
  return core::short_hash(content);
}

}  // namespace memsize::docs
