// Takes a model's records by class and holds them against its totals: what is missing makes its
// sums lower bounds, and where only totals are left they count instead. Shared records count once.
#include "candidate.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/model/prints.hpp"
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

// The lifetime that the record's meaning has, or the heap in which it lies. On parts without
// non-cacheable memory everything is cacheable, so only the lifetime is taken.
bool take_class(const Work& work, const std::string& core, Counted& counted) {
  // What is known points into the heaps.
  static const std::vector<HeapRegion> kNoHeaps;
  const auto& heaps = work.view == nullptr ? kNoHeaps : work.view->heaps;
  const auto known = lifetime_of(work.format, work.generation, heaps, core, counted.block);
  if (!known) {
    return false;
  }
  counted.block.lifetime = known->lifetime;
  if (known->heap != nullptr) {
    counted.rule = fmt::format("of the heap in which it lies, {}", known->heap->region);
  }
  return true;
}

core::Place place_of(const Work& work, const Instance& instance) {
  return work.place_of(instance.input, instance.line);
}

void take_records(const Work& work,
                  const std::string& core,
                  const Instance& instance,
                  Candidate& candidate) {
  std::vector<std::string> homeless;
  const bool by_meaning = has_form_without_lifetime(work.format, instance);
  for (const Block& block : instance.blocks) {
    Counted counted{.block = block};
    if (by_meaning && block.cacheability != model::Cacheability::kOnChip &&
        !take_class(work, core, counted)) {
      homeless.push_back(fmt::format("{}", block.record));
      continue;
    }
    candidate.blocks.push_back(std::move(counted));
  }
  std::ranges::stable_sort(candidate.blocks, [](const Counted& a, const Counted& b) {
    return a.block.record < b.block.record;
  });
  if (!homeless.empty()) {
    candidate.complete = false;
    work.say(core::warning(
        Code::kSizingIncomplete,
        fmt::format("{}: the log does not say whether {} {} kept between runs, and it is not "
                    "known: not counted",
                    core_name(core),
                    homeless.size() == 1 ? "record" : "records",
                    core::join(homeless, ", ") + (homeless.size() == 1 ? " is" : " are")),
        place_of(work, instance),
        "a table printed by the core itself has the attribute"));
  }
}

void take_totals(const Work& work,
                 const std::string& core,
                 const Instance& instance,
                 Candidate& candidate) {
  candidate.complete = false;
  std::vector<std::string> unclassified;
  for (const ClassTotal& total : instance.totals) {
    if (total.lifetime) {
      candidate.blocks.push_back(block_of(total, total.size.nearest, "the total as printed"));
    } else if (total.cacheability != model::Cacheability::kOnChip) {
      unclassified.push_back(fmt::format("{} {}", name_of_total(total), total.space));
    }
  }
  if (!unclassified.empty()) {
    work.say(core::warning(
        Code::kSizingTotals,
        fmt::format("{}: these totals do not tell persistent memory from scratch ({}): they "
                    "size nothing",
                    core_name(core),
                    core::join(unclassified, ", ")),
        place_of(work, instance),
        "the records of the table would tell it: trace the model again"));
    return;
  }
  work.say(core::warning(
      Code::kSizingTotals,
      fmt::format("{}: only the totals of a table are here, without its records: the padding "
                  "between records is not counted, and every figure is a lower bound",
                  core_name(core)),
      place_of(work, instance),
      "trace the model again, with every line of the table"));
}

void report_missing(const Work& work,
                    const std::string& core,
                    const Instance& instance,
                    const std::vector<std::uint32_t>& missing) {
  std::vector<std::string> numbers;
  for (const std::uint32_t record : missing) {
    numbers.push_back(fmt::format("{}", record));
  }
  work.say(core::warning(
      Code::kSizingIncomplete,
      fmt::format("{}: the table that begins here lacks {} of {} records ({}): every sum is a "
                  "lower bound",
                  core_name(core),
                  missing.size(),
                  work.generation->records,
                  core::join(numbers, ", ")),
      place_of(work, instance),
      "the log was cut, or its ring buffer dropped lines: trace the model again"));
}

std::vector<std::uint32_t> missing_records(std::uint32_t records, const Instance& instance) {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t record = 0; record < records; ++record) {
    if (!core::contains(instance.blocks, record, &Block::record)) {
      missing.push_back(record);
    }
  }
  return missing;
}

