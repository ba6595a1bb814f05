// A plan as text for a terminal: time goes to the right, addresses go up, one letter a block.
//
// Peers print a line a step, with addresses to the right. Eighty columns then show 80 steps of
// addresses, and a network of 1000 steps is 1000 lines. Time to the right fits any network on one
// screen, and looks like the drawing in the HTML report. A cell that many blocks share shows who
// has most of it, '_' where less than half is used, and '.' where nothing is.
#include "memsize/core/text.hpp"

#include "plan_writers.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

constexpr std::size_t kMostChartRows = 20;
constexpr std::size_t kGutter = 13;
constexpr std::size_t kNarrowest = 20;
constexpr std::size_t kWidest = 1000;
// In the legend; more have a letter.
constexpr std::size_t kExplained = 10;
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr char kOther = '#';
constexpr char kLittle = '_';
constexpr char kFree = '.';
// Each cell is divided into so many parts in both directions, to measure who has how much of it.
constexpr std::uint64_t kPartsOfRow = 32;
// Binary digits of a number that are looked at: products of it must stay below 2^64.
constexpr unsigned kDigits = 44;

// From one range of whole numbers to `cells` cells, in parts of a cell.
class Scale {
 public:
  Scale(std::uint64_t span, std::uint64_t cells)
      : shift_(std::max(static_cast<unsigned>(std::bit_width(span)), kDigits) - kDigits),
        span_(std::max<std::uint64_t>(span >> shift_, 1)),
        parts_(cells * kPartsOfRow) {}

  [[nodiscard]] std::uint64_t part(std::uint64_t value) const {
    return std::min((value >> shift_) * parts_ / span_, parts_);
  }

 private:
  unsigned shift_;
  std::uint64_t span_;
  std::uint64_t parts_;
};

std::uint64_t distance(std::int64_t from, std::int64_t to) {
  return to > from ? static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) : 0;
}

// Four to seven times a power of two, so that the labels of every fourth row are round numbers.
std::uint64_t round_row(std::uint64_t height) {
  for (const std::uint64_t row : {1U, 2U, 3U}) {
    if ((height - 1) / row < kMostChartRows) {
      return row;
    }
  }
  for (std::uint64_t unit = 1;; unit *= 2) {
    for (const std::uint64_t factor : {4U, 5U, 6U, 7U}) {
      if ((height - 1) / (factor * unit) < kMostChartRows) {
        return factor * unit;
      }
    }
  }
}

// A whole number of columns a step, where there are enough; 0: there are no steps.
std::size_t columns_of(const model::Interval& steps, std::size_t width) {
  const std::size_t room = std::clamp(width, kNarrowest + kGutter, kWidest) - kGutter;
  const std::uint64_t span = distance(steps.lower, steps.upper);
  return span == 0 ? 0 : span <= room ? static_cast<std::size_t>(span) * (room / span) : room;
}

// Where steps and addresses are, in parts of cells.
struct Frame {
  Frame(const model::Interval& all_steps, std::size_t columns_of_all, std::uint64_t height)
      : steps(all_steps),
        columns(columns_of_all),
        row_bytes(round_row(height)),
        rows(static_cast<std::size_t>((height + row_bytes - 1) / row_bytes)),
        time_scale(distance(steps.lower, steps.upper), columns),
        address_scale(rows * row_bytes, rows) {}

  [[nodiscard]] std::uint64_t time(std::int64_t step) const {
    return time_scale.part(distance(steps.lower, step));
  }

  [[nodiscard]] std::uint64_t address(std::uint64_t value) const {
    return address_scale.part(value);
  }

  [[nodiscard]] std::size_t column_of(std::int64_t step) const {
    return static_cast<std::size_t>(time(step) / kPartsOfRow);
  }

  model::Interval steps;
  std::size_t columns;
  std::uint64_t row_bytes;
  std::size_t rows;
  Scale time_scale;
  Scale address_scale;
};

// Who has how much of each cell.
class Cells {
 public:
  Cells(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), cells_(rows * columns) {}

  void draw(const Frame& frame, const PlacedBlock& need, char letter) {
    const std::uint64_t left = frame.time(need.live->lower);
    const std::uint64_t right = frame.time(need.live->upper);
    const std::uint64_t bottom = frame.address(need.offset);
    // However small it is, it is there.
    const std::uint64_t top = std::max(frame.address(need.end()), bottom + 1);
    for (std::uint64_t row = bottom / kPartsOfRow; row * kPartsOfRow < top && row < rows_; ++row) {
      const std::uint64_t high =
          std::min(top, (row + 1) * kPartsOfRow) - std::max(bottom, row * kPartsOfRow);
      for (std::uint64_t column = left / kPartsOfRow; column * kPartsOfRow < right; ++column) {
        const std::uint64_t wide =
            std::min(right, (column + 1) * kPartsOfRow) - std::max(left, column * kPartsOfRow);
        add(cells_[row * columns_ + column], letter, wide * high);
      }
    }
  }

