// Parses linker maps, C headers and sysconfig's MMU entries, each value with its place. Instances
// that are created out of their order are an error, since that order decides which entry wins.
#include "memsize/emit/written.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/sysconfig.hpp"
#include "memsize/emit/written_map.hpp"

#include "syscfg_script.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

// In TI's linkers and GNU ld alike; the SDK writes the first of each.
constexpr std::string_view kOriginWords = "ORIGIN origin org o";
constexpr std::string_view kLengthWords = "LENGTH length len l";

bool expect_one(core::Cursor& cursor, std::string_view words) {
  const bool is_known = core::is_one_of(cursor.peek(), words);
  return cursor.expect(is_known ? cursor.peek() : words.substr(0, words.find(' ')));
}

// Where an expression stands, nothing could be changed.
std::uint64_t plain_number(core::Cursor& cursor, core::Diagnostics& errors) {
  const core::Place place = cursor.place();
  const std::size_t before = errors.size();
  const std::uint64_t value = cursor.number();
  if (errors.size() == before && core::is_one_of(cursor.peek(), "+ - * / % < > & |")) {
    cursor.wrong("this is an expression: only a number can be held against the map, and changed",
                 place);
  }
  if (errors.size() != before) {
    errors.back().hint =
        "write the value as one number without a suffix, such as 0x2000 for 4K * 2";
  }
  return value;
}

void assign(WrittenMmuEntry& entry, const std::string& property, core::Cursor& cursor) {
  const core::Place place = cursor.place();
  if (property == kNameProperty) {
    entry.name = script_string(cursor);
  } else if (property == kMairProperty) {
    entry.attribute = script_string(cursor);
  } else if (const auto* known =
                 core::find_in(properties::kMmu, property, &Property<WrittenMmuEntry>::name)) {
    known->set(entry, script_number(cursor));
  } else {
    entry.others.insert_or_assign(property, core::unquoted(cursor.take()));
  }
  entry.places.insert_or_assign(property, cursor.place_since(place));
}

// sysconfig's defaults.
WrittenMmuEntry fresh_entry(unsigned instance, const core::Place& place) {
  return {.instance = instance, .attribute = "MAIR0", .place = place};
}

}  // namespace

core::Diagnostic disagreement(core::Place place, core::Parties parties, std::string what) {
  return core::error(
             Code::kVerifyDisagree, std::move(what), std::move(place), std::string{kWriteAgain})
      .about(std::move(parties));
}

chip::Lens lens_of(const std::vector<WrittenMmuEntry>& entries) {
  return chip::lens_of(entries, [](const WrittenMmuEntry& entry) -> chip::Layer {
    return {entry.virtual_base, entry.size};
  });
}

chip::Lens lens_of(const std::vector<WrittenMpuRegion>& regions) {
  return chip::lens_of(regions,
                       [](const WrittenMpuRegion& region) { return region.fields.layer(); });
}

std::vector<WrittenRange> parse_linker(const MapFile& file,
                                       const std::string& root,
                                       core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::vector<WrittenRange> ranges;
  if (!cursor.expect("MEMORY") || !cursor.expect("{")) {
    return ranges;
  }
  while (!cursor.done() && cursor.peek() != "}") {
    WrittenRange range{.place = cursor.place()};
    range.name = cursor.take();
    if (cursor.peek() == "(") {
      cursor.take();
      while (!cursor.done() && cursor.peek() != ")") {
        range.rights += cursor.take();
      }
      cursor.expect(")");
    }
    const bool shaped =
        cursor.expect(":") && expect_one(cursor, kOriginWords) && cursor.expect("=");
    if (!shaped) {
      return ranges;
    }
    range.places.emplace("ORIGIN", cursor.place());
    range.base = plain_number(cursor, errors);
    if (!core::is_one_of(cursor.peek(), kLengthWords) && !cursor.expect(",")) {
      return ranges;
    }
    if (!expect_one(cursor, kLengthWords) || !cursor.expect("=")) {
      return ranges;
    }
    range.places.emplace("LENGTH", cursor.place());
    range.size = plain_number(cursor, errors);
    ranges.push_back(std::move(range));
  }
  cursor.expect("}");
  return ranges;
}

