"""What a person sees in a terminal: the default report is short and narrow, colour comes and goes as it is asked for, help has no
words of the parser, and bash, zsh and fish complete verbs, options and values."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

from support import SOURCE, TRACE, Context, check, main, same, tool

BOARD = "j722s-sdk11"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def in_terminal(context: Context, columns: int, *words: object, **environment: str) -> str:
    """Standard output and error on a terminal of that many columns."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    settings = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen([str(context.memsize), *map(str, words)], stdin=subprocess.DEVNULL, stdout=child, stderr=child,
                               cwd=SOURCE, env={**settings, "TERM": "xterm", **environment})
    os.close(child)
    shown = b""
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(parent)
    process.wait(timeout=60)
    return shown.decode().replace("\r\n", "\n")


def check_report(context: Context) -> None:
    trace = TRACE.relative_to(SOURCE)
    shown = in_terminal(context, 80, "analyze", trace, "--board", BOARD)
    plain = ESCAPE.sub("", shown)
    lines = plain.splitlines()
    same("verdict", lines[0], "c7x_2 needs 19 of 256 MiB; 237 MiB go back to Linux")
    check(len(lines) <= 24, f"the report has {len(lines)} lines")
    # What is pasted is one line, however long it is.
    wide = [line for line in lines if len(line) > 80 and not line.startswith("to write the map: ")]
    same("lines of more than 80 columns", wide, [])
    check(shown.startswith("\x1b[1m"), "the verdict is not bold")
    notes = [line for line in lines[lines.index("notes"):] if line.startswith("  - ")]
    check(len(notes) <= 6, f"{len(notes)} notes")

    # The numbers are those of the document.
    document = json.loads(context.run("analyze", TRACE, "--board", BOARD, "--json").stdout)
    for demand in document["cores"][0]["demands"]:
        name = f"{demand['cacheability']} {demand['lifetime']}"
        row = next(line for line in lines if line.startswith(f"  {name} ")).split()
        same(f"{name}: now and suggested", [int(row[-3]), int(row[-1])],
             [demand["current_bytes"] >> 20, demand["suggested_bytes"] >> 20])
        used = max(demand["requested_bytes"], demand["bound_bytes"], demand["extent_bytes"])
        check(abs(float(row[-5]) - used / 2**20) < 0.011, f"{name}: used is {row[-5]} of {used}")
        share = 100 * used / demand["current_bytes"]
        check(abs(int(row[-4]) - max(1, share)) <= 0.5, f"{name}: {row[-4]} % of {share}")
        same(f"{name}: marks", row[-6].count("#"), max(1, round(share / 10)))

    # A size that may not do stands beside the number in every format.
    caveat = "SDK 12.0 needs 9 MiB"
    for words in ([], ["-v"], ["--markdown"], ["--csv"], ["--json"], ["--explain"]):
        said = context.run("analyze", TRACE, "--board", "j722s", *words, expect=(0, 1)).stdout
        check(caveat in said, f"analyze {words} does not say '{caveat}'")
    narrow = context.run("analyze", TRACE, "--board", "j722s").stdout.splitlines()
    same("lines of more than 80 columns", [line for line in narrow if len(line) > 80 and str(TRACE) not in line], [])

    # From 120 columns, or with -v, every figure.
    for words, columns in (([], 130), (["-v"], 80)):
        check("requested" in in_terminal(context, columns, "analyze", trace, "--board", BOARD, *words), f"{columns} {words}: no figures")
    same("-q", context.run("analyze", TRACE, "--board", BOARD, "-q").stdout, lines[0] + "\n")
    quiet = context.run("emit", "--board", "j722s", "--out", "quiet", "-q")
    same("emit -q", quiet.stdout + quiet.stderr, "")


def check_colour(context: Context) -> None:
    context.run("emit", "--board", "j722s", "--out", "map")
    words = ("emit", "--board", "j722s", "--set", "c7x_2_ddr_scratch_size=9MiB", "--out", context.work / "map", "--diff")
    has = lambda text: ESCAPE.search(text) is not None
    check(has(in_terminal(context, 80, *words)), "a terminal has no colour")
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        check(not has(in_terminal(context, 80, *words, **environment)), f"colour with {environment}")
    check(not has(in_terminal(context, 80, *words, "--color", "never")), "colour with --color never")
    check(has(in_terminal(context, 80, *words, "--color", "always", NO_COLOR="1")), "no colour with --color always")
    check(not has(context.run(*words).stdout), "colour in a file")
    painted = context.run(*words, "--color", "always").stdout
    check(re.search(r"^\x1b\[31m-.*\x1b\[0m$", painted, re.M) and re.search(r"^\x1b\[32m\+.*\x1b\[0m$", painted, re.M),
          "lines of a difference are not red and green")
    # What moves a terminal's cursor is shown as a blank.
    check(ESCAPE.sub("", painted) == context.run(*words).stdout.replace("\t", " "), "colours change the text")


