// From a failed allocation to the record and its heap: by the table that the core printed before,
// else by what the format knows of the record. The heap needs at least that and what comes before.
#include "failures.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "heaps.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using board::DemandKey;
using core::Bytes;
using core::Code;
using model::Failure;

// The failure has the record's size in bytes, and its row rounded.
bool is_of(const Failure& failure, const model::Block& block) {
  const Bytes slack = block.size.upper - block.size.nearest;
  return block.record == *failure.record && block.space == failure.space &&
         block.cacheability == failure.cacheability &&
         block.size.nearest <= *failure.size + slack && *failure.size <= block.size.upper;
}

bool has_record(const model::Instance& instance, const Failure& failure) {
  return std::ranges::any_of(instance.blocks,
                             [&](const model::Block& block) { return is_of(failure, block); });
}

// The table of the model that failed: the last one that the core printed before in that input, else
// one that has this very record. A table that was printed again later stands there.
std::optional<std::size_t> table_of(const Failure& failure, const model::CoreRecording* recorded) {
  std::optional<std::size_t> table;
  std::optional<std::size_t> later;
  if (recorded == nullptr) {
    return table;
  }
  for (std::size_t i = 0; i < recorded->instances.size(); ++i) {
    const model::Instance& instance = recorded->instances[i];
    if (instance.input != failure.input) {
      continue;
    }
    if (instance.line > failure.line) {
      later = !later && has_record(instance, failure) ? std::optional{i} : later;
    } else if (!table || instance.line > recorded->instances[*table].line) {
      table = i;
    }
  }
  return table ? table : later;
}

// The record's size as the failure has it, if the table has that very record.
const model::Block* record_in(const Candidate& candidate, const Failure& failure) {
  for (const Counted& counted : candidate.blocks) {
    const model::Block& block = counted.block;
    if (!counted.from_total && block.record == *failure.record && block.space == failure.space &&
        block.cacheability == failure.cacheability) {
      return &block;
    }
  }
  return nullptr;
}

FailedRecord from_table(const Work& work,
                        const std::string& core,
                        const Failure& failure,
                        const Candidate& candidate,
                        const model::Block& block) {
  FailedRecord failed{.failure = &failure,
                      .key = {core, block.space, block.cacheability, block.lifetime}};
  model::Block asked = block;
  asked.size = model::measured_exactly(*failure.size);
  BlockList known;
  failed.is_whole = candidate.complete && is_of(failure, block);
  for (const model::Block* other : blocks_of(candidate, failed.key)) {
    if (other->record == *failure.record) {
      known.push_back(&asked);
    } else if (other->record < *failure.record) {
      known.push_back(other);
      failed.earlier += other->size.nearest;
      failed.earlier_records += 1;
    } else if (failed.is_whole) {
      known.push_back(other);
    }
  }
  failed.least = bound_of(rule_of(work, *work.generation, failed.key), {known});
  return failed;
}

// Without a table the format may know where the record goes; the space must agree.
std::optional<FailedRecord> from_format(const Work& work,
                                        const std::string& core,
                                        const Failure& failure) {
  const auto meaning = work.format.records.find(*failure.record);
  if (meaning == work.format.records.end() || !meaning->second.memory ||
      meaning->second.memory->space != failure.space ||
      meaning->second.memory->cacheability != failure.cacheability) {
    return std::nullopt;
  }
  FailedRecord failed{
      .failure = &failure,
      .key = {core, failure.space, failure.cacheability, meaning->second.memory->lifetime}};
  model::Block asked{.size = model::measured_exactly(*failure.size)};
  failed.least = bound_of(rule_of(work, *work.generation, failed.key), {{&asked}});
  return failed;
}

bool is_record(const Failure& failure) {
  return failure.kind == Failure::Kind::kRecord && failure.record;
}

bool is_sized_record(const Failure& failure) {
  return is_record(failure) && failure.size;
}

const Demand* demand_of(const Work& work, const DemandKey& key) {
  for (const CoreSizing& core : work.sizing.cores) {
    for (const Demand& demand : core.demands) {
      if (demand.key == key) {
        return &demand;
      }
    }
  }
  return nullptr;
}

