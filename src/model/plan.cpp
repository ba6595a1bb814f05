// Reports of one plan made into one: the first holds, later ones fill in what it lacks, and where
// they say otherwise that is told. Also roots of aliases, and parts of blocks united over time.
#include "memsize/model/plan.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace memsize::model {

namespace {

using core::Code;

// Contradictions that are told; two builds of a model have one for each tensor.
constexpr std::size_t kMostTold = 20;
constexpr std::size_t kLongestShown = 60;

std::string shown(const std::string& text) {
  return fmt::format("'{}'", core::printable(text, kLongestShown));
}

std::string shown(core::Bytes size) {
  return fmt::format("{} B", size.count());
}

std::string shown(core::Align align) {
  return fmt::format("{}", align.value());
}

std::string shown(core::PhysAddr address) {
  return core::format_address(address);
}

std::string shown(Lifetime role) {
  return fmt::format("'{}'", name_of(role));
}

std::string shown(const Interval& live) {
  return fmt::format("[{}, {})", live.lower, live.upper);
}

std::string shown(const std::vector<Window>& windows) {
  return windows.empty() ? "of all its bytes" : core::plural(windows.size(), "window");
}

std::string shown(std::uint64_t number) {
  return fmt::format("{}", number);
}

std::string shown(bool flag) {
  return flag ? "true" : "false";
}

core::Place whole(const core::SharedText& path) {
  core::Place place;
  place.path = path;
  return place;
}

void fill(std::string& first, const std::string& second) {
  if (first.empty()) {
    first = second;
  }
}

// Fills values of the first report with those of a later one. Where both have one and they differ,
// the first holds, and that is told.
class Merger {
 public:
  explicit Merger(core::SharedText first) : first_(std::move(first)) {}

  void begin(core::SharedText next) {
    next_ = std::move(next);
    where_ = "the report";
  }

  // What the next values are of, for messages.
  void at(std::string where) { where_ = std::move(where); }

  template <typename Value>
  void contradict(std::string_view what, const Value& first, const Value& second) {
    if (++told_ > kMostTold) {
      return;
    }
    core::Diagnostic warning =
        core::warning(Code::kPlanContradiction,
                      fmt::format("{}: its {} is {}, but {} here; the first holds",
                                  where_,
                                  what,
                                  shown(first),
                                  shown(second)),
                      whole(next_),
                      "give reports of one build of the model");
    warning.related.push_back({whole(first_), "the first report"});
    found_.push_back(std::move(warning));
  }

  void merge(std::string_view what, std::string& first, const std::string& second) {
    fill(first, second);
    if (!second.empty() && first != second) {
      contradict(what, first, second);
    }
  }

  template <typename Value>
  void merge(std::string_view what,
             std::optional<Value>& first,
             const std::optional<Value>& second) {
    if (!first) {
      first = second;
    } else if (second && *first != *second) {
      contradict(what, *first, *second);
    }
  }

  [[nodiscard]] core::Diagnostics take() { return std::exchange(found_, {}); }

  // How many contradictions were not told.
  [[nodiscard]] std::size_t untold() const { return told_ > kMostTold ? told_ - kMostTold : 0; }

