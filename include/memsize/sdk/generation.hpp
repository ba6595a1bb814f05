// Of which SDK generation a tree is, as its files tell: the facts are those of the trace format.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/sdk/tree.hpp"

#include <string>
#include <vector>

namespace memsize::sdk {

struct TreeGeneration {
  /// In the format's order; several where no fact decides, none where there is no fact or where
  /// facts contradict each other.
  std::vector<std::string> generations;
  /// What told them: "common/app_init.c has no 'some_text'". Of contradicting facts all.
  std::vector<std::string> evidence;
};

/// Every fact that concerns the part leaves some generations; told is what all of them leave.
[[nodiscard]] TreeGeneration generation_of_tree(core::FileSystem& files,
                                                const Platform& platform,
                                                const board::TraceFormat& format);

}  // namespace memsize::sdk
