// Any bytes as a sizing document: an error, or a recording that can be sized and appended.
#include "memsize/core/file_system.hpp"
#include "memsize/readers/reader.hpp"
#include "memsize/sizing/sizing.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

using memsize::fuzz::require;

namespace {

// One generation with both kinds of heaps, made here: no file is read.
memsize::board::TraceFormat small_format() {
  using memsize::board::HeapRule;
  memsize::board::Generation generation;
  generation.name = "one";
  generation.records = 4;
  generation.fingerprint_record = 3;
  generation.fingerprint_sizes = {memsize::core::Bytes{4096}};
  generation.fixed[3] = {true, {}};
  HeapRule rtos;
  rtos.cacheability = memsize::model::Cacheability::kCacheable;
  rtos.lifetime = memsize::model::Lifetime::kPersistent;
  rtos.kind = HeapRule::Kind::kRtos;
  rtos.align = *memsize::core::Align::make(128);
  rtos.header = memsize::core::Bytes{64};
  rtos.objects = {memsize::core::Bytes{1000}};
  HeapRule linear;
  linear.cacheability = memsize::model::Cacheability::kNonCacheable;
  linear.lifetime = memsize::model::Lifetime::kScratch;
  linear.align = *memsize::core::Align::make(1024);
  generation.heaps = {rtos, linear};
  memsize::board::TraceFormat format;
  format.name = "small";
  format.generations.push_back(std::move(generation));
  return format;
}

}  // namespace

MEMSIZE_FUZZ_TARGET(sizing_document) {
  static const memsize::board::TraceFormat format = small_format();
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  auto recording = memsize::readers::read_text(text, "s.json", "memsize-sizing");
  if (!recording) {
    require(memsize::core::has_errors(recording.error()), "a failure has errors");
    return 0;
  }
  for (const auto& core : recording->cores) {
    for (const auto& instance : core.instances) {
      require(instance.input < recording->inputs.size(), "an instance has an input");
      for (const auto& block : instance.blocks) {
        require(block.size.upper.count() >= 1, "nothing allocates nothing");
        require(block.size.nearest <= block.size.upper, "a size's span is in order");
      }
    }
  }
  for (const bool together : {true, false}) {
    memsize::sizing::Options options;
    options.together = together;
    const auto sizing = memsize::sizing::size_recording(*recording, format, nullptr, options);
    require(sizing.cores.size() == recording->cores.size(), "every core is sized");
    for (const auto& core : sizing.cores) {
      for (const auto& demand : core.demands) {
        require(demand.bound >= demand.requested, "a bound is no less than what was asked for");
        require(demand.figure() >= demand.bound, "the figure is the largest");
      }
    }
  }
  const std::size_t inputs = recording->inputs.size();
  memsize::model::Recording twice = *recording;
  memsize::model::append(twice, std::move(*recording));
  require(twice.inputs.size() == 2 * inputs, "inputs add up");
  return 0;
}
