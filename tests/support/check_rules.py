"""The rules of the house that a compiler does not check.

Rooms include only rooms above them, and so do a room's folders; third-party headers stay in the rooms that own them; no name of a
board is in C++; files stay short; nothing is left undone; a namespace has one type of a name.
"""

import argparse
import fnmatch
import re
import sys
import tomllib
from pathlib import Path

ROOMS = ["core", "docs", "model", "readers", "chip", "board", "sizing", "plan", "network", "layout", "emit", "sdk", "runtime", "app", "cli"]

# Which rooms a room may include, besides itself.
ALLOWED = {
    "core": [],
    "docs": ["core"],
    "model": ["core", "docs"],
    "readers": ["core", "docs", "model"],
    "chip": ["core"],
    "board": ["core", "docs", "model", "chip"],
    "sizing": ["core", "model", "board"],
    "plan": ["core", "docs", "model", "board"],
    "network": ["core", "model", "board", "plan"],
    "layout": ["core", "model", "chip", "board"],
    "emit": ["core", "docs", "model", "chip", "board", "plan", "network", "layout"],
    "sdk": ["core", "docs", "model", "chip", "board", "layout", "emit"],
    "runtime": ["core", "model", "readers", "chip", "board", "sizing", "layout", "emit"],
    "app": ["core", "docs", "model", "readers", "chip", "board", "sizing", "plan", "network", "layout", "emit", "sdk", "runtime"],
    "cli": ROOMS,
}

# Which folders of its room a folder may include, beside itself; "" is what lies in no folder. An arrow of a folder's is
# that of its headers: src/<room>/<folder>/*.hpp, and the public ones that its sources include first.
FOLDERS = {
    "readers": {"": [], "plans": [""], "images": [], "nnapi": ["plans", ""]},
    "plan": {"solve": [], "judge": [], "": ["solve", "judge"]},
    "emit": {"verify": [], "": [], "consumers": ["", "verify"], "plans": [""], "modules": ["plans", ""], "networks": ["plans", ""]},
    "sdk": {
        "script": [],
        "csource": [],
        "formats": ["script", "csource"],
        "program": ["formats", "csource"],
        "tree": ["formats", "script", "csource"],
        "check": ["tree", "formats", "script", "csource"],
        "import": ["check", "tree", "formats", "script", "csource"],
        "edit": ["import", "check", "tree", "program", "formats", "script", "csource"],
        "why": ["check", "tree", "formats", "script", "csource"],
        "commit": [],
    },
}

# What computes what a core is told, and what it may not know, not even by way of another header: that judges it.
MAKERS = ["layout/resolve", "layout/resolve_chains", "layout/program_mpu", "layout/cover", "layout/translation", "emit/armv8_tables", "emit/mpu_words"]
JUDGE = "memsize/chip/lens.hpp"

# Files in one folder, more of which nobody overlooks.
FOLDER_LIMIT = 40

# Third-party headers and the rooms that may include them; "include" is the public headers.
THIRD_PARTY = {
    "fmt/": ROOMS + ["include"],
    "tl/expected.hpp": ["core", "include"],
    "toml++/": ["docs"],
    "zlib.h": ["core"],
    "re2/": ["readers"],
    "nettle/": ["core"],
    "yaml-cpp/": ["docs"],
    "nlohmann/": ["core", "docs"],
    "kainjow/": ["emit"],
    "flatbuffers/": ["readers", "emit"],
    "CLI/": ["cli"],
}

HEADER_LIMIT = 250
SOURCE_LIMIT = 800
# In strings they are what they are.
PREDEFINED = re.compile(r'(?<!["\w])(linux|unix)(?!["\w])')
UNDONE = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

# What begins in a line's first column, where clang-format puts namespaces and the types in them: a namespace
# (nothing: an anonymous one), a type that is defined and not only named, and the end of a namespace.
SCOPES = re.compile(
    r"^(?:namespace(?: (?P<opened>[\w:]+))? \{"
    r"|(?:struct|class|union|enum(?: class| struct)?) (?:\[\[[^\]]*\]\] )?"
    r"(?P<type>[\w:]+(?:<[^;{]*>)?)(?: final)?\s*(?::[^;{]*)?\{"
    r"|(?P<closed>\})  // namespace)",
    re.M,
)


def strip_comments(text: str) -> str:
    """C++ without comments; strings are kept."""
    pattern = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
    return pattern.sub(lambda m: m.group(0) if m.group(0).startswith('"') else " ", text)


