// The memory protection unit and the address translation of a board's R5F cores.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "reader_context.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;

// A whole number from 0 to `last`.
unsigned read_small(Fields& reader,
                    std::string_view key,
                    unsigned fallback,
                    unsigned last,
                    const std::string& what) {
  const auto value = reader.integer(key);
  if (value && *value > last) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("'{}' of {} must be from 0 to {}, not {}", key, what, last, *value),
                 reader.place());
    return fallback;
  }
  return value ? static_cast<unsigned>(*value) : fallback;
}

void read_attribute(ReaderContext& context, Value field) {
  Fields reader{field, named("MPU attribute", field), context.errors()};
  if (!reader.is_table()) {
    return;
  }
  MpuAttribute attribute;
  attribute.name = field.name();
  attribute.place = field.key_place();
  const Value tex = reader.required("tex", Kind::kWhole);
  const bool has_tex = tex.is(Kind::kWhole) && tex.whole() <= chip::kLastTex;
  if (has_tex) {
    attribute.tex = static_cast<unsigned>(tex.whole());
  } else if (tex) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("'tex' of {} must be from 0 to {}, not {}",
                             named("MPU attribute", field),
                             chip::kLastTex,
                             tex.shown()),
                 tex.place());
  }
  attribute.cacheable = reader.boolean("cacheable", false);
  attribute.bufferable = reader.boolean("bufferable", false);
  attribute.shareable = reader.boolean("shareable", false);
  attribute.execute = reader.boolean("execute", false);
  const Text sysconfig = reader.text("sysconfig");
  const SyscfgKind* kind = core::find_in(kSyscfgKinds, sysconfig.text, &SyscfgKind::name);
  if (sysconfig.written && kind == nullptr) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("sysconfig has no attribute '{}'", core::printable(sysconfig.text)),
                 sysconfig.place,
                 fmt::format("it has: {}; leave it out for CUSTOM",
                             core::join(core::texts_of(kSyscfgKinds, &SyscfgKind::name), ", ")));
  }
  attribute.sysconfig = sysconfig.text;
  const MpuProgram* program = context.board().mpu.table.get();
  if (kind != nullptr && has_tex && !kind->is(attribute)) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("{} has other bits than sysconfig's '{}'",
                             named("MPU attribute", field),
                             sysconfig.text),
                 sysconfig.place,
                 "write the bits of that name, or leave 'sysconfig' out for CUSTOM");
  }
  if (has_tex && program != nullptr && program->find_kind(attribute) == nullptr) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("{} cannot be written for program '{}': TEX {}, C {:d}, B {:d}",
                             named("MPU attribute", field),
                             program->name,
                             attribute.tex,
                             attribute.cacheable,
                             attribute.bufferable),
                 field.key_place(),
                 fmt::format("it has words for these TEX, C and B: {}", program->kinds_text()));
  }
  reader.finish();
  context.board().mpu.attributes.push_back(std::move(attribute));
}

void expect_attribute(ReaderContext& context, const std::string& name, const core::Place& place) {
  if (context.board().mpu.find_attribute(name) != nullptr) {
    return;
  }
  const std::vector<std::string> names =
      core::texts_of(context.board().mpu.attributes, &MpuAttribute::name);
  context.errors().push_back(
      core::error(Code::kBoardReference,
                  fmt::format("there is no MPU attribute '{}'", core::printable(name)),
                  place,
                  core::did_you_mean(name, names)));
}

void read_fixed(ReaderContext& context, Value field) {
  context.check_identifier(field.name(), field.key_place());
  Fields reader{field, named("MPU region", field), context.errors()};
  if (!reader.is_table()) {
    return;
  }
  MpuFixed fixed{.key = field.name(), .place = field.key_place()};
  const Text name = reader.text("name", field.name());
  context.check_identifier(name);
  fixed.name = name.text;
  fixed.base = required_expression(reader, "base");
  fixed.size = required_expression(reader, "size");
  const Text attribute = reader.required_text("attribute");
  if (attribute.written) {
    expect_attribute(context, attribute.text, attribute.place);
  }
  fixed.attribute = attribute.text;
  fixed.note = reader.one_line("note");
  reader.finish();
  context.board().mpu.fixed.push_back(std::move(fixed));
}

void read_fixed_list(ReaderContext& context, Fields& reader, MpuList& list) {
  const std::vector<std::string> keys = core::texts_of(context.board().mpu.fixed, &MpuFixed::key);
  std::set<std::string> listed;
  for (const Text& key : reader.texts("fixed")) {
    if (!listed.insert(key.text).second) {
      reader.wrong(Code::kBoardValue,
                   fmt::format("MPU region '{}' stands twice in the list of '{}'",
                               core::printable(key.text),
                               list.core),
                   key.place,
                   "the later one wins: remove the first");
    } else if (std::ranges::find(keys, key.text) == keys.end()) {
      reader.wrong(Code::kBoardReference,
                   fmt::format("there is no MPU region '{}'", core::printable(key.text)),
                   key.place,
                   core::did_you_mean(key.text, keys));
    } else {
      list.fixed.push_back(key.text);
    }
  }
}

