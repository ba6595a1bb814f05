// Parses device-tree source statement by statement, as far as reserved memory needs it: labels,
// `reg` in four cells, both branches of a condition. What is no device tree gives one warning.
#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include <algorithm>
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
    if (is_preprocessor(cursor_.peek())) {
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

  // To the end of the line: both branches of a condition are read.
  void preprocessor() {
    const std::size_t line = cursor_.place().line;
    while (!cursor_.done() && cursor_.place().line == line) {
      cursor_.take();
    }
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
    const std::string name = cursor_.take();
    if (node != nullptr && where == Where::kElsewhere) {
      assign(*node, name);
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

  void assign(WrittenNode& node, const std::string& property) {
    node.no_map = node.no_map || property == "no-map";
    if (property == "reg") {
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

  // `= <high low high low>`: base and size, in cells of 32 bits.
  void reg(WrittenNode& node) {
    if (reg_of_ != Reg::kMust && !has_four_cells()) {
      if (reg_of_ == Reg::kShould) {
        errors_.push_back(core::warning(
            Code::kVerifyParse,
            fmt::format("'{}' is passed over: its 'reg' is not one range of four numbers",
                        core::printable(node.label)),
            node.place));
      }
      return;
    }
    if (!cursor_.expect("=") || !cursor_.expect("<")) {
      return;
    }
    const core::Place place = cursor_.place();
    const std::uint64_t base_high = cursor_.number();
    const std::uint64_t base_low = cursor_.number();
    const std::uint64_t size_high = cursor_.number();
    const std::uint64_t size_low = cursor_.number();
    node.places.emplace("reg", cursor_.place_since(place));
    const std::uint64_t largest = std::max({base_high, base_low, size_high, size_low});
    if (largest > UINT32_MAX) {
      errors_.push_back(
          core::error(Code::kDtsCells,
                      fmt::format("'{}' has a cell of {}, which does not fit 32 bits",
                                  core::printable(node.label),
                                  core::format_hex(largest)),
                      node.place,
                      "address and length take two cells each: the high word, then the low one"));
    }
    node.base = (base_high << 32) | base_low;
    node.size = (size_high << 32) | size_low;
    cursor_.expect(">");
  }

  // Whether a single range of four numbers comes next.
  [[nodiscard]] bool has_four_cells() const {
    bool numbers = cursor_.peek() == "=" && cursor_.peek(1) == "<";
    for (std::size_t i = 0; i < kCells && numbers; ++i) {
      numbers = core::parse_address(cursor_.peek(2 + i)).has_value();
    }
    return numbers && cursor_.peek(2 + kCells) == ">" && cursor_.peek(3 + kCells) == ";";
  }

  core::Cursor cursor_;
  core::Diagnostics& errors_;
  std::vector<WrittenNode> nodes_;
  // What a `reg` of another shape than four cells is: an error in a file that is a list of nodes, a
  // warning in reserved memory, nothing in an overlay, which may be of any node.
  enum class Reg { kMust, kShould, kMay };
  Reg reg_of_ = Reg::kMay;
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
