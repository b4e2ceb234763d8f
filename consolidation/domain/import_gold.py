"""Import gold from files, such as expert references or published datasets."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.domain.import_corpus import batched, item_key
from annotation.models import Item
from consolidation.domain.record_gold import add_gold
from projects.models import Project
from schemes.base import ContentError, FileError, GoldRecord, Json
from schemes.registry import get_scheme

BATCH = 200


@dataclass
class GoldReport:
    """The result of an import. `known` counts items whose newest gold was identical."""

    added: int = 0
    known: int = 0
    error_count: int = 0


def import_gold(
    *,
    project: Project,
    path: Path,
    fmt: str,
    source: str,
    on_error: Callable[[FileError], None],
    now: datetime,
) -> GoldReport:
    """Add a version of gold for each item of the file.

    The file is streamed. Rows with an unknown item or invalid content are passed to `on_error`.
    Raise FileError if the file can't be read.
    """
    report = GoldReport()
    scheme = get_scheme(project.scheme)

    def refuse(error: FileError) -> None:
        report.error_count += 1
        on_error(error)

    for batch in batched(scheme.read_gold(path, fmt=fmt, on_error=refuse), BATCH):
        with transaction.atomic():
            items = find_items(project, batch)
            for record in batch:
                try:
                    item, content = _read(items, record, path.name)
                except FileError as error:
                    refuse(error)
                    continue
                added = _add_if_new(item, source, content, record.provenance, now)
                report.added += added
                report.known += not added
    return report


def find_items(project: Project, batch: list[GoldRecord]) -> dict[str, Item]:
    """Return the project's items named in the records, by key."""
    keys = [item_key(record.item.external_id, record.item.local_key) for record in batch]
    items = Item.objects.filter(project=project, key__in=keys).select_related("sentence", "project")
    return {item.key: item for item in items}


def item_of(items: dict[str, Item], record: GoldRecord, file: str) -> Item:
    """Return the record's item. Raise FileError if the project does not have it."""
    key = item_key(record.item.external_id, record.item.local_key)
    item = items.get(key)
    if item is None:
        raise FileError(file, record.line, f"no item {key!r} in the project.")
    return item


def _read(items: dict[str, Item], record: GoldRecord, file: str) -> tuple[Item, Json]:
    """Return the record's item and its parsed content. Raise FileError."""
    item = item_of(items, record, file)
    scheme = get_scheme(item.project.scheme)
    try:
        content = scheme.parse_gold(record.content, tokens=item.sentence.tokens, target=item.target)
    except ContentError as error:
        raise FileError(file, record.line, error.message, field=error.path) from error
    return item, content


def _add_if_new(
    item: Item, source: str, content: Json, provenance: list[Json], now: datetime
) -> bool:
    newest = item.gold.filter(source=source).order_by("-version").first()
    if newest and newest.content == content:
        return False
    add_gold(item=item, source=source, content=content, provenance=provenance, now=now)
    return True