def room_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).parts
    return parts[2] if parts[0] == "include" else parts[1]


def check_includes(path: Path, root: Path, text: str, problems: list[str]) -> None:
    room = room_of(path, root)
    public = path.relative_to(root).parts[0] == "include"
    for line in re.findall(r'^\s*#include\s+[<"]([^>"]+)[>"]', text, re.M):
        own = re.match(r"memsize/(\w+)/", line)
        if own:
            if own.group(1) != room and own.group(1) not in ALLOWED[room]:
                problems.append(f"{path}: room '{room}' includes '{line}', which is not above it")
            continue
        for prefix, rooms in THIRD_PARTY.items():
            if line.startswith(prefix) and ("include" if public else room) not in rooms:
                problems.append(f"{path}: '{line}' does not belong into this room")


def check_makers(root: Path, texts: dict[Path, str], problems: list[str]) -> None:
    for maker in MAKERS:
        start = root / "src" / f"{maker}.cpp"
        todo, seen = [start], set()
        while todo:
            path = todo.pop()
            for line in re.findall(r'^#include "([^"]+)"', texts[path], re.M):
                beside = [root / "include" / line, path.parent / line, root / "src" / room_of(start, root) / line]
                found = next((each for each in beside if each in texts), None)
                if line == JUDGE:
                    problems.append(f"{start}: it knows {JUDGE}, which judges what it makes, by way of {path.name}")
                elif found and found not in seen:
                    seen.add(found)
                    todo.append(found)


def folder_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).parts
    return parts[2] if parts[0] == "src" and len(parts) > 3 else ""


def check_folders(root: Path, texts: dict[Path, str], problems: list[str]) -> None:
    """The arrows between the folders of a room, and how much is in a folder."""
    for folder in sorted(path for path in (root / "src").rglob("*") if path.is_dir()):
        count = sum(path.is_file() for path in folder.iterdir())
        if count > FOLDER_LIMIT:
            problems.append(f"{folder}: {count} files; more than {FOLDER_LIMIT} are a folder of their own")
    owners: dict[str, set[str]] = {}
    for path, text in texts.items():
        first = re.search(r'^#include "(memsize/\w+/\w+\.hpp)"', text, re.M)
        if path.suffix == ".cpp" and first and first[1].split("/")[1] == room_of(path, root):
            owners.setdefault(first[1], set()).add(folder_of(path, root))
    for path, text in texts.items():
        room = room_of(path, root)
        if room not in FOLDERS or path.relative_to(root).parts[0] != "src":
            continue
        folder = folder_of(path, root)
        allowed = [folder, *FOLDERS[room].get(folder, [])]
        for line in re.findall(r'^#include "([^"]+)"', text, re.M):
            if line.startswith(f"memsize/{room}/"):
                found = owners.get(line, set())
            elif line.startswith("memsize/") or (path.parent / line).is_file():
                continue
            else:
                found = {line.split("/")[0] if "/" in line else ""}
            if found and not found & set(allowed):
                problems.append(f"{path}: '{folder}' includes '{line}' of '{min(found)}', which is not above it")


def check_tests(root: Path, problems: list[str]) -> None:
    """A source has a unit test of its name, or stands in the list of tests/unit/README.md; nothing else stands there."""
    folder = root / "tests" / "unit"
    rows = [re.findall(r"`([^`]+)`", cell) for line in (folder / "README.md").read_text().splitlines()
            for cell in line.split("|")[1:3] if line.startswith("| `")]
    listed, tests = sum(rows[::2], []), sum(rows[1::2], [])
    sources = [path.relative_to(root / "src").as_posix() for path in (root / "src").rglob("*.cpp")]
    others = [name for name in sources if not (folder / name).is_file()]
    used = {name: next((pattern for pattern in listed if fnmatch.fnmatch(name, pattern)), None) for name in others}
    problems += [f"{root}/src/{name}: has no unit test of its name, and tests/unit/README.md does not say what tests it"
                 for name, pattern in used.items() if pattern is None]
    problems += [f"{folder}/README.md: '{pattern}' is no source without a test of its name"
                 for pattern in listed if pattern not in used.values()]
    problems += [f"{folder}/README.md: there is no '{name}'" for name in tests
                 if not (folder / name).exists() and not (root / name).exists()]


