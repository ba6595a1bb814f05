#include "memsize/board/load.hpp"

#include "memsize/core/text.hpp"

#include "table_reader.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using core::TomlField;
using core::TomlValue;
using Kind = core::TomlValue::Kind;

// Names of cores and files become folders and file names; nothing that could leave them is let in.
bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return core::is_identifier(std::string_view{&c, 1}) || (c >= '0' && c <= '9') ||
                  c == '.' || c == '-';
         });
}

bool is_node_name(std::string_view name) {
  return is_file_name(name) && name.find('.') == std::string_view::npos;
}

class BoardReader {
 public:
  BoardReader(std::string name, const TomlValue& file) : file_(file) {
    board_.name = std::move(name);
  }

  core::Result<Board> read() {
    TableReader top{file_, "the board", errors_};
    read_head(top);
    const core::Align granule = top.align("granule");
    const core::Align hard = top.align("hard_granule");
    for (const TomlField& field : top.fields("core")) {
      read_core(field);
    }
    for (const TomlField& field : top.fields("bank")) {
      read_bank(field);
    }
    for (const TomlField& field : top.fields("constant")) {
      read_expression(field, "constant", board_.constants);
    }
    for (const TomlField& field : top.fields("knob")) {
      read_knob(field, granule, hard);
    }
    for (const TomlField& field : top.fields("chain")) {
      read_chain(field);
    }
    for (const TomlField& field : top.fields("alias")) {
      read_alias(field);
    }
    for (const TomlField& field : top.fields("group")) {
      read_group(field);
    }
    for (const TomlField& field : top.fields("carveout")) {
      read_carveout(field);
    }
    for (const TomlField& field : top.fields("header_base")) {
      read_expression(field, "header base", board_.header_bases);
    }
    if (const TomlValue* mmu = top.optional("mmu", Kind::kTable); mmu != nullptr) {
      read_mmu(*mmu);
    }
    for (const TomlValue& step : top.items("rebuild")) {
      read_step(step);
    }
    top.finish();
    if (!errors_.empty()) {
      core::sort_by_place(errors_);
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(board_);
  }

 private:
  void read_head(TableReader& top) {
    const auto schema = top.integer("schema");
    if (schema != 1U) {
      top.wrong(Code::kBoardValue,
                "this memsize reads boards of schema 1",
                file_.find("schema") == nullptr ? file_.place : file_.find("schema")->get().place,
                "begin the file with: schema = 1");
    }
    board_.title = top.required_string("title");
    board_.soc = top.required_string("soc");
    board_.sdk = top.string("sdk");
    board_.format = top.string("format");
    if (!board_.format.empty()) {
      check_identifier(board_.format, file_.find("format")->get().place);
    }
    board_.generation = top.string("generation");
    board_.sources = top.strings("sources");
    if (const TomlValue* files = top.required("files", Kind::kTable); files != nullptr) {
      TableReader reader{*files, "[files]", errors_};
      board_.linker_file = file_name(reader, "linker");
      board_.header_file = file_name(reader, "header");
      board_.dts_file = file_name(reader, "dts");
      reader.finish();
    }
  }

  std::string file_name(TableReader& reader, std::string_view key) {
    std::string name = reader.required_string(key);
    if (!name.empty() && !is_file_name(name)) {
      reader.wrong(Code::kBoardName,
                   fmt::format("'{}' is not a file name", core::printable(name)),
                   reader.place(),
                   "letters, digits, '_', '-' and '.' only");
    }
    return name;
  }

  void check_identifier(const std::string& name, const core::Place& place) {
    constexpr std::size_t kLongest = 100;
    if (!core::is_identifier(name) || name.size() > kLongest) {
      errors_.push_back(core::error(Code::kBoardName,
                                    fmt::format("'{}' cannot be a name", core::printable(name, 60)),
                                    place,
                                    "names become C macros: a letter or '_' first, then letters, "
                                    "digits and '_', at most 100"));
    }
  }

  // Printed strings become comments of generated files: one line, no control characters.
  std::string one_line(TableReader& reader, std::string_view key) {
    std::string text = reader.string(key);
    return core::printable(text, 400);
  }

  void read_core(const TomlField& field) {
    Core core;
    core.name = field.key;
    core.place = field.key_place;
    check_identifier(core.name, field.key_place);
    if (!expect_table(field, "core")) {
      return;
    }
    TableReader reader{field.get(), fmt::format("core '{}'", field.key), errors_};
    core.title = one_line(reader, "title");
    for (const TomlField& memory : reader.fields("onchip")) {
      core.onchip.push_back({memory.key, memory.get().string});
    }
    reader.finish();
    board_.cores.push_back(std::move(core));
  }

  bool expect_table(const TomlField& field, std::string_view what) {
    if (field.get().kind == Kind::kTable) {
      return true;
    }
    errors_.push_back(core::error(
        Code::kTomlType,
        fmt::format(
            "{} '{}' must be a table, not {}", what, field.key, core::kind_name(field.get().kind)),
        field.get().place));
    return false;
  }

  void read_bank(const TomlField& field) {
    if (!expect_table(field, "bank")) {
      return;
    }
    TableReader reader{field.get(), fmt::format("bank '{}'", field.key), errors_};
    const std::uint64_t base = reader.address("base");
    const core::Bytes size = reader.bytes("size");
    const auto range = core::PhysRange::make(core::PhysAddr{base}, size);
    if (!range || range->empty()) {
      reader.wrong(Code::kBoardValue,
                   fmt::format("bank '{}' is empty or ends above 2^64", field.key),
                   field.get().place);
    } else {
      board_.banks.push_back({field.key, *range, field.key_place});
    }
    reader.finish();
  }

  void read_expression(const TomlField& field,
                       std::string_view what,
                       std::vector<std::pair<std::string, Expression>>& list) {
    check_identifier(field.key, field.key_place);
    if (field.get().kind != Kind::kString) {
      errors_.push_back(core::error(Code::kTomlType,
                                    fmt::format("{} '{}' must be a string such as \"1MiB\", not {}",
                                                what,
                                                field.key,
                                                core::kind_name(field.get().kind)),
                                    field.get().place));
      return;
    }
    list.emplace_back(field.key, Expression{field.get().string, field.get().place});
  }

  void read_knob(const TomlField& field, core::Align granule, core::Align hard) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "knob")) {
      return;
    }
    TableReader reader{field.get(), fmt::format("knob '{}'", field.key), errors_};
    Knob knob;
    knob.name = field.key;
    knob.default_value = reader.required_expression("default");
    knob.granule = reader.align("granule", granule);
    knob.hard_granule = reader.align("hard_granule", hard);
    knob.minimum = reader.bytes("minimum");
    knob.minimum_why = one_line(reader, "why");
    const std::string kind = reader.string("kind", "size");
    knob.is_address = kind == "address";
    if (kind != "size" && kind != "address") {
      reader.wrong(Code::kBoardValue,
                   fmt::format("kind '{}' of knob '{}' is unknown", kind, field.key),
                   field.get().find("kind")->get().place,
                   "the kinds are: size, address");
    }
    if (const TomlValue* demand = reader.optional("demand", Kind::kString); demand != nullptr) {
      knob.demand = read_demand(*demand);
    }
    reader.finish();
    board_.knobs.push_back(std::move(knob));
  }

  std::optional<DemandKey> read_demand(const TomlValue& value) {
    std::istringstream words{value.string};
    DemandKey key;
    std::string cacheability;
    std::string lifetime;
    std::string rest;
    words >> key.core >> key.space >> cacheability >> lifetime;
    const auto known_cacheability = model::cacheability_named(cacheability);
    const auto known_lifetime = model::lifetime_named(lifetime);
    if (!known_cacheability || !known_lifetime || (words >> rest)) {
      errors_.push_back(
          core::error(Code::kBoardValue,
                      fmt::format("'{}' is not a demand", core::printable(value.string)),
                      value.place,
                      "a demand is four words: core, space, cacheability, lifetime, such as \"dsp1 "
                      "ddr cacheable "
                      "scratch\""));
      return std::nullopt;
    }
    key.cacheability = *known_cacheability;
    key.lifetime = *known_lifetime;
    if (board_.find_core(key.core) == nullptr) {
      unknown_core(key.core, value.place);
      return std::nullopt;
    }
    return key;
  }

  void unknown_core(const std::string& core, const core::Place& place) {
    std::vector<std::string> names;
    for (const Core& known : board_.cores) {
      names.push_back(known.name);
    }
    std::string hint = core::did_you_mean(core, names);
    errors_.push_back(core::error(
        Code::kBoardReference,
        fmt::format("'{}' is not a core of this board", core::printable(core)),
        place,
        hint.empty() ? fmt::format("the cores are: {}", core::join(names, ", ")) : hint));
  }

  // "all", or a list of core names.
  std::vector<std::string> read_cores(TableReader& reader, const TomlValue& table) {
    std::vector<std::string> cores;
    const TomlField* field = table.find("cores");
    if (field != nullptr && field->get().kind == Kind::kString && field->get().string == "all") {
      (void)reader.string("cores");
      for (const Core& core : board_.cores) {
        cores.push_back(core.name);
      }
      return cores;
    }
    if (reader.required("cores", Kind::kArray) == nullptr) {
      return cores;
    }
    cores = reader.strings("cores");
    for (const std::string& core : cores) {
      if (board_.find_core(core) == nullptr) {
        unknown_core(core, field->get().place);
      }
    }
    return cores;
  }

  void read_chain(const TomlField& field) {
    if (!expect_table(field, "chain")) {
      return;
    }
    TableReader reader{field.get(), fmt::format("chain '{}'", field.key), errors_};
    Chain chain;
    chain.name = field.key;
    chain.place = field.key_place;
    const std::string space = reader.string("space", "ddr");
    chain.space = space == "core" ? Space::kCore : space == "sram" ? Space::kSram : Space::kDdr;
    if (space != "core" && space != "sram" && space != "ddr") {
      reader.wrong(Code::kBoardValue,
                   fmt::format("space '{}' of chain '{}' is unknown", space, field.key),
                   field.get().find("space")->get().place,
                   "the spaces are: ddr, sram, core");
    }
    chain.after = reader.string("after");
    chain.virtual_base = reader.expression("virtual");
    if (chain.space == Space::kCore) {
      chain.virtual_base = reader.required_expression("virtual");
    } else if (chain.after.empty()) {
      chain.physical = reader.required_expression("physical");
    }
    chain.limit = reader.expression("limit");
    chain.limit_why = one_line(reader, "limit_why");
    for (const TomlValue& item : reader.items("regions")) {
      read_item(item, chain);
    }
    reader.finish();
    board_.chains.push_back(std::move(chain));
  }

  void read_item(const TomlValue& value, Chain& chain) {
    TableReader reader{value, fmt::format("a region of chain '{}'", chain.name), errors_};
    Item item;
    item.place = value.place;
    if (value.find("gap") != nullptr) {
      item.is_gap = true;
      item.size = reader.expression("gap");
      (void)reader.required("why", Kind::kString);
      item.note = one_line(reader, "why");
    } else {
      item.name = reader.required_string("name");
      check_identifier(item.name, value.place);
      item.size = reader.required_expression("size");
      item.cores = read_cores(reader, value);
      item.attributes = attributes(reader, "RWIX");
      item.cache = read_cache(reader, value);
      item.align = reader.align("align");
      item.in_header = reader.boolean("header", true);
      item.in_html = reader.boolean("html", true);
      item.has_physical_name = reader.boolean("phys", false);
      item.physical_name_in_html = reader.boolean("phys_html", true);
      item.note = one_line(reader, "note");
      if (const core::TomlField* name = value.find("name"); name != nullptr) {
        item.place = name->get().place;
      }
    }
    reader.finish();
    chain.items.push_back(std::move(item));
  }

  static std::string attributes(TableReader& reader, const std::string& fallback) {
    std::string text = reader.string("attributes", fallback);
    if (text.find_first_not_of("RWIX") != std::string::npos) {
      reader.wrong(Code::kBoardValue,
                   fmt::format("'{}' are not linker attributes", core::printable(text)),
                   reader.place(),
                   "attributes are any of the letters R, W, I and X");
    }
    return text;
  }

  Cache read_cache(TableReader& reader, const TomlValue& table) {
    const std::string name = reader.string("cache", "any");
    for (const Cache cache :
         {Cache::kAny, Cache::kNonCached, Cache::kWriteThrough, Cache::kCached}) {
      if (name == name_of(cache)) {
        return cache;
      }
    }
    reader.wrong(Code::kBoardValue,
                 fmt::format("cache '{}' is unknown", core::printable(name)),
                 table.find("cache")->get().place,
                 "the kinds are: any, cached, non-cached, write-through");
    return Cache::kAny;
  }

  void read_alias(const TomlField& field) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "alias")) {
      return;
    }
    TableReader reader{field.get(), fmt::format("alias '{}'", field.key), errors_};
    Alias alias;
    alias.name = field.key;
    alias.place = field.key_place;
    alias.of = reader.required_string("of");
    alias.cores = read_cores(reader, field.get());
    reader.finish();
    board_.aliases.push_back(std::move(alias));
  }

  void read_group(const TomlField& field) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "group")) {
      return;
    }
    TableReader reader{field.get(), fmt::format("group '{}'", field.key), errors_};
    Carveout group;
    group.name = field.key;
    group.place = field.key_place;
    group.attributes = attributes(reader, "");
    (void)reader.required("covers", Kind::kArray);
    group.covers = reader.strings("covers");
    reader.finish();
    board_.groups.push_back(std::move(group));
  }

  void read_carveout(const TomlField& field) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "carve-out")) {
      return;
    }
    TableReader reader{field.get(), fmt::format("carve-out '{}'", field.key), errors_};
    Carveout carveout;
    carveout.label = field.key;
    carveout.place = field.key_place;
    carveout.node = reader.required_string("node");
    if (!carveout.node.empty() && !is_node_name(carveout.node)) {
      reader.wrong(
          Code::kBoardName,
          fmt::format("'{}' is not a device-tree node name", core::printable(carveout.node)),
          field.get().place,
          "letters, digits, '_' and '-' only");
    }
    (void)reader.required("covers", Kind::kArray);
    carveout.covers = reader.strings("covers");
    carveout.name =
        reader.string("name", carveout.covers.empty() ? std::string{} : carveout.covers.front());
    check_identifier(carveout.name, field.key_place);
    carveout.compatible = reader.string("compatible", "shared-dma-pool");
    if (!is_file_name(carveout.compatible)) {
      reader.wrong(
          Code::kBoardName,
          fmt::format("'{}' is not a compatible string", core::printable(carveout.compatible)),
          field.get().place);
    }
    carveout.no_map = reader.boolean("no_map", true);
    carveout.unit_address = reader.boolean("unit_address", true);
    carveout.in_header = reader.boolean("header", false);
    reader.finish();
    board_.carveouts.push_back(std::move(carveout));
  }

  void read_mmu(const TomlValue& table) {
    TableReader reader{table, "[mmu]", errors_};
    board_.mmu.granule = reader.align("granule");
    board_.mmu.mair_non_cached = reader.numbers("mair_non_cached");
    board_.mmu.mair_cached = reader.numbers("mair_cached");
    board_.mmu.mair_write_through = reader.numbers("mair_write_through");
    for (const TomlField& property : reader.fields("property")) {
      check_identifier(property.key, property.key_place);
      board_.mmu.properties.emplace_back(property.key, property_value(property));
    }
    for (const TomlField& entry : reader.fields("entry")) {
      read_entry(entry);
    }
    const TomlValue* cores = reader.optional("core", Kind::kTable);
    if (cores != nullptr) {
      TableReader lists{*cores, "[mmu.core]", errors_};
      for (const TomlField& core : cores->fields) {
        if (board_.find_core(core.key) == nullptr) {
          unknown_core(core.key, core.key_place);
        }
        board_.mmu.cores.emplace_back(core.key, lists.strings(core.key));
        check_entry_keys(core);
      }
    }
    reader.finish();
  }

  std::string property_value(const TomlField& property) {
    const TomlValue& value = property.get();
    if (value.kind == Kind::kBoolean) {
      return value.boolean ? "true" : "false";
    }
    const bool quotable =
        value.kind == Kind::kString && value.string.find_first_of("\"\\\n\r") == std::string::npos;
    if (!quotable) {
      errors_.push_back(core::error(
          Code::kTomlType,
          fmt::format("property '{}' must be a plain string, true or false", property.key),
          value.place));
    }
    return fmt::format("\"{}\"", value.string);
  }

  void check_entry_keys(const TomlField& core) {
    std::vector<std::string> keys;
    for (const MmuEntry& entry : board_.mmu.entries) {
      keys.push_back(entry.key);
    }
    for (const TomlValue& item : core.get().items) {
      if (std::find(keys.begin(), keys.end(), item.string) == keys.end()) {
        errors_.push_back(
            core::error(Code::kBoardReference,
                        fmt::format("there is no MMU entry '{}'", core::printable(item.string)),
                        item.place,
                        core::did_you_mean(item.string, keys)));
      }
    }
  }

  void read_entry(const TomlField& field) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "MMU entry")) {
      return;
    }
    constexpr std::uint64_t kMairs = 8;
    TableReader reader{field.get(), fmt::format("MMU entry '{}'", field.key), errors_};
    MmuEntry entry;
    entry.key = field.key;
    entry.place = field.key_place;
    entry.name = reader.string("name", field.key);
    check_identifier(entry.name, field.key_place);
    const auto mair = reader.integer("mair");
    if (!mair || *mair >= kMairs) {
      reader.wrong(Code::kBoardValue,
                   fmt::format("MMU entry '{}' needs a mair from 0 to 7", field.key),
                   field.get().place);
    }
    entry.mair = static_cast<unsigned>(mair.value_or(0));
    entry.covers = reader.strings("covers");
    if (entry.covers.empty()) {
      entry.base = reader.required_expression("base");
      entry.size = reader.required_expression("size");
    }
    reader.finish();
    board_.mmu.entries.push_back(std::move(entry));
  }

  void read_step(const TomlValue& value) {
    TableReader reader{value, "a rebuild step", errors_};
    RebuildStep step;
    step.when = reader.required_string("when");
    step.what = one_line(reader, "what");
    step.why = one_line(reader, "why");
    step.run = one_line(reader, "run");
    if (step.when != "always" && step.when != "linux" && board_.find_core(step.when) == nullptr) {
      unknown_core(step.when, value.place);
    }
    reader.finish();
    board_.rebuild.push_back(std::move(step));
  }

  const TomlValue& file_;
  Board board_;
  core::Diagnostics errors_;
};

