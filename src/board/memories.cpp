// From a name or a path to the memories of a part. Two memories share no address, neither on the
// part nor on the machine that emulates it; what is kept free in each is taken off in whole
// numbers, so that no product leaves 64 bits.
#include "memsize/board/memories.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "field_values.hpp"
#include "machine.hpp"
#include "mpool.hpp"
#include "part_budgets.hpp"
#include "part_sections.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;

constexpr std::string_view kMemoriesExtension = ".toml";
// Every arena begins at a multiple (helia-aot: the floor of an arena's base).
constexpr std::uint64_t kArenaFloor = 16;
constexpr std::uint64_t kWholePercent = 100;
// Sums of costs, uses and sizes stay exact far beyond any part.
constexpr std::uint64_t kDearest = 1'000'000;
constexpr std::size_t kMostMemories = 64;
constexpr std::size_t kMostSections = 64;
constexpr std::size_t kMostConsumers = 64;
constexpr std::string_view kNotEmulated = "none";

// It becomes part of a command line, or of a path.
std::string machine_word(Fields& reader, std::string_view key) {
  const Text text = reader.text(key);
  if (text.written && !is_machine_name(text.text)) {
    reader.wrong(Code::kBoardName,
                 fmt::format("'{}' of the part is not '{}'", key, core::printable(text.text, 60)),
                 text.place,
                 "a small letter, then small letters, digits and '-'");
    return {};
  }
  return text.text;
}

// It stands in linker scripts.
std::string region_name(Fields& reader, std::string_view key) {
  const Text text = reader.text(key);
  if (text.written && !core::is_identifier(text.text)) {
    reader.wrong(
        Code::kBoardName,
        fmt::format("'{}' of {} is not '{}'", key, reader.what(), core::printable(text.text, 60)),
        text.place,
        "letters, digits and underscores, no digit first");
    return {};
  }
  return text.text;
}

std::uint32_t read_number(Fields& reader,
                          const char* key,
                          std::uint64_t fallback,
                          std::uint64_t most) {
  const auto number = reader.integer(key);
  if (number && (*number > most || *number < fallback)) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("'{}' must be {} to {}, not {}", key, fallback, most, *number),
                 reader.optional(key, Kind::kWhole).place());
    return static_cast<std::uint32_t>(fallback);
  }
  return static_cast<std::uint32_t>(number.value_or(fallback));
}

void read_emulated(Fields& reader, const MemorySet& set, PartMemory& memory) {
  const Value emulated = reader.optional("emulated", Kind::kText);
  if (!emulated) {
    return;
  }
  if (set.machine.empty()) {
    reader.wrong(Code::kBoardReference,
                 fmt::format("'emulated' of {} needs the part's 'machine'", reader.what()),
                 emulated.place());
  } else if (emulated.text() == kNotEmulated) {
    memory.is_emulated = false;
  } else {
    memory.emulated_base = core::PhysAddr{reader.address("emulated")};
  }
}

std::vector<MemorySection> read_part_sections(Fields& reader, const PartMemory& memory) {
  std::vector<MemorySection> sections;
  const Value list = reader.optional("sections", Kind::kList);
  if (list.size() > kMostSections) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("a memory has at most {} sections", kMostSections),
                 list.place());
    return sections;
  }
  for (const Value item : list) {
    Fields section{item, fmt::format("a section of '{}'", memory.name), reader.errors()};
    if (section.is_table()) {
      sections.push_back(read_part_section(section, memory.name, memory.writable));
    }
  }
  return sections;
}

std::vector<PartConsumer> read_consumers(Fields& reader, const std::string& memory) {
  std::vector<PartConsumer> consumers;
  const Value list = reader.optional("consumers", Kind::kList);
  if (list.size() > kMostConsumers) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("a memory has at most {} consumers", kMostConsumers),
                 list.place());
    return consumers;
  }
  for (const Value item : list) {
    Fields consumer{item, fmt::format("a consumer of '{}'", memory), reader.errors()};
    if (consumer.is_table()) {
      consumers.push_back(read_consumer(consumer));
    }
  }
  return consumers;
}

// As reports have them: no two memories of the part have one name.
core::Diagnostics check_names(const MemorySet& set, const MemoryPlaces& places) {
  std::set<std::string> names;
  for (const PartMemory& memory : set.memories) {
    names.insert(memory.name);
  }
  core::Diagnostics errors;
  for (const PartMemory& memory : set.memories) {
    for (const std::string& name : memory.also) {
      const std::string shown = core::printable(name, 60);
      if (!is_memory_name(name)) {
        errors.push_back(core::error(
            Code::kBoardName,
            fmt::format("'also' of memory '{}' has '{}', which no report calls a memory",
                        memory.name,
                        shown),
            places.at(memory.name),
            "a small letter, then small letters, digits and '_', as reports have it in lower "
            "case"));
      } else if (!names.insert(name).second) {
        errors.push_back(core::error(
            Code::kBoardName,
            fmt::format(
                "'also' of memory '{}' has '{}', which has another use", memory.name, shown),
            places.at(memory.name),
            "a name is of one memory"));
      }
    }
  }
  return errors;
}

