"""Shared by tests; imported as `support`, the directory `tests` being on the path of pytest."""
