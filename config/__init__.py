"""The site's configuration, which every process imports first."""

import gc

# With Python's threshold of 700 objects, a fifth of the start of each process is garbage collection
# that finds nothing, because imported objects stay.
gc.set_threshold(10_000, 20, 50)

from config.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
