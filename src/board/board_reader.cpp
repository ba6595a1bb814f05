// Reads a board's own tables itself, those of other subjects by their readers, and then looks at
// all of it together: output files, demands, on-chip memories, knobs in vain, repeated names.
#include "board_reader.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "reader_context.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;

bool is_node_name(std::string_view name) {
  return is_file_name(name) && name.find('.') == std::string_view::npos;
}

// "vendor,device".
bool is_compatible(std::string text) {
  std::ranges::replace(text, ',', '-');
  return is_file_name(text);
}

constexpr std::size_t kLongestSource = 2000;

constexpr std::array<std::string_view, 3> kOurs = {
    "memory_map.json", "system_memory_map.html", "REBUILD.md"};
constexpr std::array<std::string_view, 7> kOursOfCore = {"mmu.syscfg",
                                                         "mmu_map.json",
                                                         "mpu.syscfg",
                                                         "mpu_cfg.c",
                                                         "mmu_tables.c",
                                                         "mpu_table.c",
                                                         "linker.ld"};

// What the board calls the files that are written for it.
struct OutputFiles {
  Text linker;
  Text header;
  Text dts;
};

template <typename Item>
void keep_if_any(std::optional<Item> item, std::vector<Item>& list) {
  if (item) {
    list.push_back(std::move(*item));
  }
}

Text checked_file_name(Fields& reader, Text name) {
  if (name.written && !is_file_name(name.text)) {
    reader.wrong(Code::kBoardName,
                 fmt::format("'{}' is not a file name", core::printable(name.text)),
                 name.place,
                 "letters, digits, '_', '-' and '.' only");
    name.written = false;
  }
  return name;
}

void read_head(ReaderContext& context, Fields& top) {
  Board& board = context.board();
  const auto schema = top.integer("schema");
  if (schema != 1U) {
    top.wrong(Code::kBoardValue,
              "this memsize reads boards of schema 1",
              top.has("schema") ? top.value()["schema"].place() : top.place(),
              schema ? "this file is for another memsize, which may be newer"
                     : "begin the file with: schema = 1");
  }
  board.title = top.required_one_line("title");
  board.soc = top.required_one_line("soc");
  const Text os = top.text("os", "freertos");
  context.check_identifier(os);
  board.os = os.text;
  board.sdk = top.one_line("sdk");
  const Text format = top.text("format");
  board.format = format.text;
  if (!format.text.empty()) {
    context.check_identifier(format.text, format.place);
  }
  board.generation = top.one_line("generation");
  board.generations = top.strings("generations");
  board.rtos_family = top.one_line("rtos_family");
  board.provisional = top.one_line("provisional");
  board.part_numbers = top.strings("part_numbers");
  for (const std::string& source : top.strings("sources")) {
    board.sources.push_back(core::printable(source, kLongestSource));
  }
}

OutputFiles read_files(Fields& top) {
  OutputFiles files;
  if (const Value table = top.required("files", Kind::kTable)) {
    Fields reader{table, "[files]", top.errors()};
    files.linker = checked_file_name(reader, reader.required_text("linker"));
    files.header = checked_file_name(reader, reader.required_text("header"));
    files.dts = checked_file_name(reader, reader.required_text("dts"));
    reader.finish();
  }
  return files;
}

void check_own(const Text& file,
               std::span<const std::string_view> ours,
               core::Diagnostics& errors) {
  if (file.written && core::contains(ours, file.text)) {
    errors.push_back(
        core::error(Code::kBoardName,
                    fmt::format("'{}' is a file that memsize writes itself", file.text),
                    file.place,
                    "choose another name"));
  }
}

// "78400000.r5f": where its registers begin, and the name of its node.
std::string device_name(const Text& device, core::Diagnostics& errors) {
  const std::string_view text = device.text;
  const std::size_t point = text.find('.');
  const bool is_one = point != 0 && point != std::string_view::npos &&
                      text.find_first_not_of("0123456789abcdef") == point &&
                      core::is_identifier(text.substr(point + 1));
  if (device.written && !is_one) {
    errors.push_back(core::error(
        Code::kBoardValue,
        fmt::format("'{}' is no name that Linux gives to a core", core::printable(text, 60)),
        device.place,
        "it is the address of the core's node in lower case, a point, and the node's "
        "name, such as 78400000.r5f"));
    return {};
  }
  return device.text;
}

