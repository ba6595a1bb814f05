"""Where the reference of memory domains and its cases are, and how they become a program."""

import re
import subprocess
from pathlib import Path
from typing import Sequence

from support import SOURCE, check

REFERENCE = SOURCE / "src" / "runtime" / "target" / "nn"
HOST = SOURCE / "src" / "runtime" / "target" / "host"
CASES = SOURCE / "tests" / "runtime" / "nn"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
STANDARD = ["-std=c11", "-D_POSIX_C_SOURCE=200809L"]
INCLUDE = [f"-I{REFERENCE}", f"-I{HOST}", f"-I{CASES}"]


def reference_sources() -> list[Path]:
    return sorted(REFERENCE.glob("*.c"))


def case_sources() -> list[Path]:
    return [CASES / name for name in ("cases.c", "run.c", "world.c")]


def build(program: Path, compiler: str, options: Sequence[str], sources: Sequence[Path]) -> Path:
    done = subprocess.run([compiler, *STANDARD, *WARNINGS, *options, *INCLUDE, *map(str, sources), "-o", str(program)],
                          capture_output=True, text=True, timeout=300)
    check(done.returncode == 0, f"{program.name} does not build with {compiler}:\n{done.stderr[:4000]}")
    return program


def build_process(work: Path, compiler: str, options: Sequence[str]) -> Path:
    """The cases, one after another."""
    return build(work / "nn_cases", compiler, options, [*reference_sources(), *case_sources(), CASES / "main.c"])


def numbers_of(text: str) -> tuple[int, int, int]:
    """Cases, runs and failures, of a run's last line."""
    found = re.search(r"^(\d+) cases, (\d+) runs, (\d+) failed\n\Z", text, re.M)
    check(found, f"no last line: {text[-400:]}")
    return int(found[1]), int(found[2]), int(found[3])
