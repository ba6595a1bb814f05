// Any bytes as what an image or a network's program printed, and as what a linker wrote: they are
// read, or refused, and nothing is invented.
#include "memsize/runtime/report.hpp"

#include "check.hpp"
#include "image.hpp"
#include "network_judge.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

using memsize::fuzz::require;

namespace {

// Of a program of two steps.
memsize::runtime::NetworkResult judged(const std::string& output) {
  static const memsize::emit::NetworkProgram program = {.steps = {{.name = "a"}, {.name = "b"}}};
  static const memsize::model::PlanReport plan;
  static const memsize::board::MemorySet part;
  memsize::runtime::NetworkResult result;
  memsize::runtime::judge_network(
      {program, plan, part, {}},
      {{memsize::runtime::DmaTiming::kNow, output, {}}},
      [](std::uint64_t /*address*/) { return std::string{}; },
      result);
  return result;
}

}  // namespace

MEMSIZE_FUZZ_TARGET(runtime_output) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const memsize::runtime::Report report = memsize::runtime::parse_report(text);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  require(
      report.findings.size() + report.blocks.size() + report.parts.size() + report.strange_lines <=
          lines,
      "a line is one event");
  require((report.strange_lines == 0) == report.strange.empty(), "the first strange line is kept");
  // A line that is none changes nothing but their number, wherever the run ended.
  const memsize::runtime::Report more = memsize::runtime::parse_report("?\n" + text);
  require(more.strange_lines == report.strange_lines + 1 && more.verdict == report.verdict &&
              more.findings.size() == report.findings.size(),
          "a strange line is only counted");

  const memsize::runtime::NetworkResult network = judged(text);
  require(network.compared <= lines && network.steps <= lines, "a line is one layer or step");
  for (const memsize::core::Diagnostic& found : network.findings) {
    const bool is_plain =
        std::ranges::none_of(found.message, [](char c) { return c >= 0 && c < ' '; });
    require(is_plain && found.message.size() < 1000, "what is said can be shown");
  }

  const auto image = memsize::runtime::parse_elf(text);
  if (image) {
    std::size_t bytes = 0;
    for (const memsize::runtime::Segment& segment : image->segments) {
      require(segment.bytes.size() <= segment.size, "a file holds no more than memory does");
      require(segment.bytes.size() <= size, "a segment lies in the file");
      bytes += segment.bytes.size();
    }
    require(!image->segments.empty() || bytes == 0, "bytes are of segments");
  } else {
    require(memsize::core::has_errors(image.error()), "a failure has errors");
  }
  return 0;
}
