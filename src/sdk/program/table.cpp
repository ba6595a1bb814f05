// Gives an MPU table of C the wanted regions: elements that go, elements that are copied for new
// regions, and values in place. The start-up code's own rules for what it skips are obeyed.
#include "memsize/chip/limits.hpp"
#include "memsize/core/cursor.hpp"
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

class TableEditor {
 public:
  TableEditor(const MpuSource& source, const emit::Constants& after, const EditOptions& options)
      : file_(source.file),
        root_(source.root),
        programs_(source.programs),
        first_(source.first),
        after_(after),
        options_(options) {}

  core::Result<std::string> run(const emit::Constants& before,
                                const std::vector<MpuRegionFields>& wanted) {
    (void)parsed(file_, before);
    source_ = errors_.empty() ? parsed(file_, after_) : source_;
    if (!core::has_errors(errors_)) {
      scan_ = scan_table(file_, root_, source_.program->table);
      check(wanted);
      plan(wanted);
    }
    const emit::MapFile placed{file_.path, core::has_errors(errors_) ? "" : with_elements(wanted)};
    if (core::has_errors(errors_)) {
      return failed(file_);
    }
    emit::MapFile result{file_.path, with_values(placed, wanted)};
    if (core::has_errors(errors_)) {
      return failed(placed);
    }
    hold(result, wanted);
    if (core::has_errors(errors_)) {
      return failed(file_);
    }
    return std::move(result.content);
  }

 private:
  emit::WrittenMpuSource parsed(const emit::MapFile& file, const emit::Constants& macros) {
    return emit::parse_mpu_source(file, root_, programs_, macros, first_, errors_);
  }

  tl::unexpected<core::Diagnostics> failed(const emit::MapFile& file) {
    core::add_text(errors_, file.path_under(root_), file.content);
    return tl::unexpected{std::move(errors_)};
  }

  void refuse(Code code, std::string message, const core::Place& place, std::string hint = {}) {
    errors_.push_back(core::error(code, std::move(message), place, std::move(hint)));
  }

