// The MMU of a board's cores: what the driver can do, the entries, and each core's order of them.
#include "memsize/core/text.hpp"

#include "reader_context.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using core::TomlField;
using core::TomlValue;
using Kind = core::TomlValue::Kind;

std::string property_value(ReaderContext& context, const TomlField& property) {
  const TomlValue& value = property.get();
  if (value.kind == Kind::kBoolean) {
    return value.boolean ? "true" : "false";
  }
  const bool quotable = value.kind == Kind::kString &&
                        value.string.find_first_of("\"\\") == std::string::npos &&
                        value.string.find("/*") == std::string::npos &&
                        value.string.find("*/") == std::string::npos &&
                        core::printable(value.string, value.string.size() + 1) == value.string;
  if (!quotable) {
    context.errors().push_back(core::error(
        Code::kTomlType,
        fmt::format("{} must be a plain string, true or false", named("property", property)),
        value.place));
  }
  return fmt::format("\"{}\"", value.string);
}

unsigned read_mair(TableReader& reader, const TomlField& field) {
  constexpr std::int64_t kLast = 7;
  const TomlValue* mair = reader.required("mair", Kind::kInteger);
  if (mair == nullptr) {
    return 0;
  }
  if (mair->integer < 0 || mair->integer > kLast) {
    reader.wrong(
        Code::kBoardValue,
        fmt::format(
            "'mair' of {} must be from 0 to 7, not {}", named("MMU entry", field), mair->integer),
        mair->place);
    return 0;
  }
  return static_cast<unsigned>(mair->integer);
}

void read_entry(ReaderContext& context, const TomlField& field) {
  context.check_identifier(field.key, field.key_place);
  if (!context.expect_table(field, "MMU entry")) {
    return;
  }
  TableReader reader{field.get(), named("MMU entry", field), context.errors()};
  MmuEntry entry;
  entry.key = field.key;
  entry.place = field.key_place;
  const Text name = reader.text("name", field.key);
  context.check_identifier(name);
  entry.name = name.text;
  entry.mair = read_mair(reader, field);
  entry.window_why = reader.one_line("window");
  ReaderContext::read_covers(reader, entry.covers, entry.cover_places);
  entry.base = reader.expression("base");
  entry.size = reader.expression("size");
  const bool fixed = !entry.base.text.empty() && !entry.size.text.empty();
  const bool none = entry.base.text.empty() && entry.size.text.empty();
  if (entry.covers.empty() ? !fixed : !none) {
    reader.wrong(
        Code::kTomlMissingKey,
        fmt::format("{} needs either 'covers', or 'base' and 'size'", named("MMU entry", field)),
        field.key_place);
  }
  reader.finish();
  context.board().mmu.entries.push_back(std::move(entry));
}

void check_entry_keys(ReaderContext& context, const TomlField& core) {
  std::vector<std::string> keys;
  for (const MmuEntry& entry : context.board().mmu.entries) {
    keys.push_back(entry.key);
  }
  std::set<std::string> listed;
  for (const TomlValue& item : core.get().items) {
    if (!listed.insert(item.string).second) {
      context.errors().push_back(
          core::error(Code::kBoardValue,
                      fmt::format("MMU entry '{}' stands twice in the list of '{}'",
                                  core::printable(item.string),
                                  core::printable(core.key)),
                      item.place,
                      "the later one wins: remove the first"));
    }
    if (std::find(keys.begin(), keys.end(), item.string) == keys.end()) {
      context.errors().push_back(
          core::error(Code::kBoardReference,
                      fmt::format("there is no MMU entry '{}'", core::printable(item.string)),
                      item.place,
                      core::did_you_mean(item.string, keys)));
    }
  }
}

void read_lists(ReaderContext& context, const TomlValue& cores) {
  TableReader lists{cores, "[mmu.core]", context.errors()};
  for (const TomlField& core : cores.fields) {
    if (context.board().find_core(core.key) == nullptr) {
      context.unknown_core(core.key, core.key_place);
    }
    context.board().mmu.cores.push_back({core.key, lists.strings(core.key), core.key_place});
    check_entry_keys(context, core);
  }
}

// A number of things that there must be; 0 where it is not written.
std::uint64_t read_count(TableReader& reader, std::string_view key) {
  const auto count = reader.integer(key);
  if (count == 0U) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("'{}' of [mmu] must be at least 1", key),
                 reader.place(),
                 "leave it out where there is no limit");
  }
  return count.value_or(0);
}

void read_driver(TableReader& reader, Mmu& mmu) {
  constexpr std::uint64_t kPage = 4096;
  mmu.granule = reader.align("granule");
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
  mmu.max_entry = reader.bytes("max_entry");
  mmu.mair_non_cached = reader.numbers("mair_non_cached");
  mmu.mair_cached = reader.numbers("mair_cached");
  mmu.mair_write_through = reader.numbers("mair_write_through");
  if (mmu.tables != 0 && mmu.granule.value() != kPage) {
    reader.wrong(Code::kBoardValue,
                 "translation tables can be counted for pages of 4 KiB only",
                 reader.place(),
                 "write granule = \"4KiB\", or leave 'tables' out");
  }
}

// The name must be that of a region on the bus, which the core has in its own linker map.
void check_tables_region(ReaderContext& context, const std::string& core, const TomlValue& value) {
  std::vector<std::string> names;
  for (const Chain& chain : context.board().chains) {
    for (const Item& region : chain.items) {
      if (chain.space != Space::kCore &&
          std::find(region.cores.begin(), region.cores.end(), core) != region.cores.end()) {
        names.push_back(region.name);
      }
    }
  }
  if (std::find(names.begin(), names.end(), value.string) == names.end()) {
    context.errors().push_back(core::error(Code::kBoardReference,
                                           fmt::format("'{}' has no region '{}' for its tables",
                                                       core::printable(core),
                                                       core::printable(value.string)),
                                           value.place,
                                           core::did_you_mean(value.string, names)));
  }
}

void read_tables_in(ReaderContext& context, const TomlValue& table) {
  TableReader reader{table, "[mmu.tables_in]", context.errors()};
  for (const TomlField& field : table.fields) {
    const TomlValue* region = reader.required(field.key, Kind::kString);
    if (region == nullptr) {
      continue;
    }
    if (context.board().find_core(field.key) == nullptr) {
      context.unknown_core(field.key, field.key_place);
      continue;
    }
    check_tables_region(context, field.key, *region);
    context.board().mmu.tables_in.push_back({field.key, region->string, region->place});
  }
}

}  // namespace

void read_mmu(ReaderContext& context, const TomlValue& table) {
  TableReader reader{table, "[mmu]", context.errors()};
  Mmu& mmu = context.board().mmu;
  read_driver(reader, mmu);
  for (const TomlField& property : reader.fields("property")) {
    context.check_identifier(property.key, property.key_place);
    mmu.properties.emplace_back(property.key, property_value(context, property));
  }
  for (const TomlField& entry : reader.fields("entry")) {
    read_entry(context, entry);
  }
  if (const TomlValue* cores = reader.optional("core", Kind::kTable); cores != nullptr) {
    read_lists(context, *cores);
  }
  if (const TomlValue* tables = reader.optional("tables_in", Kind::kTable); tables != nullptr) {
    read_tables_in(context, *tables);
  }
  reader.finish();
}

}  // namespace memsize::board
