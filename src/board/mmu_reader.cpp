// The MMU of a board's cores: what the driver can do, the entries, and each core's order of them.
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

std::string property_value(ReaderContext& context, Value value) {
  if (value.is(Kind::kBoolean)) {
    return value.boolean() ? "true" : "false";
  }
  const bool quotable = value.is(Kind::kText) &&
                        value.string().find_first_of("\"\\") == std::string::npos &&
                        value.string().find("/*") == std::string::npos &&
                        value.string().find("*/") == std::string::npos &&
                        core::ascii_text(core::visible_text(value.string())) == value.string();
  if (!quotable) {
    context.errors().push_back(core::error(
        Code::kTomlType,
        fmt::format("{} must be a plain string, true or false", named("property", value)),
        value.place()));
  }
  return fmt::format("\"{}\"", value.string());
}

unsigned read_mair(Fields& reader, Value field) {
  constexpr std::uint64_t kLast = 7;
  const Value mair = reader.required("mair", Kind::kWhole);
  if (!mair) {
    return 0;
  }
  if (mair.is(Kind::kNegative) || mair.whole() > kLast) {
    reader.wrong(
        Code::kBoardValue,
        fmt::format(
            "'mair' of {} must be from 0 to 7, not {}", named("MMU entry", field), mair.shown()),
        mair.place());
    return 0;
  }
  return static_cast<unsigned>(mair.whole());
}

void read_entry(ReaderContext& context, Value field) {
  context.check_identifier(field.name(), field.key_place());
  Fields reader{field, named("MMU entry", field), context.errors()};
  if (!reader.is_table()) {
    return;
  }
  MmuEntry entry{.key = field.name(), .place = field.key_place()};
  const Text name = reader.text("name", field.name());
  context.check_identifier(name);
  entry.name = name.text;
  entry.mair = read_mair(reader, field);
  entry.window_why = reader.one_line("window");
  ReaderContext::read_covers(reader, entry.covers, entry.cover_places);
  entry.base = expression(reader, "base");
  entry.size = expression(reader, "size");
  const bool fixed = !entry.base.text.empty() && !entry.size.text.empty();
  const bool none = entry.base.text.empty() && entry.size.text.empty();
  if (entry.covers.empty() ? !fixed : !none) {
    reader.wrong(
        Code::kTomlMissingKey,
        fmt::format("{} needs either 'covers', or 'base' and 'size'", named("MMU entry", field)),
        field.key_place());
  }
  reader.finish();
  context.board().mmu.entries.push_back(std::move(entry));
}

void check_entry_keys(ReaderContext& context, Value core) {
  const std::vector<std::string> keys = core::texts_of(context.board().mmu.entries, &MmuEntry::key);
  std::set<std::string> listed;
  for (const Value item : core) {
    if (!listed.insert(item.string()).second) {
      context.errors().push_back(
          core::error(Code::kBoardValue,
                      fmt::format("MMU entry '{}' stands twice in the list of '{}'",
                                  core::printable(item.string()),
                                  core::printable(core.name())),
                      item.place(),
                      "the later one wins: remove the first"));
    }
    if (std::ranges::find(keys, item.string()) == keys.end()) {
      context.errors().push_back(
          core::error(Code::kBoardReference,
                      fmt::format("there is no MMU entry '{}'", core::printable(item.string())),
                      item.place(),
                      core::did_you_mean(item.string(), keys)));
    }
  }
}

void read_lists(ReaderContext& context, Value cores) {
  Fields lists{cores, "[mmu.core]", context.errors()};
  for (const Value core : cores) {
    if (context.board().find_core(core.name()) == nullptr) {
      context.unknown_core(core.name(), core.key_place());
    }
    context.board().mmu.cores.push_back(
        {core.name(), lists.strings(core.name()), core.key_place()});
    check_entry_keys(context, core);
  }
}

// A number of things that there must be; 0 where it is not written.
std::uint64_t read_count(Fields& reader, std::string_view key) {
  const auto count = reader.integer(key);
  if (count == 0U) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("'{}' of [mmu] must be at least 1", key),
                 reader.place(),
                 "leave it out where there is no limit");
  }
  return count.value_or(0);
}

void read_driver(Fields& reader, Mmu& mmu) {
  constexpr std::uint64_t kPage = 4096;
  mmu.granule = align(reader, "granule");
  const Text program = reader.text("program", "sysconfig");
  mmu.in_sysconfig = program.text == "sysconfig";
  if (!mmu.in_sysconfig && program.text != "source") {
    reader.wrong(Code::kBoardValue,
                 fmt::format("program '{}' of [mmu] is unknown", core::printable(program.text)),
                 program.place,
                 "the MMU is programmed by: sysconfig, source");
  }
  mmu.tables = read_count(reader, "tables");
  mmu.blocks_replace_tables = reader.boolean("blocks_replace_tables", false);
  mmu.max_entries = read_count(reader, "max_entries");
  mmu.max_entry = bytes(reader, "max_entry");
  mmu.mair.non_cached = reader.numbers("mair_non_cached");
  mmu.mair.cached = reader.numbers("mair_cached");
  mmu.mair.write_through = reader.numbers("mair_write_through");
  if (mmu.tables != 0 && mmu.granule.value() != kPage) {
    reader.wrong(Code::kBoardValue,
                 "translation tables can be counted for pages of 4 KiB only",
                 reader.place(),
                 "write granule = \"4KiB\", or leave 'tables' out");
  }
}

// The name must be that of a region on the bus, which the core has in its own linker map.
void check_tables_region(ReaderContext& context, const std::string& core, Value value) {
  std::vector<std::string> names;
  for (const Chain& chain : context.board().chains) {
    for (const Item& region : chain.items) {
      if (chain.space != Space::kCore &&
          std::ranges::find(region.cores, core) != region.cores.end()) {
        names.push_back(region.name);
      }
    }
  }
  if (std::ranges::find(names, value.string()) == names.end()) {
    context.errors().push_back(core::error(Code::kBoardReference,
                                           fmt::format("'{}' has no region '{}' for its tables",
                                                       core::printable(core),
                                                       core::printable(value.string())),
                                           value.place(),
                                           core::did_you_mean(value.string(), names)));
  }
}

void read_tables_in(ReaderContext& context, Value table) {
  Fields reader{table, "[mmu.tables_in]", context.errors()};
  for (const Value field : table) {
    const Value region = reader.required(field.name(), Kind::kText);
    if (!region) {
      continue;
    }
    if (context.board().find_core(field.name()) == nullptr) {
      context.unknown_core(field.name(), field.key_place());
      continue;
    }
    check_tables_region(context, field.name(), region);
    context.board().mmu.tables_in.push_back({field.name(), region.string(), region.place()});
  }
}

}  // namespace

void read_mmu(ReaderContext& context, Value table) {
  Fields reader{table, "[mmu]", context.errors()};
  Mmu& mmu = context.board().mmu;
  read_driver(reader, mmu);
  for (const Value property : reader.fields("property")) {
    context.check_identifier(property.name(), property.key_place());
    mmu.properties.emplace_back(property.name(), property_value(context, property));
  }
  for (const Value entry : reader.fields("entry")) {
    read_entry(context, entry);
  }
  if (const Value cores = reader.optional("core", Kind::kTable)) {
    read_lists(context, cores);
  }
  if (const Value tables = reader.optional("tables_in", Kind::kTable)) {
    read_tables_in(context, tables);
  }
  reader.finish();
}

}  // namespace memsize::board
