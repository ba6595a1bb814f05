// A whole SDK tree, some of whose files are any bytes: it is read and checked, with a board and
// without one, never with a crash; every place is one of the tree, and what is found can be printed
// and be accepted by a baseline.
#include "memsize/app/baseline.hpp"
#include "memsize/board/load.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/sdk/check.hpp"
#include "memsize/sdk/tree.hpp"

#include "check.hpp"
#include "mpu_programs.hpp"
#include "show/annotations.hpp"
#include "show/render_diagnostics.hpp"
#include "show/sarif.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using memsize::app::Acceptance;
using memsize::core::Diagnostics;
using memsize::core::MemFileSystem;
using memsize::core::Place;
using memsize::fuzz::require;
namespace core = memsize::core;
namespace layout = memsize::layout;
namespace sdk = memsize::sdk;

namespace {

const std::string kFolder = "sdk/platform/zx9/rtos";

struct Base {
  std::map<std::string, std::string> files;
  std::optional<layout::MemoryMap> map;
};

// The tree in which nothing is wrong, and its board.
Base read_base() {
  const std::string source = MEMSIZE_SOURCE_DIR "/tests/data/zx9";
  memsize::core::RealFileSystem disk;
  Base base;
  const auto paths = disk.list_tree(source + "/platform/zx9/rtos");
  require(paths.has_value(), "the tree is there");
  for (const std::string& path : *paths) {
    auto content = disk.read(source + "/platform/zx9/rtos/" + path);
    require(content.has_value(), "the tree can be read");
    base.files[kFolder + "/" + path] = std::move(*content);
  }
  const auto board = memsize::board::load_board(disk, source, source + "/board.toml");
  require(board.has_value(), "the board can be read");
  auto map = layout::resolve(*board, {});
  require(map.has_value(), "the board's map can be made");
  base.map = std::move(*map);
  return base;
}

// "=== path" begins a file, "--- path" removes one; what stands before is passed over.
void lay_over(std::string_view text, std::map<std::string, std::string>& files) {
  constexpr std::string_view kBegins = "=== ";
  constexpr std::string_view kRemoves = "--- ";
  std::string* file = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const bool begins = line.starts_with(kBegins);
    if (begins || line.starts_with(kRemoves)) {
      const std::string_view name = line.substr(kBegins.size());
      const std::string path = kFolder + "/" + std::string{name.substr(0, name.find('\n'))};
      files.erase(path);
      file = begins ? &files[path] : nullptr;
    } else if (file != nullptr) {
      *file += line;
    }
  }
}

void check_place(const Place& place, const std::map<std::string, std::string>& files) {
  require(place.path.str().starts_with("sdk"), "a place is in the tree");
  const auto file = files.find(place.path.str());
  if (place.line == 0) {
    return;
  }
  require(file != files.end(), "a place with a line is in a file");
  std::string_view text = file->second;
  for (std::size_t line = 1; line < place.line; ++line) {
    const std::size_t end = text.find('\n');
    require(end != std::string_view::npos, "a place has a line of its file");
    text.remove_prefix(end + 1);
  }
  require(place.column <= text.substr(0, text.find('\n')).size() + 1, "a column is in its line");
}

// What is printed commands no terminal and forges no line of a log.
void check_printed(const Diagnostics& found, const Acceptance& acceptance) {
  const std::string text = memsize::cli::render_problems(found, false);
  require(std::ranges::all_of(text,
                              [](char c) {
                                const auto byte = static_cast<unsigned char>(c);
                                return c == '\n' || (byte >= 0x20 && byte != 0x7F);
                              }),
          "what is printed has no control characters");
  const std::string commands = memsize::cli::github_annotations(found);
  require(static_cast<std::size_t>(std::ranges::count(commands, '\n')) == found.size(),
          "a finding is one annotation");
  const auto sarif = memsize::cli::to_sarif(found, acceptance, core::exit_status(found), {}, "0");
  (void)sarif.pretty();
}

// What is written to a baseline is accepted by it.
void check_baseline(Diagnostics found, Acceptance acceptance) {
  const std::size_t all = found.size();
  const std::string text = memsize::app::format_baseline(found, acceptance.homes, {});
  const auto baseline = memsize::app::parse_baseline("b", text);
  require(baseline.has_value(), "a written baseline can be read");
  memsize::app::accept(*baseline, true, found, acceptance);
  require(found.size() + acceptance.accepted.size() == all, "no entry is needless");
  for (const core::Diagnostic& each : found) {
    require(!memsize::app::can_be_accepted(each, acceptance.homes), "a baseline accepts its tree");
  }
}

void check_findings(const Diagnostics& found, const std::map<std::string, std::string>& files) {
  for (const core::Diagnostic& finding : found) {
    require(!finding.message.empty(), "a finding has a message");
    check_place(finding.place, files);
    for (const core::Related& related : finding.related) {
      check_place(related.place, files);
    }
  }
  Acceptance acceptance;
  acceptance.homes = {{kFolder, "platform/zx9/rtos"}};
  check_printed(found, acceptance);
  check_baseline(found, acceptance);
}

}  // namespace

MEMSIZE_FUZZ_TARGET(sdk_tree) {
  static const Base base = read_base();
  MemFileSystem files;
  files.content = base.files;
  lay_over({reinterpret_cast<const char*>(data), size}, files.content);
  const auto platforms = sdk::find_platforms(files, "sdk");
  if (!platforms) {
    check_findings(platforms.error(), files.content);
    return 0;
  }
  for (const sdk::Platform& platform : *platforms) {
    const auto sources = sdk::read_sources(files, platform, memsize::test::mpu_programs());
    if (!sources) {
      check_findings(sources.error(), files.content);
      continue;
    }
    check_findings(sources->problems, files.content);
    for (const sdk::Variant& variant : sources->variants) {
      for (const layout::MemoryMap* map :
           {&*base.map, static_cast<const layout::MemoryMap*>(nullptr)}) {
        const sdk::TreeReport report = sdk::check_variant(*sources, variant, map);
        check_findings(report.diagnostics, files.content);
        const bool fits = map == nullptr || map->board.os == variant.os;
        require(size != 0 || !fits || report.diagnostics.empty(),
                "nothing is wrong in the tree itself");
      }
    }
  }
  return 0;
}
