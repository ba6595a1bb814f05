"""Every source and every public header compiles by itself, with every warning.

Where many sources are compiled at once, one may live on what another includes; and two that define one name compile only
where they stand apart. `BUILD` is a folder that cmake configured without MEMSIZE_UNITY, with clang.
"""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]


def without_output(words: list[str]) -> list[str]:
    """The words of a compilation that only looks."""
    at = words.index("-o")
    kept = words[:at] + words[at + 2:]
    kept.remove("-c")
    return [*kept, "-fsyntax-only"]


def compile_one(task: tuple[str, list[str], str]) -> str | None:
    name, words, folder = task
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return f"{name}\n{done.stderr}" if done.returncode != 0 else None


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: compile_alone.py BUILD", file=sys.stderr)
        return 2
    build = Path(sys.argv[1]).resolve()
    commands = [item for item in json.loads((build / "compile_commands.json").read_text()) if item["file"].endswith((".cpp", ".cxx"))]
    prepared = [item for item in commands if Path(item["file"]).name.startswith("cmake_pch")]
    for item in prepared:
        subprocess.run(shlex.split(item["command"]), cwd=item["directory"], check=True)
    tasks = []
    for item in commands:
        if item not in prepared:
            words = without_output(shlex.split(item["command"]))
            tasks.append((item["file"], words, item["directory"]))
    # A user has nothing but the header, so that nothing is precompiled for it.
    flags = [word for word in next(words for name, words, _ in tasks if "/src/core/" in name)
             if word.startswith(("-D", "-I", "-W", "-std"))]
    for header in sorted((SOURCE / "include").rglob("*.hpp")):
        words = ["clang++", *flags, "-Wno-pragma-once-outside-header", "-fsyntax-only", "-x", "c++", str(header)]
        tasks.append((str(header), words, str(build)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [problem for problem in pool.map(compile_one, tasks) if problem]
    print("\n".join(problems) if problems else f"{len(tasks)} files compile by themselves")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
