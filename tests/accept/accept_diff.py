"""What diff says of two maps and of two runs, against their own documents: every region that differs and no other, every byte, and
what --fail-on makes of it."""

import json
import random
import re

from support import SOURCE, TRACE, Context, check, main, read_json, same

BOARDS = {"j722s-sdk11": "c7x_2", "j784s4": "c7x_1", "am62a": "c7x_1"}


def regions_of(document: dict) -> dict[tuple[str, str], dict]:
    return {(region["name"], " ".join(region["cores"])): region for region in document["regions"] if region["kind"] != "physical"}


def check_maps(context: Context, board: str, seed: int) -> int:
    draw = random.Random(seed)
    core = BOARDS[board]
    default = context.work / f"{board}-{seed}-default"
    context.run("emit", "--board", board, "--out", default)
    knobs = [name for name, value in read_json(default / "memory_map.json")["knobs"].items()
             if name.startswith(core) and "heap" in name or name.startswith(core) and "scratch" in name]
    wanted = [f"--set={knob}={2 * draw.randint(1, 4)}MiB" for knob in draw.sample(knobs, draw.randint(1, len(knobs)))]
    changed = context.work / f"{board}-{seed}-changed"
    context.run("emit", "--board", board, *wanted, "--out", changed)
    before, after = read_json(default / "memory_map.json"), read_json(changed / "memory_map.json")
    document = json.loads(context.run("diff", default, changed, "--json").stdout)

    same("kind", document["kind"], "map")
    same("growth", document["growth_bytes"], after["reserved_bytes"] - before["reserved_bytes"])
    told = {(item["name"], item.get("core", "")): item for item in document["items"] if item["kind"] == "region"}
    facts = lambda region: (region["size_bytes"], region.get("physical"), region.get("virtual"))
    old, new = regions_of(before), regions_of(after)
    same("regions that differ", sorted(told), sorted(key for key in new if facts(old[key]) != facts(new[key])))
    for key, item in told.items():
        same(f"{key}: bytes", (item["before_bytes"], item["after_bytes"]), (old[key]["size_bytes"], new[key]["size_bytes"]))
        values = {value["what"]: (value["before"], value["after"]) for value in item.get("changed", [])}
        for what in ("physical", "virtual"):
            pair = (old[key].get(what), new[key].get(what))
            check((pair[0] != pair[1]) == (what in values), f"{key}: {what} {pair} is not told as it is: {values}")
            if what in values:
                same(f"{key}: {what}", tuple(int(value, 16) for value in values[what]), tuple(int(value, 16) for value in pair))
    carveouts = {item["name"]: (item["before_bytes"], item["after_bytes"]) for item in document["items"] if item["kind"] == "carve-out"}
    sizes = lambda each: {one["label"]: (one["size_bytes"], one["physical"]) for one in each["carveouts"] if "label" in one}
    same("carve-outs that differ", sorted(carveouts), sorted(name for name, value in sizes(after).items() if sizes(before)[name] != value))

    # The other way round it grows; and with itself nothing differs.
    grows = document["growth_bytes"] < 0
    context.run("diff", changed, default, "--fail-on", "growth", expect=1 if grows else 0)
    context.run("diff", default, changed, "--fail-on", "growth", expect=0 if grows or document["growth_bytes"] == 0 else 1)
    context.run("diff", default, changed, "--fail-on", "envelope", expect=1 if carveouts else 0)
    context.run("diff", default, changed, "--fail-on", "any", expect=1 if told else 0)
    context.run("diff", default, default, "--fail-on", "any")
    return len(told)


def check_runs(context: Context) -> None:
    other = SOURCE / "tests/golden/analyze-said/run.log"
    sizings = []
    for log in (TRACE, other):
        sizings.append(json.loads(context.run("analyze", log, "--board", "j722s-sdk11", "--json").stdout))
    demands = [{f"{d['space']} {d['cacheability']} {d['lifetime']}": d for d in each["cores"][0]["demands"]} for each in sizings]
    document = json.loads(context.run("diff", TRACE, other, "--board", "j722s-sdk11", "--json").stdout)
    same("growth", document["growth_bytes"], sum(d["suggested_bytes"] for d in demands[1].values())
         - sum(d["suggested_bytes"] for d in demands[0].values()))
    told = {item["name"] for item in document["items"]}
    suggested = {name for name, d in demands[1].items() if d["suggested_bytes"] != demands[0][name]["suggested_bytes"]}
    check(suggested and suggested <= told, f"{suggested} differ, {told} are told")
    same("a document is its log", json.loads(context.run("diff", TRACE, "--board", "j722s-sdk11", "--json", TRACE).stdout)["items"], [])
    (context.work / "sizing.json").write_text(json.dumps(sizings[0]))
    text = context.run("diff", "sizing.json", other, "--board", "j722s-sdk11", "--markdown", "--fail-on", "growth", expect=1).stdout
    check(re.match(r"\*\*1 MiB more: 20 MiB, 19 MiB before\*\*\n\n1 heap changed; 3 as they were\.\n\n\| what \|", text), text)


def run(context: Context) -> str:
    count = sum(check_maps(context, board, seed) for board in BOARDS for seed in range(4))
    check(count > 20, f"only {count} regions differed")
    check_runs(context)
    return f"{count} regions that differ"


if __name__ == "__main__":
    main(__doc__, run)
