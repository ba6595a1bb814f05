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

class SpecWriter {
 public:
  SpecWriter(const Schedule& schedule, const Step& step, std::size_t index)
      : schedule_(schedule),
        step_(step),
        layer_(schedule.layers[step.layers.front()]),
        index_(index) {}

  Json run() {
    spec_["name"] = layer_.name;
    spec_["c_name"] = schedule_.c_names[step_.layers.front()];
    spec_["type"] = layer_.kind;
    spec_.set_if_any("block_id", layer_.block);
    spec_["op"] = step_.op;
    add_buffers();
    add_shapes();
    add_scales();
    add_weights();
    if (step_.tier != network::Tier::kNone) {
      spec_["memory_tier"] = std::string{core::name_of(step_.tier)};
    }
    if (step_.tiles) {
      spec_["tile_config"] = tile_config(step_);
    }
    add_fusion();
    return std::move(spec_);
  }

 private:
  [[nodiscard]] const std::string& buffer(std::size_t index) const {
    return schedule_.buffers[index].c_name;
  }

  void add_buffers() {
    if (step_.is_in_place) {
      spec_["buffer"] = buffer(step_.writes);
      return;
    }
    if (layer_.op == Op::kConcat) {
      for (const std::size_t read : step_.reads) {
        spec_["input_buffers"].push_back(buffer(read));
      }
    } else if (layer_.op == Op::kAdd && step_.reads.size() == 2) {
      spec_["input1_buffer"] = buffer(step_.reads.front());
      spec_["input2_buffer"] = buffer(step_.reads.back());
    } else if (step_.reads.size() == 1) {
      spec_["input_buffer"] = buffer(step_.reads.front());
    } else {
      for (const std::size_t read : step_.reads) {
        spec_["input_buffers"].push_back(buffer(read));
      }
    }
    spec_["output_buffer"] = buffer(step_.writes);
    for (const std::size_t slab : step_.slabs) {
      const std::string& name = schedule_.buffers[slab].name;
      const std::string what = name.substr(layer_.name.size() + 1);
      spec_[what == "in_slab"    ? "input_slab_buffer"
            : what == "out_slab" ? "output_slab_buffer"
                                 : what + "_buffer"] = buffer(slab);
    }
  }

  void add_shapes() {
    const TileShape& shape = step_.shape;
    switch (layer_.op) {
      case Op::kConv:
        add_image();
        spec_["in_ch"] = shape.in_channels;
        spec_["out_ch"] = shape.out_channels;
        spec_["groups"] = shape.groups;
        break;
      case Op::kLinear:
        spec_["in_features"] = shape.in_channels;
        spec_["out_features"] = shape.out_channels;
        spec_["batch_tokens"] = shape.in_rows;
        spec_["is_classifier"] = layer_.element != 1;
        break;
      case Op::kMaxPool:
      case Op::kAvgPool:
        add_image();
        spec_["channels"] = shape.in_channels;
        break;
      case Op::kGlobalPool:
        spec_["batch"] = 1;
        spec_["channels"] = shape.in_channels;
        spec_["height"] = shape.in_rows;
        spec_["width"] = shape.in_columns;
        break;
      case Op::kAdd:
        spec_["size"] = network::elements_of(layer_.out);
        break;
      case Op::kConcat:
        add_concat();
        break;
      case Op::kInput:
      case Op::kRelu:
      case Op::kRequantise:
        spec_["numel"] = network::elements_of(layer_.out);
        break;
      default:
        spec_["input_shape"] = layer_.in;
        spec_["output_shape"] = layer_.out;
        break;
    }
  }

  void add_image() {
    const TileShape& shape = step_.shape;
    spec_["in_h"] = shape.in_rows;
    spec_["in_w"] = shape.in_columns;
    spec_["out_h"] = shape.out_rows;
    spec_["out_w"] = shape.out_columns;
    spec_["kernel_h"] = shape.kernel_rows;
    spec_["kernel_w"] = shape.kernel_columns;
    spec_["stride_h"] = shape.stride_rows;
    spec_["stride_w"] = shape.stride_columns;
    spec_["pad_h"] = shape.padding_rows;
    spec_["pad_w"] = shape.padding_columns;
  }