std::string what_failed(const Work& work, const Failure& failure) {
  return fmt::format("{}: {}{} could not be allocated",
                     core_name(failure.core),
                     record_name(work, *failure.record),
                     failure.size ? " of " + core::format_bytes(*failure.size) : std::string{});
}

// "region ARENA_KEEP (keep_size)", "the cacheable persistent heap".
std::string heap_name(const Demand* demand, const DemandKey& key) {
  const std::string plain = fmt::format("the {} heap", class_name(key));
  if (demand == nullptr || demand->knob.empty()) {
    return plain;
  }
  return demand->region.empty() ? fmt::format("{} ({})", plain, demand->knob)
                                : fmt::format("{} {} ({})", plain, demand->region, demand->knob);
}

void add_sizes(const Work& work,
               const FailedRecord& failed,
               const Demand* demand,
               core::Diagnostic& said) {
  if (failed.earlier_records > 0) {
    said.details.push_back(fmt::format("the same model's {} before it in this heap {} {}",
                                       core::plural(failed.earlier_records, "record"),
                                       failed.earlier_records == 1 ? "has" : "have",
                                       core::format_bytes(failed.earlier)));
  }
  if (const auto heap = known_heap(work, failed.key, failed.failure->input); heap) {
    said.details.push_back(
        fmt::format("the log says that this heap has {}", core::format_bytes(heap->size)));
  } else if (demand != nullptr && demand->current) {
    said.details.push_back(fmt::format(
        "board '{}' gives it {}", work.view->board->name, core::format_size(*demand->current)));
  }
  const std::string needed = core::format_bytes(failed.least);
  said.details.push_back(
      failed.is_whole
          ? fmt::format(
                "{} are needed: all of the model's records in this heap, which its table has",
                needed)
          : fmt::format("at least {} are needed: this record and what is known before it; later "
                        "records are unknown",
                        needed));
}

std::string hint_for(const Demand* demand, bool is_whole) {
  if (demand == nullptr || !demand->suggested) {
    return "give --board, and the setting that fits at least is told";
  }
  if (demand->current && *demand->current >= *demand->suggested) {
    return fmt::format(
        "{} is enough on this board{}: the trace was taken with a smaller heap, or other models "
        "held the rest",
        core::format_size(*demand->current),
        is_whole ? "" : " for what is known");
  }
  const std::string fits = core::format_setting(*demand->suggested);
  return is_whole
             ? fmt::format("the suggested {} of {} has room for it: memsize emit writes that map",
                           fits,
                           demand->knob)
             : fmt::format("what fits at least: --set {}={}; then trace the model again",
                           demand->knob,
                           fits);
}

std::string meaning_of(Failure::Kind kind) {
  switch (kind) {
    case Failure::Kind::kOnChip:
      return "a core's own on-chip memory is full: that is the model's configuration, and no size "
             "of the memory map";
    case Failure::Kind::kLimit:
      return "a fixed limit was reached: no size of the memory map changes it";
    case Failure::Kind::kHost:
      return "memory of the host ran out: that is shared memory, and none of the heaps that are "
             "sized here";
    case Failure::Kind::kOther:
    case Failure::Kind::kRecord:
      break;
  }
  return "this does not say why: the cause is only in the log of the core itself, which must be "
         "read while the model is loaded";
}

// What the format knows of the very message, or nothing.
std::string known_meaning(const Work& work, const Failure& failure) {
  for (const board::MessageMeaning& message : work.format.messages) {
    if (failure.text.find(message.contains) != std::string::npos) {
      return message.means;
    }
  }
  return {};
}

// The same message many times is told once.
struct Group {
  const Failure* first = nullptr;
  std::size_t times = 0;
};

std::vector<Group> others_of(const Work& work) {
  std::vector<Group> groups;
  std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> known;
  for (const Failure& failure : work.recording.failures) {
    if (is_record(failure)) {
      continue;
    }
    const auto [entry, is_new] =
        known.try_emplace({failure.input, failure.core, failure.text}, groups.size());
    if (is_new) {
      groups.push_back({&failure, 0});
    }
    groups[entry->second].times += 1;
  }
  return groups;
}

