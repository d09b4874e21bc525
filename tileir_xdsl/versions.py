"""Versions of the Tile IR bytecode, shared by the dialect (since-versions) and the codec."""

from __future__ import annotations

from typing import NamedTuple


class Version(NamedTuple):
    """A Tile IR version such as 13.3; ordered, printed as `major.minor`."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @staticmethod
    def parse(text: str) -> Version:
        """The supported version that `text` names; `ValueError` lists them otherwise."""
        for version in SUPPORTED:
            if str(version) == text:
                return version
        known = ", ".join(map(str, SUPPORTED))
        raise ValueError(f"unknown bytecode version '{text}', expected one of {known}")


V13_1 = Version(13, 1)
V13_2 = Version(13, 2)
V13_3 = Version(13, 3)
V13_4 = Version(13, 4)
V13_5 = Version(13, 5)

SUPPORTED = (V13_1, V13_2, V13_3, V13_4, V13_5)
LATEST = V13_5
DEFAULT = V13_3
"""The newest version that NVIDIA's open tools read."""
