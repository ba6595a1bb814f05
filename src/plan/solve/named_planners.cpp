// One first-fit loop in the orders of three planners. The one that aligns only the total is given
// items without alignment; its plan then proves nothing unless it happens to be aligned.
#include "memsize/plan/named_planners.hpp"

#include "greedy_occupied.hpp"
#include "instance.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace memsize::plan {

namespace {

constexpr std::array kRows = {
    NamedPlannerRow{NamedPlanner::kFirstFit,
                    "first-fit",
                    "as ARES: by first step, then size; no alignment but the arena's"},
    NamedPlannerRow{
        NamedPlanner::kGreedy, "greedy", "as heliaAOT: by first step, into the first free block"},
    NamedPlannerRow{NamedPlanner::kBySize,
                    "by-size",
                    "as TensorFlow Lite: the largest first, each in the first hole"},
};

constexpr std::uint64_t kFirstFitGranule = 4;

std::vector<std::size_t> order_for(NamedPlanner planner,
                                   const Instance& instance,
                                   const std::vector<Buffer>& buffers) {
  std::vector<std::size_t> order(instance.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto sort_by = [&](auto key) {
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const bool fixed_a = instance.items[a].fixed >= 0;
      const bool fixed_b = instance.items[b].fixed >= 0;
      return fixed_a != fixed_b ? fixed_a : key(a) < key(b);
    });
  };
  const auto first_step = [&](std::size_t i) { return buffers[instance.buffers[i]].lower; };
  switch (planner) {
    case NamedPlanner::kFirstFit:
      sort_by([&](std::size_t i) { return std::pair(first_step(i), -instance.items[i].size); });
      break;
    case NamedPlanner::kGreedy:
      sort_by(first_step);
      break;
    case NamedPlanner::kBySize:
      sort_by([&](std::size_t i) { return -instance.items[i].size; });
      break;
  }
  return order;
}

}  // namespace

std::span<const NamedPlannerRow> named_planners() {
  return kRows;
}

std::optional<NamedPlanner> planner_named(std::string_view name) {
  for (const NamedPlannerRow& row : kRows) {
    if (row.name == name) {
      return row.planner;
    }
  }
  return std::nullopt;
}

Packing pack_with(NamedPlanner planner, const std::vector<Buffer>& buffers) {
  Instance instance = make_instance(buffers);
  if (planner == NamedPlanner::kFirstFit) {
    for (Item& item : instance.items) {
      item.alignment = 1;
    }
  }
  Packing packing;
  packing.lower_bound = in_bytes(instance, lower_bound(instance));
  if (fixed_collide(instance)) {
    packing.proof = Proof::kInfeasible;
    return packing;
  }
  packing.offsets.resize(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    packing.offsets[i] = buffers[i].offset.value_or(core::Bytes{});
  }
  // Where buffers are taken by first step, those that are alive when one begins are all that it can
  // meet, so holes among them are what a list of free blocks has.
  Occupied occupied(instance);
  std::int64_t height = 0;
  for (const std::size_t i : order_for(planner, instance, buffers)) {
    const Item& item = instance.items[i];
    const std::int64_t offset = item.fixed >= 0 ? item.fixed : occupied.first_gap(i);
    occupied.add(i, offset);
    height = std::max(height, offset + item.size);
    packing.offsets[instance.buffers[i]] = in_bytes(instance, offset);
  }
  packing.height = in_bytes(instance, height);
  if (planner == NamedPlanner::kFirstFit) {
    packing.height = core::align_up(packing.height, *core::Align::make(kFirstFitGranule));
  }
  // A plan that breaks alignments may well be lower than any that does not.
  bool straight = true;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    straight = straight && core::is_aligned(packing.offsets[i], buffers[i].alignment);
  }
  packing.proof = straight && packing.height == packing.lower_bound ? Proof::kBound : Proof::kBest;
  packing.steps = instance.items.size();
  return packing;
}

}  // namespace memsize::plan
