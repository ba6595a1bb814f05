#include "memsize/emit/written.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

void assign(WrittenMmuEntry& entry, const std::string& property, core::Cursor& cursor) {
  if (property == "$name") {
    entry.name = core::unquoted(cursor.take());
  } else if (property == "attribute") {
    entry.attribute = core::unquoted(cursor.take());
  } else if (property == "vAddr") {
    entry.virtual_base = cursor.number();
  } else if (property == "pAddr") {
    entry.physical = cursor.number();
  } else if (property == "size") {
    entry.size = cursor.number();
  }
}

// `= <high low high low>`: base and size, in cells of 32 bits.
bool parse_reg(core::Cursor& cursor, WrittenNode& node, core::Diagnostics& errors) {
  if (!cursor.expect("=") || !cursor.expect("<")) {
    return false;
  }
  const std::uint64_t base_high = cursor.number();
  const std::uint64_t base_low = cursor.number();
  const std::uint64_t size_high = cursor.number();
  const std::uint64_t size_low = cursor.number();
  const std::uint64_t largest = std::max({base_high, base_low, size_high, size_low});
  if (largest > UINT32_MAX) {
    errors.push_back(
        core::error(Code::kDtsCells,
                    fmt::format("'{}' has a cell of {}, which does not fit 32 bits",
                                core::printable(node.label),
                                core::format_hex(largest)),
                    node.place,
                    "address and length take two cells each: the high word, then the low one"));
  }
  node.base = (base_high << 32) | base_low;
  node.size = (size_high << 32) | size_low;
  return cursor.expect(">");
}

}  // namespace

std::vector<WrittenRange> parse_linker(const MapFile& file,
                                       const std::string& root,
                                       core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::vector<WrittenRange> ranges;
  if (!cursor.expect("MEMORY") || !cursor.expect("{")) {
    return ranges;
  }
  while (!cursor.done() && cursor.peek() != "}") {
    WrittenRange range;
    range.place = cursor.place();
    range.name = cursor.take();
    if (cursor.peek() == "(") {
      cursor.skip_past(")");
    }
    const bool shaped = cursor.expect(":") && cursor.expect("ORIGIN") && cursor.expect("=");
    if (!shaped) {
      return ranges;
    }
    range.base = cursor.number();
    if (!cursor.expect(",") || !cursor.expect("LENGTH") || !cursor.expect("=")) {
      return ranges;
    }
    range.size = cursor.number();
    ranges.push_back(std::move(range));
  }
  cursor.expect("}");
  return ranges;
}

std::map<std::string, WrittenMacro> parse_header(const MapFile& file,
                                                 const std::string& root,
                                                 core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::map<std::string, WrittenMacro> macros;
  while (!cursor.done()) {
    if (cursor.take() != "#define" || cursor.peek(1) != "(") {
      continue;
    }
    const core::Place place = cursor.place();
    const std::string name = cursor.take();
    cursor.expect("(");
    const std::uint64_t value = cursor.number();
    cursor.expect(")");
    if (!macros.emplace(name, WrittenMacro{value, place}).second) {
      errors.push_back(
          core::error(Code::kVerifyParse, fmt::format("'{}' is defined twice", name), place));
    }
  }
  return macros;
}

std::vector<WrittenNode> parse_dts(const MapFile& file,
                                   const std::string& root,
                                   core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::vector<WrittenNode> nodes;
  while (!cursor.done()) {
    if (cursor.peek(1) != ":") {
      cursor.take();
      continue;
    }
    WrittenNode node;
    node.place = cursor.place();
    node.label = cursor.take();
    cursor.take();
    const std::string name = cursor.take();
    if (const std::size_t at = name.find('@'); at != std::string::npos) {
      const auto address = core::parse_address("0x" + name.substr(at + 1));
      node.unit_address = address ? *address : 0;
    }
    cursor.skip_past("{");
    while (!cursor.done() && cursor.peek() != "}") {
      const std::string property = cursor.take();
      node.no_map = node.no_map || property == "no-map";
      if (property == "reg" && !parse_reg(cursor, node, errors)) {
        break;
      }
      if (property == "compatible" && cursor.expect("=")) {
        node.compatible = core::unquoted(cursor.take());
      }
      if (property == "alignment" && cursor.expect("=") && cursor.expect("<")) {
        node.alignment = cursor.number();
      }
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::vector<WrittenMmuEntry> parse_syscfg(const MapFile& file,
                                          const std::string& root,
                                          core::Diagnostics& errors) {
  constexpr std::string_view kInstance = "mmu_armv8";
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::map<unsigned, WrittenMmuEntry> entries;
  while (!cursor.done()) {
    const core::Place place = cursor.place();
    const std::string word = cursor.take();
    const std::size_t dot = word.find('.');
    if (!word.starts_with(kInstance) || dot == std::string::npos || cursor.peek() != "=") {
      continue;
    }
    const auto number = core::parse_address(word.substr(kInstance.size(), dot - kInstance.size()));
    if (!number) {
      continue;
    }
    cursor.take();
    WrittenMmuEntry& entry = entries[static_cast<unsigned>(*number)];
    if (entry.instance == 0) {
      entry.instance = static_cast<unsigned>(*number);
      entry.place = place;
    }
    assign(entry, word.substr(dot + 1), cursor);
  }
  std::vector<WrittenMmuEntry> list;
  list.reserve(entries.size());
  for (auto& [number, entry] : entries) {
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace memsize::emit
