// A plan as a drawing: steps to the right, addresses upwards, a rectangle a block.
//
// No viewer draws 60 000 rectangles well, and no eye tells them apart. Up to kMostBlocks each has
// its own; of larger arenas the blocks with the largest areas have, and behind them a grid shows
// how much of each of its cells the others use. All coordinates are whole hundredths of a pixel, so
// that every machine writes the same bytes.
#include "memsize/core/text.hpp"

#include "plan_writers.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using model::Interval;

constexpr std::size_t kMostBlocks = 3000;
constexpr std::size_t kLargestBlocks = 1500;
constexpr std::size_t kColours = 8;

// Hundredths of a pixel.
using Length = std::int64_t;
constexpr Length kPixel = 100;
constexpr Length kWidth = 960 * kPixel;
constexpr Length kLeft = 96 * kPixel;
constexpr Length kPlotWidth = 840 * kPixel;
constexpr Length kTimedHeight = 320 * kPixel;
constexpr Length kFlatHeight = 120 * kPixel;
constexpr Length kAbovePlot = 64 * kPixel;
constexpr Length kBelowPlot = 60 * kPixel;
constexpr Length kLineHeight = 16 * kPixel;
constexpr Length kLetterWidth = 7 * kPixel;
// Of the grid behind large arenas.
constexpr Length kCellWidth = 4 * kPixel;
constexpr Length kCellHeight = 2 * kPixel;
constexpr Length kLevels = 4;

