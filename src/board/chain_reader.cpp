// Chains, their regions and gaps, and the names under which other cores see the regions.
#include "memsize/core/text.hpp"

#include "reader_context.hpp"

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using core::TomlField;
using core::TomlValue;
using Kind = core::TomlValue::Kind;

Cache read_cache(TableReader& reader) {
  const Text name = reader.text("cache", "any");
  for (const Cache cache : {Cache::kAny, Cache::kNonCached, Cache::kWriteThrough, Cache::kCached}) {
    if (name.text == name_of(cache)) {
      return cache;
    }
  }
  reader.wrong(Code::kBoardValue,
               fmt::format("cache '{}' is unknown", core::printable(name.text)),
               name.place,
               "the kinds are: any, cached, non-cached, write-through");
  return Cache::kAny;
}

void read_region(ReaderContext& context, TableReader& reader, const TomlValue& value, Item& item) {
  const Text name = reader.required_text("name");
  context.check_identifier(name);
  item.name = name.text;
  item.place = name.place;
  item.size = reader.required_expression("size");
  item.cores = context.read_cores(reader, value);
  item.attributes = ReaderContext::read_attributes(reader, "RWIX");
  item.cache = read_cache(reader);
  item.align = reader.align("align");
  item.section_align = reader.align("section_align");
  item.in_header = reader.boolean("header", true);
  item.in_html = reader.boolean("html", true);
  item.has_physical_name = reader.boolean("phys", false);
  item.physical_name_in_html = reader.boolean("phys_html", true);
  item.note = reader.one_line("note");
}

void read_item(ReaderContext& context, const TomlValue& value, Chain& chain) {
  TableReader reader{
      value, fmt::format("a region of chain '{}'", core::printable(chain.name)), context.errors()};
  Item item;
  item.place = value.place;
  if (value.find("gap") != nullptr) {
    item.is_gap = true;
    item.size = reader.expression("gap");
    (void)reader.required("why", Kind::kString);
    item.note = reader.one_line("why");
  } else {
    read_region(context, reader, value, item);
  }
  reader.finish();
  chain.items.push_back(std::move(item));
}

Space read_space(TableReader& reader, const TomlField& field) {
  const Text space = reader.text("space", "ddr");
  if (space.text == "core") {
    return Space::kCore;
  }
  if (space.text == "sram") {
    return Space::kSram;
  }
  if (space.text != "ddr") {
    reader.wrong(
        Code::kBoardValue,
        fmt::format(
            "space '{}' of {} is unknown", core::printable(space.text), named("chain", field)),
        space.place,
        "the spaces are: ddr, sram, core");
  }
  return Space::kDdr;
}

void read_owner(TableReader& reader, Alias& alias) {
  const Text of = reader.required_text("of");
  alias.of = of.text;
  alias.of_place = of.place;
}

}  // namespace

void read_chain(ReaderContext& context, const TomlField& field) {
  context.check_identifier(field.key, field.key_place);
  if (!context.expect_table(field, "chain")) {
    return;
  }
  TableReader reader{field.get(), named("chain", field), context.errors()};
  Chain chain;
  chain.name = field.key;
  chain.place = field.key_place;
  chain.space = read_space(reader, field);
  const Text after = reader.text("after");
  chain.after = after.text;
  chain.after_place = after.place;
  chain.virtual_base = reader.expression("virtual");
  if (chain.space == Space::kCore) {
    chain.virtual_base = reader.required_expression("virtual");
  } else if (chain.after.empty()) {
    chain.physical = reader.required_expression("physical");
  }
  chain.limit = reader.expression("limit");
  chain.limit_why = reader.one_line("limit_why");
  for (const TomlValue& item : reader.items("regions")) {
    read_item(context, item, chain);
  }
  reader.finish();
  context.board().chains.push_back(std::move(chain));
}

void read_alias(ReaderContext& context, const TomlField& field) {
  context.check_identifier(field.key, field.key_place);
  if (!context.expect_table(field, "alias")) {
    return;
  }
  TableReader reader{field.get(), named("alias", field), context.errors()};
  Alias alias;
  alias.name = field.key;
  alias.place = field.key_place;
  read_owner(reader, alias);
  alias.cores = context.read_cores(reader, field.get());
  reader.finish();
  context.board().aliases.push_back(std::move(alias));
}

void read_view(ReaderContext& context, const TomlField& field) {
  context.check_identifier(field.key, field.key_place);
  if (!context.expect_table(field, "view")) {
    return;
  }
  TableReader reader{field.get(), named("view", field), context.errors()};
  View view;
  view.name = field.key;
  view.place = field.key_place;
  const Text after = reader.text("after");
  view.after = after.text;
  view.after_place = after.place;
  view.virtual_base = reader.expression("virtual");
  if (after.written == !view.virtual_base.text.empty()) {
    reader.wrong(Code::kTomlMissingKey,
                 fmt::format("{} needs either 'after' or 'virtual'", named("view", field)),
                 field.key_place,
                 "'after' names the chain or view that it continues");
  }
  const std::vector<std::string> cores = context.read_cores(reader, field.get());
  for (const TomlValue& item : reader.items("regions")) {
    TableReader entry{
        item, fmt::format("an alias of view '{}'", core::printable(view.name)), context.errors()};
    Alias alias;
    const Text name = entry.required_text("name");
    context.check_identifier(name);
    alias.name = name.text;
    alias.place = name.place;
    read_owner(entry, alias);
    alias.cores = cores;
    entry.finish();
    view.aliases.push_back(std::move(alias));
  }
  reader.finish();
  context.board().views.push_back(std::move(view));
}

}  // namespace memsize::board
