// Numbers of kinds are those of schema.fbs; what came later than this list is called by its number.
#include "tflite_operators.hpp"

#include "memsize/core/text.hpp"

#include "tflite_kinds.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

namespace memsize::readers {

std::size_t tflite_number(const TfliteCodes* codes, const tflite::Operator& each) {
  if (codes == nullptr || each.opcode_index() >= codes->size()) {
    return std::numeric_limits<std::size_t>::max();
  }
  const tflite::OperatorCode& code = *codes->Get(each.opcode_index());
  return static_cast<std::size_t>(
      std::max<std::int32_t>({code.deprecated_builtin_code(), code.builtin_code(), 0}));
}

std::string tflite_kind(const TfliteCodes* codes, const tflite::Operator& each) {
  constexpr std::size_t kLongestKind = 60;
  const std::size_t number = tflite_number(codes, each);
  if (number == std::numeric_limits<std::size_t>::max()) {
    return {};
  }
  const auto* const custom = codes->Get(each.opcode_index())->custom_code();
  if (number == kCustomOperator && custom != nullptr) {
    return core::printable(custom->str(), kLongestKind);
  }
  return number < kTfliteOperators.size() ? std::string{kTfliteOperators[number]}
                                          : fmt::format("builtin {}", number);
}

void add_tflite_attributes(const tflite::Operator& each, model::Operator& added) {
  const auto add = [&](const char* name, std::int64_t value) {
    added.attributes.emplace_back(name, value);
  };
  const auto add_strides = [&](const auto& options) {
    add("padding", options.padding());
    add("stride_h", options.stride_h());
    add("stride_w", options.stride_w());
  };
  if (const auto* conv = each.builtin_options_as_Conv2DOptions()) {
    add_strides(*conv);
    add("dilation_h_factor", conv->dilation_h_factor());
    add("dilation_w_factor", conv->dilation_w_factor());
    add("fused_activation_function", conv->fused_activation_function());
  } else if (const auto* depthwise = each.builtin_options_as_DepthwiseConv2DOptions()) {
    add_strides(*depthwise);
    add("depth_multiplier", depthwise->depth_multiplier());
    add("dilation_h_factor", depthwise->dilation_h_factor());
    add("dilation_w_factor", depthwise->dilation_w_factor());
    add("fused_activation_function", depthwise->fused_activation_function());
  } else if (const auto* pool = each.builtin_options_as_Pool2DOptions()) {
    add_strides(*pool);
    add("filter_height", pool->filter_height());
    add("filter_width", pool->filter_width());
    add("fused_activation_function", pool->fused_activation_function());
  } else if (const auto* dense = each.builtin_options_as_FullyConnectedOptions()) {
    add("fused_activation_function", dense->fused_activation_function());
  }
}

}  // namespace memsize::readers
