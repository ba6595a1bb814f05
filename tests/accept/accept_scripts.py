"""Scripts find their own tree, whatever CDPATH says, and quickstart builds what README uses.

Each script is started by a relative path from the tree's folder, with CDPATH leading to a tree that is not ours, and with
programs that only write down where they were called: nothing is built, and nothing of the other tree may run.
"""

import os
import re
import subprocess
from pathlib import Path

from support import SOURCE, Context, check, main, read, same, tool

SCRIPTS = {"samples/quickstart.sh": (), "tests/run.sh": ("--quick",), "tests/fuzz/run.sh": ("1",), "tests/bench/run.sh": ()}
# What the scripts call before and while they build.
PROGRAMS = ("cmake", "ctest", "git", "xargs", "clang-format", "apt-get", "sudo", "python3", "ninja", "nproc", "dpkg-query")


def stubs(folder: Path) -> Path:
    folder.mkdir()
    for name in PROGRAMS:
        # As installed packages say it; whatever builds fails, so that a script ends.
        answer = "echo 'install ok installed'" if name == "dpkg-query" else "exit 0" if name in ("git", "xargs") else "exit 1"
        (folder / name).write_text(f'#!/bin/sh\necho "{name} $PWD" >> "$CALLS"\n{answer}\n', encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def other_tree(folder: Path) -> Path:
    """The same folders, with files that leave a mark when they run."""
    for script in (*SCRIPTS, "tests/support/install.sh"):
        path = folder / script
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"touch {folder}/PWN\nbuild_packages=() test_packages=()\ninstall_missing() {{ :; }}\n", encoding="utf-8")
    return folder


def check_scripts(context: Context) -> int:
    bash, path = tool("bash"), stubs(context.work / "bin")
    other = other_tree(context.work / "other")
    ours = {str(file.relative_to(SOURCE)) for folder in ("samples", "tests") for file in (SOURCE / folder).rglob("*.sh")
            if re.search(r"^cd ", read(file), re.M) and "support" not in file.parts}
    same("scripts that go to the tree's folder", ours, set(SCRIPTS))
    for script, words in SCRIPTS.items():
        calls = context.work / (script.replace("/", "-") + ".calls")
        environment = {**os.environ, "CDPATH": str(other), "CALLS": str(calls), "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run([bash, script, *words], cwd=SOURCE, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, env=environment)
        check(not (other / "PWN").exists(), f"{script} ran what CDPATH leads to")
        check(calls.exists(), f"{script} called nothing\n{done.stdout}{done.stderr}")
        folders = {line.split(" ", 1)[1] for line in read(calls).splitlines()}
        same(f"{script} works in", {os.path.realpath(folder) for folder in folders}, {os.path.realpath(SOURCE)})
    return len(SCRIPTS)


def check_quickstart(context: Context) -> None:
    """It builds by the commands of README, so that all of README's programs are there afterwards."""
    script, readme = read(SOURCE / "samples" / "quickstart.sh"), read(SOURCE / "README.md")
    section = readme[readme.index("## Build, install"):]
    build = [line for line in section[:section.index("--install")].splitlines() if line.startswith("cmake --")]
    wanted = [re.sub(r" >/dev/null$", "", line) for line in script.splitlines() if line.startswith("cmake --")]
    same("what quickstart.sh builds", wanted, build[:2])
    check("--target" not in script, "quickstart.sh builds a part only")


def body(context: Context) -> str:
    count = check_scripts(context)
    check_quickstart(context)
    return f"{count} scripts find their own tree; quickstart.sh builds everything"


if __name__ == "__main__":
    main(__doc__, body)
