"""Entry points of the commands: arguments and diagnostics only."""
