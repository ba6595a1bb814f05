// A plan as a page: its arenas, memories and blocks as rows for a template. Of a large plan the
// page has the kMostRows largest blocks; the other formats have all of them.
#include "memsize/core/text.hpp"

#include "plan_writers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

// More rows than anybody scrolls through; the other formats have all of them.
constexpr std::size_t kMostRows = 2000;

template <typename Number>
std::string bytes(const std::optional<Number>& count) {
  return count ? core::format_bytes(core::Bytes{*count}) : std::string{};
}

// "1.2 %"; what is not nothing does not look so.
std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) {
    return {};
  }
  const double ratio = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.1f} %", part == 0 ? 0.0 : std::max(ratio, 0.1));
}

Json arena_row(const ArenaView& view) {
  const model::PlannedArena& arena = view.arena;
  std::string above;
  if (view.height && arena.lower_bound && *view.height >= arena.lower_bound->count()) {
    above = share(*view.height - arena.lower_bound->count(), arena.lower_bound->count());
  }
  return {
      {"region", arena.region_id ? fmt::format("{}", *arena.region_id) : std::string{}},
      {"name", title_of(view)},
      {"blocks", fmt::format("{}", view.blocks)},
      {"height", bytes(view.height)},
      {"bound", arena.lower_bound ? core::format_bytes(*arena.lower_bound) : std::string{}},
      {"above", above},
      {"reserved", bytes(reserved(view))},
      {"alignment", arena.alignment ? fmt::format("{}", arena.alignment->value()) : std::string{}},
      {"proof", proof_in_words(view)}};
}

Json memory_row(const model::PlannedMemory& memory) {
  const bool limited = memory.capacity && *memory.capacity < model::kLargestPlan;
  return {{"name", core::printable(memory.name, 60)},
          {"used", memory.used ? core::format_bytes(*memory.used) : std::string{}},
          {"capacity", limited ? core::format_bytes(*memory.capacity) : std::string{}},
          {"share",
           limited && memory.used ? share(memory.used->count(), memory.capacity->count())
                                  : std::string{}}};
}

Json block_row(const PlacedBlock& placed) {
  const model::PlannedBlock& block = *placed.block;
  std::string note;
  const auto add = [&](const std::string& text) { note += (note.empty() ? "" : "; ") + text; };
  if (placed.alias) {
    add("in the bytes of " + core::printable(block.alias_of, 80));
  }
  if (block.is_input) {
    add("input");
  }
  if (block.is_output) {
    add("output");
  }
  const std::string id = core::printable(block.id, 80);
  return {{"id", id},
          {"name", block.name.empty() ? id : core::printable(block.name, 80)},
          {"key", fmt::format("{} {}", id, core::printable(block.memory, 60))},
          {"bytes", fmt::format("{}", block.size.count())},
          {"arena",
           fmt::format("{}, {}", core::printable(block.memory, 60), model::name_of(block.role))},
          {"steps", steps_in_words(placed)},
          {"offset", fmt::format("{}", placed.offset)},
          {"end", fmt::format("{}", placed.end())},
          {"size", core::format_bytes(block.size)},
          {"note", note}};
}

}  // namespace

Json plan_html_view(const model::PlanReport& plan, const std::string& prefix) {
  const PlanView arenas = view_of(plan);
  Json view;
  view["prefix"] = prefix;
  view["planner"] = core::printable(plan.planner, 80);
  view["has_planner"] = !plan.planner.empty();
  view["drawing"] = plan_svg(plan);
  view["tiles"] = Json::array();
  view["arenas"] = Json::array();
  view["memories"] = Json::array();
  view["blocks"] = Json::array();
  std::vector<const PlacedBlock*> placed;
  for (const ArenaView& arena : arenas.arenas) {
    view["arenas"].push_back(arena_row(arena));
    const std::string height = bytes(arena.height);
    view["tiles"].push_back(
        {{"value", height.empty() ? std::string{"-"} : height}, {"label", title_of(arena)}});
    for (const PlacedBlock& block : arena.placed) {
      placed.push_back(&block);
    }
  }
  for (const model::PlannedMemory& memory : plan.memories) {
    view["memories"].push_back(memory_row(memory));
  }
  view["has_memories"] = !plan.memories.empty();
  std::ranges::stable_sort(placed, std::ranges::greater{}, &PlacedBlock::size);
  std::string remark = "The largest first.";
  if (placed.size() > kMostRows) {
    remark = fmt::format("The {} largest of {}.", kMostRows, placed.size());
    placed.resize(kMostRows);
  }
  const auto missing =
      std::ranges::count_if(plan.blocks, [](const auto& block) { return !block.offset; });
  if (missing != 0) {
    remark +=
        fmt::format(" {} no place.",
                    core::plural(static_cast<std::uint64_t>(missing), "block has", "blocks have"));
  }
  view["remark"] = remark;
  for (const PlacedBlock* block : placed) {
    view["blocks"].push_back(block_row(*block));
  }
  return view;
}

}  // namespace memsize::emit