 private:
  core::SharedText first_;
  core::SharedText next_;
  std::string where_;
  std::size_t told_ = 0;
  core::Diagnostics found_;
};

void merge_memory(Merger& merger, PlannedMemory& first, const PlannedMemory& second) {
  merger.at(fmt::format("memory {}", shown(first.name)));
  merger.merge("capacity", first.capacity, second.capacity);
  merger.merge("use", first.used, second.used);
  merger.merge("base", first.base, second.base);
  merger.merge("alignment", first.alignment, second.alignment);
  merger.merge("writability", first.writable, second.writable);
}

void merge_arena(Merger& merger, PlannedArena& first, const PlannedArena& second) {
  merger.at(fmt::format("the {} arena in {}", name_of(first.role), shown(first.memory)));
  merger.merge("source memory", first.source_memory, second.source_memory);
  merger.merge("region", first.region_id, second.region_id);
  merger.merge("used size", first.used, second.used);
  merger.merge("total size", first.total, second.total);
  merger.merge("alignment", first.alignment, second.alignment);
  merger.merge("number of blocks", first.block_count, second.block_count);
  merger.merge("lower bound", first.lower_bound, second.lower_bound);
  merger.merge("proof", first.proof, second.proof);
}

// A report that names no memories leaves that to the others.
bool is_named(const std::string& memory) {
  return !memory.empty() && memory != "default";
}

// Where it lies.
void merge_place(Merger& merger, PlannedBlock& first, const PlannedBlock& second) {
  if (!is_named(first.memory)) {
    first.memory = second.memory;
  } else if (is_named(second.memory) && first.memory != second.memory) {
    merger.contradict("memory", first.memory, second.memory);
  }
  merger.merge("source memory", first.source_memory, second.source_memory);
  merger.merge("offset", first.offset, second.offset);
}

// `is_before`: the second says where it lay before memsize planned it. That counts where the first
// has no offset.
void merge_block(Merger& merger,
                 PlannedBlock& first,
                 const PlannedBlock& second,
                 bool is_before,
                 bool aligns_elements) {
  merger.at(shown(first.id));
  // Names are for people: one report shortens what another does not.
  fill(first.name, second.name);
  if (first.role != second.role) {
    merger.contradict("role", first.role, second.role);
  }
  if (!is_before || !first.offset) {
    merge_place(merger, first, second);
  }
  merger.merge("lifetime", first.live, second.live);
  if (first.windows.empty()) {
    first.windows = second.windows;
  } else if (!second.windows.empty() && first.windows != second.windows) {
    merger.contradict("part", first.windows, second.windows);
  }
  if (first.size != second.size) {
    merger.contradict("size", first.size, second.size);
  }
  if (aligns_elements) {
    first.alignment = std::max(first.alignment, second.alignment);
  } else {
    merger.merge("alignment", first.alignment, second.alignment);
  }
  merger.merge("root", first.alias_of, second.alias_of);
  if (!first.uses) {
    first.uses = second.uses;
  }
  first.is_input = first.is_input || second.is_input;
  first.is_output = first.is_output || second.is_output;
}

// Items that only a later report has stand behind the first's, without a line: it would be taken
// for one of the first report.
template <typename Item, typename Index, typename Key, typename Merge>
void add_items(
    std::vector<Item>& items, std::vector<Item>& more, Index& index, Key key, Merge merge) {
  for (Item& item : more) {
    const auto [found, fresh] = index.emplace(std::invoke(key, item), items.size());
    if (fresh) {
      item.line = 0;
      items.push_back(std::move(item));
    } else {
      merge(items[found->second], item);
    }
  }
}

// Reports of one model have blocks in common, and most of these are of one size. One block alone
// tells nothing. `block_of`: the first's blocks by id. Nothing: they are of one model.
std::optional<core::Diagnostic> other_model(
    const PlanReport& first,
    const std::unordered_map<std::string, std::size_t>& block_of,
    const PlanReport& next) {
  std::size_t common = 0;
  std::size_t unlike = 0;
  for (const PlannedBlock& block : next.blocks) {
    const auto known = block_of.find(block.id);
    common += known != block_of.end() ? 1U : 0U;
    unlike += known != block_of.end() && first.blocks[known->second].size != block.size ? 1U : 0U;
  }
  const bool has_blocks = !first.blocks.empty() && !next.blocks.empty();
  const bool is_unlike = has_blocks && unlike > 1 && 2 * unlike > common;
  if (!is_unlike && (!has_blocks || common != 0)) {
    return std::nullopt;
  }
  return core::error(
      Code::kPlanContradiction,
      is_unlike
          ? fmt::format("of {} that this report shares with {}, {} of another size: they are of "
                        "different models",
                        core::plural(common, "block"),
                        shown(first.path),
                        core::plural(unlike, "is", "are"))
          : fmt::format("no block of this report is in {}: they are of different models",
                        shown(first.path)),
      whole(next.path),
      "give the reports of one model, and each model by itself");
}

// Fills the first report with what later ones add.
class Combined {
 public:
  explicit Combined(PlanReport first) : all_(std::move(first)), merger_(all_.path) {
    complete_ = !all_.abridged && !all_.blocks.empty();
    abridged_ = all_.abridged;
    for (std::size_t i = 0; i < all_.blocks.size(); ++i) {
      block_of_.emplace(all_.blocks[i].id, i);
    }
    for (std::size_t i = 0; i < all_.arenas.size(); ++i) {
      arena_of_.emplace(std::pair{all_.arenas[i].role, all_.arenas[i].memory}, i);
    }
    for (std::size_t i = 0; i < all_.memories.size(); ++i) {
      memory_of_.emplace(all_.memories[i].name, i);
    }
  }

