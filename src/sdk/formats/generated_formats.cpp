// The files that the SDK's library writes: linker maps, the C header, device-tree nodes, the HTML
// table.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include "compare_generated.hpp"
#include "generated_text.hpp"
#include "html_rows.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr std::string_view kSize = "size ";

// What a parser says, without warnings; and without cells that are too large, which the SDK's
// library writes.
core::Diagnostics errors_of(core::Diagnostics found) {
  std::erase_if(found, [](const core::Diagnostic& each) {
    return each.severity != core::Severity::kError || each.code == core::Code::kDtsCells;
  });
  return found;
}

// The size that stands last above an entry: "[ size  2.00 MB ]".
void add_size(std::string_view text, std::size_t from, Entry& entry) {
  const std::string_view above = text.substr(from, entry.span.begin - from);
  for (std::size_t open = above.rfind('['); open != std::string_view::npos;
       open = open == 0 ? std::string_view::npos : above.rfind('[', open - 1)) {
    const std::size_t word = above.find_first_not_of(' ', open + 1);
    const std::size_t end = above.find(']', open);
    if (word < end && end != std::string_view::npos && above.substr(word).starts_with(kSize)) {
      const std::size_t begin = word + kSize.size();
      const std::size_t last = above.find_last_not_of(' ', end - 1) + 1;
      entry.fields.push_back({FieldKind::kSize, {from + begin, from + std::max(begin, last)}});
      return;
    }
  }
}

// Sorted by their places; each gets the size that stands between it and the one above it.
void add_sizes(std::string_view text, std::vector<Entry>& entries) {
  std::size_t behind = 0;
  for (Entry& entry : entries) {
    if (behind <= entry.span.begin) {
      add_size(text, behind, entry);
    }
    behind = std::max(behind, entry.span.end);
  }
}

class LinkerFormat : public GeneratedFormat {
 public:
  core::Diagnostics read(const emit::MapFile& file) override {
    text_ = file.content;
    core::Diagnostics found;
    ranges_ = emit::parse_linker(file, {}, found);
    return errors_of(std::move(found));
  }

  std::vector<GeneratedDifference> differences(const ScriptExport& exported) const override {
    return compare_linker(exported, ranges_);
  }

  std::vector<Entry> entries() const override {
    const Offsets offsets{text_};
    std::vector<Entry> entries;
    for (const emit::WrittenRange& range : ranges_) {
      const Span origin = offsets.span(range.places.at("ORIGIN"));
      const Span length = offsets.span(range.places.at("LENGTH"));
      entries.push_back({range.name,
                         {offsets.span(range.place).begin, length.end},
                         {{FieldKind::kOrigin, origin}, {FieldKind::kLength, length}}});
    }
    add_sizes(text_, entries);
    return entries;
  }

  std::string key(const ScriptSection& section) const override { return section.name; }

  bool same_shape(const ScriptSection& a, const ScriptSection& b) const override {
    return a.attributes == b.attributes && a.comment == b.comment;
  }

  std::string render(const ScriptSection& section, std::size_t /*row*/) const override {
    const std::string attributes =
        section.attributes.empty() ? std::string{} : fmt::format("( {:>4} )", section.attributes);
    return fmt::format(
        "    /* {} [ size {} ] */\n    {:<24} {:>8} : ORIGIN = 0x{:08X} , LENGTH = 0x{:08X}\n",
        section.comment,
        people_size(section.length),
        section.name,
        attributes,
        section.origin,
        section.length);
  }

 private:
  std::string_view text_;
  std::vector<emit::WrittenRange> ranges_;
};

class HeaderFormat : public GeneratedFormat {
 public:
  core::Diagnostics read(const emit::MapFile& file) override {
    text_ = file.content;
    core::Diagnostics found;
    macros_ = emit::parse_header(file, {}, found);
    emit::check_whole(macros_, found);
    return errors_of(std::move(found));
  }

  std::vector<GeneratedDifference> differences(const ScriptExport& exported) const override {
    return compare_header(exported, macros_);
  }

