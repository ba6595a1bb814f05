"""Every source and every public header compiles by itself, with every warning.

Where many sources are compiled at once, one may live on what another includes; and two that define one name compile only
where they stand apart. `BUILD` is a folder that cmake configured without MEMSIZE_UNITY, with clang.

Most of such a compilation is headers of the project that many other files include as well. They are precompiled: for each
file only those that it includes anyway, by whatever way, so that none of them hides that another one is missing.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+\.hpp)"', re.MULTILINE)
# What precompiling costs beside the headers, as bytes of headers that could be read in that time.
PRECOMPILING = 500_000


@dataclass(frozen=True)
class Task:
    """`words` compile the file, but for its name and what is precompiled; includes are looked for in `folders`."""

    file: Path
    words: tuple[str, ...]
    precompiled: tuple[str, ...]
    folders: tuple[Path, ...]
    folder: str

    def headers(self) -> tuple[Path, ...]:
        return included(self.file, self.folders)[:-1]


@dataclass(eq=False)
class Node:
    """Files that include all of `headers`, which have `size` bytes, and those that include more."""

    headers: tuple[Path, ...] = ()
    size: int = 0
    tasks: list[Task] = field(default_factory=list)
    more: dict[Path, "Node"] = field(default_factory=dict)
    costs: dict[int, tuple[int, bool]] = field(default_factory=dict)

    def cost(self, there: int) -> tuple[int, bool]:
        """Bytes to be read where `there` of them are precompiled; and whether this node's headers are to be, too."""
        if there not in self.costs:
            children = list(self.more.values())
            read = len(self.tasks) * (self.size - there) + sum(child.cost(there)[0] for child in children)
            made = read
            # Of nodes in a row the last one is as good.
            if self.size > there and len(children) + len(self.tasks) > 1:
                made = PRECOMPILING + self.size + sum(child.cost(self.size)[0] for child in children)
            self.costs[there] = min(read, made), made < read
        return self.costs[there]


@cache
def included(file: Path, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """The project's headers that the file includes, each behind those that it needs itself; and the file."""
    found: dict[Path, None] = {}
    for name in INCLUDE.findall(file.read_text()):
        header = next((folder / name for folder in (file.parent, *folders) if (folder / name).is_file()), None)
        if header is not None:
            found.update(dict.fromkeys(included(header.resolve(), folders)))
    return (*found, file)


def source_task(item: dict[str, str]) -> Task:
    words = shlex.split(item["command"])
    at = words.index("-o")
    words = [word for word in words[:at] + words[at + 2:] if word not in ("-c", item["file"])]
    precompiled: tuple[str, ...] = ()
    if "-include-pch" in words:
        at = words.index("-include-pch") - 1
        precompiled = tuple(words[at:at + 4])
        del words[at:at + 4]
    folders = tuple(Path(word[2:]) for word in words if word.startswith("-I"))
    return Task(Path(item["file"]), (*words, "-x", "c++"), precompiled, folders, item["directory"])


def tasks_of(build: Path) -> list[Task]:
    """All that is compiled, and the public headers."""
    tasks = []
    for item in json.loads((build / "compile_commands.json").read_text()):
        if Path(item["file"]).name.startswith("cmake_pch"):
            subprocess.run(shlex.split(item["command"]), cwd=item["directory"], check=True)
        elif item["file"].endswith(".cpp"):
            tasks.append(source_task(item))
    # A user has nothing but the header, so that nothing else is there with it.
    core = next(task for task in tasks if "/src/core/" in str(task.file))
    flags = [word for word in core.words if word.startswith(("-D", "-I", "-W", "-std"))]
    words = ("clang++", *flags, "-Wno-pragma-once-outside-header", "-x", "c++")
    return tasks + [Task(header, words, (), core.folders, str(build)) for header in sorted((SOURCE / "include").rglob("*.hpp"))]


def tree_of(tasks: list[Task]) -> Node:
    """What is included most often is next to the root."""
    often = Counter(header for task in tasks for header in task.headers())
    root = Node()
    for task in tasks:
        node = root
        for header in sorted(task.headers(), key=lambda header: -often[header]):
            node = node.more.setdefault(header, Node((*node.headers, header), node.size + header.stat().st_size))
        node.tasks.append(task)
    return root


def grouped(tasks: list[Task]) -> list[tuple[Node, list[Task]]]:
    """Whose headers are worth to be precompiled, and for which files; the first one is for the rest."""
    root = tree_of(tasks)
    groups: dict[Node, list[Task]] = {root: []}
    waiting = [(root, root)]
    while waiting:
        node, above = waiting.pop()
        if node.cost(above.size)[1]:
            above = node
        groups.setdefault(above, []).extend(node.tasks)
        waiting += [(child, above) for child in node.more.values()]
    return list(groups.items())


def precompile(headers: tuple[Path, ...], task: Task, result: Path) -> tuple[str, ...]:
    if not headers:
        return task.precompiled
    text = result.with_suffix(".hpp")
    text.write_text("".join(f'#include "{header}"\n' for header in headers))
    subprocess.run([*task.words, "-x", "c++-header", str(text), "-o", str(result)], cwd=task.folder, check=True)
    return ("-include-pch", str(result))


def problem_of(task: Task, precompiled: tuple[str, ...]) -> str | None:
    words = [*task.words, *precompiled, "-fsyntax-only", str(task.file)]
    done = subprocess.run(words, cwd=task.folder, capture_output=True, text=True, check=False)
    return f"{task.file}\n{done.stderr}" if done.returncode != 0 else None


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: compile_alone.py BUILD", file=sys.stderr)
        return 2
    build = Path(sys.argv[1]).resolve()
    folder = build / "by_itself"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    kinds: dict[tuple[str, ...], list[Task]] = defaultdict(list)
    for task in tasks_of(build):
        kinds[tuple(word for word in task.words if not word.startswith("-I"))].append(task)
    groups = [group for tasks in kinds.values() for group in grouped(tasks) if group[1]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [folder / f"{number}.pch" for number in range(len(groups))]
        made = pool.map(lambda group, result: precompile(group[0].headers, group[1][0], result), groups, results)
        ready = [(task, words) for (_, tasks), words in zip(groups, made) for task in tasks]
        problems = [problem for problem in pool.map(lambda item: problem_of(*item), ready) if problem]
    print("\n".join(problems) if problems else f"{len(ready)} files compile by themselves")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
