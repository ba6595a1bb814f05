#include "memsize/sizing/sizing.hpp"

#include "memsize/core/text.hpp"

#include "allocator.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using board::Generation;
using board::HeapRule;
using core::Bytes;
using core::Code;
using model::Block;

bool in_class(const Block& block, const board::DemandKey& key) {
  return block.space == key.space && block.cacheability == key.cacheability &&
         block.lifetime == key.lifetime;
}

BlockList blocks_of(const model::Instance& instance, const board::DemandKey& key) {
  BlockList list;
  for (const Block& block : instance.blocks) {
    if (in_class(block, key)) {
      list.push_back(&block);
    }
  }
  // Records are allocated in the order of their numbers, whatever order they are told in.
  std::stable_sort(list.begin(), list.end(), [](const Block* a, const Block* b) {
    return a->record < b->record;
  });
  return list;
}

// A core's low address words: two blocks overlap if they share a byte.
bool overlap(const Block& a, const Block& b) {
  if (!a.address_low || !b.address_low) {
    return false;
  }
  const std::uint64_t a_end = *a.address_low + std::max<std::uint64_t>(a.size.nearest.count(), 1);
  const std::uint64_t b_end = *b.address_low + std::max<std::uint64_t>(b.size.nearest.count(), 1);
  return *a.address_low < b_end && *b.address_low < a_end;
}

// Within one log an address belongs to one live block at a time. Logs of several runs all begin
// with empty heaps: that their addresses overlap says nothing about what the user will load
// together.
bool never_together(const model::Instance& a, const model::Instance& b) {
  if (a.input != b.input) {
    return false;
  }
  return std::any_of(a.blocks.begin(), a.blocks.end(), [&](const Block& one) {
    return one.lifetime == model::Lifetime::kPersistent &&
           one.cacheability != model::Cacheability::kOnChip &&
           std::any_of(b.blocks.begin(), b.blocks.end(), [&](const Block& other) {
             return other.lifetime == one.lifetime && other.cacheability == one.cacheability &&
                    overlap(one, other);
           });
  });
}

using LiveSet = std::vector<std::size_t>;

bool has_addresses(const model::Instance& instance) {
  return std::any_of(instance.blocks.begin(), instance.blocks.end(), [](const Block& block) {
    return block.address_low.has_value();
  });
}

// The largest sets of instances that were live at the same time: an instance that is loaded over
// another one's memory proves that the other had gone. A set that only grows is kept once, at its
// largest.
std::vector<LiveSet> live_sets(const std::vector<model::Instance>& instances, bool together) {
  std::vector<LiveSet> sets;
  LiveSet live;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    LiveSet staying;
    const bool telling = has_addresses(instances[i]);
    for (const std::size_t earlier : live) {
      if (together && !(telling && never_together(instances[earlier], instances[i]))) {
        staying.push_back(earlier);
      }
    }
    if (staying.size() != live.size()) {
      sets.push_back(live);
    }
    live = std::move(staying);
    live.push_back(i);
  }
  sets.push_back(std::move(live));
  return sets;
}

Bytes fixed_part(const Generation& generation, const Block& block) {
  const auto known = generation.fixed.find(block.record);
  if (known == generation.fixed.end()) {
    return {};
  }
  return known->second.whole ? block.size.nearest
                             : std::min(known->second.size, block.size.nearest);
}

Bytes headroom_for(const Headroom& headroom, Bytes variable) {
  if (!headroom.is_percent) {
    return headroom.size;
  }
  const std::uint64_t hundredths = variable.count() / 100;
  const std::uint64_t rest = variable.count() % 100;
  return Bytes{hundredths * headroom.percent + (rest * headroom.percent + 99) / 100};
}

