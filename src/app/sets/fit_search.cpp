// Holds sets of models against budgets, as seldom as the answers before allow, and makes of what
// was found the sets that are told.
#include "memsize/core/text.hpp"

#include "fit_stages.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace memsize::app {

namespace {

// Sets that are looked at before the search gives up: a second or two where each is sized.
constexpr std::size_t kMostSets = 20000;
// Where sums tell.
constexpr std::size_t kMostSums = 2000000;
// Where each is a search for places.
constexpr std::size_t kMostPlaced = 200;
// Where sizes are no multiples of what the MMU likes, and each set is a search of its own.
constexpr std::size_t kMostTight = 150;

// Sets that are told of each kind.
constexpr std::size_t kMostTold = 500;
constexpr std::size_t kMostToldTight = 20;

std::vector<std::size_t> members(Set set) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < kMostThings; ++i) {
    if ((set & bit(i)) != 0) {
      list.push_back(i);
    }
  }
  return list;
}

std::vector<std::size_t> homes_of(const FitFrame& frame, const std::vector<FitInput>& inputs) {
  std::vector<std::size_t> homes;
  for (const FitInput& input : inputs) {
    std::size_t home = Assigner::kNowhere;
    for (std::size_t i = 0; i < frame.cores.size(); ++i) {
      home = input.traced_on == std::vector{frame.cores[i].name} ? i : home;
    }
    homes.push_back(home);
  }
  return homes;
}

}  // namespace

core::Bytes CoreNeed::total() const {
  core::Bytes sum;
  for (const HeapNeed& heap : heaps) {
    sum += heap.need;
  }
  return sum;
}

const HeapNeed* CoreNeed::largest() const {
  const auto found = std::ranges::max_element(heaps, {}, &HeapNeed::need);
  return found == heaps.end() ? nullptr : &*found;
}

core::Bytes FitSet::total() const {
  core::Bytes sum;
  for (const CoreNeed& core : cores) {
    sum += core.total();
  }
  return sum;
}

FitSearch::FitSearch(FitNeeds& needs, const FitFrame& frame, const std::vector<FitInput>& inputs)
    : needs_(needs), frame_(frame), inputs_(inputs) {}

// Against each budget, of which the tightest is told.
void FitSearch::hold(FitSet& set) const {
  bool is_first = true;
  const auto against = [&](const std::string& who, core::Bytes need, core::Bytes most) {
    const core::Bytes lacks = need > most ? need - most : core::Bytes{};
    const core::Bytes left = need > most ? core::Bytes{} : most - need;
    if (is_first || lacks > set.lacks || (set.lacks.count() == 0 && left < set.left)) {
      set.lacks = lacks;
      set.left = left;
      set.binds = who;
    }
    is_first = false;
  };
  for (std::size_t i = 0; i < frame_.cores.size(); ++i) {
    if (frame_.cores[i].budget) {
      against(frame_.cores[i].name, set.cores[i].total(), *frame_.cores[i].budget);
    }
  }
  if (frame_.all) {
    against("all", set.total(), *frame_.all);
  }
  set.fits = set.lacks.count() == 0;
}

FitSet FitSearch::look_at(const Places& places) {
  FitSet set{.models = members(std::accumulate(
                 places.begin(), places.end(), Set{0}, [](Set a, Set b) { return a | b; }))};
  for (std::size_t place = 0; frame_.assigns && place < places.size(); ++place) {
    set.places.resize(set.models.size());
    for (std::size_t i = 0; i < set.models.size(); ++i) {
      set.places[i] = (places[place] & bit(set.models[i])) != 0 ? place : set.places[i];
    }
  }
  set.cores = needs_.grown(places);
  hold(set);
  set.no_room = needs_.no_room(set.cores);
  set.fits = set.fits && set.no_room.empty();
  return set;
}

// As look_at() says, but where what is rounded tells already, nothing is grown.
bool FitSearch::is_within(const Places& places) {
  FitSet rounded{.cores = needs_.rounded(places)};
  hold(rounded);
  if (!rounded.fits) {
    return false;
  }
  if (rounded.left >= needs_.most_growth() && needs_.has_room_to_grow(rounded.cores)) {
    return true;
  }
  rounded.cores = needs_.grown(std::move(rounded.cores));
  hold(rounded);
  return rounded.fits && needs_.no_room(rounded.cores).empty();
}

