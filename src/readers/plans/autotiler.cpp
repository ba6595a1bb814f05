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

// "Shared L1 Memory size (Bytes) : Given: 48000, Used: 47000"
bool sum_in(std::string_view line,
            std::string_view& level,
            std::uint64_t& given,
            std::uint64_t& used) {
  std::string_view before;
  LineScan scan{line};
  scan.until(kGiven, before).take(" : Given: ").whole(given).take(" , Used: ").whole(used).end();
  level = word_at_end(before);
  return scan.ok() && core::is_identifier(level);
}

// A symbol, a buffer or a sum with a damaged byte.
bool looks_like_symbol(std::string_view line) {
  return pieces_in(line, {kExec, "[", "]@", kSymbolSize}) >= 2 ||
         pieces_in(line, {kKernel, " Arg:", "@"}) >= 2 ||
         pieces_in(line, {kGiven, " Given:", " Used:"}) >= 2;
}

class ReportReading {
 public:
  ReportReading(std::string_view text, const std::string& path) : lines_(text), plan_(text, path) {}

  PlanResult read() {
    plan_.report().planner = "AutoTiler";
    while (lines_.next()) {
      read_line(lines_.line());
    }
    add_blocks();
    if (plan_.empty()) {
      plan_.error(Code::kPlanSyntax, {}, "there is no map of AutoTiler in this text", kHowToPrint);
    }
    return plan_.done();
  }

 private:
  struct KernelUse {
    std::string kernel;
    bool writes = false;
    // Of the symbol that it streams; kNone: the map does not say which one.
    std::size_t symbol = kNone;
    model::PlannedBlock block;
  };

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void read_line(std::string_view line) {
    Symbol symbol;
    Buffer buffer;
    std::string_view level;
    std::uint64_t given = 0;
    std::uint64_t used = 0;
    if (placed_symbol_in(line, symbol)) {
      read_symbol(symbol);
    } else if (buffer_in(line, buffer)) {
      read_buffer(buffer);
    } else if (sum_in(line, level, given, used)) {
      read_sum(level, given, used);
    } else if (line.find(kLocal) != std::string_view::npos) {
      read_local(line);
    } else if (!symbols_.empty() && other_symbol_in(line, symbol)) {
      add_symbol(symbol, std::nullopt, std::nullopt);
    } else if (looks_like_symbol(line)) {
      plan_.damaged(lines_.number(), "the map");
    }
  }

  void read_symbol(const Symbol& symbol) {
    const PlanPlace place{lines_.number(), 0};
    const std::string what = fmt::format("'{}'", core::printable(symbol.name, kLongestShown));
    const auto offset = plan_.size(symbol.offset, place, what);
    const auto live = plan_.lifetime(symbol.first, symbol.last, LastStep::kInside, place, what);
    if (offset && live) {
      add_symbol(symbol, offset, live);
    }
  }

  void add_symbol(const Symbol& symbol,
                  std::optional<core::Bytes> offset,
                  std::optional<model::Interval> live) {
    const PlanPlace place{lines_.number(), 0};
    if (!good_name(symbol.name, place)) {
      return;
    }
    model::PlannedBlock block{.id = std::string{symbol.name},
                              .memory = memory_name(symbol.level),
                              .size = core::Bytes{symbol.size},
                              .offset = offset};
    block.live = live;
    block.line = place.line;
    // What lies in flash is read where it lies, or copied piece by piece.
    if (block.memory.find("flash") != std::string::npos) {
      block.role = model::Lifetime::kConstant;
      block.live.reset();
    }
    symbols_.push_back(std::move(block));
    readers_.push_back(0);
  }

  bool good_name(std::string_view name, PlanPlace place) {
    if (core::is_utf8(name)) {
      return true;
    }
    plan_.error(Code::kPlanSyntax,
                place,
                fmt::format("the name '{}' is no text", core::printable(name, kLongestShown)),
                "texts are UTF-8");
    return false;
  }

  void read_buffer(const Buffer& buffer) {
    const PlanPlace place{lines_.number(), 0};
    const auto offset = plan_.size(buffer.offset, place, "offset");
    if (!offset || !good_name(buffer.kernel, place) || !good_name(buffer.argument, place)) {
      return;
    }
    KernelUse use{.kernel = std::string{buffer.kernel},
                  .writes = buffer.argument.starts_with("Out"),
                  .symbol = symbols_.empty() ? kNone : symbols_.size() - 1};
    use.block.id = fmt::format("{}.{}", buffer.kernel, buffer.argument);
    use.block.memory = memory_name(buffer.level);
    use.block.size = core::Bytes{buffer.size};
    use.block.offset = offset;
    use.block.line = place.line;
    if (use.symbol != kNone) {
      use.block.name = symbols_[use.symbol].id;
      readers_[use.symbol] += use.writes ? 0U : 1U;
    }
    uses_.push_back(std::move(use));
  }