  // Of every name that has both macros.
  std::vector<Entry> entries() const override {
    const Offsets offsets{text_};
    std::vector<Entry> entries;
    for (const auto& [macro, address] : macros_) {
      const std::string name = macro.substr(0, macro.rfind("_ADDR"));
      const auto size = macros_.find(name + "_SIZE");
      if (!macro.ends_with("_ADDR") || size == macros_.end()) {
        continue;
      }
      const Span origin = offsets.span(address.value_place);
      const Span length = offsets.span(size->second.value_place);
      const std::size_t last = std::max(origin.end, length.end);
      const std::size_t end = std::min(text_.find_first_of(")\n", last), text_.size() - 1);
      entries.push_back({name,
                         {offsets.line_begin(std::min(origin.begin, length.begin)),
                          text_[end] == ')' ? end + 1 : end},
                         {{FieldKind::kOrigin, origin}, {FieldKind::kLength, length}}});
    }
    std::ranges::sort(entries,
                      [](const Entry& a, const Entry& b) { return a.span.begin < b.span.begin; });
    add_sizes(text_, entries);
    return entries;
  }

  std::vector<LooseField> loose(const ScriptExport& after) const override {
    const Offsets offsets{text_};
    std::vector<LooseField> fields;
    const auto add = [&](const char* macro, const std::optional<std::uint64_t>& value) {
      const auto found = macros_.find(macro);
      if (value && found != macros_.end()) {
        fields.push_back({offsets.span(found->second.value_place), *value});
      }
    };
    add(kVirtualBase, after.virtual_base);
    add(kPhysicalBase, after.physical_base);
    return fields;
  }

  std::string key(const ScriptSection& section) const override { return section.name; }

  bool same_shape(const ScriptSection& a, const ScriptSection& b) const override {
    return a.comment == b.comment;
  }

  std::string render(const ScriptSection& section, std::size_t /*row*/) const override {
    return fmt::format(
        "/* {} [ size {} ] */\n#define {}_ADDR (0x{:08X}u)\n#define {}_SIZE (0x{:08X}u)\n\n",
        section.comment,
        people_size(section.length),
        section.name,
        section.origin,
        section.name,
        section.length);
  }

  std::size_t blank_lines_behind() const override { return 1; }

 private:
  std::string_view text_;
  std::map<std::string, emit::WrittenMacro> macros_;
};

class DtsFormat : public GeneratedFormat {
 public:
  core::Diagnostics read(const emit::MapFile& file) override {
    text_ = file.content;
    core::Diagnostics found;
    nodes_ = emit::parse_dts(file, {}, found);
    return errors_of(std::move(found));
  }

  std::vector<GeneratedDifference> differences(const ScriptExport& exported) const override {
    return compare_dts(exported, nodes_);
  }

  std::vector<Entry> entries() const override {
    const Offsets offsets{text_};
    std::vector<Entry> entries;
    for (const emit::WrittenNode& node : nodes_) {
      const auto name = node.places.find("name");
      const auto reg = node.places.find("reg");
      if (name == node.places.end() || reg == node.places.end()) {
        continue;
      }
      const Span title = offsets.span(name->second);
      const Span cells = up_to_bracket(offsets.span(reg->second));
      Entry entry{node.label, {offsets.span(node.place).begin, behind_node(cells.end)}, {}};
      const std::size_t at = text_.substr(0, title.end).find('@', title.begin);
      if (at != std::string_view::npos) {
        entry.fields.push_back({FieldKind::kUnitAddress, {at + 1, title.end}});
      }
      entry.fields.push_back(
          {FieldKind::kCells, cells, {node.base, node.size, node.has_wide_cell}});
      entries.push_back(std::move(entry));
    }
    return entries;
  }

  std::string key(const ScriptSection& section) const override { return section.dts_label; }

  bool same_shape(const ScriptSection& a, const ScriptSection& b) const override {
    return a.dts_node == b.dts_node && a.compatibility == b.compatibility &&
           a.print_compatibility == b.print_compatibility && a.no_map == b.no_map &&
           a.origin_tag == b.origin_tag && a.alignment == b.alignment;
  }

