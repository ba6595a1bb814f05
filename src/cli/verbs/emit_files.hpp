// What emit says of files that it would write: how they differ, which are stale, what it did.
#pragma once

#include "memsize/app/map.hpp"

#include "verbs.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

using Artifacts = std::vector<emit::Artifact>;
using FilesOnDisk = std::vector<app::OnDisk>;

/// As a unified diff.
[[nodiscard]] Outcome show_diff(const Artifacts& artifacts,
                                const FilesOnDisk& files,
                                Outcome outcome);

/// An error for each that is not what it should be.
[[nodiscard]] Outcome check_disk(const FilesOnDisk& files, Outcome outcome);

/// "j722s: 2 files written, 9 unchanged in out/", and a line for each that was, or
/// where that would fill a screen, for each folder.
[[nodiscard]] std::string written_summary(const std::string& what,
                                          const std::string& out,
                                          const Artifacts& artifacts,
                                          const FilesOnDisk& files);

[[nodiscard]] Json artifacts_json(const Artifacts& artifacts, const FilesOnDisk& files);

}  // namespace memsize::cli
