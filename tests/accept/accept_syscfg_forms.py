"""One thing said in two hundred ways: statements of sysconfig scripts that are written otherwise than sysconfig writes them are
edited rightly, or refused with their place, and never left as they were without a word.

On the fictitious tree of tests/data/zy4. node.js, which runs the scripts, is the judge: where a form says what the file said
before, the edited file says what the edit of the file itself says; where it says something else, the tree was told to be wrong.
"""

import argparse
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

from accept_sdk_program import DEFAULTS, effective
from emit_sdk import Edit, Tree, same_tree, snapshot
from emit_sdk_zy4 import SHRUNK, original
from support import Context, Failure, check, main, same, tool

HERE = Path(__file__).resolve().parent
LEAST = 200


@dataclass(frozen=True)
class Target:
    """A statement of a script, as sysconfig writes it, that an edit changes."""
    path: str
    module: str
    instance: str
    property: str
    values: tuple[tuple[str, str | int], ...]


TARGETS = [
    Target("c7/freertos.syscfg", "mmu_armv8", "mmu_armv89", "size", tuple(SHRUNK.items())),
    Target("c7/freertos.syscfg", "mmu_armv8", "mmu_armv89", "vAddr", tuple(SHRUNK.items())),
    Target("r5/freertos.syscfg", "addr_translate", "addr_translate1", "systemAddr", (("shared_addr_phys", 0x8A0000000),)),
    Target("r5/freertos.syscfg", "mpu_armv7", "mpu_armv73", "size", (("shared_addr_phys", 0x8A0000000),)),
]


def statement(text: str, target: Target) -> tuple[str, str]:
    """Its line, and the value."""
    found = re.search(rf"^{target.instance}\.{target.property}\s*=\s*(\w+);", text, re.M)
    check(found, f"{target.path} has no {target.instance}.{target.property}")
    assert found is not None
    return found[0], found[1]


