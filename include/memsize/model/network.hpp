// What a model computes, as far as planning its memory asks: which operator reads what, and how
// often.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memsize::model {

/// One operator of a model.
struct Operator {
  /// As compilers and profiles call it: of a .tflite its index, which heliaAOT keeps.
  std::string id;
  /// Ids of the tensors that it reads, in its order.
  std::vector<std::string> reads;
  /// How often a run goes over its constants: a convolution once for each place of its output, a
  /// fully connected layer once for each row. 0: the report does not say.
  std::uint64_t passes = 0;

  friend bool operator==(const Operator&, const Operator&) = default;
};

}  // namespace memsize::model
