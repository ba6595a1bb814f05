// yaml-cpp gives events here, not its own tree: events have places, show keys that stand twice, and
// expand no alias, so that what a document may grow to is decided in this file. Events that follow
// a mistake are ignored; the parser ends by itself, and stops at 500 levels.
#include "memsize/core/text.hpp"
#include "memsize/docs/parse.hpp"

#include <algorithm>
#include <charconv>
#include <istream>
#include <map>
#include <optional>
#include <set>
#include <streambuf>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace memsize::docs {

namespace {

using core::Diagnostic;
using core::Place;
using core::printable;
using core::SharedText;

constexpr std::size_t kLongestYaml = std::size_t{4} << 20;
constexpr std::size_t kMostValues = 500'000;
constexpr std::size_t kDeepestYaml = 64;

// A stream over a text that is not copied.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    // A stream that is only read from never writes to its buffer.
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

class Places {
 public:
  Places(std::string_view text, const std::string& path) : text_(text), path_(path) {
    std::size_t from = 0;
    while (from <= text.size()) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      std::string_view line = text.substr(from, end - from);
      if (line.ends_with('\r')) {
        line.remove_suffix(1);
      }
      lines_.push_back(line);
      from = end + 1;
    }
    shown_.resize(lines_.size());
  }

  // `length`: of the text that is meant; it ends with its line.
  Place at(const YAML::Mark& mark, std::size_t length) {
    Place place;
    place.path = path_;
    const std::size_t line = mark.line < 0 ? 0 : static_cast<std::size_t>(mark.line);
    const std::size_t column = mark.column < 0 ? 0 : static_cast<std::size_t>(mark.column);
    place.line = std::min(line, lines_.size() - 1) + 1;
    const std::string_view written = lines_[place.line - 1];
    if (shown_[place.line - 1].empty() && !written.empty()) {
      // Many values share a line, which may be long; it is kept once.
      shown_[place.line - 1] = SharedText{printable_line(written)};
    }
    place.text = shown_[place.line - 1];
    place.column = std::min(column, written.size()) + 1;
    place.length = std::max<std::size_t>(1, std::min(length, written.size() + 1 - place.column));
    return place;
  }

  // Whether `value` stands at the mark as it is, so that it can be underlined.
  [[nodiscard]] std::size_t length_of(const YAML::Mark& mark, const std::string& value) const {
    const std::size_t from = mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos);
    if (from >= text_.size()) {
      return 1;
    }
    const bool quoted = text_[from] == '"' || text_[from] == '\'';
    const std::size_t begin = from + (quoted ? 1 : 0);
    return text_.substr(begin, value.size()) == value ? value.size() + (quoted ? 2 : 0) : 1;
  }

 private:
  static std::string printable_line(std::string_view line) {
    constexpr std::size_t kWhole = 100'000;
    const bool plain = std::ranges::all_of(line, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte >= 0x20 && byte != 0x7F) || c == '\t';
    });
    return plain ? std::string{line} : printable(line, kWhole);
  }

  std::string_view text_;
  SharedText path_;
  std::vector<std::string_view> lines_;
  std::vector<SharedText> shown_;
};

bool is_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool all_digits(std::string_view text, int base) {
  return !text.empty() && std::ranges::all_of(text, [base](char c) {
    const bool decimal = c >= '0' && c <= (base == 8 ? '7' : '9');
    return decimal || (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
  });
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text;
  if (negative || digits.starts_with('+')) {
    digits.remove_prefix(1);
  }
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0o")) {
    base = digits[1] == 'x' ? 16 : 8;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.front() == '0') {
    return std::nullopt;
  }
  if (!all_digits(digits, base)) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const std::string signed_text = (negative ? "-" : "") + std::string{digits};
  const auto [end, problem] =
      std::from_chars(signed_text.data(), signed_text.data() + signed_text.size(), value, base);
  return problem == std::errc{} && end == signed_text.data() + signed_text.size()
             ? std::optional{value}
             : std::nullopt;
}

// Digits with a point or an exponent. Nobody asks for its value: a number with a fraction is never
// what is wanted.
bool is_float(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const std::string lower = core::to_lower(text);
  if (lower == ".inf" || lower == ".nan") {
    return true;
  }
  const bool digit = std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
  const bool mark = text.find_first_of(".eE") != std::string_view::npos;
  return digit && mark && (text.front() == '.' || (text.front() >= '0' && text.front() <= '9')) &&
         text.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
         std::ranges::count(text, '.') <= 1;
}

// A value while it may still be copied for an alias, or become part of another.
struct Node {
  Kind kind = Kind::kTable;
  Place place;
  std::string text;
  std::int64_t integer = 0;
  /// Of a list, or of a table behind its keys.
  std::vector<Node> items;
  std::vector<Node> keys;
  bool null = false;
  /// A plain "<<" as a key.
  bool merge = false;
  /// Of it and everything in it.
  std::size_t values = 1;
};

