// Reads a board's own tables itself, those of other subjects by their readers, and then looks at
// all of it together: output files, demands, on-chip memories, knobs in vain, repeated names.
#include "board_reader.hpp"

#include "memsize/core/text.hpp"

#include "reader_context.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
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

class BoardReader {
 public:
  BoardReader(std::string name, Value file, std::shared_ptr<const MpuProgram> table)
      : file_(file), context_(board_, errors_) {
    board_.name = std::move(name);
    board_.mpu.table = std::move(table);
  }

  core::Result<Board> read() {
    Fields top{file_, "the board", errors_};
    read_head(top);
    const core::Align granule = align(top, "granule");
    const core::Align hard = align(top, "hard_granule");
    for (const Value field : top.fields("core")) {
      read_core(field);
    }
    for (const Value field : top.fields("bank")) {
      read_bank(field);
    }
    for (const Value field : top.fields("kept")) {
      read_kept(field);
    }
    for (const Value field : top.fields("constant")) {
      read_expression(field, "constant", board_.constants);
    }
    for (const Value field : top.fields("knob")) {
      read_knob(field, granule, hard);
    }
    for (const Value field : top.fields("chain")) {
      read_chain(context_, field);
    }
    for (const Value field : top.fields("alias")) {
      read_alias(context_, field);
    }
    for (const Value field : top.fields("view")) {
      read_view(context_, field);
    }
    read_sections(context_, top.fields("sections"));
    for (const Value field : top.fields("group")) {
      read_group(field);
    }
    for (const Value field : top.fields("carveout")) {
      read_carveout(field);
    }
    for (const Value field : top.fields("header_base")) {
      read_expression(field, "header base", board_.header_bases);
      board_.header_base_places.push_back(field.key_place());
    }
    if (const Value mmu = top.optional("mmu", Kind::kTable)) {
      read_mmu(context_, mmu);
    }
    if (const Value mpu = top.optional("mpu", Kind::kTable)) {
      read_mpu(context_, mpu);
    }
    if (const Value rat = top.optional("rat", Kind::kTable)) {
      read_rat(context_, rat);
    }
    for (const Value step : top.items("rebuild")) {
      read_step(step);
    }
    board_.accepted = read_accepted(top, errors_);
    top.finish();
    check_outputs();
    check_demands();
    check_onchip();
    check_use();
    check_names();
    if (!errors_.empty()) {
      core::sort_by_place(errors_);
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(board_);
  }

 private:
  void read_head(Fields& top) {
    const auto schema = top.integer("schema");
    if (schema != 1U) {
      top.wrong(Code::kBoardValue,
                "this memsize reads boards of schema 1",
                file_["schema"] ? file_["schema"].place() : file_.place(),
                "begin the file with: schema = 1");
    }
    board_.title = top.required_one_line("title");
    board_.soc = top.required_one_line("soc");
    const Text os = top.text("os", "freertos");
    context_.check_identifier(os);
    board_.os = os.text;
    board_.sdk = top.one_line("sdk");
    const Text format = top.text("format");
    board_.format = format.text;
    if (!format.text.empty()) {
      context_.check_identifier(format.text, format.place);
    }
    board_.generation = top.one_line("generation");
    board_.generations = top.strings("generations");
    board_.rtos_family = top.one_line("rtos_family");
    board_.provisional = top.one_line("provisional");
    board_.part_numbers = top.strings("part_numbers");
    for (const std::string& source : top.strings("sources")) {
      board_.sources.push_back(core::printable(source, kLongestSource));
    }
    if (const Value files = top.required("files", Kind::kTable)) {
      Fields reader{files, "[files]", errors_};
      linker_ = file_name(reader, "linker");
      header_ = file_name(reader, "header");
      dts_ = file_name(reader, "dts");
      board_.linker_file = linker_.text;
      board_.header_file = header_.text;
      board_.dts_file = dts_.text;
      reader.finish();
    }
  }

  static Text file_name(Fields& reader, std::string_view key) {
    return checked_file_name(reader, reader.required_text(key));
  }

  static Text checked_file_name(Fields& reader, Text name) {
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
    if (file.written && std::ranges::find(ours, file.text) != ours.end()) {
      errors_.push_back(
          core::error(Code::kBoardName,
                      fmt::format("'{}' is a file that memsize writes itself", file.text),
                      file.place,
                      "choose another name"));
    }
  }

  // What a trace demands must have one home.
  void check_demands() {
    using Class = std::tuple<std::string, std::string, model::Cacheability, model::Lifetime>;
    std::map<Class, const Knob*> next;
    for (auto first = board_.knobs.rbegin(); first != board_.knobs.rend(); ++first) {
      if (!first->demand) {
        continue;
      }
      const DemandKey& key = *first->demand;
      const Knob*& known = next[{key.core, key.space, key.cacheability, key.lifetime}];
      const Knob* second = std::exchange(known, &*first);
      if (second == nullptr) {
        continue;
      }
      errors_.push_back(
          core::error(
              Code::kBoardValue,
              fmt::format(
                  "knobs '{}' and '{}' are driven by one demand", first->name, second->name),
              first->demand_place)
              .beside(second->demand_place, fmt::format("it drives '{}' here", second->name)));
    }
  }

  // A knob that nothing depends on would be set in vain.
  void check_use() {
    std::set<std::string> used;
    const auto use = [&](const Expression& expression) {
      for (std::string& name : names_in(expression)) {
        used.insert(std::move(name));
      }
    };
    for (const auto* list : {&board_.constants, &board_.header_bases}) {
      for (const auto& [name, expression] : *list) {
        use(expression);
      }
    }
    for (const Knob& knob : board_.knobs) {
      use(knob.default_value);
    }
    for (const Chain& chain : board_.chains) {
      use(chain.physical);
      use(chain.virtual_base);
      use(chain.limit);
      for (const Item& item : chain.items) {
        use(item.size);
      }
    }
    for (const View& view : board_.views) {
      use(view.virtual_base);
    }
    for (const MmuEntry& entry : board_.mmu.entries) {
      use(entry.base);
      use(entry.size);
    }
    for (const Knob& knob : board_.knobs) {
      if (!used.contains(knob.name)) {
        errors_.push_back(core::error(Code::kBoardReference,
                                      fmt::format("nothing uses knob '{}'", knob.name),
                                      knob.place,
                                      "give a region its size, or remove it"));
      }
    }
  }

  // Carve-outs and groups are known by name to each other and to MMU entries, chains and views to
  // whatever continues them.
  void check_names() {
    std::map<std::string, core::Place> places;
    const auto once = [&](const std::string& name, const core::Place& place, const char* what) {
      const auto [first, added] = places.try_emplace(name, place);
      if (added) {
        return;
      }
      errors_.push_back(core::error(Code::kBoardName,
                                    fmt::format("{} called '{}'", what, core::printable(name)),
                                    place,
                                    "rename one of them")
                            .beside(first->second, "it was here before"));
    };
    for (const auto* list : {&board_.carveouts, &board_.groups}) {
      for (const Carveout& carveout : *list) {
        once(carveout.name, carveout.place, "two carve-outs or groups are");
      }
    }
    for (const Carveout& group : board_.groups) {
      for (const Chain& chain : board_.chains) {
        for (const Item& item : chain.items) {
          if (!item.is_gap && item.name == group.name) {
            once(group.name, item.place, "a group and a region are both");
          }
        }
      }
    }
    places.clear();
    for (const auto& [name, expression] : board_.constants) {
      once(name, expression.place, "two constants are");
    }
    for (const Knob& knob : board_.knobs) {
      once(knob.name, knob.place, "a constant and a knob are");
    }
    places.clear();
    for (const Chain& chain : board_.chains) {
      once(chain.name, chain.place, "two chains are");
    }
    for (const View& view : board_.views) {
      once(view.name, view.place, "two chains or views are");
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
        if (memory.region.empty() || std::ranges::find(names, memory.region) == names.end()) {
          errors_.push_back(
              core::error(Code::kBoardReference,
                          fmt::format("there is no region '{}'", core::printable(memory.region)),
                          memory.place,
                          core::did_you_mean(memory.region, names)));
        }
      }
    }
  }

