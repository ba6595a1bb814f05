// Chains, their regions and gaps, and the names under which other cores see the regions.
#include "memsize/core/text.hpp"

#include "reader_context.hpp"

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;

chip::Cache read_cache(Fields& reader) {
  const Text name = reader.text("cache", "any");
  if (const auto cache = core::named<chip::Cache>(name.text)) {
    return *cache;
  }
  reader.wrong(Code::kBoardValue,
               fmt::format("cache '{}' is unknown", core::printable(name.text)),
               name.place,
               "the kinds are: any, cached, non-cached, write-through");
  return chip::Cache::kAny;
}

void read_region(ReaderContext& context, Fields& reader, Value value, Item& item) {
  const Text name = reader.required_text("name");
  context.check_identifier(name);
  item.name = name.text;
  item.place = name.place;
  item.size = required_expression(reader, "size");
  item.cores = context.read_cores(reader, value);
  item.attributes = ReaderContext::read_attributes(reader, "RWIX");
  item.cache = read_cache(reader);
  item.align = align(reader, "align");
  item.section_align = align(reader, "section_align");
  item.in_header = reader.boolean("header", true);
  item.in_html = reader.boolean("html", true);
  item.has_physical_name = reader.boolean("phys", false);
  item.physical_name_in_html = reader.boolean("phys_html", true);
  item.note = reader.one_line("note");
}

void read_item(ReaderContext& context, Value value, Chain& chain) {
  Fields reader{
      value, fmt::format("a region of chain '{}'", core::printable(chain.name)), context.errors()};
  Item item;
  item.place = value.place();
  if (value["gap"]) {
    item.is_gap = true;
    item.size = expression(reader, "gap");
    (void)reader.required("why", Kind::kText);
    item.note = reader.one_line("why");
  } else {
    read_region(context, reader, value, item);
  }
  reader.finish();
  chain.items.push_back(std::move(item));
}

Space read_space(Fields& reader, Value field) {
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

void read_owner(Fields& reader, Alias& alias) {
  const Text of = reader.required_text("of");
  alias.of = of.text;
  alias.of_place = of.place;
}

}  // namespace

void read_chain(ReaderContext& context, Value field) {
  context.check_identifier(field.name(), field.key_place());
  Fields reader{field, named("chain", field), context.errors()};
  if (!reader.is_table()) {
    return;
  }
  Chain chain{.name = field.name(), .place = field.key_place()};
  chain.space = read_space(reader, field);
  const Text after = reader.text("after");
  chain.after = after.text;
  chain.after_place = after.place;
  chain.virtual_base = expression(reader, "virtual");
  if (chain.space == Space::kCore) {
    chain.virtual_base = required_expression(reader, "virtual");
  } else if (chain.after.empty()) {
    chain.physical = required_expression(reader, "physical");
  }
  chain.limit = expression(reader, "limit");
  chain.limit_why = reader.one_line("limit_why");
  for (const Value item : reader.items("regions")) {
    read_item(context, item, chain);
  }
  reader.finish();
  context.board().chains.push_back(std::move(chain));
}

void read_alias(ReaderContext& context, Value field) {
  context.check_identifier(field.name(), field.key_place());
  Fields reader{field, named("alias", field), context.errors()};
  if (!reader.is_table()) {
    return;
  }
  Alias alias{.name = field.name(), .place = field.key_place()};
  read_owner(reader, alias);
  alias.cores = context.read_cores(reader, field);
  reader.finish();
  context.board().aliases.push_back(std::move(alias));
}

void read_view(ReaderContext& context, Value field) {
  context.check_identifier(field.name(), field.key_place());
  Fields reader{field, named("view", field), context.errors()};
  if (!reader.is_table()) {
    return;
  }
  View view{.name = field.name(), .place = field.key_place()};
  const Text after = reader.text("after");
  view.after = after.text;
  view.after_place = after.place;
  view.virtual_base = expression(reader, "virtual");
  if (after.written == !view.virtual_base.text.empty()) {
    reader.wrong(Code::kTomlMissingKey,
                 fmt::format("{} needs either 'after' or 'virtual'", named("view", field)),
                 field.key_place(),
                 "'after' names the chain or view that it continues");
  }
  const std::vector<std::string> cores = context.read_cores(reader, field);
  for (const Value item : reader.items("regions")) {
    Fields entry{
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
