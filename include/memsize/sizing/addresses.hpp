// Where a trace's addresses lie in a board's heaps: whole addresses, or their low 32 bits where the
// log has no more.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/model/recording.hpp"
#include "memsize/sizing/sizing.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::sizing {

/// Whether the instance's rows do not say if a record is kept between runs.
[[nodiscard]] bool has_form_without_lifetime(const board::TraceFormat& format,
                                             const model::Instance& instance);

/// What is known of a record whose row does not say if it is kept: what its number means, else the
/// heap in which it lies.
struct KnownLifetime {
  model::Lifetime lifetime{};
  /// Null: its number tells.
  const HeapRegion* heap = nullptr;
};

[[nodiscard]] std::optional<KnownLifetime> lifetime_of(const board::TraceFormat& format,
                                                       const board::Generation* generation,
                                                       const std::vector<HeapRegion>& heaps,
                                                       const std::string& core,
                                                       const model::Block& block);

/// The heap of the block's class in which the block lies, or nullptr.
[[nodiscard]] const HeapRegion* heap_around(const std::vector<HeapRegion>& heaps,
                                            const std::string& core,
                                            const model::Block& block,
                                            bool any_lifetime);

/// Whether every address of the recording lies in the heap of its class, and the first record of
/// scratch where its heap begins. False without addresses.
[[nodiscard]] bool addresses_match(const model::Recording& recording,
                                   const board::TraceFormat& format,
                                   const std::vector<HeapRegion>& heaps);

}  // namespace memsize::sizing