void read_core(ReaderContext& context, Value field) {
  Fields reader{field, named("MPU core", field), context.errors()};
  if (!reader.is_table()) {
    return;
  }
  if (context.board().find_core(field.name()) == nullptr) {
    context.unknown_core(field.name(), field.key_place());
  }
  MpuList list{.core = field.name(), .place = field.key_place()};
  read_fixed_list(context, reader, list);
  std::set<std::string> wished;
  if (const Value areas = reader.optional("areas", Kind::kTable)) {
    Fields lists{areas, fmt::format("'areas' of {}", named("MPU core", field)), context.errors()};
    for (const Value attribute : areas) {
      expect_attribute(context, attribute.name(), attribute.key_place());
      for (const Text& region : lists.texts(attribute.name())) {
        if (!wished.insert(region.text).second) {
          lists.wrong(Code::kBoardValue,
                      fmt::format("'{}' stands twice in the areas of '{}'",
                                  core::printable(region.text),
                                  list.core),
                      region.place,
                      "a core sees a region with one attribute: remove one of them");
        }
        list.wishes.push_back({region.text, attribute.name(), region.place});
      }
    }
  }
  reader.finish();
  context.board().mpu.cores.push_back(std::move(list));
}

}  // namespace

void read_mpu(ReaderContext& context, Value table) {
  constexpr unsigned kLastRegion = 15;
  Fields reader{table, "[mpu]", context.errors()};
  Mpu& mpu = context.board().mpu;
  // Which programs there are is known to whoever reads the file (load.cpp).
  (void)reader.text("program");
  mpu.first = read_small(reader, "first", 0, kLastRegion, "[mpu]");
  mpu.last = read_small(reader, "last", kLastRegion, kLastRegion, "[mpu]");
  if (mpu.first > mpu.last) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("'first' of [mpu], {}, is behind 'last', {}", mpu.first, mpu.last),
                 reader.place());
  }
  for (const Value attribute : reader.fields("attribute")) {
    read_attribute(context, attribute);
  }
  for (const Value region : reader.fields("region")) {
    read_fixed(context, region);
  }
  for (const Value core : reader.fields("core")) {
    read_core(context, core);
  }
  reader.finish();
}

void read_rat(ReaderContext& context, Value table) {
  Fields reader{table, "[rat]", context.errors()};
  Rat& rat = context.board().rat;
  const Text program = reader.text("program", "sysconfig");
  rat.in_sysconfig = program.text == "sysconfig";
  if (!rat.in_sysconfig && program.text != "source") {
    reader.wrong(Code::kBoardValue,
                 fmt::format("program '{}' of [rat] is unknown", core::printable(program.text)),
                 program.place,
                 "the RAT is programmed by: sysconfig, source");
  }
  std::vector<std::string> names;
  for (const Value field : reader.fields("entry")) {
    context.check_identifier(field.name(), field.key_place());
    Fields entry_reader{field, named("RAT entry", field), context.errors()};
    if (!entry_reader.is_table()) {
      continue;
    }
    RatEntry entry{.name = field.name(), .place = field.key_place()};
    (void)entry_reader.required("covers", Kind::kList);
    ReaderContext::read_covers(entry_reader, entry.covers, entry.cover_places);
    entry.size = expression(entry_reader, "size");
    entry_reader.finish();
    names.push_back(entry.name);
    rat.entries.push_back(std::move(entry));
  }
  if (const Value cores = reader.optional("core", Kind::kTable)) {
    Fields lists{cores, "[rat.core]", context.errors()};
    for (const Value core : cores) {
      if (context.board().find_core(core.name()) == nullptr) {
        context.unknown_core(core.name(), core.key_place());
      }
      RatList list{core.name(), {}, core.key_place()};
      for (const Text& name : lists.texts(core.name())) {
        if (std::ranges::find(names, name.text) == names.end()) {
          lists.wrong(Code::kBoardReference,
                      fmt::format("there is no RAT entry '{}'", core::printable(name.text)),
                      name.place,
                      core::did_you_mean(name.text, names));
        } else if (std::ranges::find(list.names, name.text) != list.names.end()) {
          lists.wrong(Code::kBoardValue,
                      fmt::format("RAT entry '{}' stands twice in the list of '{}'",
                                  core::printable(name.text),
                                  list.core),
                      name.place,
                      "remove one of them");
        } else {
          list.names.push_back(name.text);
        }
      }
      rat.cores.push_back(std::move(list));
    }
  }
  reader.finish();
}

}  // namespace memsize::board
