// What a model computes: its tensors' elements, and which operator reads and writes what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::model {

/// The elements of a tensor; where it lies is a PlannedBlock of the same id.
struct NetworkTensor {
  std::string id;
  /// Of an element, in NumPy's words: "int8"; empty: the report does not say.
  std::string type;
  /// Outermost dimension first; 0: known at run time only.
  std::vector<std::uint64_t> shape;

  friend bool operator==(const NetworkTensor&, const NetworkTensor&) = default;
};

/// One operator of a model.
struct Operator {
  /// As compilers and profiles call it: of a .tflite its index, which heliaAOT keeps.
  std::string id;
  /// In the words of its format: "CONV_2D" of TensorFlow Lite, "QuantConv2d" of ARES, or a custom
  /// operator's own name; empty: nobody says.
  std::string kind;
  /// The operator that runs it, where it is of a subgraph that another one calls; empty: none.
  std::string caller;
  /// Ids of the tensors that it reads and writes, in its order.
  std::vector<std::string> reads;
  std::vector<std::string> writes;
  /// Of its kind, by the format's names: {"stride_h", 2}. What a reader does not know is not here.
  std::vector<std::pair<std::string, std::int64_t>> attributes;
  /// What one step of a quantised value is worth, by the format's names: {"scale_input", 0.5}.
  std::vector<std::pair<std::string, double>> scales;
  /// Further ones that are words: {"weight_residency", "L3_STAGED"}.
  std::vector<std::pair<std::string, std::string>> words;
  /// How often a run goes over its constants: a convolution once for each place of its output, a
  /// fully connected layer once for each row. 0: the report does not say.
  std::uint64_t passes = 0;
  /// Where the report has it; 0: nowhere in particular.
  std::size_t line = 0;

  friend bool operator==(const Operator&, const Operator&) = default;
};

/// As far as a report says it.
struct Network {
  std::vector<NetworkTensor> tensors;
  /// In the order in which they run.
  std::vector<Operator> operators;

  friend bool operator==(const Network&, const Network&) = default;
};

/// The id of a .tflite's tensor or operator: its number, as heliaAOT has it; of further subgraphs
/// behind theirs.
[[nodiscard]] inline std::string tflite_id(std::size_t subgraph, std::size_t number) {
  return subgraph == 0 ? std::to_string(number)
                       : std::to_string(subgraph) + '.' + std::to_string(number);
}

/// The metadata of a .tflite that says where its tensors lie: version, subgraphs, tensors, then an
/// offset of each, -1: the interpreter's own affair (tensorflow/lite/micro/docs/
/// memory_management.md).
inline constexpr std::string_view kTflitePlan = "OfflineMemoryAllocation";
/// Words of 32 bits before the offsets.
inline constexpr std::size_t kTflitePlanHead = 3;

}  // namespace memsize::model
