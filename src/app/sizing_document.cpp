// memsize.sizing/1: what was understood, and what follows from it. Read back by
// readers/sizing_document.cpp.
#include "memsize/app/sizing_document.hpp"

#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"

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

template <typename Item>
void add_size(Json& json, const Item& item) {
  json["size_bytes"] = item.size.nearest.count();
  if (!item.size.printed_kib.empty()) {
    json["printed_kib"] = item.size.printed_kib;
  }
}

Json total_json(const model::ClassTotal& total) {
  Json json;
  add_class(json, total);
  add_size(json, total);
  json["line"] = total.line;
  return json;
}

// What is known of a model beside its blocks.
void add_instance_facts(Json& json, const model::Instance& instance) {
  if (!instance.form.empty()) {
    json["form"] = instance.form;
  }
  if (instance.priority) {
    json["priority"] = *instance.priority;
  }
  if (instance.times != 1) {
    json["times"] = instance.times;
  }
  for (const model::ClassTotal& total : instance.totals) {
    json["totals"].push_back(total_json(total));
  }
}

// Which input, in which line, and of which core.
template <typename Item>
Json origin_json(const Item& item) {
  Json json;
  json["input"] = item.input;
  json["line"] = item.line;
  if (!item.core.empty()) {
    json["core"] = item.core;
  }
  return json;
}

Json heap_json(const model::HeapReport& heap) {
  Json json = origin_json(heap);
  json["source"] = model::name_of(heap.source);
  json["name"] = heap.name;
  json["size_bytes"] = heap.size.count();
  if (heap.address) {
    json["address"] = fmt::format("0x{:x}", heap.address->value());
  }
  if (heap.free) {
    json["free_bytes"] = heap.free->count();
  }
  return json;
}

Json failure_json(const model::Failure& failure) {
  Json json = origin_json(failure);
  json["kind"] = model::name_of(failure.kind);
  json["message"] = failure.text;
  if (failure.record) {
    json["record"] = *failure.record;
  }
  if (!failure.space.empty()) {
    add_class(json, failure.space, failure.cacheability, std::nullopt);
  }
  if (failure.size) {
    json["size_bytes"] = failure.size->count();
  }
  return json;
}

Json run_json(const model::RunReport& run) {
  Json json = origin_json(run);
  const auto add = [&](const char* key, const std::optional<double>& measure) {
    if (measure) {
      json[key] = *measure;
    }
  };
  add("init_ms", run.init_ms);
  if (run.executions != 0) {
    json["executions"] = run.executions;
  }
  add("execution_ms", run.execution_ms);
  add("read_mb", run.read_mb);
  add("written_mb", run.written_mb);
  return json;
}

Json input_json(const model::Input& input) {
  Json json = {{"path", input.path},
               {"format", input.format},
               {"lines", input.lines},
               {"records", input.records}};
  if (input.broken_rows != 0) {
    json["broken_rows"] = input.broken_rows;
  }
  if (input.emulated) {
    json["emulated"] = true;
  }
  if (!input.copies.empty()) {
    json["copies"] = input.copies;
  }
  return json;
}

// Adds the key only if there is something to list.
template <typename Item>
void add_list(Json& json,
              const char* key,
              const std::vector<Item>& items,
              Json (*item)(const Item&)) {
  for (const Item& one : items) {
    json[key].push_back(item(one));
  }
}

Json block_json(const model::Block& block, const Demand* demand) {
  Json json;
  json["record"] = block.record;
  add_class(json, block);
  json["alignment"] = block.alignment.value();
  add_size(json, block);
  if (block.address) {
    std::uint64_t address = block.address->value();
    if (block.address->is_whole()) {
      json["address_bits"] = 64;
    } else if (demand != nullptr && demand->base) {
      address = demand->base->value() + block.address->offset_from(*demand->base).count();
    }
    json["address"] = fmt::format("0x{:x}", address);
  }
  json["line"] = block.line;
  return json;
}

void add_bytes(Json& json, const char* key, const std::optional<core::Bytes>& size) {
  if (size) {
    json[key] = size->count();
  }
}

Json heap_use_json(const sizing::HeapUse& heap) {
  Json json = {{"source", sizing::name_of(heap.source)}, {"size_bytes", heap.size.count()}};
  if (heap.address) {
    json["address"] = fmt::format("0x{:x}", heap.address->value());
  }
  add_bytes(json, "before_bytes", heap.before);
  add_bytes(json, "gaps_bytes", heap.gaps);
  add_bytes(json, "left_bytes", heap.left);
  return json;
}

