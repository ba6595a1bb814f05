// Pairs the sections of an export before and after with their entries in the file, and rewrites
// values in place. Edits by hand stay unless forced. The result is read back before it is given.
#include "edit_generated.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "generated_text.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using Sections = std::vector<const ScriptSection*>;

constexpr std::string_view kNumberSuffixes = "uUlL";

// A section, and where it is in the file.
struct Placed {
  const ScriptSection* section = nullptr;
  /// The same one before; null where the script did not have it.
  const ScriptSection* before = nullptr;
  /// Its index; none where the file lacks it, or has it in another shape.
  std::optional<std::size_t> entry;
  /// Somebody gave it another range: that stays.
  bool is_kept = false;
};

// As the library sorts them: by origin, else in the order of the map.
Sections sorted_sections(const ScriptExport& exported) {
  Sections sections;
  for (const ScriptMapEntry& entry : exported.entries) {
    sections.push_back(entry.section.get());
  }
  std::ranges::stable_sort(sections,
                           [](const auto* a, const auto* b) { return a->origin < b->origin; });
  return sections;
}

// A number with what C may write behind it.
std::string_view without_suffix(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kNumberSuffixes);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string hex_number(std::uint64_t value) {
  return fmt::format("0x{:08X}", value);
}

// The file's text by its entries: what is between them, and what becomes of it.
class EntryText {
 public:
  explicit EntryText(const emit::MapFile& file)
      : path_(file.path), text_(file.content), offsets_(file.content) {}

  [[nodiscard]] core::Place whole_file() const { return {path_}; }

  [[nodiscard]] std::size_t size() const { return text_.size(); }

  [[nodiscard]] std::string_view at(Span span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  // Each entry with what stands above it: from the end of the one before.
  [[nodiscard]] core::Result<std::vector<Span>> blocks_of(const std::vector<Entry>& entries,
                                                          std::size_t blank_lines) const {
    std::vector<Span> blocks;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Span span = entries[i].span;
      const std::size_t limit = i + 1 < entries.size() ? entries[i + 1].span.begin : text_.size();
      if (limit < span.end) {
        return core::fail(tangled(entries[i + 1].span));
      }
      const std::size_t begin = blocks.empty() ? first_block(span.begin) : blocks.back().end;
      blocks.push_back({begin, std::min(block_end(span.end, blank_lines), limit)});
    }
    return blocks;
  }

  [[nodiscard]] std::string copy(Span span, const std::vector<TextEdit>& edits) const {
    std::string copied;
    std::size_t from = span.begin;
    for (const TextEdit& edit : edits) {
      if (edit.span.begin >= span.begin && edit.span.end <= span.end) {
        copied += at({from, edit.span.begin});
        copied += edit.text;
        from = edit.span.end;
      }
    }
    copied += at({from, span.end});
    return copied;
  }

  [[nodiscard]] std::string with_line_ends(const std::string& lines) const {
    const std::string end = line_end();
    std::string written;
    for (const char c : lines) {
      written += c == '\n' ? end : std::string{c};
    }
    return written;
  }

  [[nodiscard]] std::string line_end() const {
    const std::size_t first = text_.find('\n');
    const bool both = first != std::string_view::npos && first > 0 && text_[first - 1] == '\r';
    return both ? "\r\n" : "\n";
  }

  [[nodiscard]] core::Diagnostic tangled(Span span) const {
    core::Place place = offsets_.place(path_, span);
    place.length = 0;
    return core::error(Code::kVerifyParse,
                       "this entry begins inside of another one, so that they cannot be told apart",
                       std::move(place),
                       "run the script, or put each entry on lines of its own");
  }

 private:
  // Lines that are only a comment belong to the entry below them.
  [[nodiscard]] std::size_t first_block(std::size_t begin) const {
    std::size_t block = offsets_.line_begin(begin);
    if (!core::trim(at({block, begin})).empty()) {
      return begin;
    }
    while (block > 0) {
      const std::size_t above = offsets_.line_begin(block - 1);
      const std::string_view line = core::trim(at({above, block}));
      if (!line.starts_with("/*") || !line.ends_with("*/")) {
        break;
      }
      block = above;
    }
    return block;
  }

