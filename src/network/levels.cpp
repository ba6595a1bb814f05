// Counts what is in each memory of a part, and says which knob alone would make it fit. Sums
// saturate, so that what is too large stays too large.
#include "memsize/network/levels.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace memsize::network {

namespace {

using core::Bytes;
using core::Code;

// What NE16 packs (ARES): input channels in groups of 16, those of a depthwise layer in groups of
// 32, each with the 9 weights of a kernel; an int32 bias, a scale and its shift a channel.
constexpr std::uint64_t kNe16Channels = 16;
constexpr std::uint64_t kNe16DepthwiseChannels = 32;
constexpr std::uint64_t kNe16DepthwiseGroup = 288;
constexpr std::uint64_t kNe16Kernel = 9;
constexpr std::uint64_t kNe16BiasAndScale = 4 + 2;

struct ArenaHeight {
  Bytes height;
  std::string source;
};

using Arenas = std::map<std::pair<std::string, model::Lifetime>, ArenaHeight>;

// Reports have arenas, blocks with offsets, or both.
Arenas arenas_of(const model::PlanReport& plan) {
  Arenas arenas;
  const auto reach = [&](const auto& of, Bytes height) {
    ArenaHeight& arena = arenas[{of.memory, of.role}];
    arena.height = std::max(arena.height, height);
    if (arena.source.empty()) {
      arena.source = of.source_memory;
    }
  };
  for (const model::PlannedArena& arena : plan.arenas) {
    reach(arena, std::max(arena.used.value_or(Bytes{}), arena.total.value_or(Bytes{})));
  }
  for (const model::PlannedBlock& block : plan.blocks) {
    if (block.offset && block.alias_of.empty()) {
      reach(block, *block.offset + block.size);
    }
  }
  return arenas;
}

void add_to(Level& level, LevelConsumer consumer) {
  if (consumer.size.count() != 0) {
    level.used += consumer.size;
    level.consumers.push_back(std::move(consumer));
  }
}

void add_arenas(Level& level, const Arenas& arenas) {
  for (const auto& [key, arena] : arenas) {
    const auto& [memory, role] = key;
    if (memory == level.memory) {
      add_to(level, {fmt::format("{} arena", model::name_of(role)), arena.height, {}, true});
    }
    if (arena.source == level.memory && arena.source != memory) {
      add_to(level,
             {fmt::format("what is copied to {}", core::printable(memory, 40)),
              arena.height,
              {},
              true});
    }
  }
}

// Heaps are not counted: a linker script gives them all that is left, and arenas are allocated
// there. Stacks are, though nobody writes them at start either.
void add_images(Level& level, const std::vector<plan::MemoryUse>& images) {
  plan::MemoryUse all;
  for (const plan::MemoryUse& use : images) {
    if (use.memory == level.memory) {
      all.constant += use.constant;
      all.data += use.data;
      all.zeroed += use.zeroed;
      all.copied += use.copied;
      all.stacks += use.stacks;
    }
  }
  add_to(level, {.name = "image: code and constants", .size = all.constant, .knob = {}});
  add_to(level, {.name = "image: data", .size = all.data, .knob = {}});
  add_to(level, {.name = "image: zeroed data", .size = all.zeroed, .knob = {}});
  add_to(level, {.name = "image: data to copy at start", .size = all.copied, .knob = {}});
  add_to(level, {.name = "image: stacks", .size = all.stacks, .knob = {}});
}

// Whose program a plan that memsize made is for, nobody knows any more.
bool is_of(const board::PartConsumer& consumer, const model::PlanReport& plan) {
  return plan.is_replanned || plan.format.starts_with(consumer.of);
}

void say_what_is_missing(Level& level, const LevelInputs& inputs, bool is_mapped) {
  const auto unplaced = std::ranges::count_if(inputs.plan.blocks, [&](const auto& block) {
    return block.memory == level.memory && !block.offset && block.alias_of.empty();
  });
  if (unplaced != 0) {
    level.not_counted.push_back(fmt::format(
        "{} without an offset", core::plural(static_cast<std::uint64_t>(unplaced), "block")));
  }
  if (inputs.images == nullptr && is_mapped) {
    level.not_counted.emplace_back("code, data and tables");
  }
}

// The most that a consumer may have beside all others; nothing where they leave no byte.
Bytes room_beside(const Level& level, std::size_t consumer) {
  Bytes others;
  for (std::size_t i = 0; i < level.consumers.size(); ++i) {
    others += i == consumer ? Bytes{} : level.consumers[i].size;
  }
  return level.capacity - others;
}

std::string way_out(const Level& level) {
  std::vector<std::string> ways;
  bool has_arena = false;
  bool has_image = false;
  for (std::size_t i = 0; i < level.consumers.size(); ++i) {
    const LevelConsumer& consumer = level.consumers[i];
    const Bytes room = room_beside(level, i);
    if (!consumer.knob.empty() && room.count() != 0) {
      ways.push_back(fmt::format("{} to at most {}", consumer.knob, room.count()));
    }
    // Of ours in L1 only tiles have a size of their own.
    has_arena =
        has_arena || (consumer.knob.empty() && consumer.is_ours && level.memory != kStackLevel);
    has_image = has_image || (consumer.knob.empty() && !consumer.is_ours);
  }
  std::vector<std::string> hints;
  if (!ways.empty()) {
    hints.push_back("lower " + core::join(ways, ", or "));
  }
  if (has_arena) {
    hints.emplace_back(
        level.memory == "l3"
            ? "keep less there"
            : "make its arenas smaller: stage more weights (stage), let activations go to l3 "
              "(activations), or cut smaller slabs (l2)");
  } else if (hints.empty() && has_image) {
    hints.push_back(fmt::format("link less into '{}'", core::printable(level.memory, 40)));
  }
  return hints.empty() ? "no knob alone makes it fit: turn several" : core::join(hints, "; or ");
}

std::vector<std::string> largest_first(const Level& level) {
  std::vector<LevelConsumer> consumers = level.consumers;
  std::ranges::stable_sort(consumers, std::ranges::greater{}, &LevelConsumer::size);
  return core::texts_of(consumers, [](const LevelConsumer& consumer) {
    return fmt::format(
        "{:<40} {:>14}", core::printable(consumer.name, 80), core::format_bytes(consumer.size));
  });
}

core::Diagnostic too_much(const Level& level, const std::string& path) {
  return core::error(Code::kPlanDoesNotFit,
                     fmt::format("'{}' has {}, but all that is there takes {}: {} too much",
                                 core::printable(level.memory, 60),
                                 core::format_bytes(level.capacity),
                                 core::format_bytes(level.used),
                                 core::format_bytes(level.used - level.capacity)),
                     {path},
                     way_out(level));
}

core::Diagnostic too_little_headroom(const Level& level, const std::string& path) {
  Level with_headroom = level;
  with_headroom.capacity = level.capacity - kLeastHeadroom;
  return core::warning(
      Code::kPlanDoesNotFit,
      fmt::format("'{}' has {} free, less than {}: how deep stacks go is known only when it runs",
                  core::printable(level.memory, 60),
                  core::format_bytes(level.capacity - level.used),
                  core::format_bytes(kLeastHeadroom)),
      {path},
      way_out(with_headroom));
}

std::uint64_t ne16_times(std::uint64_t a, std::uint64_t b) {
  return core::checked_mul(a, b).value_or(UINT64_MAX);
}

std::uint64_t ne16_groups(std::uint64_t channels, std::uint64_t group) {
  return channels / group + (channels % group == 0 ? 0 : 1);
}

}  // namespace

