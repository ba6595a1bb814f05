// Descends through SECTIONS, groups included, and takes of each section its region, alignment and
// address. Of several places that one is taken where the section runs.
#include "linker_sections.hpp"

#include "memsize/core/text.hpp"

#include "csource/c_source.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

class SectionsParser {
 public:
  SectionsParser(const emit::MapFile& file, const std::string& root, core::Diagnostics& errors)
      : source_(file, root, {}, errors),
        cursor_(source_.path(), source_.text(), Code::kVerifyParse, errors) {}

  std::vector<OutputSection> run() {
    bool found = false;
    while (!cursor_.done()) {
      const std::string word = cursor_.take();
      if (word == "SECTIONS" && cursor_.peek() == "{") {
        found = true;
        cursor_.take();
        if (!members(nullptr, 0)) {
          break;
        }
      } else if (word == "{") {
        skip_braces();
      }
    }
    if (!found) {
      cursor_.wrong("there is no SECTIONS here", cursor_.place());
    }
    return std::move(sections_);
  }

 private:
  static constexpr unsigned kDeepest = 16;

  // Sections up to behind the closing brace. False after an error.
  bool members(const OutputSection* group, unsigned depth) {
    if (depth == kDeepest) {
      cursor_.wrong("groups are nested too deeply", cursor_.place());
      return false;
    }
    while (!cursor_.done() && cursor_.peek() != "}") {
      const std::string_view word = cursor_.peek();
      const bool good =
          word == "GROUP" || word == "UNION" ? collection(group, depth) : section(group != nullptr);
      if (!good) {
        return false;
      }
    }
    return cursor_.expect("}");
  }

  // `GROUP attributes { members } attributes`: its members go where it goes.
  bool collection(const OutputSection* outer, unsigned depth) {
    const bool is_union = cursor_.peek() == "UNION";
    OutputSection shared{.place = cursor_.place()};
    cursor_.take();
    ++groups_;
    const std::size_t number = groups_;
    const std::size_t first = sections_.size();
    if (!attributes(shared)) {
      return false;
    }
    if (cursor_.peek() == ":") {
      cursor_.take();
      if (!attributes(shared)) {
        return false;
      }
    }
    if (!cursor_.expect("{") || !members(&shared, depth + 1) || !attributes(shared)) {
      return false;
    }
    for (std::size_t i = first; i < sections_.size(); ++i) {
      OutputSection& member = sections_[i];
      member.group = member.group == 0 || outer == nullptr ? number : member.group;
      if (member.regions.empty()) {
        member.regions = shared.regions;
        member.is_split = shared.is_split;
      }
      if (member.load_regions.empty()) {
        member.load_regions = shared.load_regions;
      }
      if ((i == first || is_union) && shared.alignment) {
        align(member, *shared.alignment);
      }
    }
    return true;
  }

  // `name (TYPE) attributes : { inputs } attributes`, where most may be missing.
  bool section(bool in_group) {
    OutputSection section{.place = cursor_.place()};
    section.name = name();
    if (section.name.empty()) {
      return false;
    }
    section.place = cursor_.place_since(section.place);
    bool has_body = false;
    bool has_colon = false;
    const std::size_t begin = taken_;
    while (!cursor_.done()) {
      const std::string_view word = cursor_.peek();
      if (word == ":" && !has_colon) {
        has_colon = true;
        take();
      } else if (word == "{" && !has_body) {
        has_body = true;
        take();
        if (!skip_braces()) {
          return false;
        }
      } else if (word == "(") {
        if (!types(section)) {
          return false;
        }
      } else if (!is_attribute()) {
        break;
      } else if (!attribute(section)) {
        return false;
      }
    }
    if (taken_ == begin && !has_body && !in_group) {
      cursor_.wrong(fmt::format("'{}' is no section", core::printable(section.name, 40)),
                    section.place);
      return false;
    }
    sections_.push_back(std::move(section));
    return true;
  }

  std::string take() {
    ++taken_;
    return cursor_.take();
  }

  static bool is_word(std::string_view token) {
    return !token.empty() &&
           std::string_view{"{}()<>=,;:|\"'&!?+/\\"}.find(token.front()) == std::string_view::npos;
  }

