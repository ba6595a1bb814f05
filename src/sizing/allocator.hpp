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

/// An upper bound of the bytes in use after the instances were created one after another: every
/// size at its largest, placed as the heap's allocator places it.
[[nodiscard]] core::Bytes bound_of(const board::HeapRule& rule,
                                   const std::vector<BlockList>& instances);

/// The base of the heap that the blocks' addresses (low 32 bits) imply if it was empty before, or
/// nothing where that is no page boundary: then the heap was not empty or the rule is wrong.
[[nodiscard]] std::optional<std::uint32_t> implied_base(const board::HeapRule& rule,
                                                        const std::vector<BlockList>& instances);

}  // namespace memsize::sizing
