"""Random expressions have the value that Python gives them, and what Python refuses is refused."""

import argparse
import ast
import json
import math
import operator
import random
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accept"))

from support import check, same  # noqa: E402

LIMIT = 1 << 100
EXACT = 1 << 53
NAMES = {"a": 3, "b": -7, "KB": 1024, "big": 0x8_8000_0000, "zero": 0, "yes": True, "low": -(1 << 40)}
BINARY = ("+", "-", "*", "//", "%", "<<", ">>", "&", "|", "^", "**", "/")
WEIGHTS = (6, 6, 5, 4, 4, 3, 3, 3, 3, 3, 1, 0)
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
OPERATORS: dict[type, Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.Pow: operator.pow, ast.Div: operator.truediv,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
    ast.Not: operator.not_}
CALLS = {"int": int, "abs": abs, "min": min, "max": max, "ceil": math.ceil, "floor": math.floor}


class Refused(Exception):
    """Correct Python beyond what is understood."""


@dataclass
class Outcome:
    values: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    refused: list[tuple[str, str]] = field(default_factory=list)


def literal(rng: random.Random) -> str:
    value = rng.choice((rng.randint(0, 9), rng.randint(0, 4096), rng.randint(0, 1 << 36), 1 << rng.randint(0, 40)))
    form = rng.choice(("{}", "{:#x}", "{:#X}", "{:#o}", "{:#b}", "{:_}", "{:#_x}"))
    return form.format(value)


def blank(rng: random.Random, depth: int) -> str:
    """Within brackets a line may end."""
    return rng.choice(("", " ", " ", "  ", "\t") + (("\n", " # ) a comment\n   ") if depth else ()))


def expression(rng: random.Random, size: int, brackets: int = 0) -> str:
    space = blank(rng, brackets)
    if size <= 1:
        return rng.choice((literal(rng), literal(rng), rng.choice(list(NAMES)), rng.choice(("True", "False"))))
    left, right = rng.randint(1, size - 1), 0
    right = max(1, size - left)
    style = rng.random()
    if style < 0.12:
        return rng.choice(("-", "+", "~", "not ")) + space + expression(rng, size - 1, brackets)
    if style < 0.58:
        sign = rng.choices(BINARY, WEIGHTS)[0]
        other = str(rng.randint(-3, 60)) if sign in ("<<", ">>", "**") and rng.random() < 0.9 else ""
        return expression(rng, left, brackets) + space + sign + space + (other or expression(rng, right, brackets))
    if style < 0.75:
        return "(" + space + expression(rng, size - 1, brackets + 1) + space + ")"
    if style < 0.82:
        return expression(rng, left, brackets) + " " + rng.choice(COMPARISONS) + " " + expression(rng, right, brackets)
    if style < 0.88:
        return expression(rng, left, brackets) + rng.choice((" and ", " or ")) + expression(rng, right, brackets)
    if style < 0.92:
        return (expression(rng, left, brackets) + " if " + expression(rng, right, brackets) + " else " +
                expression(rng, 1, brackets))
    if style < 0.96:
        function = rng.choice(("int(math.ceil({} / {}))", "math.floor({}/{})", "int(({}) / ({}))"))
        return function.format(expression(rng, left, brackets + 1), expression(rng, right, brackets + 1))
    return rng.choice(("min({}, {})", "max({},{})")).format(expression(rng, left, brackets + 1),
                                                            expression(rng, right, brackets + 1))


def limited(value: Any) -> Any:
    if isinstance(value, int) and abs(value) >= LIMIT:
        raise Refused("2^100")
    return value