  void add(PlanReport next) {
    if (auto other = other_model(all_, block_of_, next)) {
      all_.diagnostics.push_back(std::move(*other));
      return;
    }
    // Then it says where blocks were before memsize planned them.
    const bool is_before = all_.is_replanned && !next.is_replanned;
    complete_ = complete_ || (!next.abridged && !next.blocks.empty());
    abridged_ = abridged_ || next.abridged;
    all_.aligns_elements = all_.aligns_elements || next.aligns_elements;
    if (next.missing.empty()) {
      all_.missing.clear();
    }
    if (!next.blocks.empty()) {
      all_.plans_scratch_alone =
          next.plans_scratch_alone && (all_.blocks.empty() || all_.plans_scratch_alone);
    }
    all_.lines += next.lines;
    merger_.begin(next.path);
    fill(all_.planner, next.planner);
    merger_.merge("prefix", all_.prefix, next.prefix);
    merger_.merge("plan hash", all_.foreign_plan_hash, next.foreign_plan_hash);
    merger_.merge("layout hash", all_.foreign_layout_hash, next.foreign_layout_hash);
    add_items(all_.memories,
              next.memories,
              memory_of_,
              &PlannedMemory::name,
              [&](auto& first, const auto& second) { merge_memory(merger_, first, second); });
    add_items(all_.blocks,
              next.blocks,
              block_of_,
              &PlannedBlock::id,
              [&](auto& first, const auto& second) {
                merge_block(merger_, first, second, is_before, all_.aligns_elements);
              });
    if (!is_before) {
      const auto key = [](const PlannedArena& arena) {
        return std::pair{arena.role, arena.memory};
      };
      add_items(all_.arenas, next.arenas, arena_of_, key, [&](auto& first, const auto& second) {
        merge_arena(merger_, first, second);
      });
    }
    if (all_.layers.empty()) {
      all_.layers = std::move(next.layers);
      for (LayerTime& layer : all_.layers) {
        layer.line = 0;
      }
    }
    if (all_.network.operators.empty()) {
      all_.network = std::move(next.network);
    }
    std::ranges::move(merger_.take(), std::back_inserter(all_.diagnostics));
    std::ranges::move(next.diagnostics, std::back_inserter(all_.diagnostics));
  }

  PlanReport finish() {
    // A report that has all blocks makes up for one that has not.
    all_.abridged = abridged_ && !complete_;
    if (merger_.untold() != 0) {
      all_.diagnostics.push_back(
          core::warning(Code::kPlanContradiction,
                        fmt::format("the reports contradict each other in {} more",
                                    core::plural(merger_.untold(), "place")),
                        whole(all_.path),
                        "give reports of one build of the model"));
    }
    return std::move(all_);
  }

 private:
  PlanReport all_;
  bool complete_ = false;
  bool abridged_ = false;
  std::unordered_map<std::string, std::size_t> block_of_;
  std::map<std::pair<Lifetime, std::string>, std::size_t> arena_of_;
  std::map<std::string, std::size_t> memory_of_;
  Merger merger_;
};

}  // namespace

