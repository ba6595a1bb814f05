// Fusions as the unit tests of ARES have them (codegen/optimization), and what must not be fused.
#include "fuse.hpp"

#include "networks_support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::network::fuse_test {

namespace {

using namespace networks_test;

// Steps that work on one buffer, as ARES' own tests write them; a pool reads it and writes another.
std::vector<Step> specs(const std::vector<std::string>& ops, std::uint64_t tiles = 1) {
  std::vector<Step> steps;
  for (const std::string& op : ops) {
    const bool is_first = steps.empty();
    Step step{.layers = {steps.size()}, .op = op};
    step.is_in_place = !is_first && op != "maxpool";
    step.reads = {is_first ? 1U : 0U};
    step.writes = op == "maxpool" ? 2 : 0;
    if (is_first) {
      step.tiles = Tiles{};
      step.tiles->row_tiles = tiles;
      step.tiles->column_tiles = 1;
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<Fusion> fusions(const std::vector<Step>& steps) {
  std::vector<Fusion> all;
  for (const Step& step : fused(steps)) {
    all.push_back(step.fusion);
  }
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("network");

TEST_CASE("fuse: each pattern, the longest first") {
  using Fusions = std::vector<Fusion>;
  CHECK(fusions(specs({"conv2d", "relu", "requantize"})) == Fusions{Fusion::kConvReluQuant});
  CHECK(fusions(specs({"linear_int8", "relu", "requantize"})) == Fusions{Fusion::kLinearReluQuant});
  CHECK(fusions(specs({"conv2d", "relu", "maxpool"})) == Fusions{Fusion::kConvReluMaxpool});
  CHECK(fusions(specs({"conv2d", "relu"})) == Fusions{Fusion::kConvRelu});
  CHECK(fusions(specs({"linear_int8", "relu"})) == Fusions{Fusion::kLinearRelu});
  CHECK(fusions(specs({"avgpool", "requantize"})) == Fusions{Fusion::kPoolQuant});
  CHECK(fusions(specs({"global_avgpool", "requantize"})) == Fusions{Fusion::kPoolQuant});
  // A pool behind three that match stays alone.
  CHECK(fusions(specs({"conv2d", "relu", "requantize", "maxpool"})) ==
        Fusions{Fusion::kConvReluQuant, Fusion::kNone});
}

TEST_CASE("fuse: a convolution in several tiles keeps its pool apart") {
  const auto steps = fused(specs({"conv2d", "relu", "maxpool"}, 2));
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].fusion == Fusion::kConvRelu);
  CHECK(steps[0].layers == std::vector<std::size_t>{0, 1});
  CHECK(steps[1].op == "maxpool");
}

TEST_CASE("fuse: what is fused names its layers and writes what the last one writes") {
  const auto steps = fused(specs({"conv2d", "relu", "maxpool"}));
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].layers == std::vector<std::size_t>{0, 1, 2});
  CHECK(steps[0].writes == 2);
}

TEST_CASE("fuse: nothing across slabs, other buffers, or what somebody else reads") {
  auto in_slabs = specs({"conv2d", "relu", "requantize"});
  in_slabs[0].tier = Tier::kL3Tiled;
  CHECK(fused(in_slabs).size() == 3);

  auto elsewhere = specs({"conv2d", "relu", "requantize"});
  elsewhere[1].reads = {7};
  CHECK(fused(elsewhere).size() == 3);

  auto apart = specs({"conv2d", "relu", "requantize"});
  apart[2].is_in_place = false;
  CHECK(fusions(apart) == std::vector<Fusion>{Fusion::kConvRelu, Fusion::kNone});

  auto read = specs({"conv2d", "relu", "maxpool"});
  read.push_back({.layers = {3}, .op = "add", .reads = {0, 2}, .writes = 3});
  CHECK(fusions(read) == std::vector<Fusion>{Fusion::kConvRelu, Fusion::kNone, Fusion::kNone});
}

TEST_SUITE_END();

}  // namespace memsize::network::fuse_test
