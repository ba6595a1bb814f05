// What ARES' calculators return, by kind of layer: sizes are of one buffer, counts of one slab.
#include "networks/network_emitters.hpp"

namespace memsize::emit {

namespace {

using network::TileKind;
using network::Tiles;
using network::TileShape;

constexpr std::uint64_t kTriple = 3;

void add_spatial(Json& json, const Tiles& tiles) {
  json["num_tiles"] = tiles.row_tiles * tiles.column_tiles;
  json["num_tiles_h"] = tiles.row_tiles;
  json["num_tiles_w"] = tiles.column_tiles;
  json["out_tile_h"] = tiles.rows;
  json["out_tile_w"] = tiles.columns;
  json["l1_input_bytes"] = tiles.input.count();
  json["l1_output_bytes"] = tiles.output.count();
}

void add_slabs(Json& json, const Tiles& tiles, core::Bytes whole) {
  json["l3_tiling_enabled"] = tiles.slabs > 1;
  json["num_l3_tiles"] = tiles.slabs;
  json["l2_buffer_size"] = tiles.slabs > 1 ? tiles.l2.count() : whole.count();
}

core::Bytes whole_image(const TileShape& shape) {
  return core::Bytes{shape.in_rows * shape.in_columns * shape.in_channels +
                     shape.out_rows * shape.out_columns * shape.out_channels};
}

Json conv_config(const TileShape& shape, const Tiles& tiles) {
  Json json;
  const bool caches = tiles.weight_buffers != 0;
  const bool has_slabs = tiles.slabs > 1;
  add_spatial(json, tiles);
  json["tile_h"] = tiles.rows;
  json["tile_w"] = tiles.columns;
  json["tile_h_with_halo"] = tiles.in_rows;
  json["tile_w_with_halo"] = tiles.in_columns;
  json["weight_tiling_enabled"] = caches;
  json["tile_out_ch"] = caches ? tiles.channels : 0;
  json["num_out_ch_tiles"] = caches ? tiles.channel_tiles : 1;
  json["l1_weight_bytes"] = tiles.weights.count();
  json["triple_buffer_weights"] = tiles.weight_buffers == kTriple;
  add_slabs(json, tiles, whole_image(shape));
  json["l3_tile_h"] = has_slabs ? tiles.slab_rows : shape.in_rows;
  json["l3_tile_h_halo"] =
      has_slabs ? tiles.slab_halo_rows : shape.in_rows + 2 * shape.padding_rows;
  return json;
}

Json linear_config(const TileShape& shape, const Tiles& tiles) {
  const std::uint64_t whole = shape.in_channels * shape.out_channels +
                              shape.in_rows * shape.in_channels +
                              shape.in_rows * shape.out_channels * shape.out_element;
  Json json = {{"tile_out_features", tiles.channels},
               {"num_tiles", tiles.channel_tiles},
               {"l1_input_bytes", tiles.input.count()},
               {"l1_output_bytes", tiles.output.count()},
               {"l1_weight_bytes", tiles.weights.count()},
               {"input_features", shape.in_channels},
               {"tile_in_features", 0},
               {"num_k_tiles", 1},
               {"k_tiling_enabled", false},
               {"tile_batch_tokens", 0},
               {"num_m_tiles", 1},
               {"m_tiling_enabled", false},
               {"batch_tokens", 1},
               {"l1_input_cache", false}};
  add_slabs(json, tiles, core::Bytes{whole});
  json["l3_tile_out_features"] = tiles.slabs > 1 ? tiles.slab_rows : shape.out_channels;
  return json;
}

Json pool_config(const TileShape& shape, const Tiles& tiles) {
  Json json;
  add_spatial(json, tiles);
  json["tile_h"] = tiles.in_rows;
  json["tile_w"] = tiles.in_columns;
  json["l1_buffer_bytes"] = tiles.l1.count();
  add_slabs(json, tiles, whole_image(shape));
  json["l3_tile_h"] = tiles.slabs > 1 ? tiles.slab_rows : shape.out_rows;
  json["l3_tile_h_in"] = tiles.slabs > 1 ? tiles.slab_halo_rows : shape.in_rows;
  return json;
}

Json global_config(const TileShape& shape, const Tiles& tiles) {
  constexpr std::uint64_t kSum = 4;
  return {{"tile_h", tiles.in_rows},
          {"tile_w", tiles.in_columns},
          {"in_h", shape.in_rows},
          {"in_w", shape.in_columns},
          {"num_tiles", tiles.row_tiles * tiles.column_tiles},
          {"num_tiles_h", tiles.row_tiles},
          {"num_tiles_w", tiles.column_tiles},
          {"l1_input_bytes", tiles.input.count()},
          {"l1_output_bytes", shape.out_channels},
          {"l1_partial_sum_bytes", kSum * shape.out_channels}};
}

}  // namespace

Json tile_config(const network::Step& step) {
  const Tiles& tiles = *step.tiles;
  switch (step.shape.kind) {
    case TileKind::kConv:
    case TileKind::kDepthwise:
      return conv_config(step.shape, tiles);
    case TileKind::kLinear:
      return linear_config(step.shape, tiles);
    case TileKind::kPool:
      return pool_config(step.shape, tiles);
    case TileKind::kGlobalPool:
      return global_config(step.shape, tiles);
    case TileKind::kConcat:
      return {{"tile_size", tiles.rows * tiles.columns},
              {"num_tiles", tiles.row_tiles * tiles.column_tiles},
              {"l1_buffer_bytes", tiles.l1.count()}};
    default:
      return {{"tile_size", tiles.channels},
              {"num_tiles", tiles.channel_tiles},
              {"l1_buffer_bytes", tiles.l1.count()}};
  }
}

}  // namespace memsize::emit
