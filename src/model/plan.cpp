// Reports of one plan made into one: the first holds, later ones fill in what it lacks, and where
// they say otherwise that is told. Also roots of aliases, and parts of blocks united over time.
#include "memsize/model/plan.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
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

// Fills the first report with what later ones add.
class Combined {
 public:
  explicit Combined(PlanReport first) : all_(std::move(first)) {
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
    if (is_of_another_model(next)) {
      return;
    }
    next_ = next.path;
    is_before_ = all_.is_replanned && !next.is_replanned;
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
    where_ = "the report";
    fill(all_.planner, next.planner);
    merge("prefix", all_.prefix, next.prefix);
    merge("plan hash", all_.foreign_plan_hash, next.foreign_plan_hash);
    merge("layout hash", all_.foreign_layout_hash, next.foreign_layout_hash);
    add_items(all_.memories, next.memories, memory_of_, [](const PlannedMemory& memory) {
      return memory.name;
    });
    add_blocks(next.blocks);
    if (!is_before_) {
      add_items(all_.arenas, next.arenas, arena_of_, [](const PlannedArena& arena) {
        return std::pair{arena.role, arena.memory};
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
    for (core::Diagnostic& diagnostic : next.diagnostics) {
      all_.diagnostics.push_back(std::move(diagnostic));
    }
  }

  PlanReport finish() {
    // A report that has all blocks makes up for one that has not.
    all_.abridged = abridged_ && !complete_;
    if (told_ > kMostTold) {
      all_.diagnostics.push_back(
          core::warning(Code::kPlanContradiction,
                        fmt::format("the reports contradict each other in {} more",
                                    core::plural(told_ - kMostTold, "place")),
                        whole(all_.path),
                        "give reports of one build of the model"));
    }
    return std::move(all_);
  }

 private:
  // Reports of one model have blocks in common, and most of these are of one size. One block alone
  // tells nothing.
  bool is_of_another_model(const PlanReport& next) {
    std::size_t common = 0;
    std::size_t unlike = 0;
    for (const PlannedBlock& block : next.blocks) {
      const auto known = block_of_.find(block.id);
      common += known != block_of_.end() ? 1U : 0U;
      unlike += known != block_of_.end() && all_.blocks[known->second].size != block.size ? 1U : 0U;
    }
    const bool has_blocks = !all_.blocks.empty() && !next.blocks.empty();
    if (has_blocks && unlike > 1 && 2 * unlike > common) {
      refuse(fmt::format("of {} that this report shares with {}, {} of another size: they are of "
                         "different models",
                         core::plural(common, "block"),
                         shown(all_.path),
                         core::plural(unlike, "is", "are")),
             next.path);
    } else if (has_blocks && common == 0) {
      refuse(fmt::format("no block of this report is in {}: they are of different models",
                         shown(all_.path)),
             next.path);
    } else {
      return false;
    }
    return true;
  }

  void refuse(std::string what, const core::SharedText& path) {
    all_.diagnostics.push_back(
        core::error(Code::kPlanContradiction,
                    std::move(what),
                    whole(path),
                    "give the reports of one model, and each model by itself"));
  }

  static core::Place whole(const core::SharedText& path) {
    core::Place place;
    place.path = path;
    return place;
  }

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
    warning.related.push_back({whole(all_.path), "the first report"});
    all_.diagnostics.push_back(std::move(warning));
  }

  static void fill(std::string& first, const std::string& second) {
    if (first.empty()) {
      first = second;
    }
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

  // Items that only a later report has stand behind the first's, without a line: it would be taken
  // for one of the first report.
  template <typename Item, typename Index, typename Key>
  void add_items(std::vector<Item>& items, std::vector<Item>& more, Index& index, Key key) {
    for (Item& item : more) {
      const auto [found, fresh] = index.emplace(key(item), items.size());
      if (fresh) {
        item.line = 0;
        items.push_back(std::move(item));
      } else {
        merge_item(items[found->second], item);
      }
    }
  }

  void merge_item(PlannedMemory& first, const PlannedMemory& second) {
    where_ = fmt::format("memory {}", shown(first.name));
    merge("capacity", first.capacity, second.capacity);
    merge("use", first.used, second.used);
    merge("base", first.base, second.base);
    merge("alignment", first.alignment, second.alignment);
    merge("writability", first.writable, second.writable);
  }

  void merge_item(PlannedArena& first, const PlannedArena& second) {
    if (is_before_) {
      return;
    }
    where_ = fmt::format("the {} arena in {}", name_of(first.role), shown(first.memory));
    merge("source memory", first.source_memory, second.source_memory);
    merge("region", first.region_id, second.region_id);
    merge("used size", first.used, second.used);
    merge("total size", first.total, second.total);
    merge("alignment", first.alignment, second.alignment);
    merge("number of blocks", first.block_count, second.block_count);
    merge("lower bound", first.lower_bound, second.lower_bound);
    merge("proof", first.proof, second.proof);
  }

  // A report that names no memories leaves that to the others.
  static bool is_named(const std::string& memory) { return !memory.empty() && memory != "default"; }

  void merge_item(PlannedBlock& first, const PlannedBlock& second) {
    where_ = shown(first.id);
    // Names are for people: one report shortens what another does not.
    fill(first.name, second.name);
    if (first.role != second.role) {
      contradict("role", first.role, second.role);
    }
    merge_place(first, second);
    merge("lifetime", first.live, second.live);
    if (first.windows.empty()) {
      first.windows = second.windows;
    } else if (!second.windows.empty() && first.windows != second.windows) {
      contradict("part", first.windows, second.windows);
    }
    if (first.size != second.size) {
      contradict("size", first.size, second.size);
    }
    if (all_.aligns_elements) {
      first.alignment = std::max(first.alignment, second.alignment);
    } else {
      merge("alignment", first.alignment, second.alignment);
    }
    merge("root", first.alias_of, second.alias_of);
    if (!first.uses) {
      first.uses = second.uses;
    }
    first.is_input = first.is_input || second.is_input;
    first.is_output = first.is_output || second.is_output;
  }

  // Where it lies.
  void merge_place(PlannedBlock& first, const PlannedBlock& second) {
    if (is_before_ && first.offset) {
      return;
    }
    if (!is_named(first.memory)) {
      first.memory = second.memory;
    } else if (is_named(second.memory) && first.memory != second.memory) {
      contradict("memory", first.memory, second.memory);
    }
    merge("source memory", first.source_memory, second.source_memory);
    merge("offset", first.offset, second.offset);
  }

  void add_blocks(std::vector<PlannedBlock>& blocks) {
    add_items(all_.blocks, blocks, block_of_, [](const PlannedBlock& block) { return block.id; });
  }

  PlanReport all_;
  bool complete_ = false;
  bool abridged_ = false;
  std::unordered_map<std::string, std::size_t> block_of_;
  std::map<std::pair<Lifetime, std::string>, std::size_t> arena_of_;
  std::map<std::string, std::size_t> memory_of_;
  core::SharedText next_;
  std::string where_;
  // What comes next says where blocks were before memsize planned them.
  bool is_before_ = false;
  std::size_t told_ = 0;
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
