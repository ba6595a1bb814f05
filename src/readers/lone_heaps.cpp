// A core of which nothing but one heap is heard may be another core whose name was damaged. That is
// told only where another core lacks this very heap.
#include "lone_heaps.hpp"

#include "memsize/core/text.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::HeapReport;

// How often each core is heard of.
std::map<std::string, std::size_t> heard_in(const model::Recording& recording) {
  std::map<std::string, std::size_t> heard;
  const auto hear = [&](const auto& items) {
    for (const auto& item : items) {
      ++heard[item.core];
    }
  };
  hear(recording.cores);
  hear(recording.heaps);
  hear(recording.failures);
  hear(recording.runs);
  return heard;
}

// What a damaged letter leaves of a name may be none any more.
bool is_named(const HeapReport& heap) {
  return core::is_identifier(heap.core);
}

// Whether the heap may be the one that is missing of a core's. What only resembles the core's name
// may be another core's: most of the heaps must be there then.
bool lacks(const model::Recording& recording, const std::string& core, const HeapReport& heap) {
  std::size_t others = 0;
  for (const HeapReport& other : recording.heaps) {
    if (other.core == core && other.source == heap.source) {
      if (other.name == heap.name) {
        return false;
      }
      ++others;
    }
  }
  return others > (is_named(heap) ? 1U : 0U);
}

core::Diagnostic lone(const HeapReport& heap,
                      const std::vector<std::string>& cores,
                      const std::string& meant,
                      core::Place place) {
  if (!is_named(heap)) {
    return core::warning(Code::kReadNoPrefix,
                         fmt::format("whose heap {} is cannot be read", heap.name),
                         std::move(place),
                         fmt::format("the name before it was damaged: {} lacks this heap",
                                     core::join(cores, " or ")));
  }
  return core::warning(
      Code::kReadNoPrefix,
      fmt::format("nothing but this heap {} is heard of a core '{}'", heap.name, heap.core),
      std::move(place),
      fmt::format("{} A letter of its name was damaged", meant));
}

}  // namespace

void tell_lone_heaps(const std::string& path, model::Recording& recording) {
  const std::map<std::string, std::size_t> heard = heard_in(recording);
  for (const HeapReport& heap : recording.heaps) {
    if (heard.at(heap.core) != 1) {
      continue;
    }
    std::vector<std::string> cores;
    std::vector<std::string> hardly_heard;
    for (const auto& [core, times] : heard) {
      if (core::is_identifier(core) && lacks(recording, core, heap)) {
        (times > 1 ? cores : hardly_heard).push_back(core);
      }
    }
    if (cores.empty()) {
      cores = std::move(hardly_heard);
    }
    const std::string meant = core::did_you_mean(heap.core, cores);
    if (is_named(heap) ? !meant.empty() : !cores.empty()) {
      recording.diagnostics.push_back(lone(heap, cores, meant, {path, heap.line}));
    }
  }
}

}  // namespace memsize::readers
