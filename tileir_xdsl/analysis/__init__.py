"""Facts about programs: pure functions on the IR that never rewrite it."""
