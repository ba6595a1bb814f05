// Chooses the models that count, by weights in which no rounding decides, then fills one demand
// figure by figure, each with its reason. On-chip memory is only compared with what is there.
#include "demand.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "forecast.hpp"
#include "generation.hpp"
#include "headroom.hpp"
#include "heaps.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using board::DemandKey;
using board::HeapRule;
using core::Bytes;
using core::Code;

constexpr std::uint64_t kPercent = 100;

// What the models of a core have of one class, model by model.
class ClassModels {
 public:
  ClassModels(const Work& work, const CoreWork& core, const DemandKey& key, const HeapRule& rule)
      : work_(work),
        core_(core),
        key_(key),
        rule_(rule),
        adds_(work.options.together && key.lifetime != model::Lifetime::kScratch) {
    for (const Candidate& candidate : core.candidates) {
      lists_.push_back(blocks_of(candidate, key));
    }
    const bool shares = std::ranges::any_of(
        core.contexts, [&](const auto& context) { return in_class(context.largest.block, key); });
    pads_last_ = adds_ && (count() > 1 || shares);
  }

  // Whether models that are loaded together need the sum of what each needs.
  [[nodiscard]] bool adds() const { return adds_; }

  // Where models add up, which of them is the last in its heap is not known, and what counts must
  // not depend on it.
  [[nodiscard]] bool pads_last() const { return pads_last_; }

  [[nodiscard]] const std::vector<BlockList>& lists() const { return lists_; }

  // What is told where of the models of a group one counts.
  [[nodiscard]] const char* why_one() const {
    return core_.live.any_perhaps_one()
               ? "models at the same addresses, and prints that may be of one model"
               : "models at the same addresses";
  }

  // Those that have a block of the class.
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(lists_, [](const BlockList& list) { return !list.empty(); }));
  }

  // Persistent memory: the models that were live together and need most, of every input. Scratch is
  // reset before each model: the one that needs most.
  [[nodiscard]] LiveSet chosen() const {
    const std::vector<std::uint64_t> weigh = weights();
    if (adds_) {
      return core_.live.heaviest(weigh);
    }
    LiveSet set;
    for (std::size_t i = 0; i < weigh.size(); ++i) {
      const auto need = [&](std::size_t index) {
        return std::tuple{weigh[index], requested_by(index)};
      };
      if (weigh[i] > 0 && (set.instances.empty() || need(i) > need(set.instances.front()))) {
        set.instances = {i};
      }
    }
    return set;
  }

  [[nodiscard]] Bytes requested_by(std::size_t index) const {
    Bytes sum;
    for (const model::Block* block : lists_[index]) {
      sum += block->size.nearest;
    }
    return sum;
  }

  [[nodiscard]] std::vector<Counted> records_of(std::size_t index) const {
    std::vector<Counted> records;
    for (const Counted& counted : core_.candidates[index].blocks) {
      if (in_class(counted.block, key_)) {
        records.push_back(counted);
      }
    }
    return records;
  }

  // Of models that do not add up, the one whose records ask for most may be another one than
  // `first`, whose records need most with their padding.
  [[nodiscard]] std::size_t most_requested(std::size_t first) const {
    for (std::size_t i = 0; !adds_ && i < lists_.size(); ++i) {
      first = requested_by(i) > requested_by(first) ? i : first;
    }
    return first;
  }

 private:
  // A model weighs what it takes and the headroom on it, in hundredths of a byte, so that no
  // rounding decides.
  [[nodiscard]] std::vector<std::uint64_t> weights() const {
    std::vector<std::uint64_t> weights;
    for (const BlockList& blocks : lists_) {
      if (blocks.empty()) {
        weights.push_back(0);
        continue;
      }
      Bytes fixed;
      for (const model::Block* block : blocks) {
        fixed += fixed_part(*work_.fixed, *block);
      }
      const Bytes cost =
          cost_of(rule_, blocks) - (pads_last_ ? Bytes{} : last_padding(rule_, blocks));
      const std::uint64_t share =
          work_.options.headroom.is_percent ? work_.options.headroom.percent : 0;
      // Far above every memory there is, and the sum of many still fits.
      constexpr std::uint64_t kMost = 1ULL << 40;
      weights.push_back(kPercent * std::min(cost.count(), kMost) +
                        share * std::min((cost - fixed).count(), kMost));
    }
    return weights;
  }

  const Work& work_;
  const CoreWork& core_;
  const DemandKey& key_;
  const HeapRule& rule_;
  bool adds_;
  bool pads_last_ = false;
  std::vector<BlockList> lists_;
};

