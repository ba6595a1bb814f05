// Parses device-tree source statement by statement, as far as reserved memory needs it: labels,
// `reg` in four cells, each branch of a condition that may hold. What is no device tree gives one
// warning.
#include "memsize/core/c_expression.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

// What a statement stands in: a file, a node whose labelled children are reserved memory, or any
// other node.
enum class Where { kFile, kReserved, kElsewhere };

class DtsParser {
 public:
  DtsParser(const MapFile& file, const std::string& root, core::Diagnostics& errors)
      : cursor_(file.path_under(root), file.content, Code::kVerifyParse, errors), errors_(errors) {}

  std::vector<WrittenNode> run() {
    while (!cursor_.done() && !is_lost_) {
      statement(Where::kFile, 0, nullptr);
    }
    return std::move(nodes_);
  }

 private:
  static constexpr unsigned kDeepest = 64;
  static constexpr std::size_t kCells = 4;

  // Takes one statement. `node` takes the properties, if it is wanted.
  void statement(Where where, unsigned depth, WrittenNode* node) {
    const bool is_file = where == Where::kFile;
    if (is_preprocessor(directive_word())) {
      preprocessor();
    } else if (cursor_.peek() == "/" && cursor_.peek(2) == "/" && is_directive(cursor_.peek(1))) {
      directive();
    } else if (is_file && cursor_.peek() == "&") {
      overlay(depth);
    } else if (is_file && cursor_.peek() == "/" && cursor_.peek(1) == "{") {
      cursor_.take();
      body(Where::kElsewhere, depth, nullptr);
    } else if (const std::size_t name = behind_labels(); begins_body(name)) {
      child(where, depth);
    } else if (is_file) {
      stray();
      return;
    } else {
      property(where, node);
    }
    is_stray_ = false;
  }

  static bool is_directive(std::string_view word) {
    return core::is_one_of(
        word, "dts-v1 plugin delete-node delete-property memreserve omit-if-no-ref bits");
  }

  // How many tokens the labels have that come next.
  [[nodiscard]] std::size_t behind_labels() const {
    std::size_t at = 0;
    while (cursor_.peek(at + 1) == ":") {
      at += 2;
    }
    return at;
  }

  // How many tokens the name at `at` has: a comma or a plus sign may be part of it.
  [[nodiscard]] std::size_t name_length(std::size_t at) const {
    std::size_t length = 1;
    while (cursor_.peek(at + length) == "," || cursor_.peek(at + length) == "+") {
      length += 2;
    }
    return length;
  }

  [[nodiscard]] bool begins_body(std::size_t name) const {
    return cursor_.peek(name) != "{" && cursor_.peek(name) != "}" &&
           cursor_.peek(name + name_length(name)) == "{";
  }

  static bool is_preprocessor(std::string_view word) {
    return core::is_one_of(word, "#include #define #undef #if #ifdef #ifndef #elif #else #endif");
  }

  // One line. Of a condition that is a number the branch that does not hold is passed over; else
  // all are read.
  void preprocessor() {
    const core::Place place = cursor_.place();
    const std::string word = directive_word();
    cursor_.take();
    if (place.length == 1) {
      cursor_.take();
    }
    const std::string rest = rest_of_line(place);
    if (word == "#if" || word == "#ifdef" || word == "#ifndef") {
      const auto value = word == "#if" ? core::c_constant(rest) : std::nullopt;
      begin_condition(place, word, rest, value);
    } else if (word == "#endif") {
      conditions_.resize(conditions_.size() - (conditions_.empty() ? 0U : 1U));
    } else if ((word == "#else" || word == "#elif") && !conditions_.empty()) {
      const auto value = word == "#elif" ? core::c_constant(rest) : std::nullopt;
      if (conditions_.back() == Holds::kYes || value == 0U) {
        pass_branch(place);
      } else if (conditions_.back() == Holds::kNo && word == "#elif") {
        conditions_.pop_back();
        begin_condition(place, word, rest, value);
      }
    }
  }

  // "#if" where "# if" comes next, too.
  [[nodiscard]] std::string directive_word() const {
    return std::string{cursor_.peek()} +
           (cursor_.peek() == "#" ? std::string{cursor_.peek(1)} : std::string{});
  }

  std::string rest_of_line(const core::Place& place) {
    const core::Place first = cursor_.place();
    const bool is_any = !cursor_.done() && first.line == place.line;
    while (!cursor_.done() && cursor_.place().line == place.line) {
      cursor_.take();
    }
    return is_any ? cursor_.words_since(first) : std::string{};
  }

