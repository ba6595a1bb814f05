// The map as a page for people: strips to scale, a lane for each core, heaps, and a table.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/names.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace memsize::emit {

struct EmitInput;

/// A stretch of a heap.
struct HeapPart {
  /// kMargin is the headroom; what rounding adds to it is empty. Of many logs, half of them need no
  /// more than kMedian, and one needs kMost besides.
  enum class Kind { kRecords, kOverhead, kMargin, kMedian, kMost };

  Kind kind = Kind::kRecords;
  core::Bytes size;
};

using core::name_of;

constexpr auto names_of(HeapPart::Kind /*all*/) {
  return std::to_array<std::string_view>({"records", "overhead", "margin", "median", "most"});
}

/// A record that was counted for a heap; of many logs, one of them.
struct HeapRecord {
  std::string name;
  core::Bytes size;
  /// Where the log prints it: "trace.log:12".
  std::string where;
};

/// What a heap of the map was sized by. What its parts do not fill is empty.
struct HeapFill {
  std::string region;
  /// "c7x_2 ddr cacheable persistent".
  std::string title;
  std::vector<HeapPart> parts = {};
  std::vector<HeapRecord> records = {};
  /// What its size must not be read without; empty where nothing is.
  std::string caveat = {};
};

/// What a page tells beside its map.
struct PageFacts {
  /// How the sizes came about, a sentence each: the first stands under the title, all of them in
  /// the foot.
  std::vector<std::string> sources;
  std::vector<HeapFill> heaps;
  /// Findings with a region among their parties stand in its row, too.
  core::Diagnostics said;
};

/// The page, of the template `page`. Names are escaped; nothing is loaded from elsewhere.
[[nodiscard]] core::Result<std::string> render_page(const EmitInput& input);

/// The strips alone, as a picture for documents.
[[nodiscard]] std::string strips_picture(const EmitInput& input);

}  // namespace memsize::emit
