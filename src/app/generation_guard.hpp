// Where a trace, a board and an SDK tree are of different generations: that they are, and the
// command lines that would work.
#pragma once

#include "memsize/app/map.hpp"
#include "memsize/sdk/tree.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

/// The bundled board of that part and operating system that is of one of the generations; empty:
/// there is none.
[[nodiscard]] std::string board_of_generation(Session& session,
                                              const std::string& soc,
                                              const std::string& os,
                                              const std::vector<std::string>& generations);

/// Where a trace and a board, or a trace and a tree, differ: what to type instead.
[[nodiscard]] std::string generation_hint(Session& session,
                                          const EmitRequest& request,
                                          const Analysis& analysis);

/// The same in what `analyze` says.
void complete_hints(Session& session, Analysis& analysis);

/// Says that the board, which says what the tree does not, is of another generation than the tree,
/// or that nothing tells that of the tree. An error where they differ and nobody accepts it.
[[nodiscard]] std::optional<core::Diagnostic> compare_with_tree(Session& session,
                                                                const EmitRequest& request,
                                                                const board::Board& of_tree);

/// The same where the tree is only read: what nothing tells is not taken for anything.
[[nodiscard]] std::optional<core::Diagnostic> compare_with_tree(Session& session,
                                                                const EmitRequest& request,
                                                                const sdk::Platform& platform,
                                                                const std::string& os);

/// A board that was read from a tree of which nothing tells the generation has that of `named`.
[[nodiscard]] board::Board with_generation(board::Board of_tree, const board::Board& named);

}  // namespace memsize::app
