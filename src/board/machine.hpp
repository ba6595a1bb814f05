// A machine of an emulator that stands in for parts: boards/memories/machines/*.toml.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::board {

struct MachineWindow {
  std::string name;
  core::PhysRange range;
  bool writable = true;
};

/// The windows of a machine; nothing where it is not described. `folder` is boards/memories, `name`
/// is_machine_name().
[[nodiscard]] core::Result<std::optional<std::vector<MachineWindow>>> machine_windows(
    core::FileSystem& files, const std::string& folder, const std::string& name);

/// Small letters, digits and '-': it becomes a file's name and a word of a command.
[[nodiscard]] bool is_machine_name(const std::string& name);

}  // namespace memsize::board
