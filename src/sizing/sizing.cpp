// The order of sizing, core by core. First the generation: of those that the trace may be of, the
// last that the board may have, else the one whose telling record comes closest from below.
#include "memsize/sizing/sizing.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "candidate.hpp"
#include "demand.hpp"
#include "doubtful.hpp"
#include "failures.hpp"
#include "forecast.hpp"
#include "generation.hpp"
#include "heaps.hpp"
#include "live.hpp"
#include "notes.hpp"
#include "work.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using board::DemandKey;
using board::Generation;
using core::Bytes;
using core::Code;
using model::Block;

bool has_tables(const model::Recording& recording) {
  return std::ranges::any_of(recording.cores,
                             [](const auto& core) { return !core.instances.empty(); });
}

// Those that the format knows.
std::vector<std::string> generations_of_board(const Work& work) {
  std::vector<std::string> names =
      work.view == nullptr ? std::vector<std::string>{} : work.view->board->possible_generations();
  std::erase_if(
      names, [&](const std::string& name) { return work.format.find_generation(name) == nullptr; });
  return names;
}

void report_unknown_generation(const Work& work, bool several) {
  if (!has_tables(work.recording)) {
    return;
  }
  work.say(core::warning(
      Code::kSizingUnknownGeneration,
      fmt::format("the SDK generation of the trace cannot be told; it is taken for {}",
                  work.generation->title),
      {},
      several ? "the tables of the trace are of different generations: analyze them apart"
              : "the record that tells it is missing or of an unknown size"));
}

void choose_generation(Work& work) {
  const board::TraceFormat& format = work.format;
  std::vector<const Generation*> of_board;
  for (const std::string& name : generations_of_board(work)) {
    of_board.push_back(format.find_generation(name));
  }
  const std::string soc = work.view == nullptr ? std::string{} : work.view->board->soc;
  const ToldRecording recording = generation_of(work.recording, format, soc);
  const ToldGeneration& told = recording.told;
  std::string part = soc;
  if (recording.everywhere && !recording.several && !told.generations.empty()) {
    const auto common = std::find_if(
        of_board.rbegin(), of_board.rend(), [&](const auto* each) { return told.contains(each); });
    work.generation = told.choose(common == of_board.rend() ? nullptr : *common);
    work.sizing.generations = told.names();
    work.sizing.generation = told.generations.size() == 1 ? work.generation->name : "";
    work.sizing.generation_title = format.titles_of(work.sizing.generations);
    work.sizing.generation_evidence = evidence_of(told);
    part = told.part;
  } else {
    work.generation = of_board.empty() ? &format.generations.back() : of_board.back();
    report_unknown_generation(work, recording.several);
  }
  work.sizing.rules_of = work.generation->name;
  if (!work.generation->estimate.empty()) {
    work.say(
        core::warning(Code::kSizingUnknownGeneration,
                      fmt::format("{}: {}", work.generation->title, work.generation->estimate)));
  }
  work.fixed = &work.generation->fixed_on(part);
  if (!of_board.empty() && !core::contains(of_board, work.generation)) {
    work.forecast = of_board.back();
    work.forecast_fixed = &work.forecast->fixed_on(soc);
  }
}

// Those that printed a table, then those of which only failures or statistics tell, by name.
std::vector<std::string> cores_of(const Work& work) {
  std::vector<std::string> traced =
      core::texts_of(work.recording.cores, &model::CoreRecording::core);
  std::vector<std::string> others;
  const auto add = [&](const std::string& core) {
    const auto is_known = [&](const auto& list) { return core::contains(list, core); };
    if (!is_known(traced) && !is_known(others)) {
      others.push_back(core);
    }
  };
  for (const model::Failure& failure : work.recording.failures) {
    if (failure.kind == model::Failure::Kind::kRecord) {
      add(failure.core);
    }
  }
  for (const model::HeapReport& heap : work.recording.heaps) {
    if (!used_classes(work, heap.core).empty()) {
      add(heap.core);
    }
  }
  std::ranges::sort(others);
  traced.insert(traced.end(), others.begin(), others.end());
  return traced;
}

void report_unknown_core(const Work& work, const std::string& core) {
  // A core without a name is said once, where the recording was made.
  if (work.view == nullptr || core.empty() || work.view->board->find_core(core) != nullptr) {
    return;
  }
  const std::vector<std::string> names =
      core::texts_of(work.view->board->cores, &board::Core::name);
  work.say(core::warning(
      Code::kSizingUnknownCore,
      fmt::format("board '{}' has no core '{}': its demands size nothing",
                  work.view->board->name,
                  core::printable(core, 40)),
      {},
      fmt::format("the cores are: {}; --core names one for all lines", core::join(names, ", "))));
}

// Whether each failed allocation of the core is a record of a whole table.
bool is_counted(const Work& work,
                const std::string& core,
                const std::vector<FailedRecord>& failed) {
  const auto& failures = work.recording.failures;
  return std::ranges::none_of(failures, [&](const model::Failure& failure) {
    const auto* known = core::find_in(failed, &failure, &FailedRecord::failure);
    return failure.core == core && failure.kind == model::Failure::Kind::kRecord &&
           (known == nullptr || !known->is_whole);
  });
}

