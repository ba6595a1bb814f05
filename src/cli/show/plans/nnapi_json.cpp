// What a log of NNAPI says, as a part of the plan's document: sums, and everything that was
// printed. What the text does not say, or has in part only, has no key.
#include "memsize/core/text.hpp"

#include "report_nnapi.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace memsize::cli {

namespace {

using core::Json;
using network::NnArgumentUse;
using network::NnEventUse;
using network::NnModelUse;
using network::NnPoolUse;
using network::NnRequestUse;
using network::NnRoleUse;

constexpr std::size_t kLongestWord = 200;

Json word_json(std::string_view word) {
  return core::printable(word, kLongestWord);
}

void set_word(Json& json, std::string_view key, std::string_view word) {
  if (!word.empty()) {
    json[key] = word_json(word);
  }
}

Json role_json(const NnRoleUse& use) {
  return {{"count", use.count}, {"bytes", use.bytes.count()}, {"unknown", use.unknown}};
}

// Where something is missing nobody knows what a hole is.
Json pool_json(const NnPoolUse& pool, bool has_all) {
  Json json = Json::object();
  json.set_if_any("index", pool.index);
  set_word(json, "name", pool.name.value_or(""));
  json.set_if_any("size_bytes", pool.size, &core::Bytes::count);
  json["count"] = pool.count;
  json["bytes"] = pool.bytes.count();
  json["covered_bytes"] = pool.covered.count();
  json["shared_bytes"] = pool.shared().count();
  if (has_all) {
    json["hole_bytes"] = pool.holes().count();
  }
  return json;
}

Json numbers_json(const std::vector<std::uint64_t>& numbers) {
  return Json::array(numbers, [](std::uint64_t number) { return Json(number); });
}

Json argument_json(const NnArgumentUse& argument) {
  Json json = {{"is_output", argument.is_output}, {"index", argument.index}};
  set_word(json, "kind", argument.kind);
  json.set_if_any("pool", argument.pool);
  json.set_if_any("offset", argument.offset, &core::Bytes::count);
  json.set_if_any("length_bytes", argument.length, &core::Bytes::count);
  json.set_if_any("padding_bytes", argument.padding, &core::Bytes::count);
  if (!argument.dimensions.empty()) {
    json["dimensions"] = numbers_json(argument.dimensions);
  }
  return json;
}

Json operand_json(const model::NnOperand& operand, const std::optional<core::Bytes>& bytes) {
  Json json = Json::object();
  set_word(json, "type", operand.type);
  json["dimensions"] = numbers_json(operand.dimensions.items);
  if (!operand.dimensions.is_whole) {
    json["is_whole"] = false;
  }
  set_word(json, "lifetime", operand.lifetime);
  json.set_if_any("bytes", bytes, &core::Bytes::count);
  json.set_if_any("consumers", operand.consumers);
  json.set_if_any("scale", operand.scale);
  json.set_if_any("zero_point", operand.zero_point);
  json.set_if_any("pool", operand.location.pool);
  json.set_if_any("offset", operand.location.offset);
  json.set_if_any("length_bytes", operand.location.length);
  json.set_if_any("padding_bytes", operand.location.padding);
  if (operand.channel_scales) {
    json["channel_scales"] =
        Json::array(operand.channel_scales->items, [](double scale) { return Json(scale); });
  }
  json.set_if_any("channel_dimension", operand.channel_dimension);
  json["line"] = operand.line;
  return json;
}

Json operation_json(const model::NnOperation& operation) {
  Json json = Json::object();
  set_word(json, "type", operation.type);
  json["inputs"] = numbers_json(operation.inputs.items);
  json["outputs"] = numbers_json(operation.outputs.items);
  if (!operation.inputs.is_whole || !operation.outputs.is_whole) {
    json["is_whole"] = false;
  }
  json["line"] = operation.line;
  return json;
}

Json graph_json(const model::NnSubgraph& graph,
                const std::vector<std::optional<core::Bytes>>& bytes) {
  Json json = {{"operands", Json::array()},
               {"operations", Json::array(graph.operations.items, operation_json)},
               {"inputs", numbers_json(graph.inputs.items)},
               {"outputs", numbers_json(graph.outputs.items)}};
  for (std::size_t i = 0; i < graph.operands.items.size(); ++i) {
    json["operands"].push_back(operand_json(graph.operands.items[i], bytes.at(i)));
  }
  if (!graph.operands.is_whole || !graph.operations.is_whole || !graph.inputs.is_whole ||
      !graph.outputs.is_whole) {
    json["is_whole"] = false;
  }
  return json;
}

Json model_json(const NnModelUse& model, const model::NnLog& log) {
  Json json = {{"hal", model.hal},
               {"line", model.line},
               {"times", model.times},
               {"is_whole", model.is_whole},
               {"operands", model.operands},
               {"operations", model.operations},
               {"graphs", model.subgraphs + 1}};
  json.set_if_any("announced_operands", model.announced_operands);
  json.set_if_any("announced_operations", model.announced_operations);
  json.set_if_any("operand_values_bytes", model.values_size, &core::Bytes::count);
  json.set_if_any("operand_values", model.values, [&](const NnPoolUse& pool) {
    return pool_json(pool, model.has_operands);
  });
  json["pools"] = Json::array(
      model.pools, [&](const NnPoolUse& pool) { return pool_json(pool, model.has_operands); });
  json["inputs"] = role_json(model.inputs);
  json["outputs"] = role_json(model.outputs);
  json["temporaries"] = role_json(model.temporaries);
  json["runtime_layout_bytes"] = model.laid_out_by_runtime.count();
  const model::NnModel& printed = log.models[model.index];
  json["main"] = graph_json(printed.main, model.operand_bytes.front());
  for (std::size_t i = 0; i < printed.referenced.size(); ++i) {
    json["referenced"].push_back(graph_json(printed.referenced[i], model.operand_bytes.at(i + 1)));
  }
  return json;
}

Json request_json(const NnRequestUse& request, const model::NnRequest& printed) {
  Json pools = Json::array();
  for (const NnPoolUse& pool : request.pools) {
    Json json = pool_json(pool, request.is_whole);
    const std::uint64_t index = pool.index.value_or(UINT64_MAX);
    if (index < printed.pools.items.size()) {
      json.set_if_any("token", printed.pools.items[static_cast<std::size_t>(index)].token);
    }
    pools.push_back(std::move(json));
  }
  return {{"line", request.line},
          {"is_whole", request.is_whole},
          {"arguments", Json::array(request.arguments, argument_json)},
          {"pools", std::move(pools)},
          {"not_preferred", request.not_preferred},
          {"preferred_extra_bytes", request.preferred_extra.count()}};
}

Json value_json(const model::NnValue& value) {
  using Kind = model::NnValue::Kind;
  Json json = {{"operand", value.operand}};
  if (value.kind != Kind::kUnknown) {
    json["kind"] = value.kind == Kind::kCopied  ? "copied"
                   : value.kind == Kind::kLarge ? "large"
                                                : "memory";
  }
  json.set_if_any("size_bytes", value.size);
  json.set_if_any("offset", value.offset);
  return json;
}

Json events_json(const NnEventUse& events, const model::NnEvents& printed) {
  Json json = Json::object();
  set_word(json, "process", events.process);
  set_word(json, "device", events.device);
  json["copied"] = role_json(events.copied);
  json["large"] = role_json(events.large);
  json["from_memory"] = role_json(events.from_memory);
  json.set_if_any("large_pool_bytes", events.large_pool, &core::Bytes::count);
  json.set_if_any("copied_end", events.copied_end, &core::Bytes::count);
  json["arguments"] = Json::array(events.arguments, argument_json);
  json.set_if_any("between_devices_bytes", events.between_devices, &core::Bytes::count);
  json["failed_executions"] = events.failed;
  json["values"] = Json::array(events.values, value_json);
  json["temporaries"] = Json::array(printed.temporaries, [](const model::NnTemporary& temporary) {
    return Json{{"model", temporary.model},
                {"operand", temporary.operand},
                {"offset", temporary.offset},
                {"padded_bytes", temporary.padded_length},
                {"is_constant", temporary.is_constant},
                {"is_dynamic", temporary.is_dynamic}};
  });
  json["tokens"] = Json::array(printed.tokens, [](const model::NnTokenEvent& token) {
    return Json{{"is_added", token.is_added}, {"token", token.token}};
  });
  return json;
}

}  // namespace

Json nnapi_json(const network::NnAccount& account, const model::NnLog& log) {
  Json json = {{"models", Json::array()}, {"requests", Json::array()}, {"events", Json::array()}};
  for (const NnModelUse& model : account.models) {
    json["models"].push_back(model_json(model, log));
  }
  for (std::size_t i = 0; i < account.requests.size(); ++i) {
    json["requests"].push_back(request_json(account.requests[i], log.requests.at(i)));
  }
  for (std::size_t i = 0; i < account.events.size(); ++i) {
    json["events"].push_back(events_json(account.events[i], log.events.at(i)));
  }
  return json;
}

}  // namespace memsize::cli
