"""Feeds damaged bytecode to the reader.

    python tools/fuzz_bytecode.py --seconds 60              structure-aware mutants of the corpus
    python tools/fuzz_bytecode.py --seconds 60 --oracle     compares verdicts with tileirdisasm
    python tools/fuzz_bytecode.py --atheris [DIR] [...]     coverage-guided (needs atheris)

Every input must be read or refused with a `DiagnosticError`, within a limit of time that grows
with its size; what is read must be written and read back as the same module. Anything else is a
finding: its input is saved to the directory of `--findings`, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tileir_xdsl.bytecode.attributes import MAX_DEPTH, read_tagged
from tileir_xdsl.bytecode.container import (
    OFFSET_WIDTH,
    OffsetTable,
    Section,
    header,
    put_offset_table,
    put_section,
)
from tileir_xdsl.bytecode.cursor import BytecodeError, Cursor
from tileir_xdsl.bytecode.reader import Reader, decode_module
from tileir_xdsl.bytecode.varint import align, put_varint
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.versions import V13_3, V13_5, Version

ROOT = Path(__file__).parents[1]

SECONDS = 1.0
SECONDS_PER_BYTE = 10e-6

Number = int


@dataclass
class Function:
    head: bytes
    """Name, signature, flags, location, hints and argument attributes."""
    body: bytes


@dataclass
class Pieces:
    """A file taken apart so that a part can change while lengths and offsets stay right."""

    version: Version
    order: list[Section]
    payloads: dict[Section, bytes] = field(default_factory=dict[Section, bytes])
    """Globals and producer, as they are."""
    tables: dict[Section, list[bytes]] = field(default_factory=dict[Section, list[bytes]])
    functions: list[Function] = field(default_factory=list[Function])
    rows: list[list[Number]] = field(default_factory=list[list[Number]])

    def assemble(self) -> bytes:
        out = bytearray(header(self.version))
        for section in self.order:
            put_section(out, section, self._payload(section))
        out.append(Section.END)
        return bytes(out)

    def _payload(self, section: Section) -> bytes:
        if section in self.payloads:
            return self.payloads[section]
        out = bytearray()
        if section is Section.FUNCTION:
            self._put_functions(out)
        elif section is Section.DEBUG:
            self._put_rows(out)
            put_offset_table(out, self.tables[section], OFFSET_WIDTH[section])
        else:
            put_offset_table(out, self.tables[section], OFFSET_WIDTH[section])
        return bytes(out)

    def _put_functions(self, out: bytearray) -> None:
        put_varint(out, len(self.functions))
        for function in self.functions:
            out += function.head
            put_varint(out, len(function.body))
            out += function.body

    def _put_rows(self, out: bytearray) -> None:
        put_varint(out, len(self.rows))
        align(out, 4, 0xCB)
        start = 0
        for row in self.rows:
            out += start.to_bytes(4, "little")
            start += len(row)
        put_varint(out, start)
        align(out, 8, 0xCB)
        for row in self.rows:
            for index in row:
                out += (index & (1 << 64) - 1).to_bytes(8, "little")


def take_apart(data: bytes) -> Pieces:
    """The pieces of a valid file."""
    reader = Reader(data, "seed", None, False)
    ranges = sorted(reader.sections.values(), key=lambda section: section.header)
    pieces = Pieces(reader.version, [section.section for section in ranges])
    for found in ranges:
        section = found.section
        cursor = Cursor(data, found.start, found.end)
        if section is Section.FUNCTION:
            pieces.functions = _functions(reader, cursor)
        elif section is Section.DEBUG:
            assert reader.debug is not None
            debug = reader.debug
            pieces.rows = [
                [int.from_bytes(data[at : at + 8], "little") for at in debug.row(row + 1, 0)]
                for row in range(debug.rows)
            ]
            pieces.tables[section] = _items(debug.table)
        elif section in OFFSET_WIDTH:
            table = OffsetTable(cursor, cursor.pos, OFFSET_WIDTH[section], "item")
            pieces.tables[section] = _items(table)
        else:
            pieces.payloads[section] = data[found.start : found.end]
    return pieces


def _items(table: OffsetTable) -> list[bytes]:
    cursors = [table.item(index) for index in range(table.count)]
    return [cursor.data[cursor.pos : cursor.end] for cursor in cursors]


def _functions(reader: Reader, cursor: Cursor) -> list[Function]:
    functions: list[Function] = []
    for _ in range(cursor.varint()):
        start = cursor.pos
        cursor.varint()
        cursor.varint()
        flags = cursor.byte()
        cursor.varint()
        newest = reader.version >= V13_5
        if newest or flags & 4:
            read_tagged(reader, cursor, MAX_DEPTH)
        if newest:
            read_tagged(reader, cursor, MAX_DEPTH)
        head = cursor.data[start : cursor.pos]
        functions.append(Function(head, cursor.take(cursor.varint(), "a body")))
    return functions


# Mutations.

INTERESTING = (0, 1, 2, 3, 4, 6, 7, 10, 11, 12, 13, 16, 0x29, 0x32, 0x5C, 0x7F, 0x80, 0xFF)


def damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    """One to three bytes changed, inserted, removed, or a stretch repeated."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(out) + 1)
        match rng.randrange(7):
            case 0 if at < len(out):
                out[at] = rng.randrange(256)
            case 1 if at < len(out):
                out[at] ^= 1 << rng.randrange(8)
            case 2 if at < len(out):
                out[at] = rng.choice(INTERESTING)
            case 3 if at < len(out):
                del out[at : at + rng.choice((1, 1, 2, 4))]
            case 4:
                out[at:at] = bytes([rng.choice(INTERESTING)])
            case 5 if out:
                other = rng.randrange(len(out))
                out[at:at] = out[other : other + rng.randrange(1, 9)]
            case _ if at < len(out):
                out[at] = (out[at] + rng.choice((-1, 1))) & 0xFF
            case _:
                pass
    return bytes(out)