def check_help(context: Context) -> int:
    bare = context.run()
    check("Verbs:" in bare.stdout and not bare.stderr, "memsize alone shows no help")
    same("-V", context.run("-V").stdout, context.run("--version").stdout)
    verbs = re.findall(r"^  (\w+)  ", bare.stdout[bare.stdout.index("Verbs:"):bare.stdout.index("Options:")], re.M)
    check(len(verbs) > 10, f"verbs: {verbs}")
    count = 0
    for verb in verbs:
        same(f"help {verb}", context.run("help", verb).stdout, context.run(verb, "--help").stdout)
        inner = re.findall(r"^  (\w+)  ", context.run(verb, "--help").stdout.partition("Verbs:")[2].partition("\n\n")[0], re.M)
        for words in ([verb], *([verb, each] for each in inner)):
            for flag in ("--help", "--help-all"):
                text = context.run(*words, flag).stdout
                count += 1
                check(not re.search(r"\b(TEXT|Excludes|Needs|REQUIRED)\b", text), f"{words} {flag} has words of the parser")
                wide = [line for line in text.splitlines() if len(line) > 100]
                same(f"{words} {flag}: lines of more than 100 columns", wide, [])
            known = set(re.findall(r"--[a-z][a-z-]+", text))
            short = set(re.findall(r"--[a-z][a-z-]+", context.run(*words, "--help").stdout))
            check(short - {"--help-all"} <= known | {"--help"}, f"{words}: --help-all lacks {short - known}")
    return count


# What is typed, and what must be among what is offered.
COMPLETIONS = [
    (["va"], ["validate"]),
    (["emit", "--bo"], ["--board"]),
    (["emit", "--board", "j722s-s"], ["j722s-safertos", "j722s-sdk11"]),
    (["plan", "--board", "apollo51"], ["apollo510", "apollo510b"]),
    (["emit", "--board", "j722s", "--set", "c7x_1_ddr_scratch_s"], ["c7x_1_ddr_scratch_size="]),
    (["emit", "--only", "map"], ["map-json"]),
    (["emit", "--only", "map-json,ht"], ["map-json,html"]),
    (["emit", "--board=j722s-s"], ["--board=j722s-safertos", "--board=j722s-sdk11"]),
    (["emit", "--board=j722s", "--set", "c7x_1_ddr_scratch_s"], ["c7x_1_ddr_scratch_size="]),
    (["plan", "--as="], ["--as=chrome-trace"]),
    (["plan", "--as", "chrome"], ["chrome-trace"]),
    (["validate", "--on", "q"], ["qemu"]),
    (["report", "--only", ""], ["svg"]),
    (["check", "--sdk", "{sdk}", "--soc", "zx"], ["zx9"]),
    (["why", "--board", "j722s", "DDR_SHARED"], ["DDR_SHARED_MEM"]),
    (["analyze", "--board", "j722s", "--core", "c7x"], ["c7x_1", "c7x_2"]),
    (["help", "ana"], ["analyze"]),
    (["board", "sh"], ["show"]),
]


def option_of(word: str) -> str:
    """What stands before the value: "--board="."""
    return word[:word.index("=") + 1] if word.startswith("--") and "=" in word else ""


def bash_offers(script: str, words: list[str]) -> list[str]:
    # Its line editor takes words apart at "=", and wants answers for the last part.
    parts: list[str] = []
    for word in words:
        option = option_of(word)
        parts += [part for part in (option[:-1], option[-1:], word[len(option):]) if part] if option else [word]
    quoted = " ".join(f"'{word}'" for word in ["memsize", *parts])
    program = f"{script}\nCOMP_WORDS=({quoted})\nCOMP_CWORD={len(parts)}\n_memsize 2>/dev/null\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    offered = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True).stdout.split()
    return [option_of(words[-1]) + word for word in offered]


def zsh_offers(script: str, words: list[str]) -> list[str]:
    quoted = " ".join(f"'{word}'" for word in ["memsize", *words])
    # The line editor's functions, which only a widget has.
    stubs = "compdef() { }\ncompset() { }\ncompadd() { shift 3; print -l -- $@ }\n_files() { print :files }\n"
    program = f"{stubs}{script}\nwords=({quoted})\nCURRENT={len(words) + 1}\n_memsize"
    offered = subprocess.run(["zsh", "-f", "-c", program], capture_output=True, text=True, check=True).stdout.split()
    return [option_of(words[-1]) + word for word in offered]


def fish_offers(script: str, words: list[str]) -> list[str]:
    program = f"{script}\ncomplete -C 'memsize {' '.join(words)}'"
    return subprocess.run(["fish", "--no-config", "-c", program], capture_output=True, text=True, check=True).stdout.split()


def check_completion(context: Context) -> int:
    os.environ["PATH"] = f"{context.memsize.parent}:{os.environ['PATH']}"
    sdk = SOURCE / "tests/golden/board-import/sdk"
    count = 0
    for shell, offers in (("bash", bash_offers), ("zsh", zsh_offers), ("fish", fish_offers)):
        tool(shell)
        script = context.run("completion", shell).stdout
        for typed, wanted in COMPLETIONS:
            words = [word.format(sdk=sdk) for word in typed]
            offered = [word for word in offers(script, words) if word.startswith(words[-1])]
            check(set(wanted) <= set(offered), f"{shell}: {words} offers {offered[:6]}, not {wanted}")
            count += 1
        # Nothing that does not begin so.
        none = [word for word in offers(script, ["emit", "--board", "nothing-begins-so"]) if word]
        same(f"{shell}: offers for no board", none, [])
    return count


def run(context: Context) -> str:
    check_report(context)
    check_colour(context)
    helps = check_help(context)
    completions = check_completion(context)
    return f"{helps} helps, {completions} completions in three shells"


if __name__ == "__main__":
    main(__doc__, run)