  void read_core(Value field) {
    Core core{.name = field.name(), .place = field.key_place()};
    context_.check_identifier(core.name, field.key_place());
    Fields reader{field, named("core", field), errors_};
    if (!reader.is_table()) {
      return;
    }
    core.title = reader.one_line("title");
    const Text word = reader.text("region_word");
    context_.check_identifier(word);
    core.region_word = word.text;
    const Text linker = checked_file_name(reader, reader.text("linker"));
    check_own(linker, kOursOfCore);
    core.linker_file = linker.text;
    core.device = device_name(reader.text("linux"));
    core.firmware = checked_file_name(reader, reader.text("firmware")).text;
    if (const Value table = reader.optional("onchip", Kind::kTable)) {
      Fields memories{
          table, fmt::format("'onchip' of core '{}'", core::printable(core.name)), errors_};
      for (const Value memory : table) {
        const Text region = memories.text(memory.name());
        if (region.written) {
          core.onchip.push_back({core::printable(memory.name()), region.text, region.place});
        }
      }
    }
    reader.finish();
    board_.cores.push_back(std::move(core));
  }

  // "78400000.r5f": where its registers begin, and the name of its node.
  std::string device_name(const Text& device) {
    const std::string_view text = device.text;
    const std::size_t point = text.find('.');
    const bool is_one = point != 0 && point != std::string_view::npos &&
                        text.find_first_not_of("0123456789abcdef") == point &&
                        core::is_identifier(text.substr(point + 1));
    if (device.written && !is_one) {
      errors_.push_back(core::error(
          Code::kBoardValue,
          fmt::format("'{}' is no name that Linux gives to a core", core::printable(text, 60)),
          device.place,
          "it is the address of the core's node in lower case, a point, and the node's "
          "name, such as 78400000.r5f"));
      return {};
    }
    return device.text;
  }

