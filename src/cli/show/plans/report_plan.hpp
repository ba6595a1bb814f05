// A plan for people.
#pragma once

#include "memsize/app/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::cli {

/// What every arena came to and what that proves, how full each memory is, and what the report's
/// own plan was.
[[nodiscard]] std::string report_plan(const app::Planning& planning);

/// How full each memory is with models that run at the same time.
struct SharedMemory {
  std::string name;
  /// Of each model; nothing where it does not know the memory.
  std::vector<std::optional<core::Bytes>> used;
  /// Of all, with what lies between them for alignment.
  core::Bytes together;
  std::optional<core::Bytes> capacity;
};

[[nodiscard]] std::vector<SharedMemory> shared_memories(const app::PlansAtOnce& together);

/// Each plan, then how full each memory is with all of them.
[[nodiscard]] std::string report_plans(const app::PlansAtOnce& together);

}  // namespace memsize::cli
