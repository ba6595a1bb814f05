#include "board_reader.hpp"

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

bool is_node_name(std::string_view name) {
  return is_file_name(name) && name.find('.') == std::string_view::npos;
}

// "vendor,device".
bool is_compatible(std::string text) {
  std::replace(text.begin(), text.end(), ',', '-');
  return is_file_name(text);
}

// "knob 'x'", for messages.
std::string named(std::string_view what, const TomlField& field) {
  return fmt::format("{} '{}'", what, core::printable(field.key));
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
      board_.header_base_places.push_back(field.key_place);
    }
    if (const TomlValue* mmu = top.optional("mmu", Kind::kTable); mmu != nullptr) {
      read_mmu(*mmu);
    }
    for (const TomlValue& step : top.items("rebuild")) {
      read_step(step);
    }
    top.finish();
    check_outputs();
    check_demands();
    check_onchip();
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
    board_.title = top.required_one_line("title");
    board_.soc = top.required_one_line("soc");
    board_.sdk = top.one_line("sdk");
    const Text format = top.text("format");
    board_.format = format.text;
    if (!format.text.empty()) {
      check_identifier(format.text, format.place);
    }
    board_.generation = top.one_line("generation");
    for (const std::string& source : top.strings("sources")) {
      board_.sources.push_back(core::printable(source, kLongestSource));
    }
    if (const TomlValue* files = top.required("files", Kind::kTable); files != nullptr) {
      TableReader reader{*files, "[files]", errors_};
      linker_ = file_name(reader, "linker");
      header_ = file_name(reader, "header");
      dts_ = file_name(reader, "dts");
      board_.linker_file = linker_.text;
      board_.header_file = header_.text;
      board_.dts_file = dts_.text;
      reader.finish();
    }
  }

  static Text file_name(TableReader& reader, std::string_view key) {
    Text name = reader.required_text(key);
    if (name.written && !is_file_name(name.text)) {
      reader.wrong(Code::kBoardName,
                   fmt::format("'{}' is not a file name", core::printable(name.text)),
                   name.place,
                   "letters, digits, '_', '-' and '.' only");
      name.written = false;
    }
    return name;
  }

  // No file of the output may be written over another one.
  void check_outputs() {
    constexpr std::array<std::string_view, 3> kOurs = {
        "memory_map.json", "system_memory_map.html", "REBUILD.md"};
    constexpr std::array<std::string_view, 2> kOursOfCore = {"mmu.syscfg", "mmu_map.json"};
    check_own(linker_, kOursOfCore);
    check_own(header_, kOurs);
    check_own(dts_, kOurs);
    for (const Text* file : {&header_, &dts_}) {
      if (file->written && board_.find_core(file->text) != nullptr) {
        errors_.push_back(core::error(Code::kBoardName,
                                      fmt::format("'{}' is the folder of a core", file->text),
                                      file->place,
                                      "choose another name"));
      }
    }
    if (header_.written && dts_.written && header_.text == dts_.text) {
      errors_.push_back(core::error(
          Code::kBoardName,
          fmt::format("'{}' is written twice: 'header' and 'dts' have one name", dts_.text),
          dts_.place,
          "give each file a name of its own"));
    }
  }

  template <std::size_t kCount>
  void check_own(const Text& file, const std::array<std::string_view, kCount>& ours) {
    if (file.written && std::find(ours.begin(), ours.end(), file.text) != ours.end()) {
      errors_.push_back(
          core::error(Code::kBoardName,
                      fmt::format("'{}' is a file that memsize writes itself", file.text),
                      file.place,
                      "choose another name"));
    }
  }

  // What a trace demands must have one home.
  void check_demands() {
    for (auto first = board_.knobs.begin(); first != board_.knobs.end(); ++first) {
      const auto second = std::find_if(first + 1, board_.knobs.end(), [&](const Knob& knob) {
        return knob.demand && knob.demand == first->demand;
      });
      if (second == board_.knobs.end()) {
        continue;
      }
      core::Diagnostic twice = core::error(
          Code::kBoardValue,
          fmt::format("knobs '{}' and '{}' are driven by one demand", first->name, second->name),
          first->demand_place);
      twice.related.push_back(
          {second->demand_place, fmt::format("it drives '{}' here", second->name)});
      errors_.push_back(std::move(twice));
    }
  }

  void check_onchip() {
    std::vector<std::string> names;
    for (const Chain& chain : board_.chains) {
      for (const Item& item : chain.items) {
        names.push_back(item.name);
      }
    }
    for (const Core& core : board_.cores) {
      for (const OnChip& memory : core.onchip) {
        if (memory.region.empty() ||
            std::find(names.begin(), names.end(), memory.region) == names.end()) {
          errors_.push_back(
              core::error(Code::kBoardReference,
                          fmt::format("there is no region '{}'", core::printable(memory.region)),
                          memory.place,
                          core::did_you_mean(memory.region, names)));
        }
      }
    }
  }

  void check_identifier(const Text& name) {
    if (name.written) {
      check_identifier(name.text, name.place);
    }
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

  void read_core(const TomlField& field) {
    Core core;
    core.name = field.key;
    core.place = field.key_place;
    check_identifier(core.name, field.key_place);
    if (!expect_table(field, "core")) {
      return;
    }
    TableReader reader{field.get(), named("core", field), errors_};
    core.title = reader.one_line("title");
    if (const TomlValue* table = reader.optional("onchip", Kind::kTable); table != nullptr) {
      TableReader memories{*table, fmt::format("'onchip' of core '{}'", core.name), errors_};
      for (const TomlField& memory : table->fields) {
        const Text region = memories.text(memory.key);
        if (region.written) {
          core.onchip.push_back({core::printable(memory.key), region.text, region.place});
        }
      }
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
            "{} must be a table, not {}", named(what, field), core::kind_name(field.get().kind)),
        field.get().place));
    return false;
  }

  void read_bank(const TomlField& field) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "bank")) {
      return;
    }
    TableReader reader{field.get(), named("bank", field), errors_};
    const std::uint64_t base = reader.address("base");
    const core::Bytes size = reader.bytes("size");
    const auto range = core::PhysRange::make(core::PhysAddr{base}, size);
    if (!range || range->empty()) {
      reader.wrong(Code::kBoardValue,
                   fmt::format("{} is empty or ends above 2^64", named("bank", field)),
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
                                    fmt::format("{} must be a string such as \"1MiB\", not {}",
                                                named(what, field),
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
    TableReader reader{field.get(), named("knob", field), errors_};
    Knob knob;
    knob.name = field.key;
    knob.default_value = reader.required_expression("default");
    knob.granule = reader.align("granule", granule);
    knob.hard_granule = reader.align("hard_granule", hard);
    knob.minimum = reader.bytes("minimum");
    knob.minimum_why = reader.one_line("why");
    const Text kind = reader.text("kind", "size");
    knob.is_address = kind.text == "address";
    if (kind.text != "size" && kind.text != "address") {
      reader.wrong(
          Code::kBoardValue,
          fmt::format(
              "kind '{}' of {} is unknown", core::printable(kind.text), named("knob", field)),
          kind.place,
          "the kinds are: size, address");
    }
    if (const TomlValue* demand = reader.optional("demand", Kind::kString); demand != nullptr) {
      knob.demand = read_demand(*demand);
      knob.demand_place = demand->place;
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
    key.space = core::printable(key.space);
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
    for (Text& core : reader.texts("cores")) {
      if (board_.find_core(core.text) == nullptr) {
        unknown_core(core.text, core.place);
      }
      cores.push_back(std::move(core.text));
    }
    return cores;
  }

  void read_chain(const TomlField& field) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "chain")) {
      return;
    }
    TableReader reader{field.get(), named("chain", field), errors_};
    Chain chain;
    chain.name = field.key;
    chain.place = field.key_place;
    const Text written = reader.text("space", "ddr");
    const std::string& space = written.text;
    chain.space = space == "core" ? Space::kCore : space == "sram" ? Space::kSram : Space::kDdr;
    if (space != "core" && space != "sram" && space != "ddr") {
      reader.wrong(
          Code::kBoardValue,
          fmt::format("space '{}' of {} is unknown", core::printable(space), named("chain", field)),
          written.place,
          "the spaces are: ddr, sram, core");
    }
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
      item.note = reader.one_line("why");
    } else {
      const Text name = reader.required_text("name");
      check_identifier(name);
      item.name = name.text;
      item.place = name.place;
      item.size = reader.required_expression("size");
      item.cores = read_cores(reader, value);
      item.attributes = attributes(reader, "RWIX");
      item.cache = read_cache(reader);
      item.align = reader.align("align");
      item.in_header = reader.boolean("header", true);
      item.in_html = reader.boolean("html", true);
      item.has_physical_name = reader.boolean("phys", false);
      item.physical_name_in_html = reader.boolean("phys_html", true);
      item.note = reader.one_line("note");
    }
    reader.finish();
    chain.items.push_back(std::move(item));
  }

  static std::string attributes(TableReader& reader, const std::string& fallback) {
    Text letters = reader.text("attributes", fallback);
    if (letters.text.find_first_not_of("RWIX") != std::string::npos) {
      reader.wrong(Code::kBoardValue,
                   fmt::format("'{}' are not linker attributes", core::printable(letters.text)),
                   letters.place,
                   "attributes are any of the letters R, W, I and X");
    }
    return std::move(letters.text);
  }

  static Cache read_cache(TableReader& reader) {
    const Text name = reader.text("cache", "any");
    for (const Cache cache :
         {Cache::kAny, Cache::kNonCached, Cache::kWriteThrough, Cache::kCached}) {
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

  void read_alias(const TomlField& field) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "alias")) {
      return;
    }
    TableReader reader{field.get(), named("alias", field), errors_};
    Alias alias;
    alias.name = field.key;
    alias.place = field.key_place;
    const Text of = reader.required_text("of");
    alias.of = of.text;
    alias.of_place = of.place;
    alias.cores = read_cores(reader, field.get());
    reader.finish();
    board_.aliases.push_back(std::move(alias));
  }

  static void read_covers(TableReader& reader,
                          std::vector<std::string>& names,
                          std::vector<core::Place>& places) {
    for (Text& name : reader.texts("covers")) {
      names.push_back(std::move(name.text));
      places.push_back(std::move(name.place));
    }
  }

  void read_group(const TomlField& field) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "group")) {
      return;
    }
    TableReader reader{field.get(), named("group", field), errors_};
    Carveout group;
    group.name = field.key;
    group.place = field.key_place;
    group.attributes = attributes(reader, "");
    (void)reader.required("covers", Kind::kArray);
    read_covers(reader, group.covers, group.cover_places);
    reader.finish();
    board_.groups.push_back(std::move(group));
  }

  void read_carveout(const TomlField& field) {
    check_identifier(field.key, field.key_place);
    if (!expect_table(field, "carve-out")) {
      return;
    }
    TableReader reader{field.get(), named("carve-out", field), errors_};
    Carveout carveout;
    carveout.label = field.key;
    carveout.place = field.key_place;
    const Text node = reader.required_text("node");
    if (node.written && !is_node_name(node.text)) {
      reader.wrong(Code::kBoardName,
                   fmt::format("'{}' is not a device-tree node name", core::printable(node.text)),
                   node.place,
                   "letters, digits, '_' and '-' only");
    }
    carveout.node = node.text;
    (void)reader.required("covers", Kind::kArray);
    read_covers(reader, carveout.covers, carveout.cover_places);
    const Text name =
        reader.text("name", carveout.covers.empty() ? std::string{} : carveout.covers.front());
    check_identifier(name);
    carveout.name = name.text;
    const Text compatible = reader.text("compatible", "shared-dma-pool");
    if (!is_compatible(compatible.text)) {
      reader.wrong(Code::kBoardName,
                   fmt::format("'{}' is not a compatible string", core::printable(compatible.text)),
                   compatible.place,
                   "letters, digits, '_', '-', '.' and ',' only");
    }
    carveout.compatible = compatible.text;
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
    const bool quotable = value.kind == Kind::kString &&
                          value.string.find_first_of("\"\\") == std::string::npos &&
                          core::printable(value.string, value.string.size() + 1) == value.string;
    if (!quotable) {
      errors_.push_back(core::error(
          Code::kTomlType,
          fmt::format("{} must be a plain string, true or false", named("property", property)),
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
    TableReader reader{field.get(), named("MMU entry", field), errors_};
    MmuEntry entry;
    entry.key = field.key;
    entry.place = field.key_place;
    const Text name = reader.text("name", field.key);
    check_identifier(name);
    entry.name = name.text;
    entry.mair = read_mair(reader, field);
    read_covers(reader, entry.covers, entry.cover_places);
    if (entry.covers.empty()) {
      entry.base = reader.required_expression("base");
      entry.size = reader.required_expression("size");
    }
    reader.finish();
    board_.mmu.entries.push_back(std::move(entry));
  }

  static unsigned read_mair(TableReader& reader, const TomlField& field) {
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

  void read_step(const TomlValue& value) {
    TableReader reader{value, "a rebuild step", errors_};
    RebuildStep step;
    const Text when = reader.required_text("when");
    step.when = when.text;
    step.what = reader.one_line("what");
    step.why = reader.one_line("why");
    step.run = reader.one_line("run");
    if (when.written && step.when != "always" && step.when != "linux" &&
        board_.find_core(step.when) == nullptr) {
      unknown_core(step.when, when.place);
    }
    reader.finish();
    board_.rebuild.push_back(std::move(step));
  }

  static constexpr std::size_t kLongestSource = 2000;

  const TomlValue& file_;
  Board board_;
  Text linker_;
  Text header_;
  Text dts_;
  core::Diagnostics errors_;
};

}  // namespace

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return core::is_identifier(std::string_view{&c, 1}) || (c >= '0' && c <= '9') ||
                  c == '.' || c == '-';
         });
}

core::Result<Board> read_board(std::string name, const TomlValue& file) {
  return BoardReader{std::move(name), file}.read();
}

}  // namespace memsize::board
