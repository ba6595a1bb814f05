// ST Edge AI's .mpool: what its compiler for the Neural-ART may use of an STM32N6, as JSON. Keys
// are of two kinds: those of files that people write (constants_preferred), and those of the copies
// that the compiler leaves beside its results (constantsPreferred). What a byte costs is taken from
// the clock and the width of its bus, which is what the file says of it in numbers.
#include "mpool.hpp"

#include "memsize/core/text.hpp"
#include "memsize/docs/parse.hpp"

#include "field_values.hpp"
#include "machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;

constexpr std::size_t kMostPools = 64;
constexpr double kDearestPool = 1000;
// Every arena begins at a multiple, as in parts' own files.
constexpr core::Align kPoolFloor = *core::Align::make(16);

struct Magnitude {
  std::string_view name;
  unsigned shift;
};

constexpr std::array kMagnitudes = {Magnitude{"BYTES", 0},
                                    Magnitude{"KBYTES", 10},
                                    Magnitude{"MBYTES", 20},
                                    Magnitude{"GBYTES", 30}};

// A key as people write it, or as the compiler does.
Value either(Value table, std::string_view written, std::string_view printed) {
  const Value one = table[written];
  return one ? one : table[printed];
}

class MpoolReader {
 public:
  explicit MpoolReader(const std::string& name) {
    set_.name = name;
    set_.title = "the pools of " + name;
  }

  core::Result<MemorySet> read(Value file) {
    Fields top{file, "the file", errors_, voice_};
    Fields memory{top.required("memory", Kind::kTable), "'memory'", errors_, voice_};
    const Value pools = memory.required("mempools", Kind::kList);
    if (pools.size() > kMostPools) {
      return core::fail(core::error(Code::kBoardValue,
                                    fmt::format("a part has at most {} pools", kMostPools),
                                    pools.place()));
    }
    for (const Value pool : pools) {
      read_pool(pool);
    }
    if (set_.memories.empty() && errors_.empty()) {
      memory.wrong(Code::kBoardValue, "no pool has any room", pools.place());
    }
    if (errors_.empty()) {
      put_in_order();
      errors_ = check_apart(set_, places_, [](const PartMemory& each) { return each.base; });
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(set_);
  }

 private:
  void read_pool(Value pool) {
    Fields fields{pool, fmt::format("pool {}", places_.size() + 1), errors_, voice_};
    const std::string shown = fields.required_one_line("name");
    const std::optional<std::uint64_t> offset = amount(fields, "offset");
    const std::optional<std::uint64_t> size = amount(fields, "size");
    Fields properties{fields.required("prop", Kind::kTable), "'prop'", errors_, voice_};
    const std::string rights = properties.one_of("rights", {"ACC_WRITE", "ACC_READ"});
    if (!offset || !size || *size == 0) {
      return;
    }
    PartMemory memory{.name = core::to_lower(shown)};
    if (!is_memory_name(memory.name)) {
      fields.wrong(Code::kBoardName,
                   fmt::format("'{}' is not a memory's name", core::printable(shown)),
                   pool["name"].place(),
                   "a letter, then letters, digits and '_'");
    } else if (!places_.emplace(memory.name, pool.place()).second) {
      fields.wrong(Code::kBoardName,
                   fmt::format("two pools are called '{}'", core::printable(shown)),
                   pool["name"].place());
    }
    memory.hardware = core::Bytes{*size};
    memory.window = memory.hardware;
    memory.base = core::PhysAddr{*offset};
    if (!core::PhysRange::make(*memory.base, memory.window)) {
      fields.wrong(Code::kBoardValue, "the pool ends above 2^64", pool["size"].place());
    }
    memory.writable = rights == "ACC_WRITE";
    // Who prefers it for constants puts them there.
    memory.is_volatile = memory.writable && !prefers_constants(properties.value());
    memory.arena_alignment = kPoolFloor;
    memory.source = fmt::format("pool '{}' of the .mpool", core::printable(shown));
    set_.memories.push_back(std::move(memory));
    costs_.push_back(cost_of(properties));
  }

  // {"value": "448", "magnitude": "KBYTES"}
  std::optional<std::uint64_t> amount(Fields& pool, std::string_view key) {
    Fields fields{pool.required(key, Kind::kTable), fmt::format("'{}'", key), errors_, voice_};
    const Value value = fields.value()["value"];
    std::optional<std::uint64_t> number;
    if (value.is(Kind::kWhole)) {
      number = value.whole();
    } else if (const auto typed = core::parse_address(value.text()); typed) {
      number = *typed;
    }
    const std::string_view said = fields.value()["magnitude"].text();
    const auto* magnitude = std::ranges::find(kMagnitudes, said, &Magnitude::name);
    if (!number || magnitude == kMagnitudes.end() || *number > UINT64_MAX >> magnitude->shift) {
      fields.wrong(Code::kBoardValue,
                   fmt::format("'{}' of a pool is no number of bytes", key),
                   pool.value()[key] ? pool.value()[key].place() : pool.place(),
                   R"(write it as {"value": "448", "magnitude": "KBYTES"})");
      return std::nullopt;
    }
    return *number << magnitude->shift;
  }

  static bool prefers_constants(Value properties) {
    const Value said = either(properties, "constants_preferred", "constantsPreferred");
    return (said.is(Kind::kBoolean) && said.boolean()) || said.text() == "true";
  }

  // Cycles of the fastest clock for a byte; 0: the file does not say.
  static double cost_of(Fields& properties) {
    const Value ratio = either(properties.value(), "freq_ratio", "freqRatio");
    const Value width = either(properties.value(), "byte_width", "byteWidth");
    const double clock = ratio.is(Kind::kReal)    ? ratio.real()
                         : ratio.is(Kind::kWhole) ? static_cast<double>(ratio.whole())
                                                  : 0;
    const double bytes = width.is(Kind::kWhole) ? static_cast<double>(width.whole()) : 0;
    return clock > 0 && bytes > 0 ? clock / bytes : 0;
  }

  // The cheapest first, whose cost is 1.
  void put_in_order() {
    double least = 0;
    for (const double cost : costs_) {
      least = cost > 0 && (least == 0 || cost < least) ? cost : least;
    }
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      const double ratio = costs_[i] > 0 ? costs_[i] / least : 1;
      set_.memories[i].cost =
          static_cast<std::uint32_t>(std::lround(std::min(ratio, kDearestPool)));
    }
    std::ranges::stable_sort(set_.memories, {}, &PartMemory::cost);
  }

  const docs::Voice voice_ =
      docs::Voice::of(Code::kBoardValue, "ST Edge AI's examples have such files");
  MemorySet set_;
  std::vector<double> costs_;
  MemoryPlaces places_;
  core::Diagnostics errors_;
};

}  // namespace

core::Result<MemorySet> read_mpool(std::string_view text,
                                   const std::string& path,
                                   const std::string& name) {
  const auto document = docs::parse_json(text, path, Code::kBoardValue);
  MEMSIZE_TRY(document);
  auto set = MpoolReader{name}.read(document->root());
  if (set) {
    set->files = {path};
    set->sources = {path};
  }
  return set;
}

}  // namespace memsize::board
