// Of each region that a knob sizes, the first of these that holds says what it needs: what the user
// keeps; an idle core's heaps; an image's code; statistics; a minimum that is also enough. The rest
// keeps its size, and says why.
//
// Sizes never grow here: a region that is too small is what `check` finds.
#include "needs.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/firmware.hpp"
#include "memsize/model/image.hpp"

#include "board_now.hpp"
#include "plans/plan_stages.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using board::Knob;
using core::Bytes;
using core::Code;
using layout::Evidence;
using layout::Need;
using layout::Region;

// More than any idle core of a known SDK has in use in its local heap (256 B), and less than the
// objects of one model (252848 B, boards/formats).
constexpr Bytes kIdleMost{64ULL << 10};

// An R5F's heap has as much in use when nothing runs: 64 to 4096 B, in statistics of three SDKs.
constexpr Bytes kBootMost{4096};

// Peaks between two samples are short, and an R5F's heap never says its highest mark: half of what
// was seen, and room for one buffer of the log and file access.
constexpr std::uint64_t kHeapPercent = 50;
constexpr Bytes kHeapRoom{64ULL << 10};

// Less than one frame of a camera (1920 x 1080 in NV12 is 3 MiB) is no load.
constexpr Bytes kPoolIdleMost{2ULL << 20};

// Beside what samples saw of the pool that cores share.
constexpr std::uint64_t kPoolPercent = 25;

// How Linux calls a carve-out that applications allocate from (carveout-heap.c).
constexpr std::string_view kPool = "dma-heap-carveout";

Bytes percent_of(Bytes size, std::uint64_t percent) {
  return Bytes{size.count() / 100 * percent + size.count() % 100 * percent / 100};
}

bool is_reserved(const layout::MemoryMap& map, const Region& region) {
  return std::ranges::any_of(map.carveouts, [&](const layout::Carveout& carveout) {
    return region.physical() && carveout.range.contains(*region.physical());
  });
}

// The regions of the reservation that a knob sizes, by address.
std::vector<const Region*> sized_regions(const layout::MemoryMap& map) {
  std::vector<const Region*> regions;
  for (const Region& region : map.regions) {
    if (region.kind == layout::RegionKind::kRegion && !region.knob.empty() &&
        is_reserved(map, region)) {
      regions.push_back(&region);
    }
  }
  std::ranges::stable_sort(regions, {}, &Region::physical_base);
  return regions;
}

// No suggestion is larger than what is there.
void suggest_need(Need& need, const Knob& knob, Bytes size, bool tight) {
  const core::Align step = tight ? knob.hard_granule : knob.granule;
  const Bytes rounded = core::align_up(std::max({size, knob.minimum, Bytes{1}}), step);
  need.suggested = std::min(rounded, need.current);
}

core::Diagnostic too_small(const Need& need, const Knob& knob, Bytes size) {
  return core::warning(Code::kSizingStatistics,
                       fmt::format("'{}' has {}, but {} would be needed: {}, with their margin",
                                   need.region,
                                   core::format_size(need.current),
                                   core::format_size(size),
                                   need.why),
                       {},
                       fmt::format("nothing grows by itself: --set {}=SIZE; or the samples are of "
                                   "another map",
                                   knob.name))
      .about({{"region", need.region}});
}

// With its margin; nothing: too little was measured.
std::optional<Bytes> measured_heap(const Analysis& analysis, const Knob& knob, Need& need) {
  const board::MemoryClass* wanted = analysis.format.find_heap(knob.heap->name);
  std::uint64_t samples = 0;
  Bytes most;
  for (const model::HeapReport& report : analysis.recording.heaps) {
    const bool is_it = report.core == knob.heap->core && report.free &&
                       report.source == model::HeapReport::Source::kStatistics &&
                       wanted != nullptr && analysis.format.find_heap(report.name) == wanted;
    if (is_it) {
      samples += report.samples;
      most = std::max(most, report.size - *report.free);
    }
  }
  if (samples == 0) {
    need.why = "nobody measured it: statistics of its heap, several under load";
  } else if (samples == 1) {
    need.why = fmt::format("one sample of {} proves nothing: take several under load",
                           core::format_size(most));
  } else if (most <= kBootMost) {
    need.why = fmt::format("{} of an idle {}, {} in use: take some under load",
                           core::plural(samples, "sample"),
                           knob.heap->core,
                           core::format_size(most));
  } else {
    need.need = most;
    need.why = fmt::format("the most of {}, and half of it", core::plural(samples, "sample"));
    return most + percent_of(most, kHeapPercent) + kHeapRoom;
  }
  return std::nullopt;
}

