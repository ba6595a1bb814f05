// The stages of check() that check.cpp lists. Each adds what it finds to the report.
#pragma once

#include "memsize/app/check.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/sdk/edit_tree.hpp"

namespace memsize::app {

struct TreeScope {
  std::vector<sdk::Platform> platforms;
  /// The map of --board, which then also says the operating system.
  std::optional<layout::MemoryMap> asked;
};

[[nodiscard]] core::Result<TreeScope> scope_of_tree(Session& session, const CheckRequest& request);

/// Whether the board that is asked for, if any, is of the SDK generation of the tree.
void check_generation(Session& session,
                      const CheckRequest& request,
                      const TreeScope& scope,
                      CheckReport& report);

/// Without `asked`, each operating system is held against the newest bundled board for it. `known`
/// is the tree as it is on the disk; null: it is read here.
void check_platform(Session& session,
                    const sdk::Platform& platform,
                    const std::optional<layout::MemoryMap>& asked,
                    CheckReport& report,
                    const sdk::OpenTree* known = nullptr);

/// A written map, and what its memory_map.json says that it was made of.
struct WrittenMap {
  std::vector<emit::MapFile> files;
  std::string board;
  board::KnobValues knobs;
  /// Every file of such a map is there.
  bool is_whole = false;
};

[[nodiscard]] WrittenMap check_written(Session& session,
                                       const std::string& folder,
                                       CheckReport& report);

/// The files of a written map, without what no map has.
[[nodiscard]] core::Result<std::vector<emit::MapFile>> read_map(Session& session,
                                                                const std::string& folder);

/// Nothing where a check failed.
[[nodiscard]] std::optional<layout::MemoryMap> check_board(Session& session,
                                                           const CheckRequest& request,
                                                           const WrittenMap& written,
                                                           CheckReport& report);

/// The board that a written map names, where it is a bundled one; else empty, and the report says
/// what is not looked at then.
[[nodiscard]] std::string bundled_board_of(Session& session,
                                           const WrittenMap& written,
                                           CheckReport& report);

/// Leaves out what the board accepts of what reads the map's files: it is said of the map.
void accept_written(Session& session, const CheckRequest& request, CheckReport& report);

/// That traces were held against nothing, where the request names no board and the map none that is
/// bundled.
void say_traces_unread(const CheckRequest& request, CheckReport& report);

/// What running the files would find before anything runs; then every number of theirs against what
/// the board gives with the same sizes.
void check_files(Session& session,
                 const CheckRequest& request,
                 const WrittenMap& written,
                 const layout::MemoryMap& map,
                 CheckReport& report);

void check_budgets(const CheckRequest& request, const layout::MemoryMap& map, CheckReport& report);

/// Demands of traces, and budgets, against the map that the SDK tree has.
void check_tree_use(Session& session, const CheckRequest& request, CheckReport& report);

/// The firmware of cores, in the map that it runs with.
void check_firmware(Session& session,
                    const CheckRequest& request,
                    const layout::MemoryMap& map,
                    CheckReport& report);

/// What a running board said, in the map that it should run.
void check_probe(Session& session,
                 const CheckRequest& request,
                 const layout::MemoryMap& map,
                 CheckReport& report);

void check_demands(Session& session,
                   const CheckRequest& request,
                   const layout::MemoryMap& map,
                   CheckReport& report);

}  // namespace memsize::app
