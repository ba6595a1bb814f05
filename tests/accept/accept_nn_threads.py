"""Memory domains under eight threads, with ThreadSanitizer and with AddressSanitizer and UndefinedBehaviorSanitizer.

Every case in every thread on one service; readers of one buffer, which must see what was written; readers, writers, runs and
allocations on shared buffers at once, where contents may mix but every call must end as the documents allow. ThreadSanitizer
finds what it is there for: a reference whose lock is open, and one whose bytes are copied as plain ones.
"""

import os
import re
import subprocess
from pathlib import Path

from nn_cases import CASES, REFERENCE, build, case_sources, reference_sources
from support import Context, check, main, same, tool

# What makes it wrong, in a copy: file, what stands there, and what instead.
RACES = (
    ("buffers", "while (__atomic_exchange_n(&service->lock, 1U, __ATOMIC_ACQUIRE) != 0) {", "while (0) {"),
    ("bytes", "__atomic_store_n((word*)(void*)(target + at), value, __ATOMIC_RELAXED);", "*(word*)(void*)(target + at) = value;"),
)


def run(program: Path, rounds: int, *before: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*before, str(program), str(rounds)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1", "ASAN_OPTIONS": "detect_leaks=1"})
    # A kernel that spreads addresses more than the sanitizer knows.
    if "unexpected memory mapping" in done.stderr and not before:
        return run(program, rounds, tool("setarch"), "-R")
    return done


def build_threads(work: Path, name: str, sanitizers: str, sources: list[Path]) -> Path:
    return build(work / name, tool("clang"), ["-g", "-O1", f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all", "-pthread"],
                 [*sources, *case_sources(), CASES / "threads.c"])


def body(context: Context) -> str:
    said = []
    for name, sanitizers in (("thread", "thread"), ("address", "address,undefined")):
        done = run(build_threads(context.work, name, sanitizers, reference_sources()), 400)
        check(done.returncode == 0, f"{sanitizers}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[:4000]}")
        same(f"{sanitizers}: standard error", done.stderr, "")
        found = re.fullmatch(r"8 threads: (\d+) runs of cases, (\d+) calls on 3 shared buffers, 0 failed\n", done.stdout)
        check(found, f"{sanitizers}: {done.stdout[-2000:]}")
        said.append(found)
    for number, (name, old, new) in enumerate(RACES):
        text = (REFERENCE / f"{name}.c").read_text()
        same(f"'{old}' in {name}.c: places", text.count(old), 1)
        wrong = context.work / f"{name}.c"
        wrong.write_text(text.replace(old, new))
        sources = [wrong if path.stem == name else path for path in reference_sources()]
        done = run(build_threads(context.work, f"race{number}", "thread", sources), 400)
        check(done.returncode != 0 and "data race" in done.stderr, f"{name}.c with '{new}': no race is found")
    return f"{said[0][1]} runs of cases and {said[0][2]} calls by eight threads, twice; {len(RACES)} races are found"


if __name__ == "__main__":
    main(__doc__, body)
