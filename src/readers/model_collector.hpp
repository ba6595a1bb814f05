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

/// What tables with the same rows have in common, as a number.
[[nodiscard]] std::uint64_t hash_of(const model::Instance& table);

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

  /// Rows may stand in any order; each record once. `refused`: a record of it could not be
  /// allocated. False: there are too many models.
  [[nodiscard]] bool add(model::Instance table, bool refused);

  /// A record of the table that came last could not be allocated.
  void refuse_last();

  /// Where the first print of a model begins whose table is still being printed.
  [[nodiscard]] std::size_t first_line_of(model::Instance table) const;

  /// Every model, in the order in which their last prints began.
  [[nodiscard]] std::vector<model::Instance> finish();

 private:
  struct Waiting {
    model::Instance table;
    /// A record of it could not be allocated: whoever tries again prints it again.
    bool refused = false;
  };

  [[nodiscard]] std::optional<std::size_t> find_first_print(const model::Instance& later) const;
  /// A refused table that is the same but for its place: the attempt before this one.
  void forget_attempt(const model::Instance& table);
  /// Whether the requests that wait are those of `table`; then they wait no longer.
  void settle_requests(model::Instance& table);
  void flush_requests();
  /// `first_line`: where its first print begins.
  void keep(model::Instance instance, std::size_t first_line);

  std::string core_;
  const OnModel& on_model_;
  std::vector<model::Instance> models_;
  /// Where tables stand in models_, by a hash of their rows.
  std::unordered_multimap<std::uint64_t, std::size_t> known_;
  /// Without addresses yet, the latest last. Prints of one model are close to each other.
  std::deque<Waiting> waiting_;
  std::optional<model::Instance> requests_;
};

}  // namespace memsize::readers
