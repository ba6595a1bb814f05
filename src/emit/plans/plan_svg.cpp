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

class Panel {
 public:
  Panel(const ArenaView& view, const Interval& steps, Length top)
      : view_(view), steps_(steps), timed_(is_timed(view)) {
    for (const PlacedBlock& placed : view.placed) {
      if (placed.live && placed.size != 0) {
        top_ = std::max(top_, placed.end());
      }
    }
    if (view.arena.lower_bound) {
      top_ = std::max(top_, view.arena.lower_bound->count());
    }
    // A capacity far above would press everything else down; then it is in words only.
    capacity_fits_ = view.capacity && *view.capacity / 3 <= top_ / 2;
    if (capacity_fits_) {
      top_ = std::max(top_, *view.capacity);
    }
    top_ = std::max<std::uint64_t>(top_, 1);
    plot_ = {kLeft, top + kAbovePlot, kPlotWidth, timed_ ? kTimedHeight : kFlatHeight};
  }

  [[nodiscard]] Length bottom() const { return plot_.top + plot_.height + kBelowPlot; }

  [[nodiscard]] std::string svg() const {
    return "<g class=\"arena\">\n" + headings() + axes() + blocks() + marks() + "</g>\n";
  }

 private:
  static bool is_timed(const ArenaView& view) {
    return std::ranges::any_of(view.placed,
                               [](const auto& placed) { return placed.block->live.has_value(); });
  }

  [[nodiscard]] Length x_of(std::int64_t step) const {
    return plot_.left + part_of(length_of(steps_.lower, step),
                                length_of(steps_.lower, steps_.upper),
                                plot_.width);
  }

  [[nodiscard]] Length y_of(std::uint64_t address) const {
    return plot_.top + plot_.height - part_of(address, top_, plot_.height);
  }

  [[nodiscard]] std::string headings() const {
    std::vector<std::string> facts;
    const auto bytes = [](std::uint64_t count) { return core::format_bytes(core::Bytes{count}); };
    if (view_.height) {
      facts.push_back("height " + bytes(*view_.height));
    }
    if (view_.arena.lower_bound) {
      facts.push_back("lower bound " + bytes(view_.arena.lower_bound->count()));
    }
    if (view_.capacity) {
      facts.push_back("capacity " + bytes(*view_.capacity));
    }
    facts.push_back(core::plural(view_.blocks, "block"));
    if (!view_.arena.proof.empty()) {
      facts.push_back(proof_in_words(view_));
    }
    return text_at(
               "title", kLeft, plot_.top - kAbovePlot + kLineHeight, escape_html(title_of(view_))) +
           text_at("small",
                   kLeft,
                   plot_.top - kAbovePlot + 2 * kLineHeight,
                   escape_html(core::join(facts, "; ")));
  }

  [[nodiscard]] std::string axes() const {
    std::string text = fmt::format("<rect class=\"frame\" {}/>\n", plot_.attributes());
    const Length base = plot_.top + plot_.height;
    std::uint64_t tick = 1;
    const std::uint64_t most = timed_ ? 8 : 3;
    while (top_ / tick > most) {
      tick *= 2;
    }
    for (std::uint64_t address = 0; address <= top_; address += tick) {
      const Length y = y_of(address);
      text += line_at("grid", plot_.left, y, plot_.left + plot_.width, y);
      text += text_at("small end",
                      plot_.left - kLetterWidth,
                      y + 4 * kPixel,
                      core::format_size(core::Bytes{address}));
    }
    if (!timed_) {
      return text + text_at("small", plot_.left, base + kLineHeight, when());
    }
    const std::int64_t step_tick = decimal_tick(steps_.upper - steps_.lower, 12);
    // Round numbers, also where the first step is none.
    std::int64_t step = steps_.lower / step_tick * step_tick;
    step += step < steps_.lower ? step_tick : 0;
    for (; step <= steps_.upper; step += step_tick) {
      const Length x = x_of(step);
      text += line_at("tick", x, base, x, base + 4 * kPixel);
      text += text_at("small middle", x, base + kLineHeight, fmt::format("{}", step));
    }
    return text + text_at("small end", plot_.left - kLetterWidth, base + kLineHeight, "step");
  }

  [[nodiscard]] std::string when() const {
    return view_.arena.role == model::Lifetime::kScratch ? "Nobody says when its blocks are alive."
                                                         : "Alive all the time.";
  }

