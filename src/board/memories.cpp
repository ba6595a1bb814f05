// From a name or a path to the memories of a part. Two memories share no address; what is kept free
// in each is taken off in whole numbers, so that no product leaves 64 bits.
#include "memsize/board/memories.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/text.hpp"

#include "field_values.hpp"

#include <algorithm>
#include <map>
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

bool is_memory_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name.front() >= 'a' && name.front() <= 'z' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

class MemoriesReader {
 public:
  core::Result<MemorySet> read(const std::string& name, Value file) {
    Fields top{file, "the part", errors_};
    const auto schema = top.integer("schema");
    if (schema.value_or(0) != 1) {
      top.wrong(Code::kBoardValue, "'schema' of the part must be 1", file.place());
    }
    set_.name = name;
    set_.title = top.required_one_line("title");
    (void)top.strings("sources");
    set_.alignment = align(top, "alignment");
    const Value memories = top.fields("memory");
    if (memories.size() > kMostMemories) {
      return core::fail(core::error(Code::kBoardValue,
                                    fmt::format("a part has at most {} memories", kMostMemories),
                                    file.place()));
    }
    for (const Value field : memories) {
      read_memory(field);
    }
    top.finish();
    if (set_.memories.empty() && errors_.empty()) {
      top.wrong(Code::kTomlMissingKey, "the part has no memory", file.place());
    }
    // Files that inherit need not know the order of those that they change.
    std::ranges::stable_sort(set_.memories, {}, &PartMemory::cost);
    check_apart();
    if (!errors_.empty()) {
      core::sort_by_place(errors_);
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(set_);
  }

 private:
  void read_memory(Value field) {
    Fields reader{field, fmt::format("memory '{}'", core::printable(field.name())), errors_};
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
    const core::Align floor = std::max(set_.alignment, *core::Align::make(kArenaFloor));
    memory.arena_alignment = std::max(floor, align(reader, "arena_alignment", floor));
    memory.writable = reader.boolean("writable", true);
    memory.is_volatile = reader.boolean("volatile", true);
    memory.by_rule = reader.boolean("by_rule", false);
    memory.cost = read_number(reader, "cost", 1, kDearest);
    memory.source = reader.required_one_line("source");
    reader.finish();
    check_sizes(reader, memory);
    set_.memories.push_back(std::move(memory));
    places_.emplace(field.name(), field.key_place());
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

  static void check_sizes(Fields& reader, const PartMemory& memory) {
    if (memory.window > memory.hardware) {
      reader.wrong(Code::kBoardValue,
                   fmt::format("the window of '{}' has {}, the hardware {}",
                               memory.name,
                               core::format_size(memory.window),
                               core::format_size(memory.hardware)),
                   reader.place(),
                   "the window is what programs get of the hardware");
    }
    if (memory.base && !core::PhysRange::make(*memory.base, memory.window)) {
      reader.wrong(
          Code::kBoardValue, fmt::format("'{}' ends above 2^64", memory.name), reader.place());
    }
  }

  // Two memories of one part share no address.
  void check_apart() {
    for (std::size_t i = 0; i < set_.memories.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const PartMemory& a = set_.memories[j];
        const PartMemory& b = set_.memories[i];
        const auto first = a.base ? core::PhysRange::make(*a.base, a.window) : std::nullopt;
        const auto second = b.base ? core::PhysRange::make(*b.base, b.window) : std::nullopt;
        if (first && second && first->overlaps(*second)) {
          errors_.push_back(
              core::error(Code::kBoardValue,
                          fmt::format("the memories '{}' and '{}' share addresses", a.name, b.name),
                          places_[b.name])
                  .beside(places_[a.name], fmt::format("'{}' stands here", a.name))
                  .with({fmt::format("{} {}", a.name, core::format_range(*first)),
                         fmt::format("{} {}", b.name, core::format_range(*second))}));
        }
      }
    }
  }

  MemorySet set_;
  // By name.
  std::map<std::string, core::Place> places_;
  core::Diagnostics errors_;
};

tl::unexpected<core::Diagnostics> unknown_part(const std::string& name,
                                               const std::vector<std::string>& known) {
  std::string hint = core::did_you_mean(core::to_lower(name), known);
  return core::fail(
      core::error(
          Code::kBoardUnknown,
          fmt::format("there is no part '{}' whose memories are known", core::printable(name)),
          {},
          hint.empty() ? fmt::format("the parts are: {}; a path to a .toml file works too",
                                     core::join(known, ", "))
                       : hint)
          .of_option("--board"));
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

core::Result<std::vector<std::string>> bundled_memories(core::FileSystem& files,
                                                        const std::string& folder) {
  return bundled_boards(files, folder);
}

core::Result<MemorySet> load_memories(core::FileSystem& files,
                                      const std::string& folder,
                                      const std::string& name) {
  std::string path = name;
  std::string short_name = name;
  if (name.find('/') != std::string::npos || name.ends_with(kMemoriesExtension)) {
    short_name = short_name.substr(short_name.rfind('/') + 1);
    if (short_name.ends_with(kMemoriesExtension)) {
      short_name.resize(short_name.size() - kMemoriesExtension.size());
    }
  } else {
    const auto known = bundled_memories(files, folder);
    MEMSIZE_TRY(known);
    if (std::find(known->begin(), known->end(), name) == known->end()) {
      return unknown_part(name, *known);
    }
    path = fmt::format("{}/{}{}", folder, name, kMemoriesExtension);
  }
  std::vector<std::string> read;
  const auto file = load_inherited(files, path, folder, &read);
  MEMSIZE_TRY(file);
  auto set = MemoriesReader{}.read(core::printable(short_name), file->root());
  if (set) {
    set->files = std::move(read);
  }
  return set;
}

}  // namespace memsize::board
