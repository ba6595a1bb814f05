"""Pages of maps in Chromium, against memory_map.json: every region has its row and its place to scale; search, sort, zoom, cores,
comparison, keys and paper work; axe-core finds nothing; nothing is loaded; a hostile name stays text."""

import json
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

from support import SOURCE, TRACE, Context, Skip, check, main, read_json, tool

HERE = Path(__file__).parent
LIMIT = 300 * 1024


# Where tests/run.sh puts playwright-core and axe-core.
CACHE = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
MODULES = Path(os.environ.get("MEMSIZE_BROWSER_MODULES") or f"{CACHE}/memsize-tests/browser")


def regions_of(document: dict) -> list[dict]:
    return [
        {
            "name": region["name"],
            "alias": region["kind"] != "region",
            "size": region["size_bytes"],
            "physical": int(region["physical"], 16) if "physical" in region else None,
        }
        for region in document["regions"]
    ]


def old_values(new: dict, old: dict) -> dict[str, str]:
    """What rows must say of regions whose size is another one, in MiB."""
    before = {(region["name"], *region["cores"]): region for region in old["regions"] if region["kind"] == "region"}
    values = {}
    for region in new["regions"]:
        was = before.get((region["name"], *region["cores"]))
        if region["kind"] == "region" and was["size_bytes"] != region["size_bytes"]:
            values[region["name"]] = f"was {was['size_bytes'] >> 20} MiB"
    return values


def changed(new: dict, old: dict) -> int:
    facts = lambda region: (region["name"], *region["cores"], region.get("physical"), region.get("virtual"), region["size_bytes"])
    before = {facts(region) for region in old["regions"]}
    return sum(region["kind"] == "region" and facts(region) not in before for region in new["regions"])


