"""On a machine that is shared, an example's time says nothing about the code."""

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
