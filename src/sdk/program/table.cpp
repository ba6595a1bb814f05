// Gives an MPU table of C the wanted regions: elements that go, elements that are copied for new
// regions, and values in place. The start-up code's own rules for what it skips are obeyed.
#include "memsize/chip/limits.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/core/text_edits.hpp"

#include "edit_program.hpp"
#include "formats/claims.hpp"
#include "formats/edit_style.hpp"
#include "table_scan.hpp"
#include "table_values.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using chip::MpuRegionFields;
using core::Code;
using emit::WrittenMpuRegion;

constexpr const char* kOwnLines = "give every element lines of its own";

bool same(MpuRegionFields a, const MpuRegionFields& b) {
  a.name = b.name;
  return a == b;
}

std::string region_text(const MpuRegionFields& region) {
  return fmt::format("region {}, {}, eighths off {}, TEX {}, C {:d}, B {:d}, S {:d}, X {:d}",
                     region.number,
                     emit::range_text(region.base, region.size),
                     core::format_hex(region.disabled),
                     region.tex,
                     region.cacheable,
                     region.bufferable,
                     region.shareable,
                     region.execute);
}

// A table as it stands, and what becomes of it.
struct TableChange {
  emit::WrittenMpuSource now;
  TableScan scan;
  const std::vector<MpuRegionFields>& wanted;
  /// Of each wanted region: which one it was; nothing for a new one.
  std::vector<std::optional<std::size_t>> from;
  /// Of each region: its element.
  std::vector<std::size_t> elements;
  /// Elements that go.
  std::set<std::size_t> gone;

  /// The region that a wanted one was; null for a new one.
  [[nodiscard]] const WrittenMpuRegion* before(std::size_t index) const {
    return from[index] ? &now.regions[*from[index]] : nullptr;
  }

  /// Empty where the place in the table is the number.
  [[nodiscard]] const std::string& number_field() const { return now.program->number.name; }
};

emit::WrittenMpuSource parsed_table(const MpuSource& source,
                                    const emit::MapFile& file,
                                    const emit::Constants& macros,
                                    core::Diagnostics& errors) {
  return emit::parse_mpu_source(file, source.root, source.programs, macros, source.first, errors);
}

// Whether the table can have the regions.
void check_wanted(const std::vector<MpuRegionFields>& wanted,
                  std::uint64_t largest,
                  const core::Place& table,
                  core::Diagnostics& errors) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const MpuRegionFields& region = wanted[i];
    if (region.number >= chip::kMostMpuRegions) {
      errors.push_back(core::error(Code::kMpuRegions,
                                   fmt::format("MPU region {} is wanted: an R5F has 0 to {}",
                                               region.number,
                                               chip::kMostMpuRegions - 1),
                                   table));
    }
    if (i > 0 && region.number <= wanted[i - 1].number) {
      errors.push_back(core::error(
          Code::kVerifyDisagree,
          fmt::format("region {} is wanted behind region {}", region.number, wanted[i - 1].number),
          table));
    }
    if (!std::has_single_bit(region.size) || region.size < chip::kMpuSmallest ||
        region.size > largest) {
      errors.push_back(
          core::error(Code::kVerifyDisagree,
                      fmt::format("this table cannot have the wanted {}", region_text(region)),
                      table,
                      fmt::format("a size is a power of two from 32 B to {}",
                                  core::format_size(core::Bytes{largest}))));
    }
  }
}

// Which region each wanted one was, and which elements go.
TableChange plan_table(emit::WrittenMpuSource now,
                       TableScan scan,
                       const std::vector<MpuRegionFields>& wanted,
                       core::Diagnostics& errors) {
  TableChange change{.now = std::move(now), .scan = std::move(scan), .wanted = wanted};
  const auto& regions = change.now.regions;
  change.from = partners(regions.size(), wanted.size(), [&](std::size_t i, std::size_t j) {
    return regions[i].fields.base == wanted[j].base;
  });
  // What has a name is another region, not one that moved.
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (change.from[j] && !wanted[j].name.empty() &&
        regions[*change.from[j]].fields.base != wanted[j].base) {
      change.from[j].reset();
    }
  }
  for (std::size_t i = 0; i < regions.size(); ++i) {
    change.elements.push_back(*change.scan.element_of(regions[i]));
    if (std::ranges::find(change.from, std::optional{i}) == change.from.end()) {
      change.gone.insert(change.elements[i]);
    }
  }
  const std::size_t room = change.scan.room.value_or(chip::kMostMpuRegions);
  std::size_t count =
      change.scan.elements.size() - change.gone.size() +
      static_cast<std::size_t>(std::ranges::count(change.from, std::optional<std::size_t>{}));
  // Elements that the start-up code passes over make room.
  for (std::size_t i = change.scan.elements.size(); count > room && i-- > 0;) {
    const bool is_used = std::ranges::find(change.elements, i) != change.elements.end();
    count -= !is_used && change.gone.insert(i).second ? 1U : 0U;
  }
  if (count > room) {
    errors.push_back(core::error(
        Code::kMpuRegions,
        fmt::format("{} MPU regions are wanted: this table has room for {}", count, room),
        change.scan.open));
  }
  return change;
}