  void begin_condition(const core::Place& place,
                       const std::string& word,
                       const std::string& rest,
                       const std::optional<std::uint64_t>& value) {
    conditions_.push_back(!value ? Holds::kOpen : *value != 0 ? Holds::kYes : Holds::kNo);
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
      const std::string word = directive_word();
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
    body(is_reserved ? Where::kReserved : Where::kElsewhere, depth, wanted);
    if (wanted != nullptr && node.places.contains("reg")) {
      nodes_.push_back(std::move(node));
    }
  }

  // `label: name {`; of several labels the first counts.
  void child(Where where, unsigned depth) {
    WrittenNode node{.place = cursor_.place()};
    for (std::size_t labels = behind_labels() / 2; labels > 0; --labels) {
      std::string label = cursor_.take();
      node.label = node.label.empty() ? std::move(label) : node.label;
      cursor_.take();
    }
    const core::Place name = cursor_.place();
    for (std::size_t parts = name_length(0); parts > 0; --parts) {
      node.name += cursor_.take();
    }
    node.places.emplace("name", cursor_.place_since(name));
    const std::size_t at = std::min(node.name.find('@'), node.name.size());
    if (at != node.name.size()) {
      const auto address = core::parse_address("0x" + node.name.substr(at + 1));
      node.unit_address = address ? *address : 0;
    }
    const std::string plain = node.name.substr(0, at);
    const bool is_parent = plain == "reserved-memory" || plain == "__overlay__";
    const bool is_wanted = !node.label.empty() && !is_parent && where != Where::kElsewhere;
    reg_of_ = where == Where::kFile ? Reg::kMust : Reg::kShould;
    body(is_parent ? Where::kReserved : Where::kElsewhere, depth, is_wanted ? &node : nullptr);
    reg_of_ = Reg::kMay;
    if (is_wanted && (where == Where::kFile || node.places.contains("reg"))) {
      nodes_.push_back(std::move(node));
    }
  }