namespace {

// Takes a word: "#define" of `# define`, too.
std::string take_directive(core::Cursor& cursor) {
  const std::string word = cursor.take();
  return word == "#" ? word + cursor.take() : word;
}

core::Diagnostic defined_twice(const std::string& name,
                               const core::Place& place,
                               const WrittenMacro& first,
                               bool by_condition) {
  return core::error(Code::kVerifyParse,
                     by_condition
                         ? fmt::format("'{}' is defined twice, by a condition: which of both the "
                                       "firmware is built with is not known here",
                                       name)
                         : fmt::format("'{}' is defined twice", name),
                     place,
                     by_condition ? "keep the one that is built, without the condition"
                                  : "keep one of them")
      .beside(first.place, "it is defined here first");
}

}  // namespace

std::map<std::string, WrittenMacro> parse_header(const MapFile& file,
                                                 const std::string& root,
                                                 core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::map<std::string, WrittenMacro> macros;
  // Between two directives that begin or end one; of each macro that in which it was defined.
  unsigned branch = 0;
  std::map<std::string, unsigned> branches;
  std::set<std::string> undecided;
  while (!cursor.done()) {
    const std::string word = take_directive(cursor);
    branch += core::is_one_of(word, "#if #ifdef #ifndef #elif #else #endif") ? 1U : 0U;
    if (word != "#define") {
      continue;
    }
    const core::Place place = cursor.place();
    const std::string name = cursor.take();
    if (cursor.peek() == "\\") {
      cursor.take();
    }
    // Somebody's own may be without.
    const bool is_wrapped = cursor.peek() == "(";
    if (!is_wrapped && cursor.peek().find_first_of("0123456789") != 0) {
      continue;
    }
    const std::size_t before = errors.size();
    if (is_wrapped) {
      cursor.expect("(");
    }
    const core::Place value_place = cursor.place();
    const std::uint64_t value = cursor.number();
    if (errors.size() != before) {
      continue;
    }
    if (is_wrapped && !cursor.expect(")")) {
      continue;
    }
    const bool is_part = !cursor.begins_line();
    const auto [first, is_new] =
        macros.emplace(name, WrittenMacro{value, place, value_place, is_part});
    branches.emplace(name, branch);
    if (!is_new) {
      const bool by_condition = branches.at(name) != branch;
      errors.push_back(defined_twice(name, place, first->second, by_condition));
      if (by_condition) {
        undecided.insert(name);
      }
    }
  }
  std::erase_if(macros, [&](const auto& each) { return undecided.contains(each.first); });
  return macros;
}

void check_whole(const std::map<std::string, WrittenMacro>& macros, core::Diagnostics& errors) {
  for (const auto& [name, macro] : macros) {
    if (macro.is_part) {
      errors.push_back(
          core::error(core::Code::kVerifyParse,
                      fmt::format("'{}' is an expression here: only a number can be held against "
                                  "the map, and changed",
                                  core::printable(name, 60)),
                      macro.place,
                      "write its value, such as (0x1000u)"));
    }
  }
}

std::vector<WrittenMmuEntry> parse_syscfg(const MapFile& file,
                                          const std::string& root,
                                          core::Diagnostics& errors,
                                          Whole whole) {
  std::map<unsigned, WrittenMmuEntry> entries;
  unsigned last = 0;
  SyscfgScript script{file, root, {kMmuModule}, errors};
  script.expect_modules(whole);
  script.read([&](const SyscfgStatement& statement, core::Cursor& cursor) {
    WrittenMmuEntry& entry =
        entries.try_emplace(statement.instance, fresh_entry(statement.instance, statement.place))
            .first->second;
    if (statement.property.empty()) {
      if (statement.instance < last) {
        cursor.wrong(fmt::format("'{0}{1}' is created behind '{0}{2}': the order of creation says "
                                 "which entry wins, and numbers are to follow it",
                                 kMmuModule,
                                 statement.instance,
                                 last),
                     statement.place);
      }
      last = std::max(last, statement.instance);
      return;
    }
    if (entry.places.empty()) {
      // The first property says more than the creation.
      entry.place = statement.place;
    }
    assign(entry, statement.property, cursor);
  });
  std::vector<WrittenMmuEntry> list;
  list.reserve(entries.size());
  for (auto& [number, entry] : entries) {
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace memsize::emit
