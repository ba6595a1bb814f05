// Parses device-tree source statement by statement, as far as reserved memory needs it: labels,
// `reg` in four cells, each branch of a condition that may hold. What is no device tree gives one
// warning, and so does a semicolon that is missing.
#include "memsize/core/c_expression.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

// What a statement stands in: a file, a node whose labelled children are reserved memory, or any
// other node.
enum class Where { kFile, kReserved, kElsewhere };

constexpr unsigned kDeepest = 64;
constexpr std::size_t kCells = 4;

// What a `reg` of another shape than four cells is: an error in a file that is a list of nodes, a
// warning in reserved memory, nothing in an overlay of a label that may be any node's.
enum class Reg { kMust, kShould, kMay };

bool is_directive(std::string_view word) {
  return core::is_one_of(
      word, "dts-v1 plugin delete-node delete-property memreserve omit-if-no-ref bits");
}

bool is_preprocessor(std::string_view word) {
  return core::is_one_of(word, "#include #define #undef #if #ifdef #ifndef #elif #else #endif");
}

// "#if" where "# if" comes next, too.
std::string directive_word(const core::Cursor& cursor) {
  return std::string{cursor.peek()} +
         (cursor.peek() == "#" ? std::string{cursor.peek(1)} : std::string{});
}

std::string rest_of_line(core::Cursor& cursor, const core::Place& place) {
  const core::Place first = cursor.place();
  const bool is_any = !cursor.done() && first.line == place.line;
  while (!cursor.done() && cursor.place().line == place.line) {
    cursor.take();
  }
  return is_any ? cursor.words_since(first) : std::string{};
}

// How many tokens the labels have that come next.
std::size_t behind_labels(const core::Cursor& cursor) {
  std::size_t at = 0;
  while (cursor.peek(at + 1) == ":") {
    at += 2;
  }
  return at;
}

// How many tokens the name at `at` has: a comma or a plus sign may be part of it.
std::size_t name_length(const core::Cursor& cursor, std::size_t at) {
  std::size_t length = 1;
  while (cursor.peek(at + length) == "," || cursor.peek(at + length) == "+") {
    length += 2;
  }
  return length;
}

bool begins_body(const core::Cursor& cursor, std::size_t name) {
  return cursor.peek(name) != "{" && cursor.peek(name) != "}" &&
         cursor.peek(name + name_length(cursor, name)) == "{";
}

// Names that the file gives values itself.
class Defines {
 public:
  // `line` is what stands behind "#define".
  void add(const std::string& line, bool is_certain) {
    const std::size_t end = end_of_word(line, 0);
    // One with parameters is no value, nor is one that may have another.
    if (is_certain && end != line.size() && line[end] == ' ') {
      bodies_[line.substr(0, end)] = line.substr(end + 1);
    } else {
      remove(line.substr(0, end));
    }
  }

  void remove(const std::string& name) { bodies_.erase(name); }

  // With the texts of all names in place of them, as the preprocessor does it. What comes to no end
  // keeps its name.
  [[nodiscard]] std::string expanded(const std::string& text, unsigned depth = 0) const {
    constexpr unsigned kDeepestDefine = 16;
    constexpr std::size_t kLongest = 4096;
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::max(end_of_word(text, at), at + 1);
      const std::string word = text.substr(at, end - at);
      const auto body = bodies_.find(word);
      const bool is_known =
          body != bodies_.end() && depth < kDeepestDefine && result.size() < kLongest;
      result += is_known ? expanded(body->second, depth + 1) : word;
      at = end;
    }
    return result;
  }

 private:
  static std::size_t end_of_word(const std::string& text, std::size_t at) {
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_')) {
      ++at;
    }
    return at;
  }

  std::map<std::string, std::string> bodies_;
};

// The conditions of the preprocessor around the next statement, and names that have values there.
class Conditions {
 public:
  Conditions(core::Cursor& cursor, core::Diagnostics& errors) : cursor_(cursor), errors_(errors) {}