// The region that a new one is made like: one that is seen the same way, else the last one.
std::optional<std::size_t> pattern_of(const TableChange& table, const MpuRegionFields& wanted) {
  std::optional<std::size_t> found;
  bool is_like = false;
  for (std::size_t i = 0; i < table.now.regions.size(); ++i) {
    const WrittenMpuRegion& region = table.now.regions[i];
    const bool can = table.scan.elements[table.elements[i]].is_alone &&
                     (table.number_field().empty() || region.places.contains(table.number_field()));
    const bool like = static_cast<const chip::MpuBits&>(region.fields) == wanted;
    if (can && (like || !is_like)) {
      found = i;
      is_like = is_like || like;
    }
  }
  return found;
}

// An element's lines without its comments and with another number.
std::string copy_of(const TableChange& table,
                    const WrittenMpuRegion& pattern,
                    const MpuRegionFields& wanted,
                    bool has_comma,
                    const std::string& content) {
  const core::TextEdits raw{content};
  const std::string bare = without_comments(content);
  const core::TextEdits text{bare};
  const TableElement& element = table.scan.elements[*table.scan.element_of(pattern)];
  const core::Place* numbered = core::value_in(pattern.places, table.number_field());
  const core::Place& number = numbered == nullptr ? element.open : *numbered;
  std::string copy;
  bool says_number = false;
  for (std::size_t at = element.open.line; at <= element.last_line; ++at) {
    std::string line{text.line(at)};
    says_number =
        says_number || core::to_lower(raw.line(at)).find(" configuration") != std::string::npos;
    if (core::trim(line).empty()) {
      continue;
    }
    if (at == number.line && numbered != nullptr) {
      line.replace(number.column - 1,
                   number.length,
                   restyled(line.substr(number.column - 1, number.length), wanted.number));
    }
    line.erase(line.find_last_not_of(" \t") + 1);
    copy += (copy.empty() ? "" : "\n") + line;
  }
  if (has_comma != element.has_comma) {
    has_comma ? copy.append(",") : copy.erase(copy.rfind(','), 1);
  }
  const std::string line{raw.line(number.line)};
  const std::string indent = line.substr(0, line.find_first_not_of(" \t"));
  const std::size_t end = copy.find('\n');
  if (says_number && end != std::string::npos && core::is_identifier(wanted.name)) {
    copy.insert(
        end + 1,
        fmt::format("{}/* Region {} configuration: {} */\n", indent, wanted.number, wanted.name));
  }
  return copy;
}

// Removes and adds elements, and gives those that stay their numbers.
class ElementEditor {
 public:
  ElementEditor(const std::string& content, const TableChange& table)
      : content_(content), table_(table), edits_(content) {}

  // The table with the wanted elements; those that are new are copies of others but for the number.
  core::Result<std::string> run() {
    for (const std::size_t element : table_.gone) {
      const TableElement& old = table_.scan.elements[element];
      if (!old.is_alone) {
        return core::fail(core::error(Code::kVerifyParse,
                                      "this element cannot be removed: its lines have more on them",
                                      old.open,
                                      kOwnLines));
      }
      edits_.remove_lines(old.open.line, old.last_line);
    }
    std::size_t at = 0;
    while (at < table_.wanted.size()) {
      if (const WrittenMpuRegion* region = table_.before(at)) {
        renumber(*region, table_.wanted[at].number);
        ++at;
        continue;
      }
      std::size_t behind = at;
      while (behind < table_.wanted.size() && !table_.from[behind]) {
        ++behind;
      }
      add(at, behind);
      at = behind;
    }
    if (!errors_.empty()) {
      return tl::unexpected{std::move(errors_)};
    }
    return edits_.apply();
  }

