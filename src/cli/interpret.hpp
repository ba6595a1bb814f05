// Words in, what is to be printed out: all of the program but printing and exiting.
#pragma once

#include "verbs/verbs.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::cli {

struct Interpreted {
  Outcome outcome;
  /// What --color, -q and -v say.
  Screen screen;
};

/// Does what the words behind the program's name say. `attended`: somebody watches standard error
/// and output, and may end what takes long with a signal.
[[nodiscard]] Interpreted interpret(std::vector<std::string> words,
                                    core::FileSystem& files,
                                    const app::DataFolders& data,
                                    const std::shared_ptr<board::Shelf>& shelf,
                                    bool attended);

/// What standard output and standard error get.
struct Printed {
  /// What `text` is empty for: the one document of --json or --sarif.
  std::optional<core::Json> document = std::nullopt;
  std::string text;
  Outcome::Paint paint{};
  /// Whether standard output is painted at all.
  bool colour = false;
  /// Behind the text, for standard error.
  std::string problems;
  /// For standard output, behind both.
  std::string annotations;
  core::ExitStatus status{};
};

[[nodiscard]] Printed printed(Outcome outcome, const Screen& screen);

/// Of the document that a verb prints; where it is none, of that for errors.
[[nodiscard]] const char* schema_of(std::string_view verb);

}  // namespace memsize::cli