  // One line. Of a condition that is a number the branch that does not hold is passed over; else
  // all are read.
  void take_line() {
    const core::Place place = cursor_.place();
    const std::string word = directive_word(cursor_);
    cursor_.take();
    if (place.length == 1) {
      cursor_.take();
    }
    const std::string rest = rest_of_line(cursor_, place);
    if (word == "#define") {
      defines_.add(rest, !is_any_open());
    } else if (word == "#undef") {
      defines_.remove(rest);
    } else if (word == "#if" || word == "#ifdef" || word == "#ifndef") {
      const auto value = word == "#if" ? core::c_constant(rest) : std::nullopt;
      begin_condition(place, word, rest, value);
    } else if (word == "#endif") {
      around_.resize(around_.size() - (around_.empty() ? 0U : 1U));
    } else if ((word == "#else" || word == "#elif") && !around_.empty()) {
      const auto value = word == "#elif" ? core::c_constant(rest) : std::nullopt;
      if (around_.back() == Holds::kYes || value == 0U) {
        pass_branch(place);
      } else if (around_.back() == Holds::kNo && word == "#elif") {
        around_.pop_back();
        begin_condition(place, word, rest, value);
      }
    }
  }

  [[nodiscard]] const Defines& defines() const { return defines_; }

  // Whether one of them may hold or not.
  [[nodiscard]] bool is_any_open() const {
    return std::ranges::find(around_, Holds::kOpen) != around_.end();
  }

 private:
  enum class Holds { kYes, kNo, kOpen };

  void begin_condition(const core::Place& place,
                       const std::string& word,
                       const std::string& rest,
                       const std::optional<std::uint64_t>& value) {
    around_.push_back(!value ? Holds::kOpen : *value != 0 ? Holds::kYes : Holds::kNo);
    const bool is_guard =
        word == "#ifndef" && cursor_.peek() == "#define" && cursor_.peek(1) == rest;
    if (value == 0U) {
      pass_branch(place);
    } else if (!value && !is_guard) {
      errors_.push_back(core::warning(
          Code::kVerifyParse,
          fmt::format("whether '{} {}' holds is not known: all that stands under it is read, and "
                      "under its #else",
                      word,
                      core::printable(rest, 40)),
          place,
          "make it #if 0 or #if 1, or take it out"));
    }
  }

  // Up to the #else, #elif or #endif of the same condition. That nodes are in it is told.
  void pass_branch(const core::Place& place) {
    unsigned depth = 0;
    bool has_nodes = false;
    while (!cursor_.done()) {
      const std::string word = directive_word(cursor_);
      const bool is_end = word == "#endif";
      if (depth == 0 && (is_end || word == "#else" || word == "#elif")) {
        if (has_nodes) {
          errors_.push_back(core::warning(
              Code::kVerifyParse,
              fmt::format("nodes between this line and line {} are not there: the condition does "
                          "not hold",
                          cursor_.place().line),
              place,
              "take them out of the file, or out of the condition"));
        }
        return;
      }
      has_nodes = has_nodes || word == "{";
      depth -= is_end ? 1U : 0U;
      depth += core::is_one_of(word, "#if #ifdef #ifndef") ? 1U : 0U;
      cursor_.take();
    }
    errors_.push_back(core::error(Code::kVerifyParse,
                                  "this condition has no #endif",
                                  place,
                                  "write one behind what it is for"));
  }

  core::Cursor& cursor_;
  core::Diagnostics& errors_;
  Defines defines_;
  // Outermost first.
  std::vector<Holds> around_;
};

// Whether it is a number, or all of it is in parentheses.
bool is_one_cell(std::string_view text) {
  std::size_t open = 0;
  return std::ranges::all_of(text, [&](unsigned char c) {
    open += c == '(' ? 1U : 0U;
    const bool is_inside = open > 0 || std::isalnum(c) != 0;
    open -= c == ')' && open > 0 ? 1U : 0U;
    return is_inside;
  });
}

