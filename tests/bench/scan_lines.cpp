// How fast lines are found in a log, without reading what they say: the time, lines and how many
// were handed over.
//   scan_lines FILE [WIDEST]   (64, 32 or 1)
#include "memsize/core/file_system.hpp"
#include "memsize/core/line_scanner.hpp"

#include <array>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

using memsize::core::LineScanner;

class Count : public memsize::core::LineTaker {
 public:
  std::size_t lines = 0;
  std::size_t bytes = 0;

  bool take(std::string_view line, std::size_t /*number*/) override {
    ++lines;
    bytes += line.size();
    return false;
  }
};

// As many as a reader of TIDL's logs looks for; all but the first are rare.
constexpr std::array<std::string_view, 15> kWords = {", 0x",
                                                     "Memory Records",
                                                     "Total",
                                                     "Failed to Al",
                                                     "heap",
                                                     "Free size",
                                                     "algAlloc",
                                                     "Requested",
                                                     "MEMREC",
                                                     "Num of Layer",
                                                     "Network Cyc",
                                                     "TIDL_RT",
                                                     "Unable to al",
                                                     "memtab",
                                                     "DDR_SHARED"};
constexpr std::size_t kLongLine = 1024;
constexpr std::size_t kLongest = 1U << 20;

struct alignas(4096) Block {
  std::array<char, 131072> bytes;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    fmt::print(stderr, "usage: scan_lines FILE [WIDEST]\n");
    return EXIT_FAILURE;
  }
  memsize::core::RealFileSystem files;
  const auto stream = files.open(std::string{arguments[0]});
  if (!stream) {
    return EXIT_FAILURE;
  }
  LineScanner::Options options;
  options.words.assign(kWords.begin(), kWords.end());
  options.long_line = kLongLine;
  options.longest = kLongest;
  if (arguments.size() > 1) {
    options.widest = std::strtoul(argv[2], nullptr, 10);
  }
  Count count;
  LineScanner scanner{options, count};
  const auto block = std::make_unique_for_overwrite<Block>();
  const std::span<char> buffer{block->bytes};
  while (true) {
    const auto size = (*stream)->read(buffer);
    if (!size || (*size != 0 && !scanner.feed({buffer.data(), *size}))) {
      return EXIT_FAILURE;
    }
    if (*size == 0) {
      break;
    }
  }
  scanner.finish();
  fmt::print("{} lines, {} found\n", scanner.lines(), count.lines);
  return EXIT_SUCCESS;
}