# What is written in the place of INSTANCE.PROPERTY = VALUE; in braces the names, {h} half and {d} the value in decimal.
STATEMENTS = [
    '{i}["{p}"] = {v};', "{i}['{p}'] = {v};", "{i}[`{p}`] = {v};", '{i} ["{p}"] = {v};', '{i}["{p}" + ""] = {v};',
    "{i} .{p} = {v};", "{i}. {p} = {v};", "{i}\n.{p} = {v};", "{i}\t.\t{p} = {v};", "{i}/**/.{p} = {v};", "{i}./* */{p} = {v};",
    "{i}.{p}={v};", "{i}.{p}   =   {v} ;", "{i}.{p} =\n    {v};", "{i}.{p}\n= {v};", "{i}.{p} = {v}", "  {i}.{p} = {v};",
    "{i}.{p} = /* was other */ {v};", "{i}.{p} = {v}; // {i}.{p} = 1;", ";;{i}.{p} = {v};;", "({i}.{p} = {v});", "({i}).{p} = {v};",
    "({i}.{p}) = {v};", "{i}.{p} = ({v});", "{i}.{p} = {d};", "{i}.{p} = {d}.0;", "{i}.{p} = {d}n;", "{i}.{p} = +{v};",
    "{i}.{p} = {v} * 1;", "{i}.{p} = {h} * 2;", "{i}.{p} = {h} + {h};", "{i}.{p} = {v} | 0;", "{i}.{p} = ~~{v};", "{i}.{p} = {v} - 0;",
    "{i}.{p} = 1 * {v};", "{i}.{p} = Number({v});", '{i}.{p} = parseInt("{d}");', "{i}.{p} = 0b1 * {v};", "{i}.{p} = {v} + 0o0;",
    "{i}.{p} = {v}, 0;", "{i}.{p} = (0, {v});", "{i}.{p} = true ? {v} : 0;", "{i}.{p} = {v} || 1;", "{i}.{p} = {v} ?? 1;",
    '{i}.{p} = "{v}";', "{i}.{p} = `{v}`;", "{i}.{p} = [{v}][0];", "{i}.{p} = {{ a: {v} }}.a;", "{i}.{p} = (() => {v})();",
    "const SIZE = {v};\n{i}.{p} = SIZE;", "var SIZE = {v}; {i}.{p} = SIZE;", "let SIZE = {h};\n{i}.{p} = SIZE * 2;",
    "{i}.{p} = {h}; {i}.{p} += {h};", "{i}.{p} = {v} - 1; {i}.{p}++;", "{i}.{p} = 0; {i}.{p} = {v};", "{i}.{p} = {i}.other = {v};",
    "const one = {i};\none.{p} = {v};", "let one; one = {i}; one.{p} = {v};", "const [one] = [{i}]; one.{p} = {v};",
    "const all = {{ one: {i} }}; all.one.{p} = {v};", "[{i}][0].{p} = {v};", "[{i}].forEach((one) => {{ one.{p} = {v}; }});",
    "Object.assign({i}, {{ {p}: {v} }});", "Object.assign({i}, {{\n  {p}: {v}\n}});", 'Reflect.set({i}, "{p}", {v});',
    "if (true) {i}.{p} = {v};", "if (true) {{ {i}.{p} = {v}; }}", "if (true)\n{i}.{p} = {v};", "if (false) {i}.{p} = {v};",
    "if (false)\n{i}.{p} = {v};", "if (false) ; else\n{i}.{p} = {v};", "{{ {i}.{p} = {v}; }}", "{{\n{i}.{p} = {v};\n}}",
    "for (let k = 0; k < 1; ++k)\n{i}.{p} = {v};", "for (const one of [{i}]) one.{p} = {v};", "while (false)\n{i}.{p} = {v};",
    "do\n{i}.{p} = {v};\nwhile (false);", "switch (1) {{ case 1: {i}.{p} = {v}; }}", "try {{ {i}.{p} = {v}; }} catch (e) {{}}",
    "function set() {{ {i}.{p} = {v}; }}\nset();", "function never() {{\n{i}.{p} = {v};\n}}", "(function () {{ {i}.{p} = {v}; }})();",
    "const set = () =>\n{i}.{p} = {v};\nset();", "class Set {{ static {{ {i}.{p} = {v}; }} }}", "label:\n{i}.{p} = {v};",
    "label: for (;;) {{ {i}.{p} = {v}; break label; }}", "true &&\n({i}.{p} = {v});", "void 0,\n{i}.{p} = {v};",
    "({{ a: {i}.{p} }} = {{ a: {v} }});", "[{i}.{p}] = [{v}];", "eval(\"{i}.{p} = {v}\");", "new Function('one', 'one.{p} = {v}')({i});",
    "`${{{i}.{p} = {v}}}`;", "// {i}.{p} = {v};", "/* {i}.{p} = {v}; */", "/*\n{i}.{p} = {v};\n*/", "", ";",
    "// a\r{i}.{p} = {v};", "// a\u2028{i}.{p} = {v};", "0 <!-- /*\n{i}.{p} = {v}; // */", "/'/;\n{i}.{p} = {v}; // '/*",
    "'/*';\n{i}.{p} = {v}; '*/';", '"//"; {i}.{p} = {v};', "`/*\n`;\n{i}.{p} = {v}; // */", "'it\\'s'; {i}.{p} = {v}; // '",
    "{i}.{p} = {v} /* ; */ ;", "{i}.{p} = {v}\n;", "{i}.{p} = {v}\n* 1;", "{i}.{p} = {v}\n[0];", "{i}.{p}.x = {v};",
    "{i}?.{p};", "delete {i}.{p};", "return;\n{i}.{p} = {v};", "throw 1;", "{e}.{p} = {v};",
]
# What is put behind everything.
APPENDED = [
    '{i}["{p}"] = {h};', "{i}.{p} = {h};", "{i} .{p} = {h};", "Object.assign({i}, {{ {p}: {h} }});", "const last = {i}; last.{p} = {h};",
    "({i}).{p} = {h};", "{i}.{p} *= 2;", "{i}.{p} = {i}.{p};", "[{i}].map((one) => one.{p} = {h});", "if (1) {i}.{p} = {h};",
    "{i}.$name = 'OTHER';", "{i}.{p} = {v};", "{i}\n.{p} = {h}", '{m}["x"] = 1;', "const again = {m};", "const extra = {m}.addInstance();",
    '{m}["addInstance"]();', "{m}.addInstance();", "const more = [{m}.addInstance(), 1];", "const {{ length }} = 'abc';",
    "const unrelated = [1, 2, 3].map((x) => {{\n  return x;\n}});", "const t = 1 / 2;", "const plain = 64 * 1024;",
    'const other = scripting.addModule("/kernel/dpl/clock");', 'scripting.addModule("/kernel/dpl/{m}");',
    'const other = scripting["addModule"]("/kernel/dpl/{m}");', 'const p = "/kernel/dpl/{m}"; const q = scripting.addModule(p);',
    "const s = scripting;", 'const name = "{i}";',
]


