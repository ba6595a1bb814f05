"""Files of a plan, as those read them for whom they are: compilers, XML and HTML parsers, trace viewers, memsize."""

import html.parser
import re
import subprocess
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

from support import SOURCE, Context, Skip, check, main, parse_json, read, same, tool

PLANS = SOURCE / "samples" / "plans"
SAMPLE = PLANS / "vww_mobilenet.csv"
# Four arenas in two memories, one of them staged, and an alias.
WAKE = (PLANS / "helia" / "wake_residency.json", PLANS / "helia" / "aot_operator_manifest.json")
FORMATS = {"json": "json", "residency": "json", "csv": "csv", "c-header": "h", "chart": "txt", "svg": "svg",
           "html": "html", "chrome-trace": "json"}
# Whose names, or title, --prefix begins.
NAMED = ("residency", "c-header", "html")
COMPILERS = (("gcc", "c11"), ("g++", "c++17"), ("clang", "c11"), ("clang++", "c++17"), ("arm-none-eabi-gcc", "c11"),
             ("arm-none-eabi-g++", "c++17"), ("riscv64-unknown-elf-gcc", "c11"))
HOSTILE = ("*/ #error", "a b", "a_b", "A.B", "<script>alert(1)</script>", "x\\", "??/", "=1+2", "-1", "__FILE__", "\u91cd",
           "'\"`", "{{id}}", "]]>", "&amp;", "%s%n")
SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br", "hr", "img", "link", "input"}
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class Files:
    """Every format of one plan, and its document."""

    def __init__(self, context: Context, name: str, *arguments: object):
        self.context, self.name = context, name
        self.paths = {}
        for form, suffix in FORMATS.items():
            path = context.work / f"{name}.{form}.{suffix}"
            words = ["plan", *arguments, "--as", form, *(["--prefix", name] if form in NAMED else [])]
            context.run(*words, "-o", path)
            again = context.run(*words).stdout
            check(again == read(path), f"{name}: {form} is not the same twice")
            self.paths[form] = path
        self.document = parse_json(self.text("json"), f"{name}: document")
        same(f"{name}: schema", self.document["schema"], "memsize.plan/1")

    def text(self, form: str) -> str:
        return read(self.paths[form])

    def blocks(self, role: str | None = None) -> list[dict[str, Any]]:
        return [block for block in self.document["blocks"] if role in (None, block["role"])]

    def owners(self) -> list[dict[str, Any]]:
        """Scratch blocks with bytes of their own, alive as long as their aliases are."""
        by_id = {block["id"]: dict(block) for block in self.blocks("scratch")}
        for block in self.blocks("scratch"):
            owner = block
            while "alias_of" in owner:
                owner = by_id[owner["alias_of"]]
            owner = by_id[owner["id"]]
            owner["lower"] = min(owner["lower"], block["lower"])
            owner["upper"] = max(owner["upper"], block["upper"])
        return [block for block in by_id.values() if "alias_of" not in block]


def steps_of(blocks: list[dict[str, Any]]) -> tuple[int, int]:
    timed = [block for block in blocks if "lower" in block]
    return min(block["lower"] for block in timed), max(block["upper"] for block in timed)


def together(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a["lower"] < b["upper"] and b["lower"] < a["upper"]


def check_plan(files: Files) -> None:
    """The plan itself: whatever shows it wrongly must not be excused by a wrong plan."""
    blocks = files.owners()
    for index, a in enumerate(blocks):
        for b in blocks[:index]:
            if a["memory"] == b["memory"] and together(a, b):
                check(a["offset"] + a["size"] <= b["offset"] or b["offset"] + b["size"] <= a["offset"],
                      f"{files.name}: {a['id']} and {b['id']} share bytes")


def live_at(blocks: list[dict[str, Any]], step: int) -> int:
    return sum(block["size"] for block in blocks if block["lower"] <= step < block["upper"])


def peak_of(blocks: list[dict[str, Any]]) -> tuple[int, int]:
    """Bytes, and the first step that has as many."""
    steps = sorted({block["lower"] for block in blocks})
    most = max(live_at(blocks, step) for step in steps)
    return most, next(step for step in steps if live_at(blocks, step) == most)


# --- the C header ------------------------------------------------------------------------------------


def compile_with(compiler: str, standard: str, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    file = folder / ("use.cpp" if standard.startswith("c++") else "use.c")
    file.write_text(text, encoding="utf-8")
    return subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic",
                           "-fsyntax-only", str(file)], cwd=folder, capture_output=True, text=True, timeout=300)


