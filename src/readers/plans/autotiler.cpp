// What AutoTiler reports while it makes code: the map of symbols, with the level, the kernels and
// the place of each, below each one the buffers through which kernels stream it, and sums of each
// level.
//
//       S4_Output     EXEC:   HyperRam[  2:  3]@4752384 , Size: 2376192
//                  BUFFERS:
//                      Ker: S7_Conv2d_Relu, Arg:  In,  5712:  L2@  11424
//
// A symbol is alive from the kernel that writes it to the last that reads it, both inside. Buffers
// have no times of their own: they live while their kernel runs. Which step that is, is known for a
// kernel that writes a symbol, and for one that is the only reader of one.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "plan_lines.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

constexpr std::string_view kExec = " EXEC:";
constexpr std::string_view kKernel = "Ker:";
constexpr std::string_view kSymbolSize = " , Size:";
constexpr std::string_view kGiven = " Memory size (Bytes)";
constexpr std::string_view kLocal = "Graph nodes max local memory";
constexpr const char* kHowToPrint = "keep all that AutoTiler prints while the model is generated";

// The levels of which its reports give sums, as blocks name them.
struct SumName {
  std::string_view printed;
  std::string_view memory;
};

std::string_view word_at_end(std::string_view text) {
  text = core::trim(text);
  const std::size_t blank = text.find_last_of(" \t");
  return text.substr(blank == std::string_view::npos ? 0 : blank + 1);
}

struct Symbol {
  std::string_view name;
  std::string_view level;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  /// Offset and steps are known.
  bool is_placed = false;
};

// "S4_Output EXEC: HyperRam[ 2: 3]@4752384 , Size: 2376192"
bool placed_symbol_in(std::string_view line, Symbol& symbol) {
  std::string_view before;
  LineScan scan{line};
  scan.until(kExec, before).until("[", symbol.level).step(symbol.first).take(" : ");
  scan.step(symbol.last)
      .take(" ] @")
      .whole(symbol.offset)
      .take(" , Size : ")
      .whole(symbol.size)
      .end();
  symbol.name = word_at_end(before);
  symbol.is_placed = true;
  return scan.ok() && !symbol.name.empty() && core::is_identifier(symbol.level) &&
         line.find(kKernel) == std::string_view::npos;
}

// "S15_Output , Size: 4752384": a symbol without a place, and nothing else in its line.
bool other_symbol_in(std::string_view line, Symbol& symbol) {
  std::string_view before;
  std::string_view rest;
  LineScan scan{line};
  scan.until(kSymbolSize, before).whole(symbol.size).rest(rest);
  symbol.name = before;
  symbol.is_placed = false;
  return scan.ok() && rest.empty() && !before.empty() &&
         before.find_first_of(" \t:,") == std::string_view::npos;
}

