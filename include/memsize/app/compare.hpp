// What changed between two maps, or between what two runs need.
#pragma once

#include "memsize/app/board.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

struct CompareRequest {
  /// A folder that emit --out wrote, its memory_map.json, an SDK tree, a log or a sizing document.
  std::string before;
  std::string after;
  /// Of maps the one that they were written for, where it is not bundled; of runs the one whose
  /// heaps are sized. May be empty.
  BoardRequest board;
  /// Of SDK trees with several: the part, and its operating system.
  std::string soc;
  std::string os;
};

enum class CompareKind { kMap, kSizing };

/// kEnvelope: what others are built against, that is what Linux reserves, or a suggested size.
enum class CompareChange { kNone, kLayout, kEnvelope };

using core::name_of;

constexpr auto names_of(CompareKind /*all*/) {
  return std::to_array<std::string_view>({"map", "sizing"});
}

constexpr auto names_of(CompareChange /*all*/) {
  return std::to_array<std::string_view>({"none", "layout", "envelope"});
}

/// One of two values; absent: it is not said.
struct ChangedValue {
  /// "size", "physical", "virtual", "mair", "used", "suggested", ...
  std::string what;
  std::string before;
  std::string after;
};

/// Something that is not as it was.
struct ChangedItem {
  /// "region", "carve-out", "MMU entry", "MPU region", "RAT entry", "heap".
  std::string kind;
  std::string name;
  /// Empty: no core's own.
  std::string core;
  /// Absent where it was not, or is not any more.
  std::optional<core::Bytes> size_before;
  std::optional<core::Bytes> size_after;
  std::vector<ChangedValue> values;
};

struct Comparison {
  CompareKind kind = CompareKind::kMap;
  CompareChange change = CompareChange::kNone;
  std::vector<ChangedItem> items;
  std::size_t unchanged = 0;
  /// Of what Linux does not get; of runs, of what is suggested, or without a board of what is used.
  core::Bytes total_before;
  core::Bytes total_after;
  core::Diagnostics diagnostics;

  /// Below 0: they give back.
  [[nodiscard]] std::int64_t growth() const {
    return static_cast<std::int64_t>(total_after.count()) -
           static_cast<std::int64_t>(total_before.count());
  }
};

/// Nothing where they are neither maps nor runs: perhaps plans.
///
/// Example:
///     app::CompareRequest request;
///     request.before = "samples/j722s-mobilenet/trace.log";
///     request.after = request.before;
///     const auto comparison = app::compare_memory(session, request);
///     MEMSIZE_TRY(comparison);
///     assert((*comparison)->change == app::CompareChange::kNone);
[[nodiscard]] core::Result<std::optional<Comparison>> compare_memory(Session& session,
                                                                     const CompareRequest& request);

}  // namespace memsize::app
