// Where below a root the data folders are.
#include "memsize/app/session.hpp"

namespace memsize::app {

DataFolders data_folders(core::FileSystem& files, const std::string& root) {
  const std::string in_tree = root + "/src/runtime/target";
  return {root + "/boards",
          {root + "/templates"},
          files.is_directory(in_tree) ? in_tree : root + "/runtime",
          {}};
}

}  // namespace memsize::app
