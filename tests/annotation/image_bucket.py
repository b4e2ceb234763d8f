"""Storage of images in an S3-compatible server."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from django.conf import settings
from django.core.files.storage import storages
from moto.server import ThreadedMotoServer

# The servers of a process share their buckets, so each test has a separate bucket.
_numbers = count(1)


@contextmanager
def images_in_bucket(monkeypatch: pytest.MonkeyPatch, alias: str = "images") -> Iterator[Any]:
    """Store images, or the files of another storage, in a bucket, and yield it."""
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    name = f"pictures-{next(_numbers)}"
    options = {
        "bucket_name": name,
        "endpoint_url": f"http://{host}:{port}",
        "access_key": "test",
        "secret_key": "test",
        "region_name": "us-east-1",
    }
    backend = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    monkeypatch.setitem(settings.STORAGES, alias, backend)
    forget_storages()
    storages[alias].connection.create_bucket(Bucket=name)
    try:
        yield storages[alias].bucket
    finally:
        server.stop()
        monkeypatch.undo()
        forget_storages()


def forget_storages() -> None:
    """Make Django read its storage settings again."""
    storages._backends = None
    storages._storages = {}
    storages.__dict__.pop("backends", None)
