// Files that memsize writes, as bytes in memory.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/layout/memory_map.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::emit {

struct PageFacts;
struct WrittenFile;

struct Artifact {
  /// Below the output folder, with '/' between folders.
  std::string path;
  std::string emitter;
  std::string content;
};

/// Whose images a change goes into.
struct Affected {
  /// In the board's order.
  std::vector<std::string> cores;
  /// That Linux reads.
  bool device_tree = false;
};

struct EmitInput {
  const layout::MemoryMap& map;
  /// The map to compare with: what was there before the change.
  const layout::MemoryMap& baseline;
  core::FileSystem& files;
  /// Folders that templates are looked for in, the first wins.
  std::vector<std::string> template_folders;
  /// What `baseline` is called.
  std::string baseline_name = "the board's default map";
  /// What changes; nothing: what differs between the maps.
  std::optional<Affected> affected = std::nullopt;
  /// What was put right without being asked for by a size, as sentences.
  std::vector<std::string> repairs = {};
  /// What a page tells beside the map; null: nothing.
  const PageFacts* facts = nullptr;
};

/// One artifact format.
template <typename Input>
struct EmitterOf {
  std::string_view name;
  std::string_view description;
  core::Result<std::vector<Artifact>> (*render)(const Input& input);
  /// Renders only where it is named.
  bool by_request = false;
  /// The path of a file that `verify` reads back; "*" is one folder, a core's.
  std::string_view file = {};
  /// Holds such a file against what memory_map.json says; null: nobody does.
  void (*verify)(const WrittenFile& file, core::Diagnostics& found) = nullptr;
};

using Emitter = EmitterOf<EmitInput>;

[[nodiscard]] const std::vector<Emitter>& all_emitters();

/// Renders with the emitters of `only`, or where it is empty with all but those by request, in the
/// registry's order.
[[nodiscard]] core::Result<std::vector<Artifact>> render_all(const EmitInput& input,
                                                             const std::vector<std::string>& only);

/// What has to be done on the target after a change, in order; empty without a change.
[[nodiscard]] std::vector<board::RebuildStep> rebuild_steps(const layout::MemoryMap& map,
                                                            const Affected& affected);

/// By what differs between two maps.
[[nodiscard]] Affected affected_by(const layout::MemoryMap& map, const layout::MemoryMap& baseline);

/// Of both, in the board's order.
[[nodiscard]] Affected affected_by(const layout::MemoryMap& map,
                                   const Affected& one,
                                   const Affected& other);

/// "237 MiB go back to Linux: 1131 MiB stay reserved, of 1368 MiB before".
[[nodiscard]] std::string describe_balance(const layout::MemoryMap& map,
                                           const layout::MemoryMap& baseline);

/// The cores whose linker map, MMU mapping, MPU regions or RAT entries differ.
[[nodiscard]] std::vector<std::string> changed_cores(const layout::MemoryMap& map,
                                                     const layout::MemoryMap& baseline);

}  // namespace memsize::emit
