// A script for U-Boot that puts the reserved-memory nodes into a device tree, or gives the nodes
// that are there already their places: for those who cannot build the tree anew.
//
// U-Boot's scripts go on after a command that fails, so each says what went wrong in a variable.
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "consumers/consumer.hpp"
#include "rendered.hpp"
#include "view.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;
using layout::Carveout;

constexpr std::string_view kUbootFile = "reserved_memory.cmd";
// What libfdt needs for a node, its properties and their names, and some to spare.
constexpr std::uint64_t kRoomOfNode = 512;
constexpr core::Align kRoomStep = *core::Align::make(4096);

// A map's carve-out that Linux may use loses what forbids it.
constexpr std::string_view kUnmap =
    "; if fdt get size memsize_old ${memsize_node} no-map; then fdt rm ${memsize_node} no-map; fi";

Json uboot_properties(const Carveout& carveout) {
  Json properties = Json::array();
  const auto add = [&](const char* property, const std::string& value, std::string_view more = {}) {
    properties.push_back({{"property", property},
                          {"value", value},
                          {"label", carveout.label},
                          {"unmap", std::string{more}}});
  };
  add("reg",
      fmt::format(
          " <{} {}>", cells(carveout.range.base().value()), cells(carveout.range.size().count())),
      carveout.no_map ? std::string_view{} : kUnmap);
  if (!carveout.compatible.empty()) {
    add("compatible", fmt::format(" \"{}\"", carveout.compatible));
  }
  if (carveout.alignment.count() != 0) {
    add("alignment", fmt::format(" <{}>", core::format_hex(carveout.alignment.count())));
  }
  if (carveout.no_map) {
    add("no-map", {});
  }
  return properties;
}

Json uboot_view(const layout::MemoryMap& map) {
  Json view = head_view(map);
  view["file"] = std::string{kUbootFile};
  view["total"] = core::format_size(map.reserved());
  const core::Bytes room{kRoomOfNode * (map.carveouts.size() + 1)};
  view["room"] = core::format_hex(core::align_up(room.count(), kRoomStep).value_or(room.count()));
  view["nodes"] = Json::array(map.carveouts, [](const Carveout& carveout) -> Json {
    const std::uint64_t base = carveout.range.base().value();
    return {{"label", carveout.label},
            {"node",
             carveout.unit_address ? fmt::format("{}@{:x}", carveout.node, base) : carveout.node},
            {"size", core::format_size(carveout.range.size())},
            {"properties", uboot_properties(carveout)}};
  });
  return view;
}

core::Result<std::vector<Artifact>> render_uboot(const EmitInput& input) {
  return render_one(input, std::string{kUbootFile}, "uboot", uboot_view(input.map), escape_line);
}

struct ScriptNode {
  WrittenRange range;
  /// As it is made, and as its properties are set.
  std::string name;
  std::string set_as;
  std::string compatible;
  std::uint64_t alignment = 0;
  bool no_map = false;
};

// Follows the fdt commands: which node ${memsize_node} is, and what is set in it.
class ScriptReader {
 public:
  ScriptReader(const WrittenFile& file, const std::string& text, core::Diagnostics& errors)
      : cursor_(file.file.path_under(file.root), text, Code::kVerifyParse, errors),
        errors_(errors) {}

  std::vector<ScriptNode> read() {
    while (!cursor_.done() && errors_.empty()) {
      follow_condition();
      if (cursor_.begins_line() && !core::is_one_of(cursor_.peek(), "fdt setenv test if fi")) {
        cursor_.wrong(
            fmt::format("'{}' is no command of this script", core::printable(cursor_.peek(), 60)),
            cursor_.place());
        break;
      }
      const std::string word = cursor_.take();
      if (word == "fdt") {
        command();
      } else if (word == "setenv" && cursor_.peek() == "memsize_node" && !nodes_.empty()) {
        cursor_.take();
        for (const char* part : {"/", "reserved-memory", "/"}) {
          cursor_.expect(part);
        }
        nodes_.back().set_as = cursor_.take();
      } else if (word == "setenv" && cursor_.peek() == "memsize_wrong") {
        cursor_.take();
        if (!cursor_.begins_line()) {
          cursor_.take();
        }
      }
    }
    if (errors_.empty() && !open_.empty()) {
      refuse("this condition has no fi", open_.back());
    }
    return std::move(nodes_);
  }

 private:
  void refuse(std::string what, const core::Place& place) {
    errors_.push_back(
        core::error(Code::kVerifyParse, std::move(what), place, std::string{kWriteAgain}));
  }