  static bool is_digit(std::string_view token) {
    return !token.empty() && std::isdigit(static_cast<unsigned char>(token.front())) != 0;
  }

  // Words and colons that touch each other: ".bss:heap*".
  std::string name() {
    if (!is_word(cursor_.peek())) {
      cursor_.wrong(
          fmt::format("a section is expected here, not '{}'", core::printable(cursor_.peek(), 40)),
          cursor_.place());
      return {};
    }
    std::string name;
    core::Place end = cursor_.place();
    const auto touches = [&] {
      const core::Place place = cursor_.place();
      return !cursor_.done() && place.line == end.line && place.column == end.column;
    };
    const auto append = [&] {
      end = cursor_.place();
      end.column += cursor_.peek().size();
      name += cursor_.take();
    };
    append();
    while (touches() && (is_word(cursor_.peek()) || (cursor_.peek() == ":" && joins(end)))) {
      append();
    }
    return name;
  }

  // Whether the colon at the cursor, which touches the name, is touched by a word too.
  [[nodiscard]] bool joins(const core::Place& colon) const {
    const core::Place next = cursor_.place(1);
    return is_word(cursor_.peek(1)) && next.line == colon.line && next.column == colon.column + 1;
  }

  [[nodiscard]] bool is_attribute() const {
    static const std::set<std::string_view> words = {
        ">",         ",",       "load",     "LOAD",       "run",      "RUN",       "align", "ALIGN",
        "palign",    "PALIGN",  "block",    "BLOCK",      "fill",     "FILL",      "type",  "TYPE",
        "RUN_START", "RUN_END", "RUN_SIZE", "LOAD_START", "LOAD_END", "LOAD_SIZE", "START", "END",
        "SIZE",      "table",   "TABLE",    "LAST",       "FIRST",    "HIGH"};
    return words.contains(cursor_.peek());
  }

  bool attributes(OutputSection& section) {
    while (is_attribute() || cursor_.peek() == "(") {
      if (!(cursor_.peek() == "(" ? types(section) : attribute(section))) {
        return false;
      }
    }
    return true;
  }

  // `(NOLOAD)`, and `(HIGH)` behind a region.
  bool types(OutputSection& section) {
    take();
    while (is_word(cursor_.peek())) {
      const std::string type = take();
      if (type != "HIGH") {
        section.types.push_back(type);
      }
    }
    return cursor_.expect(")");
  }

  bool attribute(OutputSection& section) {
    const std::string word = take();
    const std::string lower = core::to_lower(word);
    if (word == ",") {
      return true;
    }
    if (word == ">") {
      return target(section, false);
    }
    if (lower == "load" || lower == "run") {
      return (cursor_.peek() != ">" && cursor_.peek() != "=") ||
             allocation(section, lower == "load");
    }
    if (lower == "align" || lower == "palign" || lower == "block") {
      return alignment(section);
    }
    if (lower == "fill") {
      const auto value = cursor_.expect("=") ? number() : std::nullopt;
      section.fill = value;
      return value.has_value();
    }
    if (lower == "type") {
      if (!cursor_.expect("=")) {
        return false;
      }
      section.types.push_back(take());
      return true;
    }
    return symbol();
  }

  // `RUN_START(symbol)`.
  bool symbol() {
    if (!cursor_.expect("(")) {
      return false;
    }
    while (is_word(cursor_.peek()) || cursor_.peek() == ",") {
      take();
    }
    return cursor_.expect(")");
  }

  // `> REGION` or `= REGION`, behind `load` or `run`.
  bool allocation(OutputSection& section, bool is_load) {
    take();
    return target(section, is_load);
  }

  // Behind the first '>' or the '=': `REGION`, `> A | B`, or an address.
  bool target(OutputSection& section, bool is_load) {
    if (const Define* define = macro(cursor_.peek());
        define != nullptr || is_digit(cursor_.peek())) {
      const core::Place place = define != nullptr ? define->place : cursor_.place();
      const auto value = number();
      section.address = value ? std::optional{SectionNumber{value->value, place}} : std::nullopt;
      return value.has_value();
    }
    if (cursor_.peek() == ">") {
      section.is_split = true;
      take();
    }
    // Only `load` beside a `run` is another place: without that it is where the section runs.
    std::vector<SectionRegion>& list = is_load ? section.load_regions : section.regions;
    do {
      if (!is_word(cursor_.peek())) {
        cursor_.wrong(
            fmt::format("a region is expected here, not '{}'", core::printable(cursor_.peek(), 40)),
            cursor_.place());
        return false;
      }
      const core::Place place = cursor_.place();
      list.push_back({take(), place});
    } while (cursor_.peek() == "|" && !take().empty());
    return true;
  }