  // With the rest of the line, if that is at most a comment.
  [[nodiscard]] std::size_t block_end(std::size_t end, std::size_t blank_lines) const {
    std::size_t behind = offsets_.behind_line(end);
    const std::string_view rest = core::trim(at({end, behind}));
    if (!rest.empty() && !rest.starts_with("//") &&
        !(rest.starts_with("/*") && rest.find("*/") == rest.size() - 2)) {
      return end;
    }
    for (std::size_t i = 0; i < blank_lines && behind < text_.size(); ++i) {
      const std::size_t next = offsets_.behind_line(behind);
      if (!core::trim(at({behind, next})).empty()) {
        break;
      }
      behind = next;
    }
    return behind;
  }

  core::SharedText path_;
  std::string_view text_;
  Offsets offsets_;
};

// What is done about values that are not as the script made them.
struct Treatment {
  /// There are edits by hand, and they are overwritten.
  bool forced = false;
  /// There are edits by hand, and they stay.
  bool keeps = false;
  /// Something changes, so that cells that nothing can read are put right, too.
  bool mends = false;
};

// The entries of a file, and the sections that it is to have.
struct Rows {
  std::vector<Entry> entries;
  std::vector<Placed> placed;
  /// No entry comes, goes or changes its place.
  bool in_place = false;
};

std::optional<std::string> unless_same(std::string_view now,
                                       std::string wanted,
                                       std::uint64_t value,
                                       std::string_view prefix = {}) {
  const auto number = core::parse_address(fmt::format("{}{}", prefix, now));
  return number && *number == value ? std::nullopt : std::optional{std::move(wanted)};
}

std::optional<std::string> edited_number(std::string_view now, std::uint64_t value) {
  const std::string_view digits = without_suffix(now);
  return unless_same(
      digits, fmt::format("{}{}", hex_number(value), now.substr(digits.size())), value);
}

// None where it stays.
std::optional<std::string> edited(const Field& field,
                                  std::string_view now,
                                  const Placed& placed,
                                  std::size_t row,
                                  const Treatment& treatment) {
  const ScriptSection& section = *placed.section;
  switch (field.kind) {
    case FieldKind::kOrigin:
      return edited_number(now, section.origin);
    case FieldKind::kLength:
      return edited_number(now, section.length);
    case FieldKind::kLast:
      return unless_same(now, last_text(section), section.origin + section.length - 1);
    case FieldKind::kUnitAddress: {
      // Only a name: nothing says that it is wrong while the node stays.
      const bool stays =
          !treatment.forced && placed.before != nullptr && placed.before->origin == section.origin;
      return stays ? std::nullopt
                   : unless_same(now, fmt::format("{:08x}", section.origin), section.origin, "0x");
    }
    case FieldKind::kCells: {
      const bool same = field.cells.base == section.origin && field.cells.size == section.length;
      return same && !(treatment.mends && field.cells.is_wrong)
                 ? std::nullopt
                 : std::optional{cells_beside(now, section)};
    }
    case FieldKind::kSize: {
      const bool stays =
          !treatment.forced && placed.before != nullptr && placed.before->length == section.length;
      return stays ? std::nullopt : std::optional{people_size(section.length)};
    }
    case FieldKind::kRowClass:
      break;
  }
  const bool stays = treatment.keeps || *placed.entry % 2 == row % 2;
  return stays ? std::nullopt : std::optional{std::string{row_class(row)}};
}

// What is not as the script had it is somebody's own, as is what it has none of. Sections that
// are new, or gone, are told as differences by whoever reads the file next.
void keep_own(const EntryText& text, Rows& rows) {
  constexpr Treatment kKeeps{.keeps = true};
  std::vector<Placed>& placed = rows.placed;
  std::erase_if(placed, [](const Placed& each) { return !each.entry || !each.before; });
  for (std::size_t row = 0; row < placed.size(); ++row) {
    Placed as_before = placed[row];
    as_before.section = as_before.before;
    const auto& fields = rows.entries[*as_before.entry].fields;
    placed[row].is_kept = std::ranges::any_of(fields, [&](const Field& field) {
      return field.kind != FieldKind::kRowClass &&
             edited(field, text.at(field.span), as_before, row, kKeeps);
    });
  }
}