 private:
  void renumber(const WrittenMpuRegion& region, unsigned number) {
    if (region.fields.number == number || table_.number_field().empty()) {
      return;
    }
    const core::Place* place = core::value_in(region.places, table_.number_field());
    if (place == nullptr) {
      return errors_.push_back(core::error(
          Code::kVerifyParse,
          fmt::format(
              "this element has no '{}' that could become {}", table_.number_field(), number),
          region.place,
          fmt::format("write '.{} = 0U,' into it", table_.number_field())));
    }
    edits_.replace(*place, restyled(edits_.at(*place), number));
  }

  // The wanted regions from `first` to the one before `behind`, which are new.
  void add(std::size_t first, std::size_t behind) {
    const TableElement* anchor =
        first == 0 ? nullptr : &table_.scan.elements[table_.elements[*table_.from[first - 1]]];
    const auto pattern = pattern_of(table_, table_.wanted[first]);
    const bool is_open = anchor != nullptr && !anchor->has_comma;
    const bool has_place = anchor != nullptr
                               ? anchor->is_alone
                               : table_.scan.elements.empty() ||
                                     table_.scan.elements.front().open.line > table_.scan.open.line;
    if (!pattern || !has_place) {
      return errors_.push_back(core::error(
          Code::kVerifyParse,
          fmt::format("there is no place here for region {}", table_.wanted[first].number),
          anchor == nullptr ? table_.scan.open : anchor->open,
          pattern ? kOwnLines : "there must be a region that it can be made like"));
    }
    if (is_open) {
      edits_.replace(anchor->close, "},");
    }
    for (std::size_t i = first; i < behind; ++i) {
      const auto like = pattern_of(table_, table_.wanted[i]);
      const bool has_comma = !is_open || i + 1 < behind;
      edits_.insert_after_line(
          anchor == nullptr ? table_.scan.open.line : anchor->last_line,
          copy_of(table_, table_.now.regions[*like], table_.wanted[i], has_comma, content_));
    }
  }

  const std::string& content_;
  const TableChange& table_;
  core::TextEdits edits_;
  core::Diagnostics errors_;
};

// The table that has the wanted elements, with their values, and with true comments.
std::string with_values(const MpuSource& source,
                        const emit::MapFile& file,
                        const emit::Constants& macros,
                        const TableChange& table,
                        const EditOptions& options,
                        core::Diagnostics& errors) {
  core::TextEdits edits{file.content};
  auto now = parsed_table(source, file, macros, errors);
  if (core::has_errors(errors) || now.regions.size() != table.wanted.size()) {
    return file.content;
  }
  TableValues values{file, now, macros, edits, errors};
  std::vector<bool> is_touched;
  for (std::size_t i = 0; i < table.wanted.size(); ++i) {
    const WrittenMpuRegion* old = table.before(i);
    values.set(i, table.wanted[i], old == nullptr);
    is_touched.push_back(old == nullptr || !same(old->fields, table.wanted[i]) ||
                         values.changed(i));
  }
  for (std::size_t i = 0; i < table.wanted.size(); ++i) {
    if (is_touched[i] || options.correct_comments) {
      now.regions[i].fields = table.wanted[i];
    } else {
      now.regions[i].places.clear();
    }
  }
  const auto claims = parse_claims(file, source.root);
  auto all = wrong_claims(claims, now.regions);
  for (std::size_t i = 0; i < table.wanted.size(); ++i) {
    const WrittenMpuRegion* old = table.before(i);
    if (old != nullptr && old->fields.size != table.wanted[i].size) {
      const auto wrong = old_mentions(claims, now.regions[i], old->fields.size);
      all.insert(all.end(), wrong.begin(), wrong.end());
    }
  }
  // Regions that share a line share its comment: the first one has it.
  std::set<std::pair<std::size_t, std::size_t>> done;
  for (const WrongClaim& wrong : all) {
    if (done.emplace(wrong.claim.place.line, wrong.claim.place.column).second) {
      edits.replace(wrong.claim.place, wrong.right);
    }
  }
  return core::has_errors(errors) ? std::string{} : edits.apply();
}

std::vector<std::string> kept_fields(const board::MpuProgram& program) {
  std::vector<std::string> fields = program.kept;
  if (!program.enable.name.empty()) {
    fields.push_back(program.enable.name);
  }
  return fields;
}