Core read_core(ReaderContext& context, Fields& reader) {
  Core core{.name = reader.value().name(), .place = reader.value().key_place()};
  core.title = reader.one_line("title");
  const Text word = reader.text("region_word");
  context.check_identifier(word);
  core.region_word = word.text;
  const Text linker = checked_file_name(reader, reader.text("linker"));
  check_own(linker, kOursOfCore, context.errors());
  core.linker_file = linker.text;
  core.device = device_name(reader.text("linux"), context.errors());
  core.firmware = checked_file_name(reader, reader.text("firmware")).text;
  if (const Value table = reader.optional("onchip", Kind::kTable)) {
    Fields memories{
        table, fmt::format("'onchip' of core '{}'", core::printable(core.name)), context.errors()};
    for (const Value memory : table) {
      const Text region = memories.text(memory.name());
      if (region.written) {
        core.onchip.push_back({core::printable(memory.name()), region.text, region.place});
      }
    }
  }
  return core;
}

// Its base and size; nothing, and an error, where these are none.
std::optional<core::PhysRange> read_range(Fields& reader) {
  const std::uint64_t base = reader.address("base");
  const core::Bytes size = bytes(reader, "size");
  const auto range = core::PhysRange::make(core::PhysAddr{base}, size);
  if (range && !range->empty()) {
    return range;
  }
  reader.wrong(Code::kBoardValue,
               fmt::format("{} is empty or ends above 2^64", reader.what()),
               reader.value().place());
  return std::nullopt;
}

std::optional<Bank> read_bank(Fields& reader) {
  const auto range = read_range(reader);
  const Value field = reader.value();
  return range ? std::optional{Bank{field.name(), *range, field.key_place()}} : std::nullopt;
}

std::optional<Keep> read_kept(Fields& reader) {
  const std::string why = reader.required_one_line("why");
  const auto range = read_range(reader);
  const Value field = reader.value();
  return range ? std::optional{Keep{field.name(), *range, why, field.key_place()}} : std::nullopt;
}

std::optional<std::pair<std::string, Expression>> read_expression(ReaderContext& context,
                                                                  Value field,
                                                                  std::string_view what) {
  context.check_identifier(field.name(), field.key_place());
  if (!field.is(Kind::kText)) {
    context.errors().push_back(
        core::error(Code::kTomlType,
                    fmt::format("{} must be a string such as \"1MiB\", not {}",
                                named(what, field),
                                docs::kind_name(field.kind())),
                    field.place()));
    return std::nullopt;
  }
  return std::pair{field.name(), Expression{field.string(), field.place()}};
}

std::optional<CoreHeap> read_heap(ReaderContext& context, Value value) {
  std::istringstream words{value.string()};
  CoreHeap heap;
  std::string rest;
  if (!(words >> heap.core >> heap.name) || (words >> rest)) {
    context.errors().push_back(
        core::error(Code::kBoardValue,
                    fmt::format("'{}' is not a heap of a core", core::printable(value.string())),
                    value.place(),
                    "a heap is two words: its core, and its name in statistics, such as \"dsp1 "
                    "DDR_LOCAL_MEM\""));
    return std::nullopt;
  }
  if (context.board().find_core(heap.core) == nullptr) {
    context.unknown_core(heap.core, value.place());
    return std::nullopt;
  }
  return heap;
}

std::optional<DemandKey> read_demand(ReaderContext& context, Value value) {
  std::istringstream words{value.string()};
  DemandKey key;
  std::string cacheability;
  std::string lifetime;
  std::string rest;
  words >> key.core >> key.space >> cacheability >> lifetime;
  const auto known_cacheability = model::named<model::Cacheability>(cacheability);
  const auto known_lifetime = model::named<model::Lifetime>(lifetime);
  key.space = core::printable(key.space);
  if (!known_cacheability || !known_lifetime || (words >> rest)) {
    context.errors().push_back(
        core::error(Code::kBoardValue,
                    fmt::format("'{}' is not a demand", core::printable(value.string())),
                    value.place(),
                    "a demand is four words: core, space, cacheability, lifetime, such as \"dsp1 "
                    "ddr cacheable "
                    "scratch\""));
    return std::nullopt;
  }
  key.cacheability = *known_cacheability;
  key.lifetime = *known_lifetime;
  if (context.board().find_core(key.core) == nullptr) {
    context.unknown_core(key.core, value.place());
    return std::nullopt;
  }
  return key;
}

