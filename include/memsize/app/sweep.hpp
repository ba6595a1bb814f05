// One network planned for many values of a part's knob.
#pragma once

#include "memsize/app/plan.hpp"
#include "memsize/app/session.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/network/tiles.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memsize::app {

/// "l1=2600..102400:x2", ":+4KiB" adds; without a step it doubles. The last value is always among
/// them.
struct Sweep {
  std::string knob;
  std::vector<std::uint64_t> values;
};

/// Errors: no range, one that ends before it begins, more than kMostSwept values.
[[nodiscard]] core::Result<Sweep> parse_sweep(const std::string& typed);

inline constexpr std::size_t kMostSwept = 256;

struct Swept {
  std::uint64_t value = 0;
  /// Layers that could be cut, those that fit no tile and are read in L2, and of these the ones
  /// that no program is written for.
  std::size_t cut = 0;
  std::vector<std::string> uncut;
  std::vector<std::string> stuck;
  /// Of the layer that needs most.
  core::Bytes l1;
  network::TileCost cost;
  /// What plans use of L2.
  core::Bytes l2;
  /// Memories of the part in which there is not room for everything.
  std::vector<std::string> too_small;

  [[nodiscard]] bool works() const { return stuck.empty() && too_small.empty(); }
};

/// A row each value. Errors: those of plan_memory(), and reports without a network.
///
/// Example:
///     app::PlanRequest request;
///     request.reports = {"samples/plans/ares/minimobilenet_v2/network_info.json"};
///     request.board = "gap9";
///     const auto sweep = app::parse_sweep("l1=1280..20480:x2");
///     MEMSIZE_TRY(sweep);
///     const auto rows = app::sweep_network(session, request, *sweep);
///     MEMSIZE_TRY(rows);
///     assert(rows->size() == sweep->values.size());
[[nodiscard]] core::Result<std::vector<Swept>> sweep_network(Session& session,
                                                             const PlanRequest& request,
                                                             const Sweep& sweep);

}  // namespace memsize::app
