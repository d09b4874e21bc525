"""The conformance corpus: bytecode files of all versions and the text they must print.

The archive is read into memory on first use. `tests/data/README.md` says what the folders hold.
"""

from __future__ import annotations

import functools
import json
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Folder: TypeAlias = Literal["accept", "real", "deep", "reject", "odd"]

ARCHIVE = Path(__file__).parents[1] / "data" / "conformance.tar.xz"
VERSIONED_FOLDERS: tuple[Folder, ...] = ("accept", "real", "deep")
VERSIONS = ("13.1", "13.2", "13.3", "13.4", "13.5")


@dataclass(frozen=True)
class Case:
    """One bytecode file and the texts that belong to it."""

    folder: Folder
    version: str | None
    """Bytecode version of the file; None in `reject` and `odd`, whose files state it themselves."""
    name: str

    @property
    def id(self) -> str:
        """The path of the case in the corpus, without a suffix."""
        return "/".join(part for part in (self.folder, self.version, self.name) if part)

    @property
    def bytecode(self) -> bytes:
        return _members()[self.id + ".tileirbc"]

    @property
    def text(self) -> bytes:
        """What NVIDIA's disassembler prints: the body alone, not always UTF-8."""
        return _members()[self.id + ".mlir"]

    @property
    def g_text(self) -> bytes | None:
        """What the disassembler prints with debug info (`real` and `deep`)."""
        return _members().get(self.id + ".g.mlir")

    @property
    def source_text(self) -> bytes | None:
        """The module as it was written, where the case was written as text (`deep`)."""
        return _members().get(self.id + ".source.mlir")

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True)
class VerifierCase:
    """A case of `reject` or `odd` with its title and whether a verifier must refuse it."""

    case: Case
    what: str
    expect: Literal["reject", "accept"]


@functools.cache
def cases(*folders: Folder, version: str | None = None) -> tuple[Case, ...]:
    """The cases of `folders` (all that have text when none is given), of `version` if given."""
    wanted = folders or VERSIONED_FOLDERS
    return tuple(
        case
        for case in _all_cases()
        if case.folder in wanted and (version is None or case.version == version)
    )


def case(case_id: str) -> Case:
    """The case of an id such as `real/13.3/axpy_f32`."""
    found = next((case for case in _all_cases() if case.id == case_id), None)
    if found is None:
        raise KeyError(f"no case {case_id} in {ARCHIVE.name}")
    return found


@functools.cache
def verifier_cases() -> tuple[VerifierCase, ...]:
    """The files that a verifier must refuse, and those that only look wrong."""
    return tuple(
        VerifierCase(case(entry["file"].removesuffix(".tileirbc")), entry["what"], entry["expect"])
        for entry in json.loads(_members()["verifier_cases.json"])
    )


@functools.cache
def _members() -> dict[str, bytes]:
    with tarfile.open(ARCHIVE, "r:xz") as archive:
        return {
            member.name: stream.read()
            for member in archive
            if (stream := archive.extractfile(member)) is not None
        }


@functools.cache
def _all_cases() -> tuple[Case, ...]:
    return tuple(
        _case_of(member.removesuffix(".tileirbc"))
        for member in _members()
        if member.endswith(".tileirbc")
    )


def _case_of(case_id: str) -> Case:
    match case_id.split("/"):
        case [("accept" | "real" | "deep") as folder, version, name]:
            return Case(folder, version, name)
        case [("reject" | "odd") as folder, name]:
            return Case(folder, None, name)
        case _:
            raise ValueError(f"{case_id}: not a path of the corpus")
