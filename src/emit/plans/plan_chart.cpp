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

class Chart {
 public:
  Chart(const ArenaView& view, const model::Interval& steps, std::size_t width)
      : view_(view), steps_(steps) {
    const std::size_t room = std::clamp(width, kNarrowest + kGutter, kWidest) - kGutter;
    const std::uint64_t span = distance(steps.lower, steps.upper);
    // A whole number of columns a step, where there are enough.
    columns_ = span == 0 ? 0 : span <= room ? static_cast<std::size_t>(span) * (room / span) : room;
    // With the lifetimes of their aliases: bytes are taken as long as anybody uses them.
    for (const PlacedBlock& root : view.roots) {
      if (root.size != 0 && root.live->lower < root.live->upper) {
        blocks_.push_back(&root);
        height_ = std::max(height_, root.end());
      }
    }
    if (blocks_.empty() || columns_ == 0) {
      return;
    }
    row_bytes_ = round_row(height_);
    rows_ = static_cast<std::size_t>((height_ + row_bytes_ - 1) / row_bytes_);
    choose_letters();
  }

  [[nodiscard]] std::string text() {
    if (blocks_.empty() || columns_ == 0) {
      return "  nobody says when its blocks are alive: nothing to draw\n";
    }
    measure();
    std::string text;
    const std::size_t bound_row = row_of_bound();
    for (std::size_t row = rows_; row-- > 0;) {
      if (bound_row == row + 1) {
        text += bound_line();
      }
      // Every fourth line says at which address its lower edge is.
      text += fmt::format("{:>{}} |{}\n",
                          row % 4 == 0 ? core::format_size(core::Bytes{row * row_bytes_}) : "",
                          kGutter - 2,
                          line_of(row));
    }
    return text + axis() + legend();
  }

 private:
  struct Cell {
    std::uint64_t used = 0;
    std::uint64_t other = 0;
    std::uint64_t most = 0;
    char letter = kFree;
  };

  // Four to seven times a power of two, so that the labels of every fourth row are round numbers.
  static std::uint64_t round_row(std::uint64_t height) {
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

  [[nodiscard]] Scale time() const { return {distance(steps_.lower, steps_.upper), columns_}; }

  [[nodiscard]] Scale address() const { return {rows_ * row_bytes_, rows_}; }

  // For those that cover most of the chart; of equals for the largest, then the plan's first.
  void choose_letters() {
    std::vector<std::pair<std::uint64_t, const PlacedBlock*>> areas;
    for (const PlacedBlock* block : blocks_) {
      const std::uint64_t wide = time().part(distance(steps_.lower, block->live->upper)) -
                                 time().part(distance(steps_.lower, block->live->lower));
      const std::uint64_t high = address().part(block->end()) - address().part(block->offset);
      areas.emplace_back(wide * high, block);
    }
    std::ranges::stable_sort(areas, [](const auto& a, const auto& b) {
      return std::pair{a.first, a.second->size} > std::pair{b.first, b.second->size};
    });
    for (std::size_t i = 0; i < areas.size(); ++i) {
      blocks_[i] = areas[i].second;
    }
  }

  void measure() {
    cells_.assign(rows_ * columns_, {});
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      for (const PlacedBlock& need : needs_of(*blocks_[i])) {
        draw(need, i < kLetters.size() ? kLetters[i] : kOther);
      }
    }
  }

