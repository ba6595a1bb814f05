// Reads the sections of a part's memories. Two rows are at odds only where one toolchain has both:
// a part may have a script for each.
#include "part_sections.hpp"

#include "memsize/core/text.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;

// A word of those that names_of has for the enumeration.
template <typename Word>
Word read_word(Fields& reader, std::string_view key, Word fallback) {
  std::vector<std::string> words;
  for (const std::string_view word : names_of(fallback)) {
    words.emplace_back(word);
  }
  return core::named<Word>(reader.one_of(key, words)).value_or(fallback);
}

std::string read_section_name(Fields& reader, std::string_view key, bool is_required) {
  const Text name = is_required ? reader.required_text(key) : reader.text(key);
  if (name.written && !is_section_name(name.text)) {
    reader.wrong(Code::kBoardName,
                 fmt::format("'{}' is not the name of a section", core::printable(name.text, 60)),
                 name.place,
                 std::string{kSectionNameHint});
  }
  return name.text;
}

// What start-up can do with the section at all.
void check_start_up(Fields& reader, const PartSection& section, bool writable) {
  const auto wrong = [&](std::string_view why) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("section '{}' is one that start-up {}, but {}",
                             core::printable(section.name, 60),
                             name_of(section.start_up),
                             why),
                 reader.value()["start_up"].place());
  };
  if (section.start_up != StartUp::kNone && section.holds == SectionHolds::kReserved) {
    wrong("nothing is in reserved memory");
  } else if (section.start_up == StartUp::kClears && section.holds != SectionHolds::kZeroed) {
    wrong(fmt::format("it holds {} data", name_of(section.holds)));
  } else if (section.start_up != StartUp::kNone && !writable) {
    wrong("its memory is not writable");
  }
}

core::Diagnostics at_odds(const MemorySection& first, const MemorySection& second) {
  const PartSection& a = first.section;
  const PartSection& b = second.section;
  const auto told = [&](std::string message, std::string hint) {
    return core::Diagnostics{
        core::error(Code::kBoardValue, std::move(message), second.place, std::move(hint))
            .beside(first.place, "the first one is here")};
  };
  if (!a.toolchain.empty() && !b.toolchain.empty() && a.toolchain != b.toolchain) {
    return {};
  }
  if (a.name == b.name && first.memory != second.memory) {
    return told(
        fmt::format("section '{}' lies in '{}' and in '{}'", a.name, first.memory, second.memory),
        "a section lies in one memory; say which toolchain each is of");
  }
  if (a.name == b.name && a.holds == b.holds && a.attribute == b.attribute) {
    return told(fmt::format("section '{}' stands here twice", a.name), "take one of them out");
  }
  if (a.holds == b.holds && a.attribute == b.attribute && a.holds != SectionHolds::kReserved) {
    return told(fmt::format("{} data {} go to '{}' and to '{}'",
                            name_of(a.holds),
                            a.attribute.empty() ? "without an attribute"
                                                : fmt::format("of '{}'", a.attribute),
                            a.name,
                            b.name),
                "what source code names goes to one section");
  }
  if (!a.attribute.empty() && a.attribute == b.attribute && first.memory != second.memory) {
    return told(
        fmt::format("'{}' goes to '{}' and to '{}'", a.attribute, first.memory, second.memory),
        "what source code names goes to one memory");
  }
  return {};
}

}  // namespace

MemorySection read_part_section(Fields reader, const std::string& memory, bool writable) {
  MemorySection row{.memory = memory, .place = reader.place()};
  PartSection& section = row.section;
  section.name = read_section_name(reader, "name", true);
  section.holds = read_word(reader, "holds", SectionHolds::kZeroed);
  if (reader.has("start_up")) {
    section.start_up = read_word(reader, "start_up", StartUp::kNone);
  }
  section.attribute = read_section_name(reader, "attribute", false);
  if (reader.has("toolchain")) {
    section.toolchain = reader.one_of("toolchain", {"gcc", "armclang"});
  }
  (void)reader.required_one_line("source");
  reader.finish();
  check_start_up(reader, section, writable);
  return row;
}

core::Diagnostics check_sections(const std::vector<MemorySection>& sections) {
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (core::Diagnostics found = at_odds(sections[j], sections[i]); !found.empty()) {
        return found;
      }
    }
  }
  return {};
}

}  // namespace memsize::board
