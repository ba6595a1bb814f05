// What a printed size can stand for, in hundredths of a KiB printed by way of a float; recordings
// joined, and put into an order that no command line decides.
#include "memsize/model/block.hpp"
#include "memsize/model/recording.hpp"

#include "content.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::model {

namespace {

constexpr std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

}  // namespace

MeasuredSize measured_kib(std::uint64_t hundredths) {
  // One hundredth of a KiB is 10.24 B; its half is 512 hundredths of a byte.
  const std::uint64_t centibytes = hundredths * 1024;
  MeasuredSize size;
  size.nearest = core::Bytes{(centibytes + 50) / 100};
  size.ceiling = core::Bytes{divide_up(centibytes, 100)};
  // A float has 24 bits of precision: from 2^24 B on, its last place is worth 2^(bits - 24) bytes.
  constexpr int kFloatPrecision = 24;
  const auto bits = static_cast<int>(std::bit_width(size.ceiling.count()));
  const std::uint64_t half_ulp = bits > kFloatPrecision ? 1ULL << (bits - kFloatPrecision - 1) : 0;
  size.upper = core::Bytes{std::max<std::uint64_t>(divide_up(centibytes + 512, 100) + half_ulp, 1)};
  size.printed_kib = fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
  return size;
}

MeasuredSize measured_exactly(core::Bytes size) {
  return MeasuredSize{size, size, std::max(size, core::Bytes{1}), {}};
}

namespace {

// Everything of `more`, its inputs counted on from `first_input`.
template <typename Item>
void append_items(std::vector<Item>& items, std::vector<Item>& more, std::size_t first_input) {
  for (Item& item : more) {
    item.input += first_input;
    items.push_back(std::move(item));
  }
}

template <typename Item>
void sort_items(std::vector<Item>& items, const std::vector<std::size_t>& place_of) {
  for (Item& item : items) {
    item.input = place_of.at(item.input);
  }
  std::ranges::stable_sort(items, [](const Item& a, const Item& b) {
    return std::pair{a.input, a.line} < std::pair{b.input, b.line};
  });
}

}  // namespace

void append(Recording& recording, Recording more) {
  const std::size_t first_input = recording.inputs.size();
  if (recording.headroom.empty()) {
    recording.headroom = std::move(more.headroom);
  }
  if (recording.instances.empty()) {
    recording.instances = std::move(more.instances);
  }
  recording.has_reservation = recording.has_reservation || more.has_reservation;
  if (!recording.one_priority) {
    recording.one_priority = more.one_priority;
  }
  std::move(more.inputs.begin(), more.inputs.end(), std::back_inserter(recording.inputs));
  std::move(
      more.diagnostics.begin(), more.diagnostics.end(), std::back_inserter(recording.diagnostics));
  append_items(recording.heaps, more.heaps, first_input);
  append_items(recording.pools, more.pools, first_input);
  append_items(recording.failures, more.failures, first_input);
  append_items(recording.runs, more.runs, first_input);
  for (CoreRecording& added : more.cores) {
    auto core = std::ranges::find_if(recording.cores,
                                     [&](const CoreRecording& c) { return c.core == added.core; });
    if (core == recording.cores.end()) {
      core = recording.cores.insert(core, {added.core, {}});
    }
    append_items(core->instances, added.instances, first_input);
  }
}

void sort(Recording& recording) {
  // What an input says is one number only if its cores stand in one order.
  std::ranges::sort(recording.cores,
                    [](const CoreRecording& a, const CoreRecording& b) { return a.core < b.core; });
  // Inputs of one path are told apart by what they say.
  const std::vector<std::uint64_t> content = contents_of(recording, Lines::kCount);
  std::vector<std::size_t> order(recording.inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t input) {
    const Input& of = recording.inputs[input];
    return std::tuple{std::string_view{of.path}, of.lines, of.records, content[input]};
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<std::size_t> place_of(order.size());
  std::vector<Input> inputs;
  for (std::size_t place = 0; place < order.size(); ++place) {
    place_of[order[place]] = place;
    inputs.push_back(std::move(recording.inputs[order[place]]));
  }
  recording.inputs = std::move(inputs);
  for (CoreRecording& core : recording.cores) {
    sort_items(core.instances, place_of);
  }
  sort_items(recording.heaps, place_of);
  sort_items(recording.pools, place_of);
  sort_items(recording.failures, place_of);
  sort_items(recording.runs, place_of);
  core::sort_by_place(recording.diagnostics);
}

}  // namespace memsize::model