def walk(node: ast.expr) -> Any:
    """Python's value, step by step, so that the limits can be seen."""
    if isinstance(node, ast.Constant):
        return limited(node.value)
    if isinstance(node, ast.Name):
        return NAMES[node.id]
    if isinstance(node, ast.UnaryOp):
        return limited(OPERATORS[type(node.op)](walk(node.operand)))
    if isinstance(node, ast.BinOp):
        return limited(arithmetic(node.op, walk(node.left), walk(node.right)))
    if isinstance(node, ast.Compare):
        left = walk(node.left)
        for op, comparator in zip(node.ops, node.comparators):
            right = walk(comparator)
            if isinstance(left, float) and isinstance(right, float):
                raise Refused("two quotients")
            if not OPERATORS[type(op)](left, right):
                return False
            left = right
        return True
    if isinstance(node, ast.BoolOp):
        for operand in node.values:
            value = walk(operand)
            if bool(value) == isinstance(node.op, ast.Or):
                break
        return value
    if isinstance(node, ast.IfExp):
        return walk(node.body) if walk(node.test) else walk(node.orelse)
    assert isinstance(node, ast.Call)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    arguments = [walk(argument) for argument in node.args]
    if name in ("min", "max") and any(isinstance(value, float) for value in arguments):
        raise Refused("a quotient")
    return limited(CALLS[name](*arguments))


def arithmetic(op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(left, float) or isinstance(right, float):
        raise Refused("a float")
    if isinstance(op, ast.Div) and right != 0 and max(abs(left), abs(right)) >= EXACT:
        raise Refused("2^53")
    if isinstance(op, ast.LShift) and left != 0 and right > 200:
        raise Refused("2^100")
    if isinstance(op, ast.Pow):
        if abs(left) > 1 and right > 200:
            raise Refused("2^100")
        if right < 0:
            raise Refused("a float")
    return OPERATORS[type(op)](left, right)


def judge(text: str) -> tuple[Any, str]:
    """The value, or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval")
        value = walk(tree.body)
    except (Refused, SyntaxError, ArithmeticError, TypeError, ValueError) as error:
        return None, f"{type(error).__name__}: {error}"
    same(text, value, eval(text, {"math": math, **NAMES}))  # noqa: S307 - made by this test
    return (None, "a float") if isinstance(value, float) else (value, "")


def draw(rng: random.Random, count: int) -> Outcome:
    outcome = Outcome()
    for index in range(count):
        text = expression(rng, rng.randint(1, 14))
        value, why = judge(text)
        if why:
            outcome.refused.append((text, why))
        else:
            outcome.values[f"v{index}"] = value
            outcome.texts[f"v{index}"] = text
    return outcome


def preamble() -> str:
    return "import math\n" + "".join(f"{name} = {value}\n" for name, value in NAMES.items())


def dump(program: Path, script: Path, text: str) -> Any:
    script.write_text(text, encoding="utf-8")
    done = subprocess.run([str(program), str(script)], capture_output=True, text=True, timeout=60)
    check(done.returncode in (0, 1), f"exit {done.returncode} for {text!r}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def plain(value: Any) -> dict[str, Any]:
    return {"bool": value} if isinstance(value, bool) else {"int": str(value)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dump", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--count", type=int, default=4000)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    script = options.work / f"expression-{options.seed}.py"
    outcome = draw(rng, options.count)
    lines = [f"{name} = {text}\n" for name, text in outcome.texts.items()]
    found = dump(options.dump, script, preamble() + "".join(lines))
    check("variables" in found, f"seed {options.seed}: refused: {found['diagnostics']}")
    values = {one["name"]: one for one in found["variables"]}
    for name, value in outcome.values.items():
        same(f"seed {options.seed}: {outcome.texts[name]!r}", values[name]["value"], plain(value))
        same(f"text of {name}", values[name]["assignments"][0]["expression"]["text"], outcome.texts[name])
    refused = outcome.refused[:300]
    for text, why in refused:
        # A float may be a variable's value, which is not listed.
        again = dump(options.dump, script, preamble() + f"wanted = {text}\n")
        listed = any(one["name"] == "wanted" for one in again.get("variables", []))
        check(not listed, f"seed {options.seed}: {text!r} has a value, but Python says {why}")
        check(again.get("diagnostics") or "float" in why, f"seed {options.seed}: {text!r}: no error, but {why}")
    script.unlink()
    check(len(outcome.values) > options.count // 4, f"only {len(outcome.values)} values")
    print(f"seed {options.seed}: {len(outcome.values)} values the same, {len(refused)} refusals")


if __name__ == "__main__":
    main()
