// What each core is to try, and the map table that says so to its image.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/runtime/replay.hpp"
#include "memsize/runtime/run.hpp"
#include "memsize/runtime/subject.hpp"

#include "target/map_table.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memsize::runtime {

/// The lowest addresses belong to nobody on the host: vm.mmap_min_addr.
inline constexpr std::uint64_t kHostFirst = 0x10000;

/// Nor does the last page of 47 bits, above which is the kernel's.
inline constexpr std::uint64_t kHostEnd = (1ULL << 47) - 4096;

struct CorePlan {
  /// Rows of the subject's core, in its regions' order.
  std::vector<map_region> regions;
  std::vector<map_keep> keeps;
  std::vector<map_point> points;
  std::vector<map_heap> heaps;
  std::vector<map_step> steps;
};

/// What is painted for a party that runs no image: Linux.
struct Paint {
  std::uint64_t physical = 0;
  std::uint64_t value = 0;
  /// The range of Linux's memory that it lies in.
  core::PhysRange range;
};

struct Plan {
  std::vector<CorePlan> cores;
  std::vector<Paint> linux_paint;
  std::vector<Untried> untried;
};

/// The plan of all cores, by their numbers. What `where` cannot try is left out and named.
[[nodiscard]] Plan make_plan(const Subject& subject,
                             const std::vector<CoreTables>& tables,
                             const std::vector<CoreReplay>& replays,
                             Where where);

/// The bytes of a core's map table.
[[nodiscard]] std::string encode(const SubjectCore& core, const CorePlan& plan, std::size_t cores);

/// Whether images run for that core.
[[nodiscard]] bool runs(const SubjectCore& core, Where where);

}  // namespace memsize::runtime
