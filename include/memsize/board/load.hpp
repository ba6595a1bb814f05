// Board files: found by name or path, inherited, checked key by key.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/docs/value.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace memsize::board {

struct TraceFormat;

/// Loads the bundled board `name` from `folder`, or the file at a path (anything with a '/' or that
/// ends in .toml). A part is board.unknown, and told to be one.
[[nodiscard]] core::Result<Board> load_board(core::FileSystem& files,
                                             const std::string& folder,
                                             const std::string& name);

/// What a name or a path stands for: a board with a map, or a part whose memories tensors are
/// planned into (memories.hpp).
enum class BoardKind : std::uint8_t { kBoard, kPart };

/// A file is of a part where it has memories. Errors: board.unknown, with names of both kinds.
[[nodiscard]] core::Result<BoardKind> kind_of_board(core::FileSystem& files,
                                                    const std::string& folder,
                                                    const std::string& name);

/// Whether a name of a board, a part or a format is a path to its file: it has a '/', or ends in
/// .toml.
[[nodiscard]] bool is_path(std::string_view name);

/// The names of the boards in `folder`, sorted.
[[nodiscard]] core::Result<std::vector<std::string>> bundled_boards(core::FileSystem& files,
                                                                    const std::string& folder);

/// Reads each bundled board and format once, however often a run asks for it; again where a file of
/// it has changed since. Several threads may ask at once.
class Shelf {
 public:
  Shelf();
  ~Shelf();
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  /// As load_board(). A file at a path is read each time.
  [[nodiscard]] core::Result<Board> load(core::FileSystem& files,
                                         const std::string& folder,
                                         const std::string& name);

  /// The bundled boards of a part, by name. Boards that cannot be read are left out.
  [[nodiscard]] std::vector<Board> of_part(core::FileSystem& files,
                                           const std::string& folder,
                                           const std::string& soc);

  /// As load_trace_format().
  [[nodiscard]] core::Result<TraceFormat> format(core::FileSystem& files,
                                                 const std::string& folder,
                                                 const std::string& name);

  /// By operating system; of several, that of the newest SDK.
  [[nodiscard]] std::map<std::string, Board> newest(core::FileSystem& files,
                                                    const std::string& folder,
                                                    const std::string& soc);

 private:
  struct Books;
  std::unique_ptr<Books> books_;
};

/// The file at `path` with everything it inherits merged in: tables by key, anything else replaced.
/// Every value keeps the place where it was written. An inherited file is looked for beside the one
/// that names it, then in `folder`. `read` gets the paths of all of them.
[[nodiscard]] core::Result<docs::Document> load_inherited(core::FileSystem& files,
                                                          const std::string& path,
                                                          const std::string& folder,
                                                          std::vector<std::string>* read = nullptr);

}  // namespace memsize::board