// The classes that a core's blocks are of, in the order of the report.
std::vector<DemandKey> classes_of(const Work& work,
                                  const std::string& core,
                                  const std::vector<Candidate>& candidates,
                                  const std::vector<FailedRecord>& failed) {
  std::vector<DemandKey> keys;
  for (const Candidate& candidate : candidates) {
    for (const Counted& counted : candidate.blocks) {
      keys.push_back(
          {core, counted.block.space, counted.block.cacheability, counted.block.lifetime});
    }
  }
  for (const FailedRecord& one : failed) {
    keys.push_back(one.key);
  }
  for (const DemandKey& used : used_classes(work, core)) {
    keys.push_back(used);
  }
  const auto rank = [](const DemandKey& key) {
    return std::tuple{key.cacheability, key.lifetime, key.space};
  };
  std::ranges::sort(keys,
                    [&](const DemandKey& a, const DemandKey& b) { return rank(a) < rank(b); });
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

CoreSizing size_core(const Work& work,
                     const std::string& name,
                     std::vector<FailedRecord>& all_failed) {
  const auto& cores = work.recording.cores;
  const auto* found = core::find_in(cores, name, &model::CoreRecording::core);
  const model::CoreRecording nothing{name, {}};
  const model::CoreRecording recorded = without_doubtful(work, found == nullptr ? nothing : *found);
  CoreSizing core{.core = name};
  report_unknown_core(work, name);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < recorded.instances.size(); ++i) {
    candidates.push_back(make_candidate(work, name, i, recorded.instances[i]));
    const Candidate& made = candidates.back();
    core.instances.push_back({found->instances[i], made.complete, made.missing});
    core.complete = core.complete && made.complete;
  }
  const std::vector<SharedContext> contexts = share_contexts(work, recorded, candidates);
  const LiveModels live{recorded.instances, perhaps_one(recorded.instances, candidates)};
  const std::vector<FailedRecord> failed =
      failed_records(work, name, found == nullptr ? nullptr : &recorded, candidates);
  core.complete = core.complete && is_counted(work, name, failed) && !recorded.instances.empty();
  const CoreWork core_work{recorded, candidates, contexts, live, failed};
  for (const DemandKey& key : classes_of(work, name, candidates, failed)) {
    if (key.cacheability == model::Cacheability::kOnChip) {
      core.onchip.push_back(make_onchip_demand(work, core_work, key));
    } else {
      core.demands.push_back(make_demand(work, core_work, key));
    }
  }
  report_instances(work, recorded, live, core);
  report_unload(work, recorded);
  all_failed.insert(all_failed.end(), failed.begin(), failed.end());
  return core;
}

}  // namespace

std::string class_name(const DemandKey& key) {
  return fmt::format("{} {}", model::name_of(key.cacheability), model::name_of(key.lifetime));
}

std::string core_name(const std::string& core) {
  return core.empty() ? std::string{"core without a name"} : core::visible_text(core);
}

std::string record_name(const Work& work, std::uint32_t record) {
  const auto meaning = work.format.records.find(record);
  const bool is_known = work.generation->records != 0 || work.generation->is_open;
  return !is_known || meaning == work.format.records.end()
             ? fmt::format("record {}", record)
             : fmt::format(
                   "record {} ({}, {})", record, meaning->second.name, meaning->second.what);
}

std::string rtos_family_of(const Work& work) {
  return work.view == nullptr ? std::string{} : work.view->board->rtos_family;
}

const board::HeapRule& rule_of(const Work& work,
                               const Generation& generation,
                               const DemandKey& key) {
  static const board::HeapRule unknown;
  const board::HeapRule* rule =
      generation.find_heap(key.cacheability, key.lifetime, rtos_family_of(work));
  return rule == nullptr ? unknown : *rule;
}

bool in_class(const Block& block, const DemandKey& key) {
  return block.space == key.space && block.cacheability == key.cacheability &&
         block.lifetime == key.lifetime;
}

const board::Knob* knob_of(const Work& work, const DemandKey& key) {
  if (work.view == nullptr) {
    return nullptr;
  }
  const auto& knobs = work.view->board->knobs;
  return core::find_in(knobs, key, &board::Knob::demand);
}

Bytes Demand::figure() const {
  return std::max({requested,
                   bound,
                   extent.value_or(Bytes{}),
                   statistics.value_or(Bytes{}),
                   failed.value_or(Bytes{})});
}

Sizing size_recording(const model::Recording& recording,
                      const board::TraceFormat& format,
                      const BoardView* view,
                      const Options& options) {
  Sizing sizing;
  Work work{recording, format, view, options, nullptr, nullptr, nullptr, nullptr, sizing};
  sizing.inputs = recording.inputs;
  sizing.trace_format = format.name;
  sizing.diagnostics = recording.diagnostics;
  sizing.headroom = options.headroom;
  sizing.together = options.together;
  report_emulated(work);
  report_copies(work);
  choose_generation(work);
  std::vector<FailedRecord> failed;
  for (const std::string& core : cores_of(work)) {
    sizing.cores.push_back(size_core(work, core, failed));
  }
  report_failed(work, failed);
  report_other_failures(work, failed);
  report_damaged_names(work);
  report_statistics(work);
  if (work.forecast != nullptr && !sizing.generations.empty()) {
    sizing.generation_differs = true;
    report_forecast(work);
  }
  if (view != nullptr) {
    report_untouched(work);
    report_margin(work);
  }
  return sizing;
}

bool Sizing::complete() const {
  return std::ranges::all_of(cores, [](const CoreSizing& core) { return core.complete; });
}

}  // namespace memsize::sizing