// Told by one record of which all but a few bytes is fixed in the SDK's source.
const Generation* generation_of(const model::Instance& instance, const board::TraceFormat& format) {
  for (const Generation& candidate : format.generations) {
    for (const Block& block : instance.blocks) {
      const auto printed_so = [&](Bytes size) {
        return size <= block.size.upper &&
               size + block.size.upper >= block.size.nearest + block.size.nearest;
      };
      if (block.record == candidate.fingerprint_record &&
          std::any_of(
              candidate.fingerprint_sizes.begin(), candidate.fingerprint_sizes.end(), printed_so)) {
        return &candidate;
      }
    }
  }
  return nullptr;
}

class Sizer {
 public:
  Sizer(const model::Recording& recording,
        const board::TraceFormat& format,
        const BoardView* view,
        const Options& options)
      : recording_(recording), format_(format), view_(view), options_(options) {}

  Sizing run() {
    sizing_.inputs = recording_.inputs;
    sizing_.trace_format = format_.name;
    sizing_.diagnostics = recording_.diagnostics;
    sizing_.headroom = options_.headroom;
    sizing_.together = options_.together;
    choose_generation();
    for (const model::CoreRecording& core : recording_.cores) {
      size_core(core);
    }
    if (forecast_ != nullptr && !sizing_.generation.empty()) {
      sizing_.generation_differs = true;
      report_generation();
    }
    if (view_ != nullptr) {
      report_untouched();
      report_margin();
    }
    return std::move(sizing_);
  }

 private:
  void say(core::Diagnostic diagnostic) { sizing_.diagnostics.push_back(std::move(diagnostic)); }

  void choose_generation() {
    const Generation* told = find_generation(recording_, format_);
    const Generation* of_board =
        view_ == nullptr ? nullptr : format_.find_generation(view_->board->generation);
    if (told != nullptr) {
      generation_ = told;
      sizing_.generation = told->name;
      sizing_.generation_title = told->title;
      sizing_.generation_evidence =
          fmt::format("record {} has {}",
                      told->fingerprint_record,
                      core::format_bytes(told->fingerprint_sizes.front()));
    } else {
      generation_ = of_board != nullptr ? of_board : &format_.generations.back();
      say(core::warning(
          Code::kSizingUnknownGeneration,
          fmt::format("the SDK generation of the trace cannot be told; it is taken for {}",
                      generation_->title),
          {},
          several_generations()
              ? "the tables of the trace are of different generations: analyze them apart"
              : "the record that tells it is missing or of an unknown size"));
    }
    if (!generation_->estimate.empty()) {
      say(core::warning(Code::kSizingUnknownGeneration,
                        fmt::format("{}: {}", generation_->title, generation_->estimate)));
    }
    if (of_board != nullptr && of_board != generation_) {
      forecast_ = of_board;
    }
  }

  // Whether tables tell their generations, but not the same one.
  [[nodiscard]] bool several_generations() const {
    const Generation* first = nullptr;
    for (const model::CoreRecording& core : recording_.cores) {
      for (const model::Instance& instance : core.instances) {
        const Generation* own = generation_of(instance, format_);
        if (own != nullptr && first != nullptr && own != first) {
          return true;
        }
        first = own != nullptr ? own : first;
      }
    }
    return false;
  }

  void size_core(const model::CoreRecording& recorded) {
    CoreSizing core;
    core.core = recorded.core;
    if (view_ != nullptr && view_->board->find_core(core.core) == nullptr) {
      report_unknown_core(recorded);
    }
    for (const model::Instance& instance : recorded.instances) {
      core.instances.push_back(completeness(core.core, instance));
      core.complete = core.complete && core.instances.back().complete;
    }
    const std::vector<LiveSet> sets = live_sets(recorded.instances, options_.together);
    report_instances(recorded, sets);
    for (const board::DemandKey& key : classes_of(recorded)) {
      if (key.cacheability == model::Cacheability::kOnChip) {
        core.onchip.push_back(size_onchip(recorded, key));
      } else {
        core.demands.push_back(size_demand(recorded, key, sets));
      }
    }
    sizing_.cores.push_back(std::move(core));
  }