  void add_concat() {
    const TileShape& shape = step_.shape;
    spec_["num_inputs"] = step_.reads.size();
    for (const std::size_t read : layer_.reads) {
      spec_["channels_per_input"].push_back(schedule_.layers[read].out[1]);
      spec_["input_scales"].push_back(schedule_.layers[read].scale_out);
    }
    spec_["total_channels"] = shape.out_channels;
    spec_["height"] = shape.in_rows;
    spec_["width"] = shape.in_columns;
    spec_["spatial_size"] = shape.in_rows * shape.in_columns;
  }

  void add_scales() {
    switch (layer_.op) {
      case Op::kInput:
      case Op::kRequantise:
        spec_["scale_in"] = layer_.scale_in;
        spec_["scale_out"] = layer_.scale_out;
        spec_["skip_requant"] = step_.does_nothing;
        break;
      case Op::kRelu:
        spec_["scale"] = layer_.scale_out;
        spec_["scale_in"] = layer_.scale_in;
        spec_["scale_out"] = layer_.scale_out;
        spec_["needs_requant"] = layer_.scale_in != layer_.scale_out;
        break;
      case Op::kAdd:
        spec_["scale_x1"] = schedule_.layers[layer_.reads.front()].scale_out;
        spec_["scale_x2"] = schedule_.layers[layer_.reads.back()].scale_out;
        spec_["scale_output"] = layer_.scale_out;
        break;
      case Op::kConv:
      case Op::kLinear:
        spec_["scale_weight"] = layer_.scale_weight;
        [[fallthrough]];
      case Op::kAvgPool:
      case Op::kGlobalPool:
      case Op::kOther:
        spec_["scale_input"] = layer_.scale_in;
        spec_["scale_output"] = layer_.element == 1 ? Json(layer_.scale_out) : Json{};
        break;
      default:
        break;
    }
  }

  void add_weights() {
    if (layer_.weights == core::Bytes{}) {
      return;
    }
    constexpr std::uint64_t kBytesOfBias = 4;
    spec_["weight_elements"] = layer_.weights.count();
    spec_["weight_size_bytes"] = layer_.weights.count();
    spec_["weight_index"] = index_;
    spec_["bias_elements"] = layer_.bias.count() / kBytesOfBias;
    spec_["bias_type"] = layer_.element == 1 ? "int32" : "fp32";
    spec_["bias_index"] = layer_.bias == core::Bytes{} ? Json{} : Json(index_ + 1);
    if (layer_.op == Op::kLinear) {
      spec_["has_bias"] = layer_.bias != core::Bytes{};
      spec_["is_streamed"] = step_.residency == network::Residency::kL3Staged;
    }
    spec_["weight_residency"] = std::string{core::name_of(step_.residency)};
    if (layer_.op == Op::kConv) {
      spec_["activation_residency"] = "L2";
    }
  }

  void add_fusion() {
    for (const std::size_t index : step_.layers) {
      const Layer& fused = schedule_.layers[index];
      if (&fused == &layer_) {
        continue;
      }
      if (fused.op == Op::kRelu) {
        spec_["fusion_relu"] = true;
        if (layer_.op == Op::kLinear) {
          spec_["relu_output_scale"] = fused.scale_out;
        }
      } else if (fused.op == Op::kRequantise) {
        spec_["fusion_quant"] = true;
        spec_["quant_scale_in"] = fused.scale_in;
        spec_["quant_scale_out"] = fused.scale_out;
      } else {
        add_pool(fused);
      }
    }
  }

  void add_pool(const Layer& pool) {
    spec_["fusion_maxpool"] = true;
    spec_["pool_kernel_h"] = pool.tile_shape.kernel_rows;
    spec_["pool_kernel_w"] = pool.tile_shape.kernel_columns;
    spec_["pool_stride_h"] = pool.tile_shape.stride_rows;
    spec_["pool_stride_w"] = pool.tile_shape.stride_columns;
    spec_["pool_out_h"] = pool.tile_shape.out_rows;
    spec_["pool_out_w"] = pool.tile_shape.out_columns;
    spec_["fused_out_h"] = pool.tile_shape.out_rows;
    spec_["fused_out_w"] = pool.tile_shape.out_columns;
    spec_["fused_output_buffer"] = buffer(step_.writes);
  }

  const Schedule& schedule_;
  const Step& step_;
  const Layer& layer_;
  std::size_t index_;
  Json spec_;
};

}  // namespace

Json layer_spec(const Schedule& schedule, const Step& step, std::size_t index) {
  return SpecWriter{schedule, step, index}.run();
}

}  // namespace memsize::emit