  // U-Boot makes nothing of what stands behind a condition that is not closed.
  void follow_condition() {
    const std::string_view word = cursor_.peek();
    if (word == "if") {
      open_.push_back(cursor_.place());
    } else if (core::is_one_of(word, "then else fi") && open_.empty()) {
      refuse(fmt::format("this {} has no if", word), cursor_.place());
    } else if (word == "fi") {
      open_.pop_back();
    }
  }

  void command() {
    const core::Place place = cursor_.place();
    const std::string word = cursor_.take();
    if (word == "get" && cursor_.peek() == "value" && cursor_.peek(1) == "memsize_node") {
      // value memsize_node / __symbols__ / LABEL, of which '/' are tokens of their own.
      while (cursor_.peek() != "__symbols__" && !cursor_.done()) {
        cursor_.take();
      }
      cursor_.take();
      const core::Place label = cursor_.place();
      nodes_.push_back({.range = {.name = cursor_.take(), .place = label}});
    } else if (word == "mknode") {
      made_node();
    } else if (word == "set") {
      set_property();
    } else if (word != "get" && word != "addr" && word != "resize" && word != "rm") {
      cursor_.wrong(fmt::format("'fdt {}' is not read here", core::printable(word, 60)), place);
    }
  }

  // "/reserved-memory NAME", or "/ reserved-memory".
  void made_node() {
    cursor_.expect("/");
    const std::string first = cursor_.take();
    if (!nodes_.empty() && first == "reserved-memory") {
      nodes_.back().name = cursor_.take();
    }
  }

  void set_property() {
    const core::Place place = cursor_.place();
    if (cursor_.peek() == "/") {
      // The parent's own.
      return;
    }
    // ${memsize_node}
    cursor_.skip_past("}");
    if (nodes_.empty()) {
      cursor_.wrong("this sets a property of no node", place);
      return;
    }
    ScriptNode& node = nodes_.back();
    const std::string property = cursor_.take();
    if (property == "reg") {
      const std::vector<std::uint64_t> reg = cells_of_value();
      if (reg.size() != 4) {
        cursor_.wrong("reg has two cells for the address and two for the size", place);
        return;
      }
      node.range.base = reg[0] << 32U | reg[1];
      node.range.size = reg[2] << 32U | reg[3];
    } else if (property == "compatible") {
      node.compatible = core::unquoted(cursor_.take());
    } else if (property == "alignment") {
      const std::vector<std::uint64_t> value = cells_of_value();
      node.alignment = value.empty() ? 0 : value.front();
    } else if (property == "no-map") {
      node.no_map = true;
    } else {
      cursor_.wrong(
          fmt::format("'{}' is no property of a carve-out", core::printable(property, 60)), place);
    }
  }

  std::vector<std::uint64_t> cells_of_value() {
    std::vector<std::uint64_t> numbers;
    cursor_.expect("<");
    while (!cursor_.done() && cursor_.peek() != ">" && errors_.empty()) {
      const core::Place place = cursor_.place();
      numbers.push_back(cursor_.number());
      if (numbers.back() > UINT32_MAX) {
        cursor_.wrong("a cell holds 32 bits", place);
      }
    }
    cursor_.expect(">");
    return numbers;
  }

  core::Cursor cursor_;
  core::Diagnostics& errors_;
  std::vector<ScriptNode> nodes_;
  // The conditions around it.
  std::vector<core::Place> open_;
};

// How a line begins that a script needs beside its nodes, and what happens without it.
struct ScriptStep {
  std::string_view line;
  std::string_view without;
};

constexpr ScriptStep kBeforeNodes[] = {
    {"setenv memsize_wrong", "what went wrong another time counts again"},
    {"test -n \"${fdt_addr_r}\" ||", "no one says where the device tree is"},
    {"fdt addr ", "no device tree is changed"},
    {"fdt resize ", "the device tree has no room for nodes"},
    {"if fdt get size memsize_cells /reserved-memory; then true; else", "its parent is made twice"},
    {"fdt mknode / reserved-memory", "the nodes have no parent"},
    {"fdt set /reserved-memory \"#address-cells\" <2>", "an address is read as one cell"},
    {"fdt set /reserved-memory \"#size-cells\" <2>", "a size is read as one cell"},
    {"fdt set /reserved-memory ranges", "Linux reserves nothing"},
    {"fdt get value memsize_cells /reserved-memory \"#address-cells\"", "cells are not looked at"},
    {"test \"${memsize_cells}\" -eq 2 || setenv memsize_wrong \"#address-cells\"",
     "other cells are not noticed"},
    {"fdt get value memsize_cells /reserved-memory \"#size-cells\"", "cells are not looked at"},
    {"test \"${memsize_cells}\" -eq 2 || setenv memsize_wrong \"#size-cells\"",
     "other cells are not noticed"},
};
constexpr ScriptStep kBehindNodes = {"if test -n \"${memsize_wrong}\"; then echo ",
                                     "nobody is told what went wrong"};

