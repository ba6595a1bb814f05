// Any bytes as what an image printed, and as what a linker wrote: both are read, or refused, and
// nothing is invented.
#include "memsize/runtime/report.hpp"

#include "check.hpp"
#include "image.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

using memsize::fuzz::require;

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