  [[nodiscard]] std::optional<Box> box_of(const PlacedBlock& placed) const {
    if (!placed.live || placed.size == 0) {
      return std::nullopt;
    }
    // Without any step in the plan, all the time is all of the width.
    const bool always = !placed.block->live.has_value();
    if (!always && placed.live->lower >= placed.live->upper) {
      return std::nullopt;
    }
    const Length left = always ? plot_.left : x_of(placed.live->lower);
    const Length right = always ? plot_.left + plot_.width : x_of(placed.live->upper);
    const Length high = y_of(placed.end());
    return Box{left, high, right - left, y_of(placed.offset) - high};
  }

  struct Drawn {
    std::size_t index = 0;
    Box box;
  };

  [[nodiscard]] std::string blocks() const {
    std::vector<Drawn> drawn;
    for (std::size_t i = 0; i < view_.placed.size(); ++i) {
      for (const PlacedBlock& need : needs_of(view_.placed[i])) {
        if (const auto box = box_of(need); box) {
          drawn.push_back({i, *box});
        }
      }
    }
    std::string text;
    if (drawn.size() > kMostBlocks) {
      std::ranges::stable_sort(drawn, [](const Drawn& a, const Drawn& b) {
        return a.box.width * a.box.height > b.box.width * b.box.height;
      });
      text += crowd(drawn);
      drawn.resize(kLargestBlocks);
    }
    text += "<g class=\"blocks\">\n";
    for (const Drawn& block : drawn) {
      text += rectangle(view_.placed[block.index], block);
    }
    text += "</g>\n";
    for (const Drawn& block : drawn) {
      text += label(view_.placed[block.index], block.box);
    }
    return text;
  }

  [[nodiscard]] std::string crowd(const std::vector<Drawn>& drawn) const {
    Grid grid{plot_};
    for (std::size_t i = kLargestBlocks; i < drawn.size(); ++i) {
      grid.add(drawn[i].box);
    }
    return fmt::format("<g class=\"many\">\n<title>{}, each too small to show</title>\n{}</g>\n",
                       core::plural(drawn.size() - kLargestBlocks, "block"),
                       grid.svg());
  }

  [[nodiscard]] static std::string rectangle(const PlacedBlock& placed, const Drawn& drawn) {
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

  [[nodiscard]] static std::string label(const PlacedBlock& placed, const Box& box) {
    const std::string name = core::printable(placed.block->id, 40);
    const Length wide = static_cast<Length>(name.size() + 1) * kLetterWidth;
    if (placed.alias || box.height < 12 * kPixel || box.width < wide) {
      return {};
    }
    return text_at("id middle",
                   box.left + box.width / 2,
                   box.top + box.height / 2 + 4 * kPixel,
                   escape_html(name));
  }

  [[nodiscard]] std::string marks() const {
    std::string text;
    const Length right = plot_.left + plot_.width;
    if (capacity_fits_) {
      const Length y = y_of(*view_.capacity);
      text += line_at("capacity", plot_.left, y, right, y);
      text += text_at("small", plot_.left + kLetterWidth, y - 4 * kPixel, "capacity");
    }
    if (view_.arena.lower_bound && timed_) {
      const Length y = y_of(view_.arena.lower_bound->count());
      text += line_at("bound", plot_.left, y, right, y);
      text += text_at("small end", right, y - 4 * kPixel, "lower bound");
    }
    if (view_.peak_bytes && timed_) {
      const Length left = x_of(view_.peak_step);
      const Length wide = std::max(x_of(view_.peak_step + 1) - left, kPixel);
      const Box box{left, plot_.top, wide, plot_.height};
      text += fmt::format("<rect class=\"peak\" {}/>\n", box.attributes());
      const bool at_end = left > plot_.left + plot_.width / 2;
      text += text_at(at_end ? "end" : "start",
                      at_end ? left + wide : left,
                      plot_.top + plot_.height + 2 * kLineHeight,
                      fmt::format("peak: {} alive at step {}",
                                  core::format_bytes(core::Bytes{*view_.peak_bytes}),
                                  view_.peak_step));
    }
    return text;
  }

  const ArenaView& view_;
  Interval steps_;
  bool timed_;
  // The address at the upper edge.
  std::uint64_t top_ = 0;
  bool capacity_fits_ = false;
  Box plot_;
};

}  // namespace

std::string plan_svg(const model::PlanReport& plan) {
  const PlanView view = view_of(plan);
  std::string panels;
  Length height = 8 * kPixel;
  for (const ArenaView& arena : view.arenas) {
    const Panel panel{arena, view.steps, height};
    panels += panel.svg();
    height = panel.bottom();
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
