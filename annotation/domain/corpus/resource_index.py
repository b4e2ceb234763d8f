"""Indexes of resources, which workers' pages download once per version."""

import gzip
import json
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from django.core import signing
from django.utils.crypto import constant_time_compare

from audit.errors import TouchstoneError
from projects.domain.resources import current_versions, value_of
from projects.domain.schemes import scheme_of
from projects.models import Project, Resource
from schemes.registry import get_scheme

# A signature without a time, so that the index of a version always has the same address. Browsers keep
# indexes, so a scheme that changes the form of its index needs a new salt.
SIGNER = signing.Signer(salt="annotation.resource-index.v1")
INDEXES_CACHED = 4


class UnknownIndexError(TouchstoneError, LookupError):
    """No index has this address."""


def indexed_versions(project: Project) -> Iterator[tuple[Resource, str]]:
    """Yield the current versions of resources with an index, and their signatures."""
    indexed = {name for name, part in scheme_of(project).resources.items() if part.index}
    if indexed:
        for row in current_versions(project).filter(name__in=indexed):
            yield row, _signature(row)


def compressed_index(*, pk: int, signature: str) -> bytes:
    """Return the index of a version as JSON, compressed with gzip. Raise UnknownIndexError."""
    row = Resource.objects.select_related("project").defer("value").filter(pk=pk).first()
    if row is None or not constant_time_compare(signature, _signature(row)):
        raise UnknownIndexError("This index doesn't exist. Open the task again.")
    return build_index(row.project.scheme, row.name, row.pk, row.created_at)


def _signature(row: Resource) -> str:
    # The time distinguishes versions whose transaction was rolled back, because SQLite reuses keys.
    return SIGNER.signature(f"{row.pk} {row.created_at.isoformat()}")


@lru_cache(maxsize=INDEXES_CACHED)
def build_index(scheme: str, name: str, pk: int, created_at: datetime) -> bytes:
    """Return the compressed index of a version, which the process keeps."""
    declared = get_scheme(scheme).resources.get(name)
    if declared is None or declared.index is None:
        raise UnknownIndexError("This resource has no index.")
    index = declared.index(value_of(Resource(pk=pk, created_at=created_at)))
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), mtime=0)
