"""The disk cache: keys, damage, bounds, and several processes at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tileir_xdsl.runtime.cache import KernelCache, cache_key, default_directory

KEY = cache_key(b"bytecode", "sm_90", "13.5.37")


def test_a_key_for_everything_that_matters():
    keys = {
        KEY,
        cache_key(b"bytecodf", "sm_90", "13.5.37"),
        cache_key(b"bytecode", "sm_80", "13.5.37"),
        cache_key(b"bytecode", "sm_90", "13.5.38"),
        cache_key(b"bytecode", "sm_90", "13.5.37", ["--opt-level"]),
        cache_key(b"bytecode", "sm_90", "13.5.37", ["--opt-level", "0"]),
        cache_key(b"bytecode", "sm_90", "13.5.37", ["--opt-level 0"]),
        cache_key(b"bytecodesm_90", "", "13.5.37"),
    }
    assert len(keys) == 8
    assert cache_key(b"bytecode", "sm_90", "13.5.37") == KEY


def test_what_was_put_is_got(tmp_path: Path):
    cache = KernelCache(tmp_path / "new" / "folder")
    assert cache.get(KEY) is None
    cache.put(KEY, b"cubin")
    assert cache.get(KEY) == b"cubin"
    assert KernelCache(cache.directory).get(KEY) == b"cubin"
    cache.put(KEY, b"another")
    assert cache.get(KEY) == b"another"


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "foreign"])
def test_a_damaged_entry_is_a_miss_and_goes(tmp_path: Path, damage: str):
    cache = KernelCache(tmp_path)
    cache.put(KEY, bytes(100))
    (entry,) = tmp_path.glob("*.cubin")
    data = bytearray(entry.read_bytes())
    data[-1] ^= 1 if damage == "flipped" else 0
    entry.write_bytes({"empty": b"", "cut": data[:-1], "foreign": b"text"}.get(damage, data))
    assert cache.get(KEY) is None
    assert not entry.exists()
    cache.put(KEY, b"cubin")
    assert cache.get(KEY) == b"cubin"


def test_the_oldest_used_go_first(tmp_path: Path):
    cache = KernelCache(tmp_path, max_bytes=3 * 1100)
    keys = [cache_key(bytes([number]), "sm_90", "1") for number in range(4)]
    for age, key in enumerate(keys[:3]):
        cache.put(key, bytes(1000))
        os.utime(tmp_path / f"{key}.cubin", (1000 + age, 1000 + age))
    # Used again, the oldest becomes the newest.
    assert cache.get(keys[0]) is not None
    cache.put(keys[3], bytes(1000))
    assert [cache.get(key) is not None for key in keys] == [True, False, True, True]
    assert cache.size() <= cache.max_bytes


def test_an_entry_beyond_the_bound_is_kept_alone(tmp_path: Path):
    cache = KernelCache(tmp_path, max_bytes=10)
    cache.put(KEY, b"x" * 50)
    other = cache_key(b"other", "sm_90", "1")
    cache.put(other, b"y" * 50)
    assert cache.get(other) == b"y" * 50
    assert cache.get(KEY) is None


def test_a_directory_that_cannot_be_written_only_does_not_help(tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = KernelCache(blocked / "cache")
    cache.put(KEY, b"cubin")
    assert cache.get(KEY) is None


def test_leftovers_of_killed_writers_are_swept(tmp_path: Path):
    cache = KernelCache(tmp_path)
    old, fresh = tmp_path / ".new-old", tmp_path / ".new-fresh"
    for leftover in (old, fresh):
        leftover.write_bytes(b"half")
    os.utime(old, (1000, 1000))
    cache.put(KEY, b"cubin")
    assert (old.exists(), fresh.exists()) == (False, True)


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / "named"))
    assert default_directory() == tmp_path / "named"
    monkeypatch.delenv("TILEIR_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert default_directory() == tmp_path / "xdg" / "tileir-xdsl"


def test_no_home(monkeypatch: pytest.MonkeyPatch):
    def none() -> Path:
        raise RuntimeError("no home")

    for variable in ("TILEIR_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", none)
    cache = KernelCache()
    cache.put(KEY, b"cubin")
    assert cache.get(KEY) is None


WRITER = """
import sys
from pathlib import Path
from tileir_xdsl.runtime.cache import KernelCache, cache_key

# Room for about half of what is written: entries are evicted all the time.
cache = KernelCache(Path(sys.argv[1]), max_bytes=200_000)
hits = 0
for turn in range(3):
    for number in range(40):
        key = cache_key(bytes([number]), "sm_90", "1")
        content = bytes([number]) * 10_000
        found = cache.get(key)
        assert found in (None, content), "half-written entry"
        hits += found is not None
        cache.put(key, content)
print(hits)
"""


def test_several_processes(tmp_path: Path):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    outputs = [writer.communicate(timeout=60) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], outputs
    cache = KernelCache(tmp_path, max_bytes=200_000)
    assert cache.size() <= 210_200
    assert not list(tmp_path.glob(".new-*"))
