// A subgraph of a .tflite whose operators run one behind the other.
#pragma once

#include "memsize/model/network.hpp"

#include "plan_problems.hpp"
#include "tflite_operators.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace memsize::readers {

using TfliteIndices = flatbuffers::Vector<std::int32_t>;

[[nodiscard]] inline std::vector<std::int32_t> numbers_in(const TfliteIndices* list) {
  return list == nullptr ? std::vector<std::int32_t>{}
                         : std::vector<std::int32_t>(list->begin(), list->end());
}

/// The first operator that uses or makes a tensor, and the last one.
struct TfliteSpan {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = -1;
  std::uint64_t uses = 0;
};

struct TfliteGraph {
  std::size_t index = 0;
  const tflite::SubGraph* graph = nullptr;
  /// By tensor; empty: nobody runs it.
  std::vector<TfliteSpan> spans = {};
  /// Its steps are [begin, end).
  std::int64_t begin = 0;
  std::int64_t end = 0;
  /// By tensor: the variable that it is the handle of.
  std::map<std::int32_t, std::size_t> handles = {};

  [[nodiscard]] const tflite::Tensor& tensor(std::size_t number) const {
    return *graph->tensors()->Get(static_cast<unsigned>(number));
  }

  [[nodiscard]] const tflite::Operator& op(std::size_t number) const {
    return *graph->operators()->Get(static_cast<unsigned>(number));
  }

  [[nodiscard]] std::string id(std::size_t number) const { return model::tflite_id(index, number); }
};

/// One operator writes a tensor, before others read it, unless it is given. A custom one may read
/// what is its own scratch, as that of Vela does.
void check_tflite_order(const TfliteCodes* codes,
                        const TfliteGraph& of,
                        std::vector<bool> given,
                        const std::vector<bool>& outputs,
                        PlanProblems& problems);

}  // namespace memsize::readers