def whole(target: Target) -> Iterator[tuple[str, Callable[[str], str]]]:
    """What is done to the whole script."""
    instance, module, prop = target.instance, target.module, target.property
    creation = rf"const {instance}\s*=\s*{module}\.addInstance\(\);\n"
    line = rf"{instance}\.{prop}\s*=\s*\w+;\n"

    def sub(pattern: str, put: str) -> Callable[[str], str]:
        def change(text: str) -> str:
            changed, count = re.subn(pattern, lambda match: match.expand(put), text, flags=re.M)
            check(count, f"{target.path}: nothing is {pattern}")
            return changed
        return change

    def to_end(pattern: str) -> Callable[[str], str]:
        return lambda text: re.sub(pattern, "", text) + "".join(match[0] for match in re.finditer(pattern, text))

    yield "renamed", sub(rf"\b{instance}\b", "renamed_one")
    yield "renamed with a zero", sub(rf"\b{instance}\b", f"{module}0009")
    yield "renamed far away", sub(rf"\b{instance}\b", f"{module}1234")
    yield "renamed by 90", sub(rf"\b{instance}\b", f"{module}99")
    yield "module renamed", sub(rf"(?<![\w/]){module}(?=\b(?!\"))", "mod")
    yield "all renamed", sub(rf"(?<![/\w]){module}(?=\d*\b(?!\"))", "other")
    yield "creation gone", sub(creation, "")
    yield "creation by let", sub(rf"const ({instance}\s*=)", r"let \1")
    yield "creation by var", sub(rf"const ({instance}\s*=)", r"var \1")
    yield "creation by nothing", sub(rf"const ({instance}\s*=)", r"\1")
    yield "creation with properties", sub(rf"({instance}\s*=\s*{module}\.addInstance\()\)", rf"\1{{ {prop}: 4096 }})")
    yield "creation by brackets", sub(rf"({instance}\s*=\s*{module})\.addInstance", r'\1["addInstance"]')
    yield "creation at the end", to_end(creation)
    yield "creation twice", sub(rf"({creation})", r"\1\1")
    yield "creations in one statement", sub(rf"(const {instance}\s*=\s*{module}\.addInstance\(\));", r"\1, unused = 1;")
    yield "statement at the end", to_end(line)
    yield "statement above its creation", lambda text: (re.search(line, text) or [""])[0] + re.sub(line, "", text)
    yield "statement twice", sub(rf"({line})", r"\1\1")
    yield "all of it at the end", to_end(rf"{instance}\.\S+\s*=\s*[^;\n]+;\n")
    yield "all of it gone", sub(rf"{instance}\.\S+\s*=\s*[^;\n]+;\n", "")
    yield "it and its creation gone", sub(rf"({creation})|({instance}\.\S+\s*=\s*[^;\n]+;\n)", "")
    yield "module gone", sub(rf"const {module}\s*=.*\n", "")
    yield "module with properties", sub(rf'(/{module}", )\{{\}}', r"\1{ a: 1 }")
    yield "module by its path alone", sub(rf'(/{module}"), \{{\}}, false', r"\1")
    yield "module by var", sub(rf"const ({module}\s*=)", r"var \1")
    yield "single quotes", lambda text: text.replace('"', "'")
    yield "templates", lambda text: text.replace('"', "`")
    yield "escaped names", lambda text: re.sub(r'(\$name\s*=\s*")(\w)', lambda m: f"{m[1]}\\x{ord(m[2]):02x}", text)
    yield "no semicolons", lambda text: text.replace(";\n", "\n")
    yield "one line", lambda text: re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.S))
    yield "CRLF", lambda text: text.replace("\n", "\r\n")
    yield "CR", lambda text: text.replace("\n", "\r")
    yield "a byte order mark", lambda text: "\ufeff" + text
    yield "no comments", lambda text: re.sub(r"/\*.*?\*/\n", "", text, flags=re.S)
    yield "tabs", lambda text: re.sub(r" += +", "\t=\t", text)
    yield "strict", lambda text: '"use strict";\n' + text
    yield "lower case", lambda text: re.sub(r"0x[0-9A-F]+", lambda match: match[0].lower(), text)
    yield "0X", lambda text: re.sub(r"\b0x(\w+);", r"0X\1;", text)
    yield "zeros before", lambda text: re.sub(r"\b0x(\w+);", r"0x000\1;", text)
    yield "a unicode escape", sub(rf"^{instance}(\.{prop})", lambda_escape(instance))


def lambda_escape(instance: str) -> str:
    return f"{instance[:-1]}\\\\u003{instance[-1]}\\1"


