"""Really runs a generator script and prints, as JSON, what it computed. Nothing is written.

    record_script.py SCRIPT LIBRARY set|unset

LIBRARY is the folder that holds ti_psdk_rtos_tools. Modules gen_* that the script imports from beside it are
replaced by exporters. `set`: every variable of the environment has a value, and every folder exists.
"""

import ast
import builtins
import contextlib
import io
import json
import os
import re
import runpy
import sys
import traceback
import types
from typing import Any

sections: list[Any] = []
maps: list[Any] = []
exports: list[dict[str, Any]] = []
warnings: list[tuple[str, str, str]] = []


def section_of(section: Any) -> dict[str, Any]:
    return {"name": section.name, "attributes": section.attributes, "comment": section.comment,
            "origin": str(section.origin), "length": str(section.length),
            "dts_label": section.dtsLabelName, "dts_node": section.dtsNodeName,
            "compatibility": section.compatibility, "print_compatibility": bool(section.printCompatibility),
            "no_map": bool(section.no_map), "origin_tag": bool(section.origin_tag),
            "split_origin": bool(section.split_origin), "alignment": bool(section.alignment)}


def members_of(memory_map: Any) -> list[dict[str, Any]]:
    return [section_of(section) for section in memory_map.memoryMap.values()]


def record_export(exporter: Any) -> None:
    record = {"kind": type(exporter).__name__, "map_title": exporter.memoryMap.name,
              "entries": members_of(exporter.memoryMap), "path": exporter.name}
    if hasattr(exporter, "phys_addr_base"):
        record["physical_base"] = str(exporter.phys_addr_base)
        record["virtual_base"] = str(exporter.virt_addr_base)
    exports.append(record)


def make_exporter(name: str) -> type:
    def init(self: Any, memoryMap: Any, name: str = "") -> None:  # noqa: N803 - the library's own name
        self.memoryMap = memoryMap
        self.name = name
    return type(name, (), {"__init__": init, "export": record_export})


def replace_modules(text: str) -> None:
    """The modules gen_* that the script imports from beside it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gen_"):
            module = types.ModuleType(node.module or "")
            for alias in node.names:
                setattr(module, alias.name, make_exporter(alias.name))
            sys.modules[module.__name__] = module


def watch_library(library: Any) -> None:
    def watched(cls: type, made: list[Any]) -> None:
        init = cls.__init__

        def wrapper(self: Any, *arguments: Any, **named: Any) -> None:
            init(self, *arguments, **named)
            made.append(self)
        cls.__init__ = wrapper  # type: ignore[method-assign]

    watched(library.MemSection, sections)
    watched(library.MemoryMap, maps)
    for name in ("LinkerCmdFile", "HtmlMmapTable", "CHeaderFile", "DtsFile"):
        getattr(library, name).export = record_export
    check = library.MemoryMap.checkOverlap

    def check_overlap(self: Any) -> bool:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            result = check(self)
        for line in printed.getvalue().splitlines():
            match = re.fullmatch(r"WARNING: (.*) memory map has a overlap between (.*) and (.*) sections", line)
            if match is None:
                raise RuntimeError(f"unexpected output {line!r}")
            warnings.append((match[1], match[2], match[3]))
        self.overlap_checked = True
        return bool(result)
    library.MemoryMap.checkOverlap = check_overlap


class EverySetting(dict):  # type: ignore[type-arg]
    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, "value")


def value_of(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"bool": value}
    return {"int": str(value)} if isinstance(value, int) else {"text": value}


def failure_of(error: BaseException, script: str) -> dict[str, Any]:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == script]
    line = error.lineno if isinstance(error, SyntaxError) else frames[-1].lineno if frames else 0
    return {"error": type(error).__name__, "message": str(error), "line": line}


def run(script: str, library_folder: str, mode: str) -> dict[str, Any]:
    sys.path.insert(0, library_folder)
    library = __import__("ti_psdk_rtos_tools")
    watch_library(library)
    with open(script, encoding="utf-8-sig") as file:
        # A script that cannot be parsed says so when it is run.
        with contextlib.suppress(SyntaxError):
            replace_modules(file.read())
    if mode == "set":
        os.environ = EverySetting(os.environ)  # type: ignore[assignment]
        os.path.isdir = os.path.exists = os.path.isfile = lambda path: True
    names: dict[str, Any] = {}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            names = runpy.run_path(script, run_name="__main__")
    except SystemExit as error:
        if mode == "set" and error.code not in (None, 0):
            return failure_of(error, script)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the script does
        return failure_of(error, script)
    plain = {name: value_of(value) for name, value in names.items()
             if isinstance(value, (int, str)) and not name.startswith("__")}
    return {"variables": plain, "sections": [section_of(section) for section in sections],
            "section_names": {name: sections.index(value) for name, value in reversed(names.items())
                              if isinstance(value, library.MemSection)},
            "maps": [{"title": one.name, "entries": members_of(one),
                      "overlap_checked": getattr(one, "overlap_checked", False)} for one in maps],
            "exports": exports, "warnings": warnings}


def main() -> None:
    script, library_folder, mode = sys.argv[1:]
    sys.argv = [script]
    result = run(script, library_folder, mode)
    builtins.print(json.dumps(result))


if __name__ == "__main__":
    main()