// A number, a name for one, or an expression in parentheses.
std::optional<std::uint64_t> read_cell(core::Cursor& cursor,
                                       const Defines& defines,
                                       core::Diagnostics& errors) {
  const core::Place first = cursor.place();
  if (cursor.peek() == ";" || cursor.peek() == "}" || cursor.peek() == ">") {
    cursor.wrong(fmt::format("a number is expected here, not '{}'", cursor.peek()), first);
    return std::nullopt;
  }
  for (unsigned open = 0; !cursor.done() && cursor.peek() != ";";) {
    const std::string token = cursor.take();
    open += token == "(" ? 1U : 0U;
    open -= token == ")" && open > 0 ? 1U : 0U;
    if (open == 0) {
      break;
    }
  }
  const std::string cell = defines.expanded(cursor.words_since(first));
  auto value = core::dtc_constant(cell);
  if (value && !is_one_cell(cell)) {
    value = core::fail(
        core::error(Code::kVerifyParse, "an expression must stand in parentheses", first));
  }
  if (!value) {
    errors.push_back(
        core::error(Code::kVerifyParse,
                    fmt::format("this cell has no value: {}", value.error().front().message),
                    cursor.place_since(first),
                    "write the number, or #define its names in this file"));
    return std::nullopt;
  }
  // A number below zero, as it is in 32 bits.
  return (*value | UINT32_MAX) == UINT64_MAX ? *value & UINT32_MAX : *value;
}

void check_width(WrittenNode& node, std::uint64_t largest, core::Diagnostics& errors) {
  node.has_wide_cell = largest > UINT32_MAX;
  if (node.has_wide_cell) {
    errors.push_back(
        core::error(Code::kDtsCells,
                    fmt::format("'{}' has a cell of {}, which does not fit 32 bits",
                                core::printable(node.label),
                                core::format_hex(largest)),
                    node.place,
                    "address and length take two cells each: the high word, then the low one"));
  }
}

// `= <high low high low>;`: base and size, in cells of 32 bits.
bool read_cells(core::Cursor& cursor,
                const Defines& defines,
                WrittenNode& node,
                core::Diagnostics& errors) {
  if (!cursor.expect("=") || !cursor.expect("<")) {
    return false;
  }
  const core::Place place = cursor.place();
  std::array<std::uint64_t, kCells> cells{};
  for (std::size_t i = 0; i < kCells; ++i) {
    const bool begins_group =
        i > 0 && cursor.peek() == ">" && cursor.peek(1) == "," && cursor.peek(2) == "<";
    for (std::size_t part = 0; begins_group && part < 3; ++part) {
      cursor.take();
    }
    const auto value = read_cell(cursor, defines, errors);
    if (!value) {
      return false;
    }
    cells[i] = *value;
  }
  const core::Place written = cursor.place_since(place);
  if (!cursor.expect(">")) {
    return false;
  }
  if (cursor.peek() != ";") {
    errors.push_back(
        core::error(Code::kVerifyParse,
                    "this 'reg' goes on behind its range: one of four cells is expected",
                    cursor.place(),
                    "give what follows a node of its own"));
    return false;
  }
  node.places.emplace("reg", written);
  check_width(node, *std::ranges::max_element(cells), errors);
  node.base = (cells[0] << 32) | cells[1];
  node.size = (cells[2] << 32) | cells[3];
  return true;
}

void read_reg(core::Cursor& cursor,
              const Defines& defines,
              WrittenNode& node,
              Reg must,
              core::Diagnostics& errors) {
  const std::size_t before = errors.size();
  if (read_cells(cursor, defines, node, errors) || must == Reg::kMust) {
    return;
  }
  errors.erase(errors.begin() + static_cast<std::ptrdiff_t>(before), errors.end());
  if (must == Reg::kShould) {
    errors.push_back(
        core::warning(Code::kVerifyParse,
                      fmt::format("'{}' is passed over: its 'reg' is not one range of four "
                                  "numbers",
                                  core::printable(node.label)),
                      node.place));
  }
}

