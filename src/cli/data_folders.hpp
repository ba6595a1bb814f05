// Finds boards and templates beside the program or the library, so that it runs from any folder.
#pragma once

#include "memsize/app/session.hpp"

namespace memsize::cli {

/// $MEMSIZE_DATA, else the source tree that holds the program or library at `path`, else the
/// install prefix.
[[nodiscard]] app::DataFolders find_data_folders(core::FileSystem& files, const std::string& path);

}  // namespace memsize::cli
