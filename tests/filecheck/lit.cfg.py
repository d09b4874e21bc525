# ruff: noqa: F821
"""The second way to run these tests: `lit tests/filecheck` (`--param slow=1` for the slow ones)."""

import os
import sys
from pathlib import Path

import lit.formats
import lit.LitConfig
import lit.TestingConfig

config: lit.TestingConfig.TestingConfig
lit_config: lit.LitConfig.LitConfig

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.filecheck_runner import available_features  # noqa: E402

config.name = "tileir-xdsl"
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(ROOT / "build" / "lit")
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir"]

scripts = [str(Path(sys.executable).parent), str(ROOT / "tools")]
config.environment["PATH"] = os.pathsep.join([*scripts, config.environment["PATH"]])
config.available_features |= available_features()
if lit_config.params.get("slow"):
    config.available_features.add("slow")