Knob read_knob(ReaderContext& context, Fields& reader, core::Align granule, core::Align hard) {
  Knob knob;
  knob.name = reader.value().name();
  knob.place = reader.value().key_place();
  knob.default_value = required_expression(reader, "default");
  knob.granule = align(reader, "granule", granule);
  knob.hard_granule = align(reader, "hard_granule", hard);
  knob.minimum = bytes(reader, "minimum");
  knob.minimum_why = reader.one_line("why");
  if (const Value enough = reader.optional("enough", Kind::kText)) {
    knob.enough = reader.one_line("enough");
    if (!reader.has("minimum")) {
      reader.wrong(Code::kBoardValue,
                   fmt::format("{} says that its minimum is enough, but has none", reader.what()),
                   enough.place(),
                   "add minimum = SIZE");
    }
  }
  if (const Value heap = reader.optional("heap", Kind::kText)) {
    knob.heap = read_heap(context, heap);
  }
  const Text kind = reader.text("kind", "size");
  knob.is_address = kind.text == "address";
  if (kind.text != "size" && kind.text != "address") {
    reader.wrong(
        Code::kBoardValue,
        fmt::format("kind '{}' of {} is unknown", core::printable(kind.text), reader.what()),
        kind.place,
        "the kinds are: size, address");
  }
  if (const Value demand = reader.optional("demand", Kind::kText)) {
    knob.demand = read_demand(context, demand);
    knob.demand_place = demand.place();
  }
  return knob;
}

Carveout read_group(Fields& reader) {
  Carveout group;
  group.name = reader.value().name();
  group.place = reader.value().key_place();
  group.attributes = ReaderContext::read_attributes(reader, "");
  (void)reader.required("covers", Kind::kList);
  ReaderContext::read_covers(reader, group.covers, group.cover_places);
  return group;
}

Carveout read_carveout(ReaderContext& context, Fields& reader) {
  Carveout carveout;
  carveout.label = reader.value().name();
  carveout.place = reader.value().key_place();
  const Text node = reader.required_text("node");
  if (node.written && !is_node_name(node.text)) {
    reader.wrong(Code::kBoardName,
                 fmt::format("'{}' is not a device-tree node name", core::printable(node.text)),
                 node.place,
                 "letters, digits, '_' and '-' only");
  }
  carveout.node = node.text;
  (void)reader.required("covers", Kind::kList);
  ReaderContext::read_covers(reader, carveout.covers, carveout.cover_places);
  const Text name =
      reader.text("name", carveout.covers.empty() ? std::string{} : carveout.covers.front());
  context.check_identifier(name);
  carveout.name = name.text;
  const Text compatible = reader.text("compatible", "shared-dma-pool");
  if (!compatible.text.empty() && !is_compatible(compatible.text)) {
    reader.wrong(Code::kBoardName,
                 fmt::format("'{}' is not a compatible string", core::printable(compatible.text)),
                 compatible.place,
                 "letters, digits, '_', '-', '.' and ',' only");
  }
  carveout.compatible = compatible.text;
  const core::Align alignment = align(reader, "alignment");
  carveout.alignment = core::Bytes{alignment == core::Align{} ? 0 : alignment.value()};
  carveout.no_map = reader.boolean("no_map", true);
  carveout.unit_address = reader.boolean("unit_address", true);
  carveout.in_header = reader.boolean("header", false);
  return carveout;
}

RebuildStep read_step(ReaderContext& context, Value value) {
  Fields reader{value, "a rebuild step", context.errors()};
  RebuildStep step;
  const Text when = reader.required_text("when");
  step.when = when.text;
  step.what = reader.one_line("what");
  step.why = reader.one_line("why");
  step.run = reader.one_line("run");
  step.by_hand = reader.boolean("by_hand", false);
  if (when.written && step.when != "always" && step.when != "linux" &&
      context.board().find_core(step.when) == nullptr) {
    context.unknown_core(step.when, when.place);
  }
  reader.finish();
  return step;
}

// What `read` makes of each of these tables, which have names.
template <typename Item, typename Read>
void read_each(ReaderContext& context,
               Value tables,
               std::string_view what,
               std::vector<Item>& list,
               Read read) {
  for (const Value field : tables) {
    context.check_identifier(field.name(), field.key_place());
    Fields reader{field, named(what, field), context.errors()};
    if (reader.is_table()) {
      keep_if_any<Item>(read(reader), list);
      reader.finish();
    }
  }
}