  // Property by property, so that what somebody wrote beside them stays.
  std::vector<TextEdit> shape_edits(const Entry& entry,
                                    const ScriptSection& section) const override {
    const auto* node = core::find_in(nodes_, entry.key, &emit::WrittenNode::label);
    std::vector<TextEdit> edits;
    std::string missing;
    if (node == nullptr) {
      return edits;
    }
    if (node->is_disabled) {
      edits.push_back(without(*node, "status"));
    }
    if (node->is_reusable) {
      edits.push_back(without(*node, "reusable"));
    }
    if (node->no_map && !section.no_map) {
      edits.push_back(without(*node, "no-map"));
    }
    const std::string compatible = section.print_compatibility ? section.compatibility : "";
    if (node->compatible != compatible) {
      const std::string value = fmt::format("\"{}\"", compatible);
      if (!node->places.contains("compatible")) {
        missing = fmt::format("compatible = {};", value);
      } else if (compatible.empty()) {
        edits.push_back(without(*node, "compatible"));
      } else {
        edits.push_back(as_string(*node, value));
      }
    }
    if (section.no_map && !node->no_map) {
      missing += missing.empty() ? "no-map;" : " no-map;";
    }
    if (!missing.empty()) {
      edits.push_back(behind_reg(*node, missing));
    }
    return edits;
  }

  std::string render(const ScriptSection& section, std::size_t /*row*/) const override {
    std::string lines = fmt::format("\t{}: {}", section.dts_label, section.dts_node);
    lines += section.origin_tag ? fmt::format("@{:08x} {{\n", section.origin) : " {\n";
    if (section.print_compatibility) {
      lines += fmt::format("\t\tcompatible = \"{}\";\n", section.compatibility);
    }
    lines += fmt::format("\t\treg = <{}>;\n", cells_text(section));
    lines += section.alignment ? "\t\talignment = <0x1000>;\n" : "";
    lines += section.no_map ? "\t\tno-map;\n" : "";
    return lines + "\t};\n";
  }

 private:
  // All cells, on whatever lines they are.
  [[nodiscard]] Span up_to_bracket(Span cells) const {
    const std::size_t last = text_.rfind('>', find_code(text_, ';', cells.begin));
    return {cells.begin, last == std::string_view::npos ? cells.end : std::max(last, cells.end)};
  }

  [[nodiscard]] Span place_of(const emit::WrittenNode& node, const std::string& property) const {
    return Offsets{text_}.span(node.places.at(property));
  }

  // Behind its semicolon.
  [[nodiscard]] std::size_t behind_statement(std::size_t inside) const {
    return std::min(find_code(text_, ';', inside), text_.size() - 1) + 1;
  }

  // All strings of its `compatible`, which become one. Comments stay.
  [[nodiscard]] TextEdit as_string(const emit::WrittenNode& node, const std::string& value) const {
    const Span first = place_of(node, "compatible");
    const Span all{first.begin, behind_statement(first.begin) - 1};
    return {all, value + comments_of(text_.substr(all.begin, all.end - all.begin))};
  }

  // Of `compatible` the place is that of its value.
  [[nodiscard]] std::size_t name_before(std::size_t value, std::string_view property) const {
    const auto is_of_value = [&](std::size_t name) {
      const std::size_t equals = next_cell(text_, name + property.size()).begin;
      return text_.substr(equals).starts_with('=') && next_cell(text_, equals + 1).begin == value;
    };
    const std::size_t nearest = text_.rfind(property, value);
    std::size_t name = nearest;
    while (name != 0 && name != std::string_view::npos && !is_of_value(name)) {
      name = text_.rfind(property, name - 1);
    }
    return name != std::string_view::npos && is_of_value(name) ? name : nearest;
  }

  // The property is taken out, with its lines where nothing else is on them. Comments stay.
  [[nodiscard]] TextEdit without(const emit::WrittenNode& node, const std::string& property) const {
    const Offsets offsets{text_};
    const std::size_t value = place_of(node, property).begin;
    const std::size_t begin = property == "compatible" ? name_before(value, property) : value;
    const std::size_t end = behind_statement(value);
    const Span line{offsets.line_begin(begin), offsets.behind_line(end)};
    const bool is_alone = core::trim(text_.substr(line.begin, begin - line.begin)).empty() &&
                          core::trim(text_.substr(end, line.end - end)).empty();
    std::string comments = comments_of(text_.substr(begin, end - begin));
    if (comments.empty()) {
      return {is_alone ? line : Span{begin, end}, ""};
    }
    comments.erase(0, 1);
    return {{begin, is_alone && comments.ends_with('\n') ? line.end : end}, std::move(comments)};
  }