  void check(const std::vector<MpuRegionFields>& wanted) {
    const std::uint64_t largest = source_.program->largest;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const MpuRegionFields& region = wanted[i];
      if (region.number >= chip::kMostMpuRegions) {
        refuse(Code::kMpuRegions,
               fmt::format("MPU region {} is wanted: an R5F has 0 to {}",
                           region.number,
                           chip::kMostMpuRegions - 1),
               scan_.open);
      }
      if (i > 0 && region.number <= wanted[i - 1].number) {
        refuse(Code::kVerifyDisagree,
               fmt::format(
                   "region {} is wanted behind region {}", region.number, wanted[i - 1].number),
               scan_.open);
      }
      if (!std::has_single_bit(region.size) || region.size < chip::kMpuSmallest ||
          region.size > largest) {
        refuse(Code::kVerifyDisagree,
               fmt::format("this table cannot have the wanted {}", region_text(region)),
               scan_.open,
               fmt::format("a size is a power of two from 32 B to {}",
                           core::format_size(core::Bytes{largest})));
      }
    }
  }

  // Which region each wanted one was, and which elements go.
  void plan(const std::vector<MpuRegionFields>& wanted) {
    const auto& regions = source_.regions;
    from_ = partners(regions.size(), wanted.size(), [&](std::size_t i, std::size_t j) {
      return regions[i].fields.base == wanted[j].base;
    });
    // What has a name is another region, not one that moved.
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      if (from_[j] && !wanted[j].name.empty() && regions[*from_[j]].fields.base != wanted[j].base) {
        from_[j].reset();
      }
    }
    for (std::size_t i = 0; i < regions.size(); ++i) {
      elements_.push_back(*scan_.element_of(regions[i]));
      if (std::ranges::find(from_, std::optional{i}) == from_.end()) {
        gone_.insert(elements_[i]);
      }
    }
    const std::size_t room = scan_.room.value_or(chip::kMostMpuRegions);
    std::size_t count =
        scan_.elements.size() - gone_.size() +
        static_cast<std::size_t>(std::ranges::count(from_, std::optional<std::size_t>{}));
    // Elements that the start-up code passes over make room.
    for (std::size_t i = scan_.elements.size(); count > room && i-- > 0;) {
      const bool is_used = std::ranges::find(elements_, i) != elements_.end();
      count -= !is_used && gone_.insert(i).second ? 1U : 0U;
    }
    if (count > room) {
      refuse(Code::kMpuRegions,
             fmt::format("{} MPU regions are wanted: this table has room for {}", count, room),
             scan_.open);
    }
  }

  // Empty where the place in the table is the number.
  [[nodiscard]] const std::string& number_field() const { return source_.program->number.name; }

  // The table with the wanted elements; those that are new are copies of others but for the number.
  std::string with_elements(const std::vector<MpuRegionFields>& wanted) {
    core::TextEdits edits{file_.content};
    for (const std::size_t element : gone_) {
      const TableElement& old = scan_.elements[element];
      if (!old.is_alone) {
        refuse(Code::kVerifyParse,
               "this element cannot be removed: its lines have more on them",
               old.open,
               kOwnLines);
        return {};
      }
      edits.remove_lines(old.open.line, old.last_line);
    }
    std::size_t at = 0;
    while (at < wanted.size()) {
      if (from_[at]) {
        renumber(source_.regions[*from_[at]], wanted[at].number, edits);
        ++at;
        continue;
      }
      std::size_t behind = at;
      while (behind < wanted.size() && !from_[behind]) {
        ++behind;
      }
      add(wanted, at, behind, edits);
      at = behind;
    }
    return core::has_errors(errors_) ? std::string{} : edits.apply();
  }

  void renumber(const WrittenMpuRegion& region, unsigned number, core::TextEdits& edits) {
    if (region.fields.number == number || number_field().empty()) {
      return;
    }
    const auto place = region.places.find(number_field());
    if (place == region.places.end()) {
      return refuse(
          Code::kVerifyParse,
          fmt::format("this element has no '{}' that could become {}", number_field(), number),
          region.place,
          fmt::format("write '.{} = 0U,' into it", number_field()));
    }
    edits.replace(place->second, restyled(edits.at(place->second), number));
  }

  // The wanted regions from `first` to the one before `behind`, which are new.
  void add(const std::vector<MpuRegionFields>& wanted,
           std::size_t first,
           std::size_t behind,
           core::TextEdits& edits) {
    const TableElement* anchor =
        first == 0 ? nullptr : &scan_.elements[elements_[*from_[first - 1]]];
    const auto pattern = pattern_of(wanted[first]);
    const bool is_open = anchor != nullptr && !anchor->has_comma;
    const bool has_place =
        anchor != nullptr
            ? anchor->is_alone
            : scan_.elements.empty() || scan_.elements.front().open.line > scan_.open.line;
    if (!pattern || !has_place) {
      return refuse(Code::kVerifyParse,
                    fmt::format("there is no place here for region {}", wanted[first].number),
                    anchor == nullptr ? scan_.open : anchor->open,
                    pattern ? kOwnLines : "there must be a region that it can be made like");
    }
    if (is_open) {
      edits.replace(anchor->close, "},");
    }
    for (std::size_t i = first; i < behind; ++i) {
      const auto like = pattern_of(wanted[i]);
      const bool has_comma = !is_open || i + 1 < behind;
      edits.insert_after_line(anchor == nullptr ? scan_.open.line : anchor->last_line,
                              copy_of(source_.regions[*like], wanted[i], has_comma, edits));
    }
  }

  // The region that a new one is made like: one that is seen the same way, else the last one.
  [[nodiscard]] std::optional<std::size_t> pattern_of(const MpuRegionFields& wanted) const {
    std::optional<std::size_t> found;
    bool is_like = false;
    for (std::size_t i = 0; i < source_.regions.size(); ++i) {
      const MpuRegionFields& fields = source_.regions[i].fields;
      const bool can =
          scan_.elements[elements_[i]].is_alone &&
          (number_field().empty() || source_.regions[i].places.contains(number_field()));
      const bool like = fields.tex == wanted.tex && fields.cacheable == wanted.cacheable &&
                        fields.bufferable == wanted.bufferable &&
                        fields.shareable == wanted.shareable && fields.execute == wanted.execute;
      if (can && (like || !is_like)) {
        found = i;
        is_like = is_like || like;
      }
    }
    return found;
  }

  // An element's lines without its comments and with another number.
  [[nodiscard]] std::string copy_of(const WrittenMpuRegion& pattern,
                                    const MpuRegionFields& wanted,
                                    bool has_comma,
                                    const core::TextEdits& raw) const {
    const std::string bare = without_comments(file_.content);
    const core::TextEdits text{bare};
    const TableElement& element = scan_.elements[*scan_.element_of(pattern)];
    const auto numbered = pattern.places.find(number_field());
    const core::Place number = numbered == pattern.places.end() ? element.open : numbered->second;
    std::string copy;
    bool says_number = false;
    for (std::size_t at = element.open.line; at <= element.last_line; ++at) {
      std::string line{text.line(at)};
      says_number =
          says_number || core::to_lower(raw.line(at)).find(" configuration") != std::string::npos;
      if (core::trim(line).empty()) {
        continue;
      }
      if (at == number.line && numbered != pattern.places.end()) {
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

  std::string with_values(const emit::MapFile& file, const std::vector<MpuRegionFields>& wanted) {
    core::TextEdits edits{file.content};
    auto now = parsed(file, after_);
    if (core::has_errors(errors_) || now.regions.size() != wanted.size()) {
      return file.content;
    }
    TableValues values{file, now, after_, edits, errors_};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool is_new = !from_[i];
      values.set(i, wanted[i], is_new);
      const bool is_touched = is_new || !same(source_.regions[*from_[i]].fields, wanted[i]);
      touched_.push_back(is_touched || values.changed(i));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (touched_[i] || options_.correct_comments) {
        now.regions[i].fields = wanted[i];
      } else {
        now.regions[i].places.clear();
      }
    }
    const auto claims = parse_claims(file, root_);
    auto all = wrong_claims(claims, now.regions);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::uint64_t old = from_[i] ? source_.regions[*from_[i]].fields.size : wanted[i].size;
      const auto wrong = old_mentions(claims, now.regions[i], old);
      all.insert(all.end(), wrong.begin(), old == wanted[i].size ? wrong.begin() : wrong.end());
    }
    // Regions that share a line share its comment: the first one has it.
    std::set<std::pair<std::size_t, std::size_t>> done;
    for (const WrongClaim& wrong : all) {
      if (done.emplace(wrong.claim.place.line, wrong.claim.place.column).second) {
        edits.replace(wrong.claim.place, wrong.right);
      }
    }
    return core::has_errors(errors_) ? std::string{} : edits.apply();
  }

  void hold(const emit::MapFile& result, const std::vector<MpuRegionFields>& wanted) {
    const auto now = parsed(result, after_).regions;
    for (std::size_t i = 0; i < std::max(now.size(), wanted.size()); ++i) {
      if (i >= now.size() || i >= wanted.size() || !same(now[i].fields, wanted[i])) {
        return refuse(Code::kVerifyDisagree,
                      fmt::format("after the change the table would have {}, where {} is wanted",
                                  i < now.size() ? region_text(now[i].fields) : "nothing",
                                  i < wanted.size() ? region_text(wanted[i]) : "nothing"),
                      scan_.open);
      }
    }
    if (scan_table(result, root_, source_.program->table).others != scan_.others) {
      refuse(Code::kVerifyDisagree, "the change would also change other code", scan_.open);
    }
    hold_kept(result, now);
    hold_gone();
  }

  [[nodiscard]] std::vector<std::string> kept_fields() const {
    std::vector<std::string> fields = source_.program->kept;
    if (!source_.program->enable.name.empty()) {
      fields.push_back(source_.program->enable.name);
    }
    return fields;
  }

  // The fields that no wanted region speaks of are what they were.
  void hold_kept(const emit::MapFile& result, const std::vector<WrittenMpuRegion>& now) {
    const core::TextEdits before{file_.content};
    const core::TextEdits after{result.content};
    for (std::size_t i = 0; i < now.size(); ++i) {
      for (const std::string& field : kept_fields()) {
        const core::Place* old = nullptr;
        if (from_[i] && source_.regions[*from_[i]].places.contains(field)) {
          old = &source_.regions[*from_[i]].places.at(field);
        }
        const auto kept = now[i].places.find(field);
        if (old != nullptr &&
            (kept == now[i].places.end() || before.at(*old) != after.at(kept->second))) {
          refuse(
              Code::kVerifyDisagree, fmt::format("the change would also change '{}'", field), *old);
        }
      }
    }
  }

  // A region that goes may not take away what another one in its place does not say.
  void hold_gone() {
    const core::TextEdits text{file_.content};
    for (const std::string& field : source_.program->kept) {
      std::set<std::string> said;
      for (const WrittenMpuRegion& region : source_.regions) {
        const auto place = region.places.find(field);
        said.emplace(place == region.places.end() ? "" : text.at(place->second));
      }
      if (said.size() > 1 && !gone_.empty()) {
        refuse(Code::kVerifyDisagree,
               fmt::format("a region would go, and with it perhaps its '{}'", field),
               scan_.elements[*gone_.begin()].open,
               "change this table by hand");
      }
    }
  }

  const emit::MapFile& file_;
  const std::string& root_;
  const board::MpuPrograms& programs_;
  unsigned first_;
  const emit::Constants& after_;
  EditOptions options_;
  emit::WrittenMpuSource source_;
  TableScan scan_;
  // Of each wanted region: which one it was, and whether it changes.
  std::vector<std::optional<std::size_t>> from_;
  std::vector<bool> touched_;
  // Of each region: its element. Elements that go.
  std::vector<std::size_t> elements_;
  std::set<std::size_t> gone_;
  core::Diagnostics errors_;
};

}  // namespace

core::Result<std::string> edit_mpu_source(const MpuSource& source,
                                          const emit::Constants& before,
                                          const emit::Constants& after,
                                          const std::vector<MpuRegionFields>& regions,
                                          const EditOptions& options) {
  return TableEditor{source, after, options}.run(before, regions);
}

}  // namespace memsize::sdk
