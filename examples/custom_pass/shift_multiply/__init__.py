"""The pass of the guide `docs/writing-a-pass.md`."""
