// Any bytes as a document of memsize-probe: an error with a place, or a probe whose samples are in
// order, whose images can be read, and whose log is text.
#include "memsize/readers/image_reader.hpp"
#include "memsize/readers/probe_reader.hpp"
#include "memsize/readers/reader.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

using memsize::fuzz::require;

MEMSIZE_FUZZ_TARGET(probe_document) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto probe = memsize::readers::read_probe(text, "p.json");
  if (!probe) {
    require(memsize::core::has_errors(probe.error()), "a failure has errors");
    return 0;
  }
  double last = 0;
  for (const auto& sample : probe->samples) {
    require(sample.seconds >= last, "samples are in order");
    last = sample.seconds;
    for (const auto& use : sample.uses) {
      require(use.largest <= use.bytes, "the largest is one of all");
    }
  }
  for (const auto& file : probe->files) {
    // The room of a small one is enough to lie in.
    if (!file.size || file.size->count() > (1U << 20U)) {
      continue;
    }
    if (auto image = memsize::readers::sparse_image(file); image) {
      require(image->size() <= file.size->count(), "an image is no larger than its file");
      (void)memsize::readers::read_elf(std::move(*image), "p.json");
    }
  }
  (void)memsize::readers::read_text(text, "p.json", "memsize-probe");
  require(memsize::readers::describe_probe(*probe).size() <= 5, "what it has is told in short");
  return 0;
}
