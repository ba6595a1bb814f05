// Mustache templates with a strict context: a name that the view does not have is an error with the
// template's name, not an empty string.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/core/json.hpp"

#include <functional>
#include <string>
#include <vector>

namespace memsize::emit {

using core::Json;

/// How a value is written into the format so that it cannot end what it stands in.
using Escape = std::string (*)(const std::string&);

/// For text inside /* */ comments, in ASCII: compilers of some hosts read another character set,
/// and a byte of it may hide the end of a line. Code values are identifiers and numbers, checked
/// where they were read.
[[nodiscard]] std::string escape_comment(const std::string& text);
[[nodiscard]] std::string escape_html(const std::string& text);
/// For text and cells of tables.
[[nodiscard]] std::string escape_markdown(const std::string& text);

/// Renders `<name>/main.tmpl`, of the first of `folders` that has it, with `view`. A section's
/// names are looked up in the innermost object only.
[[nodiscard]] core::Result<std::string> render_template(core::FileSystem& files,
                                                        const std::vector<std::string>& folders,
                                                        const std::string& name,
                                                        const Json& view,
                                                        Escape escape);

/// A page of HTML: `page/style.css` and `page/script.js` are its `{{{style}}}` and `{{{script}}}`;
/// nobody looks for names in them.
[[nodiscard]] core::Result<std::string> render_page_template(
    core::FileSystem& files,
    const std::vector<std::string>& folders,
    const std::string& page,
    Json view);

}  // namespace memsize::emit
