// Scripts of one part that do not agree with each other.
#pragma once

#include "memsize/core/file_system.hpp"
#include "memsize/sdk/edit_tree.hpp"

#include <map>
#include <string>

namespace memsize::sdk {

/// Each operating system has a script of its own, with the same constants, and both write some of
/// the same files. Where somebody changed one script and the files, but not the other script, that
/// one is brought to the values of the first: edited, it makes more of what the tree has than it
/// does now. Its new text, by path.
[[nodiscard]] std::map<std::string, std::string> agree_scripts(core::FileSystem& files,
                                                               const OpenTree& tree);

/// Where a script puts regions over each other, and somebody put that right by hand in the linker
/// map that it writes, the script takes the places from there, if then nothing lies over anything.
/// Its new text, by path.
[[nodiscard]] std::map<std::string, std::string> untangle_scripts(const OpenTree& tree);

}  // namespace memsize::sdk