struct Buffer {
  std::string_view kernel;
  std::string_view argument;
  std::string_view level;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

// "Ker: S7_Conv2d_Relu, Arg: In, 5712: L2@ 11424"
bool buffer_in(std::string_view line, Buffer& buffer) {
  LineScan scan{line};
  scan.find(kKernel).until(",", buffer.kernel).take(" Arg:").until(",", buffer.argument);
  scan.whole(buffer.size).take(" :").until("@", buffer.level).whole(buffer.offset).end();
  return scan.ok() && !buffer.kernel.empty() && core::is_identifier(buffer.level);
}

struct LevelSum {
  std::string_view level;
  std::uint64_t given = 0;
  std::uint64_t used = 0;
};

// "Shared L1 Memory size (Bytes) : Given: 48000, Used: 47000"
bool sum_in(std::string_view line, LevelSum& sum) {
  std::string_view before;
  LineScan scan{line};
  scan.until(kGiven, before).take(" : Given: ").whole(sum.given);
  scan.take(" , Used: ").whole(sum.used).end();
  sum.level = word_at_end(before);
  return scan.ok() && core::is_identifier(sum.level);
}

// A symbol, a buffer or a sum with a damaged byte.
bool looks_like_symbol(std::string_view line) {
  return pieces_in(line, {kExec, "[", "]@", kSymbolSize}) >= 2 ||
         pieces_in(line, {kKernel, " Arg:", "@"}) >= 2 ||
         pieces_in(line, {kGiven, " Given:", " Used:"}) >= 2;
}

/// A symbol of the map, and how many kernels read it.
struct MapSymbol {
  model::PlannedBlock block;
  std::size_t readers = 0;
};

constexpr std::size_t kNoSymbol = static_cast<std::size_t>(-1);

/// A buffer through which a kernel streams a symbol.
struct KernelUse {
  std::string kernel;
  bool writes = false;
  /// kNoSymbol: the map does not say which one.
  std::size_t symbol = kNoSymbol;
  model::PlannedBlock block;
};

bool good_name(std::string_view name, PlanPlace place, PlanText& plan) {
  if (core::is_utf8(name)) {
    return true;
  }
  plan.error(Code::kPlanSyntax,
             place,
             fmt::format("the name '{}' is no text", core::printable(name, kLongestShown)),
             "texts are UTF-8");
  return false;
}

// Nothing: an error says why.
std::optional<model::PlannedBlock> symbol_block(const Symbol& symbol,
                                                PlanPlace place,
                                                PlanText& plan) {
  model::PlannedBlock block{.id = std::string{symbol.name},
                            .memory = memory_name(symbol.level),
                            .size = core::Bytes{symbol.size},
                            .line = place.line};
  if (symbol.is_placed) {
    const std::string what = fmt::format("'{}'", core::printable(symbol.name, kLongestShown));
    block.offset = plan.size(symbol.offset, place, what);
    block.live = plan.lifetime(symbol.first, symbol.last, LastStep::kInside, place, what);
  }
  if ((symbol.is_placed && !(block.offset && block.live)) || !good_name(symbol.name, place, plan)) {
    return std::nullopt;
  }
  // What lies in flash is read where it lies, or copied piece by piece.
  if (block.memory.find("flash") != std::string::npos) {
    block.role = model::Lifetime::kConstant;
    block.live.reset();
  }
  return block;
}

// Of the last symbol. Nothing: an error says why.
std::optional<KernelUse> use_of(const Buffer& buffer,
                                PlanPlace place,
                                std::vector<MapSymbol>& symbols,
                                PlanText& plan) {
  const auto offset = plan.size(buffer.offset, place, "offset");
  if (!offset || !good_name(buffer.kernel, place, plan) ||
      !good_name(buffer.argument, place, plan)) {
    return std::nullopt;
  }
  KernelUse use{.kernel = std::string{buffer.kernel},
                .writes = buffer.argument.starts_with("Out"),
                .symbol = symbols.empty() ? kNoSymbol : symbols.size() - 1};
  use.block.id = fmt::format("{}.{}", buffer.kernel, buffer.argument);
  use.block.memory = memory_name(buffer.level);
  use.block.size = core::Bytes{buffer.size};
  use.block.offset = offset;
  use.block.line = place.line;
  if (use.symbol != kNoSymbol) {
    use.block.name = symbols.back().block.id;
    symbols.back().readers += use.writes ? 0U : 1U;
  }
  return use;
}

void read_sum(const LevelSum& sum, PlanPlace place, PlanText& plan) {
  const std::string what = core::printable(sum.level, kLongestShown);
  const auto capacity = plan.size(sum.given, place, what);
  const auto used_size = plan.size(sum.used, place, what);
  if (!capacity || !used_size) {
    return;
  }
  if (*used_size > *capacity) {
    plan.warn(Code::kPlanContradiction,
              place,
              fmt::format("more of {} is used than given: {} of {}",
                          what,
                          core::format_bytes(*used_size),
                          core::format_bytes(*capacity)),
              "a line is damaged, or the model does not fit: print the report again");
  }
  auto& memory = plan.memory(memory_name(what), place.line);
  memory.capacity = capacity;
  memory.used = used_size;
  if (memory.name.find("flash") != std::string::npos) {
    memory.writable = false;
  }
}

// "Graph nodes max local memory : L3: 7128576, L2: 179547". The report of sums says it better,
// where it is printed.
void read_local(std::string_view line, PlanPlace place, PlanText& plan) {
  constexpr auto kLevels =
      std::to_array<SumName>({{" L3: ", "l3"}, {" L2: ", "l2"}, {" L1: ", "l1"}});
  for (const auto& [printed, name] : kLevels) {
    std::uint64_t used = 0;
    LineScan scan{line};
    if (!scan.find(kLocal).find(printed).whole(used).ok()) {
      continue;
    }
    const auto size = plan.size(used, place, name);
    auto& memory = plan.memory(std::string{name}, place.line);
    if (size && !memory.used) {
      memory.used = size;
    }
  }
}

// In which step each kernel runs, as far as the map shows it.
std::unordered_map<std::string, std::int64_t> steps_of(const std::vector<KernelUse>& uses,
                                                       const std::vector<MapSymbol>& symbols) {
  std::unordered_map<std::string, std::int64_t> steps;
  for (const KernelUse& use : uses) {
    if (use.symbol == kNoSymbol || !symbols[use.symbol].block.live) {
      continue;
    }
    const auto& [block, readers] = symbols[use.symbol];
    if (use.writes) {
      steps.emplace(use.kernel, block.live->lower);
    } else if (readers == 1) {
      steps.emplace(use.kernel, block.live->upper - 1);
    }
  }
  return steps;
}

// As the map has them: a symbol, then its buffers.
void add_symbols(std::vector<MapSymbol> symbols, std::vector<KernelUse> uses, PlanText& plan) {
  const auto steps = steps_of(uses, symbols);
  std::size_t next = 0;
  for (std::size_t i = 0; i <= symbols.size(); ++i) {
    for (; next < uses.size() && (uses[next].symbol == kNoSymbol || uses[next].symbol < i);
         ++next) {
      KernelUse& use = uses[next];
      if (const std::int64_t* const step = core::value_in(steps, use.kernel)) {
        use.block.live = model::Interval{*step, *step + 1};
      }
      plan.add(std::move(use.block));
    }
    if (i < symbols.size()) {
      plan.add(std::move(symbols[i].block));
    }
  }
}

// Where levels have sums, each that holds something has one, which is not smaller.
void check_levels(PlanText& plan) {
  const auto& memories = plan.report().memories;
  const bool has_sums =
      std::ranges::any_of(memories, [](const auto& memory) { return memory.capacity.has_value(); });
  for (const model::PlannedBlock& block : plan.report().blocks) {
    const auto level = std::ranges::find_if(
        memories, [&](const auto& memory) { return memory.name == block.memory; });
    const bool is_known = level != memories.end();
    const core::Bytes end = block.offset.value_or(core::Bytes{}) + block.size;
    if (!has_sums || !block.offset || (is_known && (!level->used || end <= *level->used))) {
      continue;
    }
    const std::string name = core::printable(block.id, kLongestShown);
    plan.warn(Code::kPlanContradiction,
              {block.line, 0},
              is_known
                  ? fmt::format("'{}' ends at {}, but only {} B of {} are used, as line {} says",
                                name,
                                end.count(),
                                level->used->count(),
                                level->name,
                                level->line)
                  : fmt::format("'{}' lies in '{}', which is not among the levels",
                                name,
                                core::printable(block.memory, kLongestShown)),
              "a line is damaged or missing: print the report again");
  }
}

// What the map does not place, and what is there without a map.
void check_places(PlanText& plan) {
  const auto is_unplaced = [](const auto& block) { return !block.offset; };
  const auto& blocks = plan.report().blocks;
  const auto missing = std::ranges::count_if(blocks, is_unplaced);
  if (missing > 0) {
    const auto first = std::ranges::find_if(blocks, is_unplaced);
    plan.report().abridged = true;
    plan.warn(Code::kPlanAbridged,
              {first->line, 0},
              fmt::format("{} no place of its own, '{}' first",
                          missing == 1 ? "one symbol has" : fmt::format("{} symbols have", missing),
                          core::printable(first->id, kLongestShown)),
              "the map does not say where they are, nor when they are alive");
  }
  check_levels(plan);
  if (blocks.empty() && !plan.report().memories.empty()) {
    plan.report().abridged = true;
    plan.warn(Code::kPlanAbridged,
              {plan.report().memories.front().line, 0},
              "the sums of each level are here, but not the symbols in it",
              kHowToPrint);
  }
}

class ReportReading {
 public:
  ReportReading(std::string_view text, const std::string& path) : lines_(text), plan_(text, path) {}