constexpr std::string_view kStyle = R"(<style>
.plan-drawing text { font: 12px sans-serif; fill: #222; }
.plan-drawing .title { font-weight: bold; font-size: 14px; }
.plan-drawing .small { fill: #666; }
.plan-drawing .end { text-anchor: end; }
.plan-drawing .middle { text-anchor: middle; }
.plan-drawing .paper { fill: #fff; }
.plan-drawing .frame, .plan-drawing .tick { fill: none; stroke: #999; }
.plan-drawing .grid { stroke: #e4e4e4; }
.plan-drawing .wide { stroke: #fff; stroke-width: 0.5; }
.plan-drawing .alias { fill: none; stroke: #555; stroke-dasharray: 3 2; }
.plan-drawing .many { fill: #7f93a8; }
.plan-drawing .peak { fill: #d62728; fill-opacity: 0.15; pointer-events: none; }
.plan-drawing .bound { stroke: #1a7f37; stroke-width: 1.5; stroke-dasharray: 6 4; }
.plan-drawing .capacity { stroke: #d62728; stroke-width: 1.5; }
.plan-drawing .id { font-size: 10px; pointer-events: none; }
.plan-drawing .k0 { fill: #8ab8e0; } .plan-drawing .k1 { fill: #f2b26b; }
.plan-drawing .k2 { fill: #93cf93; } .plan-drawing .k3 { fill: #e59a9a; }
.plan-drawing .k4 { fill: #b9a3dd; } .plan-drawing .k5 { fill: #c8ad8d; }
.plan-drawing .k6 { fill: #eeb3dc; } .plan-drawing .k7 { fill: #c9c96f; }
</style>
)";

std::string px(Length length) {
  return fmt::format("{}.{:02}", length / kPixel, length % kPixel);
}

// Names are data: whatever XML cannot have is an escape by now.
std::string xml(std::string_view text, std::size_t most) {
  return escape_html(core::printable(text, most));
}

std::uint64_t length_of(std::int64_t from, std::int64_t to) {
  return to > from ? static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) : 0;
}

// `value` of `whole`, as a part of `length`; whole numbers all the way, and none beyond 2^63.
Length part_of(std::uint64_t value, std::uint64_t whole, Length length) {
  constexpr int kDigits = 44;
  const int digits = static_cast<int>(std::bit_width(whole));
  const int shift = std::max(digits - kDigits, 0);
  const std::uint64_t scaled_whole = std::max<std::uint64_t>(whole >> shift, 1);
  const std::uint64_t scaled = std::min(value >> shift, scaled_whole);
  return static_cast<Length>(scaled * static_cast<std::uint64_t>(length) / scaled_whole);
}

struct Box {
  Length left = 0;
  Length top = 0;
  Length width = 0;
  Length height = 0;

  [[nodiscard]] std::string attributes() const {
    return fmt::format(
        R"(x="{}" y="{}" width="{}" height="{}")", px(left), px(top), px(width), px(height));
  }
};

std::string text_at(std::string_view style, Length x, Length y, const std::string& content) {
  return fmt::format(
      "<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", style, px(x), px(y), content);
}

std::string line_at(std::string_view style, Length x1, Length y1, Length x2, Length y2) {
  return fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                     style,
                     px(x1),
                     px(y1),
                     px(x2),
                     px(y2));
}

// How much of each cell is used, where it matters little by whom.
class Grid {
 public:
  explicit Grid(const Box& plot)
      : plot_(plot),
        columns_(static_cast<std::size_t>(plot.width / kCellWidth) + 1),
        rows_(static_cast<std::size_t>(plot.height / kCellHeight) + 1),
        steps_(columns_ * rows_),
        edges_(columns_ * rows_) {}

  // In each row, what begins and ends is noted and added up later: a block costs its height in
  // rows, however wide it is.
  void add(const Box& box) {
    const Length left = box.left - plot_.left;
    const Length right = left + box.width;
    const Length top = box.top - plot_.top;
    const Length bottom = top + box.height;
    for (Length row = top / kCellHeight; row * kCellHeight < bottom; ++row) {
      const Length high =
          std::min(bottom, (row + 1) * kCellHeight) - std::max(top, row * kCellHeight);
      change(row, left, high);
      change(row, right, -high);
    }
  }

  [[nodiscard]] std::string svg() const {
    std::string text;
    for (std::size_t row = 0; row < rows_; ++row) {
      std::int64_t used = 0;
      std::size_t begin = 0;
      Length level = 0;
      for (std::size_t column = 0; column <= columns_; ++column) {
        Length here = 0;
        if (column < columns_) {
          used += steps_[row * columns_ + column];
          here = level_of(used * kCellWidth - edges_[row * columns_ + column]);
        }
        if (here != level) {
          text += level == 0 ? std::string{} : run(row, begin, column, level);
          begin = column;
          level = here;
        }
      }
    }
    return text;
  }

 private:
  // From `x` on, `high` more of the row is used. `steps` counts whole cells from this one on,
  // `edges` what of this one lies before `x`.
  void change(Length row, Length x, Length high) {
    const std::size_t at =
        static_cast<std::size_t>(row) * columns_ + static_cast<std::size_t>(x / kCellWidth);
    steps_[at] += high;
    edges_[at] += high * (x % kCellWidth);
  }

  static Length level_of(std::int64_t used) {
    constexpr Length kFull = kCellWidth * kCellHeight;
    return std::min((used * kLevels + kFull - 1) / kFull, kLevels);
  }

  [[nodiscard]] std::string run(std::size_t row,
                                std::size_t begin,
                                std::size_t end,
                                Length level) const {
    const Length left = static_cast<Length>(begin) * kCellWidth;
    const Length right = std::min(static_cast<Length>(end) * kCellWidth, plot_.width);
    const Length top = static_cast<Length>(row) * kCellHeight;
    const Length bottom = std::min(top + kCellHeight, plot_.height);
    if (left >= right || top >= bottom) {
      return {};
    }
    const Box box{plot_.left + left, plot_.top + top, right - left, bottom - top};
    return fmt::format(
        "<rect {} fill-opacity=\"{}\"/>\n", box.attributes(), px(level * kPixel / kLevels));
  }

  Box plot_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<std::int64_t> steps_;
  std::vector<std::int64_t> edges_;
};

// Where steps and addresses are in an arena's drawing.
struct Plot {
  Box box;
  Interval steps;
  // The address at the upper edge.
  std::uint64_t top = 1;
  bool is_timed = false;
  bool has_capacity = false;

  [[nodiscard]] Length right() const { return box.left + box.width; }

  [[nodiscard]] Length base() const { return box.top + box.height; }

  [[nodiscard]] Length x_of(std::int64_t step) const {
    return box.left +
           part_of(length_of(steps.lower, step), length_of(steps.lower, steps.upper), box.width);
  }

  [[nodiscard]] Length y_of(std::uint64_t address) const {
    return base() - part_of(address, top, box.height);
  }
};

Plot plot_of(const ArenaView& view, const Interval& steps, Length above) {
  std::uint64_t top = view.arena.lower_bound ? view.arena.lower_bound->count() : 0;
  bool is_timed = false;
  for (const PlacedBlock& placed : view.placed) {
    if (placed.live && placed.size != 0) {
      top = std::max(top, placed.end());
    }
    is_timed = is_timed || placed.block->live.has_value();
  }
  // A capacity far above would press everything else down; then it is in words only.
  const bool has_capacity = view.capacity && *view.capacity / 3 <= top / 2;
  if (has_capacity) {
    top = std::max(top, *view.capacity);
  }
  return {.box = {kLeft, above + kAbovePlot, kPlotWidth, is_timed ? kTimedHeight : kFlatHeight},
          .steps = steps,
          .top = std::max<std::uint64_t>(top, 1),
          .is_timed = is_timed,
          .has_capacity = has_capacity};
}

std::string headings(const ArenaView& view, const Box& plot) {
  std::vector<std::string> facts;
  const auto bytes = [](std::uint64_t count) { return core::format_bytes(core::Bytes{count}); };
  if (view.height) {
    facts.push_back("height " + bytes(*view.height));
  }
  if (view.arena.lower_bound) {
    facts.push_back("lower bound " + bytes(view.arena.lower_bound->count()));
  }
  if (view.capacity) {
    facts.push_back("capacity " + bytes(*view.capacity));
  }
  facts.push_back(core::plural(view.blocks, "block"));
  if (!view.arena.proof.empty()) {
    facts.push_back(proof_in_words(view));
  }
  return text_at("title", kLeft, plot.top - kAbovePlot + kLineHeight, escape_html(title_of(view))) +
         text_at("small",
                 kLeft,
                 plot.top - kAbovePlot + 2 * kLineHeight,
                 escape_html(core::join(facts, "; ")));
}

std::string when_alive(const ArenaView& view) {
  return view.arena.role == model::Lifetime::kScratch ? "Nobody says when its blocks are alive."
                                                      : "Alive all the time.";
}

std::string svg_axes(const ArenaView& view, const Plot& plot) {
  std::string text = fmt::format("<rect class=\"frame\" {}/>\n", plot.box.attributes());
  const Length base = plot.base();
  std::uint64_t tick = 1;
  const std::uint64_t most = plot.is_timed ? 8 : 3;
  while (plot.top / tick > most) {
    tick *= 2;
  }
  for (std::uint64_t address = 0; address <= plot.top; address += tick) {
    const Length y = plot.y_of(address);
    text += line_at("grid", plot.box.left, y, plot.right(), y);
    text += text_at("small end",
                    plot.box.left - kLetterWidth,
                    y + 4 * kPixel,
                    core::format_size(core::Bytes{address}));
  }
  if (!plot.is_timed) {
    return text + text_at("small", plot.box.left, base + kLineHeight, when_alive(view));
  }
  const std::int64_t step_tick = decimal_tick(plot.steps.upper - plot.steps.lower, 12);
  // Round numbers, also where the first step is none.
  std::int64_t step = plot.steps.lower / step_tick * step_tick;
  step += step < plot.steps.lower ? step_tick : 0;
  for (; step <= plot.steps.upper; step += step_tick) {
    const Length x = plot.x_of(step);
    text += line_at("tick", x, base, x, base + 4 * kPixel);
    text += text_at("small middle", x, base + kLineHeight, fmt::format("{}", step));
  }
  return text + text_at("small end", plot.box.left - kLetterWidth, base + kLineHeight, "step");
}

std::optional<Box> box_of(const Plot& plot, const PlacedBlock& placed) {
  if (!placed.live || placed.size == 0) {
    return std::nullopt;
  }
  // Without any step in the plan, all the time is all of the width.
  const bool always = !placed.block->live.has_value();
  if (!always && placed.live->lower >= placed.live->upper) {
    return std::nullopt;
  }
  const Length left = always ? plot.box.left : plot.x_of(placed.live->lower);
  const Length right = always ? plot.right() : plot.x_of(placed.live->upper);
  const Length high = plot.y_of(placed.end());
  return Box{left, high, right - left, plot.y_of(placed.offset) - high};
}

struct Drawn {
  std::size_t index = 0;
  Box box;
};

std::string crowd(const Box& plot, const std::vector<Drawn>& drawn) {
  Grid grid{plot};
  for (std::size_t i = kLargestBlocks; i < drawn.size(); ++i) {
    grid.add(drawn[i].box);
  }
  return fmt::format("<g class=\"many\">\n<title>{}, each too small to show</title>\n{}</g>\n",
                     core::plural(drawn.size() - kLargestBlocks, "block"),
                     grid.svg());
}

std::string rectangle(const PlacedBlock& placed, const Drawn& drawn) {
  const model::PlannedBlock& block = *placed.block;
  // White edges would hide what is thinner than they are.
  const bool wide = drawn.box.width >= 3 * kPixel && drawn.box.height >= 3 * kPixel;
  const std::string style =
      placed.alias ? "alias" : fmt::format("k{}{}", drawn.index % kColours, wide ? " wide" : "");
  std::string title = xml(block.id, 160);
  if (!block.name.empty() && block.name != block.id) {
    title += " " + xml(block.name, 160);
  }
  title += fmt::format(
      ": {} at {}, {}", core::format_bytes(block.size), placed.offset, steps_in_words(placed));
  if (placed.alias) {
    title += ", in the bytes of " + xml(block.alias_of, 160);
  }
  return fmt::format("<rect class=\"{}\" {} data-id=\"{}\"><title>{}</title></rect>\n",
                     style,
                     drawn.box.attributes(),
                     xml(block.id, 1000),
                     title);
}

std::string block_label(const PlacedBlock& placed, const Box& box) {
  const std::string name = core::printable(placed.block->id, 40);
  const Length wide = static_cast<Length>(core::text_width(name) + 1) * kLetterWidth;
  if (placed.alias || box.height < 12 * kPixel || box.width < wide) {
    return {};
  }
  return text_at("id middle",
                 box.left + box.width / 2,
                 box.top + box.height / 2 + 4 * kPixel,
                 escape_html(name));
}

std::string svg_blocks(const ArenaView& view, const Plot& plot) {
  std::vector<Drawn> drawn;
  for (std::size_t i = 0; i < view.placed.size(); ++i) {
    for (const PlacedBlock& need : needs_of(view.placed[i])) {
      if (const auto box = box_of(plot, need); box) {
        drawn.push_back({i, *box});
      }
    }
  }
  std::string text;
  if (drawn.size() > kMostBlocks) {
    std::ranges::stable_sort(drawn, [](const Drawn& a, const Drawn& b) {
      return a.box.width * a.box.height > b.box.width * b.box.height;
    });
    text += crowd(plot.box, drawn);
    drawn.resize(kLargestBlocks);
  }
  text += "<g class=\"blocks\">\n";
  for (const Drawn& block : drawn) {
    text += rectangle(view.placed[block.index], block);
  }
  text += "</g>\n";
  for (const Drawn& block : drawn) {
    text += block_label(view.placed[block.index], block.box);
  }
  return text;
}

std::string svg_marks(const ArenaView& view, const Plot& plot) {
  std::string text;
  const Length right = plot.right();
  if (plot.has_capacity) {
    const Length y = plot.y_of(*view.capacity);
    text += line_at("capacity", plot.box.left, y, right, y);
    text += text_at("small", plot.box.left + kLetterWidth, y - 4 * kPixel, "capacity");
  }
  if (view.arena.lower_bound && plot.is_timed) {
    const Length y = plot.y_of(view.arena.lower_bound->count());
    text += line_at("bound", plot.box.left, y, right, y);
    text += text_at("small end", right, y - 4 * kPixel, "lower bound");
  }
  if (view.peak_bytes && plot.is_timed) {
    const Length left = plot.x_of(view.peak_step);
    const Length wide = std::max(plot.x_of(view.peak_step + 1) - left, kPixel);
    const Box box{left, plot.box.top, wide, plot.box.height};
    text += fmt::format("<rect class=\"peak\" {}/>\n", box.attributes());
    const bool at_end = left > plot.box.left + plot.box.width / 2;
    text += text_at(at_end ? "end" : "start",
                    at_end ? left + wide : left,
                    plot.base() + 2 * kLineHeight,
                    fmt::format("peak: {} alive at step {}",
                                core::format_bytes(core::Bytes{*view.peak_bytes}),
                                view.peak_step));
  }
  return text;
}

}  // namespace

std::string plan_svg(const model::PlanReport& plan) {
  const PlanView view = view_of(plan);
  std::string panels;
  Length height = 8 * kPixel;
  for (const ArenaView& arena : view.arenas) {
    const Plot plot = plot_of(arena, view.steps, height);
    panels += "<g class=\"arena\">\n" + headings(arena, plot.box) + svg_axes(arena, plot) +
              svg_blocks(arena, plot) + svg_marks(arena, plot) + "</g>\n";
    height = plot.base() + kBelowPlot;
  }
  const Box paper{0, 0, kWidth, height};
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plan-drawing\" role=\"img\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<title>Where the blocks of the plan lie, and when</title>\n{2}"
      "<rect class=\"paper\" {3}/>\n{4}</svg>\n",
      kWidth / kPixel,
      height / kPixel,
      kStyle,
      paper.attributes(),
      panels);
}

}  // namespace memsize::emit
