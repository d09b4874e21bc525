"""Passes, one file each, named as the pass with underscores.

`registry.PASSES` maps names to thunks, `manager` runs pipelines, `patterns` holds what rewrite
patterns share. A pass never re-derives what an analysis in `tileir_xdsl.analysis` knows.
"""