// Counts the record that models of one priority share in full once.
void count_context(const SharedContext& context, bool is_chosen, std::vector<Counted>& placed) {
  const auto is_record = [&](const Counted& counted) {
    return !counted.from_total && counted.block.record == context.largest.block.record;
  };
  const auto own = std::ranges::find_if(placed, [&](const Counted& counted) {
    return is_record(counted) && core::contains(context.members, counted.instance);
  });
  // The owner itself where it was counted.
  const auto owner = std::find_if(own, placed.end(), [&](const Counted& counted) {
    return is_record(counted) && counted.instance == context.owner;
  });
  if (owner != placed.end()) {
    *owner = context.largest;
  } else if (own != placed.end()) {
    own->block.size = context.largest.block.size;
    own->rule = "the largest of its priority, counted once";
  } else if (is_chosen) {
    Counted kept = context.largest;
    kept.rule = "kept for the models of its priority";
    placed.push_back(std::move(kept));
  }
}

// The records of the models that count, as their heap places them.
std::vector<Counted> placed_records(const ClassModels& models,
                                    const CoreWork& core,
                                    const DemandKey& key,
                                    const std::vector<std::size_t>& chosen) {
  std::vector<Counted> placed;
  for (const std::size_t index : chosen) {
    const std::vector<Counted> records = models.records_of(index);
    placed.insert(placed.end(), records.begin(), records.end());
  }
  for (const SharedContext& context : core.contexts) {
    if (in_class(context.largest.block, key)) {
      count_context(context, !chosen.empty(), placed);
    }
  }
  return placed;
}

// What was counted, model by model. `models`: of the core.
std::vector<BlockList> counted_lists(const std::vector<Counted>& placed,
                                     const std::vector<std::size_t>& chosen,
                                     std::size_t models) {
  std::vector<BlockList> lists(chosen.size());
  std::vector<std::size_t> homes(models, chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    homes[chosen[i]] = i;
  }
  // What was kept for models that do not count themselves comes behind the first one's own.
  BlockList others;
  for (const Counted& counted : placed) {
    const std::size_t home = homes[counted.instance];
    (home < lists.size() ? lists[home] : others).push_back(&counted.block);
  }
  if (!others.empty()) {
    lists.front().insert(lists.front().end(), others.begin(), others.end());
  }
  return lists;
}

// Which model needs most, and which of its records is the largest.
std::string whose(const model::CoreRecording& recorded, const std::vector<Counted>& counted) {
  const auto largest = std::ranges::max_element(counted, [](const Counted& a, const Counted& b) {
    return a.block.size.nearest < b.block.size.nearest;
  });
  const std::size_t line = recorded.instances[largest->instance].line;
  return largest->from_total ? fmt::format(", that of line {}", line)
                             : fmt::format(", that of line {}, whose largest is record {} with {}",
                                           line,
                                           largest->block.record,
                                           core::format_bytes(largest->block.size.nearest));
}

std::string why_these(const ClassModels& models,
                      const LiveSet& chosen,
                      const model::CoreRecording& recorded,
                      const Demand& demand) {
  if (models.count() <= 1) {
    return "the sizes as printed, added up";
  }
  if (!models.adds()) {
    return (demand.key.lifetime == model::Lifetime::kScratch
                ? "scratch memory is given to each model anew: the model that needs most"
                : "models loaded one at a time: the one that needs most") +
           whose(recorded, demand.counted);
  }
  if (!chosen.exact) {
    return fmt::format(
        "persistent memory of models loaded together adds; of {} one counts, and there are too "
        "many of these to try every set: no set that was live needs more",
        models.why_one());
  }
  return chosen.instances.size() == models.count()
             ? "persistent memory of models loaded together adds"
             : fmt::format(
                   "persistent memory of models loaded together adds; {} were never live "
                   "together, and the heaviest set without such counts",
                   models.why_one());
}

void take_bound(const ClassModels& models,
                const HeapRule& rule,
                const std::vector<BlockList>& lists,
                Demand& demand) {
  demand.bound = bound_of(rule, lists, models.pads_last());
  // Without headroom another model may need more.
  for (const BlockList& blocks : models.lists()) {
    if (!models.adds() && !blocks.empty()) {
      demand.bound = std::max(demand.bound, bound_of(rule, {blocks}, models.pads_last()));
    }
  }
  demand.objects = before_records(rule);
  for (std::size_t further = 1; further < lists.size(); ++further) {
    demand.objects += model_objects(rule);
  }
}

void add_headroom(const Headroom& headroom, Demand& demand) {
  demand.headroom = headroom_for(headroom, demand.figure() - demand.fixed);
  demand.reasons.push_back(
      {"headroom",
       demand.headroom,
       headroom.is_percent
           ? fmt::format("{} % of the largest figure less the {} that no model changes",
                         headroom.percent,
                         core::format_bytes(demand.fixed))
           : std::string{"as --headroom says"}});
}

// What no figure of a demand can know.
void judge(const std::vector<Candidate>& candidates, Demand& demand) {
  const auto is_total = [](const Counted& counted) { return counted.from_total; };
  demand.totals_only = !demand.counted.empty() && std::ranges::all_of(demand.counted, is_total);
  demand.lower_bound = demand.lower_bound || demand.counted.empty() ||
                       std::ranges::any_of(candidates, [](const Candidate& candidate) {
                         return !candidate.complete;
                       });
}

