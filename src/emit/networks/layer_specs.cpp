// The keys of ARES' layer_specs (generate_c_code.py, codegen/layers): what every spec has, then
// what its operation needs, then what fusion adds. Buffers go by their names in C.
#include "memsize/core/find.hpp"

#include "networks/network_emitters.hpp"

#include <algorithm>

namespace memsize::emit {

namespace {

using network::Fusion;
using network::Layer;
using network::Op;
using network::Schedule;
using network::Step;
using network::TileShape;

const std::string& buffer_name(const Schedule& schedule, std::size_t index) {
  return schedule.buffers[index].c_name;
}

void add_buffers(const Schedule& schedule, const Step& step, const Layer& layer, Json& spec) {
  if (step.is_in_place) {
    spec["buffer"] = buffer_name(schedule, step.writes);
    return;
  }
  if (layer.op == Op::kConcat) {
    for (const std::size_t read : step.reads) {
      spec["input_buffers"].push_back(buffer_name(schedule, read));
    }
  } else if (layer.op == Op::kAdd && step.reads.size() == 2) {
    spec["input1_buffer"] = buffer_name(schedule, step.reads.front());
    spec["input2_buffer"] = buffer_name(schedule, step.reads.back());
  } else if (step.reads.size() == 1) {
    spec["input_buffer"] = buffer_name(schedule, step.reads.front());
  } else {
    for (const std::size_t read : step.reads) {
      spec["input_buffers"].push_back(buffer_name(schedule, read));
    }
  }
  spec["output_buffer"] = buffer_name(schedule, step.writes);
  for (const std::size_t slab : step.slabs) {
    const std::string& name = schedule.buffers[slab].name;
    const std::string what = name.substr(layer.name.size() + 1);
    spec[what == "in_slab"    ? "input_slab_buffer"
         : what == "out_slab" ? "output_slab_buffer"
                              : what + "_buffer"] = buffer_name(schedule, slab);
  }
}

void add_image(const TileShape& shape, Json& spec) {
  spec["in_h"] = shape.in_rows;
  spec["in_w"] = shape.in_columns;
  spec["out_h"] = shape.out_rows;
  spec["out_w"] = shape.out_columns;
  spec["kernel_h"] = shape.kernel_rows;
  spec["kernel_w"] = shape.kernel_columns;
  spec["stride_h"] = shape.stride_rows;
  spec["stride_w"] = shape.stride_columns;
  spec["pad_h"] = shape.padding_rows;
  spec["pad_w"] = shape.padding_columns;
}

void add_concat(const Schedule& schedule, const Step& step, const Layer& layer, Json& spec) {
  const TileShape& shape = step.shape;
  spec["num_inputs"] = step.reads.size();
  for (const std::size_t read : layer.reads) {
    spec["channels_per_input"].push_back(schedule.layers[read].out[1]);
    spec["input_scales"].push_back(schedule.layers[read].scale_out);
  }
  spec["total_channels"] = shape.out_channels;
  spec["height"] = shape.in_rows;
  spec["width"] = shape.in_columns;
  spec["spatial_size"] = shape.in_rows * shape.in_columns;
}

void add_shapes(const Schedule& schedule, const Step& step, const Layer& layer, Json& spec) {
  const TileShape& shape = step.shape;
  switch (layer.op) {
    case Op::kConv:
      add_image(shape, spec);
      spec["in_ch"] = shape.in_channels;
      spec["out_ch"] = shape.out_channels;
      spec["groups"] = shape.groups;
      break;
    case Op::kLinear:
      spec["in_features"] = shape.in_channels;
      spec["out_features"] = shape.out_channels;
      spec["batch_tokens"] = shape.in_rows;
      spec["is_classifier"] = layer.element != 1;
      break;
    case Op::kMaxPool:
    case Op::kAvgPool:
      add_image(shape, spec);
      spec["channels"] = shape.in_channels;
      break;
    case Op::kGlobalPool:
      spec["batch"] = 1;
      spec["channels"] = shape.in_channels;
      spec["height"] = shape.in_rows;
      spec["width"] = shape.in_columns;
      break;
    case Op::kAdd:
      spec["size"] = network::elements_of(layer.out);
      break;
    case Op::kConcat:
      add_concat(schedule, step, layer, spec);
      break;
    case Op::kInput:
    case Op::kRelu:
    case Op::kRequantise:
      spec["numel"] = network::elements_of(layer.out);
      break;
    default:
      spec["input_shape"] = layer.in;
      spec["output_shape"] = layer.out;
      break;
  }
}

void add_scales(const Schedule& schedule, const Layer& layer, bool does_nothing, Json& spec) {
  switch (layer.op) {
    case Op::kInput:
    case Op::kRequantise:
      spec["scale_in"] = layer.scale_in;
      spec["scale_out"] = layer.scale_out;
      spec["skip_requant"] = does_nothing;
      break;
    case Op::kRelu:
      spec["scale"] = layer.scale_out;
      spec["scale_in"] = layer.scale_in;
      spec["scale_out"] = layer.scale_out;
      spec["needs_requant"] = layer.scale_in != layer.scale_out;
      break;
    case Op::kAdd:
      spec["scale_x1"] = schedule.layers[layer.reads.front()].scale_out;
      spec["scale_x2"] = schedule.layers[layer.reads.back()].scale_out;
      spec["scale_output"] = layer.scale_out;
      break;
    case Op::kConv:
    case Op::kLinear:
      spec["scale_weight"] = layer.scale_weight;
      [[fallthrough]];
    case Op::kAvgPool:
    case Op::kGlobalPool:
    case Op::kOther:
      spec["scale_input"] = layer.scale_in;
      spec["scale_output"] = layer.element == 1 ? Json(layer.scale_out) : Json{};
      break;
    default:
      break;
  }
}

void add_weights(const Layer& layer, network::Residency residency, std::size_t index, Json& spec) {
  if (layer.weights == core::Bytes{}) {
    return;
  }
  constexpr std::uint64_t kBytesOfBias = 4;
  spec["weight_elements"] = layer.weights.count();
  spec["weight_size_bytes"] = layer.weights.count();
  spec["weight_index"] = index;
  spec["bias_elements"] = layer.bias.count() / kBytesOfBias;
  spec["bias_type"] = layer.element == 1 ? "int32" : "fp32";
  spec["bias_index"] = layer.bias == core::Bytes{} ? Json{} : Json(index + 1);
  if (layer.op == Op::kLinear) {
    spec["has_bias"] = layer.bias != core::Bytes{};
    spec["is_streamed"] = residency == network::Residency::kL3Staged;
  }
  spec["weight_residency"] = std::string{core::name_of(residency)};
  if (layer.op == Op::kConv) {
    spec["activation_residency"] = "L2";
  }
}

void add_pool(const Layer& pool, const std::string& output, Json& spec) {
  spec["fusion_maxpool"] = true;
  spec["pool_kernel_h"] = pool.tile_shape.kernel_rows;
  spec["pool_kernel_w"] = pool.tile_shape.kernel_columns;
  spec["pool_stride_h"] = pool.tile_shape.stride_rows;
  spec["pool_stride_w"] = pool.tile_shape.stride_columns;
  spec["pool_out_h"] = pool.tile_shape.out_rows;
  spec["pool_out_w"] = pool.tile_shape.out_columns;
  spec["fused_out_h"] = pool.tile_shape.out_rows;
  spec["fused_out_w"] = pool.tile_shape.out_columns;
  spec["fused_output_buffer"] = output;
}

void add_fusion(const Schedule& schedule, const Step& step, const Layer& layer, Json& spec) {
  for (const std::size_t index : step.layers) {
    const Layer& fused = schedule.layers[index];
    if (&fused == &layer) {
      continue;
    }
    if (fused.op == Op::kRelu) {
      spec["fusion_relu"] = true;
      if (layer.op == Op::kLinear) {
        spec["relu_output_scale"] = fused.scale_out;
      }
    } else if (fused.op == Op::kRequantise) {
      spec["fusion_quant"] = true;
      spec["quant_scale_in"] = fused.scale_in;
      spec["quant_scale_out"] = fused.scale_out;
    } else {
      add_pool(fused, buffer_name(schedule, step.writes), spec);
    }
  }
}

}  // namespace

Json layer_spec(const Schedule& schedule, const Step& step, std::size_t index) {
  const Layer& layer = schedule.layers[step.layers.front()];
  Json spec;
  spec["name"] = layer.name;
  spec["c_name"] = schedule.c_names[step.layers.front()];
  spec["type"] = layer.kind;
  spec.set_if_any("block_id", layer.block);
  spec["op"] = step.op;
  add_buffers(schedule, step, layer, spec);
  add_shapes(schedule, step, layer, spec);
  add_scales(schedule, layer, step.does_nothing, spec);
  add_weights(layer, step.residency, index, spec);
  if (step.tier != network::Tier::kNone) {
    spec["memory_tier"] = std::string{core::name_of(step.tier)};
  }
  if (step.tiles) {
    spec["tile_config"] = tile_config(step);
  }
  add_fusion(schedule, step, layer, spec);
  return spec;
}

}  // namespace memsize::emit
