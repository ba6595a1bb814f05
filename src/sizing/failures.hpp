// Allocations that failed on the target: what the heap needs at least, and what to do.
#pragma once

#include "candidate.hpp"

#include <string>
#include <vector>

namespace memsize::sizing {

/// A failed record whose heap is known.
struct FailedRecord {
  const model::Failure* failure = nullptr;
  board::DemandKey key;
  /// Of the same model, before the failed record, in the same heap.
  core::Bytes earlier;
  std::size_t earlier_records = 0;
  /// At least so much the heap needs: up to that record, or for all of the model's records where
  /// its table is whole (it is printed before anything is allocated).
  core::Bytes least;
  bool is_whole = false;
};

/// The failed records of a core whose class the table of the same model or the format tells.
[[nodiscard]] std::vector<FailedRecord> failed_records(const Work& work,
                                                       const std::string& core,
                                                       const model::CoreRecording* recorded,
                                                       const std::vector<Candidate>& candidates);

/// Raises a demand to what failed in its heap.
void take_failures(const std::vector<FailedRecord>& failed, Demand& demand);

/// One error a failed record, after all demands are there.
void report_failed(const Work& work, const std::vector<FailedRecord>& failed);

/// The failed records that belong to no heap for sure, and everything else that went wrong.
void report_other_failures(const Work& work, const std::vector<FailedRecord>& told);

}  // namespace memsize::sizing