void attach_knob(const Work& work, Demand& demand) {
  if (work.view == nullptr) {
    return;
  }
  const DemandKey& key = demand.key;
  const board::Knob* knob = knob_of(work, key);
  if (knob == nullptr) {
    if (work.view->board->find_core(key.core) != nullptr) {
      work.say(core::warning(Code::kSizingNoKnob,
                             fmt::format("board '{}' has no heap for {} {} {} memory of {}",
                                         work.view->board->name,
                                         key.space,
                                         model::name_of(key.cacheability),
                                         model::name_of(key.lifetime),
                                         key.core)));
    }
    return;
  }
  demand.knob = knob->name;
  demand.granule = work.options.tight ? knob->hard_granule : knob->granule;
  demand.current = Bytes{work.view->values.at(knob->name)};
  for (const auto& [name, region] : work.view->region_of_knob) {
    if (name == knob->name) {
      demand.region = region;
    }
  }
  demand.suggested = suggestion_for(*knob, demand.figure(), demand.fixed, work.options);
  if (demand.counted.empty()) {
    // Without a record nothing proves that less than now is enough.
    demand.suggested = std::max(*demand.suggested, *demand.current);
  }
  demand.reasons.push_back({"suggested",
                            *demand.suggested,
                            fmt::format("the largest figure and the headroom, rounded up to {}",
                                        core::format_size(Bytes{demand.granule.value()}))});
}

}  // namespace

core::Bytes suggestion_for(const board::Knob& knob,
                           core::Bytes figure,
                           core::Bytes fixed,
                           const Options& options) {
  const Bytes margin = headroom_for(options.headroom, figure - fixed);
  return core::align_up(std::max({figure + margin, knob.minimum, Bytes{1}}),
                        options.tight ? knob.hard_granule : knob.granule);
}

Demand make_demand(const Work& work, const CoreWork& core, const DemandKey& key) {
  const HeapRule& rule = rule_of(work, *work.generation, key);
  const ClassModels models{work, core, key, rule};
  const LiveSet set = models.chosen();
  const std::vector<std::size_t>& chosen = set.instances;
  const std::vector<Counted> placed = placed_records(models, core, key, chosen);
  const std::vector<BlockList> lists = counted_lists(placed, chosen, core.candidates.size());
  Demand demand{.key = key};
  demand.rule_source = rule.source;
  const std::size_t most = chosen.empty() ? 0 : models.most_requested(chosen.front());
  demand.counted = chosen.empty() || most == chosen.front() ? placed : models.records_of(most);
  for (const Counted& counted : demand.counted) {
    demand.records += counted.from_total ? 0 : 1;
    demand.requested += counted.block.size.nearest;
  }
  for (const Counted& counted : placed) {
    demand.fixed += fixed_part(*work.fixed, counted.block);
  }
  if (!chosen.empty()) {
    take_bound(models, rule, lists, demand);
    demand.reasons.push_back(
        {"requested", demand.requested, why_these(models, set, core.recorded, demand)});
    demand.reasons.push_back(
        {"bound",
         demand.bound,
         "each size as large as it can print so, up to its alignment, placed as the heap's "
         "allocator places it, with what models allocate beside their records"});
  }
  measure_heap(work, core.recorded, core.candidates, core.live, rule, demand);
  take_failures(core.failed, demand);
  add_headroom(work.options.headroom, demand);
  attach_knob(work, demand);
  judge(core.candidates, demand);
  if (work.forecast != nullptr && demand.suggested) {
    forecast(work, lists, models.pads_last(), demand);
  }
  return demand;
}

OnChipDemand make_onchip_demand(const Work& work, const CoreWork& core, const DemandKey& key) {
  OnChipDemand demand{.space = key.space};
  for (const Candidate& candidate : core.candidates) {
    Bytes sum;
    const BlockList blocks = blocks_of(candidate, key);
    for (const model::Block* block : blocks) {
      sum += block->size.nearest;
    }
    if (sum > demand.requested || (sum == demand.requested && blocks.size() > demand.records)) {
      demand.requested = sum;
      demand.records = blocks.size();
    }
  }
  if (work.view == nullptr) {
    return demand;
  }
  for (const OnChipRegion& region : work.view->onchip) {
    if (region.core == key.core && region.space == key.space) {
      demand.available = region.size;
      demand.region = region.region;
    }
  }
  if (demand.available && demand.requested > *demand.available) {
    work.say(core::warning(Code::kSizingOnChip,
                           fmt::format("{} asks for {} of {}, but '{}' has {}",
                                       key.core,
                                       core::format_size(demand.requested),
                                       key.space,
                                       demand.region,
                                       core::format_size(*demand.available)),
                           {},
                           "the model was compiled for a chip with more on-chip memory"));
  }
  return demand;
}

}  // namespace memsize::sizing