// Goes on from `rest` to behind the line; whether there is one.
bool pass_step(std::string_view& rest, const ScriptStep& step) {
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = core::trim(rest.substr(0, end));
    rest.remove_prefix(end);
    if (line.starts_with(step.line)) {
      return true;
    }
  }
  return false;
}

// What is done before the nodes and behind them, in this order.
void expect_steps(const WrittenFile& file, const std::string& text, core::Diagnostics& found) {
  const auto lacks = [&](const ScriptStep& step) {
    found.push_back(
        core::error(Code::kVerifyParse,
                    fmt::format("this script lacks '{}': {}", core::trim(step.line), step.without),
                    {file.file.path_under(file.root)},
                    std::string{kWriteAgain}));
  };
  std::string_view rest = text;
  for (const ScriptStep& step : kBeforeNodes) {
    if (std::string_view ahead = rest; pass_step(ahead, step)) {
      rest = ahead;
    } else {
      return lacks(step);
    }
  }
  if (!pass_step(rest, kBehindNodes)) {
    lacks(kBehindNodes);
  }
}

void hold_script_node(const ScriptNode& node,
                      const MapCarveout& carveout,
                      core::Diagnostics& found) {
  const auto wrong = [&](const char* property, const std::string& what) {
    found.push_back(disagreement(
        node.range.place, {{"carve-out", carveout.label}, {"property", property}}, what));
  };
  const std::size_t at = node.name.find('@');
  if (node.name.substr(0, at) != carveout.node) {
    wrong("name",
          fmt::format("'{}' is made as node '{}', not '{}'",
                      carveout.label,
                      core::printable(node.name, 60),
                      carveout.node));
  } else if (at != std::string::npos &&
             node.name.substr(at) != fmt::format("@{:x}", node.range.base)) {
    wrong("name",
          fmt::format("'{}' is named '{}', but reserves {}",
                      carveout.label,
                      core::printable(node.name, 60),
                      core::format_hex(node.range.base)));
  }
  if (node.set_as != node.name) {
    wrong("name",
          fmt::format("'{}' is made as node '{}', but its properties are set in '{}'",
                      carveout.label,
                      core::printable(node.name, 60),
                      core::printable(node.set_as, 60)));
  }
  if (node.compatible != carveout.compatible) {
    wrong("compatible",
          fmt::format("'{}' is compatible with '{}' here, but with '{}' in memory_map.json",
                      carveout.label,
                      core::printable(node.compatible, 60),
                      carveout.compatible));
  }
  if (node.alignment != carveout.alignment) {
    wrong("alignment",
          fmt::format("'{}' has an alignment of {} here, but {} in memory_map.json",
                      carveout.label,
                      core::format_hex(node.alignment),
                      core::format_hex(carveout.alignment)));
  }
  if (node.no_map != carveout.no_map) {
    wrong("no-map",
          fmt::format("'{}' has {} 'no-map', but memory_map.json says that Linux {} map it",
                      carveout.label,
                      node.no_map ? "a" : "no",
                      carveout.no_map ? "must not" : "may"));
  }
}

void verify_uboot(const WrittenFile& file, core::Diagnostics& found) {
  const std::string text = without_line_comments(file.file.content, '#');
  const std::vector<ScriptNode> nodes = ScriptReader{file, text, found}.read();
  if (found.empty()) {
    expect_steps(file, text, found);
  }
  if (!found.empty()) {
    return;
  }
  std::vector<WrittenRange> ranges;
  for (const ScriptNode& node : nodes) {
    ranges.push_back(node.range);
  }
  hold_ranges(file, "carve-out", ranges, labelled_ranges(file), found);
  for (const ScriptNode& node : nodes) {
    const auto* carveout = core::find_in(file.map.carveouts, node.range.name, &MapCarveout::label);
    if (carveout != nullptr) {
      hold_script_node(node, *carveout, found);
    }
  }
}

}  // namespace

Emitter uboot_emitter() {
  return {"uboot",
          "a U-Boot script that puts the reserved-memory nodes into a device tree",
          render_uboot,
          true,
          kUbootFile,
          verify_uboot};
}

}  // namespace memsize::emit
