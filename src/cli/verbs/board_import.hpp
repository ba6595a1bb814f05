// memsize board import: a board file from an SDK tree.
#pragma once

#include "verbs.hpp"

#include <string>

namespace memsize::cli {

struct ImportOptions {
  std::string sdk;
  std::string soc;
  std::string os = "freertos";
  /// Empty: the newest bundled board of that part and operating system, if there is one.
  std::string like;
  /// Empty: standard output.
  std::string output;
  bool force = false;
};

/// The options and their help.
Command add_board_import(const Command& board, ImportOptions& options);

[[nodiscard]] Outcome import_board(app::Session& session, const ImportOptions& options);

}  // namespace memsize::cli
