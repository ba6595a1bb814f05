// A table of steps: what each computes, where its weights are, how it is cut, and what that takes
// of L1. Steps that do nothing are counted in the head.
#include "report_network.hpp"

#include "memsize/core/text.hpp"

#include "show/table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;
using network::Layer;
using network::Op;
using network::Schedule;
using network::Step;
using network::Tier;
using network::TileKind;
using network::Tiles;

std::string op_text(const Schedule& schedule, const Step& step) {
  std::string text = core::printable(step.op, 40);
  if (step.shape.kernel_rows != 1 || step.shape.kernel_columns != 1 ||
      step.shape.kind == TileKind::kConv || step.shape.kind == TileKind::kPool) {
    text += fmt::format(" {}x{}", step.shape.kernel_rows, step.shape.kernel_columns);
  }
  if (step.shape.kind == TileKind::kDepthwise) {
    text += " dw";
  }
  for (std::size_t i = 1; i < step.layers.size(); ++i) {
    const Op op = schedule.layers[step.layers[i]].op;
    text += op == Op::kRelu ? " +relu" : op == Op::kRequantise ? " +quant" : " +maxpool";
  }
  return text;
}

std::string tile_text(const Schedule& schedule, const Step& step) {
  if (!step.tiles && step.tier == Tier::kL2Full) {
    return network::works_uncut(schedule.layers[step.layers.front()]) ? "none: read in L2"
                                                                      : "none: no program";
  }
  if (!step.tiles) {
    return "-";
  }
  const Tiles& tiles = *step.tiles;
  std::string text;
  if (tiles.slabs > 1) {
    text = fmt::format(
        "{} of {}, ",
        core::plural(tiles.slabs, "slab"),
        core::plural(tiles.slab_rows, step.shape.kind == TileKind::kLinear ? "feature" : "row"));
  }
  switch (step.shape.kind) {
    case TileKind::kLinear:
      return text + core::plural(tiles.channels, "feature");
    case TileKind::kElementwise:
    case TileKind::kAdd:
      return text + core::plural(tiles.channels, "element");
    default:
      break;
  }
  // A global pool sums up pieces of its input.
  const bool is_global = step.shape.kind == TileKind::kGlobalPool;
  text += core::plural(is_global ? tiles.in_rows : tiles.rows, "row");
  if (is_global || tiles.columns < step.shape.out_columns) {
    text +=
        fmt::format(", {}", core::plural(is_global ? tiles.in_columns : tiles.columns, "column"));
  }
  if (step.shape.kind == TileKind::kConv || step.shape.kind == TileKind::kDepthwise) {
    text += tiles.weight_buffers == 0
                ? std::string{", weights in L2"}
                : fmt::format(", {}", core::plural(tiles.channels, "channel"));
  }
  return text;
}

std::uint64_t count_of(const Tiles& tiles) {
  return tiles.slabs * tiles.row_tiles * tiles.column_tiles * tiles.channel_tiles;
}

// What runs in tiles but is weighed elsewhere, by kind.
std::vector<std::uint64_t> fusions_of(const Schedule& schedule) {
  std::vector<std::uint64_t> counts(names_of(network::Fusion{}).size());
  for (const Step& step : schedule.steps) {
    ++counts[static_cast<std::size_t>(step.fusion)];
  }
  return counts;
}

std::string fusions_text(const Schedule& schedule) {
  const std::vector<std::uint64_t> counts = fusions_of(schedule);
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] != 0) {
      parts.push_back(fmt::format("{} {}", counts[i], names_of(network::Fusion{})[i]));
    }
  }
  return parts.empty() ? std::string{"nothing to fuse"} : "fused: " + core::join(parts, ", ");
}

Json tiles_json(const Step& step) {
  const Tiles& tiles = *step.tiles;
  Json json = {{"rows", tiles.rows},
               {"columns", tiles.columns},
               {"channels", tiles.channels},
               {"input_rows", tiles.in_rows},
               {"input_columns", tiles.in_columns},
               {"row_tiles", tiles.row_tiles},
               {"column_tiles", tiles.column_tiles},
               {"channel_tiles", tiles.channel_tiles},
               {"input_bytes", tiles.input.count()},
               {"output_bytes", tiles.output.count()},
               {"weight_bytes", tiles.weights.count()},
               {"weight_buffers", tiles.weight_buffers},
               {"l1_bytes", tiles.l1.count()}};
  if (tiles.slabs > 1) {
    json["slabs"] = tiles.slabs;
    json["slab_rows"] = tiles.slab_rows;
    json["slab_input_rows"] = tiles.slab_halo_rows;
    json["l2_bytes"] = tiles.l2.count();
  }
  return json;
}

Json step_json(const Schedule& schedule, const Step& step) {
  const Layer& layer = schedule.layers[step.layers.front()];
  Json json = {{"name", layer.name},
               {"kind", layer.kind},
               {"op", step.op},
               {"input", layer.in},
               {"output", layer.out},
               {"weight_bytes", layer.weights.count()},
               {"bias_bytes", layer.bias.count()},
               {"macs", layer.macs}};
  if (step.layers.size() > 1) {
    json["fusion"] = std::string{core::name_of(step.fusion)};
    for (const std::size_t fused : step.layers) {
      json["fused"].push_back(schedule.layers[fused].name);
    }
  }
  json.set_if_any("tier", std::string{core::name_of(step.tier)});
  if (layer.weights != core::Bytes{}) {
    json["residency"] = std::string{core::name_of(step.residency)};
  }
  json["does_nothing"] = step.does_nothing;
  if (step.tiles) {
    json["tiles"] = tiles_json(step);
    json["moved_bytes"] = step.cost.bytes;
    json["commands"] = step.cost.commands;
  }
  return json;
}

