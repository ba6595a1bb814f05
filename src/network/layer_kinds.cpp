// The table of ARES' layers (tools/pytorch_extractor.py), and the shapes of those that only name
// the same elements in another way.
#include "layer_kinds.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace memsize::network {

namespace {

struct KindRow {
  std::string_view name;
  LayerKind kind;
};

constexpr auto kKinds = std::to_array<KindRow>({
    {"QuantIdentity", {Op::kRequantise, "requantize", true, true}},
    {"QuantConv2d", {Op::kConv, "conv2d", false, false}},
    {"QuantLinear", {Op::kLinear, "linear_int8", false, false}},
    {"QuantReLU", {Op::kRelu, "relu", true, true}},
    {"MaxPool2d", {Op::kMaxPool, "maxpool", false, false}},
    {"AvgPool2d", {Op::kAvgPool, "avgpool", false, false}},
    {"GlobalAvgPool", {Op::kGlobalPool, "global_avgpool", false, false}},
    {"AdaptiveAvgPool2d", {Op::kGlobalPool, "global_avgpool", false, false}},
    {"Add", {Op::kAdd, "", false, false}},
    {"QuantAdd", {Op::kAdd, "add", false, false}},
    {"Concatenate", {Op::kConcat, "concat", false, false}},
    {"QuantConcat", {Op::kConcat, "concat", false, false}},
    {"ZeroPad2d", {Op::kPad, "", false, false}},
    {"Flatten", {Op::kView, "", false, false}},
    {"Reshape", {Op::kView, "", false, false}},
    {"Squeeze", {Op::kView, "", false, false}},
    {"Permute", {Op::kView, "transpose_2d", false, false}},
    {"AdaptiveAvgPool1d", {Op::kOther, "adaptive_avgpool1d", false, false}},
    {"LayerNorm", {Op::kOther, "layernorm", true, false}},
    {"RMSNorm", {Op::kOther, "rmsnorm", true, false}},
    {"GroupNorm", {Op::kOther, "groupnorm", true, false}},
    {"GELU", {Op::kOther, "gelu", true, true}},
    {"SiLU", {Op::kOther, "silu", true, true}},
    {"MultiheadSelfAttention", {Op::kOther, "mhsa", false, false}},
    {"Conv1dDepthwise", {Op::kOther, "conv1d_depthwise", true, false}},
    {"SSM", {Op::kOther, "ssm", true, false}},
    {"MambaBlock", {Op::kOther, "mamba_block", true, false}},
    {"MambaWrapper", {Op::kOther, "mamba_wrapper", true, false}},
    {"PositionalEmbedding", {Op::kOther, "positional_embedding", true, false}},
    {"AlternatingAttention", {Op::kOther, "alternating_attention", true, false}},
});

std::optional<std::int64_t> attribute(const model::Operator& op, std::string_view name) {
  for (const auto& [key, value] : op.attributes) {
    if (key == name) {
      return value;
    }
  }
  return std::nullopt;
}

// "shape_0", "shape_1", ...
std::vector<std::int64_t> list(const model::Operator& op, std::string_view name) {
  std::vector<std::int64_t> all;
  while (const auto next = attribute(op, fmt::format("{}_{}", name, all.size()))) {
    all.push_back(*next);
  }
  return all;
}

// Of a dimension counted from the end, too.
std::optional<std::size_t> dimension(std::int64_t number, const Shape& in) {
  const auto count = static_cast<std::int64_t>(in.size());
  const std::int64_t index = number < 0 ? number + count : number;
  return index < 0 || index >= count ? std::nullopt
                                     : std::optional{static_cast<std::size_t>(index)};
}

ViewShape no_view(const Shape& in, std::int64_t number) {
  return {.why_not = fmt::format("{} has no dimension {}", shape_text(in), number)};
}

ViewShape flattened(const model::Operator& op, const Shape& in) {
  const std::int64_t start = attribute(op, "start_dim").value_or(1);
  const auto first = dimension(start, in);
  if (!first) {
    return no_view(in, start);
  }
  const auto at = in.begin() + static_cast<std::ptrdiff_t>(*first);
  ViewShape view{.shape = {in.begin(), at}};
  view.shape.push_back(elements_of({at, in.end()}));
  return view;
}

ViewShape reshaped(const model::Operator& op, const Shape& in) {
  ViewShape view;
  std::optional<std::size_t> open;
  for (const std::int64_t wanted : list(op, "shape")) {
    const bool follows = wanted == -1 && !open;
    if (wanted < 1 && !follows) {
      return {.why_not = fmt::format("a shape cannot have {}", wanted)};
    }
    open = follows ? std::optional{view.shape.size()} : open;
    view.shape.push_back(follows ? 1 : static_cast<std::uint64_t>(wanted));
  }
  const std::uint64_t known = elements_of(view.shape);
  const std::uint64_t all = elements_of(in);
  if (view.shape.empty() || all % known != 0 || (!open && all != known)) {
    return {.why_not = fmt::format("{} elements ({}) cannot have the shape {}",
                                   all,
                                   shape_text(in),
                                   shape_text(view.shape))};
  }
  if (open) {
    view.shape[*open] = all / known;
  }
  return view;
}

ViewShape squeezed(const model::Operator& op, const Shape& in) {
  const auto wanted = attribute(op, "dim");
  if (!wanted) {
    // Every dimension of 1 but the batch.
    ViewShape view{.shape = {in.front()}};
    std::copy_if(in.begin() + 1, in.end(), std::back_inserter(view.shape), [](std::uint64_t size) {
      return size != 1;
    });
    return view;
  }
  const auto at = dimension(*wanted, in);
  if (!at) {
    return no_view(in, *wanted);
  }
  ViewShape view{.shape = in};
  if (view.shape[*at] == 1) {
    view.shape.erase(view.shape.begin() + static_cast<std::ptrdiff_t>(*at));
  }
  return view;
}

ViewShape permuted(const model::Operator& op, const Shape& in) {
  ViewShape view;
  std::vector<std::uint64_t> order;
  for (const std::int64_t wanted : list(op, "dims")) {
    const auto at = dimension(wanted, in);
    if (!at) {
      return no_view(in, wanted);
    }
    view.shape.push_back(in[*at]);
    // Dimensions of 1 may go anywhere: no element moves.
    if (in[*at] != 1) {
      order.push_back(*at);
    }
  }
  Shape before = in;
  Shape after = view.shape;
  std::ranges::sort(before);
  std::ranges::sort(after);
  if (before != after) {
    return {.why_not =
                fmt::format("its dims do not name each dimension of {} once", shape_text(in))};
  }
  view.moves = !std::ranges::is_sorted(order);
  return view;
}

}  // namespace

LayerKind kind_of(std::string_view name) {
  const KindRow* const row = core::find_in(kKinds, name, &KindRow::name);
  return row == nullptr ? LayerKind{} : row->kind;
}

ViewShape view_of(const model::Operator& op, const Shape& in) {
  if (op.kind == "Flatten") {
    return flattened(op, in);
  }
  if (op.kind == "Reshape") {
    return reshaped(op, in);
  }
  return op.kind == "Squeeze" ? squeezed(op, in) : permuted(op, in);
}

}  // namespace memsize::network
