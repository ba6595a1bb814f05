"""Runs a command and compares everything it writes, byte for byte, with what it wrote before.

A case is a folder with `cmd` (one line of arguments; {OUT} is an empty folder, the working directory is
the source tree), `stdout`, and `out/` (what must stand in {OUT} afterwards; of pages without styles and scripts). MEMSIZE_BLESS=1 rewrites the
last two: read the difference before committing it.
"""

import argparse
import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def content_of(path: Path) -> bytes:
    """A page without its style sheet and its script, which are templates."""
    content = path.read_bytes()
    if path.suffix == ".html":
        content = re.sub(rb"(<style>|<script>).*?(?=</style>|</script>)", rb"\1", content, flags=re.S)
    return content


def tree(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        return {}
    return {
        str(path.relative_to(folder)): content_of(path)
        for path in sorted(folder.rglob("*"))
        # Not what memsize remembers of a folder that it wrote to.
        if path.is_file() and ".memsize" not in path.parts
    }


def difference(name: str, old: bytes, new: bytes) -> str:
    lines = difflib.unified_diff(
        old.decode(errors="replace").splitlines(),
        new.decode(errors="replace").splitlines(),
        f"expected/{name}",
        f"written/{name}",
        lineterm="",
    )
    return "\n".join(lines)


def run_case(memsize: str, source: Path, case: Path, bless: bool) -> list[str]:
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out"
        arguments = [
            word.replace("{OUT}", str(out)) for word in shlex.split((case / "cmd").read_text())
        ]
        environment = {**os.environ, "LC_ALL": "C", "NO_COLOR": "1", "XDG_CACHE_HOME": os.devnull}
        done = subprocess.run(
            [memsize, *arguments], cwd=source, env=environment, capture_output=True, check=False
        )
        if done.returncode != 0:
            return [f"{case.name}: exit {done.returncode}: {done.stderr.decode(errors='replace')}"]
        stdout = done.stdout.replace(str(out).encode(), b"{OUT}")
        written = tree(out)
    if bless:
        shutil.rmtree(case / "out", ignore_errors=True)
        (case / "stdout").write_bytes(stdout)
        for name, content in written.items():
            (case / "out" / name).parent.mkdir(parents=True, exist_ok=True)
            (case / "out" / name).write_bytes(content)
        return []
    expected = tree(case / "out")
    problems = []
    if (case / "stdout").read_bytes() != stdout:
        problems.append(difference("stdout", (case / "stdout").read_bytes(), stdout))
    for name in sorted(expected.keys() | written.keys()):
        if expected.get(name) != written.get(name):
            problems.append(difference(name, expected.get(name, b""), written.get(name, b"")))
    return [f"{case.name}:\n{problem}" for problem in problems]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True)
    parser.add_argument("--source", required=True, type=Path)
    options = parser.parse_args()
    bless = os.environ.get("MEMSIZE_BLESS") == "1"
    cases = sorted(path.parent for path in (options.source / "tests/golden").glob("*/cmd"))
    problems = []
    for case in cases:
        problems += run_case(options.memsize, options.source, case, bless)
    for problem in problems:
        print(problem)
    print(f"{len(cases)} golden cases, {len(problems)} differences{', blessed' if bless else ''}")
    return 1 if problems or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