  void read_bank(Value field) {
    context_.check_identifier(field.name(), field.key_place());
    Fields reader{field, named("bank", field), errors_};
    if (!reader.is_table()) {
      return;
    }
    if (const auto range = read_range(reader, named("bank", field)); range) {
      board_.banks.push_back({field.name(), *range, field.key_place()});
    }
    reader.finish();
  }

  void read_kept(Value field) {
    context_.check_identifier(field.name(), field.key_place());
    Fields reader{field, named("kept", field), errors_};
    if (!reader.is_table()) {
      return;
    }
    const std::string why = reader.required_one_line("why");
    if (const auto range = read_range(reader, named("kept", field)); range) {
      board_.kept.push_back({field.name(), *range, why, field.key_place()});
    }
    reader.finish();
  }

  // Its base and size; nothing, and an error, where these are none.
  std::optional<core::PhysRange> read_range(Fields& reader, const std::string& what) {
    const std::uint64_t base = reader.address("base");
    const core::Bytes size = bytes(reader, "size");
    const auto range = core::PhysRange::make(core::PhysAddr{base}, size);
    if (range && !range->empty()) {
      return range;
    }
    reader.wrong(Code::kBoardValue,
                 fmt::format("{} is empty or ends above 2^64", what),
                 reader.value().place());
    return std::nullopt;
  }

  void read_expression(Value field,
                       std::string_view what,
                       std::vector<std::pair<std::string, Expression>>& list) {
    context_.check_identifier(field.name(), field.key_place());
    if (!field.is(Kind::kText)) {
      errors_.push_back(core::error(Code::kTomlType,
                                    fmt::format("{} must be a string such as \"1MiB\", not {}",
                                                named(what, field),
                                                docs::kind_name(field.kind())),
                                    field.place()));
      return;
    }
    list.emplace_back(field.name(), Expression{field.string(), field.place()});
  }