std::optional<core::Diagnostic> wrong_idle(const board::Board& board, const std::string& name) {
  std::vector<std::string> cores;
  for (const Knob& knob : board.knobs) {
    if (knob.demand && !core::contains(cores, knob.demand->core)) {
      cores.push_back(knob.demand->core);
    }
  }
  if (core::contains(cores, name)) {
    return std::nullopt;
  }
  const bool is_core = board.find_core(name) != nullptr;
  const std::string like = core::did_you_mean(name, cores);
  return core::error(
             is_core ? Code::kSizingIdle : Code::kUsage,
             is_core
                 ? fmt::format("no model ever runs on {}: there is nothing that being idle "
                               "would give back",
                               name)
                 : fmt::format("board '{}' has no core '{}'", board.name, core::printable(name)),
             {},
             is_core ? std::string{"what its heap needs only statistics say, taken several times "
                                   "while it works; a core that has no firmware at all stays in "
                                   "the map, because all others wait for it when they start, "
                                   "until their firmware is built without it"}
             : like.empty() ? fmt::format("models run on {}", core::join(cores, ", "))
                            : like)
      .about({{"core", name}})
      .of_option("--idle");
}

// Cores and knobs that were named, but are none.
core::Diagnostics wrong_names(const AnalyzeRequest& request, const board::Board& board) {
  core::Diagnostics errors;
  for (const std::string& core : request.needs.idle) {
    if (auto wrong = wrong_idle(board, core)) {
      errors.push_back(std::move(*wrong));
    }
  }
  for (const std::string& name : request.needs.keep) {
    if (board.find_knob(name) != nullptr) {
      continue;
    }
    const std::string like = core::did_you_mean(name, core::texts_of(board.knobs, &Knob::name));
    errors.push_back(
        core::error(Code::kKnobUnknown,
                    fmt::format("board '{}' has no knob '{}'", board.name, core::printable(name)),
                    {},
                    like.empty() ? fmt::format("memsize board show {} lists them",
                                               core::shell_path(request.board.name))
                                 : like)
            .about({{"knob", name}})
            .of_option("--keep-size"));
  }
  return errors;
}

// Without its folder: artifacts have no paths of a machine.
std::string name_of(const layout::FirmwareReport& firmware) {
  return core::printable(firmware.path.substr(firmware.path.rfind('/') + 1), 80);
}

// The next build is larger: beside the headroom a step, if there is any headroom at all.
void take_code(Need& need,
               const Knob& knob,
               const layout::FirmwareReport& firmware,
               const sizing::Headroom& headroom,
               bool tight) {
  const std::vector<layout::FirmwareNeed> proved = layout::firmware_needs(firmware);
  const auto* use = core::find_in(proved, need.region, &layout::FirmwareNeed::region);
  if (use == nullptr) {
    need.why = fmt::format("{} says nothing of it", name_of(firmware));
    return;
  }
  constexpr std::size_t kHashShown = 12;
  need.need = use->need;
  need.why = fmt::format(
      "sections of {} (sha256 {})", name_of(firmware), use->sha256.substr(0, kHashShown));
  need.evidence = Evidence::kDerived;
  const Bytes margin =
      headroom.is_percent ? percent_of(use->need, headroom.percent) : headroom.size;
  const std::uint64_t step = (tight ? knob.hard_granule : knob.granule).value();
  const Bytes least =
      std::max(use->need + use->moves + margin + (margin.count() == 0 ? Bytes{} : Bytes{step}),
               knob.minimum);
  // What lies behind code mostly stands on a multiple: whole steps less than now keep it there.
  const std::uint64_t steps = least < need.current ? (need.current - least).count() / step : 0;
  need.suggested = Bytes{need.current.count() - steps * step};
}

