// ST Edge AI's .mpool: what its compiler for an accelerator may use of a part, as JSON. Keys
// are of two kinds: those of files that people write (freq_ratio), and those of the copies that the
// compiler leaves beside its results (freqRatio). What a byte costs is taken from
// the clock and the width of its bus, which is what the file says of it in numbers.
#include "mpool.hpp"

#include "memsize/core/text.hpp"
#include "memsize/docs/parse.hpp"

#include "field_values.hpp"
#include "machine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

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
    const Value memory = file.is(Kind::kTable) ? top.required("memory", Kind::kTable) : Value{};
    const Value pools =
        memory.is(Kind::kTable)
            ? Fields{memory, "'memory'", errors_, voice_}.required("mempools", Kind::kList)
            : Value{};
    if (!pools.is(Kind::kList)) {
      if (errors_.empty()) {
        top.wrong(Code::kBoardValue, "the file is no object with 'memory'", file.place());
      }
      return tl::make_unexpected(std::move(errors_));
    }
    if (pools.size() > kMostPools) {
      return core::fail(core::error(Code::kBoardValue,
                                    fmt::format("a part has at most {} pools", kMostPools),
                                    pools.place()));
    }
    std::size_t number = 0;
    for (const Value pool : pools) {
      read_pool(pool, ++number);
    }
    if (pools_.empty() && errors_.empty()) {
      top.wrong(Code::kBoardValue, "no pool has any room", pools.place());
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
  void read_pool(Value pool, std::size_t number) {
    Fields fields{pool, fmt::format("pool {}", number), errors_, voice_};
    if (!pool.is(Kind::kTable)) {
      fields.wrong(Code::kBoardValue, fmt::format("pool {} is no object", number), pool.place());
      return;
    }
    // Not memory but a file of the compiler's, whose addresses begin at 0.
    if (pool["mode"].text() == "USEMODE_RELATIVE") {
      return;
    }
    const std::string shown = fields.required_one_line("name");
    const std::optional<std::uint64_t> offset = amount(fields, "offset");
    const std::optional<std::uint64_t> size = amount(fields, "size");
    const Value prop = fields.required("prop", Kind::kTable);
    if (!prop.is(Kind::kTable) || shown.empty() || !offset || !size || *size == 0) {
      return;
    }
    Fields properties{prop, fmt::format("'prop' of pool {}", number), errors_, voice_};
    const std::string rights = properties.one_of("rights", {"ACC_WRITE", "ACC_READ"});
    PartMemory memory{.name = core::to_lower(shown)};
    if (!is_memory_name(memory.name)) {
      fields.wrong(Code::kBoardName,
                   fmt::format("'{}' is not a memory's name", core::printable(shown)),
                   pool["name"].place(),
                   "a letter, then letters, digits and '_'");
    } else if (const auto [other, is_new] = places_.emplace(memory.name, pool.place()); !is_new) {
      fields.wrong(Code::kBoardName,
                   fmt::format("pool {} is called '{}', as the one of line {} is",
                               number,
                               core::printable(shown),
                               other->second.line),
                   pool["name"].place(),
                   "give one of them another name: small and capital letters are the same here");
    }
    memory.hardware = core::Bytes{*size};
    memory.window = memory.hardware;
    memory.base = core::PhysAddr{*offset};
    if (!core::PhysRange::make(*memory.base, memory.window)) {
      fields.wrong(Code::kBoardValue,
                   fmt::format("pool {} ends above 2^64", number),
                   pool["size"].place(),
                   "its size, or its offset, is too large");
    }
    memory.writable = rights == "ACC_WRITE";
    // Constants may be preferred in RAM, too, but something must bring them there.
    memory.is_volatile = memory.writable;
    memory.arena_alignment = kPoolFloor;
    const double cost = cost_of(prop);
    memory.source = fmt::format("pool '{}' of the .mpool{}",
                                core::printable(shown),
                                cost > 0 ? "" : ", which does not say how fast it is: last of all");
    pools_.emplace_back(cost > 0 ? cost : std::numeric_limits<double>::infinity(),
                        std::move(memory));
  }

  // {"value": "448", "magnitude": "KBYTES"}
  std::optional<std::uint64_t> amount(Fields& pool, std::string_view key) {
    const Value table = pool.required(key, Kind::kTable);
    if (!table.is(Kind::kTable)) {
      return std::nullopt;
    }
    const Value value = table["value"];
    std::optional<std::uint64_t> number;
    if (value.is(Kind::kWhole)) {
      number = value.whole();
    } else if (const auto typed = core::parse_address(value.text()); typed) {
      number = *typed;
    }
    const std::string_view said = table["magnitude"].text();
    const auto* magnitude = std::ranges::find(kMagnitudes, said, &Magnitude::name);
    if (!number || magnitude == kMagnitudes.end() || *number > UINT64_MAX >> magnitude->shift) {
      pool.wrong(Code::kBoardValue,
                 fmt::format("'{}' of {} is no number of bytes", key, pool.what()),
                 table.place(),
                 R"(write it as {"value": "448", "magnitude": "KBYTES"})");
      return std::nullopt;
    }
    return *number << magnitude->shift;
  }

  // A number, in text perhaps; 0: none.
  static double number_in(Value value) {
    if (value.is(Kind::kReal)) {
      return value.real();
    }
    if (value.is(Kind::kWhole)) {
      return static_cast<double>(value.whole());
    }
    const std::string_view text = value.text();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? number : 0;
  }

  // Cycles of the fastest clock for a byte; 0: the file does not say.
  static double cost_of(Value properties) {
    const double ratio = number_in(either(properties, "freq_ratio", "freqRatio"));
    const double width = number_in(either(properties, "byte_width", "byteWidth"));
    const double cost = ratio > 0 && width > 0 ? ratio / width : 0;
    return std::isfinite(cost) ? cost : 0;
  }

  // The cheapest first, whose cost is 1; what costs more has a higher one, however little it is.
  void put_in_order() {
    std::ranges::stable_sort(pools_, {}, &std::pair<double, PartMemory>::first);
    const double least = pools_.front().first;
    double before = least;
    std::uint32_t cost = 1;
    for (auto& [cycles, memory] : pools_) {
      if (cycles > before) {
        const double ratio = std::min(cycles / least, kDearestPool);
        cost = std::max(cost + 1, static_cast<std::uint32_t>(std::lround(ratio)));
      }
      before = cycles;
      memory.cost = cost;
      set_.memories.push_back(std::move(memory));
    }
  }

  const docs::Voice voice_ =
      docs::Voice::of(Code::kBoardValue, "ST Edge AI's examples have such files");
  MemorySet set_;
  // With what a byte costs.
  std::vector<std::pair<double, PartMemory>> pools_;
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
