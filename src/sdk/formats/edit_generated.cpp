// Pairs the sections of an export before and after with their entries in the file, and rewrites
// values in place. Edits by hand stay unless forced. The result is read back before it is given.
#include "edit_generated.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"

#include "generated_text.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
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

struct TextEdit {
  Span span;
  std::string text;
};

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

class Regenerator {
 public:
  Regenerator(const ScriptExport& before,
              const ScriptExport& after,
              const emit::MapFile& file,
              HandEdits choice)
      : before_(before),
        after_(after),
        file_(file),
        text_(file.content),
        offsets_(file.content),
        forced_(choice == HandEdits::kForce),
        format_(before.kind == after.kind ? generated_format(after.kind) : nullptr) {}

  core::Result<Regenerated> run() {
    if (format_ == nullptr) {
      return core::fail(core::error(Code::kSdkGenerated,
                                    "this is no file whose values can be edited in place",
                                    whole_file(),
                                    "run the script"));
    }
    if (core::Diagnostics problems = format_->read(file_); !problems.empty()) {
      core::add_text(problems, file_.path, text_);
      return tl::make_unexpected(std::move(problems));
    }
    Regenerated result{file_.content, format_->differences(before_)};
    if (!result.hand_edits.empty()) {
      if (format_->differences(after_).empty()) {
        result.hand_edits.clear();
        return result;
      }
    }
    keeps_ = !forced_ && !result.hand_edits.empty();
    forced_ = forced_ && !result.hand_edits.empty();
    entries_ = format_->entries(before_, after_);
    place_sections();
    if (core::Diagnostics problems = compose(result.content); !problems.empty()) {
      core::add_text(problems, file_.path, text_);
      return tl::make_unexpected(std::move(problems));
    }
    core::Diagnostics problems = verify(result.content, result.hand_edits.size());
    if (!problems.empty()) {
      return tl::make_unexpected(std::move(problems));
    }
    return result;
  }