// --dram fills them in this order, and counts each byte once.
void check_banks(const Board& board, core::Diagnostics& errors) {
  for (std::size_t i = 1; i < board.banks.size(); ++i) {
    const Bank& before = board.banks[i - 1];
    const Bank& bank = board.banks[i];
    if (bank.range.base() <= before.range.last()) {
      errors.push_back(core::error(Code::kBoardValue,
                                   fmt::format("bank '{}' {} does not stand behind '{}' {}",
                                               core::printable(bank.name),
                                               core::format_range(bank.range),
                                               core::printable(before.name),
                                               core::format_range(before.range)),
                                   bank.place,
                                   "banks stand in address order, and no two have an address in "
                                   "common")
                           .beside(before.place, "the bank before it is here"));
    }
  }
}

// Cores first: others refer to them.
void read_tables(ReaderContext& context, Fields& top) {
  Board& board = context.board();
  const core::Align granule = align(top, "granule");
  const core::Align hard = align(top, "hard_granule");
  read_each(context, top.fields("core"), "core", board.cores, [&](Fields& reader) {
    return read_core(context, reader);
  });
  read_each(context, top.fields("bank"), "bank", board.banks, read_bank);
  check_banks(board, context.errors());
  read_each(context, top.fields("kept"), "kept", board.kept, read_kept);
  for (const Value field : top.fields("constant")) {
    keep_if_any(read_expression(context, field, "constant"), board.constants);
  }
  read_each(context, top.fields("knob"), "knob", board.knobs, [&](Fields& reader) {
    return read_knob(context, reader, granule, hard);
  });
  for (const Value field : top.fields("chain")) {
    read_chain(context, field);
  }
  for (const Value field : top.fields("alias")) {
    read_alias(context, field);
  }
  for (const Value field : top.fields("view")) {
    read_view(context, field);
  }
  read_sections(context, top.fields("sections"));
  read_each(context, top.fields("group"), "group", board.groups, read_group);
  read_each(context, top.fields("carveout"), "carve-out", board.carveouts, [&](Fields& reader) {
    return read_carveout(context, reader);
  });
  for (const Value field : top.fields("header_base")) {
    keep_if_any(read_expression(context, field, "header base"), board.header_bases);
    board.header_base_places.push_back(field.key_place());
  }
  if (const Value mmu = top.optional("mmu", Kind::kTable)) {
    read_mmu(context, mmu);
  }
  if (const Value mpu = top.optional("mpu", Kind::kTable)) {
    read_mpu(context, mpu);
  }
  if (const Value rat = top.optional("rat", Kind::kTable)) {
    read_rat(context, rat);
  }
  for (const Value step : top.items("rebuild")) {
    board.rebuild.push_back(read_step(context, step));
  }
}

// No file of the output may be written over another one.
void check_outputs(const Board& board, const OutputFiles& files, core::Diagnostics& errors) {
  const auto& [linker, header, dts] = files;
  check_own(linker, kOursOfCore, errors);
  check_own(header, kOurs, errors);
  check_own(dts, kOurs, errors);
  for (const Text* file : {&header, &dts}) {
    if (file->written && board.find_core(file->text) != nullptr) {
      errors.push_back(core::error(Code::kBoardName,
                                   fmt::format("'{}' is the folder of a core", file->text),
                                   file->place,
                                   "choose another name"));
    }
  }
  if (header.written && dts.written && header.text == dts.text) {
    errors.push_back(core::error(
        Code::kBoardName,
        fmt::format("'{}' is written twice: 'header' and 'dts' have one name", dts.text),
        dts.place,
        "give each file a name of its own"));
  }
}

// What a trace demands must have one home.
void check_demands(const Board& board, core::Diagnostics& errors) {
  using Class = std::tuple<std::string, std::string, model::Cacheability, model::Lifetime>;
  std::map<Class, const Knob*> next;
  for (auto first = board.knobs.rbegin(); first != board.knobs.rend(); ++first) {
    if (!first->demand) {
      continue;
    }
    const DemandKey& key = *first->demand;
    const Knob*& known = next[{key.core, key.space, key.cacheability, key.lifetime}];
    const Knob* second = std::exchange(known, &*first);
    if (second == nullptr) {
      continue;
    }
    errors.push_back(
        core::error(
            Code::kBoardValue,
            fmt::format("knobs '{}' and '{}' are driven by one demand", first->name, second->name),
            first->demand_place)
            .beside(second->demand_place, fmt::format("it drives '{}' here", second->name)));
  }
}