void add_to(Builder& out, const Node& node) {
  switch (node.kind) {
    case Kind::kText:
      return out.add_text(node.text, node.place);
    case Kind::kBoolean:
      return out.add_boolean(core::to_lower(node.text) == "true", node.place);
    case Kind::kWhole:
      return out.add_integer(node.integer, node.place, node.text);
    case Kind::kReal:
      return out.add_real(0, node.place);
    default:
      break;
  }
  out.open(node.kind, node.place);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.kind == Kind::kTable) {
      out.key(node.keys[i].text, node.keys[i].place);
    }
    add_to(out, node.items[i]);
  }
  out.close();
}

bool is_known_tag(std::string_view tag) {
  constexpr std::string_view kStandard = "tag:yaml.org,2002:";
  constexpr std::string_view kKnown = "str int float bool null map seq";
  return tag.empty() || tag == "?" || tag == "!" ||
         (tag.starts_with(kStandard) && core::is_one_of(tag.substr(kStandard.size()), kKnown));
}

// What a plain scalar is.
void resolve(Node& node) {
  const std::string& text = node.text;
  const std::string lower = core::to_lower(text);
  const bool one_case =
      text == lower || text == "True" || text == "False" || text == "TRUE" || text == "FALSE";
  if (is_null(text)) {
    node.null = true;
  } else if (text == "<<") {
    node.merge = true;
  } else if (one_case && (lower == "true" || lower == "false")) {
    node.kind = Kind::kBoolean;
  } else if (const auto integer = integer_of(text); integer) {
    node.kind = Kind::kWhole;
    node.integer = *integer;
  } else if (is_float(text)) {
    node.kind = Kind::kReal;
  }
}

Diagnostic wrong_at(Place place, std::string what, std::string hint) {
  return core::error(core::Code::kPlanSyntax, std::move(what), std::move(place), std::move(hint));
}

// A list or a table whose end has not come.
class Level {
 public:
  Level(Kind kind, Place place, const YAML::Mark& mark, YAML::anchor_t anchor)
      : node_{.kind = kind, .place = std::move(place)}, mark_(mark), anchor_(anchor) {}

  [[nodiscard]] const YAML::Mark& mark() const { return mark_; }

  [[nodiscard]] YAML::anchor_t anchor() const { return anchor_; }

  // What is wrong with it, if anything.
  [[nodiscard]] std::optional<Diagnostic> add(Node node) {
    node_.values += node.values;
    if (node_.kind == Kind::kTable) {
      return key_ ? add_value(std::move(node)) : add_key(std::move(node));
    }
    if (node.null) {
      return wrong_at(node.place, "a list has an item without a value", "remove the item");
    }
    node_.items.push_back(std::move(node));
    return std::nullopt;
  }

  [[nodiscard]] Node closed() {
    for (auto& [key, value] : merged_) {
      if (taken_.insert(key.text).second) {
        node_.keys.push_back(std::move(key));
        node_.items.push_back(std::move(value));
      }
    }
    return std::move(node_);
  }

 private:
  std::optional<Diagnostic> add_key(Node node) {
    if (node.kind == Kind::kList || node.kind == Kind::kTable) {
      return wrong_at(node.place, "a key must be a plain name", "such as name:");
    }
    if (!node.merge && !taken_.insert(node.text).second) {
      return wrong_at(node.place,
                      fmt::format("the key '{}' stands twice in one table", printable(node.text)),
                      "keep one of them");
    }
    key_ = std::move(node);
    return std::nullopt;
  }