std::vector<Window> united(const std::vector<Window>& windows) {
  std::vector<std::int64_t> steps;
  std::vector<Window> by_byte;
  for (const Window& window : windows) {
    if (window.live.lower < window.live.upper && window.begin < window.end) {
      steps.insert(steps.end(), {window.live.lower, window.live.upper});
      by_byte.push_back(window);
    }
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  std::ranges::sort(by_byte, [](const Window& a, const Window& b) { return a.begin < b.begin; });
  std::vector<Window> all;
  // Of `all`, those that end where the next ones begin.
  std::size_t last = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const std::size_t first = all.size();
    for (const Window& window : by_byte) {
      if (window.live.lower > steps[i] || window.live.upper <= steps[i]) {
        continue;
      }
      if (all.size() > first && window.begin <= all.back().end) {
        all.back().end = std::max(all.back().end, window.end);
      } else {
        all.push_back({{steps[i], steps[i + 1]}, window.begin, window.end});
      }
    }
    const bool goes_on =
        std::equal(all.begin() + static_cast<std::ptrdiff_t>(last),
                   all.begin() + static_cast<std::ptrdiff_t>(first),
                   all.begin() + static_cast<std::ptrdiff_t>(first),
                   all.end(),
                   [](const Window& a, const Window& b) {
                     return a.live.upper == b.live.lower && a.begin == b.begin && a.end == b.end;
                   });
    if (goes_on && first != all.size()) {
      all.resize(first);
      for (std::size_t k = last; k < first; ++k) {
        all[k].live.upper = steps[i + 1];
      }
    } else {
      last = first;
    }
  }
  if (all.empty() && !windows.empty()) {
    all.push_back({windows.front().live, core::Bytes{}, core::Bytes{}});
  }
  return all;
}

PlanReport combine(std::vector<PlanReport> reports) {
  if (reports.empty()) {
    return {};
  }
  std::stable_partition(
      reports.begin(), reports.end(), [](const PlanReport& report) { return report.is_replanned; });
  Combined all{std::move(reports.front())};
  for (std::size_t i = 1; i < reports.size(); ++i) {
    all.add(std::move(reports[i]));
  }
  return all.finish();
}

std::vector<const PlannedBlock*> roots_of(const std::vector<PlannedBlock>& blocks) {
  // Of a million blocks it costs more than all else, and mostly nobody asks it.
  std::unordered_map<std::string_view, std::size_t> index;
  const bool has_aliases =
      std::ranges::any_of(blocks, [](const auto& block) { return !block.alias_of.empty(); });
  index.reserve(has_aliases ? blocks.size() : 0);
  for (std::size_t i = 0; has_aliases && i < blocks.size(); ++i) {
    index.emplace(blocks[i].id, i);
  }
  enum class State { kNew, kOnTheWay, kKnown };
  std::vector<State> states(blocks.size(), State::kNew);
  std::vector<const PlannedBlock*> roots(blocks.size(), nullptr);
  std::vector<std::size_t> way;
  for (std::size_t begin = 0; begin < blocks.size(); ++begin) {
    // Each block is gone through once: whoever comes to a known one takes its root.
    const PlannedBlock* root = nullptr;
    std::size_t at = begin;
    way.clear();
    while (true) {
      if (states[at] != State::kNew) {
        root = states[at] == State::kKnown ? roots[at] : nullptr;
        break;
      }
      states[at] = State::kOnTheWay;
      way.push_back(at);
      if (blocks[at].alias_of.empty()) {
        root = &blocks[at];
        break;
      }
      const auto next = index.find(blocks[at].alias_of);
      if (next == index.end()) {
        break;
      }
      at = next->second;
    }
    for (const std::size_t passed : way) {
      states[passed] = State::kKnown;
      roots[passed] = root;
    }
  }
  return roots;
}

}  // namespace memsize::model