  void read_sum(std::string_view level, std::uint64_t given, std::uint64_t used) {
    const PlanPlace place{lines_.number(), 0};
    const std::string what = core::printable(level, kLongestShown);
    const auto capacity = plan_.size(given, place, what);
    const auto used_size = plan_.size(used, place, what);
    if (!capacity || !used_size) {
      return;
    }
    auto& memory = plan_.memory(memory_name(what), place.line);
    memory.capacity = capacity;
    memory.used = used_size;
    if (memory.name.find("flash") != std::string::npos) {
      memory.writable = false;
    }
  }

  // "Graph nodes max local memory : L3: 7128576, L2: 179547". The report of sums says it better,
  // where it is printed.
  void read_local(std::string_view line) {
    constexpr auto kLevels =
        std::to_array<SumName>({{" L3: ", "l3"}, {" L2: ", "l2"}, {" L1: ", "l1"}});
    for (const auto& [printed, name] : kLevels) {
      std::uint64_t used = 0;
      LineScan scan{line};
      if (!scan.find(kLocal).find(printed).whole(used).ok()) {
        continue;
      }
      const auto size = plan_.size(used, {lines_.number(), 0}, name);
      auto& memory = plan_.memory(std::string{name}, lines_.number());
      if (size && !memory.used) {
        memory.used = size;
      }
    }
  }

  void add_blocks() {
    std::unordered_map<std::string, std::int64_t> steps;
    for (const KernelUse& use : uses_) {
      if (use.symbol != kNone && symbols_[use.symbol].live) {
        const model::Interval live = *symbols_[use.symbol].live;
        if (use.writes) {
          steps.emplace(use.kernel, live.lower);
        } else if (readers_[use.symbol] == 1) {
          steps.emplace(use.kernel, live.upper - 1);
        }
      }
    }
    // As the map has them: a symbol, then its buffers.
    std::size_t next = 0;
    for (std::size_t i = 0; i <= symbols_.size(); ++i) {
      for (; next < uses_.size() && (uses_[next].symbol == kNone || uses_[next].symbol < i);
           ++next) {
        KernelUse& use = uses_[next];
        const auto step = steps.find(use.kernel);
        if (step != steps.end()) {
          use.block.live = model::Interval{step->second, step->second + 1};
        }
        plan_.add(std::move(use.block));
      }
      if (i < symbols_.size()) {
        plan_.add(std::move(symbols_[i]));
      }
    }
    const auto is_unplaced = [](const auto& block) { return !block.offset; };
    const auto& blocks = plan_.report().blocks;
    const auto missing = std::ranges::count_if(blocks, is_unplaced);
    if (missing > 0) {
      const auto first = std::ranges::find_if(blocks, is_unplaced);
      plan_.report().abridged = true;
      plan_.warn(
          Code::kPlanAbridged,
          {first->line, 0},
          fmt::format("{} no place of its own, '{}' first",
                      missing == 1 ? "one symbol has" : fmt::format("{} symbols have", missing),
                      core::printable(first->id, kLongestShown)),
          "the map does not say where they are, nor when they are alive");
    }
    check_levels();
    if (blocks.empty() && !plan_.report().memories.empty()) {
      plan_.report().abridged = true;
      plan_.warn(Code::kPlanAbridged,
                 {plan_.report().memories.front().line, 0},
                 "the sums of each level are here, but not the symbols in it",
                 kHowToPrint);
    }
  }

  // Where levels have sums, each that holds something has one, which is not smaller.
  void check_levels() {
    const auto& memories = plan_.report().memories;
    const bool has_sums = std::ranges::any_of(
        memories, [](const auto& memory) { return memory.capacity.has_value(); });
    for (const model::PlannedBlock& block : plan_.report().blocks) {
      const auto level = std::ranges::find_if(
          memories, [&](const auto& memory) { return memory.name == block.memory; });
      const bool is_known = level != memories.end();
      const core::Bytes end = block.offset.value_or(core::Bytes{}) + block.size;
      if (!has_sums || !block.offset || (is_known && (!level->used || end <= *level->used))) {
        continue;
      }
      const std::string name = core::printable(block.id, kLongestShown);
      plan_.warn(Code::kPlanContradiction,
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

  PlanLines lines_;
  PlanText plan_;
  std::vector<model::PlannedBlock> symbols_;
  // How many kernels read each symbol.
  std::vector<std::size_t> readers_;
  std::vector<KernelUse> uses_;
};

}  // namespace

bool probe_autotiler(std::string_view head) {
  PlanLines lines{head};
  while (lines.next()) {
    Symbol symbol;
    Buffer buffer;
    std::string_view level;
    std::uint64_t given = 0;
    std::uint64_t used = 0;
    if (placed_symbol_in(lines.line(), symbol) || buffer_in(lines.line(), buffer) ||
        sum_in(lines.line(), level, given, used) ||
        lines.line().find(kLocal) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

PlanResult read_autotiler(std::string_view text, const std::string& path) {
  return ReportReading{text, path}.read();
}

}  // namespace memsize::readers
