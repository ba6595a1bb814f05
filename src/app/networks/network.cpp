// Reads what lies beside a network's file, so that sizes are known; then has it scheduled.
#include "networks/network.hpp"

#include "memsize/core/bug.hpp"
#include "memsize/core/text.hpp"
#include "memsize/network/tiles.hpp"
#include "memsize/readers/constants_reader.hpp"

#include "networks/arrays.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;
using network::Layer;
using network::Op;

core::Result<network::Shape> shape_of_array(Session& session, const std::string& path) {
  const auto text = session.files.read(path);
  MEMSIZE_TRY(text);
  return readers::read_npy(*text, path).map([](const auto& array) { return array.shape; });
}

core::Result<network::Shape> input_beside(Session& session, const std::string& folder) {
  const std::string path = input_array(session, folder);
  return path.empty() ? network::Shape{} : shape_of_array(session, path);
}

// Whether an array beside the network is that of its layer.
void check_array(Session& session,
                 const std::string& path,
                 const Layer& layer,
                 std::uint64_t elements,
                 core::Diagnostics& errors) {
  const auto shape = shape_of_array(session, path);
  if (!shape) {
    errors.insert(errors.end(), shape.error().begin(), shape.error().end());
  } else if (network::elements_of(*shape) != elements) {
    errors.push_back(core::error(Code::kPlanNetwork,
                                 fmt::format("layer '{}' has {} elements there, the array is {}",
                                             core::printable(layer.name, 60),
                                             elements,
                                             network::shape_text(*shape)),
                                 {path},
                                 "the arrays are those of another run: extract the network again"));
  }
}

// What a layer has in weights/: the file's ending, and how many elements it must have.
struct WantedArray {
  const char* ending = "";
  std::uint64_t elements = 0;
};

core::Result<void> check_weights(Session& session,
                                 const std::string& folder,
                                 const std::vector<Layer>& layers,
                                 model::PlanReport& report) {
  const auto names = session.files.list(folder);
  MEMSIZE_TRY(names);
  core::Diagnostics errors;
  std::vector<std::string> missing;
  for (const Layer& layer : layers) {
    if (layer.op != Op::kConv && layer.op != Op::kLinear) {
      continue;
    }
    const network::TileShape& shape = layer.tile_shape;
    const WantedArray wanted[] = {
        {"_weight_int8.npy",
         shape.out_channels * (shape.in_channels / shape.groups) * shape.kernel_rows *
             shape.kernel_columns},
        {"_bias_fp32.npy", layer.bias == core::Bytes{} ? 0 : shape.out_channels}};
    for (const auto& [ending, elements] : wanted) {
      const std::string name = layer.name + ending;
      if (elements != 0 && std::ranges::binary_search(*names, name)) {
        check_array(session, folder + "/" + name, layer, elements, errors);
      } else if (elements != 0) {
        missing.push_back(name);
      }
    }
  }
  if (!missing.empty()) {
    report.diagnostics.push_back(core::warning(
        Code::kPlanAbridged,
        fmt::format(
            "no '{}' is here{}",
            core::printable(missing.front(), 80),
            missing.size() == 1 ? std::string{} : fmt::format(", nor {} more", missing.size() - 1)),
        {folder},
        "sizes are those of the layers; a program needs the arrays themselves"));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return {};
}

// The shapes that follow, for whoever reads the network.
void keep_shapes(const std::vector<Layer>& layers, model::PlanReport& report) {
  std::map<std::string_view, const Layer*> by_name;
  for (const Layer& layer : layers) {
    by_name.emplace(layer.name, &layer);
  }
  for (model::NetworkTensor& tensor : report.network.tensors) {
    if (const auto found = by_name.find(tensor.id); found != by_name.end()) {
      tensor.shape = found->second->out;
      tensor.type = found->second->element == 1 ? "int8" : "float32";
    }
  }
}

}  // namespace

std::string folder_beside(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string input_array(Session& session, const std::string& folder) {
  for (const char* const test : {"test_case_3", "test_case_1"}) {
    for (const char* const name : {"input_int8", "input_fp32"}) {
      std::string path = fmt::format("{}/test_cases/{}/{}.npy", folder, test, name);
      if (session.files.exists(path)) {
        return path;
      }
    }
  }
  return {};
}

bool is_network(const model::PlanReport& report) {
  return report.format == "ares-network";
}

core::Result<void> complete_network(Session& session, model::PlanReport& report) {
  const std::string folder = folder_beside(report.path);
  const bool is_file =
      session.files.exists(report.path) && !session.files.is_directory(report.path);
  network::Shape input;
  if (is_file) {
    auto beside = input_beside(session, folder);
    MEMSIZE_TRY(beside);
    input = std::move(*beside);
  }
  auto layers = network::layers_of(report, input);
  MEMSIZE_TRY(layers);
  const std::string weights = folder + "/weights";
  if (is_file && session.files.is_directory(weights)) {
    MEMSIZE_TRY(check_weights(session, weights, *layers, report));
  }
  keep_shapes(*layers, report);
  report.missing = "stacks, code and control tables are not in a network_info.json";
  report.blocks = network::blocks_of(network::schedule_of(std::move(*layers), nullptr));
  return {};
}

core::Result<network::Schedule> schedule_network(model::PlanReport& report,
                                                 const board::MemorySet& part,
                                                 network::TileChoice choice) {
  auto layers = network::layers_of(report);
  MEMSIZE_TRY(layers);
  network::Schedule schedule = network::schedule_of(std::move(*layers), &*part.tiles, choice);
  for (const network::Step& step : schedule.steps) {
    const auto wrong = step.tiles ? network::check_tiles(step.shape, *step.tiles, schedule.budget)
                                  : std::vector<std::string>{};
    core::bug_if(!wrong.empty() && choice == network::TileChoice::kBest,
                 wrong.empty() ? "" : wrong.front().c_str());
    if (!wrong.empty()) {
      const Layer& layer = schedule.layers[step.layers.front()];
      schedule.diagnostics.push_back(core::warning(
          Code::kPlanNetwork,
          fmt::format(
              "layer '{}': as ARES cuts it, {}", core::printable(layer.name, 60), wrong.front()),
          {report.path, layer.line},
          "--tiles best cuts it right"));
    }
  }
  report.blocks = network::blocks_of(schedule);
  return schedule;
}

}  // namespace memsize::app