std::string works_text(const app::Swept& row) {
  if (!row.stuck.empty()) {
    return fmt::format("no: no tile of '{}' fits, and it is not written without",
                       core::printable(row.stuck.front(), 40));
  }
  if (!row.too_small.empty()) {
    return fmt::format("no: {} too small", core::printable(core::join(row.too_small, ", "), 40));
  }
  return row.uncut.empty() ? std::string{"yes"}
                           : fmt::format("yes: {} of {} layers read in L2, '{}' first",
                                         row.uncut.size(),
                                         row.cut + row.uncut.size(),
                                         core::printable(row.uncut.front(), 40));
}

}  // namespace

std::string network_head(const Schedule& schedule) {
  const auto idle = std::ranges::count_if(schedule.steps, [&](const Step& step) {
    return step.does_nothing && schedule.layers[step.layers.front()].op == Op::kRequantise;
  });
  return fmt::format(
      "{}, input {}; {}{}",
      core::plural(schedule.layers.size(), "layer"),
      network::shape_text(schedule.layers.front().out),
      fusions_text(schedule),
      idle == 0 ? std::string{}
                : fmt::format(", {} between equal scales {} nothing",
                              core::plural(static_cast<std::uint64_t>(idle), "requantisation"),
                              idle == 1 ? "does" : "do"));
}

std::string network_text(const Schedule& schedule) {
  Table table;
  table.columns = {{"layer"},
                   {"op"},
                   {"weights", true},
                   {"tier"},
                   {"L1 tile"},
                   {"tiles", true},
                   {fmt::format("L1 bytes of {}", core::format_bytes(schedule.budget.l1)), true},
                   {"moved", true}};
  for (const Step& step : schedule.steps) {
    if (step.does_nothing) {
      continue;
    }
    const Layer& layer = schedule.layers[step.layers.front()];
    const bool has_weights = layer.weights != core::Bytes{};
    table.rows.push_back({core::printable(layer.name, 40),
                          op_text(schedule, step),
                          has_weights ? core::format_bytes(layer.weights) : "-",
                          has_weights ? std::string{core::name_of(step.residency)} : "-",
                          tile_text(schedule, step),
                          step.tiles ? fmt::format("{}", count_of(*step.tiles)) : "-",
                          step.tiles ? core::format_bytes(step.tiles->l1) : "-",
                          step.tiles ? core::format_bytes(core::Bytes{step.cost.bytes}) : "-"});
  }
  const network::TileCost cost = network::cost_of(schedule);
  const std::vector<std::size_t> uncut = network::uncut_layers(schedule);
  const auto in_l2 = std::ranges::count_if(
      uncut, [&](std::size_t layer) { return network::works_uncut(schedule.layers[layer]); });
  return table.text(2) +
         fmt::format("  tiles as {} cuts them: {} move between L2 and L1, in {}{}\n",
                     schedule.choice == network::TileChoice::kAres ? "ARES" : "memsize",
                     core::format_bytes(core::Bytes{cost.bytes}),
                     core::plural(cost.commands, "command"),
                     in_l2 == 0
                         ? std::string{}
                         : fmt::format("; what {} without tiles reads in L2 is not counted",
                                       core::plural(static_cast<std::uint64_t>(in_l2), "layer")));
}

std::string sweep_text(const app::Sweep& sweep, const std::vector<app::Swept>& rows) {
  Table table{.columns = {{core::printable(sweep.knob, 40), true},
                          {"L1 used", true},
                          {"moved", true},
                          {"commands", true},
                          {"L2 used", true},
                          {"works"}}};
  for (const app::Swept& row : rows) {
    table.rows.push_back({fmt::format("{}", row.value),
                          core::format_bytes(row.l1),
                          core::format_bytes(core::Bytes{row.cost.bytes}),
                          fmt::format("{}", row.cost.commands),
                          core::format_bytes(row.l2),
                          works_text(row)});
  }
  return table.text(2);
}

core::Json sweep_json(const app::Sweep& sweep, const std::vector<app::Swept>& rows) {
  core::Json json = {{"knob", sweep.knob}, {"values", core::Json::array()}};
  for (const app::Swept& row : rows) {
    core::Json item = {{"value", row.value},
                       {"works", row.works()},
                       {"l1_bytes", row.l1.count()},
                       {"l2_bytes", row.l2.count()}};
    item["moved_bytes"] = row.cost.bytes;
    item["commands"] = row.cost.commands;
    item.set_if_any("uncut", row.uncut);
    json["values"].push_back(std::move(item));
  }
  return json;
}

core::Json network_json(const Schedule& schedule) {
  const network::TileCost cost = network::cost_of(schedule);
  core::Json json = {{"input", schedule.layers.front().out},
                     {"tiles", std::string{core::name_of(schedule.choice)}},
                     {"l1_bytes", schedule.budget.l1.count()},
                     {"l2_bytes", schedule.budget.l2.count()},
                     {"moved_bytes", cost.bytes},
                     {"commands", cost.commands},
                     {"layers", core::Json::array()}};
  for (const Step& step : schedule.steps) {
    json["layers"].push_back(step_json(schedule, step));
  }
  return json;
}

}  // namespace memsize::cli
