// The machine of an emulator that stands in for a part: boards/memories/machines/*.toml.
#pragma once

#include "memsize/board/memories.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace memsize::board {

/// A small letter, then small letters, digits and '_'; at most 100.
[[nodiscard]] bool is_memory_name(std::string_view name);

/// Where each memory of a part stands in its file, by name.
using MemoryPlaces = std::map<std::string, core::Place>;
using BaseOf = std::function<std::optional<core::PhysAddr>(const PartMemory&)>;

/// Two memories share no address; `where` is what they are told to share: " on q35".
[[nodiscard]] core::Diagnostics check_apart(const MemorySet& part,
                                            const MemoryPlaces& places,
                                            const BaseOf& base_of,
                                            const std::string& where = {});

/// What the part's machine emulates lies in one of its windows, and nothing in another's place.
/// Says in the part whether the machine is described; if not, nothing is known of its windows.
/// `folder` is boards/memories.
[[nodiscard]] core::Diagnostics check_machine(core::FileSystem& files,
                                              const std::string& folder,
                                              MemorySet& part,
                                              const MemoryPlaces& places);

/// Small letters, digits and '-': it becomes a file's name and a word of a command.
[[nodiscard]] bool is_machine_name(const std::string& name);

}  // namespace memsize::board
