// Every number of [tiles] is a knob by its key, and a consumer may have one: one table of keys
// serves the file, --set and what is said of unknown names.
#include "part_budgets.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;

// Sums of a few stay exact.
constexpr core::Bytes kLargest{std::uint64_t{1} << 62};
// Of workers and of commands that are open at once.
constexpr std::uint64_t kMostAtOnce = 1024;
constexpr auto kTileMemories = std::to_array<std::string_view>({"l1", "l2", "l3"});

struct SizeKey {
  std::string_view key;
  core::Bytes TileRules::*size;
};

constexpr auto kSizes = std::to_array<SizeKey>(
    {{"l1", &TileRules::l1}, {"l2", &TileRules::l2}, {"dma_longest", &TileRules::dma_longest}});

// Without one there is no such limit.
struct LimitKey {
  std::string_view key;
  std::optional<core::Bytes> TileRules::*limit;
};

constexpr auto kLimits =
    std::to_array<LimitKey>({{"stage", &TileRules::stage},
                             {"stage_linear", &TileRules::stage_linear},
                             {"stage_attention", &TileRules::stage_attention},
                             {"activations", &TileRules::activations},
                             {"activation_spill", &TileRules::activation_spill}});

struct CountKey {
  std::string_view key;
  std::uint64_t TileRules::*count;
};

constexpr auto kCounts =
    std::to_array<CountKey>({{"dma_open", &TileRules::dma_open}, {"workers", &TileRules::workers}});

std::vector<std::string> tile_keys() {
  std::vector<std::string> keys;
  const auto add = [&](const auto& table) {
    for (const auto& row : table) {
      keys.emplace_back(row.key);
    }
  };
  add(kSizes);
  add(kLimits);
  add(kCounts);
  return keys;
}

std::vector<std::string> knobs_of(const MemorySet& part) {
  std::vector<std::string> knobs = part.tiles ? tile_keys() : std::vector<std::string>{};
  for (const PartMemory& memory : part.memories) {
    for (const PartConsumer& consumer : memory.consumers) {
      if (!consumer.knob.empty()) {
        knobs.push_back(consumer.knob);
      }
    }
  }
  return knobs;
}

// Nothing: it is not there, or none, which was told.
std::optional<core::Bytes> read_tile_size(Fields& reader,
                                          std::string_view key,
                                          const docs::Value& written,
                                          std::uint64_t least) {
  const std::size_t before = reader.errors().size();
  if (!written) {
    return std::nullopt;
  }
  const core::Bytes size = bytes(reader, key);
  if (reader.errors().size() != before) {
    return std::nullopt;
  }
  if (size > kLargest || size.count() < least) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("'{}' of {} must be {} to 2^62 bytes, not {}",
                             key,
                             reader.what(),
                             least,
                             core::format_bytes(size)),
                 written.place());
    return std::nullopt;
  }
  return size;
}

core::Bytes read_needed_size(Fields& reader, std::string_view key, std::uint64_t least) {
  return read_tile_size(reader, key, reader.required(key, Kind::kText), least)
      .value_or(core::Bytes{});
}

std::uint64_t read_tile_count(Fields& reader, std::string_view key) {
  const docs::Value written = reader.required(key, Kind::kWhole);
  if (!written) {
    return 1;
  }
  const std::uint64_t count = reader.integer(key).value_or(0);
  if (count == 0 || count > kMostAtOnce) {
    reader.wrong(
        Code::kBoardValue,
        fmt::format("'{}' of {} must be 1 to {}, not {}", key, reader.what(), kMostAtOnce, count),
        written.place());
  }
  return count;
}

core::Diagnostic knob_error(Code code,
                            const std::string& name,
                            std::string message,
                            std::string hint) {
  core::Diagnostic wrong = core::error(code, std::move(message), {}, std::move(hint));
  wrong.parties = {{"knob", name}};
  wrong.option = "--set " + name;
  return wrong;
}

std::string all_knobs(const std::vector<std::string>& knobs) {
  return knobs.empty() ? "it has none: its files have no [tiles], and no consumer with a knob"
                       : fmt::format("its knobs are: {}", core::join(knobs, ", "));
}

core::Result<void> set_count(std::uint64_t& count,
                             const std::string& name,
                             const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc{} || read_to != end || number == 0 || number > kMostAtOnce) {
    return core::fail(knob_error(Code::kKnobSyntax,
                                 name,
                                 fmt::format("--set {}: '{}' is not a number from 1 to {}",
                                             name,
                                             core::printable(text, 60),
                                             kMostAtOnce),
                                 {}));
  }
  count = number;
  return {};
}

core::Result<core::Bytes> set_size(const std::string& name,
                                   const std::string& text,
                                   bool may_be_nothing) {
  auto size = core::parse_bytes(text);
  if (!size) {
    for (core::Diagnostic& problem : size.error()) {
      problem.message = fmt::format("--set {}: {}", name, problem.message);
      problem.option = "--set " + name;
    }
    return size;
  }
  if (*size > kLargest || (size->count() == 0 && !may_be_nothing)) {
    return core::fail(knob_error(Code::kKnobSyntax,
                                 name,
                                 fmt::format("--set {}: {} bytes are too {}",
                                             name,
                                             size->count(),
                                             size->count() == 0 ? "few" : "many"),
                                 fmt::format("{} to 2^62", may_be_nothing ? 0 : 1)));
  }
  return size;
}