  PlanResult read() {
    plan_.report().planner = "AutoTiler";
    while (lines_.next()) {
      read_line(lines_.line(), {lines_.number(), 0});
    }
    add_symbols(std::move(symbols_), std::move(uses_), plan_);
    check_places(plan_);
    if (plan_.empty()) {
      plan_.error(Code::kPlanSyntax, {}, "there is no map of AutoTiler in this text", kHowToPrint);
    }
    return plan_.done();
  }

 private:
  void read_line(std::string_view line, PlanPlace place) {
    Symbol symbol;
    Buffer buffer;
    LevelSum sum;
    if (placed_symbol_in(line, symbol)) {
      keep(symbol_block(symbol, place, plan_));
    } else if (buffer_in(line, buffer)) {
      if (auto use = use_of(buffer, place, symbols_, plan_)) {
        uses_.push_back(std::move(*use));
      }
    } else if (sum_in(line, sum)) {
      read_sum(sum, place, plan_);
    } else if (line.find(kLocal) != std::string_view::npos) {
      read_local(line, place, plan_);
    } else if (!symbols_.empty() && other_symbol_in(line, symbol)) {
      keep(symbol_block(symbol, place, plan_));
    } else if (looks_like_symbol(line)) {
      plan_.damaged(place.line, "the map");
    }
  }

  void keep(std::optional<model::PlannedBlock> symbol) {
    if (symbol) {
      symbols_.push_back({.block = std::move(*symbol)});
    }
  }

  PlanLines lines_;
  PlanText plan_;
  std::vector<MapSymbol> symbols_;
  std::vector<KernelUse> uses_;
};

}  // namespace

bool probe_autotiler(std::string_view head) {
  PlanLines lines{head};
  while (lines.next()) {
    Symbol symbol;
    Buffer buffer;
    LevelSum sum;
    if (placed_symbol_in(lines.line(), symbol) || buffer_in(lines.line(), buffer) ||
        sum_in(lines.line(), sum) || lines.line().find(kLocal) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

PlanResult read_autotiler(std::string_view text, const std::string& path) {
  return ReportReading{text, path}.read();
}

}  // namespace memsize::readers
