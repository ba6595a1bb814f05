// Chooses the models that count, by weights in which no rounding decides, then fills one demand
// figure by figure, each with its reason. On-chip memory is only compared with what is there.
#include "demand.hpp"

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

class DemandMaker {
 public:
  DemandMaker(const Work& work, const CoreWork& core, const DemandKey& key)
      : work_(work), core_(core), key_(key), rule_(rule_of(work, *work.generation, key)) {
    for (const Candidate& candidate : core.candidates) {
      lists_.push_back(blocks_of(candidate, key));
    }
    shares_ = std::ranges::any_of(
        core.contexts, [&](const auto& context) { return in_class(context.largest.block, key); });
  }

  Demand run() {
    demand_.key = key_;
    demand_.rule_source = rule_.source;
    count(chosen());
    measure_heap(work_, core_.recorded, core_.candidates, core_.live, rule_, demand_);
    take_failures(core_.failed, demand_);
    add_headroom();
    attach_knob();
    judge();
    if (work_.forecast != nullptr && demand_.suggested) {
      forecast(work_, counted_lists(), pad_last(), demand_);
    }
    return std::move(demand_);
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
          cost_of(rule_, blocks) - (pad_last() ? Bytes{} : last_padding(rule_, blocks));
      const std::uint64_t share =
          work_.options.headroom.is_percent ? work_.options.headroom.percent : 0;
      // Far above every memory there is, and the sum of many still fits.
      constexpr std::uint64_t kMost = 1ULL << 40;
      weights.push_back(kPercent * std::min(cost.count(), kMost) +
                        share * std::min((cost - fixed).count(), kMost));
    }
    return weights;
  }

  [[nodiscard]] bool adds() const {
    return work_.options.together && key_.lifetime != model::Lifetime::kScratch;
  }

  // Where models add up, which of them is the last in its heap is not known, and what counts must
  // not depend on it.
  [[nodiscard]] bool pad_last() const {
    return adds() && (std::ranges::count_if(
                          lists_, [](const BlockList& list) { return !list.empty(); }) > 1 ||
                      shares_);
  }

  // Persistent memory: the models that were live together and need most, of every input. Scratch is
  // reset before each model: the one that needs most.
  [[nodiscard]] LiveSet chosen() {
    const std::vector<std::uint64_t> weigh = weights();
    if (adds()) {
      LiveSet set = core_.live.heaviest(weigh);
      exact_ = set.exact;
      return set;
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

  // Of models that do not add up, the one whose records ask for most may be another one than that
  // whose records need most with their padding.
  void count_requested() {
    demand_.counted = placed_;
    if (adds() || chosen_.empty()) {
      return;
    }
    std::size_t most = chosen_.front();
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      most = requested_by(i) > requested_by(most) ? i : most;
    }
    if (most != chosen_.front()) {
      demand_.counted = records_of(most);
    }
  }

  void count(const LiveSet& set) {
    chosen_ = set.instances;
    for (const std::size_t index : chosen_) {
      const std::vector<Counted> records = records_of(index);
      placed_.insert(placed_.end(), records.begin(), records.end());
    }
    count_contexts();
    count_requested();
    for (const Counted& counted : demand_.counted) {
      demand_.records += counted.from_total ? 0 : 1;
      demand_.requested += counted.block.size.nearest;
    }
    for (const Counted& counted : placed_) {
      demand_.fixed += fixed_part(*work_.fixed, counted.block);
    }
    if (chosen_.empty()) {
      return;
    }
    demand_.bound = bound_of(rule_, counted_lists(), pad_last());
    // Without headroom another model may need more.
    for (const BlockList& blocks : lists_) {
      if (!adds() && !blocks.empty()) {
        demand_.bound = std::max(demand_.bound, bound_of(rule_, {blocks}, pad_last()));
      }
    }
    demand_.objects = before_records(rule_);
    for (std::size_t further = 1; further < chosen_.size(); ++further) {
      demand_.objects += model_objects(rule_);
    }
    demand_.reasons.push_back({"requested", demand_.requested, why_these()});
    demand_.reasons.push_back(
        {"bound",
         demand_.bound,
         "each size as large as it can print so, up to its alignment, placed as the heap's "
         "allocator places it, with what models allocate beside their records"});
  }

  // The record that models of one priority share is counted in full once.
  void count_contexts() {
    for (const SharedContext& context : core_.contexts) {
      if (!in_class(context.largest.block, key_)) {
        continue;
      }
      const auto own = std::ranges::find_if(placed_, [&](const Counted& counted) {
        return !counted.from_total && counted.block.record == context.largest.block.record &&
               std::ranges::find(context.members, counted.instance) != context.members.end();
      });
      // The owner itself where it was counted.
      const auto owner = std::find_if(own, placed_.end(), [&](const Counted& counted) {
        return !counted.from_total && counted.block.record == context.largest.block.record &&
               counted.instance == context.owner;
      });
      if (owner != placed_.end()) {
        *owner = context.largest;
      } else if (own != placed_.end()) {
        own->block.size = context.largest.block.size;
        own->rule = "the largest of its priority, counted once";
      } else if (!chosen_.empty()) {
        Counted kept = context.largest;
        kept.rule = "kept for the models of its priority";
        placed_.push_back(std::move(kept));
      }
    }
  }

  // What was counted, model by model.
  [[nodiscard]] std::vector<BlockList> counted_lists() const {
    std::vector<BlockList> lists(chosen_.size());
    std::vector<std::size_t> homes(core_.candidates.size(), chosen_.size());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      homes[chosen_[i]] = i;
    }
    // What was kept for models that do not count themselves comes behind the first one's own.
    BlockList others;
    for (const Counted& counted : placed_) {
      const std::size_t home = homes[counted.instance];
      (home < lists.size() ? lists[home] : others).push_back(&counted.block);
    }
    if (!others.empty()) {
      lists.front().insert(lists.front().end(), others.begin(), others.end());
    }
    return lists;
  }

  [[nodiscard]] std::string why_these() const {
    const std::size_t models = static_cast<std::size_t>(
        std::ranges::count_if(lists_, [](const auto& list) { return !list.empty(); }));
    if (models <= 1) {
      return "the sizes as printed, added up";
    }
    if (key_.lifetime == model::Lifetime::kScratch) {
      return "scratch memory is given to each model anew: the model that needs most" + whose();
    }
    if (!work_.options.together) {
      return "models loaded one at a time: the one that needs most" + whose();
    }
    if (!exact_) {
      return "persistent memory of models loaded together adds; of models at the same addresses "
             "one counts, and there are too many of these to try every set: no set that was live "
             "needs more";
    }
    return chosen_.size() == models
               ? "persistent memory of models loaded together adds"
               : "persistent memory of models loaded together adds; models at the same addresses "
                 "were never live together, and the heaviest set without such counts";
  }

  // Which model that is, and which of its records is the largest.
  [[nodiscard]] std::string whose() const {
    const auto largest =
        std::ranges::max_element(demand_.counted, [](const Counted& a, const Counted& b) {
          return a.block.size.nearest < b.block.size.nearest;
        });
    const std::size_t line = core_.recorded.instances[largest->instance].line;
    return largest->from_total
               ? fmt::format(", that of line {}", line)
               : fmt::format(", that of line {}, whose largest is record {} with {}",
                             line,
                             largest->block.record,
                             core::format_bytes(largest->block.size.nearest));
  }

  void add_headroom() {
    const Bytes figure = demand_.figure();
    const Headroom& headroom = work_.options.headroom;
    demand_.headroom = headroom_for(headroom, figure - demand_.fixed);
    demand_.reasons.push_back(
        {"headroom",
         demand_.headroom,
         headroom.is_percent
             ? fmt::format("{} % of the largest figure less the {} that no model changes",
                           headroom.percent,
                           core::format_bytes(demand_.fixed))
             : std::string{"as --headroom says"}});
  }

  // What no figure of a demand can know.
  void judge() {
    const auto counts = [&](const Candidate& candidate) {
      return !blocks_of(candidate, key_).empty() || !candidate.complete;
    };
    bool any_record = false;
    bool any_total = false;
    for (const Candidate& candidate : core_.candidates) {
      if (counts(candidate)) {
        demand_.lower_bound = demand_.lower_bound || !candidate.complete;
      }
    }
    for (const Counted& counted : demand_.counted) {
      any_record = any_record || !counted.from_total;
      any_total = any_total || counted.from_total;
    }
    demand_.totals_only = any_total && !any_record;
    demand_.lower_bound = demand_.lower_bound || demand_.counted.empty();
  }

  void attach_knob() {
    if (work_.view == nullptr) {
      return;
    }
    const board::Knob* knob = knob_of(work_, key_);
    if (knob == nullptr) {
      if (work_.view->board->find_core(key_.core) != nullptr) {
        work_.say(core::warning(Code::kSizingNoKnob,
                                fmt::format("board '{}' has no heap for {} {} {} memory of {}",
                                            work_.view->board->name,
                                            key_.space,
                                            model::name_of(key_.cacheability),
                                            model::name_of(key_.lifetime),
                                            key_.core)));
      }
      return;
    }
    demand_.knob = knob->name;
    demand_.granule = work_.options.tight ? knob->hard_granule : knob->granule;
    demand_.current = Bytes{work_.view->values.at(knob->name)};
    for (const auto& [name, region] : work_.view->region_of_knob) {
      if (name == knob->name) {
        demand_.region = region;
      }
    }
    demand_.suggested = suggestion_for(*knob, demand_.figure(), demand_.fixed, work_.options);
    if (demand_.counted.empty()) {
      // Without a record nothing proves that less than now is enough.
      demand_.suggested = std::max(*demand_.suggested, *demand_.current);
    }
    demand_.reasons.push_back({"suggested",
                               *demand_.suggested,
                               fmt::format("the largest figure and the headroom, rounded up to {}",
                                           core::format_size(Bytes{demand_.granule.value()}))});
  }

  const Work& work_;
  const CoreWork& core_;
  DemandKey key_;
  const HeapRule& rule_;
  std::vector<BlockList> lists_;
  std::vector<std::size_t> chosen_;
  // Their records, as their heap places them.
  std::vector<Counted> placed_;
  // Whether models share a record that is counted once.
  bool shares_ = false;
  bool exact_ = true;
  Demand demand_;
};

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
  return DemandMaker{work, core, key}.run();
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
