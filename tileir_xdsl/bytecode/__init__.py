"""Tile IR bytecode, versions 13.1 to 13.5: one codec driven by the operations' declarations."""