  void report_unknown_core(const model::CoreRecording& recorded) {
    std::vector<std::string> names;
    for (const board::Core& known : view_->board->cores) {
      names.push_back(known.name);
    }
    if (recorded.core.empty()) {
      return;  // said once, where the recording was made
    }
    say(core::warning(
        Code::kSizingUnknownCore,
        fmt::format("board '{}' has no core '{}': its demands size nothing",
                    view_->board->name,
                    core::printable(recorded.core, 40)),
        {},
        fmt::format("the cores are: {}; --core names one for all lines", core::join(names, ", "))));
  }

  InstanceSizing completeness(const std::string& core, const model::Instance& instance) {
    InstanceSizing sized;
    sized.instance = instance;
    for (std::uint32_t record = 0; record < generation_->records; ++record) {
      const bool there = std::any_of(instance.blocks.begin(),
                                     instance.blocks.end(),
                                     [&](const Block& block) { return block.record == record; });
      if (!there) {
        sized.missing.push_back(record);
      }
    }
    sized.complete = sized.missing.empty();
    if (!sized.complete) {
      core::Place place;
      place.path = recording_.inputs.at(instance.input).path;
      place.line = instance.line;
      std::vector<std::string> numbers;
      for (const std::uint32_t record : sized.missing) {
        numbers.push_back(fmt::format("{}", record));
      }
      say(core::warning(
          Code::kSizingIncomplete,
          fmt::format(
              "{}: the table that begins here lacks {} of {} records ({}): every sum is a lower "
              "bound",
              core.empty() ? "core without a name" : core,
              sized.missing.size(),
              generation_->records,
              core::join(numbers, ", ")),
          place,
          "the log was cut, or its ring buffer dropped lines: trace the model again"));
    }
    return sized;
  }

  void report_instances(const model::CoreRecording& recorded, const std::vector<LiveSet>& sets) {
    const std::size_t count = recorded.instances.size();
    if (count < 2) {
      return;
    }
    std::size_t most = 0;
    for (const LiveSet& set : sets) {
      most = std::max(most, set.size());
    }
    const std::string how = !options_.together
                          ? std::string{"counted as loaded one at a time: every demand is the maximum"}
                      : most == count
                          ? std::string{"counted as live together: persistent memory adds, scratch "
                                        "takes the maximum"}
                          : fmt::format("some lie at the same addresses and were never live together: "
                                        "at most {} count at a time",
                                        most);
    core::Diagnostic several = core::note(
        Code::kSizingInstances, fmt::format("{}: {} models, {}", recorded.core, count, how));
    if (most > 1) {
      several.details = format_.several_models;
    }
    say(std::move(several));
  }

