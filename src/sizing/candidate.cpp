// Takes a model's records by class and holds them against its totals: what is missing makes its
// sums lower bounds, and where only totals are left they count instead. Shared records count once.
#include "candidate.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sizing/addresses.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using core::Bytes;
using core::Code;
using model::Block;
using model::ClassTotal;
using model::Instance;

// The least that prints like this.
Bytes lower_of(const model::MeasuredSize& size) {
  return size.nearest + size.nearest - size.upper;
}

bool is_of(const Block& block, const ClassTotal& total) {
  return block.space == total.space && block.cacheability == total.cacheability &&
         (!total.lifetime || *total.lifetime == block.lifetime);
}

std::string name_of_total(const ClassTotal& total) {
  std::string name = total.cacheability == model::Cacheability::kOnChip
                         ? total.space
                         : std::string{model::name_of(total.cacheability)};
  if (total.lifetime) {
    name += fmt::format(" {}", model::name_of(*total.lifetime));
  }
  return name;
}

// A class' total as a block, so that it counts.
Counted block_of(const ClassTotal& total, Bytes size, std::string rule) {
  Counted counted{.from_total = true};
  counted.block.space = total.space;
  counted.block.cacheability = total.cacheability;
  counted.block.lifetime = *total.lifetime;
  counted.block.line = total.line;
  counted.block.size = total.size;
  if (size != total.size.nearest) {
    counted.block.size = model::measured_exactly(size);
  }
  counted.rule = std::move(rule);
  return counted;
}

class Maker {
 public:
  Maker(const Work& work, std::string core, std::size_t index, const Instance& instance)
      : work_(work),
        core_(std::move(core)),
        index_(index),
        instance_(instance),
        told_(work.recording.inputs.at(instance.input).path) {}

  Candidate run() {
    take_records();
    candidate_.totals_only = instance_.blocks.empty() && !instance_.totals.empty();
    if (candidate_.totals_only) {
      take_totals();
    } else {
      check_records();
      check_totals();
      check_total_classes();
    }
    for (Counted& counted : candidate_.blocks) {
      counted.instance = index_;
      counted.path = told_;
    }
    return std::move(candidate_);
  }

 private:
  [[nodiscard]] core::Place here() const { return work_.place_of(instance_.input, instance_.line); }

  void take_records() {
    std::vector<std::string> homeless;
    const bool by_meaning = has_form_without_lifetime(work_.format, instance_);
    for (const Block& block : instance_.blocks) {
      Counted counted{.block = block};
      if (by_meaning && block.cacheability != model::Cacheability::kOnChip &&
          !take_class(counted)) {
        homeless.push_back(fmt::format("{}", block.record));
        continue;
      }
      candidate_.blocks.push_back(std::move(counted));
    }
    std::ranges::stable_sort(candidate_.blocks, [](const Counted& a, const Counted& b) {
      return a.block.record < b.block.record;
    });
    if (!homeless.empty()) {
      candidate_.complete = false;
      work_.say(core::warning(
          Code::kSizingIncomplete,
          fmt::format("{}: the log does not say whether {} {} kept between runs, and it is not "
                      "known: not counted",
                      core_name(core_),
                      homeless.size() == 1 ? "record" : "records",
                      core::join(homeless, ", ") + (homeless.size() == 1 ? " is" : " are")),
          here(),
          "a table printed by the core itself has the attribute"));
    }
  }

  // The lifetime that the record's meaning has, or the heap in which it lies. On parts without
  // non-cacheable memory everything is cacheable, so only the lifetime is taken.
  bool take_class(Counted& counted) const {
    // What is known points into the heaps.
    static const std::vector<HeapRegion> kNoHeaps;
    const auto& heaps = work_.view == nullptr ? kNoHeaps : work_.view->heaps;
    const auto known = lifetime_of(work_.format, work_.generation, heaps, core_, counted.block);
    if (!known) {
      return false;
    }
    counted.block.lifetime = known->lifetime;
    if (known->heap != nullptr) {
      counted.rule = fmt::format("of the heap in which it lies, {}", known->heap->region);
    }
    return true;
  }