  [[nodiscard]] std::string line_of(std::size_t row) const {
    std::string line;
    for (std::size_t column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[row * columns_ + column];
      line += cell.used == 0 ? kFree : is_little(cell) ? kLittle : cell.letter;
    }
    return line;
  }

  [[nodiscard]] bool has_little() const { return std::ranges::any_of(cells_, is_little); }

 private:
  struct Cell {
    std::uint64_t used = 0;
    std::uint64_t other = 0;
    std::uint64_t most = 0;
    char letter = kFree;
  };

  static bool is_little(const Cell& cell) {
    return cell.used != 0 && 2 * cell.used < kPartsOfRow * kPartsOfRow;
  }

  static void add(Cell& cell, char letter, std::uint64_t area) {
    cell.used += area;
    cell.other += letter == kOther ? area : 0;
    const std::uint64_t weight = letter == kOther ? cell.other : area;
    if (weight > cell.most) {
      cell.most = weight;
      cell.letter = letter;
    }
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<Cell> cells_;
};

// With the lifetimes of their aliases: bytes are taken as long as anybody uses them.
std::vector<const PlacedBlock*> drawn_blocks(const ArenaView& view) {
  std::vector<const PlacedBlock*> blocks;
  for (const PlacedBlock& root : view.roots) {
    if (root.size != 0 && root.live->lower < root.live->upper) {
      blocks.push_back(&root);
    }
  }
  return blocks;
}

// Letters are for those that cover most of the chart; of equals for the largest, then the plan's
// first.
void sort_by_area(std::vector<const PlacedBlock*>& blocks, const Frame& frame) {
  std::vector<std::pair<std::uint64_t, const PlacedBlock*>> areas;
  for (const PlacedBlock* block : blocks) {
    const std::uint64_t wide = frame.time(block->live->upper) - frame.time(block->live->lower);
    const std::uint64_t high = frame.address(block->end()) - frame.address(block->offset);
    areas.emplace_back(wide * high, block);
  }
  std::ranges::stable_sort(areas, [](const auto& a, const auto& b) {
    return std::pair{a.first, a.second->size} > std::pair{b.first, b.second->size};
  });
  for (std::size_t i = 0; i < areas.size(); ++i) {
    blocks[i] = areas[i].second;
  }
}

Cells measured(const std::vector<const PlacedBlock*>& blocks, const Frame& frame) {
  Cells cells{frame.rows, frame.columns};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (const PlacedBlock& need : needs_of(*blocks[i])) {
      cells.draw(frame, need, i < kLetters.size() ? kLetters[i] : kOther);
    }
  }
  return cells;
}

// The line is drawn below the row that begins nearest to the bound; 0: there is none to draw.
std::size_t row_of_bound(const ArenaView& view, const Frame& frame) {
  if (!view.arena.lower_bound || view.arena.lower_bound->count() == 0) {
    return 0;
  }
  const std::uint64_t part = frame.address(view.arena.lower_bound->count());
  return std::max<std::uint64_t>((part + kPartsOfRow / 2) / kPartsOfRow, 1);
}

std::string bound_line(core::Bytes bound, std::size_t columns) {
  std::string line(columns, '-');
  const std::string label = " no plan needs less ";
  if (label.size() + 4 <= columns) {
    line.replace(columns - label.size() - 2, label.size(), label);
  }
  return fmt::format("{:>{}} +{}\n", core::format_size(bound), kGutter - 2, line);
}

std::string peak_line(const ArenaView& view, const Frame& frame) {
  const std::size_t first = frame.column_of(view.peak_step);
  const std::size_t last = std::max(frame.column_of(view.peak_step + 1), first + 1);
  const std::string label = fmt::format("peak: {} alive at step {}",
                                        core::format_bytes(core::Bytes{*view.peak_bytes}),
                                        view.peak_step);
  const std::string marks(last - first, '^');
  // Left of the marks where there is no room to the right of them.
  const bool right = last + 1 + label.size() <= frame.columns || first < label.size() + 1;
  return right ? fmt::format("{:{}}{} {}\n", "", kGutter + first, marks, label)
               : fmt::format("{:{}}{} {}\n", "", kGutter + first - label.size() - 1, label, marks);
}