void read_property(core::Cursor& cursor,
                   const Defines& defines,
                   WrittenNode& node,
                   const std::string& property,
                   const core::Place& name,
                   Reg must,
                   core::Diagnostics& errors) {
  if (property == "no-map" || property == "reusable" || property == "status") {
    node.places.emplace(property, name);
    node.no_map = node.no_map || property == "no-map";
    node.is_reusable = node.is_reusable || property == "reusable";
    // As Linux has it (of_fdt_device_is_available).
    const bool is_set = property == "status" && cursor.peek() == "=";
    const std::string status = is_set ? core::unquoted(cursor.peek(1)) : std::string{};
    node.is_disabled = property == "status" ? status != "okay" && status != "ok" : node.is_disabled;
  } else if (property == "reg") {
    read_reg(cursor, defines, node, must, errors);
  } else if (property == "compatible" && cursor.expect("=")) {
    node.places.emplace(property, cursor.place());
    node.compatible = core::unquoted(cursor.take());
  } else if (property == "alignment" && cursor.expect("=") && cursor.expect("<")) {
    const core::Place place = cursor.place();
    auto cell = read_cell(cursor, defines, errors);
    node.alignment = cell.value_or(0);
    while (cell && !cursor.done() && cursor.peek() != ">" && cursor.peek() != ";") {
      cell = read_cell(cursor, defines, errors);
      node.alignment = (node.alignment << 32) | cell.value_or(0);
    }
    node.places.emplace(property, cursor.place_since(place));
  }
}

// `label: name {` up to the brace; of several labels the first counts.
WrittenNode begun_node(core::Cursor& cursor) {
  WrittenNode node{.place = cursor.place()};
  for (std::size_t labels = behind_labels(cursor) / 2; labels > 0; --labels) {
    std::string label = cursor.take();
    node.label = node.label.empty() ? std::move(label) : node.label;
    cursor.take();
  }
  const core::Place name = cursor.place();
  for (std::size_t parts = name_length(cursor, 0); parts > 0; --parts) {
    node.name += cursor.take();
  }
  node.places.emplace("name", cursor.place_since(name));
  const std::size_t at = std::min(node.name.find('@'), node.name.size());
  if (at != node.name.size()) {
    const auto address = core::parse_address("0x" + node.name.substr(at + 1));
    node.unit_address = address ? *address : 0;
  }
  return node;
}

// Up to behind the semicolon; whether there is one, and no other property before it. The braces of
// `&{/path}` belong to the value.
bool skip_value(core::Cursor& cursor) {
  unsigned open = 0;
  bool is_one = core::is_one_of(cursor.peek(), "= ; , + >");
  for (bool is_first = true;
       !cursor.done() && cursor.peek() != ";" && (open > 0 || cursor.peek() != "}");
       is_first = false) {
    const std::string token = cursor.take();
    open += token == "{" || token == "(" ? 1U : 0U;
    open -= open > 0 && (token == "}" || token == ")") ? 1U : 0U;
    is_one = is_one && (is_first || open > 0 || token != "=");
  }
  is_one = is_one && cursor.peek() == ";";
  if (cursor.peek() == ";") {
    cursor.take();
  }
  return is_one;
}

class DtsParser {
 public:
  DtsParser(const MapFile& file,
            const std::string& root,
            const std::set<std::string>& elsewhere,
            core::Diagnostics& errors)
      : cursor_(file.path_under(root), file.content, Code::kVerifyParse, errors),
        errors_(errors),
        conditions_(cursor_, errors) {
    for (const std::string& label : elsewhere) {
      labels_.emplace(label, Reg::kShould);
    }
  }

  std::vector<WrittenNode> run() {
    while (!cursor_.done() && !is_lost_) {
      statement(Where::kFile, 0, nullptr);
    }
    return std::move(nodes_);
  }

