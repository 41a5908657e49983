"""Settings for all tests."""

from hypothesis import settings

# Machines differ and are shared: no example fails for its time, and every run tries the same ones.
settings.register_profile("pokerlab", deadline=None, derandomize=True)
settings.load_profile("pokerlab")
