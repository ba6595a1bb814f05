// Sizes sets of inputs with the same functions as analyze(). What repeats is kept: the needs of a
// set, the growth of sizes for the MMU, and whether sizes can be placed.
#include "fit_needs.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "analyze_stages.hpp"
#include "board_now.hpp"
#include "fit_sums.hpp"

#include <algorithm>
#include <utility>

namespace memsize::app {

namespace {

// A heap grows by less than a block of the MMU.
constexpr core::Bytes kBlockOfMmu{2U << 20U};

bool has_addresses(const model::Recording& recording) {
  return std::ranges::any_of(recording.cores, [](const model::CoreRecording& core) {
    return std::ranges::any_of(core.instances, [](const model::Instance& instance) {
      return std::ranges::any_of(instance.blocks, [](const model::Block& block) {
        return block.address && block.cacheability != model::Cacheability::kOnChip;
      });
    });
  });
}

}  // namespace

FitNeeds::FitNeeds(Analysis base,
                   sizing::Options options,
                   const std::vector<FitInput>& inputs,
                   std::vector<std::string> cores)
    : base_(std::move(base)), options_(options), inputs_(inputs), cores_(std::move(cores)) {
  for (const board::Knob& knob : base_.board->knobs) {
    most_growth_ +=
        knob.demand && core::contains(cores_, knob.demand->core) ? kBlockOfMmu : core::Bytes{};
  }
}

FitNeeds::~FitNeeds() = default;

model::Recording FitNeeds::recording_of(const Places& places) const {
  model::Recording all;
  for (std::size_t place = 0; place < places.size(); ++place) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if ((places[place] >> i & 1U) != 0) {
        model::append(all, inputs_[i].on[place]);
      }
    }
  }
  model::sort(all);
  model::count_once(all);
  return all;
}

sizing::Sizing FitNeeds::size(const Places& places) {
  model::Recording recording = recording_of(places);
  if (!options_.tight || !has_addresses(recording)) {
    return size_on_map(recording, base_.format, *base_.current, options_);
  }
  // Where the traces were taken on a map that was shrunk already, that map counts.
  Analysis analysis = base_;
  analysis.recording = std::move(recording);
  size_with_board(analysis, options_);
  for (sizing::CoreSizing& core : analysis.sizing.cores) {
    for (sizing::Demand& demand : core.demands) {
      demand.suggested =
          demand.suggested ? std::optional{*demand.suggested - demand.grown} : demand.suggested;
    }
  }
  return std::move(analysis.sizing);
}

std::vector<CoreNeed> FitNeeds::needs_in(const sizing::Sizing& sizing) const {
  std::vector<CoreNeed> needs;
  for (const std::string& name : cores_) {
    CoreNeed need{.core = name};
    const auto& cores = sizing.cores;
    if (const auto* core = core::find_in(cores, name, &sizing::CoreSizing::core)) {
      for (const sizing::Demand& demand : core->demands) {
        if (demand.suggested) {
          need.heaps.push_back({demand.knob, demand.region, *demand.suggested, {}});
        }
      }
    }
    needs.push_back(std::move(need));
  }
  return needs;
}

void FitNeeds::learn(std::size_t places) {
  auto sums = FitSums::learn(
      inputs_, *base_.board, cores_, options_, places, [&](const Places& at) { return size(at); });
  sums_ = sums ? std::make_unique<const FitSums>(std::move(*sums)) : nullptr;
}

const std::vector<CoreNeed>& FitNeeds::sized(const Places& places) {
  const auto known = sized_.find(places);
  if (known != sized_.end()) {
    return known->second;
  }
  const bool is_empty = std::ranges::all_of(places, [](Set set) { return set == 0; });
  std::vector<CoreNeed> needs = needs_in(is_empty ? sizing::Sizing{} : size(places));
  if (sums_ != nullptr && sums_->of(places) != needs) {
    was_wrong_ = true;
    sums_.reset();
  }
  return sized_.emplace(places, std::move(needs)).first->second;
}

std::vector<CoreNeed> FitNeeds::rounded(const Places& places) {
  return sums_ != nullptr ? sums_->of(places) : sized(places);
}

board::KnobValues FitNeeds::values_of(const std::vector<CoreNeed>& needs) const {
  board::KnobValues values;
  for (const CoreNeed& core : needs) {
    for (const HeapNeed& heap : core.heaps) {
      values[heap.knob] = heap.need.count();
    }
  }
  return over(std::move(values), base_.settings);
}

std::vector<CoreNeed> FitNeeds::grown(const Places& places) {
  return grown(sized(places));
}

std::vector<CoreNeed> FitNeeds::grown(std::vector<CoreNeed> needs) {
  const board::KnobValues values = values_of(needs);
  auto known = growths_.find(values);
  if (known == growths_.end()) {
    known =
        growths_.emplace(values, layout::grow_for_mmu(*base_.board, values, base_.request.tight))
            .first;
  }
  if (!known->second) {
    return needs;
  }
  for (CoreNeed& core : needs) {
    for (HeapNeed& heap : core.heaps) {
      const auto* value = core::value_in(known->second->values, heap.knob);
      if (value != nullptr && *value > heap.need.count()) {
        heap.grown = core::Bytes{*value} - heap.need;
        heap.need = core::Bytes{*value};
      }
    }
  }
  return needs;
}

bool FitNeeds::has_room_to_grow(const std::vector<CoreNeed>& needs) const {
  // What is no larger than now has room.
  const board::Values& now = base_.current->values;
  return std::ranges::all_of(values_of(needs), [&](const auto& one) {
    return one.second + kBlockOfMmu.count() <= now.at(one.first);
  });
}

std::string FitNeeds::no_room(const std::vector<CoreNeed>& needs) {
  const board::KnobValues values = values_of(needs);
  // What is no larger than now has room.
  const board::Values& now = base_.current->values;
  if (std::ranges::all_of(values,
                          [&](const auto& one) { return one.second <= now.at(one.first); })) {
    return {};
  }
  const auto known = rooms_.find(values);
  if (known != rooms_.end()) {
    return known->second;
  }
  const auto map = layout::resolve(*base_.board, values);
  return rooms_.emplace(values, map ? std::string{} : map.error().front().message).first->second;
}

}  // namespace memsize::app