void check_sizes(Fields& reader, const PartMemory& memory) {
  if (memory.window > memory.hardware) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("the window of '{}' has {}, the hardware {}",
                             memory.name,
                             core::format_size(memory.window),
                             core::format_size(memory.hardware)),
                 reader.place(),
                 "the window is what programs get of the hardware");
  }
  for (const auto& base : {memory.base, memory.emulated_base}) {
    if (base && !core::PhysRange::make(*base, memory.window)) {
      reader.wrong(
          Code::kBoardValue, fmt::format("'{}' ends above 2^64", memory.name), reader.place());
    }
  }
}

// Of the part are its alignment and its machine.
PartMemory read_memory(Value field,
                       const MemorySet& set,
                       std::vector<MemorySection>& sections,
                       core::Diagnostics& errors) {
  Fields reader{field, fmt::format("memory '{}'", core::printable(field.name())), errors};
  if (!is_memory_name(field.name())) {
    reader.wrong(Code::kBoardName,
                 fmt::format("'{}' is not a memory's name", core::printable(field.name())),
                 field.key_place(),
                 "a small letter, then small letters, digits and '_'");
  }
  PartMemory memory{.name = field.name()};
  (void)reader.required("hardware", Kind::kText);
  memory.hardware = bytes(reader, "hardware");
  memory.window = bytes(reader, "window", memory.hardware);
  if (field["base"]) {
    memory.base = core::PhysAddr{reader.address("base")};
  } else {
    (void)reader.optional("base", Kind::kText);
  }
  memory.reserve_percent = read_number(reader, "reserve_percent", 0, kWholePercent);
  memory.reserve = bytes(reader, "reserve");
  const core::Align floor = std::max(set.alignment, *core::Align::make(kArenaFloor));
  memory.arena_alignment = std::max(floor, align(reader, "arena_alignment", floor));
  memory.writable = reader.boolean("writable", true);
  memory.is_volatile = reader.boolean("volatile", true);
  memory.by_rule = reader.boolean("by_rule", false);
  memory.cost = read_number(reader, "cost", 1, kDearest);
  memory.source = reader.required_one_line("source");
  memory.also = reader.strings("also");
  memory.region = region_name(reader, "region");
  memory.zephyr_region = region_name(reader, "zephyr");
  read_emulated(reader, set, memory);
  for (MemorySection& section : read_part_sections(reader, memory)) {
    memory.sections.push_back(section.section);
    sections.push_back(std::move(section));
  }
  memory.consumers = read_consumers(reader, memory.name);
  reader.finish();
  check_sizes(reader, memory);
  return memory;
}

core::Result<MemorySet> read_memory_set(core::FileSystem& files,
                                        const std::string& folder,
                                        const std::string& name,
                                        Value file) {
  core::Diagnostics errors;
  MemorySet set{.name = name};
  Fields top{file, "the part", errors};
  const auto schema = top.integer("schema");
  if (schema.value_or(0) != 1) {
    top.wrong(Code::kBoardValue, "'schema' of the part must be 1", file.place());
  }
  set.title = top.required_one_line("title");
  set.sources = top.strings("sources");
  set.core = machine_word(top, "core");
  set.mve = top.boolean("mve", false);
  set.machine = machine_word(top, "machine");
  set.alignment = align(top, "alignment");
  const Value memories = top.fields("memory");
  if (memories.size() > kMostMemories) {
    return core::fail(core::error(Code::kBoardValue,
                                  fmt::format("a part has at most {} memories", kMostMemories),
                                  file.place()));
  }
  std::vector<MemorySection> sections;
  MemoryPlaces places;
  for (const Value field : memories) {
    set.memories.push_back(read_memory(field, set, sections, errors));
    places.emplace(field.name(), field.key_place());
  }
  const Value tiles = top.fields("tiles");
  if (tiles) {
    set.tiles = read_tile_rules({tiles, "[tiles]", errors});
  }
  top.finish();
  if (set.memories.empty() && errors.empty()) {
    top.wrong(Code::kTomlMissingKey, "the part has no memory", file.place());
  }
  // Files that inherit need not know the order of those that they change.
  std::ranges::stable_sort(set.memories, {}, &PartMemory::cost);
  const auto keep = [&](const core::Diagnostics& found) {
    errors.insert(errors.end(), found.begin(), found.end());
  };
  keep(check_apart(set, places, [](const PartMemory& memory) { return memory.base; }));
  if (errors.empty()) {
    keep(check_names(set, places));
    keep(check_sections(sections));
    keep(check_tile_rules(set, tiles.place()));
    keep(check_knobs(set, places));
    keep(check_machine(files, folder, set, places));
  }
  if (!errors.empty()) {
    core::sort_by_place(errors);
    return tl::make_unexpected(std::move(errors));
  }
  return set;
}

