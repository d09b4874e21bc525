"""What holds for all tests."""

from hypothesis import settings

# A deadline fails tests on machines that are busy with something else.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")
