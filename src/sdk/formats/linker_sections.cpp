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

constexpr unsigned kDeepestSection = 16;

bool is_word(std::string_view token) {
  return !token.empty() &&
         std::string_view{"{}()<>=,;:|\"'&!?+/\\"}.find(token.front()) == std::string_view::npos;
}

bool is_digit(std::string_view token) {
  return !token.empty() && std::isdigit(static_cast<unsigned char>(token.front())) != 0;
}

// Whether the colon at the cursor, which touches the name, is touched by a word too.
bool joins(const core::Cursor& cursor, const core::Place& colon) {
  const core::Place next = cursor.place(1);
  return is_word(cursor.peek(1)) && next.line == colon.line && next.column == colon.column + 1;
}

// Words and colons that touch each other: ".bss:heap*".
std::string section_name(core::Cursor& cursor) {
  if (!is_word(cursor.peek())) {
    cursor.wrong(
        fmt::format("a section is expected here, not '{}'", core::printable(cursor.peek(), 40)),
        cursor.place());
    return {};
  }
  std::string name;
  core::Place end = cursor.place();
  const auto touches = [&] {
    const core::Place place = cursor.place();
    return !cursor.done() && place.line == end.line && place.column == end.column;
  };
  const auto append = [&] {
    end = cursor.place();
    end.column += cursor.peek().size();
    name += cursor.take();
  };
  append();
  while (touches() && (is_word(cursor.peek()) || (cursor.peek() == ":" && joins(cursor, end)))) {
    append();
  }
  return name;
}

// From behind an opening brace to behind its counterpart.
bool skip_braces(core::Cursor& cursor) {
  std::size_t open = 1;
  const core::Place place = cursor.place();
  while (!cursor.done() && open > 0) {
    const std::string word = cursor.take();
    open += word == "{" ? 1U : 0U;
    open -= word == "}" ? 1U : 0U;
  }
  if (open > 0) {
    cursor.wrong("a '}' is missing behind this", place);
  }
  return open == 0;
}

void align(OutputSection& section, const SectionNumber& value) {
  if (!section.alignment || section.alignment->value < value.value) {
    section.alignment = value;
  }
}

// Reads what stands behind the name of a section or group, one by one.
class AttributeParser {
 public:
  AttributeParser(const std::vector<Define>& defines, core::Cursor& cursor)
      : defines_(defines), cursor_(cursor) {}

  [[nodiscard]] bool is_next() const {
    static const std::set<std::string_view> words = {
        ">",         ",",       "load",     "LOAD",       "run",      "RUN",       "align", "ALIGN",
        "palign",    "PALIGN",  "block",    "BLOCK",      "fill",     "FILL",      "type",  "TYPE",
        "RUN_START", "RUN_END", "RUN_SIZE", "LOAD_START", "LOAD_END", "LOAD_SIZE", "START", "END",
        "SIZE",      "table",   "TABLE",    "LAST",       "FIRST",    "HIGH"};
    return cursor_.peek() == "(" || words.contains(cursor_.peek());
  }

  bool one(OutputSection& section) {
    return cursor_.peek() == "(" ? types(section) : attribute(section);
  }

  // As many as there are. False after an error, as below.
  bool all(OutputSection& section) {
    while (is_next()) {
      if (!one(section)) {
        return false;
      }
    }
    return true;
  }

 private:
  // `(NOLOAD)`, and `(HIGH)` behind a region.
  bool types(OutputSection& section) {
    cursor_.take();
    while (is_word(cursor_.peek())) {
      const std::string type = cursor_.take();
      if (type != "HIGH") {
        section.types.push_back(type);
      }
    }
    return cursor_.expect(")");
  }

  bool attribute(OutputSection& section) {
    const std::string word = cursor_.take();
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
      section.types.push_back(cursor_.take());
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
      cursor_.take();
    }
    return cursor_.expect(")");
  }

  // `> REGION` or `= REGION`, behind `load` or `run`.
  bool allocation(OutputSection& section, bool is_load) {
    cursor_.take();
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
      cursor_.take();
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
      list.push_back({cursor_.take(), place});
    } while (cursor_.peek() == "|" && !cursor_.take().empty());
    return true;
  }

  // `(0x1000)`, `( 1K )` or `= 8`.
  bool alignment(OutputSection& section) {
    const bool in_brackets = cursor_.peek() == "(";
    if (!in_brackets && !cursor_.expect("=")) {
      return false;
    }
    if (in_brackets) {
      cursor_.take();
    }
    const auto value = number();
    if (!value) {
      return false;
    }
    align(section, *value);
    return !in_brackets || cursor_.expect(")");
  }

  // The last one of this name; null if there is none.
  [[nodiscard]] const Define* macro(std::string_view name) const {
    const auto define = std::find_if(
        defines_.rbegin(), defines_.rend(), [&](const Define& one) { return one.name == name; });
    return define == defines_.rend() ? nullptr : &*define;
  }

  // A number, also with K or M behind it, or a macro of the file, which may be in brackets.
  std::optional<SectionNumber> number() {
    const core::Place place = cursor_.place();
    std::string word{cursor_.peek()};
    for (unsigned i = 0; i < kDeepestSection && macro(word) != nullptr; ++i) {
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
    cursor_.take();
    return SectionNumber{*value << shift, place};
  }

  const std::vector<Define>& defines_;
  core::Cursor& cursor_;
};

class SectionsParser {
 public:
  SectionsParser(const emit::MapFile& file, const std::string& root, core::Diagnostics& errors)
      : source_(file, root, {}, errors),
        cursor_(source_.path(), source_.text(), Code::kVerifyParse, errors),
        attributes_(source_.defines(), cursor_) {}

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
        skip_braces(cursor_);
      }
    }
    if (!found) {
      cursor_.wrong("there is no SECTIONS here", cursor_.place());
    }
    return std::move(sections_);
  }

 private:
  // Sections up to behind the closing brace. False after an error.
  bool members(const OutputSection* group, unsigned depth) {
    if (depth == kDeepestSection) {
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
    if (!attributes_.all(shared)) {
      return false;
    }
    if (cursor_.peek() == ":") {
      cursor_.take();
      if (!attributes_.all(shared)) {
        return false;
      }
    }
    if (!cursor_.expect("{") || !members(&shared, depth + 1) || !attributes_.all(shared)) {
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
    section.name = section_name(cursor_);
    if (section.name.empty()) {
      return false;
    }
    section.place = cursor_.place_since(section.place);
    bool is_bare = true;
    bool has_body = false;
    bool has_colon = false;
    while (!cursor_.done()) {
      const std::string_view word = cursor_.peek();
      if (word == ":" && !has_colon) {
        has_colon = true;
        cursor_.take();
      } else if (word == "{" && !has_body) {
        has_body = true;
        cursor_.take();
        if (!skip_braces(cursor_)) {
          return false;
        }
      } else if (!attributes_.is_next()) {
        break;
      } else if (!attributes_.one(section)) {
        return false;
      }
      is_bare = false;
    }
    if (is_bare && !in_group) {
      cursor_.wrong(fmt::format("'{}' is no section", core::printable(section.name, 40)),
                    section.place);
      return false;
    }
    sections_.push_back(std::move(section));
    return true;
  }

  CSource source_;
  core::Cursor cursor_;
  AttributeParser attributes_;
  std::vector<OutputSection> sections_;
  std::size_t groups_ = 0;
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
