// The allocators of an accelerator's heaps, as arithmetic.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/model/block.hpp"

#include <optional>
#include <vector>

namespace memsize::sizing {

using BlockList = std::vector<const model::Block*>;

/// Bytes in use before the first record of the first instance.
[[nodiscard]] core::Bytes before_records(const board::HeapRule& rule);

/// What every further instance allocates beside its records.
[[nodiscard]] core::Bytes model_objects(const board::HeapRule& rule);

/// What a block takes of the heap, whatever stands behind it.
[[nodiscard]] core::Bytes cost_of(const board::HeapRule& rule, const model::Block& block);

/// What an instance's records and objects take of the heap, whatever instance comes next.
[[nodiscard]] core::Bytes cost_of(const board::HeapRule& rule, const BlockList& blocks);

/// What `cost_of` counts behind the instance's last block, which nothing pads where no instance
/// comes next.
[[nodiscard]] core::Bytes last_padding(const board::HeapRule& rule, const BlockList& blocks);

/// An upper bound of the bytes in use after the instances were created, in whatever order: every
/// size at its largest, placed as the heap's allocator places it. Only where one instance is all
/// there is, and `pad_last` does not ask for it, nothing pads its last block.
[[nodiscard]] core::Bytes bound_of(const board::HeapRule& rule,
                                   const std::vector<BlockList>& instances,
                                   bool pad_last = false);

/// The base of the heap that the blocks' addresses imply if it was empty before, or nothing where
/// that is no page boundary: then the heap was not empty or the rule is wrong. As wide as all of
/// the addresses are.
[[nodiscard]] std::optional<model::PrintedAddress> implied_base(
    const board::HeapRule& rule, const std::vector<BlockList>& instances);

}  // namespace memsize::sizing
