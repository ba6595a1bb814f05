#include "memsize/emit/written.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

// The instance's number comes behind the module's name, without anything between.
constexpr std::string_view kMmuInstance = "mmu_armv8";

void assign(WrittenMmuEntry& entry, const std::string& property, core::Cursor& cursor) {
  const core::Place place = cursor.place();
  if (property == "$name") {
    entry.name = core::unquoted(cursor.take());
  } else if (property == "attribute") {
    entry.attribute = core::unquoted(cursor.take());
  } else if (property == "vAddr") {
    entry.virtual_base = cursor.number();
  } else if (property == "pAddr") {
    entry.physical = cursor.number();
  } else if (property == "size") {
    entry.size = cursor.number();
  } else {
    entry.others.insert_or_assign(property, core::unquoted(cursor.take()));
  }
  entry.places.insert_or_assign(property, cursor.place_since(place));
}

// sysconfig's defaults.
WrittenMmuEntry fresh_entry(unsigned instance, const core::Place& place) {
  WrittenMmuEntry entry;
  entry.instance = instance;
  entry.attribute = "MAIR0";
  entry.place = place;
  return entry;
}

}  // namespace

std::vector<WrittenRange> parse_linker(const MapFile& file,
                                       const std::string& root,
                                       core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::vector<WrittenRange> ranges;
  if (!cursor.expect("MEMORY") || !cursor.expect("{")) {
    return ranges;
  }
  while (!cursor.done() && cursor.peek() != "}") {
    WrittenRange range;
    range.place = cursor.place();
    range.name = cursor.take();
    if (cursor.peek() == "(") {
      cursor.skip_past(")");
    }
    const bool shaped = cursor.expect(":") && cursor.expect("ORIGIN") && cursor.expect("=");
    if (!shaped) {
      return ranges;
    }
    range.places.emplace("ORIGIN", cursor.place());
    range.base = cursor.number();
    if (cursor.peek() != "LENGTH" && !cursor.expect(",")) {
      return ranges;
    }
    if (!cursor.expect("LENGTH") || !cursor.expect("=")) {
      return ranges;
    }
    range.places.emplace("LENGTH", cursor.place());
    range.size = cursor.number();
    ranges.push_back(std::move(range));
  }
  cursor.expect("}");
  return ranges;
}

std::map<std::string, WrittenMacro> parse_header(const MapFile& file,
                                                 const std::string& root,
                                                 core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::map<std::string, WrittenMacro> macros;
  while (!cursor.done()) {
    if (cursor.take() != "#define" || cursor.peek(1) != "(") {
      continue;
    }
    const core::Place place = cursor.place();
    const std::string name = cursor.take();
    cursor.expect("(");
    const core::Place value_place = cursor.place();
    const std::uint64_t value = cursor.number();
    cursor.expect(")");
    if (!macros.emplace(name, WrittenMacro{value, place, value_place}).second) {
      errors.push_back(
          core::error(Code::kVerifyParse, fmt::format("'{}' is defined twice", name), place));
    }
  }
  return macros;
}

std::vector<WrittenMmuEntry> parse_syscfg(const MapFile& file,
                                          const std::string& root,
                                          core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, core::Code::kVerifyParse, errors};
  std::map<unsigned, WrittenMmuEntry> entries;
  while (!cursor.done()) {
    const core::Place place = cursor.place();
    const std::string word = cursor.take();
    const std::size_t dot = std::min(word.find('.'), word.size());
    if (!word.starts_with(kMmuInstance) || cursor.peek() != "=") {
      continue;
    }
    const auto number =
        core::parse_address(word.substr(kMmuInstance.size(), dot - kMmuInstance.size()));
    if (!number || *number > UINT32_MAX) {
      continue;
    }
    cursor.take();
    const auto instance = static_cast<unsigned>(*number);
    WrittenMmuEntry& entry =
        entries.try_emplace(instance, fresh_entry(instance, place)).first->second;
    if (dot == word.size()) {
      continue;
    }
    if (entry.places.empty()) {
      // The first property says more than the creation.
      entry.place = place;
    }
    assign(entry, word.substr(dot + 1), cursor);
  }
  std::vector<WrittenMmuEntry> list;
  list.reserve(entries.size());
  for (auto& [number, entry] : entries) {
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace memsize::emit