void keep_own(const EntryText& text,
              const std::vector<LooseField>& before,
              std::vector<LooseField>& loose) {
  std::erase_if(loose, [&](const LooseField& field) {
    const auto* own = core::find_where(
        before, [&](const LooseField& each) { return each.span.begin == field.span.begin; });
    return own == nullptr || edited_number(text.at(own->span), own->value);
  });
}

// Whether the entries are those that are to be, in the script's order of before.
bool keeps_order(const Rows& rows, const Sections& old) {
  const auto same = [](const Placed& placed, const ScriptSection* section) {
    return placed.before == section && placed.entry.has_value();
  };
  return rows.placed.size() == rows.entries.size() && std::ranges::equal(rows.placed, old, same);
}

// Pairs the sections before and after with the entries.
Rows rows_of(const EntryText& text,
             const GeneratedFormat& format,
             const ScriptExport& before,
             const ScriptExport& after,
             bool keeps) {
  Rows rows{.entries = format.entries()};
  const Sections old = sorted_sections(before);
  std::map<std::string, std::deque<const ScriptSection*>> sections;
  for (const ScriptSection* section : old) {
    sections[format.key(*section)].push_back(section);
  }
  std::map<std::string, std::deque<std::size_t>> entries;
  for (std::size_t i = 0; i < rows.entries.size(); ++i) {
    entries[rows.entries[i].key].push_back(i);
  }
  for (const ScriptSection* section : sorted_sections(after)) {
    Placed placed{section, nullptr, std::nullopt};
    const std::string key = format.key(*section);
    if (auto& same = sections[key]; !same.empty()) {
      placed.before = same.front();
      same.pop_front();
    }
    const bool alike = placed.before == nullptr || format.same_shape(*placed.before, *section);
    if (auto& here = entries[key]; !here.empty()) {
      placed.entry = alike ? std::optional{here.front()} : std::nullopt;
      here.pop_front();
    }
    rows.placed.push_back(placed);
  }
  if (keeps) {
    keep_own(text, rows);
  }
  rows.in_place = keeps || keeps_order(rows, old);
  if (rows.in_place) {
    // Entries that somebody moved, with nothing else, stay where they are.
    std::ranges::sort(rows.placed, {}, &Placed::entry);
  }
  return rows;
}

// Sorted by their places.
std::vector<TextEdit> all_edits(const EntryText& text,
                                const GeneratedFormat& format,
                                const Rows& rows,
                                const std::vector<LooseField>& loose,
                                const Treatment& treatment) {
  std::vector<TextEdit> edits;
  for (std::size_t row = 0; row < rows.placed.size(); ++row) {
    const Placed& placed = rows.placed[row];
    if (!placed.entry || placed.is_kept) {
      continue;
    }
    const Entry& entry = rows.entries[*placed.entry];
    if (treatment.forced) {
      std::ranges::move(format.shape_edits(entry, *placed.section), std::back_inserter(edits));
    }
    for (const Field& field : entry.fields) {
      if (auto value = edited(field, text.at(field.span), placed, row, treatment)) {
        edits.push_back({field.span, std::move(*value)});
      }
    }
  }
  for (const LooseField& field : loose) {
    if (auto value = edited_number(text.at(field.span), field.value)) {
      edits.push_back({field.span, std::move(*value)});
    }
  }
  std::ranges::sort(edits, {}, [](const TextEdit& edit) {
    return std::pair{edit.span.begin, edit.span.end};
  });
  return edits;
}

