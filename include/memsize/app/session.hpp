// What every request is done with.
#pragma once

#include "memsize/board/load.hpp"
#include "memsize/core/file_system.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace memsize::app {

struct EmitRequest;
struct LogFormats;

/// None is read yet.
[[nodiscard]] std::shared_ptr<LogFormats> no_log_formats();

/// Where boards and templates are.
struct DataFolders {
  std::string boards;
  /// Searched in this order.
  std::vector<std::string> templates;
  /// The sources of the embedded runtime, and the program that a core runs as on this machine.
  std::string runtime;
  std::string host_program;
};

/// Those below `root`, which has boards/ and templates/: share/memsize as installed, or memsize's
/// own tree. Whoever finds memsize::memsize with CMake has that folder as MEMSIZE_DATA. Nothing
/// is looked at: a folder that is not there is an error of whatever is asked for. What validate()
/// runs on this machine, `host_program`, is left empty.
[[nodiscard]] DataFolders data_folders(core::FileSystem& files, const std::string& root);

/// How a request would be asked for again, with `board` for its board and `settings` ("KNOB=SIZE")
/// besides: what hints propose.
using Propose = std::function<std::string(const EmitRequest& request,
                                          const std::string& board,
                                          const std::vector<std::string>& settings)>;

/// One may do any number of requests, one after the other. Sessions of one shelf may work at once.
struct Session {
  core::FileSystem& files;
  DataFolders data;
  /// None: hints name the board and the settings alone.
  Propose propose = {};
  /// The bundled boards that were read so far.
  std::shared_ptr<board::Shelf> shelf = std::make_shared<board::Shelf>();
  /// The bundled formats of logs that are data, once they were asked for.
  std::shared_ptr<LogFormats> formats = no_log_formats();
  /// Somebody watches: what takes long says how far it is, and ends with what it has at a signal.
  bool attended = false;
};

}  // namespace memsize::app