  std::optional<Diagnostic> add_value(Node node) {
    Node key = std::move(*key_);
    key_.reset();
    if (key.merge) {
      return merge(std::move(node));
    }
    if (!node.null) {
      node_.keys.push_back(std::move(key));
      node_.items.push_back(std::move(node));
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> merge(Node node) {
    std::vector<Node> tables;
    if (node.kind == Kind::kList) {
      tables.swap(node.items);
    } else {
      tables.push_back(std::move(node));
    }
    for (Node& table : tables) {
      if (table.kind != Kind::kTable) {
        return wrong_at(
            table.place, "'<<' merges a table, or a list of tables", "name a table's anchor");
      }
      for (std::size_t i = 0; i < table.items.size(); ++i) {
        merged_.emplace_back(std::move(table.keys[i]), std::move(table.items[i]));
      }
    }
    return std::nullopt;
  }

  Node node_;
  YAML::Mark mark_;
  YAML::anchor_t anchor_;
  // Of a table: the key whose value comes next.
  std::optional<Node> key_;
  // With those whose value is null.
  std::set<std::string, std::less<>> taken_;
  // What "<<" brings, weaker than what is written.
  std::vector<std::pair<Node, Node>> merged_;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Places& places) : places_(places) {}

  [[nodiscard]] const std::optional<Diagnostic>& problem() const { return problem_; }

  [[nodiscard]] const Node& root() const { return *root_; }

  /// Nothing or null.
  [[nodiscard]] bool empty() const { return !root_ || root_->null; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      wrong(mark, "a second document begins here", "one file holds one document: remove '---'");
    }
  }

  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    OnScalar(mark, "?", anchor, "");
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (problem_) {
      return;
    }
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) {
      return wrong(mark, "an alias stands inside of what it names", "remove it");
    }
    if (!count(mark, known->second.values)) {
      return;
    }
    Node copy = known->second;
    copy.merge = false;
    add(mark, std::move(copy), 0);
  }

  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& text) override {
    if (problem_ || !count(mark, 1)) {
      return;
    }
    Node node;
    node.place = places_.at(mark, places_.length_of(mark, text));
    node.kind = Kind::kText;
    node.text = text;
    // "!" is a string in quotes, "?" a plain one.
    if (!known_tag(mark, tag)) {
      return;
    }
    if (tag != "!" && !tag.ends_with(":str")) {
      resolve(node);
    }
    add(mark, std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Kind::kList);
  }

  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Kind::kTable);
  }

  void OnMapEnd() override { close(); }

 private:
  void wrong(const YAML::Mark& mark, std::string what, std::string hint) {
    if (!problem_) {
      problem_ = wrong_at(places_.at(mark, 1), std::move(what), std::move(hint));
    }
  }

  bool count(const YAML::Mark& mark, std::size_t values) {
    values_ += values;
    if (values_ > kMostValues) {
      wrong(mark,
            fmt::format("the document has more than {} values", kMostValues),
            "what an alias stands for counts each time");
    }
    return !problem_;
  }

  bool known_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!is_known_tag(tag)) {
      wrong(mark, fmt::format("the tag '{}' means nothing here", printable(tag)), "leave it out");
    }
    return !problem_;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Kind kind) {
    if (problem_ || !count(mark, 1) || !known_tag(mark, tag)) {
      return;
    }
    if (levels_.size() >= kDeepestYaml) {
      return wrong(mark,
                   fmt::format("it is nested more than {} deep", kDeepestYaml),
                   "rules need a few levels");
    }
    levels_.emplace_back(kind, places_.at(mark, 1), mark, anchor);
  }

  void close() {
    if (problem_) {
      return;
    }
    Level level = std::move(levels_.back());
    levels_.pop_back();
    add(level.mark(), level.closed(), level.anchor());
  }

  void add(const YAML::Mark& mark, Node node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      // What is kept for aliases is a copy, too.
      if (!count(mark, node.values)) {
        return;
      }
      anchors_.insert_or_assign(anchor, node);
    }
    if (levels_.empty()) {
      if (!root_) {
        root_ = std::move(node);
      }
      return;
    }
    if (auto error = levels_.back().add(std::move(node)); error) {
      problem_ = std::move(*error);
    }
  }

  Places& places_;
  std::optional<Diagnostic> problem_;
  std::vector<Level> levels_;
  std::optional<Node> root_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t values_ = 0;
  std::size_t documents_ = 0;
};

// What the parser cannot be given: bytes that are no text, and more of it than rules ever are.
std::optional<Diagnostic> refused_before_reading(std::string_view text, const std::string& path) {
  Place place;
  place.path = path;
  if (text.size() > kLongestYaml) {
    return core::error(
        core::Code::kPlanSyntax,
        fmt::format("{} are no document of rules", core::format_size(core::Bytes{text.size()})),
        place,
        fmt::format("at most {} are read", core::format_size(core::Bytes{kLongestYaml})));
  }
  const auto control = std::ranges::find_if(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  if (control == text.end() && core::is_utf8(text)) {
    return std::nullopt;
  }
  if (control != text.end()) {
    place.line = 1 + static_cast<std::size_t>(std::count(text.begin(), control, '\n'));
  }
  return core::error(core::Code::kPlanSyntax,
                     "this is not YAML: it has bytes that are no text",
                     place,
                     "save it as UTF-8");
}

}  // namespace

core::Result<Document> parse_yaml(std::string_view with_mark, const std::string& path) {
  const std::string_view text = core::without_byte_order_mark(with_mark);
  if (auto refused = refused_before_reading(text, path); refused) {
    return core::fail(std::move(*refused));
  }
  Places places{text, path};
  TreeBuilder builder{places};
  try {
    TextBuffer buffer{text};
    std::istream stream{&buffer};
    YAML::Parser parser{stream};
    while (!builder.problem() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& problem) {
    if (!builder.problem()) {
      return core::fail(
          core::error(core::Code::kPlanSyntax,
                      fmt::format("this is not YAML: {}", printable(problem.msg, 400)),
                      places.at(problem.mark, 1)));
    }
  }
  if (builder.problem()) {
    return core::fail(*builder.problem());
  }
  Builder made;
  if (builder.empty()) {
    Place nowhere;
    nowhere.path = path;
    made.open(Kind::kTable, nowhere);
    made.close();
  } else {
    add_to(made, builder.root());
  }
  return made.take();
}

}  // namespace memsize::docs