std::string time_axis(const ArenaView& view, const Frame& frame) {
  const std::size_t columns = frame.columns;
  std::string ruler(columns, '-');
  std::string labels(columns, ' ');
  const std::int64_t span = frame.steps.upper - frame.steps.lower;
  const std::int64_t tick = decimal_tick(span, static_cast<std::int64_t>(columns / 12 + 1));
  std::size_t free_from = 0;
  for (std::int64_t step = frame.steps.lower; step < frame.steps.upper; step += tick) {
    const std::size_t column = frame.column_of(step);
    const std::string label = fmt::format("{}", step);
    if (column < free_from || column + label.size() > labels.size()) {
      continue;
    }
    if (column < columns) {
      ruler[column] = '+';
    }
    labels.replace(column, label.size(), label);
    free_from = column + label.size() + 2;
  }
  labels.resize(labels.find_last_not_of(' ') + 1);
  std::string text =
      fmt::format("{:>{}} +{}\n{:{}}  {}\n", "step", kGutter - 2, ruler, "", kGutter - 2, labels);
  if (view.peak_bytes) {
    text += peak_line(view, frame);
  }
  return text;
}

bool at_peak(const ArenaView& view, const PlacedBlock& block) {
  const std::vector<PlacedBlock> needs = needs_of(block);
  return view.peak_bytes && std::ranges::any_of(needs, [&](const auto& need) {
           return need.live->lower <= view.peak_step && view.peak_step < need.live->upper;
         });
}

std::string chart_legend(const ArenaView& view,
                         const std::vector<const PlacedBlock*>& blocks,
                         bool has_little) {
  std::string text = "\n";
  for (std::size_t i = 0; i < std::min(blocks.size(), kExplained); ++i) {
    const PlacedBlock& block = *blocks[i];
    text += fmt::format("  {}  {:>12} at {:<12} {}: {}\n",
                        kLetters[i],
                        core::format_bytes(core::Bytes{block.size}),
                        block.offset,
                        core::printable(block.block->id, 24),
                        steps_in_words(block) + (at_peak(view, block) ? ", at the peak" : ""));
  }
  const std::size_t lettered = std::min(blocks.size(), kLetters.size());
  if (lettered > kExplained) {
    text += fmt::format("  {} to {}: {} smaller\n",
                        kLetters[kExplained],
                        kLetters[lettered - 1],
                        core::plural(lettered - kExplained, "block"));
  }
  if (blocks.size() > lettered) {
    text += fmt::format(
        "  {}  {}, smaller still\n", kOther, core::plural(blocks.size() - lettered, "block"));
  }
  return text + (has_little ? fmt::format("  {}  less than half used\n", kLittle) : "");
}

std::string chart_of(const ArenaView& view, const model::Interval& steps, std::size_t width) {
  std::vector<const PlacedBlock*> blocks = drawn_blocks(view);
  const std::size_t columns = columns_of(steps, width);
  if (blocks.empty() || columns == 0) {
    return "  nobody says when its blocks are alive: nothing to draw\n";
  }
  std::uint64_t height = 0;
  for (const PlacedBlock* block : blocks) {
    height = std::max(height, block->end());
  }
  const Frame frame{steps, columns, height};
  sort_by_area(blocks, frame);
  const Cells cells = measured(blocks, frame);
  std::string text;
  const std::size_t bound_row = row_of_bound(view, frame);
  for (std::size_t row = frame.rows; row-- > 0;) {
    if (bound_row == row + 1) {
      text += bound_line(*view.arena.lower_bound, columns);
    }
    // Every fourth line says at which address its lower edge is.
    text += fmt::format("{:>{}} |{}\n",
                        row % 4 == 0 ? core::format_size(core::Bytes{row * frame.row_bytes}) : "",
                        kGutter - 2,
                        cells.line_of(row));
  }
  return text + time_axis(view, frame) + chart_legend(view, blocks, cells.has_little());
}

std::string heading(const ArenaView& view) {
  std::string text = title_of(view) + ": ";
  text += view.height ? core::format_bytes(core::Bytes{*view.height}) : "unknown height";
  if (view.arena.lower_bound) {
    text +=
        fmt::format(", no plan needs less than {}", core::format_bytes(*view.arena.lower_bound));
  }
  if (view.capacity) {
    text += fmt::format("; {} has {}",
                        core::printable(view.arena.memory, 60),
                        core::format_size(core::Bytes{*view.capacity}));
  }
  return text + "\n";
}

}  // namespace

std::string plan_chart(const model::PlanReport& plan, std::size_t width) {
  const PlanView view = view_of(plan);
  std::string text;
  for (const ArenaView& arena : view.arenas) {
    text += text.empty() ? "" : "\n";
    text += heading(arena);
    // What is alive all the time has no shape in time.
    const bool timed = std::ranges::any_of(
        arena.placed, [](const auto& placed) { return placed.block->live.has_value(); });
    if (arena.blocks == 0) {
      text += "  no block of it is known\n";
      continue;
    }
    if (!timed) {
      text += fmt::format("  {}{}\n",
                          core::plural(arena.placed.size(), "block"),
                          arena.arena.role == model::Lifetime::kScratch
                              ? "; nobody says when they are alive"
                              : ", alive all the time");
      continue;
    }
    text += chart_of(arena, view.steps, width);
  }
  return text;
}

}  // namespace memsize::emit