// The fields that no wanted region speaks of are what they were.
void hold_kept(const std::string& content,
               const std::string& result,
               const TableChange& table,
               const std::vector<WrittenMpuRegion>& now,
               core::Diagnostics& errors) {
  const core::TextEdits before{content};
  const core::TextEdits after{result};
  for (std::size_t i = 0; i < now.size(); ++i) {
    for (const std::string& field : kept_fields(*table.now.program)) {
      const WrittenMpuRegion* region = table.before(i);
      const core::Place* old = region == nullptr ? nullptr : core::value_in(region->places, field);
      const core::Place* kept = core::value_in(now[i].places, field);
      if (old != nullptr && (kept == nullptr || before.at(*old) != after.at(*kept))) {
        errors.push_back(core::error(
            Code::kVerifyDisagree, fmt::format("the change would also change '{}'", field), *old));
      }
    }
  }
}

// A region that goes may not take away what another one in its place does not say.
void hold_gone(const std::string& content, const TableChange& table, core::Diagnostics& errors) {
  const core::TextEdits text{content};
  for (const std::string& field : table.now.program->kept) {
    std::set<std::string> said;
    for (const WrittenMpuRegion& region : table.now.regions) {
      const core::Place* place = core::value_in(region.places, field);
      said.emplace(place == nullptr ? "" : text.at(*place));
    }
    if (said.size() > 1 && !table.gone.empty()) {
      errors.push_back(
          core::error(Code::kVerifyDisagree,
                      fmt::format("a region would go, and with it perhaps its '{}'", field),
                      table.scan.elements[*table.gone.begin()].open,
                      "change this table by hand"));
    }
  }
}

// Whether the result, read again, has the wanted regions, and all else is what it was.
void hold_table(const MpuSource& source,
                const emit::MapFile& result,
                const emit::Constants& macros,
                const TableChange& table,
                core::Diagnostics& errors) {
  const auto now = parsed_table(source, result, macros, errors).regions;
  for (std::size_t i = 0; i < std::max(now.size(), table.wanted.size()); ++i) {
    if (i >= now.size() || i >= table.wanted.size() || !same(now[i].fields, table.wanted[i])) {
      return errors.push_back(core::error(
          Code::kVerifyDisagree,
          fmt::format("after the change the table would have {}, where {} is wanted",
                      i < now.size() ? region_text(now[i].fields) : "nothing",
                      i < table.wanted.size() ? region_text(table.wanted[i]) : "nothing"),
          table.scan.open));
    }
  }
  if (scan_table(result, source.root, table.now.program->table).others != table.scan.others) {
    errors.push_back(core::error(
        Code::kVerifyDisagree, "the change would also change other code", table.scan.open));
  }
  hold_kept(source.file.content, result.content, table, now, errors);
  hold_gone(source.file.content, table, errors);
}

}  // namespace

core::Result<std::string> edit_mpu_source(const MpuSource& source,
                                          const emit::Constants& before,
                                          const emit::Constants& after,
                                          const std::vector<MpuRegionFields>& regions,
                                          const EditOptions& options) {
  core::Diagnostics errors;
  const auto failed = [&](const emit::MapFile& file) {
    core::add_text(errors, file.path_under(source.root), file.content);
    return tl::unexpected{std::move(errors)};
  };
  (void)parsed_table(source, source.file, before, errors);
  auto now =
      errors.empty() ? parsed_table(source, source.file, after, errors) : emit::WrittenMpuSource{};
  if (core::has_errors(errors)) {
    return failed(source.file);
  }
  TableScan scan = scan_table(source.file, source.root, now.program->table);
  check_wanted(regions, now.program->largest, scan.open, errors);
  const TableChange table = plan_table(std::move(now), std::move(scan), regions, errors);
  if (core::has_errors(errors)) {
    return failed(source.file);
  }
  auto content = ElementEditor{source.file.content, table}.run();
  if (!content) {
    errors = std::move(content.error());
    return failed(source.file);
  }
  const emit::MapFile placed{source.file.path, std::move(*content)};
  emit::MapFile result{source.file.path,
                       with_values(source, placed, after, table, options, errors)};
  if (core::has_errors(errors)) {
    return failed(placed);
  }
  hold_table(source, result, after, table, errors);
  if (core::has_errors(errors)) {
    return failed(source.file);
  }
  return std::move(result.content);
}

}  // namespace memsize::sdk