// A knob that nothing depends on would be set in vain.
void check_use(const Board& board, core::Diagnostics& errors) {
  std::set<std::string> used;
  const auto use = [&](const Expression& expression) {
    for (std::string& name : names_in(expression)) {
      used.insert(std::move(name));
    }
  };
  for (const auto* list : {&board.constants, &board.header_bases}) {
    for (const auto& [name, expression] : *list) {
      use(expression);
    }
  }
  for (const Knob& knob : board.knobs) {
    use(knob.default_value);
  }
  for (const Chain& chain : board.chains) {
    use(chain.physical);
    use(chain.virtual_base);
    use(chain.limit);
    for (const Item& item : chain.items) {
      use(item.size);
    }
  }
  for (const View& view : board.views) {
    use(view.virtual_base);
  }
  for (const MmuEntry& entry : board.mmu.entries) {
    use(entry.base);
    use(entry.size);
  }
  const std::vector<std::string> wanted{used.begin(), used.end()};
  for (const Knob& knob : board.knobs) {
    if (!used.contains(knob.name)) {
      const std::string meant = core::did_you_mean(knob.name, wanted);
      errors.push_back(core::error(Code::kBoardReference,
                                   fmt::format("nothing uses knob '{}'", knob.name),
                                   knob.place,
                                   meant.empty() ? "give a region its size, or remove it" : meant));
    }
  }
}

// Carve-outs and groups are known by name to each other and to MMU entries, chains and views to
// whatever continues them.
void check_names(const Board& board, core::Diagnostics& errors) {
  std::map<std::string, core::Place> places;
  const auto once = [&](const std::string& name, const core::Place& place, const char* what) {
    const auto [first, added] = places.try_emplace(name, place);
    if (added) {
      return;
    }
    errors.push_back(core::error(Code::kBoardName,
                                 fmt::format("{} called '{}'", what, core::printable(name)),
                                 place,
                                 "rename one of them")
                         .beside(first->second, "it was here before"));
  };
  for (const auto* list : {&board.carveouts, &board.groups}) {
    for (const Carveout& carveout : *list) {
      once(carveout.name, carveout.place, "two carve-outs or groups are");
    }
  }
  for (const Carveout& group : board.groups) {
    for (const Chain& chain : board.chains) {
      for (const Item& item : chain.items) {
        if (!item.is_gap && item.name == group.name) {
          once(group.name, item.place, "a group and a region are both");
        }
      }
    }
  }
  places.clear();
  for (const auto& [name, expression] : board.constants) {
    once(name, expression.place, "two constants are");
  }
  for (const Knob& knob : board.knobs) {
    once(knob.name, knob.place, "a constant and a knob are");
  }
  places.clear();
  for (const Chain& chain : board.chains) {
    once(chain.name, chain.place, "two chains are");
  }
  for (const View& view : board.views) {
    once(view.name, view.place, "two chains or views are");
  }
}

void check_onchip(const Board& board, core::Diagnostics& errors) {
  std::vector<std::string> names;
  for (const Chain& chain : board.chains) {
    for (const Item& item : chain.items) {
      names.push_back(item.name);
    }
  }
  for (const Core& core : board.cores) {
    for (const OnChip& memory : core.onchip) {
      if (memory.region.empty() || std::ranges::find(names, memory.region) == names.end()) {
        errors.push_back(
            core::error(Code::kBoardReference,
                        fmt::format("there is no region '{}'", core::printable(memory.region)),
                        memory.place,
                        core::did_you_mean(memory.region, names)));
      }
    }
  }
}

}  // namespace

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 100 &&
         std::ranges::all_of(name, [](char c) {
           return core::is_identifier(std::string_view{&c, 1}) || (c >= '0' && c <= '9') ||
                  c == '.' || c == '-';
         });
}

core::Result<Board> read_board(std::string name,
                               Value file,
                               std::shared_ptr<const MpuProgram> table) {
  Board board;
  board.name = std::move(name);
  board.mpu.table = std::move(table);
  core::Diagnostics errors;
  ReaderContext context{board, errors};
  Fields top{file, "the board", errors};
  read_head(context, top);
  const OutputFiles files = read_files(top);
  board.linker_file = files.linker.text;
  board.header_file = files.header.text;
  board.dts_file = files.dts.text;
  read_tables(context, top);
  board.accepted = read_accepted(top, errors);
  top.finish();
  check_outputs(board, files, errors);
  check_demands(board, errors);
  check_onchip(board, errors);
  check_use(board, errors);
  check_names(board, errors);
  if (!errors.empty()) {
    core::sort_by_place(errors);
    return tl::make_unexpected(std::move(errors));
  }
  return board;
}

}  // namespace memsize::board