  // On a line of its own, unless the line of `reg` goes on.
  [[nodiscard]] TextEdit behind_reg(const emit::WrittenNode& node,
                                    const std::string& property) const {
    const Offsets offsets{text_};
    const Span cells = place_of(node, "reg");
    const std::size_t end = behind_statement(cells.end);
    const std::size_t next = offsets.behind_line(end);
    const std::string_view rest = core::trim(text_.substr(end, next - end));
    if (!rest.empty() && !rest.starts_with("//") &&
        !(rest.starts_with("/*") && rest.find("*/") == rest.size() - 2)) {
      return {{end, end}, " " + property};
    }
    const std::size_t line = offsets.line_begin(cells.begin);
    const std::string_view blanks = text_.substr(line, text_.find_first_not_of(" \t", line) - line);
    const bool has_return = text_.substr(0, next).ends_with("\r\n");
    return {{next, next}, fmt::format("{}{}{}", blanks, property, has_return ? "\r\n" : "\n")};
  }

  // The brace that closes the node, and its semicolon.
  [[nodiscard]] std::size_t behind_node(std::size_t inside) const {
    const std::size_t brace = find_code(text_, '}', inside);
    if (brace == std::string_view::npos) {
      return text_.size();
    }
    const std::size_t next = text_.find_first_not_of(" \t", brace + 1);
    return next != std::string_view::npos && text_[next] == ';' ? next + 1 : brace + 1;
  }

  std::string_view text_;
  std::vector<emit::WrittenNode> nodes_;
};

class HtmlFormat : public GeneratedFormat {
 public:
  core::Diagnostics read(const emit::MapFile& file) override {
    core::Diagnostics found;
    rows_ = parse_html_rows(file, found);
    return errors_of(std::move(found));
  }

  std::vector<GeneratedDifference> differences(const ScriptExport& exported) const override {
    return compare_html(exported, rows_);
  }

  std::vector<Entry> entries() const override {
    constexpr FieldKind kOfCell[] = {FieldKind::kOrigin, FieldKind::kLast, FieldKind::kSize};
    std::vector<Entry> entries;
    for (const HtmlRow& row : rows_) {
      Entry entry{row.name, row.row, {}};
      for (std::size_t i = 0; i < std::size(kOfCell); ++i) {
        entry.fields.push_back({kOfCell[i], row.cells[i + 1]});
      }
      for (const Span& name : row.classes) {
        entry.fields.push_back({FieldKind::kRowClass, name});
      }
      entries.push_back(std::move(entry));
    }
    return entries;
  }

  std::string key(const ScriptSection& section) const override { return section.name; }

  bool same_shape(const ScriptSection& a, const ScriptSection& b) const override {
    return a.attributes == b.attributes && a.comment == b.comment;
  }

  std::string render(const ScriptSection& section, std::size_t row) const override {
    const std::string begin = fmt::format("                <td class=\"{}\">", row_class(row));
    std::string lines = "            <tr>\n";
    for (const std::string& cell : {section.name,
                                    fmt::format("0x{:08X}", section.origin),
                                    last_text(section),
                                    people_size(section.length),
                                    section.attributes,
                                    section.comment}) {
      lines += begin + cell + "</td>\n";
    }
    return lines + "            </tr>\n";
  }

 private:
  std::vector<HtmlRow> rows_;
};

}  // namespace

std::unique_ptr<GeneratedFormat> generated_format(std::string_view kind) {
  if (kind == "LinkerCmdFile") {
    return std::make_unique<LinkerFormat>();
  }
  if (kind == "CHeaderFile") {
    return std::make_unique<HeaderFormat>();
  }
  if (kind == "DtsFile") {
    return std::make_unique<DtsFormat>();
  }
  if (kind == "HtmlMmapTable") {
    return std::make_unique<HtmlFormat>();
  }
  return nullptr;
}

}  // namespace memsize::sdk
