// What a program made by ARES prints while it runs: its arena, what lies outside of it, and the
// cycles of each layer.
#include "memsize/core/text.hpp"

#include "plan_lines.hpp"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

constexpr std::string_view kPerf = "PERF ";
constexpr std::string_view kAllocating = "Allocating ";
constexpr std::string_view kOutside = "Outside arena";
constexpr std::string_view kFallback = "] FALLBACK - need ";
constexpr std::string_view kLayers = "Total layers:";
constexpr const char* kHowToPrintArena =
    "build the network with its performance counters on, and keep all it prints";

// "  PERF conv1 : total= 120 compute= 80 dma_load= 30 dma_store= 10 idle= 0 overlap=100.0%"
bool layer_in(std::string_view line, std::string_view& name, model::LayerTime& layer) {
  LineScan scan{line};
  scan.find(kPerf).until(": total=", name).whole(layer.total).take(" compute=");
  scan.whole(layer.compute).take(" dma_load=").whole(layer.load).take(" dma_store=");
  return scan.whole(layer.store).take(" idle=").ok();
}

// "CL: Allocating L2 Arena: 38416 bytes"
bool arena_in(std::string_view line, std::string_view& memory, std::uint64_t& bytes) {
  LineScan scan{line};
  scan.find(kAllocating).until(" Arena:", memory).whole(bytes).take(" bytes");
  return scan.ok() && core::is_identifier(memory);
}

// "  Arena: 1C03E280 - 1C047890"
bool range_in(std::string_view line, std::uint64_t& begin, std::uint64_t& end) {
  LineScan scan{line};
  if (line.find(kAllocating) != std::string_view::npos) {
    return false;
  }
  return scan.find("Arena: ").hex(begin).take(" - ").hex(end).ok();
}

// Two addresses behind a colon, or the arena's word and one of them.
bool looks_like_range(std::string_view line) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  constexpr std::uint64_t kLowest = 0x1000'0000;
  if (LineScan{line}.find(": ").hex(first).take(" - ").hex(second).end().ok()) {
    return first >= kLowest && second >= kLowest;
  }
  return pieces_in(line, {"Arena:", " - "}) == 2 || LineScan{line}.find("Arena:").hex(first).ok();
}

bool looks_like_buffer(std::string_view line) {
  return pieces_in(line, {kPerf, ": total=", " compute=", " dma_load=", " dma_store="}) >= 2 ||
         pieces_in(line, {kAllocating, " Arena:", " bytes"}) >= 2 || looks_like_range(line);
}

// What the summary says of all layers together, in the order in which a program prints it.
struct SummaryLine {
  std::string_view words;
  std::uint64_t model::LayerTime::*of_layer;
};

constexpr auto kSums = std::to_array<SummaryLine>({
    {"Total cycles:", &model::LayerTime::total},
    {"Compute cycles:", &model::LayerTime::compute},
    {"DMA load cycles:", &model::LayerTime::load},
    {"DMA store cycles:", &model::LayerTime::store},
});

class LogReading {
 public:
  LogReading(std::string_view text, const std::string& path) : lines_(text), plan_(text, path) {}

  PlanResult read() {
    while (lines_.next()) {
      read_line(lines_.line(), {lines_.number(), 0});
    }
    const std::size_t found = plan_.report().layers.size();
    if (found != 0 && found < layers_) {
      plan_.warn(Code::kPlanAbridged,
                 {layers_line_, 0},
                 fmt::format("the summary is of {}, the log has the times of {}",
                             core::plural(layers_, "layer"),
                             found),
                 "the log was cut: run the network again");
    } else if (found != 0 && found == layers_) {
      check_sums();
    }
    // A log has no tensors: it goes with a checkpoint, which says where they are.
    plan_.report().abridged = true;
    if (plan_.empty()) {
      plan_.error(Code::kPlanSyntax,
                  {},
                  "nothing in this text is printed by an ARES program",
                  kHowToPrintArena);
    }
    return plan_.done();
  }

 private:
  void read_line(std::string_view line, PlanPlace place) {
    std::string_view name;
    model::LayerTime layer;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    if (layer_in(line, name, layer)) {
      layer.name = core::printable(name);
      layer.line = place.line;
      plan_.report().layers.push_back(std::move(layer));
    } else if (arena_in(line, name, first)) {
      read_arena(name, first, place);
    } else if (range_in(line, first, second)) {
      read_range(first, second, place);
    } else if (line.find(kOutside) != std::string_view::npos) {
      read_outside(line, place);
    } else if (line.find(kFallback) != std::string_view::npos) {
      read_fallback(line, place);
    } else if (LineScan scan{line}; scan.find(kLayers).whole(first).ok()) {
      layers_ = first;
      layers_line_ = place.line;
    } else if (!read_sum(line, place) && looks_like_buffer(line)) {
      plan_.damaged(place.line, "what an ARES program prints");
    }
  }

