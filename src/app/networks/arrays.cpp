// Reads the arrays that a network's program is made of.
#include "networks/arrays.hpp"

#include "memsize/core/text.hpp"
#include "memsize/readers/constants_reader.hpp"

#include "networks/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;
using network::Layer;

constexpr std::string_view kInt8 = "|i1";
constexpr std::string_view kFloat = "<f4";

class ArrayReader {
 public:
  ArrayReader(Session& session, const network::Schedule& schedule)
      : session_(session), schedule_(schedule) {}

  core::Result<NetworkArrays> run(const std::string& folder) {
    const Folder weights = list(folder + "/weights");
    for (const Layer& layer : schedule_.layers) {
      if (auto bytes = take(weights, layer.name + "_weight_int8.npy", kInt8)) {
        arrays_.data.weights.emplace(layer.name, std::move(*bytes));
      }
      if (auto bytes = take(weights, layer.name + "_bias_fp32.npy", kFloat)) {
        arrays_.data.biases.emplace(layer.name, floats_of(*bytes));
      }
    }
    if (const std::string input = input_array(session_, folder); !input.empty()) {
      read_test(input);
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(arrays_);
  }

 private:
  // A layer's name is part of a path only where the folder has such a file.
  struct Folder {
    std::string path;
    std::vector<std::string> names;
  };

  Folder list(std::string path) {
    Folder folder{std::move(path), {}};
    if (session_.files.is_directory(folder.path)) {
      folder.names = session_.files.list(folder.path).value_or(std::vector<std::string>{});
    }
    return folder;
  }

  // The array's bytes; nothing where there is no such file.
  std::optional<std::string> take(const Folder& folder,
                                  const std::string& name,
                                  std::string_view type) {
    if (!std::ranges::binary_search(folder.names, name)) {
      return std::nullopt;
    }
    const std::string path = folder.path + "/" + name;
    const auto text = session_.files.read(path);
    const auto array = text ? readers::read_npy(*text, path)
                            : core::Result<readers::NpyArray>{tl::make_unexpected(text.error())};
    if (!array) {
      errors_.insert(errors_.end(), array.error().begin(), array.error().end());
      return std::nullopt;
    }
    if (array->type != type) {
      errors_.push_back(core::error(
          Code::kEmitData,
          fmt::format(
              "the array is of type '{}', not '{}'", core::printable(array->type, 20), type),
          {path},
          "extract the network again"));
      return std::nullopt;
    }
    arrays_.paths.push_back(path);
    return std::string{array->bytes};
  }

  static std::vector<float> floats_of(const std::string& bytes) {
    std::vector<float> floats(bytes.size() / sizeof(float));
    std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
    return floats;
  }

  void read_test(const std::string& input) {
    const Folder test = list(folder_beside(input));
    if (input.ends_with("_int8.npy")) {
      arrays_.data.input = take(test, "input_int8.npy", kInt8).value_or(std::string{});
    } else if (const auto bytes = take(test, "input_fp32.npy", kFloat)) {
      arrays_.data.input = quantised(floats_of(*bytes));
    }
    const Folder goldens = list(test.path + "/intermediate_int8");
    for (const Layer& layer : schedule_.layers) {
      if (auto bytes = take(goldens, layer.name + "_int8.npy", kInt8)) {
        arrays_.data.goldens.emplace(layer.name, std::move(*bytes));
      }
    }
    const Layer& last = schedule_.layers[schedule_.steps.back().layers.back()];
    if (auto bytes = last.element == 1 ? std::nullopt : take(test, "output_fp32.npy", kFloat)) {
      arrays_.data.goldens.insert_or_assign(last.name, std::move(*bytes));
    }
  }

  // To the nearest, of two the even one, as NumPy rounds.
  [[nodiscard]] std::string quantised(const std::vector<float>& values) const {
    const auto scale = static_cast<float>(schedule_.layers.front().scale_out);
    std::string bytes;
    for (const float value : values) {
      const float whole = std::nearbyint(value / scale);
      bytes += static_cast<char>(
          std::isnan(whole) ? 0 : static_cast<int>(std::clamp(whole, -128.0F, 127.0F)));
    }
    return bytes;
  }

  Session& session_;
  const network::Schedule& schedule_;
  NetworkArrays arrays_;
  core::Diagnostics errors_;
};

}  // namespace

core::Result<NetworkArrays> read_network_arrays(Session& session,
                                                const std::string& folder,
                                                const network::Schedule& schedule) {
  return ArrayReader{session, schedule}.run(folder);
}

}  // namespace memsize::app