// It was linked for the map with the sizes that the user set, or for the board's own.
layout::FirmwareReport measured_firmware(const Analysis& analysis, const model::Image& image) {
  const auto lies_elsewhere = [](const layout::FirmwareReport& found) {
    return found.core.empty() ||
           core::contains(found.diagnostics, Code::kFirmwareRegion, &core::Diagnostic::code);
  };
  layout::FirmwareReport found = layout::check_firmware(*analysis.current, image);
  if (analysis.settings.empty() || !lies_elsewhere(found)) {
    return found;
  }
  const auto own = layout::resolve(*analysis.board, {});
  layout::FirmwareReport of_own = own ? layout::check_firmware(*own, image) : found;
  return lies_elsewhere(of_own) ? found : of_own;
}

// By core.
using Firmware = std::map<std::string, layout::FirmwareReport>;

// Adds an image to those of the cores.
core::Result<void> take_firmware(Session& session,
                                 Analysis& analysis,
                                 const std::string& path,
                                 Firmware& firmware) {
  const auto image = app::read_firmware(session, path, analysis.sizing.diagnostics);
  MEMSIZE_TRY(image);
  layout::FirmwareReport found = measured_firmware(analysis, *image);
  if (found.core.empty()) {
    return tl::make_unexpected(std::move(found.diagnostics));
  }
  if (analysis.board->find_sections(found.core) == nullptr) {
    return core::fail(
        core::error(Code::kEmitSections,
                    fmt::format("board '{}' does not say where the code of {} goes, so that "
                                "its image sizes nothing",
                                analysis.board->name,
                                found.core),
                    {path},
                    "it needs a [sections.NAME] with this core (boards/README.md)")
            .about({{"core", found.core}})
            .of_option("--images"));
  }
  const auto [other, is_first] = firmware.emplace(found.core, found);
  if (!is_first) {
    return core::fail(core::error(Code::kFirmwareTwice,
                                  fmt::format("this is an image of {}, as {} is",
                                              found.core,
                                              core::printable(other->second.path, 300)),
                                  {path},
                                  "a core runs one of them: leave the other one out")
                          .of_option("--images"));
  }
  return {};
}

const board::Core* core_of_code(const board::Board& board, const Region& region) {
  return core::find_where(board.cores, [&](const board::Core& core) {
    const board::CoreSections* sections = board.find_sections(core.name);
    return sections != nullptr && sections->region == region.name && region.seen_by(core.name);
  });
}

const layout::FirmwareReport* firmware_of(const board::Board& board,
                                          const Firmware& firmware,
                                          const Region& region) {
  const board::Core* core = core_of_code(board, region);
  return core == nullptr ? nullptr : core::value_in(firmware, core->name);
}

core::Diagnostic set_too_small(const Need& need,
                               const Knob& knob,
                               const layout::FirmwareReport& firmware) {
  return core::error(
             Code::kKnobRule,
             fmt::format("{} = {}, but {} takes {} of '{}'",
                         knob.name,
                         core::format_size(need.current),
                         name_of(firmware),
                         core::format_size(*need.need),
                         need.region),
             {},
             fmt::format("give it at least {}",
                         core::format_setting(core::align_up(*need.need, knob.hard_granule))))
      .about({{"knob", knob.name}})
      .of_option("--set " + knob.name);
}

const board::Generation& generation_of(const Analysis& analysis) {
  const std::vector<std::string> possible = analysis.board->possible_generations();
  const board::Generation* known =
      possible.empty() ? nullptr : analysis.format.find_generation(possible.back());
  return known == nullptr ? analysis.format.generations.back() : *known;
}

bool is_traced(const Analysis& analysis, const std::string& core) {
  const auto& cores = analysis.recording.cores;
  const auto* traced = core::find_in(cores, core, &model::CoreRecording::core);
  return traced != nullptr && !traced->instances.empty();
}