 private:
  // Takes one statement. `node` takes the properties, if it is wanted.
  void statement(Where where, unsigned depth, WrittenNode* node) {
    const bool is_file = where == Where::kFile;
    if (is_preprocessor(directive_word(cursor_))) {
      conditions_.take_line();
    } else if (cursor_.peek() == "/" && cursor_.peek(2) == "/" && is_directive(cursor_.peek(1))) {
      directive();
    } else if (is_file && cursor_.peek() == "&") {
      overlay(depth);
    } else if (is_file && cursor_.peek() == "/" && cursor_.peek(1) == "{") {
      cursor_.take();
      body(Where::kElsewhere, depth, nullptr);
    } else if (const std::size_t name = behind_labels(cursor_); begins_body(cursor_, name)) {
      child(where, depth);
    } else if (is_file) {
      stray();
      return;
    } else {
      property(where, node);
    }
    is_stray_ = false;
  }

  void directive() {
    const std::string_view word = cursor_.peek(1);
    if (word == "delete-node") {
      const bool by_label = cursor_.peek(3) == "&";
      const std::string name{cursor_.peek(by_label ? 4 : 3)};
      std::erase_if(nodes_, [&](const WrittenNode& node) {
        return (by_label ? node.label : node.name) == name;
      });
    }
    if (word == "delete-property") {
      properties_.erase(std::string{cursor_.peek(3)});
    }
    if (word == "omit-if-no-ref") {
      cursor_.take();
      cursor_.take();
      cursor_.take();
    } else {
      cursor_.skip_past(";");
    }
  }

  // `&label {` or `&{/path} {`.
  void overlay(unsigned depth) {
    WrittenNode node;
    cursor_.take();
    node.place = cursor_.place();
    std::string last{cursor_.peek()};
    if (last == "{") {
      while (!cursor_.done() && cursor_.peek() != "}") {
        last = cursor_.take();
      }
      cursor_.take();
    } else {
      node.label = cursor_.take();
    }
    if (cursor_.peek() != "{") {
      stray();
      return;
    }
    const bool is_reserved = last == "reserved_memory" || last == "reserved-memory";
    WrittenNode* wanted = node.label.empty() || is_reserved ? nullptr : &node;
    if (const auto known = labels_.find(node.label); known != labels_.end()) {
      reg_of_ = known->second;
    }
    body(is_reserved ? Where::kReserved : Where::kElsewhere, depth, wanted);
    reg_of_ = Reg::kMay;
    if (wanted != nullptr && node.places.contains("reg")) {
      nodes_.push_back(std::move(node));
    }
  }

  void child(Where where, unsigned depth) {
    WrittenNode node = begun_node(cursor_);
    const std::string plain = node.name.substr(0, node.name.find('@'));
    const bool is_parent = plain == "reserved-memory" || plain == "__overlay__";
    const bool is_wanted = !node.label.empty() && !is_parent && where != Where::kElsewhere;
    reg_of_ = where == Where::kFile ? Reg::kMust : Reg::kShould;
    if (is_wanted) {
      labels_.emplace(node.label, reg_of_);
    }
    body(is_parent ? Where::kReserved : Where::kElsewhere, depth, is_wanted ? &node : nullptr);
    reg_of_ = Reg::kMay;
    is_behind_node_ = true;
    if (is_wanted && (where == Where::kFile || node.places.contains("reg"))) {
      nodes_.push_back(std::move(node));
    }
  }

  // From the brace to behind its counterpart and the semicolon.
  void body(Where where, unsigned depth, WrittenNode* node) {
    const core::Place begin = cursor_.place();
    properties_.clear();
    is_behind_node_ = false;
    cursor_.take();
    if (depth == kDeepest) {
      cursor_.wrong("the nodes are nested too deeply", begin);
      is_lost_ = true;
    }
    while (!is_lost_ && !cursor_.done() && cursor_.peek() != "}") {
      statement(where, depth + 1, node);
    }
    if (!is_lost_ && cursor_.done()) {
      cursor_.wrong("this node is not closed", begin);
      is_lost_ = true;
    }
    const core::Place end = cursor_.place();
    cursor_.take();
    if (cursor_.peek() == ";") {
      cursor_.take();
    } else if (node != nullptr && !is_lost_) {
      no_semicolon("this node", end);
    }
  }