def use_of(values: dict[str, int], standard: str) -> str:
    word = "static_assert" if standard.startswith("c++") else "_Static_assert"
    lines = ['#include "plan.h"', '#include "plan.h"']
    for name, value in values.items():
        lines += [f"#if {name} != {value}", f"#error {name}", "#endif", f'{word}({name} == {value}, "{name}");']
    return "\n".join(lines) + "\nint main(void) { return 0; }\n"


def installed() -> list[tuple[str, str]]:
    found = []
    for compiler, standard in COMPILERS:
        try:
            found.append((tool(compiler), standard))
        except Skip:
            continue
    if not found:
        raise Skip("no C compiler is installed")
    return found


def check_header(files: Files, compilers: list[tuple[str, str]]) -> int:
    folder = files.context.work / f"{files.name}-header"
    folder.mkdir()
    text = files.text("c-header")
    (folder / "plan.h").write_text(text, encoding="utf-8")
    prefix = files.name.upper()
    values = {}
    for block in files.blocks():
        # The names of hostile ids are memsize's to choose.
        if re.fullmatch(r"[A-Za-z0-9]+", block["id"]):
            values[f"{prefix}_BLOCK_{block['id'].upper()}_OFFSET"] = block["offset"]
            values[f"{prefix}_BLOCK_{block['id'].upper()}_SIZE"] = block["size"]
    for arena in files.document["arenas"]:
        infix = {"scratch": "", "persistent": "PERSISTENT_", "constant": "CONST_"}[arena["role"]]
        name = f"{prefix}_ARENA_{infix}{arena['memory'].upper()}"
        values[f"{name}_SIZE"] = arena.get("total_bytes", arena["height_bytes"])
        if "alignment" in arena:
            values[f"{name}_ALIGNMENT"] = arena["alignment"]
    same(f"{files.name}: offsets in the header", len(re.findall(r"^#define \w+_BLOCK_\w+_OFFSET \d", text, re.M)),
         len(files.blocks()))
    for compiler, standard in compilers:
        done = compile_with(compiler, standard, use_of(values, standard), folder)
        check(done.returncode == 0, f"{files.name}: {compiler} -std={standard}:\n{done.stderr[:3000]}")
    return len(values)


