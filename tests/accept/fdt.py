"""Reads a flattened device tree: nodes by path, each with its properties as bytes."""

import struct

from support import check, fail

MAGIC, BEGIN_NODE, END_NODE, PROPERTY, NOP, END = 0xD00DFEED, 1, 2, 3, 4, 9
Tree = dict[str, dict[str, bytes]]


def word(blob: bytes, at: int) -> int:
    check(at + 4 <= len(blob), "dtb: truncated")
    return int(struct.unpack_from(">I", blob, at)[0])


def text(blob: bytes, at: int) -> str:
    end = blob.index(b"\0", at)
    return blob[at:end].decode("ascii")


def aligned(at: int) -> int:
    return (at + 3) & ~3


def parse_fdt(blob: bytes) -> Tree:
    check(word(blob, 0) == MAGIC, "dtb: not a flattened device tree")
    structure, strings = word(blob, 8), word(blob, 12)
    tree: Tree = {}
    path: list[str] = []
    at = structure
    while True:
        token = word(blob, at)
        at += 4
        if token == BEGIN_NODE:
            name = text(blob, at)
            at = aligned(at + len(name) + 1)
            path.append(name)
            key = "/".join(path) or "/"
            check(key not in tree, f"dtb: {key} twice")
            tree[key] = {}
        elif token == PROPERTY:
            length, name_at = word(blob, at), word(blob, at + 4)
            tree["/".join(path) or "/"][text(blob, strings + name_at)] = blob[at + 8:at + 8 + length]
            at = aligned(at + 8 + length)
        elif token == END_NODE:
            path.pop()
        elif token == END:
            check(not path, "dtb: ends inside a node")
            return tree
        elif token != NOP:
            fail(f"dtb: unknown token {token}")


def cells(value: bytes) -> list[int]:
    check(len(value) % 4 == 0, f"dtb: {len(value)} bytes are not whole cells")
    return [part for (part,) in struct.iter_unpack(">I", value)]


def strings_of(value: bytes) -> list[str]:
    check(value.endswith(b"\0"), "dtb: a string without its end")
    return value[:-1].decode("ascii").split("\0")
