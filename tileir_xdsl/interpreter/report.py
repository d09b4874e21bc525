"""What a run did."""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir_xdsl.diagnostics import Diagnostic


@dataclass
class Report:
    """The outcome of a run that is defined."""

    kernel: str
    grid: tuple[int, int, int]
    blocks: int
    """Tile blocks that ran."""
    operations: int
    """Operations executed in all blocks; those in the region of a fold count each time."""
    checked: tuple[str, ...]
    """The kinds of undefined behaviour that were looked for (`undefined.KINDS`)."""
    unchecked: tuple[str, ...]
    """The kinds that were not."""
    notes: list[str] = field(default_factory=list[str])
    """What the run ignored or simplified."""
    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """What the check of reduction orders found: warnings, and remarks on mere rounding."""

    def __str__(self) -> str:
        """A summary of a few lines."""
        grid = "x".join(map(str, self.grid))
        lines = [
            f"@{self.kernel}: {self.blocks} block{'s' * (self.blocks != 1)} of grid {grid}, "
            f"{self.operations} operations"
        ]
        if self.unchecked:
            lines.append(f"not checked: {', '.join(self.unchecked)}")
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)