def damaged(rng: random.Random, pieces: Pieces) -> None:
    """Change one piece, keeping the file well-formed around it."""
    choices: list[Callable[[random.Random, Pieces], None]] = [_damage_item, _move_item]
    if pieces.functions:
        choices += [_damage_body] * 4 + [_damage_head, _repeat_function]
    if pieces.rows:
        choices.append(_damage_row)
    if pieces.payloads:
        choices.append(_damage_payload)
    choices.append(_change_version)
    choices.append(_move_section)
    rng.choice(choices)(rng, pieces)


def _damage_item(rng: random.Random, pieces: Pieces) -> None:
    items = rng.choice(list(pieces.tables.values()))
    if items:
        position = rng.randrange(len(items))
        items[position] = damaged_bytes(rng, items[position])


def _move_item(rng: random.Random, pieces: Pieces) -> None:
    items = rng.choice(list(pieces.tables.values()))
    if not items:
        return
    first, second = rng.randrange(len(items)), rng.randrange(len(items))
    match rng.randrange(3):
        case 0:
            items[first], items[second] = items[second], items[first]
        case 1:
            items[first] = items[second]
        case _:
            del items[first]


def _damage_body(rng: random.Random, pieces: Pieces) -> None:
    function = rng.choice(pieces.functions)
    function.body = damaged_bytes(rng, function.body)


def _damage_head(rng: random.Random, pieces: Pieces) -> None:
    function = rng.choice(pieces.functions)
    function.head = damaged_bytes(rng, function.head)


def _repeat_function(rng: random.Random, pieces: Pieces) -> None:
    pieces.functions.append(rng.choice(pieces.functions))


def _damage_row(rng: random.Random, pieces: Pieces) -> None:
    row = rng.choice(pieces.rows)
    match rng.randrange(3):
        case 0 if row:
            row[rng.randrange(len(row))] = rng.choice((0, 1, 2, 3, 5, 8, 1 << 32, -1))
        case 1 if row:
            row.pop()
        case _:
            row.append(rng.randrange(10))


def _damage_payload(rng: random.Random, pieces: Pieces) -> None:
    section = rng.choice(list(pieces.payloads))
    pieces.payloads[section] = damaged_bytes(rng, pieces.payloads[section])


def _change_version(rng: random.Random, pieces: Pieces) -> None:
    pieces.version = Version(13, rng.randrange(1, 6))


def _move_section(rng: random.Random, pieces: Pieces) -> None:
    match rng.randrange(3):
        case 0:
            rng.shuffle(pieces.order)
        case 1:
            pieces.order.append(rng.choice(pieces.order))
        case _:
            pieces.order.pop(rng.randrange(len(pieces.order)))


# Judging one input.


@dataclass(frozen=True)
class Verdict:
    accepted: bool
    message: str
    """Why it was refused, with numbers replaced by N."""


def judge(data: bytes) -> Verdict:
    """Read, and read back what is written; any other exception than an error is a finding."""
    start = time.process_time()
    try:
        module = decode_module(data, "mutant")
    except DiagnosticError as error:
        message = error.diagnostics[0].message.partition(" (reading")[0]
        return Verdict(False, re.sub(r"0x[0-9a-f]+|-?\d+", "N", message))
    finally:
        seconds = time.process_time() - start
        if seconds > SECONDS + SECONDS_PER_BYTE * len(data):
            raise TimeoutError(f"{seconds:.1f} s for {len(data)} bytes")
    version = Version(data[8], data[9])
    try:
        written = encode_module(module, version)
    except DiagnosticError as error:
        # Old files may hold a producer, which is read and which old versions do not have.
        if not all("attribute 'producer'" in d.message for d in error.diagnostics):
            raise AssertionError("what was read cannot be written") from error
        written = encode_module(module, max(version, V13_3))
    again = decode_module(written, "written")
    if not module.is_structurally_equivalent(again):
        raise AssertionError("what was written reads back as another module")
    with_layout = decode_module(data, "mutant", preserve_layout=True)
    if encode_module(with_layout, version, preserve_layout=True) != data:
        raise AssertionError("the layout was not preserved")
    return Verdict(True, "")