  // `(0x1000)`, `( 1K )` or `= 8`.
  bool alignment(OutputSection& section) {
    const bool in_brackets = cursor_.peek() == "(";
    if (!in_brackets && !cursor_.expect("=")) {
      return false;
    }
    if (in_brackets) {
      take();
    }
    const auto value = number();
    if (!value) {
      return false;
    }
    align(section, *value);
    return !in_brackets || cursor_.expect(")");
  }

  static void align(OutputSection& section, const SectionNumber& value) {
    if (!section.alignment || section.alignment->value < value.value) {
      section.alignment = value;
    }
  }

  // The last one of this name; null if there is none.
  [[nodiscard]] const Define* macro(std::string_view name) const {
    const auto define = std::find_if(source_.defines().rbegin(),
                                     source_.defines().rend(),
                                     [&](const Define& one) { return one.name == name; });
    return define == source_.defines().rend() ? nullptr : &*define;
  }

  // A number, also with K or M behind it, or a macro of the file, which may be in brackets.
  std::optional<SectionNumber> number() {
    const core::Place place = cursor_.place();
    std::string word{cursor_.peek()};
    for (unsigned i = 0; i < kDeepest && macro(word) != nullptr; ++i) {
      word = macro(word)->body;
      while (word.size() > 2 && word.front() == '(' && word.back() == ')') {
        word = std::string{core::trim(std::string_view{word}.substr(1, word.size() - 2))};
      }
    }
    const char unit = word.empty() ? ' ' : word.back();
    const unsigned shift = unit == 'K' || unit == 'k' ? 10 : unit == 'M' || unit == 'm' ? 20 : 0;
    if (shift != 0) {
      word.pop_back();
    }
    const auto value = core::parse_address(word);
    if (!value || *value > (UINT64_MAX >> shift)) {
      cursor_.wrong(
          fmt::format("a number is expected here, not '{}'", core::printable(cursor_.peek(), 40)),
          place);
      return std::nullopt;
    }
    take();
    return SectionNumber{*value << shift, place};
  }

  // From behind an opening brace to behind its counterpart.
  bool skip_braces() {
    std::size_t open = 1;
    const core::Place place = cursor_.place();
    while (!cursor_.done() && open > 0) {
      const std::string word = take();
      open += word == "{" ? 1U : 0U;
      open -= word == "}" ? 1U : 0U;
    }
    if (open > 0) {
      cursor_.wrong("a '}' is missing behind this", place);
    }
    return open == 0;
  }

  CSource source_;
  core::Cursor cursor_;
  std::vector<OutputSection> sections_;
  std::size_t groups_ = 0;
  std::size_t taken_ = 0;
};

bool goes_to(const OutputSection& section, const std::string& region) {
  const auto is_it = [&](const SectionRegion& one) { return one.name == region; };
  return std::ranges::any_of(section.regions, is_it) ||
         std::ranges::any_of(section.load_regions, is_it);
}

}  // namespace

std::vector<OutputSection> parse_linker_sections(const emit::MapFile& file,
                                                 const std::string& root,
                                                 core::Diagnostics& errors) {
  std::vector<OutputSection> sections = SectionsParser{file, root, errors}.run();
  for (OutputSection& section : sections) {
    if (section.regions.empty()) {
      section.regions.swap(section.load_regions);
    }
  }
  return sections;
}

const OutputSection* most_aligned(const std::vector<OutputSection>& sections,
                                  const std::string& region) {
  const OutputSection* most = nullptr;
  for (const OutputSection& section : sections) {
    if (section.alignment && goes_to(section, region) &&
        (most == nullptr || most->alignment->value < section.alignment->value)) {
      most = &section;
    }
  }
  return most;
}

}  // namespace memsize::sdk
