// What stands in the folder that `emit --out` writes to, and what must not be lost of it.
//
// .memsize/written.json in there has the hash of every file as memsize wrote it. Without it, as in
// a fresh clone, a file that names memsize is memsize's.
#pragma once

#include "pipeline.hpp"

#include <string>
#include <vector>

namespace memsize::app {

struct OnDisk {
  std::string path;
  bool exists = false;
  bool same = false;
  /// A folder, device or pipe stands where the file belongs.
  bool in_the_way = false;
  std::string content;
};

/// One for each artifact, in their order.
[[nodiscard]] std::vector<OnDisk> compare(Session& session,
                                          const std::string& out,
                                          const Emission& emission);

/// Errors emit.stale: the folder has another board's map, whose other files would stay among these;
/// a file that is about to be replaced is not as memsize wrote it, or not memsize's.
[[nodiscard]] core::Diagnostics would_lose(Session& session,
                                           const std::string& out,
                                           const Emission& emission,
                                           const std::vector<OnDisk>& files);

/// The artifacts that differ, and what remembers them; nothing where all are the same.
[[nodiscard]] std::vector<core::NewFile> files_to_write(Session& session,
                                                        const std::string& out,
                                                        const Emission& emission,
                                                        const std::vector<OnDisk>& files);

}  // namespace memsize::app