void check_records(const Work& work,
                   const std::string& core,
                   const Instance& instance,
                   Candidate& candidate) {
  candidate.missing = missing_records(work.generation->records, instance);
  if (!candidate.missing.empty()) {
    candidate.complete = false;
    report_missing(work, core, instance, candidate.missing);
  } else if (work.generation->records == 0 && !work.generation->is_open &&
             !model::totals_agree(instance)) {
    candidate.complete = false;
    work.say(core::warning(
        Code::kSizingIncomplete,
        fmt::format("{}: how many records a table of {} has is not known, and no totals agree "
                    "with the {} that are here: every sum is a lower bound",
                    core_name(core),
                    work.generation->title,
                    instance.blocks.size()),
        place_of(work, instance),
        "with the totals below the table it could be told"));
  }
}

void check_totals(const Work& work,
                  const std::string& core,
                  const Instance& instance,
                  Candidate& candidate) {
  for (const ClassTotal& total : instance.totals) {
    const model::RowSum sum = model::sum_of(instance, total);
    const auto& below = work.format.totals_below;
    if (model::agrees(instance, total) || (below && sum.nearest >= *below)) {
      continue;
    }
    const bool lost = sum.nearest < total.size.nearest;
    const Bytes difference =
        lost ? total.size.nearest - sum.nearest : sum.nearest - total.size.nearest;
    work.say(core::warning(
        Code::kSizingTotals,
        fmt::format("{}: the log says that {} memory adds up to {}, but the records here have "
                    "{}: {} {}",
                    core_name(core),
                    name_of_total(total),
                    core::format_bytes(total.size.nearest),
                    core::format_bytes(sum.nearest),
                    core::format_bytes(difference),
                    lost ? "are missing" : "too many"),
        work.place_of(instance.input, total.line),
        lost ? "rows of the table were lost: trace the model again; until then at least the "
               "total is counted"
             : "rows of another table stand in this one, or the total is of another table"));
    candidate.complete = false;
    if (lost && total.lifetime) {
      candidate.blocks.push_back(
          block_of(total, difference, "what the total has more than the records"));
    }
  }
}

// The log adds up every class that has bytes. Where the sum of one was lost or damaged, nothing
// proves its rows.
void check_total_classes(const Work& work, const std::string& core, const Instance& instance) {
  std::set<std::string> classes;
  for (const Block& block : instance.blocks) {
    if (!instance.totals.empty() && model::lacks_total(instance, block)) {
      classes.insert(name_of_total({block.space, block.cacheability, block.lifetime, {}, 0}));
    }
  }
  if (!classes.empty()) {
    work.say(core::note(
        Code::kSizingTotals,
        fmt::format("{}: the sums below the table lack {} memory: its rows are held against "
                    "nothing",
                    core_name(core),
                    core::join({classes.begin(), classes.end()}, ", ")),
        work.place_of(instance.input, instance.totals.front().line),
        "that line was lost or damaged; trace the model again to be sure of the sizes"));
  }
}

bool has_heap_address(const Instance& instance) {
  return std::ranges::any_of(instance.blocks, [](const Block& block) {
    return block.cacheability != model::Cacheability::kOnChip && block.address;
  });
}

bool may_print_again(const Instance& first, const Instance& second) {
  return first.input == second.input && first.line < second.line && has_heap_address(second) &&
         (first.totals.empty() || second.totals.empty() || model::same_totals(first, second)) &&
         model::common_rows(first.blocks, second.blocks);
}

bool is_context(const Work& work, const Counted& counted) {
  return !counted.from_total && counted.block.record == work.format.context->record;
}

}  // namespace

Candidate make_candidate(const Work& work,
                         const std::string& core,
                         std::size_t index,
                         const Instance& instance) {
  Candidate candidate;
  take_records(work, core, instance, candidate);
  candidate.totals_only = instance.blocks.empty() && !instance.totals.empty();
  if (candidate.totals_only) {
    take_totals(work, core, instance, candidate);
  } else {
    check_records(work, core, instance, candidate);
    check_totals(work, core, instance, candidate);
    check_total_classes(work, core, instance);
  }
  const std::string& told = work.recording.inputs.at(instance.input).path;
  for (Counted& counted : candidate.blocks) {
    counted.instance = index;
    counted.path = told;
  }
  return candidate;
}

std::vector<std::pair<std::size_t, std::size_t>> perhaps_one(
    const std::vector<Instance>& instances, const std::vector<Candidate>& candidates) {
  // Models are initialised soon after they were created.
  constexpr std::size_t kMostBetween = 8;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < instances.size(); ++a) {
    if (candidates[a].complete || has_heap_address(instances[a])) {
      continue;
    }
    const std::size_t end = std::min(instances.size(), a + 1 + kMostBetween);
    for (std::size_t b = a + 1; b < end; ++b) {
      if (may_print_again(instances[a], instances[b])) {
        pairs.emplace_back(a, b);
      }
    }
  }
  return pairs;
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