 private:
  void place_sections() {
    const Sections old = sorted_sections(before_);
    std::map<std::string, std::deque<const ScriptSection*>> before;
    for (const ScriptSection* section : old) {
      before[format_->key(*section)].push_back(section);
    }
    std::map<std::string, std::deque<std::size_t>> entries;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries[entries_[i].key].push_back(i);
    }
    for (const ScriptSection* section : sorted_sections(after_)) {
      Placed placed{section, nullptr, std::nullopt};
      const std::string key = format_->key(*section);
      if (auto& same = before[key]; !same.empty()) {
        placed.before = same.front();
        same.pop_front();
      }
      const bool alike = placed.before == nullptr || format_->same_shape(*placed.before, *section);
      if (auto& here = entries[key]; !here.empty()) {
        placed.entry = alike ? std::optional{here.front()} : std::nullopt;
        here.pop_front();
      }
      placed_.push_back(placed);
    }
    if (keeps_) {
      keep_own();
    }
    in_place_ = keeps_ || keeps_order(old);
    if (in_place_) {
      // Entries that somebody moved, with nothing else, stay where they are.
      std::ranges::sort(placed_, {}, &Placed::entry);
    }
  }

  // What is not as the script had it is somebody's own, as is what it has none of. Sections that
  // are new, or gone, are told as differences by whoever reads the file next.
  void keep_own() {
    std::erase_if(placed_, [](const Placed& placed) { return !placed.entry || !placed.before; });
    for (std::size_t row = 0; row < placed_.size(); ++row) {
      Placed as_before = placed_[row];
      as_before.section = as_before.before;
      const auto& fields = entries_[*as_before.entry].fields;
      placed_[row].is_kept = std::ranges::any_of(fields, [&](const Field& field) {
        return field.kind != FieldKind::kRowClass && edited(field, as_before, row);
      });
    }
  }

  // Whether the entries are those that are to be, in the script's order of before.
  [[nodiscard]] bool keeps_order(const Sections& old) const {
    if (placed_.size() != old.size() || placed_.size() != entries_.size()) {
      return false;
    }
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (placed_[i].before != old[i] || !placed_[i].entry) {
        return false;
      }
    }
    return true;
  }

  core::Diagnostics compose(std::string& content) {
    std::vector<TextEdit> edits = all_edits();
    if (!edits.empty() || !in_place_) {
      mends_ = true;
      edits = all_edits();
    }
    for (std::size_t i = 1; i < edits.size(); ++i) {
      if (edits[i].span.begin < edits[i - 1].span.end) {
        return {tangled(edits[i].span)};
      }
    }
    if (in_place_) {
      content = copy({0, text_.size()}, edits);
      return {};
    }
    if (entries_.empty()) {
      return {core::error(Code::kVerifyParse,
                          "there is no entry beside which others could be written",
                          whole_file(),
                          "run the script")};
    }
    core::Diagnostics problems;
    const std::vector<Span> blocks = blocks_of(problems);
    if (!problems.empty()) {
      return problems;
    }
    content = copy({0, blocks.front().begin}, edits);
    for (std::size_t row = 0; row < placed_.size(); ++row) {
      const Placed& placed = placed_[row];
      content += placed.entry ? copy(blocks[*placed.entry], edits)
                              : with_line_ends(format_->render(*placed.section, row));
      if (!content.empty() && content.back() != '\n') {
        content += line_end();
      }
    }
    content += copy({blocks.back().end, text_.size()}, edits);
    return {};
  }

  // Sorted by their places.
  [[nodiscard]] std::vector<TextEdit> all_edits() const {
    std::vector<TextEdit> edits;
    for (std::size_t row = 0; row < placed_.size(); ++row) {
      const Placed& placed = placed_[row];
      if (!placed.entry || placed.is_kept) {
        continue;
      }
      const Entry& entry = entries_[*placed.entry];
      if (forced_ && !format_->has_shape(entry, *placed.section)) {
        const std::string lines = format_->render(*placed.section, row);
        edits.push_back({entry.span, with_line_ends(std::string{core::trim(lines)})});
        continue;
      }
      for (const Field& field : entry.fields) {
        if (auto text = edited(field, placed, row)) {
          edits.push_back({field.span, std::move(*text)});
        }
      }
    }
    for (const LooseField& field : keeps_ ? std::vector<LooseField>{} : format_->loose(after_)) {
      if (auto text = edited_number(field.span, field.value)) {
        edits.push_back({field.span, std::move(*text)});
      }
    }
    std::ranges::sort(
        edits, [](const TextEdit& a, const TextEdit& b) { return a.span.begin < b.span.begin; });
    return edits;
  }

  [[nodiscard]] std::string_view text(Span span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  // None where it stays.
  [[nodiscard]] std::optional<std::string> edited(const Field& field,
                                                  const Placed& placed,
                                                  std::size_t row) const {
    const ScriptSection& section = *placed.section;
    switch (field.kind) {
      case FieldKind::kOrigin:
        return edited_number(field.span, section.origin);
      case FieldKind::kLength:
        return edited_number(field.span, section.length);
      case FieldKind::kLast:
        return unless_same(field.span, last_text(section), section.origin + section.length - 1);
      case FieldKind::kUnitAddress: {
        // Only a name: nothing says that it is wrong while the node stays.
        const bool stays =
            !forced_ && placed.before != nullptr && placed.before->origin == section.origin;
        return stays ? std::nullopt
                     : unless_same(
                           field.span, fmt::format("{:08x}", section.origin), section.origin, "0x");
      }
      case FieldKind::kCells: {
        const bool same = field.cells.base == section.origin && field.cells.size == section.length;
        return same && !(mends_ && field.cells.is_wrong) ? std::nullopt
                                                         : std::optional{cells_text(section)};
      }
      case FieldKind::kSize: {
        const bool stays =
            !forced_ && placed.before != nullptr && placed.before->length == section.length;
        return stays ? std::nullopt : std::optional{people_size(section.length)};
      }
      case FieldKind::kRowClass:
        break;
    }
    const bool stays = keeps_ || *placed.entry % 2 == row % 2;
    return stays ? std::nullopt : std::optional{std::string{row_class(row)}};
  }

  [[nodiscard]] std::optional<std::string> edited_number(Span span, std::uint64_t value) const {
    const std::string_view digits = without_suffix(text(span));
    const std::string suffix{text(span).substr(digits.size())};
    return unless_same({span.begin, span.begin + digits.size()}, hex_number(value) + suffix, value);
  }

  [[nodiscard]] std::optional<std::string> unless_same(Span span,
                                                       std::string wanted,
                                                       std::uint64_t value,
                                                       std::string_view prefix = {}) const {
    const auto now = core::parse_address(fmt::format("{}{}", prefix, text(span)));
    return now && *now == value ? std::nullopt : std::optional{std::move(wanted)};
  }

  // Each entry with what stands above it: from the end of the one before.
  [[nodiscard]] std::vector<Span> blocks_of(core::Diagnostics& problems) const {
    std::vector<Span> blocks;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Span span = entries_[i].span;
      const std::size_t limit = i + 1 < entries_.size() ? entries_[i + 1].span.begin : text_.size();
      if (limit < span.end) {
        problems.push_back(tangled(entries_[i + 1].span));
        return {};
      }
      const std::size_t begin = blocks.empty() ? first_block(span.begin) : blocks.back().end;
      blocks.push_back({begin, std::min(block_end(span.end), limit)});
    }
    return blocks;
  }

  // Lines that are only a comment belong to the entry below them.
  [[nodiscard]] std::size_t first_block(std::size_t begin) const {
    std::size_t block = offsets_.line_begin(begin);
    if (!core::trim(text({block, begin})).empty()) {
      return begin;
    }
    while (block > 0) {
      const std::size_t above = offsets_.line_begin(block - 1);
      const std::string_view line = core::trim(text({above, block}));
      if (!line.starts_with("/*") || !line.ends_with("*/")) {
        break;
      }
      block = above;
    }
    return block;
  }

  // With the rest of the line, if that is at most a comment.
  [[nodiscard]] std::size_t block_end(std::size_t end) const {
    std::size_t behind = offsets_.behind_line(end);
    const std::string_view rest = core::trim(text({end, behind}));
    if (!rest.empty() && !rest.starts_with("//") &&
        !(rest.starts_with("/*") && rest.find("*/") == rest.size() - 2)) {
      return end;
    }
    for (std::size_t i = 0; i < format_->blank_lines_behind() && behind < text_.size(); ++i) {
      const std::size_t next = offsets_.behind_line(behind);
      if (!core::trim(text({behind, next})).empty()) {
        break;
      }
      behind = next;
    }
    return behind;
  }

  [[nodiscard]] std::string copy(Span span, const std::vector<TextEdit>& edits) const {
    std::string copied;
    std::size_t at = span.begin;
    for (const TextEdit& edit : edits) {
      if (edit.span.begin >= span.begin && edit.span.end <= span.end) {
        copied += text({at, edit.span.begin});
        copied += edit.text;
        at = edit.span.end;
      }
    }
    copied += text({at, span.end});
    return copied;
  }

  [[nodiscard]] std::string line_end() const {
    const std::size_t first = text_.find('\n');
    const bool both = first != std::string_view::npos && first > 0 && text_[first - 1] == '\r';
    return both ? "\r\n" : "\n";
  }

  [[nodiscard]] std::string with_line_ends(const std::string& lines) const {
    const std::string end = line_end();
    std::string written;
    for (const char c : lines) {
      written += c == '\n' ? end : std::string{c};
    }
    return written;
  }

  [[nodiscard]] core::Place whole_file() const { return {file_.path}; }

  [[nodiscard]] core::Diagnostic tangled(Span span) const {
    const std::string_view above = text_.substr(0, span.begin);
    core::Place place = whole_file();
    place.line = 1 + static_cast<std::size_t>(std::ranges::count(above, '\n'));
    place.column = span.begin - offsets_.line_begin(span.begin) + 1;
    return core::error(Code::kVerifyParse,
                       "this entry begins inside of another one, so that they cannot be told apart",
                       std::move(place),
                       "run the script, or put each entry on lines of its own");
  }

  // Reads what was written, as if it were a file. What somebody edited by hand may differ.
  [[nodiscard]] core::Diagnostics verify(const std::string& content, std::size_t by_hand) const {
    const emit::MapFile written{file_.path, content};
    const auto format = generated_format(after_.kind);
    core::Diagnostics problems = format->read(written);
    if (!problems.empty()) {
      core::add_text(problems, file_.path, content);
      return problems;
    }
    const auto differences = format->differences(after_);
    if (differences.size() > (keeps_ ? by_hand : 0)) {
      core::Diagnostic problem = core::error(
          Code::kSdkGenerated,
          fmt::format("editing this file in place does not make what the script does: {}",
                      differences.front().what),
          whole_file(),
          "run the script");
      for (std::size_t i = 1; i < differences.size(); ++i) {
        problem.details.push_back(differences[i].what);
      }
      problems.push_back(std::move(problem));
    }
    return problems;
  }

  const ScriptExport& before_;
  const ScriptExport& after_;
  const emit::MapFile& file_;
  std::string_view text_;
  Offsets offsets_;
  bool forced_;
  /// There are edits by hand, and they stay.
  bool keeps_ = false;
  bool in_place_ = false;
  /// Something changes, so that cells that nothing can read are put right, too.
  bool mends_ = false;
  std::unique_ptr<GeneratedFormat> format_;
  std::vector<Entry> entries_;
  std::vector<Placed> placed_;
};

}  // namespace

bool is_regenerated(const ScriptExport& exported) {
  return generated_format(exported.kind) != nullptr;
}

core::Result<Regenerated> regenerate(const ScriptExport& before,
                                     const ScriptExport& after,
                                     const emit::MapFile& file,
                                     HandEdits choice) {
  return Regenerator{before, after, file, choice}.run();
}

}  // namespace memsize::sdk