def verified(data: bytes) -> str:
    """What the verifier says of a readable file; empty when it is valid."""
    from tileir_xdsl import verify

    errors = [d for d in verify(decode_module(data, "mutant")) if d.severity.value == "error"]
    return re.sub(r"'[^']*'|0x[0-9a-f]+|-?\d+", "N", errors[0].message) if errors else ""


def compare_with_nvidia(data: bytes, verdict: Verdict, path: Path) -> str | None:
    """How the verdict of NVIDIA's disassembler differs; None when it does not."""
    import subprocess

    from tileir_xdsl.runtime.tileiras import find_tileirdisasm

    path.write_bytes(data)
    done = subprocess.run([find_tileirdisasm(), path], capture_output=True, timeout=60, check=False)
    theirs = done.stderr.decode(errors="replace").strip().splitlines()
    reason = re.sub(r"0x[0-9a-f]+|-?\d+", "N", " / ".join(theirs[:2]).replace(str(path), "F"))
    if done.returncode < 0:
        return f"NVIDIA crashes (signal {-done.returncode}); ours: {verdict.message or 'reads'}"
    message = verdict.message or verified(data)
    if done.returncode == 0 and message:
        return f"only ours refuses: {message}"
    if done.returncode and not message:
        return f"only NVIDIA refuses: {reason[:200]}"
    return None


def mutants(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    data = rng.choice(seeds)
    if rng.randrange(5) == 0:
        return data[:12] + damaged_bytes(rng, data[12:])
    pieces = take_apart(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        damaged(rng, pieces)
    return pieces.assemble()


def corpus_files(max_bytes: int) -> list[bytes]:
    """The valid files of the conformance corpus up to a size."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support import corpus

    cases = corpus.cases("accept", "real", "deep", "odd")
    return [case.bytecode for case in cases if len(case.bytecode) <= max_bytes]


def run(args: argparse.Namespace) -> int:
    rng = random.Random(args.seed)
    seeds = corpus_files(args.max_seed_bytes)
    findings: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    disagreements: dict[str, list[bytes]] = {}
    count = accepted = 0
    end = time.monotonic() + args.seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.tileirbc"
        while time.monotonic() < end:
            data = mutants(rng, seeds)
            count += 1
            try:
                verdict = judge(data)
                difference = compare_with_nvidia(data, verdict, path) if args.oracle else None
            except Exception:
                where = "".join(traceback.format_exc(limit=-2))
                findings[where] += 1
                if findings[where] == 1:
                    args.findings.mkdir(parents=True, exist_ok=True)
                    (args.findings / f"finding-{len(findings)}.tileirbc").write_bytes(data)
                    print(where, file=sys.stderr)
                continue
            accepted += verdict.accepted
            verdicts[verdict.message or "accepted"] += 1
            if difference is not None:
                disagreements.setdefault(difference, []).append(data)
    print(f"{count} mutants of {len(seeds)} files, {accepted} read, {len(findings)} findings")
    if args.report:
        for message, times in verdicts.most_common():
            print(f"{times:8} {message}")
    for difference, examples in sorted(disagreements.items(), key=lambda d: -len(d[1])):
        name = f"difference-{abs(hash(difference)):x}.tileirbc"
        args.findings.mkdir(parents=True, exist_ok=True)
        (args.findings / name).write_bytes(min(examples, key=len))
        print(f"{len(examples):8} {difference} [{name}]")
    return 1 if findings else 0


def run_atheris(arguments: list[str]) -> None:
    """Fuzz with libFuzzer's options in `arguments`; a finding ends the run as a crash."""
    import atheris  # pyright: ignore[reportMissingImports]

    def one_input(data: bytes) -> None:
        try:
            judge(data)
        except (DiagnosticError, BytecodeError) as error:
            raise AssertionError("an error came from writing") from error

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        rng = random.Random(seed)
        try:
            pieces = take_apart(data)
            damaged(rng, pieces)
            return pieces.assemble()[:max_size]
        except (BytecodeError, ValueError, IndexError):
            return atheris.Mutate(data, len(data))  # pyright: ignore

    atheris.instrument_all()  # pyright: ignore
    atheris.Setup([sys.argv[0], *arguments], one_input, custom_mutator=mutate)  # pyright: ignore
    atheris.Fuzz()  # pyright: ignore


def main() -> int:
    if "--atheris" in sys.argv:
        sys.argv.remove("--atheris")
        run_atheris(sys.argv[1:])
        return 0
    parser = argparse.ArgumentParser(description="Feeds damaged bytecode to the reader.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-seed-bytes", type=int, default=4000)
    parser.add_argument("--oracle", action="store_true", help="compare with NVIDIA's tileirdisasm")
    parser.add_argument("--report", action="store_true", help="list all verdicts")
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"))
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