  // The classes that a core's blocks are of, in the order of the report: the board's own order
  // where there is a board, then as they appear.
  static std::vector<board::DemandKey> classes_of(const model::CoreRecording& recorded) {
    constexpr std::array kOrder = {
        std::pair{model::Cacheability::kCacheable, model::Lifetime::kPersistent},
        std::pair{model::Cacheability::kCacheable, model::Lifetime::kScratch},
        std::pair{model::Cacheability::kNonCacheable, model::Lifetime::kPersistent},
        std::pair{model::Cacheability::kNonCacheable, model::Lifetime::kScratch},
    };
    std::vector<board::DemandKey> keys;
    const auto add = [&](const board::DemandKey& key) {
      const bool used = std::any_of(
          recorded.instances.begin(),
          recorded.instances.end(),
          [&](const model::Instance& instance) { return !blocks_of(instance, key).empty(); });
      if (used && std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
    };
    for (const auto& [cacheability, lifetime] : kOrder) {
      for (const model::Instance& instance : recorded.instances) {
        for (const Block& block : instance.blocks) {
          if (block.cacheability == cacheability && block.lifetime == lifetime) {
            add({recorded.core, block.space, cacheability, lifetime});
          }
        }
      }
    }
    for (const model::Instance& instance : recorded.instances) {
      for (const Block& block : instance.blocks) {
        add({recorded.core, block.space, block.cacheability, block.lifetime});
      }
    }
    return keys;
  }

  OnChipDemand size_onchip(const model::CoreRecording& recorded, const board::DemandKey& key) {
    OnChipDemand demand;
    demand.space = key.space;
    for (const model::Instance& instance : recorded.instances) {
      Bytes sum;
      const BlockList blocks = blocks_of(instance, key);
      for (const Block* block : blocks) {
        sum += block->size.nearest;
      }
      if (sum >= demand.requested) {
        demand.requested = sum;
        demand.records = blocks.size();
      }
    }
    if (view_ == nullptr) {
      return demand;
    }
    for (const OnChipRegion& region : view_->onchip) {
      if (region.core == recorded.core && region.space == key.space) {
        demand.available = region.size;
        demand.region = region.region;
      }
    }
    if (demand.available && demand.requested > *demand.available) {
      say(core::warning(Code::kSizingOnChip,
                        fmt::format("{} asks for {} of {}, but '{}' has {}",
                                    recorded.core,
                                    core::format_size(demand.requested),
                                    key.space,
                                    demand.region,
                                    core::format_size(*demand.available)),
                        {},
                        "the model was compiled for a chip with more on-chip memory"));
    }
    return demand;
  }

  Demand size_demand(const model::CoreRecording& recorded,
                     const board::DemandKey& key,
                     const std::vector<LiveSet>& sets) {
    Demand demand;
    demand.key = key;
    const HeapRule* rule = generation_->find_heap(key.cacheability, key.lifetime);
    const HeapRule none;
    const HeapRule& used = rule == nullptr ? none : *rule;
    demand.rule_source = used.source;
    const LiveSet peak = peak_set(recorded, key, sets, used);
    std::vector<BlockList> instances;
    for (const std::size_t index : peak) {
      instances.push_back(blocks_of(recorded.instances[index], key));
      for (const Block* block : instances.back()) {
        demand.records += 1;
        demand.requested += block->size.nearest;
        demand.fixed += fixed_part(*generation_, *block);
        demand.counted.push_back({index, *block});
      }
    }
    demand.bound = bound_of(used, instances);
    demand.objects = before_records(used);
    for (std::size_t further = 1; further < peak.size(); ++further) {
      demand.objects += model_objects(used);
    }
    measure_extent(recorded, used, demand);
    const Bytes figure = demand.figure();
    demand.headroom = headroom_for(options_.headroom, figure - demand.fixed);
    attach_knob(demand);
    if (forecast_ != nullptr && demand.suggested) {
      forecast(demand, instances);
    }
    return demand;
  }

  // Persistent memory: the live set that needs most, margin and all. Scratch is reset before each
  // model: the one model that needs most.
  [[nodiscard]] LiveSet peak_set(const model::CoreRecording& recorded,
                                 const board::DemandKey& key,
                                 const std::vector<LiveSet>& sets,
                                 const HeapRule& rule) const {
    std::vector<LiveSet> candidates = sets;
    if (key.lifetime == model::Lifetime::kScratch) {
      candidates.clear();
      for (std::size_t i = 0; i < recorded.instances.size(); ++i) {
        candidates.push_back({i});
      }
    }
    LiveSet best;
    Bytes most;
    for (const LiveSet& set : candidates) {
      std::vector<BlockList> instances;
      Bytes fixed;
      for (const std::size_t index : set) {
        instances.push_back(blocks_of(recorded.instances[index], key));
        for (const Block* block : instances.back()) {
          fixed += fixed_part(*generation_, *block);
        }
      }
      const Bytes bound = bound_of(rule, instances);
      const Bytes need = bound + headroom_for(options_.headroom, bound - fixed);
      if (best.empty() || need > most) {
        best = set;
        most = need;
      }
    }
    return best;
  }

  // The highest end less the heap's base, over all runs: each log began with its own empty heap.
  void measure_extent(const model::CoreRecording& recorded, const HeapRule& rule, Demand& demand) {
    std::map<std::size_t, std::vector<BlockList>> runs;
    for (const model::Instance& instance : recorded.instances) {
      runs[instance.input].push_back(blocks_of(instance, demand.key));
    }
    const HeapRegion* heap = nullptr;
    if (view_ != nullptr) {
      const auto known = std::find_if(view_->heaps.begin(),
                                      view_->heaps.end(),
                                      [&](const HeapRegion& h) { return h.key == demand.key; });
      heap = known == view_->heaps.end() ? nullptr : &*known;
    }
    Bytes highest;
    for (const auto& [input, instances] : runs) {
      const std::optional<std::uint32_t> base =
          heap != nullptr ? static_cast<std::uint32_t>(heap->range.base().value())
                          : implied_base(rule, instances);
      const auto end = highest_end(instances, base);
      if (!end) {
        return;
      }
      highest = std::max(highest, *end);
    }
    demand.extent = highest;
    if (heap != nullptr) {
      demand.base = heap->range.base();
    }
  }

  // Nothing where the base or one address is unknown: that block could be the highest.
  static std::optional<Bytes> highest_end(const std::vector<BlockList>& instances,
                                          std::optional<std::uint32_t> base) {
    Bytes highest;
    for (const BlockList& blocks : instances) {
      for (const Block* block : blocks) {
        if (!block->address_low || !base) {
          return std::nullopt;
        }
        // Low words only: a heap may lie across a 4 GiB boundary.
        const Bytes offset{static_cast<std::uint32_t>(*block->address_low - *base)};
        highest = std::max(highest, offset + std::max(block->size.ceiling, Bytes{1}));
      }
    }
    return highest;
  }

  void attach_knob(Demand& demand) {
    if (view_ == nullptr) {
      return;
    }
    const auto& knobs = view_->board->knobs;
    const auto knob = std::find_if(knobs.begin(), knobs.end(), [&](const board::Knob& candidate) {
      return candidate.demand == demand.key;
    });
    if (knob == knobs.end()) {
      if (view_->board->find_core(demand.key.core) != nullptr) {
        say(core::warning(Code::kSizingNoKnob,
                          fmt::format("board '{}' has no heap for {} {} {} memory of {}",
                                      view_->board->name,
                                      demand.key.space,
                                      model::name_of(demand.key.cacheability),
                                      model::name_of(demand.key.lifetime),
                                      demand.key.core)));
      }
      return;
    }
    demand.knob = knob->name;
    demand.granule = step_of(*knob);
    demand.current = Bytes{view_->values.at(knob->name)};
    for (const auto& [name, region] : view_->region_of_knob) {
      if (name == knob->name) {
        demand.region = region;
      }
    }
    demand.suggested = rounded(demand.figure() + demand.headroom, *knob);
  }

  [[nodiscard]] core::Align step_of(const board::Knob& knob) const {
    return options_.tight ? knob.hard_granule : knob.granule;
  }

  [[nodiscard]] Bytes rounded(Bytes size, const board::Knob& knob) const {
    return core::align_up(std::max({size, knob.minimum, Bytes{1}}), step_of(knob));
  }

  // The same demand under the board's generation: records whose fixed part differs are resized,
  // then everything is counted by that generation's rules.
  void forecast(Demand& demand, const std::vector<BlockList>& instances) const {
    const HeapRule* rule = forecast_->find_heap(demand.key.cacheability, demand.key.lifetime);
    const board::Knob& knob = *view_->board->find_knob(demand.knob);
    std::vector<std::vector<Block>> changed;
    Bytes fixed;
    for (const BlockList& blocks : instances) {
      changed.emplace_back();
      for (const Block* block : blocks) {
        Block forecast_block = *block;
        const auto now = generation_->fixed.find(block->record);
        const auto then = forecast_->fixed.find(block->record);
        if (now != generation_->fixed.end() && then != forecast_->fixed.end() &&
            !now->second.whole) {
          for (Bytes* size : {&forecast_block.size.nearest,
                              &forecast_block.size.ceiling,
                              &forecast_block.size.upper}) {
            *size = *size - now->second.size + then->second.size;
          }
        }
        fixed += fixed_part(*forecast_, forecast_block);
        changed.back().push_back(std::move(forecast_block));
      }
    }
    std::vector<BlockList> lists;
    for (const std::vector<Block>& blocks : changed) {
      lists.emplace_back();
      for (const Block& block : blocks) {
        lists.back().push_back(&block);
      }
    }
    const Bytes bound = bound_of(rule == nullptr ? HeapRule{} : *rule, lists);
    demand.forecast_figure = bound;
    // In the vendor's steps even where the suggestion is tight: nobody has traced it.
    demand.forecast = core::align_up(
        std::max({bound + headroom_for(options_.headroom, bound - fixed), knob.minimum, Bytes{1}}),
        knob.granule);
  }

  // What a model's own objects take in a heap of the class, under a generation's rules.
  static Bytes own_objects(const Generation& generation, const board::DemandKey& key) {
    const HeapRule* rule = generation.find_heap(key.cacheability, key.lifetime);
    return rule == nullptr ? Bytes{} : model_objects(*rule);
  }

  void report_generation() {
    core::Diagnostic differs = core::warning(
        Code::kSizingGeneration,
        fmt::format(
            "the trace is of {}, but board '{}' is of {}: a map sized from it may not load a "
            "model there",
            generation_->title,
            view_->board->name,
            forecast_->title));
    std::vector<std::string> settings;
    for (const CoreSizing& core : sizing_.cores) {
      for (const Demand& demand : core.demands) {
        if (!demand.forecast || !demand.suggested) {
          continue;
        }
        const std::string name = fmt::format("{} {} {}",
                                             core.core,
                                             model::name_of(demand.key.cacheability),
                                             model::name_of(demand.key.lifetime));
        if (*demand.forecast != *demand.suggested) {
          differs.details.push_back(fmt::format("forecast: {} needs {} there, not {}",
                                                name,
                                                core::format_size(*demand.forecast),
                                                core::format_size(*demand.suggested)));
          settings.push_back(
              fmt::format("--set {}={}", demand.knob, core::format_setting(*demand.forecast)));
        }
        const Bytes here = own_objects(*generation_, demand.key);
        const Bytes there = own_objects(*forecast_, demand.key);
        if (here != there) {
          differs.details.push_back(
              fmt::format("a model's own objects take {} of it there, {} in the trace",
                          core::format_bytes(there),
                          core::format_bytes(here)));
        }
      }
    }
    differs.hint =
        fmt::format("trace the model under {}; to take the forecast: {}",
                    forecast_->title,
                    settings.empty() ? std::string{"nothing changes"} : core::join(settings, " "));
    say(std::move(differs));
  }

  // Knobs that no demand of this trace drives keep their size, and that is said.
  void report_untouched() {
    std::map<std::string, std::pair<std::size_t, Bytes>> idle;
    for (const board::Knob& knob : view_->board->knobs) {
      if (!knob.demand) {
        continue;
      }
      const auto core =
          std::find_if(sizing_.cores.begin(), sizing_.cores.end(), [&](const CoreSizing& c) {
            return c.core == knob.demand->core;
          });
      const Bytes now{view_->values.at(knob.name)};
      if (core == sizing_.cores.end()) {
        idle[knob.demand->core].first += 1;
        idle[knob.demand->core].second += now;
        continue;
      }
      const bool driven = std::any_of(core->demands.begin(),
                                      core->demands.end(),
                                      [&](const Demand& d) { return d.knob == knob.name; });
      if (!driven) {
        say(core::note(
            Code::kSizingUntraced,
            fmt::format(
                "the trace has nothing for {}: it keeps {}", knob.name, core::format_size(now))));
      }
    }
    for (const auto& [core, heaps] : idle) {
      say(core::note(Code::kSizingUntraced,
                     fmt::format("{} was not traced: its {} keep {}",
                                 core,
                                 core::plural(heaps.first, "heap"),
                                 core::format_size(heaps.second)),
                     {},
                     "trace a model on it, or set its knobs with --set, to give them back too"));
    }
  }

  void report_margin() {
    if (format_.not_covered.empty()) {
      return;
    }
    core::Diagnostic margin =
        core::note(Code::kSizingMargin,
                   options_.headroom.is_percent
                       ? fmt::format("the margin is {} % of what can vary; it does not cover:",
                                     options_.headroom.percent)
                       : fmt::format("the margin is {} a heap; it does not cover:",
                                     core::format_size(options_.headroom.size)));
    margin.details = format_.not_covered;
    say(std::move(margin));
  }

  const model::Recording& recording_;
  const board::TraceFormat& format_;
  const BoardView* view_;
  const Options& options_;
  const Generation* generation_ = nullptr;
  const Generation* forecast_ = nullptr;
  Sizing sizing_;
};

}  // namespace

