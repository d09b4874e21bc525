"""Makes every `.mlir` file below this directory a test: its RUN lines must succeed.

`REQUIRES: slow` gives a test the marker `slow`; other features that the machine lacks skip it.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import filecheck_runner


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".mlir":
        return None
    return FileCheckFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]


class FileCheckFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        yield FileCheckItem.from_parent(self, name="RUN")  # pyright: ignore[reportUnknownMemberType]


class FileCheckItem(pytest.Item):
    """All RUN lines of one file."""

    def __init__(self, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)  # pyright: ignore[reportUnknownMemberType]
        source = self.path.read_text(encoding="utf-8", errors="surrogateescape")
        self.features = filecheck_runner.required_features(source)
        if "slow" in self.features:
            self.add_marker(pytest.mark.slow)

    def setup(self) -> None:
        needed = self.features - {"slow"}
        missing = needed and needed - filecheck_runner.available_features()
        if missing:
            pytest.skip(f"requires {', '.join(sorted(missing))}")

    def runtest(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            filecheck_runner.run_file(self.path, Path(directory))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        if isinstance(excinfo.value, filecheck_runner.RunError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, str(self.path.name)
