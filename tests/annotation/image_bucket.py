"""Storage of images in an S3-compatible server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings
from django.core.files.storage import storages
from moto.server import ThreadedMotoServer

BUCKET = "pictures"


@contextmanager
def images_in_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Store images in a bucket, and yield it."""
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    options = {
        "bucket_name": BUCKET,
        "endpoint_url": f"http://{host}:{port}",
        "access_key": "test",
        "secret_key": "test",
        "region_name": "us-east-1",
    }
    backend = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    monkeypatch.setitem(settings.STORAGES, "images", backend)
    _forget_storages()
    storages["images"].connection.create_bucket(Bucket=BUCKET)
    try:
        yield storages["images"].bucket
    finally:
        server.stop()
        monkeypatch.undo()
        _forget_storages()


def _forget_storages() -> None:
    """Make Django read its settings of storages again."""
    storages._backends = None
    storages._storages = {}
    storages.__dict__.pop("backends", None)