core::Result<Headroom> parse_headroom(std::string_view text) {
  constexpr std::uint64_t kMost = 1000;
  const std::string_view trimmed = core::trim(text);
  Headroom headroom;
  const auto refuse = [&] {
    return core::fail(core::error(Code::kTextSize,
                                  fmt::format("'{}' is not a headroom", core::printable(text, 40)),
                                  {},
                                  "a headroom is a whole percentage up to 1000% (10%), a size "
                                  "(512KiB), or 0"));
  };
  if (trimmed.ends_with('%')) {
    const auto percent = core::parse_address(trimmed.substr(0, trimmed.size() - 1));
    if (!percent || *percent > kMost) {
      return refuse();
    }
    headroom.percent = *percent;
    return headroom;
  }
  const bool number = !trimmed.empty() && trimmed.front() >= '0' && trimmed.front() <= '9';
  const auto size = core::parse_bytes(trimmed);
  if (!size) {
    return number ? tl::make_unexpected(size.error()) : refuse();
  }
  headroom.is_percent = false;
  headroom.size = *size;
  return headroom;
}

std::string format_headroom(const Headroom& headroom) {
  return headroom.is_percent ? fmt::format("{}%", headroom.percent)
                             : fmt::format("{}", headroom.size.count());
}

Bytes Demand::figure() const {
  return std::max({requested, bound, extent.value_or(Bytes{})});
}