  // From the brace to behind its counterpart and the semicolon.
  void body(Where where, unsigned depth, WrittenNode* node) {
    const core::Place begin = cursor_.place();
    properties_.clear();
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
    cursor_.take();
    if (cursor_.peek() == ";") {
      cursor_.take();
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

  // Up to behind the semicolon. The braces of `&{/path}` belong to the value.
  void property(Where where, WrittenNode* node) {
    const core::Place place = cursor_.place();
    if (node != nullptr) {
      once(place);
    }
    const std::string name = cursor_.take();
    if (node != nullptr && where == Where::kElsewhere) {
      assign(*node, name, place);
    }
    unsigned open = 0;
    while (!cursor_.done() && cursor_.peek() != ";" && (open > 0 || cursor_.peek() != "}")) {
      const std::string token = cursor_.take();
      open += token == "{" ? 1U : 0U;
      open -= token == "}" ? 1U : 0U;
    }
    if (cursor_.peek() == ";") {
      cursor_.take();
    }
  }

  // Of two, dtc takes neither. Under conditions that are not known, one may be there alone.
  void once(const core::Place& place) {
    constexpr std::size_t kMostTokens = 16;
    std::string name;
    for (std::size_t i = 0; i < kMostTokens && !core::is_one_of(cursor_.peek(i), "= ; { }"); ++i) {
      name += cursor_.peek(i);
    }
    const auto [first, is_new] = properties_.emplace(name, place);
    if (!is_new && std::ranges::find(conditions_, Holds::kOpen) == conditions_.end()) {
      errors_.push_back(
          core::error(Code::kVerifyParse,
                      fmt::format("'{}' stands twice in this node", core::printable(name, 40)),
                      place,
                      "keep one of them: dtc refuses the file")
              .beside(first->second, "it stands here first"));
    }
  }

  void assign(WrittenNode& node, const std::string& property, const core::Place& name) {
    if (property == "no-map" || property == "reusable" || property == "status") {
      node.places.emplace(property, name);
      node.no_map = node.no_map || property == "no-map";
      node.is_reusable = node.is_reusable || property == "reusable";
      // As Linux has it (of_fdt_device_is_available).
      const bool is_set = property == "status" && cursor_.peek() == "=";
      const std::string status = is_set ? core::unquoted(cursor_.peek(1)) : std::string{};
      node.is_disabled =
          property == "status" ? status != "okay" && status != "ok" : node.is_disabled;
    } else if (property == "reg") {
      reg(node);
    } else if (property == "compatible" && cursor_.expect("=")) {
      node.places.emplace(property, cursor_.place());
      node.compatible = core::unquoted(cursor_.take());
    } else if (property == "alignment" && cursor_.expect("=") && cursor_.expect("<")) {
      const core::Place place = cursor_.place();
      node.alignment = cursor_.number();
      while (!cursor_.done() && cursor_.peek() != ">" && cursor_.peek() != ";") {
        node.alignment = (node.alignment << 32) | cursor_.number();
      }
      node.places.emplace(property, cursor_.place_since(place));
    }
  }

  void reg(WrittenNode& node) {
    const std::size_t before = errors_.size();
    if (cells(node) || reg_of_ == Reg::kMust) {
      return;
    }
    errors_.erase(errors_.begin() + static_cast<std::ptrdiff_t>(before), errors_.end());
    if (reg_of_ == Reg::kShould) {
      errors_.push_back(
          core::warning(Code::kVerifyParse,
                        fmt::format("'{}' is passed over: its 'reg' is not one range of four "
                                    "numbers",
                                    core::printable(node.label)),
                        node.place));
    }
  }

  // `= <high low high low>;`: base and size, in cells of 32 bits.
  bool cells(WrittenNode& node) {
    if (!cursor_.expect("=") || !cursor_.expect("<")) {
      return false;
    }
    const core::Place place = cursor_.place();
    std::array<std::uint64_t, kCells> cells{};
    for (std::size_t i = 0; i < kCells; ++i) {
      const bool begins_group =
          i > 0 && cursor_.peek() == ">" && cursor_.peek(1) == "," && cursor_.peek(2) == "<";
      for (std::size_t part = 0; begins_group && part < 3; ++part) {
        cursor_.take();
      }
      const auto value = cell();
      if (!value) {
        return false;
      }
      cells[i] = *value;
    }
    const core::Place written = cursor_.place_since(place);
    if (!cursor_.expect(">")) {
      return false;
    }
    if (cursor_.peek() != ";") {
      errors_.push_back(
          core::error(Code::kVerifyParse,
                      "this 'reg' goes on behind its range: one of four cells is expected",
                      cursor_.place(),
                      "give what follows a node of its own"));
      return false;
    }
    node.places.emplace("reg", written);
    check_width(node, *std::ranges::max_element(cells));
    node.base = (cells[0] << 32) | cells[1];
    node.size = (cells[2] << 32) | cells[3];
    return true;
  }

  // A number, or an expression of numbers in parentheses.
  std::optional<std::uint64_t> cell() {
    const core::Place first = cursor_.place();
    const std::size_t before = errors_.size();
    if (cursor_.peek() == ";" || cursor_.peek() == "}") {
      cursor_.wrong(fmt::format("a number is expected here, not '{}'", cursor_.peek()), first);
      return std::nullopt;
    }
    if (cursor_.peek() != "(") {
      const std::uint64_t number = cursor_.number();
      return errors_.size() == before ? std::optional{number} : std::nullopt;
    }
    for (unsigned open = 0; !cursor_.done() && cursor_.peek() != ";";) {
      const std::string token = cursor_.take();
      open += token == "(" ? 1U : 0U;
      open -= token == ")" ? 1U : 0U;
      if (open == 0) {
        break;
      }
    }
    const auto value = core::c_constant(cursor_.words_since(first));
    if (!value) {
      errors_.push_back(core::error(Code::kVerifyParse,
                                    "these are no sums, products or shifts of numbers",
                                    cursor_.place_since(first),
                                    "write the number that it is"));
    }
    return value;
  }

  void check_width(WrittenNode& node, std::uint64_t largest) {
    node.has_wide_cell = largest > UINT32_MAX;
    if (node.has_wide_cell) {
      errors_.push_back(
          core::error(Code::kDtsCells,
                      fmt::format("'{}' has a cell of {}, which does not fit 32 bits",
                                  core::printable(node.label),
                                  core::format_hex(largest)),
                      node.place,
                      "address and length take two cells each: the high word, then the low one"));
    }
  }

  core::Cursor cursor_;
  core::Diagnostics& errors_;
  std::vector<WrittenNode> nodes_;
  // What a `reg` of another shape than four cells is: an error in a file that is a list of nodes, a
  // warning in reserved memory, nothing in an overlay, which may be of any node.
  enum class Reg { kMust, kShould, kMay };
  Reg reg_of_ = Reg::kMay;
  // The conditions around the next statement, outermost first.
  enum class Holds { kYes, kNo, kOpen };
  std::vector<Holds> conditions_;
  // Of the node around the next statement, before its own nodes.
  std::map<std::string, core::Place> properties_;
  bool is_stray_ = false;
  bool is_lost_ = false;
};

}  // namespace

std::vector<WrittenNode> parse_dts(const MapFile& file,
                                   const std::string& root,
                                   core::Diagnostics& errors) {
  return DtsParser{file, root, errors}.run();
}

}  // namespace memsize::emit