def check_paper(problems: list[str], name: str, pdf: str, case: dict) -> None:
    info = subprocess.run(["pdfinfo", pdf], capture_output=True, text=True, check=True).stdout
    width, height = map(float, re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", info).groups())
    if width <= height:
        problems.append(f"{name}: paper is upright")
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout
    pages = text.split("\f")
    first = next(i for i, page in enumerate(pages) if "Attributes" in page and "Physical" in page)
    flat = re.sub(r"\s+", " ", text)
    missing = [region["name"] for region in case["regions"] if region["name"] not in flat]
    problems += [f"{name}: '{region}' is not on paper" for region in missing]
    for title in ("Region", "Physical", "Size", "Change", "Cores", "Seen at", "Cached", "Attributes", "Carve-out", "What"):
        if title not in re.sub(r"\s+", " ", pages[first]):
            problems.append(f"{name}: no column '{title}' on paper")
    # A page of rows begins with the columns' titles.
    second = pages[first + 1]
    if case["regions"][-1]["name"] not in pages[first] and "Attributes" not in second:
        problems.append(f"{name}: the columns' titles are not on the next page")
    for core in case["cores"]:
        if not re.search(rf"^\s*{core}\s*$", text, re.M):
            problems.append(f"{name}: the lane of {core} is not on paper")


def run(context: Context) -> str:
    chromium = tool("chromium")
    for needed in ("node", "pdftotext", "pdfinfo"):
        tool(needed)
    if not (MODULES / "node_modules/playwright-core").is_dir():
        raise Skip(f"playwright-core and axe-core are not in {MODULES}: tests/run.sh puts them there")
    work = context.work
    problems: list[str] = []

    def map_of(name: str, *words: object) -> dict:
        context.run("emit", "--out", name, *words)
        return read_json(work / name / "memory_map.json")

    default = map_of("default", "--board", "j722s-sdk11")
    sized = map_of("sized", "--board", "j722s-sdk11", "--trace", TRACE)
    large = map_of("large", "--board", "j784s4")
    sizing = json.loads(context.run("analyze", TRACE, "--board", "j722s-sdk11", "--json").stdout)
    demands = [demand for core in sizing["cores"] for demand in core["demands"]]
    heaps = {demand["region"]: demand["records"] for demand in demands if "region" in demand}

    # What a board file and a log are called or say is text.
    evil = "</script></title><script>alert(1)</script><img src=x onerror=alert(2)>"
    board = (SOURCE / "boards/j722s-sdk11.toml").read_text()
    board = re.sub(r'^title = .*$', f"title = '{evil}'", board, count=1, flags=re.M)
    board = board.replace('inherit = ["', f'inherit = ["{SOURCE}/boards/')
    (work / "evil.toml").write_text(board)
    evil_log = work / "<img src=x onerror=alert(3)>.log"
    evil_log.write_bytes(TRACE.read_bytes())

    def case(name: str, file: str, document: dict, **more) -> dict:
        cores = sorted({core for region in document["regions"] for core in region["cores"]})
        made = {
            "name": name, "file": str(work / file), "pdf": str(work / f"{name}.pdf"), "regions": regions_of(document), "banks": 2,
            "cores": cores, "says": [], "compares": False, "changed": 0, "old": {}, "searches": [], "heaps": {}, "rows": 0,
        }
        return {**made, **more}

    context.run("report", "--board", "j722s-sdk11", "--trace", TRACE, "-o", "traced.html")
    context.run("report", "--board", "evil.toml", "--trace", evil_log.name, "-o", "evil.html")
    context.run("report", "--map", "default", "--baseline", "sized", "-o", "back.html")
    if (work / "traced.html").read_bytes() != (work / "sized/system_memory_map.html").read_bytes():
        problems.append("report and emit do not write the same page")
    compared = {"compares": True, "changed": changed(sized, default), "old": old_values(sized, default)}
    scratch = next(region for region in sized["regions"] if region["name"] == "DDR_C7X_2_SCRATCH" and region["kind"] == "region")
    searches = [
        ("c7x_2 scratch", ["DDR_C7X_2_SCRATCH"]),
        ("resource_table", ["DDR_MCU1_0_RESOURCE_TABLE"]),
        (hex(int(scratch["physical"], 16) + 5), ["DDR_C7X_2_SCRATCH"]),
        (hex(int(scratch["virtual"], 16) + 5).upper().replace("X", "x"), ["DDR_C7X_2_SCRATCH"]),
    ]
    says = ["+237 MiB", "1131 MiB", "was 1368 MiB", "4", "c7x_1, c7x_2", "headroom 10 %", "SDK generation 11"]
    cases = [
        case("traced", "traced.html", sized, says=says, searches=searches, heaps=heaps, rows=17, link=["DDR_C7X_2_SCRATCH", "c7x_ddr_heaps_hi", "c7x_1"],
             **compared),
        case("evil", "evil.html", sized, says=[evil, evil_log.name], searches=searches, heaps=heaps, **compared),
        case("back", "back.html", default, says=["-237 MiB", "taken from Linux", "the map in sized"], compares=True,
             changed=changed(default, sized), old=old_values(default, sized)),
        case("large", "large/system_memory_map.html", large, says=["5520 MiB"], rows=17),
    ]
    helia = SOURCE / "samples/plans/helia"
    reports = (helia / "wake_residency.json", helia / "aot_operator_manifest.json")
    context.run("plan", *reports, "--as", "html", "-o", "plan.html")
    blocks = json.loads(context.run("plan", *reports, "--json").stdout)["blocks"]
    plan = {"name": "plan", "file": str(work / "plan.html"), "blocks": [
        {"name": block.get("name") or block["id"], "size": block["size"]} for block in blocks]}
    # A folder of logs: the map that covers each, with the logs in its heaps.
    runs = work / "runs"
    runs.mkdir()
    for name, log in (("a.log", TRACE), ("b.log", SOURCE / "tests/golden/analyze-said/run.log")):
        (runs / name).write_bytes(log.read_bytes())
    fleet = json.loads(context.run("analyze", runs, "--board", "j722s-sdk11", "--json").stdout)
    spans = [span for span in fleet["demands"] if "knob" in span]
    covering = map_of("covering", "--board", "j722s-sdk11", *(f"--set={span['knob']}={span['suggested_bytes']}" for span in spans))
    context.run("report", "--board", "j722s-sdk11", "--trace", runs, "-o", "fleet.html")
    cases.append(case("fleet", "fleet.html", covering, says=["each of 2 logs", "+236 MiB"], compares=True,
                      changed=changed(covering, default), old=old_values(covering, default),
                      heaps={span["region"]: span["files"] for span in spans}))
    (work / "cases.json").write_text(json.dumps([*cases, plan]))
    for each in cases:
        size = Path(each["file"]).stat().st_size
        if size > LIMIT:
            problems.append(f"{each['name']}: {size} bytes, more than {LIMIT}")
    done = subprocess.run(["node", str(HERE / "page/page.mjs"), str(MODULES), chromium, str(work / "cases.json")],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        problems.append(done.stdout + done.stderr)
    for each in cases:
        if Path(each["pdf"]).is_file():
            check_paper(problems, each["name"], each["pdf"], each)

    # The picture is well-formed, and has a name for each region that is wide enough.
    picture = context.run("report", "--board", "j722s-sdk11", "--only", "svg", "-o", "-").stdout
    names = {text.text for text in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")}
    if "DDR_SHARED_MEM" not in names:
        problems.append("the picture has no names")
    check(not problems, "\n".join(problems))
    return done.stdout.strip().splitlines()[-1]


if __name__ == "__main__":
    main(__doc__, run)
