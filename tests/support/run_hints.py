"""What a hint says to type works: every command and every setting that the fixtures' messages name is tried.

A hint may hold a whole command line ("memsize board show j722s lists them"), which must not be a usage error, or
settings ("--set KNOB=SIZE", "the largest KNOB that fits is SIZE"), which are added to the command that failed and must
not lead to the same error again, or more of the memories that a plan was given, which must be enough.
Words in capitals stand for what only the user knows: such a command is no complete one. Each is tried in a fresh
copy of its case, prepared as run_fixtures.py does, and pasted into a shell as it stands.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from run_fixtures import Broken, Case

VERB = re.compile(r"\bmemsize (analyze|emit|check|fit|plan|diff|validate|why|board|sdk|list|completion)\b")
INNER = {"board": {"list", "show", "check", "import"}, "sdk": {"status", "revert"},
         "list": {"readers", "emitters", "checks", "boards", "parts", "planners"}}
# "--set a=1 --set b=2" go together, "--set a=1 or --set a=2" are two ways.
SETTINGS = re.compile(r"--set \w+=\w+(?: --set \w+=\w+)*")
LARGEST = re.compile(r"the largest (\w+) that fits is (\d+) ?(B|[KMG]iB)\b")
CAPACITY = re.compile(r"a capacity of (\d+)")
MORE = re.compile(r"([\d\u202f\u00a0 ]+) B more in '(\w+)'")
PLACEHOLDER = re.compile(r"[A-Z]{3,}|KNOB=SIZE")
# What is told of the next map is not tried on the log of this one.
FOR_ANOTHER_RUN = re.compile(r"then trace the model again")
# Codes of what was typed.
MISUSE = {"usage", "knob.syntax", "knob.unknown", "board.unknown", "emit.unknown", "why.unknown", "text.size"}
SECONDS = 60


@dataclass
class Hints:
    memsize: str
    fixtures: Path
    options: dict[str, dict[str, bool]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    commands: int = 0
    settings: int = 0

    def options_of(self, verb: str) -> dict[str, bool]:
        """The options of a verb, and whether each takes a value."""
        if verb not in self.options:
            words = [[verb]] + [[verb, inner] for inner in sorted(INNER.get(verb, set()) - INNER["list"])]
            known: dict[str, bool] = {}
            for each in words:
                text = subprocess.run([self.memsize, *each, "--help-all"], capture_output=True, text=True, timeout=SECONDS).stdout
                for names, value in re.findall(r"(?m)^  ((?:-\w, )?--[\w-]+)( \S+)?", text):
                    for name in names.split(", "):
                        known[name] = bool(value)
            self.options[verb] = known
        return self.options[verb]

    def command_in(self, text: str, folder: Path) -> list[str] | None:
        """The words of the command line at the beginning of `text`, as long as they can be of one."""
        lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
        lexer.whitespace_split, lexer.commenters = True, ""
        words: list[str] = []
        try:
            for word in lexer:
                words.append(word)
        except ValueError:
            pass
        verb = words[1]
        kept, operands, at = words[:2], 0, 2
        while at < len(words):
            word = words[at].rstrip(";,:") if words[at].endswith((";", ",", ":")) else words[at]
            takes = self.options_of(verb).get(word.split("=", 1)[0])
            if takes is None and word != "--help":
                is_operand = word in INNER.get(verb, set()) or (folder / word).exists() or \
                    (verb == "board" and (self.fixtures.parent.parent / "boards" / f"{word}.toml").exists())
                if not is_operand:
                    break
            kept.append(word)
            operands += takes is None
            if takes and "=" not in word and at + 1 < len(words):
                at += 1
                kept.append(words[at].rstrip(";,"))
            if words[at].endswith((";", ",")):
                break
            at += 1
        given = [word for word in kept[2:] if not word.startswith("-")]
        lacks_operand = verb in ("plan", "diff") and operands == 0 or kept[-1] in ("show", "import")
        lacks_value = self.options_of(verb).get(kept[-1], False)
        complete = given and not lacks_operand and not lacks_value and not any(map(PLACEHOLDER.search, given))
        return kept[1:] if complete else None


def errors(stderr: str) -> set[tuple[str, str]]:
    return set(re.findall(r"(?m)^.*?: error\[([\w.-]+)\]: (.*)$", stderr))


def hints_of(stderr: str) -> list[tuple[str, set[tuple[str, str]]]]:
    """Each hint, with the error that it is of; none for those of warnings."""
    found = []
    for block in re.split(r"(?m)^(?=\S.*?: (?:error|warning)\[)", stderr):
        found += [(hint, errors(block)) for hint in re.findall(r"(?m)^ +hint: (.*)$", block)]
    return found


def ways_in(hint: str) -> list[tuple[str, ...]]:
    """The settings that a hint names, each way by itself."""
    if VERB.search(hint) or FOR_ANOTHER_RUN.search(hint):
        return []
    return [tuple(shlex.split(found)) for found in SETTINGS.findall(hint)] + \
        [("--set", f"{knob}={size}{'' if unit == 'B' else unit}") for knob, size, unit in LARGEST.findall(hint)]


def larger(words: list[str], hint: str) -> list[list[str]]:
    """The command lines that plan in memories as large as a hint says; none where they are not on the command line."""
    found = []
    for remedy in hint.split("; or "):
        more = {f"{name}=": int(re.sub(r"\D", "", size)) for size, name in MORE.findall(remedy)}
        capacity = CAPACITY.match(remedy)
        changed = list(words)
        for at, (option, word) in enumerate(zip(words, words[1:]), 1):
            name, equals, rest = word.partition("=")
            size = re.match(r"(\d+)(K|M)?(iB)?", rest)
            if option == "--capacity" and capacity:
                changed[at] = capacity[1]
            elif option == "--memory" and size and name + equals in more:
                bytes_now = int(size[1]) * {None: 1, "K": 1 << 10, "M": 1 << 20}[size[2]]
                changed[at] = f"{name}={bytes_now + more[name + equals]}{rest[size.end():]}"
        if changed != words and not remedy.startswith("for this plan"):
            found.append(changed)
    return found


def try_case(hints: Hints, folder: Path) -> tuple[int, int, list[str]]:
    """How many commands and settings a case's messages name, and what is wrong with them."""
    problems: list[str] = []
    name = f"{folder.parent.name}/{folder.name}"

    def fresh(scratch: str) -> tuple[Case, list[str]]:
        case = Case(hints.memsize, hints.fixtures, folder, Path(scratch).resolve())
        *directives, command = folder.joinpath("cmd").read_text().rstrip("\n").split("\n")
        for line in directives:
            case.prepare(*case.words(line.removeprefix("#")))
        return case, case.words(command)

    with tempfile.TemporaryDirectory() as scratch:
        case, words = fresh(scratch)
        done = case.memsize_run(words)
        said = (done.stderr or b"").decode("utf-8", "replace")
        printed = (done.stdout or b"").decode("utf-8", "replace")
        texts = hints_of(said) + [(text, set()) for text in re.findall(r"(?m)^(?:to write the map|.*size it with): (memsize emit .*)$", printed)]
        commands = {(tuple(command), frozenset(own)) for text, own in texts for found in VERB.finditer(text)
                    if (command := hints.command_in(text[found.start():], case.folder))}
        ways = {(way, frozenset(own)) for text, own in texts for way in ways_in(text)}
        plans = [line for text, own in texts if any(code == "plan.does-not-fit" for code, _ in own) for line in larger(words, text)]
    for command, own in sorted(commands, key=str):
        with tempfile.TemporaryDirectory() as scratch:
            case, _ = fresh(scratch)
            done = case.memsize_run(list(command))
            again = errors(done.stderr.decode("utf-8", "replace"))
            if any(code in MISUSE for code, _ in again) or own & again:
                problems.append(f"{name}: memsize {shlex.join(command)}: exit {done.returncode}\n{done.stderr.decode()}")
    for way, own in sorted(ways, key=str):
        with tempfile.TemporaryDirectory() as scratch:
            case, words = fresh(scratch)
            done = case.memsize_run([*words, *way])
            again = own & errors(done.stderr.decode("utf-8", "replace"))
            if again:
                problems.append(f"{name}: with {shlex.join(way)} it fails with the same words:\n{sorted(again)}")
    for line in plans:
        with tempfile.TemporaryDirectory() as scratch:
            case, _ = fresh(scratch)
            done = case.memsize_run(line)
            if b"error[plan.does-not-fit]" in done.stderr:
                problems.append(f"{name}: memsize {shlex.join(line)}: exit {done.returncode}\n{done.stderr.decode()}")
    return len(commands), len(ways) + len(plans), problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--fixtures", required=True, type=Path)
    parser.add_argument("--only", default="", help="cases whose <code>/<case> contains this")
    options = parser.parse_args()
    hints = Hints(str(options.memsize.resolve()), options.fixtures)
    for verb in ("analyze", "emit", "check", "plan", "diff", "validate", "why", "board", "sdk", "list", "completion"):
        hints.options_of(verb)
    cases = sorted(path.parent for path in options.fixtures.glob("*/*/cmd"))
    cases = [case for case in cases if options.only in f"{case.parent.name}/{case.name}"]

    def attempt(case: Path) -> tuple[int, int, list[str]]:
        try:
            return try_case(hints, case)
        except Broken as problem:
            return 0, 0, [f"{case.parent.name}/{case.name}: {problem}"]

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(pool.map(attempt, cases))
    problems = [problem for _, _, found in results for problem in found]
    print("".join(f"{problem}\n" for problem in problems), end="")
    commands, ways = sum(result[0] for result in results), sum(result[1] for result in results)
    print(f"{commands} commands and {ways} settings of hints, {len(problems)} problems")
    enough = options.only or (commands >= 20 and ways >= 10)
    return 1 if problems or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