Json demand_json(const Analysis& analysis, const Demand& demand) {
  Json json;
  add_class(json, demand.key);
  json["records"] = demand.records;
  json["requested_bytes"] = demand.requested.count();
  json["bound_bytes"] = demand.bound.count();
  if (demand.extent) {
    json["extent_bytes"] = demand.extent->count();
  }
  add_bytes(json, "statistics_bytes", demand.statistics);
  add_bytes(json, "failed_bytes", demand.failed);
  if (demand.lower_bound) {
    json["lower_bound"] = true;
  }
  if (demand.totals_only) {
    json["totals_only"] = true;
  }
  if (demand.heap) {
    json["heap"] = heap_use_json(*demand.heap);
  }
  if (demand.suggested) {
    json["knob"] = demand.knob;
    json["region"] = demand.region;
    json["current_bytes"] = demand.current->count();
    json["suggested_bytes"] = demand.suggested->count();
    json["granule_bytes"] = demand.granule.value();
    if (demand.grown.count() != 0) {
      json["mmu_bytes"] = demand.grown.count();
    }
  }
  if (demand.forecast) {
    json["forecast_bytes"] = demand.forecast->count();
  }
  if (std::string caveat = caveat_of(analysis, demand); !caveat.empty()) {
    json["caveat"] = std::move(caveat);
  }
  for (const sizing::ForecastStep& step : demand.forecast_steps) {
    Json item = {{"what", step.what}};
    if (step.bytes) {
      item["bytes"] = *step.bytes;
    }
    json["forecast_steps"].push_back(std::move(item));
  }
  return json;
}

Json core_json(const Analysis& analysis, const CoreSizing& core) {
  Json json;
  if (!core.core.empty()) {
    json["core"] = core.core;
  }
  json["complete"] = core.complete;
  json["instances"] = Json::array();
  for (std::size_t i = 0; i < core.instances.size(); ++i) {
    const sizing::InstanceSizing& instance = core.instances[i];
    Json item;
    item["index"] = i;
    item["input"] = instance.instance.input;
    item["line"] = instance.instance.line;
    item["complete"] = instance.complete;
    if (!instance.missing.empty()) {
      item["missing_records"] = instance.missing;
    }
    add_instance_facts(item, instance.instance);
    item["blocks"] = Json::array();
    for (const model::Block& block : instance.instance.blocks) {
      const auto demand = std::ranges::find_if(core.demands, [&](const Demand& candidate) {
        return candidate.key.space == block.space &&
               candidate.key.cacheability == block.cacheability &&
               candidate.key.lifetime == block.lifetime;
      });
      item["blocks"].push_back(
          block_json(block, demand == core.demands.end() ? nullptr : &*demand));
    }
    json["instances"].push_back(std::move(item));
  }
  json["demands"] = Json::array();
  for (const Demand& demand : core.demands) {
    json["demands"].push_back(demand_json(analysis, demand));
  }
  json["onchip"] = Json::array();
  for (const sizing::OnChipDemand& demand : core.onchip) {
    Json item = {{"space", demand.space},
                 {"records", demand.records},
                 {"requested_bytes", demand.requested.count()}};
    if (demand.available) {
      item["region"] = demand.region;
      item["available_bytes"] = demand.available->count();
    }
    json["onchip"].push_back(std::move(item));
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
  json["inputs"] = Json::array();
  for (const model::Input& input : sizing.inputs) {
    json["inputs"].push_back(input_json(input));
  }
  json["cores"] = Json::array();
  for (const CoreSizing& core : sizing.cores) {
    json["cores"].push_back(core_json(analysis, core));
  }
  add_list(json, "heaps", analysis.recording.heaps, heap_json);
  add_list(json, "failures", analysis.recording.failures, failure_json);
  add_list(json, "runs", analysis.recording.runs, run_json);
  if (analysis.current && analysis.suggested) {
    json["reserved_bytes"] = analysis.current->reserved().count();
    json["suggested_reserved_bytes"] = analysis.suggested->reserved().count();
  }
  json["diagnostics"] = to_json(sizing.diagnostics);
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