def forms(text: str, target: Target) -> Iterator[tuple[str, str]]:
    """What was done, and what became of the script."""
    line, value = statement(text, target)
    words = {"i": target.instance, "p": target.property, "m": target.module, "v": value, "d": int(value, 0),
             "h": hex(int(value, 0) // 2), "e": lambda_escape(target.instance)[:-2].replace("\\\\", "\\")}
    for form in STATEMENTS:
        yield form, text.replace(line, form.format(**words))
    for form in APPENDED:
        yield f"behind everything: {form}", text + form.format(**words) + "\n"
    for what, change in whole(target):
        yield what, change(text)


def dumped(texts: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run([tool("node", "nodejs"), str(HERE / "syscfg_dump.js")], input=json.dumps(texts), capture_output=True,
                          text=True, timeout=300, check=True)
    return json.loads(done.stdout)


def meaning(dump: dict[str, Any]) -> dict[str, list[Any]] | None:
    """Of each module what sysconfig makes of its instances, in their order; nothing where the script does not run."""
    if "problem" in dump:
        return None
    found: dict[str, list[Any]] = {name: [] for name in DEFAULTS}
    for module in dump["modules"]:
        name = module["path"].split("/")[-1]
        if name in DEFAULTS:
            found[name] += [effective(name, one) for one in module["instances"]]
    return found


@dataclass
class Tried:
    what: str
    text: str
    # Empty: refused.
    result: str = ""
    said: str = ""


def try_form(context: Context, start: Tree, target: Target, tried: Tried) -> None:
    tree = start.copy(context.work / "tree")
    tree.below(target.path).write_bytes(tried.text.encode("utf-8"))
    edit = Edit(context, tree, dict(target.values))
    before = snapshot(tree.root)
    done = edit.run(expect=(0, 1))
    tried.said = done.stdout + done.stderr
    if done.returncode == 0:
        tried.result = tree.below(target.path).read_bytes().decode("utf-8")
        return
    same_tree(f"refused: {tried.what}", snapshot(tree.root), before)
    check(re.search(rf"{re.escape(target.path)}:\d+:\d+: error", tried.said), f"no place in {target.path}:\n{tried.said}")
    if "error[verify.parse]" in tried.said and len(tried.text) % context.options.every == 0:
        found = context.run("check", "--sdk", tree.root, *tree.checks[0], expect=1)
        check(re.search(rf"{re.escape(target.path)}:\d+:\d+: error\[verify\.parse\]", found.stdout + found.stderr),
              f"check says nothing of it:\n{found.stdout}{found.stderr}")


def judge(tried: Tried, was: Any, now: Any, usual: Any, wanted: Any, path: str) -> None:
    """`was`: what the form says; `now`: what it says edited; `usual`, `wanted`: the same of the file as it is in the tree."""
    check(was is not None, "does not run, and was edited")
    if was == usual:
        same("the edited file says", now, wanted)
    else:
        check(re.search(rf"{re.escape(path)}.*|check --sdk", tried.said), f"says something else than the map, and nobody says so:\n{tried.said}")


def check_target(context: Context, start: Tree, target: Target) -> tuple[int, int, list[str]]:
    text = start.below(target.path).read_text(encoding="utf-8")
    step = context.options.first if target == TARGETS[0] else context.options.every
    tries = [Tried("as it is", text), *(Tried(*form) for form in list(forms(text, target))[::step])]
    failures = []
    for tried in tries:
        try:
            try_form(context, start, target, tried)
        except Failure as failure:
            failures.append(f"{target.path}: {tried.what!r}: {failure}")
    check(tries[0].result, f"{target.path}: as it is: {tries[0].said}")
    before = [meaning(dump) for dump in dumped([tried.text for tried in tries])]
    after = [meaning(dump) for dump in dumped([tried.result or text for tried in tries])]
    for tried, was, now in zip(tries, before, after):
        try:
            if tried.result:
                judge(tried, was, now, before[0], after[0], target.path)
        except Failure as failure:
            failures.append(f"{target.path}: {tried.what!r}: {failure}")
    return len(tries) - 1, sum(bool(tried.result) for tried in tries[1:]), failures


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--first", type=int, default=1, help="one of how many forms is tried of the first statement")
    parser.add_argument("--every", type=int, default=4, help="one of how many is tried of the others")


def body(context: Context) -> str:
    tool("node", "nodejs")
    start = original(context)
    count, edited, failures = 0, 0, []
    for target in TARGETS:
        tried, done, found = check_target(context, start, target)
        count, edited, failures = count + tried, edited + done, failures + found
    check(not failures, f"{len(failures)} of {count}:\n" + "\n\n".join(failures))
    check(count >= LEAST // context.options.first and edited >= count // 10, f"{count} forms, {edited} edited: that shows little")
    return f"{count} forms: {edited} edited, {count - edited} refused"


if __name__ == "__main__":
    main(__doc__, body, add_options)
