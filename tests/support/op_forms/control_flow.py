"""Forms of the operations with regions and of terminators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from support.op_forms.body import INTS, Body, Build, flag, forms, tile


@forms("assert")
def _(name: str) -> Iterator[Build]:
    def one(message: str, type: str) -> Build:
        def build(body: Body) -> None:
            operand = body.value(type)
            body.group(f'{name} {operand}, "{message}"{body.attributes} : {type}', 0)

        return build

    yield one("plain", tile("i1"))
    yield one("", tile("i1", 4))
    yield one(r"a \22quoted\22 back\\slash\0A\C3\A9", tile("i1", 2, 4))


CARRIED = ((), (tile("i32"),), (tile("f32", 4), "token"))


def passed(word: str, values: Sequence[str], types: Sequence[str], attributes: str = "") -> str:
    """A terminator with its operands."""
    operands = f" {', '.join(values)}" if values else ""
    colon = f" : {', '.join(types)}" if types else ""
    return f"{word}{operands}{attributes}{colon}"


def for_form(unsigned: str, element: str, types: Sequence[str], attributes: str) -> Build:
    """`attributes` is the operation that has the attribute dictionary: `for` or `continue`."""

    def build(body: Body) -> None:
        bound = tile(element)
        lower, upper, step = (body.value(bound) for _ in range(3))
        inits = [body.value(type) for type in types]
        own = body.attributes if attributes == "for" else ""
        result = body.named("for") if types else ""
        inner = body.inner()
        variable = inner.named("loopIdx")
        carried = [inner.named(f"iterArg{k}") for k in range(len(types))]
        head = f"for{unsigned} {variable} in ({lower} to {upper}, step {step}) : {bound}"
        if types:
            pairs = ", ".join(f"{a} = {b}" for a, b in zip(carried, inits, strict=True))
            head += f" iter_values({pairs}) -> ({', '.join(types)})"
            count = f":{len(types)}" if len(types) > 1 else ""
            head = f"{result}{count} = {head}"
        noted = body.attributes if attributes == "continue" else ""
        if types or noted:
            inner.lines.append(passed("continue", carried, types, noted))
        body.region(f"{head} {{", inner, f"}}{own}")

    return build


@forms("for")
def _(name: str) -> Iterator[Build]:
    for unsigned, element, types in product(flag("unsigned"), INTS[1:], CARRIED):
        yield for_form(unsigned, element, types, name)


def loop_form(
    types: Sequence[str],
    results: Sequence[str],
    last: str,
    attributes: str,
    within_if: bool = False,
) -> Build:
    """A loop that carries `types` and ends with `last`, in an `if` or not."""

    def build(body: Body) -> None:
        inits = [body.value(type) for type in types]
        outs = [body.value(type) for type in results]
        condition = body.value(tile("i1")) if within_if else ""
        own = body.attributes if attributes == "loop" else ""
        noted = body.attributes if attributes == last else ""
        head = "loop"
        if results:
            count = f":{len(results)}" if len(results) > 1 else ""
            head = f"{body.unnamed()}{count} = loop"
        inner = body.inner()
        carried = [inner.block_argument() for _ in types]
        if types:
            pairs = ", ".join(f"{a} = {b}" for a, b in zip(carried, inits, strict=True))
            head += f" iter_values({pairs}) : {', '.join(types)}"
            head += f" -> {', '.join(results)}" if results else ""
        elif results:
            head += f" : {', '.join(results)}"
        leaving = {
            "continue": passed(last, carried, types, noted),
            "break": passed(last, outs, results, noted),
            "return": passed(last, (), (), noted),
        }[last]
        if within_if:
            inner.region(f"if {condition} {{", _only(leaving), "}")
            leaving = passed("continue", carried, types)
        if leaving != "continue":
            inner.lines.append(leaving)
        body.region(f"{head} {{", inner, f"}}{own}")

    return build


def _only(line: str) -> Body:
    return Body(lines=[line])


@forms("loop", "break", "continue")
def _(name: str) -> Iterator[Build]:
    last = {"loop": "break"}.get(name, name)
    for types, results, within_if in product(CARRIED, CARRIED, (False, True)):
        yield loop_form(types, results, last, name, within_if)


@forms("continue")
def _(name: str) -> Iterator[Build]:
    for types in CARRIED:
        yield for_form("", "i32", types, name)


@forms("return")
def _(name: str) -> Iterator[Build]:
    def in_if(body: Body) -> None:
        condition = body.value(tile("i1"))
        body.region(f"if {condition} {{", _only(f"return{body.attributes}"), "}")

    yield in_if
    for within_if in (False, True):
        yield loop_form((), (), name, name, within_if)


def if_form(types: Sequence[str], has_else: bool, attributes: str) -> Build:
    def build(body: Body) -> None:
        condition = body.value(tile("i1"))
        values = [body.value(type) for type in types]
        own = body.attributes if attributes == "if" else ""
        noted = body.attributes if attributes == "yield" else ""
        head = f"if {condition}"
        if types:
            count = f":{len(types)}" if len(types) > 1 else ""
            head = f"{body.unnamed()}{count} = {head} -> ({', '.join(types)})"
        branch = _only(passed("yield", values, types, noted))
        if not types and not noted:
            branch = Body()
        parts = [branch, "} else {", branch] if has_else else [branch]
        body.region(f"{head} {{", *parts, f"}}{own}")

    return build


@forms("if", "yield")
def _(name: str) -> Iterator[Build]:
    yield if_form((), False, name)
    for types in CARRIED:
        yield if_form(types, True, name)


@forms("if")
def _(name: str) -> Iterator[Build]:
    def nested(body: Body) -> None:
        """Branches number their values alike; the outer `if` prints its attributes last."""
        condition = body.value(tile("i1"))
        inner = body.inner()
        token = inner.op("make_token : token")[0]
        inner.op(f"gdc_wait_tko token = {token} -> token")
        body.region(f"{name} {condition} {{", inner, "} else {", inner, f"}}{body.attributes}")

    yield nested


IDENTITIES = {
    "i1": "true",
    "i8": "-5 : i8",
    "i16": "7 : i16",
    "i32": "0 : i32",
    "i64": "-5",
    "f16": "0xFC00 : f16",
    "bf16": "1.000000e+00 : bf16",
    "f32": "0xFF800000 : f32",
    "f64": "1.000000e+00",
}


def fold_form(name: str, elements: Sequence[str], dim: int, middle: str, attributes: str) -> Build:
    """A `reduce` or `scan` whose body yields the accumulators."""

    def build(body: Body) -> None:
        types = [tile(element, 8, 4) for element in elements]
        operands = [body.value(type) for type in types]
        own = body.attributes if attributes == name else ""
        results = [tile(element, 4 if dim == 0 else 8) for element in elements]
        suggestion = "reduce"
        if name == "scan":
            results, suggestion = types, ""
        result = body.named(suggestion) if suggestion else body.unnamed()
        count = f":{len(types)}" if len(types) > 1 else ""
        identities = ", ".join(IDENTITIES[element] for element in elements)
        head = f"{result}{count} = {name} {', '.join(operands)} dim={dim}{middle} "
        head += f"identities=[{identities}]{own} : {', '.join(types)} -> {', '.join(results)} "
        inner = body.inner()
        arguments: list[str] = []
        for k, side in product(range(len(elements)), ("lhs", "rhs")):
            suffix = "" if len(elements) == 1 else str(k)
            hinted = suggestion and inner.named(f"reduce_{side}{suffix}")
            arguments.append(hinted or inner.block_argument())
        scalars = [tile(element) for element in elements]
        pairs = zip(arguments, [s for s in scalars for _ in range(2)], strict=True)
        parameters = ", ".join(f"{argument}: {type}" for argument, type in pairs)
        noted = body.attributes if attributes == "yield" else ""
        inner.lines.append(passed("yield", arguments[::2], scalars, noted))
        body.region(head, f"({parameters}) {{", inner, "}")

    return build


@forms("reduce")
def _(name: str) -> Iterator[Build]:
    for element, dim in product(IDENTITIES, (0, 1)):
        yield fold_form(name, [element], dim, "", name)
    yield fold_form(name, ["f32", "i64"], 1, "", name)
    yield fold_form(name, ["i32", "f16", "i1"], 0, "", name)


@forms("scan")
def _(name: str) -> Iterator[Build]:
    for element, dim, reverse in product(IDENTITIES, (0, 1), ("true", "false")):
        yield fold_form(name, [element], dim, f" reverse={reverse}", name)
    yield fold_form(name, ["f32", "i64"], 1, " reverse=true", name)


@forms("yield")
def _(name: str) -> Iterator[Build]:
    yield fold_form("reduce", ["f32", "i32"], 0, "", name)