bool has_failed_record(const Work& work, std::size_t input) {
  return std::ranges::any_of(work.recording.failures, [&](const Failure& failure) {
    return failure.input == input && is_record(failure);
  });
}

}  // namespace

std::vector<FailedRecord> failed_records(const Work& work,
                                         const std::string& core,
                                         const model::CoreRecording* recorded,
                                         const std::vector<Candidate>& candidates) {
  std::vector<FailedRecord> failed;
  for (const Failure& failure : work.recording.failures) {
    if (!is_sized_record(failure) || failure.core != core) {
      continue;
    }
    const auto table = table_of(failure, recorded);
    if (const model::Block* block = table ? record_in(candidates[*table], failure) : nullptr) {
      failed.push_back(from_table(work, core, failure, candidates[*table], *block));
    } else if (auto guessed = from_format(work, core, failure); guessed) {
      failed.push_back(*guessed);
    }
  }
  return failed;
}

void take_failures(const std::vector<FailedRecord>& failed, Demand& demand) {
  for (const FailedRecord& one : failed) {
    if (one.key == demand.key) {
      demand.failed = std::max(demand.failed.value_or(Bytes{}), one.least);
      demand.lower_bound = demand.lower_bound || !one.is_whole;
    }
  }
  if (demand.failed) {
    demand.reasons.push_back(
        {"failure",
         *demand.failed,
         demand.lower_bound ? "the record that could not be allocated and what is known before it"
                            : "all records of a model of which one could not be allocated"});
  }
}

void report_failed(const Work& work, const std::vector<FailedRecord>& failed) {
  for (const FailedRecord& one : failed) {
    const Demand* demand = demand_of(work, one.key);
    core::Diagnostic said = core::error(
        Code::kTraceFailed,
        fmt::format(
            "{}: {} is too small", what_failed(work, *one.failure), heap_name(demand, one.key)),
        work.place_of(one.failure->input, one.failure->line),
        hint_for(demand, one.is_whole));
    said.parties = {{"core", core_name(one.failure->core)}};
    add_sizes(work, one, demand, said);
    work.say(std::move(said));
  }
}

void report_other_failures(const Work& work, const std::vector<FailedRecord>& told) {
  for (const Failure& failure : work.recording.failures) {
    const bool known = core::contains(told, &failure, &FailedRecord::failure);
    if (!is_record(failure) || known) {
      continue;
    }
    if (!failure.size) {
      work.say(core::error(Code::kTraceFailed,
                           what_failed(work, failure) + ": how large it is cannot be read",
                           work.place_of(failure.input, failure.line),
                           "the line was cut or damaged: trace the model again"));
      continue;
    }
    core::Diagnostic said =
        core::error(Code::kTraceFailed,
                    fmt::format("{}: a heap of {} {} memory is too small",
                                what_failed(work, failure),
                                model::name_of(failure.cacheability),
                                failure.space),
                    work.place_of(failure.input, failure.line),
                    "the table that the core prints before tells which heap it is: trace the "
                    "model again with every line");
    said.details.push_back(
        "without the model's table it is not known whether that record is kept between runs");
    work.say(std::move(said));
  }
  for (const Group& group : others_of(work)) {
    const Failure& failure = *group.first;
    const std::string times =
        group.times > 1 ? fmt::format(" ({} times)", group.times) : std::string{};
    // What a failed record leads to further up says nothing new.
    const std::string known = known_meaning(work, failure);
    const bool echo = known.empty() && failure.kind == Failure::Kind::kOther &&
                      has_failed_record(work, failure.input);
    core::Diagnostic said =
        core::warning(Code::kTraceOther,
                      fmt::format("{}{}{}",
                                  failure.core.empty() ? std::string{} : failure.core + ": ",
                                  failure.text,
                                  times),
                      work.place_of(failure.input, failure.line),
                      echo            ? "it follows from the record that could not be allocated"
                      : known.empty() ? meaning_of(failure.kind)
                                      : known);
    if (echo) {
      said.severity = core::Severity::kNote;
    }
    work.say(std::move(said));
  }
}

}  // namespace memsize::sizing