tl::unexpected<core::Diagnostics> unknown_part(std::string what, std::string hint) {
  return core::fail(
      core::error(Code::kBoardUnknown, std::move(what), {}, std::move(hint)).of_option("--board"));
}

std::string all_parts(const std::vector<std::string>& known) {
  return fmt::format("the parts are: {}; a path to a .toml or .mpool file works too",
                     core::join(known, ", "));
}

tl::unexpected<core::Diagnostics> is_a_board(const std::string& name,
                                             const std::vector<std::string>& parts) {
  return unknown_part(
      fmt::format("'{}' is a board, whose map is computed: it has no memories that tensors are "
                  "planned into",
                  core::printable(name)),
      fmt::format(
          "memsize emit --board {} writes its map; {}", core::shell_path(name), all_parts(parts)));
}

tl::unexpected<core::Diagnostics> no_such_part(const std::string& name,
                                               const std::vector<std::string>& known) {
  std::string hint = core::did_you_mean(core::to_lower(name), known);
  return unknown_part(
      fmt::format("there is no part '{}' whose memories are known", core::printable(name)),
      hint.empty() ? all_parts(known) : hint);
}

// Boards' files lie beside the folder of those of parts.
std::string boards_beside(const std::string& folder) {
  return folder.substr(0, std::min(folder.rfind('/'), folder.size()));
}

bool is_board_file(const core::Result<docs::Document>& file) {
  return file && file->root()["soc"] && !file->root()["memory"];
}

}  // namespace

core::Bytes budget_of(const PartMemory& memory) {
  // In hundreds and the rest, so that no product leaves 64 bits.
  const std::uint64_t left =
      kWholePercent - std::min<std::uint64_t>(memory.reserve_percent, kWholePercent);
  const std::uint64_t window = memory.window.count();
  const std::uint64_t kept =
      window / kWholePercent * left + window % kWholePercent * left / kWholePercent;
  return core::Bytes{kept} - memory.reserve;
}

std::optional<core::PhysAddr> emulated_at(const MemorySet& part, const PartMemory& memory) {
  if (part.machine.empty() || !memory.is_emulated) {
    return std::nullopt;
  }
  return memory.emulated_base ? memory.emulated_base : memory.base;
}

core::Result<std::vector<std::string>> bundled_memories(core::FileSystem& files,
                                                        const std::string& folder) {
  return bundled_boards(files, folder);
}

core::Result<MemorySet> load_memories(core::FileSystem& files,
                                      const std::string& folder,
                                      const std::string& name) {
  std::string path = name;
  std::string short_name = name;
  if (name.ends_with(kMpoolExtension)) {
    const auto text = files.read(path, core::kWrittenFile);
    MEMSIZE_TRY(text);
    short_name = short_name.substr(short_name.rfind('/') + 1);
    short_name.resize(short_name.size() - kMpoolExtension.size());
    return read_mpool(*text, path, core::printable(short_name));
  }
  if (name.find('/') != std::string::npos || name.ends_with(kMemoriesExtension)) {
    short_name = short_name.substr(short_name.rfind('/') + 1);
    if (short_name.ends_with(kMemoriesExtension)) {
      short_name.resize(short_name.size() - kMemoriesExtension.size());
    }
  } else {
    const auto known = bundled_memories(files, folder);
    MEMSIZE_TRY(known);
    if (!core::contains(*known, name)) {
      return kind_of_board(files, boards_beside(folder), name) == BoardKind::kBoard
                 ? is_a_board(name, *known)
                 : no_such_part(name, *known);
    }
    path = fmt::format("{}/{}{}", folder, name, kMemoriesExtension);
  }
  std::vector<std::string> read;
  const auto file = load_inherited(files, path, folder, &read);
  if (is_board_file(file) ||
      (!file && is_board_file(load_inherited(files, path, boards_beside(folder))))) {
    return is_a_board(name, bundled_memories(files, folder).value_or(std::vector<std::string>{}));
  }
  MEMSIZE_TRY(file);
  auto set = read_memory_set(files, folder, core::printable(short_name), file->root());
  if (set) {
    set->files = std::move(read);
  }
  return set;
}

}  // namespace memsize::board