Sizing size_recording(const model::Recording& recording,
                      const board::TraceFormat& format,
                      const BoardView* view,
                      const Options& options) {
  return Sizer{recording, format, view, options}.run();
}

bool Sizing::complete() const {
  return std::all_of(
      cores.begin(), cores.end(), [](const CoreSizing& core) { return core.complete; });
}

const Generation* find_generation(const model::Recording& recording,
                                  const board::TraceFormat& format) {
  const Generation* found = nullptr;
  for (const model::CoreRecording& core : recording.cores) {
    for (const model::Instance& instance : core.instances) {
      const Generation* own = generation_of(instance, format);
      if (own == nullptr || (found != nullptr && found != own)) {
        return nullptr;
      }
      found = own;
    }
  }
  return found;
}

bool addresses_match(const model::Recording& recording, const std::vector<HeapRegion>& heaps) {
  bool any = false;
  for (const model::CoreRecording& core : recording.cores) {
    for (const model::Instance& instance : core.instances) {
      for (const Block& block : instance.blocks) {
        if (block.cacheability == model::Cacheability::kOnChip || !block.address_low) {
          continue;
        }
        const auto heap =
            std::find_if(heaps.begin(), heaps.end(), [&](const HeapRegion& candidate) {
              return candidate.key.core == core.core && in_class(block, candidate.key);
            });
        if (heap == heaps.end()) {
          return false;
        }
        // The log has the low 32 bits; a heap may lie across a 4 GiB boundary.
        const auto offset = static_cast<std::uint32_t>(
            *block.address_low - static_cast<std::uint32_t>(heap->range.base().value()));
        if (Bytes{offset} + block.size.nearest > heap->range.size()) {
          return false;
        }
        any = true;
      }
    }
  }
  return any;
}

}  // namespace memsize::sizing
