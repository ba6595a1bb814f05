// Diagnostics as text.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <string>

namespace memsize::cli {

/// One diagnostic with its line, caret, related places and hint; ends with a line end.
[[nodiscard]] std::string render(const core::Diagnostic& diagnostic, bool colour);

/// Its first line: place, code and message.
[[nodiscard]] std::string render_line(const core::Diagnostic& diagnostic, bool colour);

/// At most 20 errors, then how many there are more; stale files, a line each, are not counted.
/// Notes are left out: a report shows them. With `lines_only` each error is its first line, and
/// warnings are left out, too.
[[nodiscard]] std::string render_problems(const core::Diagnostics& diagnostics,
                                          bool colour,
                                          bool lines_only = false);

/// The message with its details and its hint, a line each, and with `related` the other places,
/// where nothing else shows them.
[[nodiscard]] std::string message_text(const core::Diagnostic& diagnostic, bool related);

/// A path without "./", "//" and "folder/..", as code hosts know it.
[[nodiscard]] std::string plain_path(const std::string& path);

/// The notes among `found`, a line each: a terminal shows no notes elsewhere.
[[nodiscard]] std::string describe_notes(const core::Diagnostics& found);

}  // namespace memsize::cli