  void read_knob(Value field, core::Align granule, core::Align hard) {
    context_.check_identifier(field.name(), field.key_place());
    Fields reader{field, named("knob", field), errors_};
    if (!reader.is_table()) {
      return;
    }
    Knob knob;
    knob.name = field.name();
    knob.place = field.key_place();
    knob.default_value = required_expression(reader, "default");
    knob.granule = align(reader, "granule", granule);
    knob.hard_granule = align(reader, "hard_granule", hard);
    knob.minimum = bytes(reader, "minimum");
    knob.minimum_why = reader.one_line("why");
    if (const Value enough = reader.optional("enough", Kind::kText)) {
      knob.enough = reader.one_line("enough");
      if (!field["minimum"]) {
        reader.wrong(
            Code::kBoardValue,
            fmt::format("{} says that its minimum is enough, but has none", named("knob", field)),
            enough.place(),
            "add minimum = SIZE");
      }
    }
    if (const Value heap = reader.optional("heap", Kind::kText)) {
      knob.heap = read_heap(heap);
    }
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
    if (const Value demand = reader.optional("demand", Kind::kText)) {
      knob.demand = read_demand(demand);
      knob.demand_place = demand.place();
    }
    reader.finish();
    board_.knobs.push_back(std::move(knob));
  }

  std::optional<CoreHeap> read_heap(Value value) {
    std::istringstream words{value.string()};
    CoreHeap heap;
    std::string rest;
    if (!(words >> heap.core >> heap.name) || (words >> rest)) {
      errors_.push_back(
          core::error(Code::kBoardValue,
                      fmt::format("'{}' is not a heap of a core", core::printable(value.string())),
                      value.place(),
                      "a heap is two words: its core, and its name in statistics, such as \"dsp1 "
                      "DDR_LOCAL_MEM\""));
      return std::nullopt;
    }
    if (board_.find_core(heap.core) == nullptr) {
      context_.unknown_core(heap.core, value.place());
      return std::nullopt;
    }
    return heap;
  }

  std::optional<DemandKey> read_demand(Value value) {
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
      errors_.push_back(
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
    if (board_.find_core(key.core) == nullptr) {
      context_.unknown_core(key.core, value.place());
      return std::nullopt;
    }
    return key;
  }

  void read_group(Value field) {
    context_.check_identifier(field.name(), field.key_place());
    Fields reader{field, named("group", field), errors_};
    if (!reader.is_table()) {
      return;
    }
    Carveout group;
    group.name = field.name();
    group.place = field.key_place();
    group.attributes = ReaderContext::read_attributes(reader, "");
    (void)reader.required("covers", Kind::kList);
    ReaderContext::read_covers(reader, group.covers, group.cover_places);
    reader.finish();
    board_.groups.push_back(std::move(group));
  }

  void read_carveout(Value field) {
    context_.check_identifier(field.name(), field.key_place());
    Fields reader{field, named("carve-out", field), errors_};
    if (!reader.is_table()) {
      return;
    }
    Carveout carveout;
    carveout.label = field.name();
    carveout.place = field.key_place();
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
    context_.check_identifier(name);
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
    reader.finish();
    board_.carveouts.push_back(std::move(carveout));
  }

  void read_step(Value value) {
    Fields reader{value, "a rebuild step", errors_};
    RebuildStep step;
    const Text when = reader.required_text("when");
    step.when = when.text;
    step.what = reader.one_line("what");
    step.why = reader.one_line("why");
    step.run = reader.one_line("run");
    step.by_hand = reader.boolean("by_hand", false);
    if (when.written && step.when != "always" && step.when != "linux" &&
        board_.find_core(step.when) == nullptr) {
      context_.unknown_core(step.when, when.place);
    }
    reader.finish();
    board_.rebuild.push_back(std::move(step));
  }

  static constexpr std::size_t kLongestSource = 2000;

  static constexpr std::array<std::string_view, 7> kOursOfCore = {"mmu.syscfg",
                                                                  "mmu_map.json",
                                                                  "mpu.syscfg",
                                                                  "mpu_cfg.c",
                                                                  "mmu_tables.c",
                                                                  "mpu_table.c",
                                                                  "linker.ld"};

  Value file_;
  Board board_;
  Text linker_;
  Text header_;
  Text dts_;
  core::Diagnostics errors_;
  ReaderContext context_;
};

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
  return BoardReader{std::move(name), file, std::move(table)}.read();
}

}  // namespace memsize::board
