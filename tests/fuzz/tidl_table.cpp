// Any bytes as a console log: an error with its place, or a recording whose parts hold together.
#include "memsize/readers/reader.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

using memsize::fuzz::require;

namespace {

void check_instance(const memsize::model::Instance& instance, std::size_t lines) {
  require(!instance.blocks.empty(), "an instance has blocks");
  require(instance.line >= 1 && instance.line <= lines, "an instance begins in the log");
  const memsize::model::Block* before = nullptr;
  for (const auto& block : instance.blocks) {
    require(before == nullptr || before->record < block.record, "records rise");
    require(block.line >= 1 && block.line <= lines, "a block stands in the log");
    require(block.size.nearest <= block.size.ceiling && block.size.ceiling <= block.size.upper,
            "a size's span is in order");
    require(block.size.upper.count() >= 1, "nothing allocates nothing");
    require(!block.space.empty(), "a block has a space");
    require(block.address_low != 0U, "zero is no address");
    before = &block;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto recording = memsize::readers::read_text(text, "log", "tidl-table");
  if (!recording) {
    require(memsize::core::has_errors(recording.error()), "a failure has errors");
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    for (const auto& problem : recording.error()) {
      // That there is no table at all is said of the whole file.
      const bool whole = problem.code == memsize::core::Code::kReadNoTable ||
                         problem.code == memsize::core::Code::kReadEmpty;
      require((whole && problem.place.line == 0) ||
                  (problem.place.line >= 1 && problem.place.line <= lines),
              "an error has a line");
      const std::string_view shown = problem.place.text.str();
      require(std::all_of(shown.begin(), shown.end(), [](char c) { return c >= 0x20 && c < 0x7F; }),
              "a shown line is printable");
      require(problem.place.column <= shown.size() + 1, "a column lies in its line");
    }
    return 0;
  }
  require(recording->inputs.size() == 1, "one input");
  std::size_t records = 0;
  for (const auto& core : recording->cores) {
    require(!core.instances.empty(), "a core has instances");
    for (const auto& instance : core.instances) {
      check_instance(instance, recording->inputs[0].lines);
      records += instance.blocks.size();
    }
  }
  require(records == recording->inputs[0].records, "records are counted");
  return 0;
}