// Of a traced core it stays so only where no record is of the heap.
void take_idle(const Analysis& analysis, const Knob& knob, Need& need) {
  if (is_traced(analysis, knob.demand->core)) {
    need.why = fmt::format("no record of {} lies in it; where nothing else uses it: --set {}={}",
                           knob.demand->core,
                           knob.name,
                           core::format_setting(Bytes{knob.granule.value()}));
    return;
  }
  if (!core::contains(analysis.request.needs.idle, knob.demand->core)) {
    need.why =
        fmt::format("{0} was not traced; where no model runs there: --idle {0}", knob.demand->core);
    return;
  }
  const board::HeapRule* rule = generation_of(analysis).find_heap(
      knob.demand->cacheability, knob.demand->lifetime, analysis.board->rtos_family);
  need.need = rule == nullptr ? Bytes{} : rule->idle;
  need.why = fmt::format("{} is idle (you said so)", knob.demand->core);
  need.evidence = Evidence::kAsserted;
  suggest_need(need, knob, *need.need, analysis.request.tight);
}

// What Linux calls whoever gives out buffers of the region; empty: nobody does.
std::string pool_of(const layout::MemoryMap& map, const Region& region) {
  const auto* carveout = core::find_where(map.carveouts, [&](const layout::Carveout& each) {
    return each.compatible == kPool && core::contains(each.members, region.name);
  });
  return carveout == nullptr ? std::string{} : fmt::format("carveout_{}", carveout->node);
}

// The most of all runs, and the largest buffer besides: pages are given out first fit and never
// moved, so that a pool as large as all buffers may have no room for one of them.
std::optional<Bytes> measured_pool(const std::vector<model::PoolReport>& pools,
                                   const std::string& name,
                                   Need& need) {
  std::uint64_t samples = 0;
  Bytes most;
  Bytes largest;
  for (const model::PoolReport& report : pools) {
    if (report.name == name) {
      samples += report.samples;
      most = std::max(most, report.most);
      largest = std::max(largest, report.largest);
    }
  }
  if (samples == 0) {
    need.why = "nobody measured it: memsize-probe --watch 60 under load";
  } else if (samples == 1) {
    need.why = fmt::format("one sample of {} proves nothing: memsize-probe --watch 60 under load",
                           core::format_size(most));
  } else if (most <= kPoolIdleMost) {
    need.why = fmt::format("{} of an idle system, {} in use: take some under load",
                           core::plural(samples, "sample"),
                           core::format_size(most));
  } else {
    need.need = most + largest;
    need.why = fmt::format("the most of {}, {}, and the largest buffer, {}",
                           core::plural(samples, "sample"),
                           core::format_size(most),
                           core::format_size(largest));
    return *need.need + percent_of(*need.need, kPoolPercent);
  }
  return std::nullopt;
}

Need need_of(Analysis& analysis,
             const sizing::Headroom& headroom,
             const Firmware& images,
             const Region& region,
             core::Diagnostics& errors) {
  const board::Board& board = *analysis.board;
  const Knob& knob = *board.find_knob(region.knob);
  const bool tight = analysis.request.tight;
  Need need{.region = region.name,
            .knob = knob.name,
            .current = region.size,
            .need = {},
            .why = {},
            .suggested = region.size};
  const layout::FirmwareReport* firmware = firmware_of(board, images, region);
  std::optional<Bytes> measured;
  if (core::contains(analysis.request.needs.keep, knob.name)) {
    need.why = "you keep it";
  } else if (analysis.settings.contains(knob.name)) {
    if (firmware != nullptr) {
      take_code(need, knob, *firmware, headroom, tight);
      if (need.need && need.current < *need.need) {
        errors.push_back(set_too_small(need, knob, *firmware));
      }
    }
    need.why = "you set it";
    need.evidence = Evidence::kAsserted;
    need.suggested = need.current;
  } else if (knob.demand) {
    take_idle(analysis, knob, need);
  } else if (firmware != nullptr) {
    take_code(need, knob, *firmware, headroom, tight);
  } else if (const board::Core* owner = core_of_code(board, region); owner != nullptr) {
    need.why = fmt::format("no image of {} was given: --images FILE", owner->name);
  } else if (knob.heap) {
    measured = measured_heap(analysis, knob, need);
  } else if (const std::string name = pool_of(*analysis.current, region); !name.empty()) {
    measured = measured_pool(analysis.recording.pools, name, need);
  } else if (analysis.request.needs.whole && !knob.enough.empty()) {
    need.need = knob.minimum;
    need.why = fmt::format("{}; {}", knob.minimum_why, knob.enough);
    need.evidence = Evidence::kDerived;
    suggest_need(need, knob, knob.minimum, tight);
  } else {
    need.why = knob.minimum_why.empty() ? "nobody knows what it needs" : knob.minimum_why;
  }
  if (measured) {
    need.evidence = Evidence::kMeasured;
    suggest_need(need, knob, *measured, tight);
    if (*measured > need.current) {
      analysis.too_small.push_back(too_small(need, knob, *measured));
    }
  }
  return need;
}

