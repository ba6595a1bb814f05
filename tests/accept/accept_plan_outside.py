"""Plans where the world is hostile: names, numbers and files that nobody should write, too much of everything,
signals, and disks that take no more."""

import argparse
import csv
import gzip
import html.parser
import json
import random
import re
import resource
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree
from typing import Any

from plans import (PLANS, Buffer, allocations, buffers_of, conforms, judge, most_alive, only_arena, plan,
                   plan_document, puzzle, read_buffers, run_bytes, table_of)
from support import Context, check, main, parse_json, same

INTERRUPTED = 130
PATIENCE = 60
ENDLESS = ["--steps", "1000000000000000"]

NAMES = [
    "plain", "with space", " leading", "trailing ", "comma,comma", 'quote"quote', '""', "'single'", "semi;colon",
    "back\\slash", "tab\there", "line\nfeed", "carriage\r\nreturn", "bell\a", "escape\x1b[31mred\x1b[0m", "null-ish\x01",
    "<script>alert(1)</script>", "</svg><script>x</script>", "]]>", "<!--", "-->", "&amp;", "&#x41;", "a&b<c>d",
    "*/ int x; /*", "// comment", "#define A", "??/", "%s%n%d", "{{mustache}}", "{{{raw}}}", "${shell}", "`id`", "$(id)",
    "; rm -rf ~", "../../etc/passwd", "/absolute", "-o", "--help", "=1+1", "@SUM(A1)", "+1", "-1", "int", "class",
    "default", "0", "9lives", "a-b", "a_b", "a.b", "a b", "A_B", "\u00e9", "e\u0301", "\u65e5\u672c\u8a9e", "\u202egnp.exe",
    "\u200bzero width", "\U0001f9e0", "\ufeffbom", "x" * 300, "serving_default_input:0", "model/conv1/BiasAdd;conv1/Conv2D",
    "NaN", "null", "true", "1e9", "id", "size", "__proto__", "constructor", "\x7f", "\x85", "\u2028", "\u00a0", " ",
]

# Text of a table, exit status, and the codes one of which says what is wrong; nothing: any error of input.
HEAD = "id,lower,upper,size\n"
BROKEN: list[tuple[str, bytes, tuple[str, ...]]] = [
    ("empty file", b"", ()),
    ("no rows", HEAD.encode(), ()),
    ("no size", b"id,lower,upper\na,0,1\n", ()),
    ("empty lifetime", f"{HEAD}a,3,3,5\n".encode(), ("plan.lifetime",)),
    ("reversed lifetime", f"{HEAD}a,5,3,5\n".encode(), ("plan.lifetime",)),
    ("enormous lifetime", f"{HEAD}a,0,9223372036854775807,5\n".encode(), ("plan.lifetime",)),
    ("beyond 64 bits", f"{HEAD}a,0,99999999999999999999,5\n".encode(), ("plan.lifetime",)),
    ("before all time", f"{HEAD}a,-9223372036854775808,1,5\n".encode(), ("plan.lifetime",)),
    ("size 2^62+1", f"{HEAD}a,0,1,{2**62 + 1}\n".encode(), ("plan.size",)),
    ("size 2^63", f"{HEAD}a,0,1,{2**63}\n".encode(), ("plan.size",)),
    ("size 2^64-1", f"{HEAD}a,0,1,{2**64 - 1}\n".encode(), ("plan.size",)),
    ("size 2^64", f"{HEAD}a,0,1,{2**64}\n".encode(), ("plan.size",)),
    ("negative size", f"{HEAD}a,0,1,-5\n".encode(), ("plan.size",)),
    ("size in words", f"{HEAD}a,0,1,five\n".encode(), ("plan.syntax",)),
    ("size in hex", f"{HEAD}a,0,1,0x10\n".encode(), ("plan.syntax",)),
    ("a fraction", f"{HEAD}a,0,1,1.5\n".encode(), ("plan.syntax",)),
    ("sum above 2^62", f"{HEAD}a,0,1,{2**62}\nb,0,1,1\n".encode(), ("plan.size",)),
    ("many huge", (HEAD + "".join(f"b{i},0,1,{2**61}\n" for i in range(9))).encode(), ("plan.size",)),
    ("offset 2^64", f"id,lower,upper,size,offset\na,0,1,4,{2**64}\n".encode(), ("plan.size",)),
    ("end above 2^62", f"id,lower,upper,size,offset\na,0,1,4,{2**62 - 3}\n".encode(), ("plan.size",)),
    ("alignment 3", b"id,lower,upper,size,alignment\na,0,1,4,3\n", ("plan.alignment",)),
    ("alignment 0", b"id,lower,upper,size,alignment\na,0,1,4,0\n", ("plan.alignment",)),
    ("alignment 2^64", f"id,lower,upper,size,alignment\na,0,1,4,{2**64}\n".encode(), ()),
    ("an id twice", f"{HEAD}a,0,1,4\na,1,2,4\n".encode(), ("plan.duplicate",)),
    ("no id", f"{HEAD},0,1,4\n".encode(), ("plan.syntax",)),
    ("too few fields", f"{HEAD}a,0,1\n".encode(), ("plan.syntax",)),
    ("too many fields", f"{HEAD}a,0,1,4,5\n".encode(), ("plan.syntax",)),
    ("open quote", f'{HEAD}"a,0,1,4\n'.encode(), ("plan.syntax",)),
    ("not UTF-8", HEAD.encode() + b"\xff\xfe,0,1,4\n", ("plan.syntax",)),
    ("NUL bytes", HEAD.encode() + b"a,0,1,\x004\n", ()),
    ("UTF-16", (HEAD + "a,0,1,4\n").encode("utf-16"), ()),
    ("binary", bytes(range(256)) * 64, ()),
    ("a picture", b"\x89PNG\r\n\x1a\n" + bytes(100), ()),
    ("broken gzip", gzip.compress((HEAD + "a,0,1,4\n").encode())[:-5], ()),
    ("prose", b"This is no plan of memory.\n", ()),
    ("deep JSON", b"[" * 100_000, ()),
    ("deep objects", b'{"a":' * 100_000, ()),
    ("half a document", b'{"schema": "memsize.plan/1", "arenas": [', ()),
    ("another document", b'{"schema": "memsize.map/1"}', ()),
    ("a newer document", b'{"schema": "memsize.plan/2", "arenas": [], "blocks": []}', ()),
    ("a list", b"[]", ()),
    ("one line of 64 MiB", b"x" * (1 << 26), ()),
    ("a million commas", HEAD.encode() + b"," * 1_000_000 + b"\n", ("plan.syntax",)),
    ("a million bad rows", HEAD.encode() + b"a,b,c,d\n" * 1_000_000, ("plan.syntax",)),
]


