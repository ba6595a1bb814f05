// What the emitters of this folder share. Each is one file with all that there is of it: what it
// prints, as a view for its template, and below that its reader, which takes the file as its
// consumer would and shares no numbers with the view. They meet in NAME_emitter(), by which
// consumers.def knows them.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/emit/written_map.hpp"

#include "consumer_rows.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memsize::emit {

/// A file, and the map that it must agree with.
struct WrittenFile {
  const MapFile& file;
  /// The folder that it is in; empty for a file of all cores.
  std::string core;
  const WrittenMap& map;
  const std::string& root;

  [[nodiscard]] core::Place place() const { return {file.path_under(root)}; }
};

/// A region of the core, as the file should have it.
struct WantedRange {
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

/// The regions that the core of the file has, where it sees them.
[[nodiscard]] std::vector<WantedRange> seen_ranges(const WrittenFile& file);

/// The same on the bus; without those that are not on it.
[[nodiscard]] std::vector<WantedRange> bus_ranges(const WrittenFile& file);

/// The carve-outs that Linux knows by a label.
[[nodiscard]] std::vector<WantedRange> labelled_ranges(const WrittenFile& file);

/// Every range of one side must be on the other, once, with the same numbers. `kind` is what the
/// ranges are: "region".
void hold_ranges(const WrittenFile& file,
                 const std::string& kind,
                 const std::vector<WrittenRange>& written,
                 const std::vector<WantedRange>& wanted,
                 core::Diagnostics& found);

/// For text in a comment that ends with its line, in any of the formats.
[[nodiscard]] std::string escape_line(const std::string& text);

/// The text with blanks for each comment that begins with `mark` and ends with its line, so that
/// places stay what they are. A mark in quotes begins none.
[[nodiscard]] std::string without_line_comments(std::string text, char mark);

}  // namespace memsize::emit