  void take_totals() {
    candidate_.complete = false;
    std::vector<std::string> unclassified;
    for (const ClassTotal& total : instance_.totals) {
      if (total.lifetime) {
        candidate_.blocks.push_back(block_of(total, total.size.nearest, "the total as printed"));
      } else if (total.cacheability != model::Cacheability::kOnChip) {
        unclassified.push_back(fmt::format("{} {}", name_of_total(total), total.space));
      }
    }
    if (!unclassified.empty()) {
      work_.say(core::warning(
          Code::kSizingTotals,
          fmt::format("{}: these totals do not tell persistent memory from scratch ({}): they "
                      "size nothing",
                      core_name(core_),
                      core::join(unclassified, ", ")),
          here(),
          "the records of the table would tell it: trace the model again"));
      return;
    }
    work_.say(core::warning(
        Code::kSizingTotals,
        fmt::format("{}: only the totals of a table are here, without its records: the padding "
                    "between records is not counted, and every figure is a lower bound",
                    core_name(core_)),
        here(),
        "trace the model again, with every line of the table"));
  }

  void check_records() {
    for (std::uint32_t record = 0; record < work_.generation->records; ++record) {
      const bool there = core::contains(instance_.blocks, record, &Block::record);
      if (!there) {
        candidate_.missing.push_back(record);
      }
    }
    if (!candidate_.missing.empty()) {
      candidate_.complete = false;
      report_missing();
    } else if (work_.generation->records == 0 && !work_.generation->is_open && !totals_agree()) {
      candidate_.complete = false;
      work_.say(core::warning(
          Code::kSizingIncomplete,
          fmt::format("{}: how many records a table of {} has is not known, and no totals agree "
                      "with the {} that are here: every sum is a lower bound",
                      core_name(core_),
                      work_.generation->title,
                      instance_.blocks.size()),
          here(),
          "with the totals below the table it could be told"));
    }
  }

  void report_missing() const {
    std::vector<std::string> numbers;
    for (const std::uint32_t record : candidate_.missing) {
      numbers.push_back(fmt::format("{}", record));
    }
    work_.say(core::warning(
        Code::kSizingIncomplete,
        fmt::format("{}: the table that begins here lacks {} of {} records ({}): every sum is a "
                    "lower bound",
                    core_name(core_),
                    candidate_.missing.size(),
                    work_.generation->records,
                    core::join(numbers, ", ")),
        here(),
        "the log was cut, or its ring buffer dropped lines: trace the model again"));
  }

  // The span of what the rows of a total can add up to, and their sum as printed.
  struct Sum {
    Bytes least;
    Bytes nearest;
    Bytes most;
  };

  [[nodiscard]] Sum sum_of(const ClassTotal& total) const {
    Sum sum;
    for (const Block& block : instance_.blocks) {
      if (is_of(block, total)) {
        sum.least += lower_of(block.size);
        sum.nearest += block.size.nearest;
        sum.most += block.size.upper;
      }
    }
    return sum;
  }

  [[nodiscard]] bool agrees(const ClassTotal& total) const {
    const Sum sum = sum_of(total);
    return sum.least <= total.size.upper && lower_of(total.size) <= sum.most;
  }

  // On the chip nothing is sized.
  [[nodiscard]] bool lacks_total(const Block& block) const {
    return block.cacheability != model::Cacheability::kOnChip && block.size.nearest > Bytes{} &&
           std::ranges::none_of(instance_.totals,
                                [&](const ClassTotal& total) { return is_of(block, total); });
  }

  // Every byte of main memory is in a total, and every total agrees.
  [[nodiscard]] bool totals_agree() const {
    const auto& totals = instance_.totals;
    return !totals.empty() && std::ranges::none_of(instance_.blocks, [&](const Block& block) {
      return lacks_total(block);
    }) && std::ranges::all_of(totals, [&](const ClassTotal& t) { return agrees(t); });
  }