  bool read_sum(std::string_view line, PlanPlace place) {
    for (const SummaryLine& sum : kSums) {
      std::uint64_t cycles = 0;
      if (LineScan{line}.find(sum.words).whole(cycles).ok()) {
        sums_.push_back({&sum, cycles, place});
        return true;
      }
    }
    return false;
  }

  // All layers are there: what they take is what the summary says.
  void check_sums() {
    for (const Sum& sum : sums_) {
      std::uint64_t cycles = 0;
      for (const model::LayerTime& layer : plan_.report().layers) {
        cycles += layer.*sum.line->of_layer;
      }
      if (cycles != sum.cycles) {
        plan_.warn(Code::kPlanContradiction,
                   sum.place,
                   fmt::format("the layers' own lines add up to {} cycles, the summary says {}",
                               cycles,
                               sum.cycles),
                   "a line is damaged: run the network again");
      }
    }
  }

  void read_arena(std::string_view name, std::uint64_t bytes, PlanPlace place) {
    memory_ = core::printable(memory_name(name), kLongestShown);
    if (const auto size = plan_.size(bytes, place, memory_)) {
      plan_.arena(memory_, model::Lifetime::kScratch, place.line).total = size;
    }
  }

  void read_range(std::uint64_t begin, std::uint64_t end, PlanPlace place) {
    if (end < begin) {
      plan_.warn(Code::kPlanContradiction,
                 place,
                 fmt::format("the arena ends at {}, before it begins at {}",
                             core::format_hex(end),
                             core::format_hex(begin)),
                 "the line is damaged: run the network again");
      return;
    }
    const auto size = plan_.size(end - begin, place, "arena");
    if (!size) {
      return;
    }
    plan_.memory(memory_, place.line).base = core::PhysAddr{begin};
    auto& arena = plan_.arena(memory_, model::Lifetime::kScratch, place.line);
    if (arena.total && *arena.total != *size) {
      plan_.error(Code::kPlanContradiction,
                  place,
                  fmt::format("the arena's range holds {} B, line {} allocates {} B",
                              size->count(),
                              arena.line,
                              arena.total->count()),
                  "a line is damaged, or the lines are of two runs: give each run's log in a file "
                  "of its own");
      return;
    }
    arena.total = size;
  }

  // "  layer3_0_conv2_weight: 1C0CDF90  <- Outside arena!"
  void read_outside(std::string_view line, PlanPlace place) {
    std::string_view name;
    std::uint64_t address = 0;
    LineScan scan{line};
    if (!scan.until(":", name).hex(address).ok()) {
      return;
    }
    const std::size_t blank = name.find_last_of(" \t");
    name.remove_prefix(blank == std::string_view::npos ? 0 : blank + 1);
    plan_.warn(Code::kPlanBounds,
               place,
               fmt::format("'{}' lies at {}, outside of the arena",
                           core::printable(name, kLongestShown),
                           core::format_hex(address)),
               "an allocation goes past the planner: place it in the arena");
  }

  // "[MHSA L1] FALLBACK - need 134144 bytes, have 102400"
  void read_fallback(std::string_view line, PlanPlace place) {
    std::string_view who;
    std::uint64_t need = 0;
    std::uint64_t have = 0;
    LineScan scan{line};
    scan.find("[").until(kFallback, who).whole(need).take(" bytes, have ").whole(have);
    if (scan.ok()) {
      plan_.warn(Code::kPlanBounds,
                 place,
                 fmt::format("{}: {} B were needed where {} B are, and a slower path was taken",
                             core::printable(who, kLongestShown),
                             need,
                             have),
                 "make its tiles smaller, or its budget larger");
    }
  }

  struct Sum {
    const SummaryLine* line = nullptr;
    std::uint64_t cycles = 0;
    PlanPlace place;
  };

  PlanLines lines_;
  PlanText plan_;
  std::vector<Sum> sums_;
  // What the last arena was allocated in.
  std::string memory_ = "l2";
  std::uint64_t layers_ = 0;
  std::size_t layers_line_ = 0;
};

}  // namespace

bool probe_ares_log(std::string_view head) {
  PlanLines lines{head};
  while (lines.next()) {
    std::string_view name;
    model::LayerTime layer;
    std::uint64_t bytes = 0;
    if (layer_in(lines.line(), name, layer) || arena_in(lines.line(), name, bytes)) {
      return true;
    }
  }
  return false;
}

PlanResult read_ares_log(std::string_view text, const std::string& path) {
  return LogReading{text, path}.read();
}

}  // namespace memsize::readers
