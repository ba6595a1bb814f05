// The board of a request, and its map.
#pragma once

#include "memsize/app/session.hpp"
#include "memsize/board/board.hpp"
#include "memsize/layout/memory_map.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

struct BoardNow;

/// The board that a verb works on.
struct BoardRequest {
  /// A bundled name, or a path.
  std::string name;
  /// --dram as typed; empty: the banks that the board file names.
  std::string dram;
  /// KNOB=SIZE as typed: what holds whatever a trace says.
  std::vector<std::string> set;
  /// Read from an SDK tree already, whose map may break a rule; null: what `name` says.
  std::shared_ptr<const board::Board> of_tree;
  /// What the rest leads to, where many requests have one board; null: it is worked out.
  std::shared_ptr<const BoardNow> now;
};

[[nodiscard]] core::Result<board::Board> load_board(Session& session, const BoardRequest& request);

/// The bundled board for that part and operating system; of several, of the newest SDK.
[[nodiscard]] std::optional<board::Board> bundled_board(Session& session,
                                                        const std::string& soc,
                                                        const std::string& os);

/// Its map with the default sizes.
[[nodiscard]] std::optional<layout::MemoryMap> bundled_map(Session& session,
                                                           const std::string& soc,
                                                           const std::string& os);

/// Names the board of a request that names none: the bundled one for the tree's part, which `soc`
/// and `os` choose where the tree has several. Error usage: nothing chooses, or none is bundled.
[[nodiscard]] core::Result<void> name_board_of_tree(Session& session,
                                                    const std::string& tree,
                                                    const std::string& soc,
                                                    const std::string& os,
                                                    BoardRequest& request);

/// Gives the request the sizes of the map in a folder that emit --out wrote, and where it names no
/// board, that map's, if it is bundled. Gives a warning where the folder's other files say
/// something else.
[[nodiscard]] core::Result<core::Diagnostics> take_map(Session& session,
                                                       const std::string& folder,
                                                       BoardRequest& request);

/// resolve() and every check; what the board accepts of its defects is a remark. What is wrong only
/// with these values is told of the settings that were typed.
///
/// Example:
///     const auto board = app::load_board(session, {.name = "j722s-sdk11"});
///     MEMSIZE_TRY(board);
///     const auto map = app::checked_map(*board, {{"c7x_2_ddr_scratch_size", 8U << 20U}});
///     MEMSIZE_TRY(map);
///     assert(map->find_by_knob("c7x_2_ddr_scratch_size")->size == core::Bytes{8U << 20U});
[[nodiscard]] core::Result<layout::MemoryMap> checked_map(
    const board::Board& board,
    const board::KnobValues& set,
    const std::vector<std::string>& typed = {});

}  // namespace memsize::app