  // Text that is no device tree: one warning for all of it, then on to the next node.
  void stray() {
    if (!is_stray_) {
      errors_.push_back(core::warning(
          Code::kVerifyParse,
          fmt::format("'{}' is no part of a device tree", core::printable(cursor_.peek(), 40)),
          cursor_.place(),
          "it is passed over up to the next node; a comment may have ended early"));
    }
    is_stray_ = true;
    cursor_.take();
  }

  void property(Where where, WrittenNode* node) {
    const core::Place place = cursor_.place();
    if (is_behind_node_ && !conditions_.is_any_open()) {
      errors_.push_back(core::error(Code::kVerifyParse,
                                    fmt::format("'{}' stands behind a node of this node",
                                                core::printable(cursor_.peek(), 40)),
                                    place,
                                    "put it before the nodes: dtc refuses the file"));
    }
    if (node != nullptr) {
      once(place);
    }
    const std::string name = cursor_.take();
    const std::size_t before = errors_.size();
    if (node != nullptr && where == Where::kElsewhere) {
      read_property(cursor_, conditions_.defines(), *node, name, place, reg_of_, errors_);
    }
    const bool is_passed_over = name == "reg" && reg_of_ == Reg::kMay;
    if (!skip_value(cursor_) && node != nullptr && errors_.size() == before && !is_passed_over) {
      no_semicolon(fmt::format("'{}'", core::printable(name, 40)), place);
    }
  }

  void no_semicolon(const std::string& behind, const core::Place& place) {
    errors_.push_back(core::warning(Code::kVerifyParse,
                                    fmt::format("there is no ';' behind {}", behind),
                                    place,
                                    "write one: dtc refuses the file"));
  }

  // Of two, dtc takes neither. Under conditions that are not known, one may be there alone.
  void once(const core::Place& place) {
    constexpr std::size_t kMostTokens = 16;
    std::string name;
    for (std::size_t i = 0; i < kMostTokens && !core::is_one_of(cursor_.peek(i), "= ; { }"); ++i) {
      name += cursor_.peek(i);
    }
    const auto [first, is_new] = properties_.emplace(name, place);
    if (!is_new && !conditions_.is_any_open()) {
      errors_.push_back(
          core::error(Code::kVerifyParse,
                      fmt::format("'{}' stands twice in this node", core::printable(name, 40)),
                      place,
                      "keep one of them: dtc refuses the file")
              .beside(first->second, "it stands here first"));
    }
  }

  core::Cursor cursor_;
  core::Diagnostics& errors_;
  Conditions conditions_;
  std::vector<WrittenNode> nodes_;
  // Of reserved memory, and what their `reg` is.
  std::map<std::string, Reg> labels_;
  Reg reg_of_ = Reg::kMay;
  // Of the node around the next statement, before its own nodes.
  std::map<std::string, core::Place> properties_;
  // Such a node stands before the next statement.
  bool is_behind_node_ = false;
  bool is_stray_ = false;
  bool is_lost_ = false;
};

}  // namespace

std::vector<WrittenNode> parse_dts(const MapFile& file,
                                   const std::string& root,
                                   core::Diagnostics& errors) {
  return parse_dts_beside(file, root, {}, errors);
}

std::vector<WrittenNode> parse_dts_beside(const MapFile& file,
                                          const std::string& root,
                                          const std::set<std::string>& elsewhere,
                                          core::Diagnostics& errors) {
  return DtsParser{file, root, elsewhere, errors}.run();
}

}  // namespace memsize::emit