// What keeps its size was not asked for, but of the whole.
bool is_told(const Need& need, const NeedRequest& request) {
  return request.whole ||
         (need.evidence != Evidence::kKept && need.evidence != Evidence::kTrace &&
          !(need.evidence == Evidence::kAsserted && need.suggested == need.current));
}

void take_demand(const sizing::CoreSizing& core, const sizing::Demand& demand, Need& need) {
  need.need = demand.figure();
  need.why = fmt::format("{} of {}", core::plural(demand.records, "record"), core.core);
  need.evidence = Evidence::kTrace;
  need.suggested = *demand.suggested;
  need.grown = demand.grown;
}

// What no knob sizes, and what lies between regions: then all rows together are the reservation.
Need rest_of(const Analysis& analysis) {
  Bytes current = analysis.current->reserved();
  Bytes suggested = analysis.suggested ? analysis.suggested->reserved() : current;
  for (const Need& need : analysis.needs) {
    current = current - need.current;
    suggested = suggested - need.suggested;
  }
  return {.region = {},
          .knob = {},
          .current = current,
          .need = {},
          .why = "no knob sizes it alone: silicon, boot chain, messages to Linux",
          .suggested = suggested};
}

}  // namespace

core::Result<void> find_needs(Session& session,
                              Analysis& analysis,
                              const sizing::Headroom& headroom) {
  const NeedRequest& request = analysis.request.needs;
  if (!request.any()) {
    return {};
  }
  core::Diagnostics errors = wrong_names(analysis.request, *analysis.board);
  Firmware firmware;
  for (const std::string& path : request.images) {
    if (auto taken = take_firmware(session, analysis, path, firmware); !taken) {
      std::ranges::move(taken.error(), std::back_inserter(errors));
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  for (const std::string& knob : request.keep) {
    analysis.settings.emplace(knob, analysis.current->values.at(knob));
  }
  for (const Region* region : sized_regions(*analysis.current)) {
    Need need = need_of(analysis, headroom, firmware, *region, errors);
    if (need.suggested != need.current) {
      analysis.needed[need.knob] = need.suggested.count();
    }
    analysis.needs.push_back(std::move(need));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return {};
}

std::optional<core::Diagnostic> lacks_whole(const AnalyzeRequest& request,
                                            const model::Recording& recording) {
  const bool has_more = !recording.cores.empty() || !recording.heaps.empty() ||
                        !recording.failures.empty() || !recording.runs.empty();
  const auto* said =
      core::find_in(recording.diagnostics, Code::kReadNoTable, &core::Diagnostic::code);
  if (recording.pools.empty() || has_more || said == nullptr || request.needs.any()) {
    return std::nullopt;
  }
  core::Diagnostic error = *said;
  error.severity = core::Severity::kError;
  return error;
}

void drop_answered(const AnalyzeRequest& request, model::Recording& recording) {
  if (!request.needs.whole) {
    return;
  }
  std::erase_if(recording.diagnostics, [&](const core::Diagnostic& said) {
    return said.code == Code::kReadNoTable &&
           std::ranges::any_of(recording.pools, [&](const model::PoolReport& pool) {
             return said.place.path.str() == recording.inputs.at(pool.input).path;
           });
  });
}

void settle_needs(Analysis& analysis) {
  board::KnobValues fixed = over(suggestions_of(analysis), {});
  board::KnobValues wanted;
  for (Need& need : analysis.needs) {
    const auto* grown =
        analysis.growth ? core::value_in(analysis.growth->values, need.knob) : nullptr;
    need.suggested = need.suggested - need.grown;
    need.grown = {};
    if (need.evidence == Evidence::kAsserted && grown != nullptr) {
      need.grown = Bytes{*grown} - need.suggested;
      need.suggested = Bytes{*grown};
    } else if (need.evidence != Evidence::kAsserted && need.suggested != need.current) {
      wanted[need.knob] = need.suggested.count();
      fixed.erase(need.knob);
    }
  }
  if (wanted.empty()) {
    return;
  }
  const auto legal = layout::least_legal(*analysis.board, fixed, wanted);
  for (Need& need : analysis.needs) {
    if (!wanted.contains(need.knob)) {
      continue;
    }
    const Bytes size = legal ? Bytes{legal->at(need.knob)} : need.current;
    need.grown = size - need.suggested;
    need.suggested = size;
    analysis.needed[need.knob] = size.count();
  }
}

core::Result<void> finish_needs(Analysis& analysis) {
  const NeedRequest& request = analysis.request.needs;
  core::Diagnostics errors;
  for (sizing::CoreSizing& core : analysis.sizing.cores) {
    for (sizing::Demand& demand : core.demands) {
      Need* need = core::find_in(analysis.needs, demand.knob, &Need::knob);
      if (need == nullptr || !demand.suggested || analysis.settings.contains(demand.knob)) {
        continue;
      }
      if (need->evidence == Evidence::kAsserted) {
        demand.suggested = need->suggested;
      } else {
        take_demand(core, demand, *need);
      }
    }
    if (!core::contains(request.idle, core.core)) {
      continue;
    }
    Bytes most;
    for (const sizing::Demand& demand : core.demands) {
      most = std::max(most, demand.figure());
    }
    if (!core.instances.empty() || most > kIdleMost) {
      const model::Instance* model =
          core.instances.empty() ? nullptr : &core.instances.front().instance;
      errors.push_back(
          core::error(Code::kSizingIdle,
                      model != nullptr
                          ? fmt::format("{} is not idle: a model is loaded on it here", core.core)
                          : fmt::format("{} is not idle: {} of a heap of its own are in use",
                                        core.core,
                                        core::format_size(most)),
                      model != nullptr
                          ? core::Place{analysis.sizing.inputs.at(model->input).path, model->line}
                          : core::Place{},
                      fmt::format("leave out --idle {}: the trace sizes its heaps", core.core))
              .about({{"core", core.core}})
              .of_option("--idle"));
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  core::Diagnostics& said = analysis.sizing.diagnostics;
  if (analysis.recording.has_reservation && !request.any()) {
    said.push_back(core::warning(
        Code::kReadSizingDocument,
        "a sizing document was made with more than what traces size: that is left out",
        {},
        "say it again: --whole, --idle CORE, --images FILE, --keep-size KNOB"));
  }
  said.insert(said.end(), analysis.too_small.begin(), analysis.too_small.end());
  std::erase_if(analysis.needs, [&](const Need& need) { return !is_told(need, request); });
  if (request.whole) {
    analysis.needs.push_back(rest_of(analysis));
  }
  return {};
}

std::vector<Need> needs_of_map(const Analysis* analysis, const board::Values& values) {
  std::vector<Need> needs;
  for (const Need& need : analysis == nullptr ? std::vector<Need>{} : analysis->needs) {
    const bool is_sized = need.evidence != Evidence::kKept && need.evidence != Evidence::kTrace;
    if (is_sized && values.at(need.knob) == need.suggested.count()) {
      needs.push_back(need);
    }
  }
  return needs;
}

}  // namespace memsize::app