  void draw(const PlacedBlock& need, char letter) {
    const std::uint64_t left = time().part(distance(steps_.lower, need.live->lower));
    const std::uint64_t right = time().part(distance(steps_.lower, need.live->upper));
    const std::uint64_t bottom = address().part(need.offset);
    // However small it is, it is there.
    const std::uint64_t top = std::max(address().part(need.end()), bottom + 1);
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

  static void add(Cell& cell, char letter, std::uint64_t area) {
    cell.used += area;
    cell.other += letter == kOther ? area : 0;
    const std::uint64_t weight = letter == kOther ? cell.other : area;
    if (weight > cell.most) {
      cell.most = weight;
      cell.letter = letter;
    }
  }

  [[nodiscard]] std::string line_of(std::size_t row) const {
    std::string line;
    for (std::size_t column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[row * columns_ + column];
      line += cell.used == 0                              ? kFree
              : 2 * cell.used < kPartsOfRow * kPartsOfRow ? kLittle
                                                          : cell.letter;
    }
    return line;
  }

  // The line is drawn below the row that begins nearest to the bound; 0: there is none to draw.
  [[nodiscard]] std::size_t row_of_bound() const {
    if (!view_.arena.lower_bound || view_.arena.lower_bound->count() == 0) {
      return 0;
    }
    const std::uint64_t part = address().part(view_.arena.lower_bound->count());
    return std::max<std::uint64_t>((part + kPartsOfRow / 2) / kPartsOfRow, 1);
  }

  [[nodiscard]] std::string bound_line() const {
    std::string line(columns_, '-');
    const std::string label = " no plan needs less ";
    if (label.size() + 4 <= columns_) {
      line.replace(columns_ - label.size() - 2, label.size(), label);
    }
    return fmt::format(
        "{:>{}} +{}\n", core::format_size(*view_.arena.lower_bound), kGutter - 2, line);
  }

  [[nodiscard]] std::size_t column_of(std::int64_t step) const {
    return static_cast<std::size_t>(time().part(distance(steps_.lower, step)) / kPartsOfRow);
  }

  [[nodiscard]] std::string axis() const {
    std::string ruler(columns_, '-');
    std::string labels(columns_, ' ');
    const std::int64_t span = steps_.upper - steps_.lower;
    const std::int64_t tick = decimal_tick(span, static_cast<std::int64_t>(columns_ / 12 + 1));
    std::size_t free_from = 0;
    for (std::int64_t step = steps_.lower; step < steps_.upper; step += tick) {
      const std::size_t column = column_of(step);
      const std::string label = fmt::format("{}", step);
      if (column < free_from || column + label.size() > labels.size()) {
        continue;
      }
      if (column < columns_) {
        ruler[column] = '+';
      }
      labels.replace(column, label.size(), label);
      free_from = column + label.size() + 2;
    }
    labels.resize(labels.find_last_not_of(' ') + 1);
    std::string text =
        fmt::format("{:>{}} +{}\n{:{}}  {}\n", "step", kGutter - 2, ruler, "", kGutter - 2, labels);
    if (view_.peak_bytes) {
      text += peak_line();
    }
    return text;
  }

  [[nodiscard]] std::string peak_line() const {
    const std::size_t first = column_of(view_.peak_step);
    const std::size_t last = std::max(column_of(view_.peak_step + 1), first + 1);
    const std::string label = fmt::format("peak: {} alive at step {}",
                                          core::format_bytes(core::Bytes{*view_.peak_bytes}),
                                          view_.peak_step);
    const std::string marks(last - first, '^');
    // Left of the marks where there is no room to the right of them.
    const bool right = last + 1 + label.size() <= columns_ || first < label.size() + 1;
    return right
               ? fmt::format("{:{}}{} {}\n", "", kGutter + first, marks, label)
               : fmt::format("{:{}}{} {}\n", "", kGutter + first - label.size() - 1, label, marks);
  }

  [[nodiscard]] bool at_peak(const PlacedBlock& block) const {
    const std::vector<PlacedBlock> needs = needs_of(block);
    return view_.peak_bytes && std::ranges::any_of(needs, [&](const auto& need) {
             return need.live->lower <= view_.peak_step && view_.peak_step < need.live->upper;
           });
  }

  [[nodiscard]] std::string legend() const {
    std::string text = "\n";
    for (std::size_t i = 0; i < std::min(blocks_.size(), kExplained); ++i) {
      const PlacedBlock& block = *blocks_[i];
      text += fmt::format("  {}  {:>12} at {:<12} {}: {}\n",
                          kLetters[i],
                          core::format_bytes(core::Bytes{block.size}),
                          block.offset,
                          core::printable(block.block->id, 24),
                          steps_in_words(block) + (at_peak(block) ? ", at the peak" : ""));
    }
    const std::size_t lettered = std::min(blocks_.size(), kLetters.size());
    if (lettered > kExplained) {
      text += fmt::format("  {} to {}: {} smaller\n",
                          kLetters[kExplained],
                          kLetters[lettered - 1],
                          core::plural(lettered - kExplained, "block"));
    }
    if (blocks_.size() > lettered) {
      text += fmt::format(
          "  {}  {}, smaller still\n", kOther, core::plural(blocks_.size() - lettered, "block"));
    }
    const bool little = std::ranges::any_of(cells_, [](const Cell& cell) {
      return cell.used != 0 && 2 * cell.used < kPartsOfRow * kPartsOfRow;
    });
    return text + (little ? fmt::format("  {}  less than half used\n", kLittle) : "");
  }

  const ArenaView& view_;
  model::Interval steps_;
  std::size_t columns_ = 0;
  std::size_t rows_ = 0;
  std::uint64_t row_bytes_ = 1;
  std::uint64_t height_ = 0;
  std::vector<const PlacedBlock*> blocks_;
  std::vector<Cell> cells_;
};

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
    text += Chart{arena, view.steps, width}.text();
  }
  return text;
}

}  // namespace memsize::emit
