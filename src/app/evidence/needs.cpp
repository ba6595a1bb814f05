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

class Finder {
 public:
  Finder(Session& session, Analysis& analysis, const sizing::Headroom& headroom)
      : session_(session),
        analysis_(analysis),
        request_(analysis.request.needs),
        headroom_(headroom) {}

  core::Result<void> run() {
    check_names();
    for (const std::string& path : request_.images) {
      take_firmware(path);
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    for (const std::string& knob : request_.keep) {
      analysis_.settings.emplace(knob, analysis_.current->values.at(knob));
    }
    for (const Region* region : sized_regions(map())) {
      Need need = need_of(*region, *board().find_knob(region->knob));
      if (need.suggested != need.current) {
        analysis_.needed[need.knob] = need.suggested.count();
      }
      analysis_.needs.push_back(std::move(need));
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return {};
  }

 private:
  [[nodiscard]] const board::Board& board() const { return *analysis_.board; }

  [[nodiscard]] const layout::MemoryMap& map() const { return *analysis_.current; }

  void wrong(core::Diagnostic error, const char* option) {
    errors_.push_back(std::move(error).of_option(option));
  }

  void check_names() {
    for (const std::string& core : request_.idle) {
      check_idle(core);
    }
    for (const std::string& name : request_.keep) {
      if (board().find_knob(name) != nullptr) {
        continue;
      }
      const std::string like = core::did_you_mean(name, core::texts_of(board().knobs, &Knob::name));
      wrong(core::error(
                Code::kKnobUnknown,
                fmt::format("board '{}' has no knob '{}'", board().name, core::printable(name)),
                {},
                like.empty() ? fmt::format("memsize board show {} lists them",
                                           core::shell_path(analysis_.request.board.name))
                             : like)
                .about({{"knob", name}}),
            "--keep-size");
    }
  }

  void check_idle(const std::string& name) {
    std::vector<std::string> cores;
    for (const Knob& knob : board().knobs) {
      if (knob.demand && !core::contains(cores, knob.demand->core)) {
        cores.push_back(knob.demand->core);
      }
    }
    if (core::contains(cores, name)) {
      return;
    }
    const bool is_core = board().find_core(name) != nullptr;
    const std::string like = core::did_you_mean(name, cores);
    wrong(core::error(
              is_core ? Code::kSizingIdle : Code::kUsage,
              is_core
                  ? fmt::format("no model ever runs on {}: there is nothing that being idle "
                                "would give back",
                                name)
                  : fmt::format("board '{}' has no core '{}'", board().name, core::printable(name)),
              {},
              is_core ? std::string{"what its heap needs only statistics say, taken several times "
                                    "while it works; a core that has no firmware at all stays in "
                                    "the map, because all others wait for it when they start, "
                                    "until their firmware is built without it"}
              : like.empty() ? fmt::format("models run on {}", core::join(cores, ", "))
                             : like)
              .about({{"core", name}}),
          "--idle");
  }

  // It was linked for the map with the sizes that the user set, or for the board's own.
  [[nodiscard]] layout::FirmwareReport measured_firmware(const model::Image& image) const {
    const auto lies_elsewhere = [](const layout::FirmwareReport& found) {
      return found.core.empty() ||
             core::contains(found.diagnostics, Code::kFirmwareRegion, &core::Diagnostic::code);
    };
    layout::FirmwareReport found = layout::check_firmware(map(), image);
    if (analysis_.settings.empty() || !lies_elsewhere(found)) {
      return found;
    }
    const auto own = layout::resolve(board(), {});
    layout::FirmwareReport of_own = own ? layout::check_firmware(*own, image) : found;
    return lies_elsewhere(of_own) ? found : of_own;
  }

  void take_firmware(const std::string& path) {
    const auto image = app::read_firmware(session_, path, analysis_.sizing.diagnostics);
    if (!image) {
      errors_.insert(errors_.end(), image.error().begin(), image.error().end());
      return;
    }
    layout::FirmwareReport found = measured_firmware(*image);
    if (found.core.empty()) {
      errors_.insert(errors_.end(), found.diagnostics.begin(), found.diagnostics.end());
      return;
    }
    if (board().find_sections(found.core) == nullptr) {
      wrong(core::error(Code::kEmitSections,
                        fmt::format("board '{}' does not say where the code of {} goes, so that "
                                    "its image sizes nothing",
                                    board().name,
                                    found.core),
                        {path},
                        "it needs a [sections.NAME] with this core (boards/README.md)")
                .about({{"core", found.core}}),
            "--images");
      return;
    }
    const auto [other, is_first] = firmware_.emplace(found.core, found);
    if (!is_first) {
      wrong(core::error(Code::kFirmwareTwice,
                        fmt::format("this is an image of {}, as {} is",
                                    found.core,
                                    core::printable(other->second.path, 300)),
                        {path},
                        "a core runs one of them: leave the other one out"),
            "--images");
    }
  }

  // No suggestion is larger than what is there.
  void suggest(Need& need, const Knob& knob, Bytes size) const {
    const core::Align step = analysis_.request.tight ? knob.hard_granule : knob.granule;
    const Bytes rounded = core::align_up(std::max({size, knob.minimum, Bytes{1}}), step);
    need.suggested = std::min(rounded, need.current);
  }

  void measured(Need& need, const Knob& knob, Bytes size) const {
    need.evidence = Evidence::kMeasured;
    suggest(need, knob, size);
    if (size > need.current) {
      analysis_.too_small.push_back(
          core::warning(Code::kSizingStatistics,
                        fmt::format("'{}' has {}, but {} would be needed: {}, with their margin",
                                    need.region,
                                    core::format_size(need.current),
                                    core::format_size(size),
                                    need.why),
                        {},
                        fmt::format("nothing grows by itself: --set {}=SIZE; or the samples are of "
                                    "another map",
                                    knob.name))
              .about({{"region", need.region}}));
    }
  }

  Need need_of(const Region& region, const Knob& knob) {
    Need need{.region = region.name,
              .knob = knob.name,
              .current = region.size,
              .need = {},
              .why = {},
              .suggested = region.size};
    const layout::FirmwareReport* firmware = firmware_of(region);
    if (core::contains(request_.keep, knob.name)) {
      need.why = "you keep it";
    } else if (analysis_.settings.contains(knob.name)) {
      if (firmware != nullptr) {
        hold_setting(need, knob, *firmware);
      }
      need.why = "you set it";
      need.evidence = Evidence::kAsserted;
      need.suggested = need.current;
    } else if (knob.demand) {
      heap_of_models(need, knob);
    } else if (firmware != nullptr) {
      code(need, knob, *firmware);
    } else if (const board::Core* owner = core_of_code(region); owner != nullptr) {
      need.why = fmt::format("no image of {} was given: --images FILE", owner->name);
    } else if (knob.heap) {
      heap(need, knob);
    } else if (const std::string name = pool_of(region); !name.empty()) {
      pool(need, knob, name);
    } else if (request_.whole && !knob.enough.empty()) {
      need.need = knob.minimum;
      need.why = fmt::format("{}; {}", knob.minimum_why, knob.enough);
      need.evidence = Evidence::kDerived;
      suggest(need, knob, knob.minimum);
    } else {
      need.why = knob.minimum_why.empty() ? "nobody knows what it needs" : knob.minimum_why;
    }
    return need;
  }

  void heap_of_models(Need& need, const Knob& knob) const {
    if (!core::contains(request_.idle, knob.demand->core)) {
      need.why = fmt::format("{0} was not traced; where no model runs there: --idle {0}",
                             knob.demand->core);
      return;
    }
    const board::HeapRule* rule = generation().find_heap(
        knob.demand->cacheability, knob.demand->lifetime, board().rtos_family);
    need.need = rule == nullptr ? Bytes{} : rule->idle;
    need.why = fmt::format("{} is idle (you said so)", knob.demand->core);
    need.evidence = Evidence::kAsserted;
    suggest(need, knob, *need.need);
  }

  [[nodiscard]] const board::Generation& generation() const {
    const std::vector<std::string> possible = board().possible_generations();
    const board::Generation* known =
        possible.empty() ? nullptr : analysis_.format.find_generation(possible.back());
    return known == nullptr ? analysis_.format.generations.back() : *known;
  }

  [[nodiscard]] const board::Core* core_of_code(const Region& region) const {
    return core::find_where(board().cores, [&](const board::Core& core) {
      const board::CoreSections* sections = board().find_sections(core.name);
      return sections != nullptr && sections->region == region.name && region.seen_by(core.name);
    });
  }

  // Without its folder: artifacts have no paths of a machine.
  static std::string name_of(const layout::FirmwareReport& firmware) {
    return core::printable(firmware.path.substr(firmware.path.rfind('/') + 1), 80);
  }

  [[nodiscard]] const layout::FirmwareReport* firmware_of(const Region& region) const {
    const board::Core* core = core_of_code(region);
    return core == nullptr ? nullptr : core::value_in(firmware_, core->name);
  }

  // The next build is larger: beside the headroom a step, if there is any headroom at all.
  void code(Need& need, const Knob& knob, const layout::FirmwareReport& firmware) const {
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
        headroom_.is_percent ? percent_of(use->need, headroom_.percent) : headroom_.size;
    const std::uint64_t step = (analysis_.request.tight ? knob.hard_granule : knob.granule).value();
    const Bytes least =
        std::max(use->need + use->moves + margin + (margin.count() == 0 ? Bytes{} : Bytes{step}),
                 knob.minimum);
    // What lies behind code mostly stands on a multiple: whole steps less than now keep it there.
    const std::uint64_t steps = least < need.current ? (need.current - least).count() / step : 0;
    need.suggested = Bytes{need.current.count() - steps * step};
  }

  void hold_setting(Need& need, const Knob& knob, const layout::FirmwareReport& firmware) {
    code(need, knob, firmware);
    if (need.need && need.current < *need.need) {
      wrong(core::error(Code::kKnobRule,
                        fmt::format("{} = {}, but {} takes {} of '{}'",
                                    knob.name,
                                    core::format_size(need.current),
                                    name_of(firmware),
                                    core::format_size(*need.need),
                                    need.region),
                        {},
                        fmt::format("give it at least {}", core::format_size(*need.need)))
                .about({{"knob", knob.name}}),
            "--set");
      errors_.back().option = "--set " + knob.name;
    }
  }

  void heap(Need& need, const Knob& knob) const {
    const board::MemoryClass* wanted = analysis_.format.find_heap(knob.heap->name);
    std::uint64_t samples = 0;
    Bytes most;
    for (const model::HeapReport& report : analysis_.recording.heaps) {
      const bool is_it = report.core == knob.heap->core && report.free &&
                         report.source == model::HeapReport::Source::kStatistics &&
                         wanted != nullptr && analysis_.format.find_heap(report.name) == wanted;
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
      measured(need, knob, most + percent_of(most, kHeapPercent) + kHeapRoom);
    }
  }

  // What Linux calls whoever gives out buffers of the region; empty: nobody does.
  [[nodiscard]] std::string pool_of(const Region& region) const {
    const auto* carveout = core::find_where(map().carveouts, [&](const layout::Carveout& each) {
      return each.compatible == kPool && core::contains(each.members, region.name);
    });
    return carveout == nullptr ? std::string{} : fmt::format("carveout_{}", carveout->node);
  }

  // The most of all runs, and the largest buffer besides: pages are given out first fit and never
  // moved, so that a pool as large as all buffers may have no room for one of them.
  void pool(Need& need, const Knob& knob, const std::string& name) const {
    std::uint64_t samples = 0;
    Bytes most;
    Bytes largest;
    for (const model::PoolReport& report : analysis_.recording.pools) {
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
      measured(need, knob, *need.need + percent_of(*need.need, kPoolPercent));
    }
  }

  Session& session_;
  Analysis& analysis_;
  const NeedRequest& request_;
  sizing::Headroom headroom_;
  std::map<std::string, layout::FirmwareReport> firmware_;
  core::Diagnostics errors_;
};

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
  return analysis.request.needs.any() ? Finder{session, analysis, headroom}.run()
                                      : core::Result<void>{};
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
