"""What `fit` says a set needs is what `analyze` of the same inputs suggests, for every set of five logs of which three are of
real boards; twenty models are looked at set by set; and what `check --headroom` proposes makes the map pass, while each size
that it raised is needed: a step less, and the log does not fit, or the map's MMU cannot map it."""

import argparse
import itertools
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from support import FEW

SOURCE = Path(__file__).resolve().parents[2]
LOGS = SOURCE / "tests" / "data" / "ti" / "logs"
MIB = 1 << 20


class Test:
    def __init__(self, memsize: Path, folder: Path):
        self.memsize, self.folder, self.problems = memsize, folder, []

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(self.memsize), *words], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              check=False)

    def document(self, *words: str) -> dict:
        return json.loads(self.run(*words, "--json").stdout)

    def wrong(self, what: str) -> None:
        self.problems.append(what)

    def on_one_core(self, path: Path) -> str:
        """The log with another core's name before its lines."""
        text = path.read_text(encoding="utf-8", errors="replace")
        (self.folder / path.name).write_text(re.sub(r"\[C7x_\d", "[C7x_1", text))
        return path.name

    def check_needs(self) -> int:
        logs = [self.on_one_core(path) for path in (
            LOGS / "01_j722s_sdk11.01_appnote_mobilenet_c7x2_memrec.log",
            LOGS / "03_j721e_tvm_guide_memrec_bytes_truncated.log",
            LOGS / "04_am62a_tools11.02_deit_totals_only.log",
            SOURCE / "samples" / "fit" / "detector.log", SOURCE / "samples" / "fit" / "segmenter.log")]
        sets = [one for size in range(1, 6) for one in itertools.combinations(logs, size)]
        boards = (("j722s-sdk11", ("--one-priority", "--headroom", "512KiB")), ("j722s", ("--instances", "apart")),
                  ("j722s-sdk11", ()), ("j721e", ()))
        if FEW:
            boards, sets = boards[:2], sets[::3]
        for board, options in boards:
            for members in sets:
                words = (*members, "--board", board, "--core", "c7x_1", *options)
                suggested = {demand["knob"]: demand["suggested_bytes"]
                             for core in self.document("analyze", *words)["cores"] for demand in core["demands"]
                             if "suggested_bytes" in demand}
                together = self.document("fit", *words, "--budget", "1GiB", "--accept-generation")["together"]
                needs = {heap["knob"]: heap["need_bytes"] for core in together["cores"] for heap in core["heaps"]}
                if needs != suggested or together["need_bytes"] != sum(suggested.values()):
                    self.wrong(f"{words}: fit says {needs}, analyze {suggested}")
        return len(boards) * len(sets)

    def many_models(self) -> None:
        """Twenty that differ, of which about half fit: every set is known."""
        text = (SOURCE / "samples" / "fit" / "segmenter.log").read_text()
        rows = text[: text.index("Total memory")].splitlines(True)[:-1]
        for number in range(20):
            kib = 2048 + 397 * number
            (self.folder / f"m{number:02}.log").write_text("".join(rows).replace("7168.00 ", f"{kib}.00 "))
        names = [f"m{number:02}.log" for number in range(20)]
        found = self.document("fit", *names, "--board", "j722s-sdk11", "--core", "c7x_2", "--budget", "180MiB")
        if not found.get("complete") or found.get("maximal_count", 0) < 1000:
            self.wrong(f"twenty models: {found.get('maximal_count')} maximal sets, {found['diagnostics'][:2]}")

    def check_gate(self) -> int:
        trace = str(SOURCE / "samples" / "j722s-mobilenet" / "trace.log")
        gates = 0
        for log, headroom in itertools.product(("detector", "segmenter"), ("10%", "0", "3MiB", "80%")):
            new = str(SOURCE / "samples" / "fit" / f"{log}.log")
            out = f"map-{log}-{headroom.removesuffix('%')}"
            self.run("emit", "--board", "j722s-sdk11", "--trace", trace, "--out", out)
            if log == "segmenter" and self.run("check", "--map", out, "--log", trace, "--headroom", "10%").returncode != 0:
                self.wrong(f"{out} has no room for what it was made of")
            gate = ("check", "--map", out, "--log", new, "--headroom", headroom)
            before = self.run(*gate)
            hint = re.search(r"hint: (memsize emit .*)", before.stderr)
            lacking = set(re.findall(r"of '(\w+)' and", before.stderr))
            if log == "detector" and not lacking:
                continue
            if before.returncode != 3 or hint is None:
                self.wrong(f"{gate}: {before.returncode}, {before.stderr}")
                continue
            command = shlex.split(hint[1])[1:]
            done = self.run(*command)
            after = self.run(*gate)
            if done.returncode != 0 or after.returncode != 0:
                self.wrong(f"{hint[1]}: {done.stderr} {after.stderr}")
            gates += 1
            for at, word in enumerate(command):
                knob, _, size = word.partition("=")
                if not size.endswith("MiB") or not any(knob.upper().removesuffix("_SIZE") == name for name in lacking):
                    continue
                less = [*command[:at], f"{knob}={int(size[:-3]) - 1}MiB", *command[at + 1:]]
                less[less.index("--out") + 1] = f"{out}-less"
                smaller = self.run(*less)
                gate_less = self.run("check", "--map", f"{out}-less", "--log", new, "--headroom", headroom)
                if smaller.returncode == 0 and gate_less.returncode == 0:
                    self.wrong(f"{' '.join(less)}: one MiB less is enough")
        return gates


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memsize", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        test = Test(arguments.memsize.resolve(), Path(folder))
        sets = test.check_needs()
        test.many_models()
        gates = test.check_gate()
    if gates < 4:
        test.wrong(f"only {gates} maps were enlarged")
    for problem in test.problems[:20]:
        print(f"accept_fit: {problem}")
    print(f"accept_fit: {sets} sets, {gates} maps enlarged, {len(test.problems)} problems")
    return 1 if test.problems else 0


if __name__ == "__main__":
    sys.exit(main())
