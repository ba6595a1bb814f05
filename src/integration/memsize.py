"""memsize in Python: what its command line does, with documents as dictionaries. Only the standard library is needed.

    import memsize
    tool = memsize.Memsize()
    sizing = tool.document("analyze", "run.log", board="j722s", files={"run.log": open("run.log", "rb").read()})
    for core in sizing["cores"]:
        print(core["core"], [demand["requested_bytes"] for demand in core["demands"]])
    made = tool.run("emit", board="j722s", trace="run.log", out="map", files={"run.log": log})
    print(made.files["map/memory_map.json"].decode())

Words are those of the command line; `board="j722s"` is `--board j722s`, `one_priority=True` is `--one-priority`, and a list
repeats its option. `files` is all that a request sees, and what it writes is in its answer; with `disk=True` it reads and
writes the disk. Sizes are bytes. Several threads may use one Memsize.
"""

import base64
import ctypes
import ctypes.util
import json
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

__all__ = ["Answer", "Memsize", "MemsizeError"]

ABI = 1

Bytes = Union[bytes, str]


class Answer(NamedTuple):
    """What a request came to."""

    status: int  # as the program exits: 0 done, 1 input or check failed, 2 usage, 3 does not fit, 4 environment
    document: Optional[Dict[str, Any]]  # what --json prints
    text: str  # what is printed without it
    problems: str  # warnings and errors, as people read them
    files: Dict[str, Optional[bytes]]  # what was written, by path; None: what was removed


class MemsizeError(Exception):
    """A request that did not end with status 0; `answer` has all of it."""

    def __init__(self, answer: Answer):
        super().__init__(answer.problems.strip() or f"status {answer.status}")
        self.answer = answer


def _installed() -> Optional[Path]:
    """The library that was installed with this module, which is in share/memsize/python."""
    here = Path(__file__).resolve()
    prefix = here.parents[3] if len(here.parents) > 3 else here.parent
    found = [path for pattern in ("lib*/memsize/libmemsize.so.1", "lib*/*/memsize/libmemsize.so.1") for path in prefix.glob(pattern)]
    return found[0] if found else None


def _word(value: object) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _words(verb: str, arguments: tuple, options: Mapping[str, Any]) -> List[str]:
    words = [verb, *map(_word, arguments)]
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            for each in value if isinstance(value, (list, tuple)) else (value,):
                words.append(f"{option}={_word(each)}")
    return words


def _file(content: Bytes) -> Any:
    if isinstance(content, str):
        return content
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode("ascii")}


def _bytes(file: Any) -> Optional[bytes]:
    if file is None:
        return None
    return base64.b64decode(file["base64"]) if isinstance(file, dict) else file.encode("utf-8")


class Memsize:
    """The library, loaded, with the boards that it has read so far."""

    def __init__(self, library: Optional[Union[str, Path]] = None, data: Optional[Union[str, Path]] = None):
        """`library`: libmemsize.so.1, by default $MEMSIZE_LIBRARY or what was installed with this; `data`: the folder with boards/ and
        templates/, by default those that were installed with it."""
        path = library or os.environ.get("MEMSIZE_LIBRARY") or _installed() or ctypes.util.find_library("memsize")
        path = path or "libmemsize.so.1"
        self._library = ctypes.CDLL(str(path))
        self._library.memsize_version.restype = ctypes.c_char_p
        self._library.memsize_open.restype = ctypes.c_void_p
        self._library.memsize_open.argtypes = [ctypes.c_char_p]
        self._library.memsize_close.restype = None
        self._library.memsize_close.argtypes = [ctypes.c_void_p]
        self._library.memsize_run.restype = ctypes.c_void_p
        self._library.memsize_run.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
        self._library.memsize_free.restype = None
        self._library.memsize_free.argtypes = [ctypes.c_void_p]
        self._session = None
        if self._library.memsize_abi() != ABI:
            raise ImportError(f"{path} has ABI {self._library.memsize_abi()}, this module is for {ABI}")
        self._session = self._library.memsize_open(os.fsencode(data) if data else None)
        if not self._session:
            raise MemoryError

    def __del__(self) -> None:
        if getattr(self, "_session", None):
            self._library.memsize_close(self._session)
            self._session = None

    @property
    def version(self) -> str:
        return self._library.memsize_version().decode("ascii")

    def run(self, verb: str, *arguments: object, files: Optional[Mapping[str, Bytes]] = None, disk: bool = False,
            **options: Any) -> Answer:
        """Does it; whatever comes of it is in the answer."""
        request: Dict[str, Any] = {"schema": "memsize.request/1", "words": _words(verb, arguments, options)}
        if disk:
            request["disk"] = True
        if files:
            request["files"] = {_word(path): _file(content) for path, content in files.items()}
        text = json.dumps(request).encode("utf-8")
        answer = self._library.memsize_run(self._session, text, len(text))
        if not answer:
            raise MemoryError
        try:
            got = json.loads(ctypes.string_at(answer))
        finally:
            self._library.memsize_free(answer)
        return Answer(got["status"], got.get("document"), got.get("text", ""), got["problems"],
                      {path: _bytes(file) for path, file in got.get("files", {}).items()})

    def document(self, verb: str, *arguments: object, files: Optional[Mapping[str, Bytes]] = None, disk: bool = False,
                 **options: Any) -> Dict[str, Any]:
        """What --json prints; MemsizeError where the status is another than 0."""
        answer = self.run(verb, *arguments, files=files, disk=disk, json=True, **options)
        if answer.status != 0 or answer.document is None:
            raise MemsizeError(answer)
        return answer.document
