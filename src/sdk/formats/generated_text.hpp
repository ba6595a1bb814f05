// A generated file as entries, one a section, with what stands around them.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"

#include "edit_generated.hpp"
#include "script/script.hpp"
#include "script/source.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

enum class FieldKind {
  kOrigin,
  kLength,
  /// The last byte.
  kLast,
  /// For people: " 2.00 MB".
  kSize,
  /// Behind the '@' of a node's name.
  kUnitAddress,
  /// Both as four cells.
  kCells,
  /// Rows of a table alternate.
  kRowClass,
};

/// What four cells say.
struct CellRange {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  /// A cell has more than 32 bits.
  bool is_wrong = false;
};

/// What an entry says of its section.
struct Field {
  FieldKind kind = FieldKind::kOrigin;
  Span span;
  /// Of kCells.
  CellRange cells = {};
};

struct Entry {
  /// What joins it to its section, as GeneratedFormat::key().
  std::string key;
  /// From its first to behind its last token; comments above are not in it.
  Span span;
  std::vector<Field> fields;
};

/// A value of the file that is no section's, and what it is to be.
struct LooseField {
  Span span;
  std::uint64_t value = 0;
};

struct TextEdit {
  Span span;
  std::string text;
};

/// One kind of file: what can be read from it, and how its entries are written.
class GeneratedFormat {
 public:
  GeneratedFormat() = default;
  GeneratedFormat(const GeneratedFormat&) = delete;
  GeneratedFormat& operator=(const GeneratedFormat&) = delete;
  virtual ~GeneratedFormat() = default;

  /// Reads the file, which must stay. After an error there is nothing to work with.
  [[nodiscard]] virtual core::Diagnostics read(const emit::MapFile& file) = 0;

  /// What read() found, held against an export.
  [[nodiscard]] virtual std::vector<GeneratedDifference> differences(
      const ScriptExport& exported) const = 0;

  /// In the order of the file.
  [[nodiscard]] virtual std::vector<Entry> entries() const = 0;

  [[nodiscard]] virtual std::vector<LooseField> loose(const ScriptExport& /*after*/) const {
    return {};
  }

  [[nodiscard]] virtual std::string key(const ScriptSection& section) const = 0;

  /// Whether both are written alike, but for their range.
  [[nodiscard]] virtual bool same_shape(const ScriptSection& a, const ScriptSection& b) const = 0;

  /// Of an entry that does not say of the section what it is to say, beside values that are fields.
  [[nodiscard]] virtual std::vector<TextEdit> shape_edits(const Entry& /*entry*/,
                                                          const ScriptSection& /*section*/) const {
    return {};
  }

  /// All lines of a new entry, each with '\n'. `row` counts entries from 0.
  [[nodiscard]] virtual std::string render(const ScriptSection& section, std::size_t row) const = 0;

  /// Empty lines that belong to the entry above them.
  [[nodiscard]] virtual std::size_t blank_lines_behind() const { return 0; }
};

/// nullptr for another kind than LinkerCmdFile, CHeaderFile, DtsFile and HtmlMmapTable.
[[nodiscard]] std::unique_ptr<GeneratedFormat> generated_format(std::string_view kind);

/// As the SDK prints a size beside a value: " 2.00 MB", "1024.00 KB", "1024 B".
[[nodiscard]] std::string people_size(std::uint64_t length);

/// Whether such a text is that length, with the digits that it has; one in no such form may be.
[[nodiscard]] bool may_be_size(std::string_view text, std::uint64_t length);

/// Base and size as four cells, and the last byte, as a device tree and a table show them.
[[nodiscard]] std::string cells_text(const ScriptSection& section);
[[nodiscard]] std::string last_text(const ScriptSection& section);

/// The same where these cells stand now: comments between them keep their places, and so do the
/// brackets then.
[[nodiscard]] std::string cells_beside(std::string_view now, const ScriptSection& section);

/// The first cell from there on: a number, or all of what stands in parentheses.
[[nodiscard]] Span next_cell(std::string_view text, std::size_t from);

/// A blank and a comment for each comment of a text. One to the end of its line has that end, too.
[[nodiscard]] std::string comments_of(std::string_view text);

/// The next such character that is in no comment and no string.
[[nodiscard]] std::size_t find_code(std::string_view text, char wanted, std::size_t from);

/// Of the cells of a table, where rows alternate.
[[nodiscard]] std::string_view row_class(std::size_t row);

/// Where a place is in a text.
class Offsets {
 public:
  explicit Offsets(std::string_view text);

  [[nodiscard]] Span span(const core::Place& place) const;
  /// Of a file that has it.
  [[nodiscard]] core::Place place(const core::SharedText& path, Span span) const;

  /// Behind its line; of the last line, the end of the text.
  [[nodiscard]] std::size_t behind_line(std::size_t offset) const;
  [[nodiscard]] std::size_t line_begin(std::size_t offset) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
};

}  // namespace memsize::sdk
