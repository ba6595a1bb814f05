// What blocks cost in a linear heap, which aligns each of them, and in an operating system's, which
// puts a header before each; and the base that the lowest address then implies.
#include "allocator.hpp"

#include <algorithm>

namespace memsize::sizing {

namespace {

using board::HeapRule;
using core::Bytes;
using model::PrintedAddress;

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

Bytes cost_of(const HeapRule& rule, const model::Block& block) {
  const Bytes size = core::align_up(block.size.upper, block.alignment);
  // A linear heap aligns where a block starts.
  return rule.kind == HeapRule::Kind::kRtos ? rtos_block(rule, size)
                                            : core::align_up(size, rule.align);
}

Bytes cost_of(const HeapRule& rule, const BlockList& blocks) {
  Bytes cost = objects_of(rule, rule.objects);
  if (rule.kind == HeapRule::Kind::kLinear) {
    cost = core::align_up(cost, rule.align);
  }
  for (const model::Block* block : blocks) {
    cost += cost_of(rule, *block);
  }
  return cost;
}

Bytes last_padding(const HeapRule& rule, const BlockList& blocks) {
  if (rule.kind == HeapRule::Kind::kRtos || blocks.empty()) {
    return {};
  }
  const model::Block& last = *blocks.back();
  return cost_of(rule, last) - core::align_up(last.size.upper, last.alignment);
}

Bytes bound_of(const HeapRule& rule, const std::vector<BlockList>& instances, bool pad_last) {
  Bytes used = rule.idle + objects_of(rule, rule.transient);
  if (rule.kind == HeapRule::Kind::kLinear && !instances.empty()) {
    used = core::align_up(used, rule.align);
  }
  for (const BlockList& blocks : instances) {
    used += cost_of(rule, blocks);
  }
  return instances.size() == 1 && !pad_last ? used - last_padding(rule, instances.front()) : used;
}

std::optional<PrintedAddress> implied_base(const HeapRule& rule,
                                           const std::vector<BlockList>& instances) {
  std::vector<PrintedAddress> addresses;
  for (const BlockList& blocks : instances) {
    for (const model::Block* block : blocks) {
      if (!block->address) {
        return std::nullopt;
      }
      addresses.push_back(*block->address);
    }
  }
  if (addresses.empty()) {
    return std::nullopt;
  }
  const bool whole =
      std::ranges::all_of(addresses, [](PrintedAddress each) { return each.is_whole(); });
  const auto as_wide = [&](std::uint64_t address) {
    return whole ? PrintedAddress::whole(address) : PrintedAddress::low(address);
  };
  std::uint64_t lowest = as_wide(addresses.front().value()).value();
  for (const PrintedAddress address : addresses) {
    lowest = std::min(lowest, as_wide(address.value()).value());
  }
  const PrintedAddress base = as_wide(lowest - before_records(rule).count());
  return base.value() % kHeapArrayAlign == 0 ? std::optional{base} : std::nullopt;
}

}  // namespace memsize::sizing
