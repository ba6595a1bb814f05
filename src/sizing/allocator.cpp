#include "allocator.hpp"

#include <algorithm>

namespace memsize::sizing {

namespace {

using board::HeapRule;
using core::Bytes;

// The arrays that heaps live in are page-aligned (app_init.c: aligned(4096)).
constexpr std::uint32_t kHeapArrayAlign = 4096;

Bytes rtos_block(const HeapRule& rule, Bytes size) {
  return core::align_up(size, rule.align) + rule.header;
}

Bytes objects_of(const HeapRule& rule, const std::vector<Bytes>& objects) {
  Bytes total;
  for (const Bytes object : objects) {
    total += rule.kind == HeapRule::Kind::kRtos ? rtos_block(rule, object) : object;
  }
  return total;
}

}  // namespace

Bytes before_records(const HeapRule& rule) {
  return rule.idle + objects_of(rule, rule.transient) + objects_of(rule, rule.objects);
}

Bytes model_objects(const HeapRule& rule) {
  return objects_of(rule, rule.objects);
}

Bytes bound_of(const HeapRule& rule, const std::vector<BlockList>& instances) {
  Bytes used = rule.idle + objects_of(rule, rule.transient);
  for (const BlockList& blocks : instances) {
    used += objects_of(rule, rule.objects);
    for (const model::Block* block : blocks) {
      const Bytes size = core::align_up(block->size.upper, block->alignment);
      // A linear heap aligns where a block starts; its last block is not padded.
      used = rule.kind == HeapRule::Kind::kRtos ? used + rtos_block(rule, size)
                                                : core::align_up(used, rule.align) + size;
    }
  }
  return used;
}

std::optional<std::uint32_t> implied_base(const HeapRule& rule,
                                          const std::vector<BlockList>& instances) {
  std::optional<std::uint32_t> lowest;
  for (const BlockList& blocks : instances) {
    for (const model::Block* block : blocks) {
      if (!block->address_low) {
        return std::nullopt;
      }
      lowest = std::min(lowest.value_or(*block->address_low), *block->address_low);
    }
  }
  if (!lowest) {
    return std::nullopt;
  }
  const auto base = static_cast<std::uint32_t>(*lowest - before_records(rule).count());
  return base % kHeapArrayAlign == 0 ? std::optional{base} : std::nullopt;
}

}  // namespace memsize::sizing