def names_of_boards(root: Path) -> set[str]:
    names: set[str] = {file.stem for file in (root / "boards" / "memories").glob("*.toml")}
    for file in sorted((root / "boards").glob("*.toml")):
        board = tomllib.loads(file.read_text())
        names.add(file.stem)
        names.add(board.get("soc", file.stem))
        for table in ("core", "knob", "alias", "carveout", "group", "constant"):
            names.update(board.get(table, {}))
        for chain in board.get("chain", {}).values():
            names.update(item["name"] for item in chain.get("regions", []) if "name" in item)
        names.update(board.get("mmu", {}).get("entry", {}))
    return names


def check_names(path: Path, text: str, names: set[str], problems: list[str]) -> None:
    for number, line in enumerate(strip_comments(text).splitlines(), 1):
        # The examples of --help name real boards and knobs.
        if re.match(r'\s*"\s*memsize ', line):
            continue
        for word in re.findall(r"[A-Za-z_][\w-]*", line):
            if word in names:
                problems.append(f"{path}:{number}: '{word}' is a name of a board")


def check_types(path: Path | str, text: str, types: dict[str, str], problems: list[str]) -> None:
    """Two files that define one type differently break the rule of one definition, which no compiler sees."""
    scopes: list[str | None] = []
    for found in SCOPES.finditer(text):
        if found["closed"]:
            scopes[-1:] = []
        elif not found["type"]:
            scopes.append(found["opened"])
        elif None not in scopes:
            name = "::".join([*filter(None, scopes), found["type"]])
            place = f"{path}:{text.count(chr(10), 0, found.start()) + 1}"
            if types.setdefault(name, place) != place:
                problems.append(f"{place}: '{name}' is defined in {types[name]}, too: one of them needs another name")
    if scopes:
        problems.append(f"{path}: a namespace has no end with its name, '}}  // namespace'")


def two_types_are_found() -> bool:
    """What check_types() finds in files that are right and wrong on purpose."""
    inside = "namespace a {{\n{}\n}}  // namespace a\n"
    files = {
        "first": inside.format("struct Row {\n  struct Cell {};\n};\nenum class Kind { kOne };\nclass Later;"),
        "second": inside.format("class Later final\n    : public Row {\n};\nstruct Other {\n  struct Cell {};\n};"),
        "third": inside.format("namespace {\n\nstruct Row {};\n\n}  // namespace\nstruct Row;\nenum Kind : int;"),
        "fourth": "namespace b {\nstruct Row {};\n}  // namespace b\n",
        "wrong 1": inside.format("namespace {\n}  // namespace\n\nclass Row : public Base {"),
        "wrong 2": "namespace a {\nenum Kind : int { kOne };\n",
    }
    types: dict[str, str] = {}
    problems: list[str] = []
    for name, text in files.items():
        check_types(name, text, types, problems)
    starts = ["wrong 1:5: 'a::Row' is defined in first:2, ", "wrong 2:2: 'a::Kind' is defined in first:5, ", "wrong 2: "]
    return len(problems) == len(starts) and all(map(str.startswith, problems, starts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    root = parser.parse_args().source.resolve()
    problems: list[str] = []
    names = names_of_boards(root)
    types: dict[str, str] = {}
    if not two_types_are_found():
        problems.append(f"{__file__}: check_types() does not find what it is there for")
    files = sorted(
        path
        for folder in ("include", "src")
        for path in (root / folder).rglob("*")
        if path.suffix in (".hpp", ".cpp", ".def")
    )
    for path in files:
        text = path.read_text()
        check_includes(path, root, text, problems)
        check_names(path, text, names, problems)
        check_types(path, text, types, problems)
        limit = HEADER_LIMIT if path.suffix == ".hpp" else SOURCE_LIMIT
        if text.count("\n") > limit:
            problems.append(f"{path}: {text.count(chr(10))} lines, the limit is {limit}")
        if UNDONE.search(text):
            problems.append(f"{path}: something is left undone")
        if path.relative_to(root).parts[0] == "include" and PREDEFINED.search(strip_comments(text)):
            problems.append(f"{path}: 'linux' and 'unix' are macros where whoever includes this has GNU's extensions")
        if path.suffix == ".hpp" and "#pragma once" not in text:
            problems.append(f"{path}: no #pragma once")
    check_tests(root, problems)
    texts = {path: path.read_text() for path in files}
    check_folders(root, texts, problems)
    check_makers(root, texts, problems)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(names)} board names, {len(types)} types, {len(problems)} problems")
    return 1 if problems or not files or not names else 0


if __name__ == "__main__":
    sys.exit(main())
