// Looks for the data beside the program or the library, in a build tree and as installed;
// the environment's MEMSIZE_DATA comes first.
#include "data_folders.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace memsize::cli {

namespace {

namespace fs = std::filesystem;

std::string find_root(core::FileSystem& files, const fs::path& folder) {
  if (const char* given = std::getenv("MEMSIZE_DATA"); given != nullptr && *given != '\0') {
    return given;
  }
  // build/<preset>/memsize in the tree; bin/memsize when installed, lib/memsize/libmemsize.so
  // or lib/<machine>/memsize/libmemsize.so.
  for (const fs::path& candidate : {folder / ".." / "..",
                                    folder / ".." / MEMSIZE_DATADIR,
                                    folder / ".." / ".." / MEMSIZE_DATADIR,
                                    folder / ".." / ".." / ".." / MEMSIZE_DATADIR,
                                    folder / MEMSIZE_DATADIR}) {
    const std::string root = candidate.lexically_normal().string();
    if (files.is_directory(root + "/boards") && files.is_directory(root + "/templates")) {
      return root.ends_with('/') ? root.substr(0, root.size() - 1) : root;
    }
  }
  return (folder / ".." / MEMSIZE_DATADIR).lexically_normal().string();
}

}  // namespace

app::DataFolders find_data_folders(core::FileSystem& files, const std::string& path) {
  const fs::path folder = fs::path{path}.parent_path();
  app::DataFolders data = app::data_folders(files, find_root(files, folder));
  const fs::path beside = folder / "memsize-host";
  const fs::path installed = folder / ".." / MEMSIZE_LIBEXECDIR / "memsize" / "memsize-host";
  data.host_program =
      (files.is_regular_file(beside.string()) ? beside : installed).lexically_normal().string();
  return data;
}

}  // namespace memsize::cli
