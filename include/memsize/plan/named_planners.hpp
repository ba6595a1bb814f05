// Planners of other tools, by name: what a compiler would have made of the same buffers. They are
// written here from what their documentation or their published plans say, to compare with, and to
// plan the way a tool further down the line does. None of them proves or improves anything.
#pragma once

#include "memsize/plan/pack.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace memsize::plan {

/// All three place buffers with an offset first, and of buffers that are equal in the planner's
/// order the caller's first.
enum class NamedPlanner : std::uint8_t {
  /// As ARES: by first step, of these the largest first, each at the lowest offset where it meets
  /// nothing. Knows no alignment, so offsets may violate a buffer's; the arena's size is a multiple
  /// of 4. ARES counts the last step in, where a Buffer's `upper` is one more.
  kFirstFit,
  /// As heliaAOT: step by step, into the first hole that buffers which have ended left behind, with
  /// neighbouring holes merged and the topmost one extended. Honours alignments. Which of two
  /// buffers that begin in one step comes first is not published: here the caller's order decides.
  kGreedy,
  /// As TensorFlow Lite, its Micro and XNNPACK: the largest first, each into the first hole between
  /// the buffers that live at the same time. Honours alignments. Micro takes equal sizes in
  /// reverse,
  /// which the others do not, nor does this.
  kBySize,
};

struct NamedPlannerRow {
  NamedPlanner planner = NamedPlanner::kFirstFit;
  /// What a command line says.
  std::string_view name;
  /// One line, for lists.
  std::string_view description;
};

[[nodiscard]] std::span<const NamedPlannerRow> named_planners();

[[nodiscard]] std::optional<NamedPlanner> planner_named(std::string_view name);

/// Conditions are those of pack(). The proof is kBound where the height happens to equal
/// lower_bound() and every alignment is kept, kInfeasible (and no offsets) where buffers with an
/// offset collide, else kBest.
[[nodiscard]] Packing pack_with(NamedPlanner planner, const std::vector<Buffer>& buffers);

}  // namespace memsize::plan
