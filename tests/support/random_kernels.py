"""Random kernels that are defined by construction: expressions, branches and loops on tiles.

Divisors are never zero and shift counts below the width, so that no result depends on what is
undefined; values of all types meet, with constants that patterns look for (0, 1, -1, extremes).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

LANES = 32
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32")
WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOAT_CONSTANTS = ("0.0", "-0.0", "1.0", "-1.0", "2.0", "0.5", "3.140625", "-7.0")
PREDICATES = (
    "equal",
    "not_equal",
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
)


@dataclass
class _Builder:
    random: random.Random
    lines: list[str] = field(default_factory=list[str])
    scopes: list[dict[str, list[str]]] = field(default_factory=lambda: [{}])
    names: int = 0

    def emit(self, text: str, element: str) -> str:
        """Append an operation with one result and make the result known."""
        self.names += 1
        name = f"%v{self.names}"
        self.lines.append(f"{name} = {text}")
        self.add(name, element)
        return name

    def add(self, name: str, element: str) -> None:
        self.scopes[-1].setdefault(element, []).append(name)

    def value(self, element: str) -> str:
        known = [name for scope in self.scopes for name in scope.get(element, [])]
        if not known or self.random.random() < 0.2:
            return self.constant(element)
        return self.random.choice(known[-12:])

    def constant(self, element: str) -> str:
        if element in FLOATS:
            literal = self.random.choice(FLOAT_CONSTANTS)
        elif element == "i1":
            literal = self.random.choice(("true", "false"))
        else:
            limit = 1 << (WIDTHS[element] - 1)
            literal = str(self.random.choice((0, 1, -1, 2, 5, 100, limit - 1, -limit)))
        return self.emit(f"constant <{element}: {literal}> : {_tile(element)}", element)

    def positive(self, element: str, limit: int) -> str:
        """A value between 1 and `limit`."""
        mask = self.emit(f"constant <{element}: {limit - 1}> : {_tile(element)}", element)
        low = self.emit(f"andi {self.value(element)}, {mask} : {_tile(element)}", element)
        one = self.emit(f"constant <{element}: 1> : {_tile(element)}", element)
        return self.emit(f"addi {low}, {one} : {_tile(element)}", element)

    def operation(self) -> None:
        kind = self.random.choice((self.integer, self.integer, self.floating, self.floating))
        choices = (kind, kind, kind, self.comparison, self.selection, self.conversion)
        self.random.choice(choices)()

    def integer(self) -> None:
        element = self.random.choice(INTEGERS)
        type = _tile(element)
        x, y = self.value(element), self.value(element)
        sign = self.random.choice(("signed", "unsigned"))
        op = self.random.choice(
            ("addi", "subi", "muli", "andi", "ori", "xori", "maxi", "mini", "negi", "absi")
            + (("divi", "remi", "shli", "shri") if element != "i1" else ())
        )
        if op in ("negi", "absi"):
            self.emit(f"{op} {x} : {type}", element)
        elif op in ("maxi", "mini"):
            self.emit(f"{op} {x}, {y} {sign} : {type}", element)
        elif op in ("divi", "remi"):
            self.emit(f"{op} {x}, {self.positive(element, 64)} {sign} : {type}", element)
        elif op in ("shli", "shri"):
            mask = self.emit(f"constant <{element}: 7> : {type}", element)
            count = self.emit(f"andi {y}, {mask} : {type}", element)
            suffix = f" {sign}" if op == "shri" else ""
            self.emit(f"{op} {x}, {count}{suffix} : {type}", element)
        else:
            self.emit(f"{op} {x}, {y} : {type}", element)

    def floating(self) -> None:
        element = self.random.choice(FLOATS)
        type = _tile(element)
        x, y, z = (self.value(element) for _ in range(3))
        mode = self.random.choice(("", "", "", " rounding<zero>", " rounding<negative_inf>"))
        op = self.random.choice(
            ("addf", "subf", "mulf", "divf", "fma", "maxf", "minf", "negf", "absf", "floor")
        )
        if op in ("negf", "absf", "floor"):
            self.emit(f"{op} {x} : {type}", element)
        elif op in ("maxf", "minf"):
            flag = self.random.choice(("", " propagate_nan"))
            self.emit(f"{op} {x}, {y}{flag} : {type}", element)
        elif op == "fma":
            self.emit(f"fma {x}, {y}, {z}{mode} : {type}", element)
        else:
            self.emit(f"{op} {x}, {y}{mode} : {type}", element)

    def comparison(self) -> None:
        predicate = self.random.choice(PREDICATES)
        element = self.random.choice(INTEGERS + FLOATS)
        x, y = self.value(element), self.value(element)
        if element in FLOATS:
            order = self.random.choice(("ordered", "unordered"))
            text = f"cmpf {predicate} {order} {x}, {y}"
        else:
            sign = self.random.choice(("signed", "unsigned"))
            text = f"cmpi {predicate} {x}, {y}, {sign}"
        self.emit(f"{text} : {_tile(element)} -> {_tile('i1')}", "i1")

    def selection(self) -> None:
        element = self.random.choice(INTEGERS + FLOATS)
        condition, x, y = self.value("i1"), self.value(element), self.value(element)
        self.emit(f"select {condition}, {x}, {y} : {_tile('i1')}, {_tile(element)}", element)

    def conversion(self) -> None:
        source = self.random.choice(INTEGERS + FLOATS)
        value = self.value(source)
        if source in FLOATS:
            target = self.random.choice([f for f in FLOATS if f != source])
            self.emit(f"ftof {value} : {_tile(source)} -> {_tile(target)}", target)
            return
        target = self.random.choice([i for i in INTEGERS if i != source])
        sign = self.random.choice(("signed", "unsigned"))
        op = f"exti {value} {sign}" if WIDTHS[target] > WIDTHS[source] else f"trunci {value}"
        self.emit(f"{op} : {_tile(source)} -> {_tile(target)}", target)

    def body(self, size: int, depth: int) -> None:
        for _ in range(size):
            if depth and self.random.random() < 0.12:
                self.random.choice((self.branch, self.loop))(depth - 1)
            else:
                self.operation()

    def branch(self, depth: int) -> None:
        element = self.random.choice(INTEGERS + FLOATS)
        type = _tile(element)
        condition = self.random.choice(("%c0", "%c1", "%true"))
        self.names += 1
        result = f"%v{self.names}"
        self.lines.append(f"{result} = if {condition} -> ({type}) {{")
        for closing in ("} else {", "}"):
            self.scopes.append({})
            self.body(self.random.randrange(3), depth)
            self.lines.append(f"yield {self.value(element)} : {type}")
            self.lines.append(closing)
            self.scopes.pop()
        self.add(result, element)

    def loop(self, depth: int) -> None:
        elements = [self.random.choice(INTEGERS + FLOATS) for _ in range(2)]
        types = [_tile(e) for e in elements]
        inits = [self.value(e) for e in elements]
        self.names += 1
        number = self.names
        end = self.random.choice(("%s0", "%s1", "%s3", "%n"))
        arguments = [f"%a{number}_{k}" for k in range(2)]
        carried = ", ".join(f"{a} = {i}" for a, i in zip(arguments, inits, strict=True))
        self.lines.append(
            f"%f{number}_0, %f{number}_1 = for %i{number} in (%s0 to {end}, step %s1) : tile<i32> "
            f"iter_values({carried}) -> ({', '.join(types)}) {{"
        )
        self.scopes.append({})
        for argument, element in zip(arguments, elements, strict=True):
            self.add(argument, element)
        self.body(self.random.randrange(1, 4), depth)
        nexts = [
            argument if self.random.random() < 0.3 else self.value(element)
            for argument, element in zip(arguments, elements, strict=True)
        ]
        self.lines += [f"continue {', '.join(nexts)} : {', '.join(types)}", "}"]
        self.scopes.pop()
        for k, element in enumerate(elements):
            self.add(f"%f{number}_{k}", element)


def _tile(element: str) -> str:
    return f"tile<{LANES}x{element}>"


def random_body(seed: int, size: int = 20) -> tuple[str, dict[str, str]]:
    """The body of a random kernel, for `pattern_check.Rewrite`, and its results by name.

    The body uses the inputs `%x_ELT` of all types, the i1 scalars `%c0` and `%c1`, and the i32
    scalar `%n`.
    """
    builder = _Builder(random.Random(seed))
    for element in INTEGERS + FLOATS:
        builder.add(f"%x_{element}", element)
    prologue = ["%true = constant <i1: true> : tile<i1>"]
    prologue += [f"%s{k} = constant <i32: {k}> : tile<i32>" for k in (0, 1, 3)]
    builder.body(size, 2)
    lines = [*prologue, *builder.lines]
    results: dict[str, str] = {}
    for element, names in builder.scopes[0].items():
        computed = [name for name in names if not name.startswith("%x_")][-2:]
        results |= {name.removeprefix("%"): _tile(element) for name in computed}
    return "\n".join(lines), results