def check_wrong_headers(files: Files, compiler: tuple[str, str]) -> int:
    """Each change makes two blocks share bytes, or lets one end behind its arena: no compiler may take it."""
    folder = files.context.work / f"{files.name}-wrong"
    folder.mkdir()
    text, prefix = files.text("c-header"), files.name.upper()
    blocks = files.owners()
    arena = next(item for item in files.document["arenas"] if item["role"] == "scratch")
    size = arena.get("total_bytes", arena["height_bytes"])
    changes = []
    for block in blocks:
        for other in blocks:
            if other is not block and together(block, other) and other["size"] and block["size"]:
                changes.append((block, other["offset"] + other["size"] - 1))
        changes.append((block, size - block["size"] + 1))
    fired = 0
    for block, offset in changes[::max(1, len(changes) // 25)]:
        macro = f"#define {prefix}_BLOCK_{block['id'].upper()}_OFFSET "
        wrong = re.sub(re.escape(macro) + r"\d+", f"{macro}{offset}", text)
        check(wrong != text, f"{files.name}: no {macro}")
        (folder / "plan.h").write_text(wrong, encoding="utf-8")
        done = compile_with(*compiler, '#include "plan.h"\nint main(void) { return 0; }\n', folder)
        check(done.returncode != 0, f"{files.name}: {compiler[0]} takes block {block['id']} at {offset}")
        check("assert" in done.stderr, f"{files.name}: {done.stderr[:500]}")
        fired += 1
    return fired


# --- the drawing -------------------------------------------------------------------------------------


def size_in(text: str) -> float:
    value, unit = text.rsplit(" ", 1)
    return float(value.replace(" ", "")) * UNITS[unit]


class Panel:
    """One arena of a drawing. Its scales are read from what is written at its axes."""

    def __init__(self, group: xml.etree.ElementTree.Element):
        self.group = group
        texts = group.findall(f"{SVG}text")
        self.title = next(text.text for text in texts if text.get("class") == "title")
        self.frame = self.box(next(rect for rect in group.findall(f"{SVG}rect") if rect.get("class") == "frame"))
        sizes = [text for text in texts if re.search(r" (B|KiB|MiB|GiB)$", text.text or "") and text.get("class") == "small end"]
        lines = [line for line in group.findall(f"{SVG}line") if line.get("class") == "grid"]
        self.addresses = [(size_in(text.text), float(line.get("y1"))) for text, line in zip(sizes, lines, strict=True)]
        ticks = [line for line in group.findall(f"{SVG}line") if line.get("class") == "tick"]
        steps = [text for text in texts if text.get("class") == "small middle"]
        self.steps = [(int(text.text), float(line.get("x1"))) for text, line in zip(steps, ticks, strict=True)]
        self.rects = {rect.get("data-id"): self.box(rect) for rect in group.iter(f"{SVG}rect") if rect.get("data-id")}

    @staticmethod
    def box(rect: xml.etree.ElementTree.Element) -> tuple[float, float, float, float]:
        x, y, width, height = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
        return x, y, width, height

    def line(self, kind: str) -> xml.etree.ElementTree.Element | None:
        return next((line for line in self.group.findall(f"{SVG}line") if line.get("class") == kind), None)

    def x_of(self, step: float) -> float:
        (s0, x0), (s1, x1) = self.steps[0], self.steps[-1]
        return x0 + (step - s0) * (x1 - x0) / (s1 - s0)

    def y_of(self, address: float) -> float:
        (a0, y0), (a1, y1) = self.addresses[0], self.addresses[-1]
        return y0 + (address - a0) * (y1 - y0) / (a1 - a0)


def drawing_of(files: Files) -> list[Panel]:
    root = xml.etree.ElementTree.fromstring(files.text("svg"))
    same(f"{files.name}: root", root.tag, f"{SVG}svg")
    check(not list(root.iter(f"{SVG}script")) and "href" not in files.text("svg"), f"{files.name}: not only a drawing")
    panels = [Panel(group) for group in root.iter(f"{SVG}g") if group.get("class") == "arena"]
    same(f"{files.name}: arenas drawn", len(panels), len(files.document["arenas"]))
    return panels


def near(what: str, actual: float, expected: float) -> None:
    check(abs(actual - expected) < 0.06, f"{what}: is {actual}, expected {expected:.2f}")


def check_drawing(files: Files) -> int:
    panel = drawing_of(files)[0]
    arena = files.document["arenas"][0]
    blocks = [block for block in files.blocks(arena["role"]) if block["memory"] == arena["memory"]]
    drawn = [block for block in blocks if block["size"]]
    same(f"{files.name}: rectangles", sorted(panel.rects), sorted(block["id"] for block in drawn))
    for block in drawn:
        x, y, width, height = panel.rects[block["id"]]
        what = f"{files.name}: block {block['id']}"
        near(f"{what}: left", x, panel.x_of(block["lower"]))
        near(f"{what}: right", x + width, panel.x_of(block["upper"]))
        near(f"{what}: lower edge", y + height, panel.y_of(block["offset"]))
        near(f"{what}: upper edge", y, panel.y_of(block["offset"] + block["size"]))
    first, last = steps_of(blocks)
    near(f"{files.name}: first step", panel.frame[0], panel.x_of(first))
    near(f"{files.name}: last step", panel.frame[0] + panel.frame[2], panel.x_of(last))
    most, step = peak_of([block for block in files.owners() if block["memory"] == arena["memory"]])
    peak = Panel.box(next(rect for rect in panel.group.iter(f"{SVG}rect") if rect.get("class") == "peak"))
    near(f"{files.name}: peak", peak[0], panel.x_of(step))
    check(any(f"at step {step}" in (text.text or "") and (text.text or "").replace(" ", "").startswith(f"peak:{most}B")
              for text in panel.group.findall(f"{SVG}text")), f"{files.name}: the peak is not in words")
    bound = panel.line("bound")
    check(bound is not None, f"{files.name}: no lower bound is drawn")
    near(f"{files.name}: lower bound", float(bound.get("y1")), panel.y_of(arena["lower_bound_bytes"]))
    if "capacity_bytes" in arena:
        capacity = panel.line("capacity")
        if capacity is None:
            check(arena["capacity_bytes"] > 1.4 * arena["height_bytes"], f"{files.name}: no capacity is drawn")
        else:
            near(f"{files.name}: capacity", float(capacity.get("y1")), panel.y_of(arena["capacity_bytes"]))
    return len(drawn)


def check_crowd(context: Context) -> int:
    """Many blocks are a small drawing, which still has all of their bytes in it."""
    count = 20000
    rows = [f"{i},{i},{i + 2},{4096}" for i in range(count)]
    report = context.work / "many.csv"
    report.write_text("id,lower,upper,size\n" + "\n".join(rows) + "\n", encoding="utf-8")
    path = context.work / "many.svg"
    context.run("plan", report, "--as", "svg", "-o", path)
    text = read(path)
    check(len(text) < 2_000_000, f"{count} blocks are drawn with {len(text)} bytes")
    root = xml.etree.ElementTree.fromstring(text)
    group = next(group for group in root.iter(f"{SVG}g") if group.get("class") == "arena")
    panel = Panel(group)
    left, top, width, height = panel.frame
    area = 0.0
    boxes = [(Panel.box(rect), float(rect.get("fill-opacity") or 1)) for rect in group.iter(f"{SVG}rect")
             if rect.get("data-id") or rect.get("fill-opacity")]
    for (x, y, wide, high), opacity in boxes:
        check(left - 0.01 <= x and x + wide <= left + width + 0.02 and top - 0.01 <= y
              and y + high <= top + height + 0.02, "a rectangle is outside of the drawing")
        area += wide * high * opacity
    # Two blocks are alive at nearly every step, and fill all of an arena of two.
    check(0.95 * width * height < area < 1.2 * width * height, f"{area} of {width * height} are filled")
    chart = context.run("plan", report, "--as", "chart").stdout
    check(all(len(line) <= 80 for line in chart.splitlines()), "the chart is too wide")
    check(chart in context.run("plan", report, "--chart").stdout, "--chart shows another chart")
    return count


# --- the report --------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.table = ""
        self.rows: dict[str, list[list[str]]] = {}
        self.problems: list[str] = []
        self.cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # The page's own script is in it; nothing is loaded, and no name makes an element.
        if tag in ("link", "iframe", "img") or any(key in ("href", "src") or key.startswith("on") for key, _ in attrs):
            self.problems.append(f"<{tag} {attrs}>")
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.table = dict(attrs).get("id") or ""
            self.rows[self.table] = []
        elif tag == "tr":
            self.rows[self.table].append([])
        elif tag == "td":
            self.rows[self.table][-1].append("")
            self.cell = True

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")
        self.cell = self.cell and tag != "td"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self.cell:
            self.rows[self.table][-1][-1] += data


def check_page(files: Files) -> int:
    text = files.text("html")
    page = Page()
    page.feed(text)
    page.close()
    same(f"{files.name}: HTML", (page.problems, page.open), ([], []))
    check(files.text("svg").strip() in text, f"{files.name}: the report has another drawing")
    arenas = page.rows["arenas"][1:]
    same(f"{files.name}: rows of arenas", len(arenas), len(files.document["arenas"]))
    for row, arena in zip(arenas, files.document["arenas"]):
        same(f"{files.name}: height in the report", row[3].replace(" ", ""), f"{arena['height_bytes']}B")
    rows = {row[0]: row for row in page.rows["regions"][1:]}
    for block in files.blocks():
        if block["id"].isascii() and block["id"].isprintable():
            check(block["id"] in rows, f"{files.name}: {block['id']!r} is not in the report")
            row = rows[block["id"]]
            same(f"{files.name}: {block['id']}", (int(row[3]), int(row[4]), row[5].replace(" ", "")),
                 (block["offset"], block["offset"] + block["size"], f"{block['size']}B"))
    return len(rows)


# --- the trace ---------------------------------------------------------------------------------------


def check_trace(files: Files) -> int:
    trace = parse_json(files.text("chrome-trace"), f"{files.name}: trace")
    names: dict[int, str] = {}
    seen: dict[str, dict[str, Any]] = {}
    lanes: dict[tuple[int, int], list[tuple[int, int]]] = {}
    counted: dict[tuple[int, int], dict[str, int]] = {}
    for event in trace["traceEvents"]:
        check(event["ph"] in "XMC" and isinstance(event["pid"], int) and event["name"], f"{files.name}: {event}")
        if event["ph"] == "M" and event["name"] == "process_name":
            names[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            check(event["ts"] >= 0 and event["dur"] > 0, f"{files.name}: {event}")
            check(event["args"]["id"] not in seen, f"{files.name}: {event['args']['id']} is there twice")
            seen[event["args"]["id"]] = event
            lanes.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] == "C":
            counted[event["pid"], event["ts"]] = event["args"]
    same(f"{files.name}: events", sorted(seen), sorted(block["id"] for block in files.blocks()))
    first = min(0, steps_of(files.blocks())[0])
    for block in files.blocks():
        event = seen[block["id"]]
        same(f"{files.name}: memory of {block['id']}", names[event["pid"]], block["memory"])
        same(f"{files.name}: place of {block['id']}", (event["args"]["offset"], event["args"]["size"]),
             (block["offset"], block["size"]))
        if "lower" in block:
            same(f"{files.name}: steps of {block['id']}", (event["ts"] + first, event["dur"]),
                 (block["lower"], block["upper"] - block["lower"]))
    for lane, times in lanes.items():
        for before, after in zip(sorted(times), sorted(times)[1:]):
            check(before[1] <= after[0], f"{files.name}: events overlap in thread {lane}")
    for (pid, time), args in counted.items():
        blocks = [block for block in files.owners() if block["memory"] == names[pid]]
        if blocks:
            same(f"{files.name}: live bytes at {time}", args["scratch"], live_at(blocks, time + first))
    return len(seen)


# --- the chart ---------------------------------------------------------------------------------------


def check_chart(files: Files) -> int:
    """Each block of the legend has its letter in the middle of where it is, if it is large enough to be seen."""
    lines = files.text("chart").splitlines()
    check(all(len(line) <= 80 for line in lines), f"{files.name}: the chart is wider than 80 columns")
    lines = lines[:lines.index("", 1 + next(i for i, line in enumerate(lines) if "^" in line)) + 12]
    rows = [line.split("|", 1)[1] for line in lines if "|" in line][::-1]
    labels = [(index, size_in(line.split("|")[0].strip())) for index, line in
              enumerate(reversed([line for line in lines if "|" in line])) if line.split("|")[0].strip()]
    bytes_a_row = (labels[-1][1] - labels[0][1]) / (labels[-1][0] - labels[0][0])
    first, last = steps_of(files.blocks("scratch"))
    columns_a_step = len(rows[0]) / (last - first)
    owners = files.owners()
    seen = 0
    for line in lines:
        row = re.match(r"  ([A-Za-z])  +([\d ]+) B at (\d+) +(\S+): step", line)
        block = row and next((block for block in owners if block["id"] == row.group(4)), None)
        if not row or not block:
            continue
        same(f"{files.name}: legend", (int(row.group(2).replace(" ", "")), int(row.group(3))), (block["size"], block["offset"]))
        column = int(((block["lower"] + block["upper"]) / 2 - first) * columns_a_step)
        high, low = (block["offset"] + block["size"]) / bytes_a_row, block["offset"] / bytes_a_row
        if high - low >= 2:
            same(f"{files.name}: letter of {block['id']}", rows[int((high + low) / 2)][column], row.group(1))
            seen += 1
    check(seen > 0, f"{files.name}: no block of the legend is in the chart")
    return seen


# --- all of it ---------------------------------------------------------------------------------------


def check_read_back(files: Files) -> None:
    """What memsize wrote, memsize reads: the same plan, and a right one."""
    context = files.context
    for form in ("json", "csv", "residency"):
        context.run("check", files.paths[form])
        # A residency report has no aliases.
        if form != "residency" or not any("alias_of" in block for block in files.blocks()):
            context.run("diff", files.paths["json"], files.paths[form], "--fail-on", "any")
        again = parse_json(context.run("plan", files.paths[form], "--keep", "--json").stdout, form) \
            if form != "residency" else None
        if again is not None:
            same(f"{files.name}: layout after {form}", again["layout_hash"], files.document["layout_hash"])
    residency = parse_json(files.text("residency"), "residency")
    same(f"{files.name}: residency", (residency["schema_version"], residency["module_prefix"], len(residency["tensors"])),
         (3, files.name, len(files.blocks())))
    check("plan_hash" not in residency and "tensor_layout_hash" not in residency,
          f"{files.name}: a hash that only heliaAOT can make")
    header, *rows = files.text("csv").splitlines()
    if len(files.document["arenas"]) == 1:
        same(f"{files.name}: columns", header.split(",")[:5], ["id", "lower", "upper", "size", "offset"])
    same(f"{files.name}: rows", len(rows), len(files.blocks()))


def hostile_report(context: Context) -> Path:
    report = context.work / "hostile.csv"
    rows = [",".join(('"' + name.replace('"', '""') + '"', str(i), str(i + 3), str(64 + 16 * i)))
            for i, name in enumerate(HOSTILE)]
    report.write_text("id,lower,upper,size\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return report


def body(context: Context) -> str:
    compilers = installed()
    macros = rectangles = 0
    fired = 0
    for name, arguments in (("vww", (SAMPLE,)), ("tight", (SAMPLE, "--capacity", "64KiB")),
                            ("hostile", (hostile_report(context),)), ("wake", WAKE)):
        files = Files(context, name, *arguments)
        check_plan(files)
        macros += check_header(files, compilers)
        if name != "hostile":
            fired += check_wrong_headers(files, compilers[0])
            check_chart(files)
            check_drawing(files)
        rectangles += sum(len(panel.rects) for panel in drawing_of(files))
        check_page(files)
        check_trace(files)
        check_read_back(files)
    crowd = check_crowd(context)
    return (f"{macros} macros with {len(compilers)} compilers, {fired} wrong headers refused, "
            f"{rectangles} rectangles, {crowd} blocks in one drawing")


if __name__ == "__main__":
    main(__doc__, body)
