// From an analysis to what a page tells of it: where sizes are from, and what fills each heap.
#include "page_facts.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Bytes;
using sizing::CoreSizing;
using sizing::Demand;

std::string file_of(const std::string& path) {
  return path == "-" ? "standard input" : core::printable(path.substr(path.rfind('/') + 1), 80);
}

std::string headroom_of(const sizing::Headroom& headroom) {
  return headroom.is_percent ? fmt::format("{} %", headroom.percent)
                             : core::format_size(headroom.size);
}

std::vector<std::string> sources_of(const Analysis& analysis) {
  std::vector<std::string> names;
  for (const model::Input& input : analysis.recording.inputs) {
    names.push_back(file_of(input.path));
  }
  std::vector<std::string> models;
  for (const CoreSizing& core : analysis.sizing.cores) {
    if (!core.instances.empty()) {
      models.push_back(fmt::format(
          "{} on {}", core::plural(core.instances.size(), "model"), sizing::core_name(core.core)));
    }
  }
  models.push_back("headroom " + headroom_of(analysis.sizing.headroom));
  constexpr std::size_t kNamed = 3;
  const std::string files =
      names.size() <= kNamed ? core::join(names, ", ") : core::plural(names.size(), "log");
  std::vector<std::string> sources = {
      fmt::format("sized by {} ({})", files, core::join(models, ", "))};
  const sizing::Sizing& sizing = analysis.sizing;
  if (!sizing.generations.empty()) {
    sources.push_back(fmt::format("the trace is of SDK generation {} ({}: {})",
                                  core::join(sizing.generations, " or "),
                                  sizing.generation_title,
                                  sizing.generation_evidence));
  }
  return sources;
}

std::string class_name(const board::DemandKey& key) {
  return fmt::format("{} {} {} {}",
                     sizing::core_name(key.core),
                     key.space,
                     model::name_of(key.cacheability),
                     model::name_of(key.lifetime));
}

emit::HeapFill fill_of(const Analysis& analysis, const Demand& demand) {
  using Kind = emit::HeapPart::Kind;
  emit::HeapFill fill{.region = demand.region,
                      .title = class_name(demand.key),
                      .caveat = caveat_of(analysis, demand)};
  const Bytes figure = demand.figure();
  const Bytes records = std::min(demand.requested, figure);
  fill.parts = {{Kind::kRecords, records},
                {Kind::kOverhead, figure - records},
                {Kind::kMargin, demand.headroom}};
  for (const sizing::Counted& counted : demand.counted) {
    const auto* meaning = core::value_in(analysis.format.records, counted.block.record);
    const std::string name = counted.from_total   ? std::string{"the log's own sum"}
                             : meaning != nullptr ? meaning->name
                                                  : std::string{"record"};
    fill.records.push_back(
        {counted.from_total ? name : fmt::format("{} {}", counted.block.record, name),
         counted.block.size.nearest,
         fmt::format("{}:{}", file_of(counted.path), counted.block.line)});
  }
  return fill;
}

emit::HeapFill fill_of(const Fleet& fleet, const FleetSpan& span) {
  using Kind = emit::HeapPart::Kind;
  // More than that nobody reads; analyze --json has them all.
  constexpr std::size_t kMostLogs = 100;
  emit::HeapFill fill{
      .region = span.region,
      .title = fmt::format("{}, {}", class_name(span.key), core::plural(span.files, "log"))};
  fill.parts = {{Kind::kMedian, span.median}, {Kind::kMost, span.max - span.median}};
  for (const FleetFile& file : fleet.files) {
    for (const FleetDemand& demand : file.demands) {
      if (demand.key == span.key && file.same_as.empty()) {
        fill.records.push_back(
            {file_of(file.path),
             demand.figure,
             file.complete ? std::string{} : std::string{"incomplete: a lower bound"}});
      }
    }
  }
  std::ranges::stable_sort(fill.records, std::ranges::greater{}, &emit::HeapRecord::size);
  if (fill.records.size() > kMostLogs) {
    fill.records.resize(kMostLogs);
  }
  return fill;
}

}  // namespace

emit::PageFacts fleet_facts(const Fleet& fleet) {
  emit::PageFacts facts;
  facts.sources = {fmt::format("sized to cover each of {}, each loaded for itself (headroom {})",
                               core::plural(fleet.files.size(), "log"),
                               fleet.headroom)};
  if (fleet.unreadable != 0) {
    facts.sources.push_back(
        fmt::format("{} could not be read", core::plural(fleet.unreadable, "file")));
  }
  for (const FleetSpan& span : fleet.demands) {
    if (!span.region.empty()) {
      facts.heaps.push_back(fill_of(fleet, span));
    }
  }
  facts.said = fleet.diagnostics;
  return facts;
}

emit::PageFacts page_facts(const Analysis* analysis,
                           const std::vector<std::string>& settings,
                           const core::Diagnostics& said) {
  emit::PageFacts facts;
  const auto say = [&](const core::Diagnostics& more) {
    for (const core::Diagnostic& one : more) {
      if (!core::is_told(facts.said, one)) {
        facts.said.push_back(one);
      }
    }
  };
  say(said);
  if (analysis != nullptr) {
    facts.sources = sources_of(*analysis);
    for (const CoreSizing& core : analysis->sizing.cores) {
      for (const Demand& demand : core.demands) {
        if (!demand.region.empty()) {
          facts.heaps.push_back(fill_of(*analysis, demand));
        }
      }
    }
    say(analysis->sizing.diagnostics);
  }
  for (const std::string& setting : settings) {
    facts.sources.push_back("set: " + core::printable(setting, 80));
  }
  return facts;
}

}  // namespace memsize::app
