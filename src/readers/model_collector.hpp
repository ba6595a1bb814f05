// A model's table is printed two or three times; this tells which prints are one model.
#pragma once

#include "memsize/model/block.hpp"
#include "memsize/readers/reader.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace memsize::readers {

/// The models of one core. Takes its tables in the order of the log. SDK 9 and newer print each
/// twice: without addresses when its records are asked for (TIDL_alloc), and with them when it is
/// initialised (TIDL_init). TIOVX may tell of each record in between (form "requests"). Rows that
/// only one print has are kept: the ring buffer ate the others'. What the log has again, down to
/// its addresses, is kept once and counted: memory grows with what is different only.
class ModelCollector {
 public:
  /// Tables of more models than this are refused: an accelerator has at most 8 priorities of 16
  /// models each, and a log of a day's runs repeats the same ones.
  static constexpr std::size_t kMostModels = 4096;

  ModelCollector(std::string core, const OnModel& on_model);

  /// Rows may stand in any order; each record once. False: there are too many models.
  [[nodiscard]] bool add(model::Instance table);

  /// Every model, in the order in which their last prints began.
  [[nodiscard]] std::vector<model::Instance> finish();

 private:
  [[nodiscard]] std::optional<std::size_t> find_first_print(const model::Instance& later) const;
  /// Whether the requests that wait are those of `table`; then they wait no longer.
  void settle_requests(model::Instance& table);
  void flush_requests();
  void keep(model::Instance instance);

  std::string core_;
  const OnModel& on_model_;
  std::vector<model::Instance> models_;
  /// Where tables stand in models_, by a hash of their rows.
  std::unordered_multimap<std::uint64_t, std::size_t> known_;
  /// Without addresses yet, the latest last. Prints of one model are close to each other.
  std::deque<model::Instance> waiting_;
  std::optional<model::Instance> requests_;
};

}  // namespace memsize::readers