std::optional<std::uint64_t> FitSearch::cost_at(std::size_t place, Set set) {
  Places places(frame_.places, 0);
  places[place] = set;
  FitSet rounded{.cores = needs_.rounded(places)};
  hold(rounded);
  return rounded.fits ? std::optional{rounded.total().count()} : std::nullopt;
}

// Each model, the largest first, where the tightest budget is then loosest.
Places FitSearch::close_places(Set set) {
  std::vector<std::size_t> order = members(set);
  std::ranges::stable_sort(
      order, std::ranges::greater{}, [&](std::size_t model) { return alone(model).total(); });
  Places places(frame_.places, 0);
  for (const std::size_t model : order) {
    std::optional<std::tuple<core::Bytes, core::Bytes, std::size_t>> best;
    for (std::size_t place = 0; place < frame_.places; ++place) {
      Places next = places;
      next[place] |= bit(model);
      FitSet with{.cores = needs_.rounded(next)};
      hold(with);
      const std::tuple way{with.lacks, with.cores[place].total(), place};
      best = best ? std::min(*best, way) : way;
    }
    places[std::get<2>(*best)] |= bit(model);
  }
  return places;
}

Places FitSearch::places_of(Set set, bool* proved) {
  if (!frame_.assigns) {
    return {set};
  }
  if (!assigner_) {
    assigner_.emplace(
        homes_of(frame_, inputs_),
        frame_.places,
        [&](std::size_t place, Set part) { return cost_at(place, part); },
        [&](const Parts& parts) {
          const FitSet whole = look_at(parts);
          return whole.fits ? std::optional{whole.total().count()} : std::nullopt;
        });
  }
  bool is_known = true;
  auto known = assigned_.find(set);
  if (known == assigned_.end()) {
    known = assigned_.emplace(set, assigner_->cheapest(set, &is_known)).first;
  }
  if (proved != nullptr) {
    *proved = known->second ? known->second->proved : is_known;
  }
  return known->second ? known->second->parts : close_places(set);
}

bool FitSearch::fits(Set set) {
  if (!frame_.assigns) {
    return is_within({set});
  }
  (void)places_of(set, nullptr);
  return assigned_.at(set).has_value();
}

FitSet FitSearch::alone(std::size_t model) {
  Places places(frame_.places, 0);
  const std::size_t home = frame_.assigns ? homes_of(frame_, inputs_)[model] : 0;
  places[home == Assigner::kNowhere ? 0 : home] = bit(model);
  return look_at(places);
}

void FitSearch::find_sets(Fit& fit) {
  search(fit);
  if (needs_.was_wrong()) {
    assigner_.reset();
    assigned_.clear();
    search(fit);
  }
  for (std::size_t model = 0; inputs_.size() > 1 && model < inputs_.size(); ++model) {
    if (!fit.together.fits && fits(all_of(inputs_.size()) & ~bit(model))) {
      fit.drop.push_back(model);
    }
  }
}

void FitSearch::search(Fit& fit) {
  std::vector<std::size_t> order(inputs_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // What needs least is tried first: then most are in a set.
  std::ranges::stable_sort(
      order, {}, [&](std::size_t model) { return fit.models[model].alone.total(); });
  const bool is_exact = !frame_.assigns || inputs_.size() <= kEveryWay;
  const std::size_t most = needs_.is_tight()   ? kMostTight
                           : !is_exact         ? kMostPlaced
                           : needs_.has_sums() ? kMostSums
                                               : kMostSets;
  SetFamilies found = search_sets(
      order, [&](Set set) { return fits(set); }, most);
  // That nothing fits where nothing else does goes without saying.
  std::erase(found.maximal, Set{0});
  if (!is_exact) {
    // That no places were found for them proves nothing.
    found.misfits.clear();
  }
  fit.complete = found.complete && (is_exact || fit.together.fits);
  fit.looked_at = found.asked;
  fit.maximal_count = found.maximal.size();
  fit.misfit_count = found.misfits.size();
  std::ranges::stable_sort(found.maximal, std::ranges::greater{}, &std::popcount<Set>);
  std::ranges::stable_sort(found.misfits, {}, &std::popcount<Set>);
  fit.maximal = told(found.maximal);
  fit.misfits = told(found.misfits);
}

std::vector<FitSet> FitSearch::told(const std::vector<Set>& sets) {
  std::vector<FitSet> list;
  for (const Set set : sets) {
    if (list.size() == (needs_.is_tight() ? kMostToldTight : kMostTold)) {
      break;
    }
    list.push_back(look_at(places_of(set, nullptr)));
  }
  return list;
}

}  // namespace memsize::app