core::Result<std::string> compose(const EntryText& text,
                                  const GeneratedFormat& format,
                                  const Rows& rows,
                                  const std::vector<LooseField>& loose,
                                  Treatment treatment) {
  std::vector<TextEdit> edits = all_edits(text, format, rows, loose, treatment);
  if (!edits.empty() || !rows.in_place) {
    treatment.mends = true;
    edits = all_edits(text, format, rows, loose, treatment);
  }
  for (std::size_t i = 1; i < edits.size(); ++i) {
    if (edits[i].span.begin < edits[i - 1].span.end) {
      return core::fail(text.tangled(edits[i].span));
    }
  }
  if (rows.in_place) {
    return text.copy({0, text.size()}, edits);
  }
  if (rows.entries.empty()) {
    return core::fail(core::error(Code::kVerifyParse,
                                  "there is no entry beside which others could be written",
                                  text.whole_file(),
                                  "run the script"));
  }
  const auto blocks = text.blocks_of(rows.entries, format.blank_lines_behind());
  MEMSIZE_TRY(blocks);
  std::string content = text.copy({0, blocks->front().begin}, edits);
  for (std::size_t row = 0; row < rows.placed.size(); ++row) {
    const Placed& placed = rows.placed[row];
    content += placed.entry ? text.copy((*blocks)[*placed.entry], edits)
                            : text.with_line_ends(format.render(*placed.section, row));
    if (!content.empty() && content.back() != '\n') {
      content += text.line_end();
    }
  }
  content += text.copy({blocks->back().end, text.size()}, edits);
  return content;
}

// Reads what was written, as if it were a file. What somebody edited by hand may differ.
core::Diagnostics check_written(const emit::MapFile& written,
                                const ScriptExport& after,
                                std::size_t by_hand) {
  const auto format = generated_format(after.kind);
  core::Diagnostics problems = format->read(written);
  if (!problems.empty()) {
    core::add_text(problems, written.path, written.content);
    return problems;
  }
  const auto differences = format->differences(after);
  if (differences.size() > by_hand) {
    core::Diagnostic problem =
        core::error(Code::kSdkGenerated,
                    fmt::format("editing this file in place does not make what the script does: {}",
                                differences.front().what),
                    {written.path},
                    "run the script");
    for (std::size_t i = 1; i < differences.size(); ++i) {
      problem.details.push_back(differences[i].what);
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace

bool is_regenerated(const ScriptExport& exported) {
  return generated_format(exported.kind) != nullptr;
}

core::Result<Regenerated> regenerate(const ScriptExport& before,
                                     const ScriptExport& after,
                                     const emit::MapFile& file,
                                     HandEdits choice) {
  const auto format = before.kind == after.kind ? generated_format(after.kind) : nullptr;
  if (format == nullptr) {
    return core::fail(core::error(Code::kSdkGenerated,
                                  "this is no file whose values can be edited in place",
                                  {file.path},
                                  "run the script"));
  }
  const auto failed = [&](core::Diagnostics problems) {
    core::add_text(problems, file.path, file.content);
    return tl::make_unexpected(std::move(problems));
  };
  if (core::Diagnostics problems = format->read(file); !problems.empty()) {
    return failed(std::move(problems));
  }
  Regenerated result{file.content, format->differences(before)};
  const bool is_edited = !result.hand_edits.empty();
  if (is_edited && format->differences(after).empty()) {
    result.hand_edits.clear();
    return result;
  }
  const bool forced = is_edited && choice == HandEdits::kForce;
  const bool keeps = is_edited && !forced;
  const EntryText text{file};
  const Rows rows = rows_of(text, *format, before, after, keeps);
  auto loose = format->loose(after);
  if (keeps) {
    keep_own(text, format->loose(before), loose);
  }
  auto content = compose(text, *format, rows, loose, {.forced = forced, .keeps = keeps});
  if (!content) {
    return failed(std::move(content.error()));
  }
  result.content = std::move(*content);
  core::Diagnostics problems =
      check_written({file.path, result.content}, after, keeps ? result.hand_edits.size() : 0);
  if (!problems.empty()) {
    return tl::make_unexpected(std::move(problems));
  }
  return result;
}

}  // namespace memsize::sdk
