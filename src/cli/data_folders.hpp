// Finds boards and templates beside the program, so that it runs from any folder.
#pragma once

#include "memsize/app/session.hpp"

namespace memsize::cli {

/// $MEMSIZE_DATA, else the source tree that holds the program, else the install prefix.
[[nodiscard]] app::DataFolders find_data_folders(core::FileSystem& files);

}  // namespace memsize::cli