class NoScripts(html.parser.HTMLParser):
    """Everything that a page says and does."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sanitized", action="store_true",
                        help="memory is not limited, and there is less of everything")


def unsafe(text: str) -> list[str]:
    """Characters that do something to a terminal."""
    return [repr(c) for c in text if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2028\u200b"]


def check_names(context: Context) -> None:
    names = NAMES + [f"n{i}" for i in range(10)]
    rng = random.Random(5)
    wanted = [Buffer(name, i // 4, i // 4 + 1 + rng.randrange(5), 16 * (1 + rng.randrange(40)))
              for i, name in enumerate(names)]
    (context.work / "names.csv").write_bytes(table_of(wanted, quoting=csv.QUOTE_ALL).encode())
    run = ["plan", "names.csv"]

    table = run_bytes(context, [*run, "--csv"])
    same(f"--csv: {table.stderr[-500:]!r}", table.returncode, 0)
    planned = buffers_of(table.stdout.decode())
    same("names in the table", [b.id for b in planned], names)
    judge("names", wanted, planned)
    (context.work / "again.csv").write_bytes(table.stdout)
    same("read back", buffers_of(run_bytes(context, ["plan", "again.csv", "--keep", "--csv"]).stdout.decode()), planned)

    document = run_bytes(context, [*run, "--json"]).stdout
    (context.work / "again.json").write_bytes(document)
    conforms(json.loads(document))
    same("names in the document", [block["id"] for block in json.loads(document)["blocks"]], names)
    again = json.loads(run_bytes(context, ["plan", "again.json", "--keep", "--json"]).stdout)
    same("the document, read back", [(b["id"], b["offset"]) for b in again["blocks"]],
         [(b["id"], b["offset"]) for b in json.loads(document)["blocks"]])

    residency = json.loads(run_bytes(context, [*run, "--as", "residency"]).stdout)
    same("names in the residency", sorted(tensor["id"] for tensor in residency["tensors"]), sorted(names))
    trace = run_bytes(context, [*run, "--as", "chrome-trace"]).stdout.decode()
    check("plain" in json.dumps(json.loads(trace)), "the trace has no names")

    svg = run_bytes(context, [*run, "--as", "svg"]).stdout.decode()
    drawing = xml.etree.ElementTree.fromstring(svg)
    check(not any(element.tag.endswith("script") or any(key.lower().startswith("on") for key in element.attrib)
                  for element in drawing.iter()), "the drawing runs something")
    check(any("<script>alert(1)</script>" in (element.text or "") for element in drawing.iter()) , "the drawing has no names")

    plain = run_bytes(context, ["plan", PLANS / "vww.csv", "--as", "html"]).stdout.decode()
    page = run_bytes(context, [*run, "--as", "html"]).stdout.decode()
    parsers = []
    for text in (plain, page):
        parsers.append(NoScripts())
        parsers[-1].feed(text)
        parsers[-1].close()
    check(parsers[1].tags <= parsers[0].tags, f"names make elements: {parsers[1].tags - parsers[0].tags}")
    check(not any(key.startswith("on") for key, _ in parsers[1].attributes), "names make attributes")
    check("<script>alert(1)</script>" in parsers[1].text, "the page has no names")

    for words in ([], ["--chart"], ["--as", "chart"], ["--capacity", "16"]):
        done = run_bytes(context, [*run, *words])
        text = (done.stdout + done.stderr).decode()
        check(not unsafe(text), f"plan {words}: a terminal would see {unsafe(text)[:5]}")
    check_header(context, run)


def check_header(context: Context, run: list[Any]) -> None:
    header = run_bytes(context, [*run, "--as", "c-header", "--prefix", "net"]).stdout
    check(b"static_assert" in header or b"_Static_assert" in header, "the header asserts nothing")
    (context.work / "arena.h").write_bytes(header)
    (context.work / "user.c").write_text('#include "arena.h"\n#include "arena.h"\nint main(void) { return 0; }\n')
    for compiler, flags in (("gcc", ["-std=c11"]), ("gcc", ["-std=c99", "-Wno-pedantic"]), ("g++", ["-std=c++17", "-x", "c++"])):
        if shutil.which(compiler):
            done = subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", *flags, "-fsyntax-only", "user.c"],
                                  cwd=context.work, capture_output=True, text=True, check=False)
            same(f"{compiler} {flags}: {done.stderr[:800]}", done.returncode, 0)
    # Every offset of the plan is in it.
    table = buffers_of(run_bytes(context, [*run, "--csv"]).stdout.decode())
    numbers = {int(number, 0) for number in re.findall(r"\b(?:0x[0-9a-fA-F]+|\d+)(?=[uUlL)\s]|$)", header.decode(), re.M)}
    check({buffer.offset for buffer in table} <= numbers, "an offset is not in the header")


def check_broken(context: Context) -> None:
    for what, text, codes in BROKEN:
        (context.work / "broken").write_bytes(text)
        begin = time.monotonic()
        done = run_bytes(context, ["plan", "broken", "--json"])
        took = time.monotonic() - begin
        check(took < (20 if context.options.sanitized else 5), f"{what}: took {took:.1f} s")
        same(f"{what}: exit status; {done.stdout[-300:]!r} {done.stderr[-300:]!r}", done.returncode, 1)
        document = parse_json(done.stdout.decode(), what)
        conforms(document)
        errors = [found for found in document["diagnostics"] if found["severity"] == "error"]
        check(errors and len(errors) <= 100, f"{what}: {len(errors)} errors")
        check(not codes or any(found["code"] in codes for found in errors),
              f"{what}: {[(found['code'], found['message']) for found in errors[:3]]}")
        for shown in (run_bytes(context, ["plan", "broken"]).stderr,):
            check(b"error" in shown and not unsafe(shown.decode(errors="replace")), f"{what}: shown as {shown[:200]!r}")
            check(len(shown) < 100_000, f"{what}: {len(shown)} bytes of errors")
    # What is extreme, and right.
    for what, table, height in (
        ("size 2^62-1", f"{HEAD}a,0,1,{2**62 - 1}\n", 2**62 - 1),
        ("size 0", f"{HEAD}a,0,1,0\nb,0,1,7\n", 7),
        ("nothing at all", f"{HEAD}a,0,1,0\n", 0),
        ("all of time", f"{HEAD}a,-{2**40},{2**40},5\nb,0,1,6\n", 11),
        ("negative steps", f"{HEAD}a,-5,-3,5\nb,-3,-1,6\n", 6),
        ("alignment 2^40", f"id,lower,upper,size,alignment\na,0,1,5,{2**40}\nb,0,1,6,{2**40}\n", 2**40 + 5),
    ):
        (context.work / "extreme.csv").write_text(table)
        same(what, only_arena(plan_document(context, "extreme.csv"))["height_bytes"], height)


def check_statuses(context: Context) -> None:
    vww = PLANS / "vww.csv"
    (context.work / "folder").mkdir()
    for words, status in (
        (["plan", vww], 0),
        (["plan", vww, "--capacity", "54KiB"], 0),
        (["plan", vww, "--capacity", "54271"], 3),
        (["plan"], 2),
        (["plan", vww, "--capacity", "many"], 2),
        (["plan", vww, "--capacity", "0"], 2),
        (["plan", vww, "--steps", "-1"], 2),
        (["plan", vww, "--steps", "1", "--time-limit", "1s"], 2),
        (["plan", vww, "--time-limit", "soon"], 2),
        (["plan", vww, "--planner", "by-siez"], 2),
        (["plan", vww, "--as", "poem"], 2),
        (["plan", vww, "--json", "--csv"], 2),
        (["plan", vww, "--prefix", "9x", "--as", "c-header"], 2),
        (["plan", vww, "--fix", "nobody"], (1, 2)),
        (["plan", vww, "--format", "nobody"], (1, 2)),
        (["plan", vww, "--board", "nobody"], (1, 2)),
        (["plan", vww, "--rules", "nobody.yaml"], 1),
        (["plan", "-", "-"], 2),
        (["plan", "nobody.csv"], 1),
        (["plan", "folder"], 1),
        (["plan", vww, "-o", vww / "plan.json"], 4),
        (["plan", vww, "-o", "folder"], 4),
        (["plan", vww, "--time-limit", "1s"], 0),
    ):
        done = context.run(*words, expect=status if isinstance(status, tuple) else (status,))
        check(done.returncode == 0 or done.stderr or done.stdout, f"{words}: says nothing")
        check(done.returncode in (0, 3) or "Traceback" not in done.stderr, f"{words}")


def long_search(context: Context) -> list[Buffer]:
    """No search of these ends before its limit."""
    wanted = puzzle(3, 1000)
    (context.work / "long.csv").write_text(table_of(wanted))
    return wanted


def check_signals(context: Context) -> None:
    wanted = long_search(context)
    for number in (signal.SIGINT, signal.SIGTERM):
        for wait in (0.3, 1.5):
            for words in (["--csv"], ["--json"]):
                process = subprocess.Popen([str(context.memsize), "plan", "long.csv", *ENDLESS, *words],
                                           cwd=context.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE)
                time.sleep(wait)
                same(f"ended before {number!r}", process.poll(), None)
                process.send_signal(number)
                begin = time.monotonic()
                out, err = process.communicate(timeout=PATIENCE)
                check(time.monotonic() - begin < (20 if context.options.sanitized else 3), "it took too long to end")
                same(f"{number!r} after {wait} s: exit status; {err[-300:]!r}", process.returncode, INTERRUPTED)
                if words == ["--csv"]:
                    judge("interrupted", wanted, buffers_of(out.decode()))
                else:
                    document = json.loads(out)
                    conforms(document)
                    arena = only_arena(document)
                    same("interrupted", arena["proof"], "best")
                    check(arena["height_bytes"] >= most_alive(wanted), "lower than can be")
    # Into a file: whole, or not at all.
    process = subprocess.Popen([str(context.memsize), "plan", "long.csv", *ENDLESS, "--csv", "-o", "out.csv"],
                               cwd=context.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    check(not (context.work / "out.csv").exists(), "the file is there before the plan is")
    process.send_signal(signal.SIGINT)
    same("into a file", process.wait(PATIENCE), INTERRUPTED)
    judge("into a file", wanted, read_buffers(context.work / "out.csv"))


def check_output(context: Context) -> None:
    """-o: the old file or the new one, and nothing beside it."""
    wanted = long_search(context)
    folder = context.work / "out"
    folder.mkdir()
    file = folder / "plan.csv"
    file.write_text("the old one\n")

    def old(what: str) -> None:
        same(f"{what}: the file", file.read_text(), "the old one\n")
        same(f"{what}: beside it", sorted(path.name for path in folder.iterdir()), ["plan.csv"])

    context.run("plan", "nobody.csv", "--csv", "-o", file, expect=1)
    old("no input")
    (context.work / "broken.csv").write_text(f"{HEAD}a,3,2,1\n")
    context.run("plan", "broken.csv", "--csv", "-o", file, expect=1)
    old("broken input")
    context.run("plan", "long.csv", "--csv", "--steps", "zero", "-o", file, expect=2)
    old("misuse")
    killed = subprocess.Popen([str(context.memsize), "plan", "long.csv", *ENDLESS, "--csv", "-o", str(file)],
                              cwd=context.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    killed.kill()
    killed.wait()
    old("killed")

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = run_bytes(context, ["plan", "long.csv", "--csv", "--steps", "1000", "-o", file], preexec_fn=small_files)
    same(f"a full disk: exit status; {done.stderr!r}", done.returncode, 4)
    old("a full disk")
    context.run("plan", "long.csv", "--csv", "--steps", "1000", "-o", "long.csv", expect=2)
    same("the input", (context.work / "long.csv").read_text(), table_of(wanted))
    (context.work / "link.csv").symlink_to("long.csv")
    context.run("plan", "long.csv", "--csv", "--steps", "1000", "-o", "link.csv", expect=2)
    same("the input behind a link", (context.work / "long.csv").read_text(), table_of(wanted))

    printed = run_bytes(context, ["plan", "long.csv", "--csv", "--steps", "1000"]).stdout
    done = run_bytes(context, ["plan", "long.csv", "--csv", "--steps", "1000", "-o", file])
    same("-o", (done.returncode, done.stdout, file.read_bytes()), (0, b"", printed))
    with open("/dev/full", "wb") as full:
        status = subprocess.run([str(context.memsize), "plan", "long.csv", "--csv", "--steps", "1000"],
                                cwd=context.work, stdout=full, stderr=subprocess.PIPE, check=False).returncode
    same("standard output is full", status, 4)
    # Who reads no further, such as head, is no error of ours, and no crash.
    process = subprocess.Popen([str(context.memsize), "plan", "long.csv", "--csv", "--steps", "1000"],
                               cwd=context.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    check(process.wait(PATIENCE) in (0, 4, -signal.SIGPIPE, 141), "a closed pipe")


def check_crowd(context: Context) -> str:
    """A million buffers in 2 GB of address space."""
    count = 20_000 if context.options.sanitized else 1_000_000
    wanted = allocations(31, count)
    (context.work / "crowd.csv").write_text(table_of(wanted))

    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000, 2_000_000_000))

    limits: dict[str, Any] = {} if context.options.sanitized else {"preexec_fn": little_memory}
    words = [["--csv"], ["--json"]] if not context.options.sanitized else [["--csv"]]
    height = 0
    for word in words:
        done = run_bytes(context, ["plan", "crowd.csv", "--steps", "1000000", *word], **limits)
        same(f"{count} buffers {word}: exit status; {done.stderr[-500:]!r}", done.returncode, 0)
        if word == ["--csv"]:
            height = judge("crowd", wanted, buffers_of(done.stdout.decode()))
    alive = most_alive(wanted)
    check(height < 2 * alive, f"{count} buffers: {height} high, {alive} alive")
    # All at once: everybody meets everybody.
    crowd = [Buffer(f"x{i}", 0, 2 + i % 7, 16 + i % 50) for i in range(count // 10)]
    (context.work / "pile.csv").write_text(table_of(crowd))
    done = run_bytes(context, ["plan", "pile.csv", "--steps", "1000000", "--csv"], **limits)
    same(f"a pile: exit status; {done.stderr[-500:]!r}", done.returncode, 0)
    judge("pile", crowd, buffers_of(done.stdout.decode()))
    # A chain, which is never alive together.
    chain = [Buffer(f"c{i}", i, i + 1, 1 + i % 9) for i in range(count)]
    (context.work / "chain.csv").write_text(table_of(chain))
    done = run_bytes(context, ["plan", "chain.csv", "--csv"], **limits)
    same("a chain", (done.returncode, judge("chain", chain, buffers_of(done.stdout.decode()))), (0, 9))
    return f"{count} buffers"


def body(context: Context) -> str:
    check_statuses(context)
    check_names(context)
    check_broken(context)
    check_signals(context)
    check_output(context)
    crowd = check_crowd(context)
    return f"{len(NAMES)} names, {len(BROKEN)} broken files, signals, full disks and {crowd}"


if __name__ == "__main__":
    main(__doc__ or "", body, options)
