// memsize.sizing/1: what was understood, and what follows from it. Read back by
// readers/sizing_document.cpp.
#include "memsize/app/sizing_document.hpp"

#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"
#include "memsize/model/describe.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using sizing::CoreSizing;
using sizing::Demand;

using core::Json;

// A low address is shown above the base of its heap, where that is known.
model::Instance placed(model::Instance instance, const std::vector<Demand>& demands) {
  for (model::Block& block : instance.blocks) {
    const auto demand = std::ranges::find_if(demands, [&](const Demand& candidate) {
      return candidate.key.space == block.space &&
             candidate.key.cacheability == block.cacheability &&
             candidate.key.lifetime == block.lifetime;
    });
    if (block.address && !block.address->is_whole() && demand != demands.end() && demand->base) {
      block.address = block.address->shown_above(*demand->base);
    }
  }
  return instance;
}

Json heap_use_json(const sizing::HeapUse& heap) {
  Json json;
  docs::Writer write{json};
  write.required("source", sizing::name_of(heap.source));
  write.required("size_bytes", heap.size);
  write.optional("address", heap.address);
  write.optional("before_bytes", heap.before);
  write.optional("gaps_bytes", heap.gaps);
  write.optional("left_bytes", heap.left);
  return json;
}

Json demand_json(const Analysis& analysis, const Demand& demand) {
  Json json;
  add_class(json, demand.key);
  docs::Writer write{json};
  write.required("records", demand.records);
  write.required("requested_bytes", demand.requested);
  write.required("bound_bytes", demand.bound);
  write.optional("extent_bytes", demand.extent);
  write.optional("statistics_bytes", demand.statistics);
  write.optional("failed_bytes", demand.failed);
  write.optional("lower_bound", demand.lower_bound);
  write.optional("totals_only", demand.totals_only);
  if (demand.heap) {
    write.required("heap", heap_use_json(*demand.heap));
  }
  if (demand.suggested) {
    write.required("knob", demand.knob);
    write.required("region", demand.region);
    write.required("current_bytes", *demand.current);
    write.required("suggested_bytes", *demand.suggested);
    write.required("granule_bytes", demand.granule);
    write.optional("mmu_bytes", demand.grown);
  }
  write.optional("forecast_bytes", demand.forecast);
  write.optional("caveat", caveat_of(analysis, demand));
  for (const sizing::ForecastStep& step : demand.forecast_steps) {
    docs::Writer item{json["forecast_steps"].push_back({})};
    item.required("what", step.what);
    item.optional("bytes", step.bytes);
  }
  return json;
}

Json core_json(const Analysis& analysis, const CoreSizing& core) {
  Json json;
  docs::Writer write{json};
  write.optional("core", core.core);
  write.required("complete", core.complete);
  Json& instances = json["instances"] = Json::array();
  for (const sizing::InstanceSizing& sizing : core.instances) {
    docs::Writer item{instances.push_back({})};
    item.required("index", instances.size() - 1);
    describe_place(item, sizing.instance);
    item.required("complete", sizing.complete);
    item.optional("missing_records", sizing.missing);
    const model::Instance instance = placed(sizing.instance, core.demands);
    describe_model(item, instance);
  }
  json["demands"] = Json::array();
  for (const Demand& demand : core.demands) {
    json["demands"].push_back(demand_json(analysis, demand));
  }
  json["onchip"] = Json::array();
  for (const sizing::OnChipDemand& demand : core.onchip) {
    docs::Writer item{json["onchip"].push_back({})};
    item.required("space", demand.space);
    item.required("records", demand.records);
    item.required("requested_bytes", demand.requested);
    if (demand.available) {
      item.required("region", demand.region);
      item.required("available_bytes", *demand.available);
    }
  }
  return json;
}

}  // namespace

core::Json sizing_document(const Analysis& analysis) {
  const sizing::Sizing& sizing = analysis.sizing;
  Json json;
  json["schema"] = "memsize.sizing/1";
  json["trace_format"] = sizing.trace_format;
  if (!sizing.generation.empty()) {
    json["generation"] = sizing.generation;
  } else if (!sizing.generations.empty()) {
    json["generations"] = sizing.generations;
  }
  if (analysis.board) {
    json["board"] = analysis.board->name;
  }
  json["headroom"] = sizing::format_headroom(sizing.headroom);
  json["instances"] = sizing.together ? "together" : "apart";
  if (analysis.one_priority) {
    json["one_priority"] = true;
  }
  docs::Writer write{json};
  write.required("inputs", sizing.inputs);
  json["cores"] = Json::array();
  for (const CoreSizing& core : sizing.cores) {
    json["cores"].push_back(core_json(analysis, core));
  }
  write.optional("heaps", analysis.recording.heaps);
  write.optional("pools", analysis.recording.pools);
  write.optional("failures", analysis.recording.failures);
  write.optional("runs", analysis.recording.runs);
  for (const layout::Need& need : analysis.needs) {
    docs::Writer item{json["reservation"].push_back({})};
    item.optional("region", need.region);
    item.optional("knob", need.knob);
    item.required("class", layout::name_of(need.evidence));
    item.required("why", need.why);
    item.optional("need_bytes", need.need);
    item.required("current_bytes", need.current);
    item.required("suggested_bytes", need.suggested);
    item.optional("grown_bytes", need.grown);
  }
  if (analysis.current && analysis.suggested) {
    json["reserved_bytes"] = analysis.current->reserved().count();
    json["suggested_reserved_bytes"] = analysis.suggested->reserved().count();
  }
  json["diagnostics"] = to_json(sizing.diagnostics, true);
  seal(json);
  return json;
}

void add_class(core::Json& json,
               const std::string& space,
               model::Cacheability cacheability,
               std::optional<model::Lifetime> lifetime) {
  json["space"] = space;
  json["cacheability"] = model::name_of(cacheability);
  if (lifetime) {
    json["lifetime"] = model::name_of(*lifetime);
  }
}

std::string caveat_of(const Analysis& analysis, const sizing::Demand& demand) {
  if (!demand.forecast || demand.forecast == demand.suggested || !analysis.board) {
    return {};
  }
  return fmt::format("{} needs {}",
                     analysis.format.titles_of(analysis.board->possible_generations()),
                     core::format_size(*demand.forecast));
}

}  // namespace memsize::app
