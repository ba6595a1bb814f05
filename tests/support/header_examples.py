"""Makes a program of the examples in public headers: what stands below "/// Example:", indented by four blanks, of each.

Each becomes a function that gets a session and may fail as the library's own functions do; the program runs them all, in the
folder of the sources, and tells whose error it was.
"""

import argparse
import re
from pathlib import Path

EXAMPLE = re.compile(r"^///\n/// Example:\n((?:///(?:     [^\n]*)?\n)+)", flags=re.M)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", required=True, type=Path)
    parser.add_argument("--output", required=True, type=Path)
    options = parser.parse_args()
    headers, functions, calls = [], [], []
    for path in sorted(options.include.rglob("*.hpp")):
        name = path.relative_to(options.include).as_posix()
        for found in EXAMPLE.finditer(path.read_text(encoding="utf-8")):
            body = re.sub(r"^///(?:     )?", "  ", found[1], flags=re.M)
            headers.append(f'#include "{name}"')
            functions.append(f"core::Result<void> example_{len(calls)}([[maybe_unused]] app::Session& session) {{\n{body}  return {{}};\n}}\n")
            calls.append(f'  failures += run("{name}", example_{len(calls)}(session));')
    common = ["memsize/app/session.hpp", "memsize/board/load.hpp", "memsize/board/trace_format.hpp", "memsize/core/file_system.hpp",
              "memsize/readers/reader.hpp"]
    options.output.write_text("\n".join([
        "// Made of the examples in public headers.", "#undef NDEBUG", *sorted({*headers, *(f'#include "{name}"' for name in common)}), "",
        "#include <cassert>", "#include <cstdint>", "#include <iostream>", "", "using namespace memsize;", "", "namespace {", "", *functions,
        "int run(const char* header, const core::Result<void>& done) {", "  if (done) {", "    return 0;", "  }",
        '  std::cerr << header << ": " << done.error().front().message << "\\n";', "  return 1;", "}", "", "}  // namespace", "",
        "int main() {", "  core::RealFileSystem files;", '  app::Session session{files, app::data_folders(files, ".")};', "  int failures = 0;",
        *calls, f'  std::cout << "{len(calls)} examples, " << failures << " failures\\n";', "  return failures;", "}", ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
