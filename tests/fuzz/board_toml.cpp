// Any bytes as a board file: an error with its place, or a board that resolves, whose windows add
// up, and whose map, where the checks pass, is written and read back without a complaint.
#include "memsize/board/load.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/memory_map.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using memsize::fuzz::require;

namespace {

void check_map(const memsize::layout::MemoryMap& map, memsize::core::FileSystem& files) {
  for (const auto& window : map.windows) {
    require(window.placed + window.padding + window.free == window.range.size(),
            "every byte of a window is accounted for");
  }
  const auto found = memsize::layout::check_map(map);
  for (const auto& problem : found) {
    require(!problem.message.empty(), "a finding has a message");
  }
  if (memsize::core::has_errors(found)) {
    return;
  }
  const auto artifacts = memsize::emit::render_all({map, map, files, {}}, {"map-json", "mmu-json"});
  require(artifacts.has_value(), "documents need no template");
  std::vector<memsize::emit::MapFile> written;
  for (const auto& artifact : *artifacts) {
    written.push_back({artifact.path, artifact.content});
  }
  require(!memsize::core::has_errors(memsize::emit::verify_map(written, "").diagnostics),
          "what is written is read");
  require(memsize::emit::changed_cores(map, map).empty(), "a map equals itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  memsize::core::MemFileSystem files;
  files.content["boards/b.toml"] = std::string{reinterpret_cast<const char*>(data), size};
  const auto board = memsize::board::load_board(files, "boards", "b");
  if (!board) {
    require(memsize::core::has_errors(board.error()), "a failure has errors");
    return 0;
  }
  const auto map = memsize::layout::resolve(*board, {});
  if (!map) {
    require(memsize::core::has_errors(map.error()), "a failure has errors");
    return 0;
  }
  check_map(*map, files);
  return 0;
}