core::Result<void> set_tiles(TileRules& tiles, const std::string& name, const std::string& text) {
  if (const CountKey* const row = core::find_in(kCounts, name, &CountKey::key); row != nullptr) {
    return set_count(tiles.*(row->count), name, text);
  }
  const SizeKey* const needed = core::find_in(kSizes, name, &SizeKey::key);
  const auto size = set_size(name, text, needed == nullptr);
  MEMSIZE_TRY(size);
  if (needed != nullptr) {
    tiles.*(needed->size) = *size;
  } else {
    tiles.*(core::find_in(kLimits, name, &LimitKey::key)->limit) = *size;
  }
  return {};
}

}  // namespace

TileRules read_tile_rules(Fields reader) {
  TileRules rules;
  for (const SizeKey& row : kSizes) {
    rules.*(row.size) = read_needed_size(reader, row.key, 1);
  }
  for (const LimitKey& row : kLimits) {
    rules.*(row.limit) = read_tile_size(reader, row.key, reader.optional(row.key, Kind::kText), 0);
  }
  for (const CountKey& row : kCounts) {
    rules.*(row.count) = read_tile_count(reader, row.key);
  }
  rules.source = reader.required_one_line("source");
  reader.finish();
  return rules;
}

PartConsumer read_consumer(Fields reader) {
  PartConsumer consumer;
  consumer.name = reader.required_one_line("name");
  consumer.size = read_needed_size(reader, "size", 0);
  const Text knob = reader.text("knob");
  if (knob.written && !core::is_identifier(knob.text)) {
    reader.wrong(
        Code::kBoardName,
        fmt::format("'knob' of {} is not '{}'", reader.what(), core::printable(knob.text, 60)),
        knob.place,
        "letters, digits and underscores, no digit first");
  } else {
    consumer.knob = knob.text;
  }
  consumer.in_image = reader.boolean("in_image", false);
  consumer.of = reader.one_line("of");
  consumer.source = reader.required_one_line("source");
  reader.finish();
  return consumer;
}

core::Diagnostics check_tile_rules(const MemorySet& part, const core::Place& place) {
  if (!part.tiles) {
    return {};
  }
  core::Diagnostics errors;
  for (const std::string_view name : kTileMemories) {
    if (!core::contains(part.memories, name, &PartMemory::name)) {
      errors.push_back(core::error(Code::kBoardReference,
                                   fmt::format("[tiles] needs a memory '{}'", name),
                                   place,
                                   "tiles are in l1, slabs in l2, what is staged comes from l3"));
    }
  }
  const auto check = [&](std::string_view name, core::Bytes wanted) {
    const PartMemory* const memory = core::find_in(part.memories, name, &PartMemory::name);
    if (memory != nullptr && wanted > memory->hardware) {
      errors.push_back(core::error(Code::kBoardValue,
                                   fmt::format("'{}' of [tiles] is {}, the hardware has {}",
                                               name,
                                               core::format_bytes(wanted),
                                               core::format_bytes(memory->hardware)),
                                   place));
    }
  };
  check("l1", part.tiles->l1);
  check("l2", part.tiles->l2);
  return errors;
}

core::Diagnostics check_knobs(const MemorySet& part,
                              const std::map<std::string, core::Place>& places) {
  const std::vector<std::string> keys = tile_keys();
  std::set<std::string> knobs{keys.begin(), keys.end()};
  core::Diagnostics errors;
  for (const PartMemory& memory : part.memories) {
    for (const PartConsumer& consumer : memory.consumers) {
      if (!consumer.knob.empty() && !knobs.insert(consumer.knob).second) {
        errors.push_back(core::error(
            Code::kBoardName,
            fmt::format(
                "knob '{}' of a consumer of '{}' has another use", consumer.knob, memory.name),
            places.at(memory.name),
            core::contains(keys, consumer.knob) ? "[tiles] has a knob for each of its keys"
                                                : "a knob is of one consumer"));
      }
    }
  }
  return errors;
}

core::Result<void> set_of_part(MemorySet& part, const std::string& typed) {
  const std::vector<std::string> knobs = knobs_of(part);
  const std::size_t equals = typed.find('=');
  if (equals == std::string::npos || equals == 0) {
    return core::fail(
        core::error(Code::kKnobSyntax,
                    fmt::format("'{}' does not set a knob", core::printable(typed, 80)),
                    {},
                    "write --set KNOB=SIZE; " + all_knobs(knobs)));
  }
  const std::string name = typed.substr(0, equals);
  const std::string text = typed.substr(equals + 1);
  if (part.tiles && core::contains(tile_keys(), name)) {
    return set_tiles(*part.tiles, name, text);
  }
  for (PartMemory& memory : part.memories) {
    PartConsumer* const consumer = core::find_where(
        memory.consumers,
        [&](const PartConsumer& each) { return !each.knob.empty() && each.knob == name; });
    if (consumer != nullptr) {
      const auto size = set_size(name, text, true);
      MEMSIZE_TRY(size);
      consumer->size = *size;
      return {};
    }
  }
  const std::string hint = core::did_you_mean(name, knobs);
  return core::fail(knob_error(
      Code::kKnobUnknown,
      name,
      fmt::format("part '{}' has no knob '{}'", core::printable(part.name), core::printable(name)),
      hint.empty() ? all_knobs(knobs) : hint));
}

}  // namespace memsize::board
