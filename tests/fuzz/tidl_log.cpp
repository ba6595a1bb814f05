// Any bytes as a console log: an error with its place, or a recording whose parts hold together.
#include "memsize/readers/reader.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

using memsize::fuzz::is_visible;
using memsize::fuzz::require;

namespace {

void check_instance(const memsize::model::Instance& instance, std::size_t lines) {
  require(!instance.blocks.empty() || !instance.totals.empty(), "an instance has blocks or sums");
  require(instance.times >= 1, "an instance was loaded");
  for (const auto& total : instance.totals) {
    require(total.line >= 1 && total.line <= lines, "a sum stands in the log");
    require(!total.space.empty(), "a sum has a space");
  }
  require(instance.line >= 1 && instance.line <= lines, "an instance begins in the log");
  const memsize::model::Block* before = nullptr;
  for (const auto& block : instance.blocks) {
    require(before == nullptr || before->record < block.record, "records rise");
    require(block.line >= 1 && block.line <= lines, "a block stands in the log");
    require(block.size.nearest <= block.size.ceiling && block.size.ceiling <= block.size.upper,
            "a size's span is in order");
    require(block.size.upper.count() >= 1, "nothing allocates nothing");
    require(!block.space.empty(), "a block has a space");
    before = &block;
  }
}

void check_problems(const memsize::core::Diagnostics& problems, std::size_t lines) {
  using memsize::core::Code;
  for (const auto& problem : problems) {
    // That there is no table at all, or that more is broken, is said of the whole file.
    const bool whole = problem.code == Code::kReadNoTable || problem.code == Code::kReadEmpty ||
                       (problem.code == Code::kReadBadRecord && problem.place.text.empty());
    require((whole && problem.place.line == 0) ||
                (problem.place.line >= 1 && problem.place.line <= lines),
            "a problem has a line");
    const std::string_view shown = problem.place.text.str();
    require(is_visible(shown), "a shown line is printable");
    require(problem.place.column <= shown.size() + 1, "a column lies in its line");
  }
}

template <typename Item>
void check_lines(const std::vector<Item>& items, std::size_t lines) {
  std::size_t before = 0;
  for (const Item& item : items) {
    require(item.line >= 1 && item.line <= lines && item.input == 0, "it stands in the log");
    require(std::is_same_v<Item, memsize::model::HeapReport> || item.line >= before,
            "they stand in order");
    before = item.line;
  }
}

void check_rest(const memsize::model::Recording& recording, std::size_t lines) {
  check_lines(recording.heaps, lines);
  check_lines(recording.failures, lines);
  check_lines(recording.runs, lines);
  for (const auto& heap : recording.heaps) {
    require(!heap.name.empty() && (!heap.free || *heap.free <= heap.size), "a heap holds together");
  }
  for (const auto& failure : recording.failures) {
    require(!failure.text.empty(), "a failure has words");
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(tidl_log) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto recording = memsize::readers::read_text(text, "log", "tidl-log");
  if (!recording) {
    require(memsize::core::has_errors(recording.error()), "a failure has errors");
    check_problems(recording.error(), static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
    return 0;
  }
  require(recording->inputs.size() == 1, "one input");
  const std::size_t lines = recording->inputs[0].lines;
  check_problems(recording->diagnostics, lines);
  check_rest(*recording, lines);
  std::size_t records = 0;
  for (const auto& core : recording->cores) {
    require(!core.instances.empty(), "a core has instances");
    for (const auto& instance : core.instances) {
      check_instance(instance, lines);
      records += instance.blocks.size();
    }
  }
  require(records == recording->inputs[0].records, "records are counted");
  return 0;
}
