// Any bytes as a board file: an error with its place, or a board that resolves, whose windows add
// up, and whose map, where the checks pass, has MMU entries and translation tables that agree, and
// is written and read back without a complaint. What the MMU cannot map is grown to something it
// can. The same text is the program of an MPU, a part, and ST's file of pools.
#include "memsize/board/load.hpp"
#include "memsize/board/memories.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/fit.hpp"
#include "memsize/layout/lens.hpp"
#include "memsize/layout/memory_map.hpp"

#include "check.hpp"
#include "mpu_programs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using memsize::fuzz::is_visible;
using memsize::fuzz::require;

namespace {

void check_findings(const memsize::core::Diagnostics& found) {
  for (const auto& problem : found) {
    require(!problem.message.empty(), "a finding has a message");
    require(is_visible(problem.message) && is_visible(problem.hint), "a finding is printable");
  }
}

bool mappable(const memsize::core::Diagnostics& found) {
  return std::ranges::none_of(found, [](const auto& problem) {
    return problem.code == memsize::core::Code::kMmuCongruence ||
           problem.code == memsize::core::Code::kMmuTables;
  });
}

void check_growth(const memsize::board::Board& board) {
  // With many heaps the search is long.
  constexpr std::size_t kFew = 4;
  const auto heaps =
      std::ranges::count_if(board.knobs, [](const auto& knob) { return knob.demand.has_value(); });
  if (heaps > static_cast<std::ptrdiff_t>(kFew)) {
    return;
  }
  for (const bool tight : {false, true}) {
    const auto growth = memsize::layout::grow_for_mmu(board, {}, tight);
    if (!growth) {
      continue;
    }
    require(!growth->values.empty() && growth->cost.count() != 0, "a growth grows something");
    const auto grown = memsize::layout::resolve(board, growth->values);
    require(grown.has_value(), "what grew is placed");
    require(mappable(memsize::layout::check_map(*grown)), "what grew can be mapped");
  }
}

void check_map(const memsize::layout::MemoryMap& map, memsize::core::FileSystem& files) {
  for (const auto& window : map.windows) {
    require(window.placed + window.padding + window.free == window.range.size(),
            "every byte of a window is accounted for");
  }
  const auto found = memsize::layout::check_map(map);
  check_findings(found);
  if (memsize::core::has_errors(found)) {
    return;
  }
  require(!memsize::layout::has_tables(map.board.mmu) || memsize::layout::tables_agree(map),
          "entries and tables agree");
  const auto artifacts = memsize::emit::render_all({map, map, files, {}}, {"map-json", "mmu-json"});
  require(artifacts.has_value(), "documents need no template");
  std::vector<memsize::emit::MapFile> written;
  for (const auto& artifact : *artifacts) {
    written.push_back({artifact.path, artifact.content});
  }
  require(!memsize::core::has_errors(
              memsize::emit::verify_map(written, "", memsize::test::mpu_programs()).diagnostics),
          "what is written is read");
  require(memsize::emit::changed_cores(map, map).empty(), "a map equals itself");
}

// The same text as the words of an MPU's program.
void check_program(const std::string& text) {
  memsize::core::MemFileSystem files;
  memsize::test::put_mpu_programs(files);
  files.content["boards/programs/p.toml"] = text;
  const auto program = memsize::board::load_mpu_program(files, "boards", "p");
  if (!program) {
    require(memsize::core::has_errors(program.error()), "a failure has errors");
    check_findings(program.error());
    return;
  }
  for (const auto& kind : (*program)->kinds) {
    const memsize::chip::MpuBits bits{kind.tex, kind.cacheable, kind.bufferable, true, false};
    const auto words = (*program)->words_of({bits, 3, "R", 0xA0000000, 0x10000, 0x81});
    require(!words.at((*program)->size.name).empty(), "a size has a word");
  }
}

// The same text as a part, in both of its forms.
void check_part(const std::string& text) {
  memsize::core::MemFileSystem files;
  for (const char* path : {"boards/memories/p.toml", "p.mpool"}) {
    files.content = {{path, text}};
    const auto part = memsize::board::load_memories(files, "boards/memories", path);
    if (!part) {
      require(memsize::core::has_errors(part.error()), "a failure has errors");
      check_findings(part.error());
      continue;
    }
    require(!part->memories.empty(), "a part has a memory");
    for (const auto& memory : part->memories) {
      require(memory.cost > 0 && memory.window <= memory.hardware,
              "a memory has a cost and bounds");
      require(!memory.base || memsize::core::PhysRange::make(*memory.base, memory.window),
              "a memory ends");
    }
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(board_toml) {
  memsize::core::MemFileSystem files;
  memsize::test::put_mpu_programs(files);
  const std::string text{reinterpret_cast<const char*>(data), size};
  check_program(text);
  check_part(text);
  files.content["boards/b.toml"] = text;
  const auto board = memsize::board::load_board(files, "boards", "b");
  if (!board) {
    require(memsize::core::has_errors(board.error()), "a failure has errors");
    check_findings(board.error());
    return 0;
  }
  const auto map = memsize::layout::resolve(*board, {});
  if (!map) {
    require(memsize::core::has_errors(map.error()), "a failure has errors");
    check_findings(map.error());
    return 0;
  }
  check_map(*map, files);
  check_growth(*board);
  return 0;
}