  // The log adds up every class that has bytes. Where the sum of one was lost or damaged, nothing
  // proves its rows.
  void check_total_classes() const {
    std::set<std::string> classes;
    for (const Block& block : instance_.blocks) {
      if (!instance_.totals.empty() && lacks_total(block)) {
        classes.insert(name_of_total({block.space, block.cacheability, block.lifetime, {}, 0}));
      }
    }
    if (!classes.empty()) {
      work_.say(core::note(
          Code::kSizingTotals,
          fmt::format("{}: the sums below the table lack {} memory: its rows are held against "
                      "nothing",
                      core_name(core_),
                      core::join({classes.begin(), classes.end()}, ", ")),
          work_.place_of(instance_.input, instance_.totals.front().line),
          "that line was lost or damaged; trace the model again to be sure of the sizes"));
    }
  }

  void check_totals() {
    for (const ClassTotal& total : instance_.totals) {
      const Sum sum = sum_of(total);
      const auto& below = work_.format.totals_below;
      if (agrees(total) || (below && sum.nearest >= *below)) {
        continue;
      }
      const bool lost = sum.nearest < total.size.nearest;
      const Bytes difference =
          lost ? total.size.nearest - sum.nearest : sum.nearest - total.size.nearest;
      work_.say(core::warning(
          Code::kSizingTotals,
          fmt::format("{}: the log says that {} memory adds up to {}, but the records here have "
                      "{}: {} {}",
                      core_name(core_),
                      name_of_total(total),
                      core::format_bytes(total.size.nearest),
                      core::format_bytes(sum.nearest),
                      core::format_bytes(difference),
                      lost ? "are missing" : "too many"),
          work_.place_of(instance_.input, total.line),
          lost ? "rows of the table were lost: trace the model again; until then at least the "
                 "total is counted"
               : "rows of another table stand in this one, or the total is of another table"));
      candidate_.complete = false;
      if (lost && total.lifetime) {
        candidate_.blocks.push_back(
            block_of(total, difference, "what the total has more than the records"));
      }
    }
  }

  const Work& work_;
  std::string core_;
  std::size_t index_;
  const Instance& instance_;
  std::string told_;
  Candidate candidate_;
};

bool is_context(const Work& work, const Counted& counted) {
  return !counted.from_total && counted.block.record == work.format.context->record;
}

}  // namespace

Candidate make_candidate(const Work& work,
                         const std::string& core,
                         std::size_t index,
                         const Instance& instance) {
  return Maker{work, core, index, instance}.run();
}

BlockList blocks_of(const Candidate& candidate, const board::DemandKey& key) {
  BlockList list;
  for (const Counted& counted : candidate.blocks) {
    if (in_class(counted.block, key)) {
      list.push_back(&counted.block);
    }
  }
  return list;
}

std::vector<SharedContext> share_contexts(const Work& work,
                                          const model::CoreRecording& recorded,
                                          std::vector<Candidate>& candidates) {
  std::vector<SharedContext> shared;
  // Models that are loaded one at a time are each the first of their priority.
  if (!work.format.context || work.generation->records == 0 || !work.options.together) {
    return shared;
  }
  std::map<std::uint32_t, SharedContext> priorities;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::optional<std::uint32_t> priority = work.options.one_priority
                                                      ? std::optional<std::uint32_t>{0}
                                                      : recorded.instances[i].priority;
    if (!priority) {
      continue;
    }
    for (Counted& counted : candidates[i].blocks) {
      if (!is_context(work, counted)) {
        continue;
      }
      SharedContext& context = priorities[*priority];
      if (context.members.empty() ||
          counted.block.size.nearest > context.largest.block.size.nearest) {
        context.owner = i;
        context.largest = counted;
      }
      context.members.push_back(i);
      if (counted.block.size.nearest > work.format.context->rest) {
        counted.block.size = model::measured_exactly(work.format.context->rest);
        counted.rule = "another model of its priority keeps this record for it";
      }
    }
  }
  for (auto& [priority, context] : priorities) {
    shared.push_back(std::move(context));
  }
  return shared;
}

}  // namespace memsize::sizing