std::vector<Level> levels_of(const LevelInputs& inputs) {
  const Arenas arenas = arenas_of(inputs.plan);
  std::vector<Level> levels;
  for (const board::PartMemory& memory : inputs.part.memories) {
    Level level{.memory = memory.name, .capacity = memory.hardware};
    add_arenas(level, arenas);
    for (const auto& [where, consumer] : inputs.own) {
      if (where == memory.name) {
        add_to(level, consumer);
      }
    }
    const auto* const said =
        core::find_in(inputs.plan.memories, memory.name, &model::PlannedMemory::name);
    if (level.consumers.empty() && said != nullptr) {
      // Such as tiles, of which the report has no block.
      add_to(level, {"used, as the report says", said->used.value_or(Bytes{}), {}, true});
    }
    for (const board::PartConsumer& consumer : memory.consumers) {
      if (is_of(consumer, inputs.plan) && (!consumer.in_image || inputs.images == nullptr)) {
        add_to(level, {consumer.name, consumer.size, consumer.knob});
      }
    }
    if (inputs.images != nullptr) {
      add_images(level, *inputs.images);
    }
    say_what_is_missing(level, inputs, memory.base.has_value());
    if (!level.consumers.empty()) {
      levels.push_back(std::move(level));
    }
  }
  return levels;
}

core::Diagnostics check_levels(const std::vector<Level>& levels, const std::string& path) {
  core::Diagnostics found;
  for (const Level& level : levels) {
    core::Parties parties{{"memory", level.memory}};
    if (level.used > level.capacity) {
      found.push_back(too_much(level, path).about(std::move(parties)).with(largest_first(level)));
    } else if (level.memory == kStackLevel && level.capacity - level.used < kLeastHeadroom) {
      found.push_back(
          too_little_headroom(level, path).about(std::move(parties)).with(largest_first(level)));
    }
  }
  return found;
}

core::Diagnostics check_reach(const Schedule& schedule, const std::string& path) {
  core::Diagnostics found;
  for (const Step& step : schedule.steps) {
    if (const std::string why = out_of_reach(schedule, step); !why.empty()) {
      const Layer& layer = schedule.layers[step.layers.front()];
      found.push_back(
          core::error(Code::kPlanNetwork,
                      fmt::format("layer '{}': {}", core::printable(layer.name, 60), why),
                      {path, layer.line},
                      "an input with shorter rows or fewer channels can be cut; where L2 has room "
                      "for what is in "
                      "L3, a larger activation_spill keeps it there"));
    }
  }
  for (const std::size_t index : uncut_layers(schedule)) {
    const Layer& layer = schedule.layers[index];
    if (!works_uncut(layer)) {
      found.push_back(core::note(
          Code::kPlanNetwork,
          fmt::format("no program: layer '{}' ({}): {}",
                      core::printable(layer.name, 60),
                      core::printable(layer.kind, 40),
                      kNotWrittenUncut),
          {path, layer.line},
          "--set l1=SIZE gives its tiles more room; memsize plan --sweep l1=FROM..TO says how much "
          "is enough"));
    }
  }
  return found;
}

Bytes ne16_weights(Ne16Kind kind, std::uint64_t in_channels, std::uint64_t out_channels) {
  std::uint64_t packed = 0;
  if (kind == Ne16Kind::kDepthwise3x3) {
    packed = ne16_times(kNe16DepthwiseGroup, ne16_groups(in_channels, kNe16DepthwiseChannels));
  } else {
    packed = ne16_times(ne16_times(ne16_groups(in_channels, kNe16Channels), kNe16Channels),
                        kind == Ne16Kind::k3x3 ? kNe16Kernel : 1);
    packed = ne16_times(packed, out_channels);
  }
  return Bytes{packed} + Bytes{ne16_times(out_channels, kNe16BiasAndScale)};
}

}  // namespace memsize::network
