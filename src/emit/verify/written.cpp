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
    range.base = cursor.number();
    if (!core::is_one_of(cursor.peek(), kLengthWords) && !cursor.expect(",")) {
      return ranges;
    }
    if (!expect_one(cursor, kLengthWords) || !cursor.expect("=")) {
      return ranges;
    }
    range.places.emplace("LENGTH", cursor.place());
    range.size = cursor.number();
    ranges.push_back(std::move(range));
  }
  cursor.expect("}");
  return ranges;
}

namespace {

// `#define`, or `# define`.
bool takes_define(core::Cursor& cursor) {
  const std::string word = cursor.take();
  if (word == "#" && cursor.peek() == "define") {
    cursor.take();
    return true;
  }
  return word == "#define";
}

}  // namespace

std::map<std::string, WrittenMacro> parse_header(const MapFile& file,
                                                 const std::string& root,
                                                 core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::map<std::string, WrittenMacro> macros;
  while (!cursor.done()) {
    if (!takes_define(cursor)) {
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
    if (!macros.emplace(name, WrittenMacro{value, place, value_place, is_part}).second) {
      errors.push_back(
          core::error(Code::kVerifyParse, fmt::format("'{}' is defined twice", name), place));
    }
  }
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