constexpr std::string_view kExtension = ".toml";

}  // namespace

core::Result<std::vector<std::string>> bundled_boards(core::FileSystem& files,
                                                      const std::string& folder) {
  auto names = files.list(folder);
  if (!names) {
    return names;
  }
  std::vector<std::string> boards;
  for (const std::string& name : *names) {
    if (name.ends_with(kExtension)) {
      boards.push_back(name.substr(0, name.size() - kExtension.size()));
    }
  }
  std::sort(boards.begin(), boards.end());
  return boards;
}

core::Result<Board> load_board(core::FileSystem& files,
                               const std::string& folder,
                               const std::string& name) {
  std::string path = name;
  std::string short_name = name;
  if (name.find('/') != std::string::npos || name.ends_with(kExtension)) {
    short_name = short_name.substr(short_name.rfind('/') + 1);
    if (short_name.ends_with(kExtension)) {
      short_name.resize(short_name.size() - kExtension.size());
    }
  } else {
    const auto known = bundled_boards(files, folder);
    if (!known) {
      return tl::make_unexpected(known.error());
    }
    if (std::find(known->begin(), known->end(), name) == known->end()) {
      std::string hint = core::did_you_mean(name, *known);
      return core::fail(core::error(
          Code::kBoardUnknown,
          fmt::format("there is no board '{}'", core::printable(name)),
          {},
          hint.empty() ? fmt::format("the boards are: {}; a path to a .toml file works too",
                                     core::join(*known, ", "))
                       : hint));
    }
    path = fmt::format("{}/{}{}", folder, name, kExtension);
  }
  if (!is_file_name(short_name)) {
    return core::fail(core::error(
        Code::kBoardUnknown, fmt::format("'{}' is not a board's name", core::printable(name))));
  }
  const auto file = load_inherited(files, path, folder);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  return BoardReader{short_name, *file}.read();
}

}  // namespace memsize::board
