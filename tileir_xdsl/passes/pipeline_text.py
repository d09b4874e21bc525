"""The text of pass pipelines: xDSL's flat form, and MLIR's form with nested operations.

    canonicalize,legalize-version{to=13.1}
    builtin.module(cuda_tile.module(cuda_tile.entry(fuse-fma),cse))

In the second, a pass runs on every operation of the kind around it. Upstream parses no nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_spec
from xdsl.utils.exceptions import ArgSpecParseError

from tileir_xdsl.passes.named_pipelines import NamedPipeline
from tileir_xdsl.passes.registry import PassFactory
from tileir_xdsl.passes.tile_pass import TilePass

ROOT = ModuleOp.name

_CLASS = re.compile("<class '(.*)'>")


class PipelineError(ValueError):
    """The text is no pipeline; the message says why."""


@dataclass(frozen=True)
class Step:
    """A pass and the operations that it runs on."""

    pass_: ModulePass
    anchor: tuple[str, ...] = (ROOT,)
    """Names of operations, from the root inwards."""

    @property
    def name(self) -> str:
        return self.pass_.name

    def text(self) -> str:
        """The step with all options as a pipeline of its own, in MLIR's form when it is nested."""
        text = pass_text(self.pass_)
        if self.anchor == (ROOT,):
            return text
        for name in reversed(self.anchor):
            text = f"{name}({text})"
        return text

    def targets(self, module: ModuleOp) -> list[Operation]:
        """The operations to run on."""
        found: list[Operation] = [module]
        for name in self.anchor[1:]:
            found = [child for op in found for child in _children(op) if child.name == name]
        return found


def pass_text(pass_: ModulePass) -> str:
    """A pass with all its options, those at their defaults too, as `tile-opt -p` reads it."""
    return str(pass_.spec(include_default=True))


def _children(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops


def parse_pipeline(text: str, passes: Mapping[str, PassFactory]) -> list[Step]:
    """The steps of a pipeline in either form.

    Raises `PipelineError` for what is no pipeline, names no pass, or gives a pass wrong options.
    """
    steps: list[Step] = []
    for element in _split(text.strip()):
        name, nested = _nested(element)
        if nested is None:
            steps.extend(_steps(element, (ROOT,), passes))
        elif name == ROOT:
            steps.extend(_steps_inside(nested, (ROOT,), passes))
        else:
            raise PipelineError(f"a nested pipeline starts at '{ROOT}(...)', not at '{name}'")
    return steps


def _steps_inside(
    text: str, anchor: tuple[str, ...], passes: Mapping[str, PassFactory]
) -> Iterator[Step]:
    for element in _split(text):
        name, nested = _nested(element)
        if nested is None:
            yield from _steps(element, anchor, passes)
        else:
            yield from _steps_inside(nested, (*anchor, name), passes)


def _steps(text: str, anchor: tuple[str, ...], passes: Mapping[str, PassFactory]) -> Iterator[Step]:
    """A pass as a step; a named pipeline as one for each of its passes."""
    step = _step(text, anchor, passes)
    if not isinstance(step.pass_, NamedPipeline):
        yield step
        return
    for pass_ in step.pass_.passes():
        yield Step(pass_, anchor)


def _step(text: str, anchor: tuple[str, ...], passes: Mapping[str, PassFactory]) -> Step:
    try:
        spec = parse_spec(text)
    except ArgSpecParseError:
        raise PipelineError(
            f"'{text}' is no pass: write 'name' or 'name{{option=value}}'"
        ) from None
    if spec.name not in passes:
        raise PipelineError(f"unknown pass '{spec.name}'{_suggestion(spec.name, passes)}")
    cls = passes[spec.name]()
    try:
        pass_ = cls.from_spec(spec)
    except ValueError as error:
        raise PipelineError(f"pass '{spec.name}': {_reason(cls, spec, error)}") from None
    if anchor != (ROOT,) and not isinstance(pass_, TilePass):
        raise PipelineError(f"pass '{spec.name}' only runs on '{ROOT}', not on '{anchor[-1]}'")
    return Step(pass_, anchor)


def _reason(cls: type[ModulePass], spec: ArgSpec, error: ValueError) -> str:
    """Why a pass refuses its options; xDSL says of a value's type not which option it is."""
    problem, _, expected = str(error).partition("expected ")
    if not problem.startswith("Incompatible types"):
        return str(error)
    for option, values in spec.parameters.items():
        if not _is_refused(cls, ArgSpec(spec.name, {option: values}), error):
            continue
        given = ",".join(map(str, values))
        what = f"cannot be '{given}'" if values else "has no value"
        type_name = _CLASS.sub(r"\1", expected)
        return f"option '{option}' {what}: it takes {type_name}"
    return str(error)


def _is_refused(cls: type[ModulePass], spec: ArgSpec, error: ValueError) -> bool:
    try:
        cls.from_spec(spec)
    except ValueError as alone:
        return str(alone) == str(error)
    return False


def _suggestion(name: str, known: Mapping[str, object]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    return f", did you mean '{close[0]}'?" if close else ""


def _nested(element: str) -> tuple[str, str | None]:
    """The name and the contents of `name(contents)`; no contents of a pass."""
    brace, opening = element.find("{"), element.find("(")
    if opening < 0 or 0 <= brace < opening:
        return element, None
    if not element.endswith(")"):
        raise PipelineError(f"expected ')' at the end of '{element}'")
    return element[:opening].strip(), element[opening + 1 : -1]


def _split(text: str) -> list[str]:
    """The parts between the commas that are in no bracket and no string."""
    parts = [""]
    closing: list[str] = []
    quoted = False
    for character in text:
        if character == '"':
            quoted = not quoted
        elif not quoted and character in "({[":
            closing.append({"(": ")", "{": "}", "[": "]"}[character])
        elif not quoted and character in ")}]":
            if not closing or closing.pop() != character:
                raise PipelineError(f"unmatched '{character}' in the pipeline")
        if character == "," and not closing and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    if closing:
        raise PipelineError(f"missing '{closing[-1]}' in the pipeline")
    stripped = [part.strip() for part in parts]
    if stripped == [""]:
        return []
    if "" in stripped:
        raise PipelineError("a pass is missing beside a comma of the pipeline")
    return stripped
