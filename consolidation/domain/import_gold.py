"""Import annotations from files: expert references, published datasets and parsers' output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.domain.import_corpus import batched, item_key
from annotation.domain.item_context import context_of
from annotation.models import Item
from consolidation.domain.add_gold import add_gold
from consolidation.models import SystemAnnotation
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


@dataclass(frozen=True, slots=True)
class Records:
    """The files of an import, their format and the options of their reader."""

    paths: Sequence[Path]
    fmt: str
    options: Json


def import_gold(
    *,
    project: Project,
    paths: Sequence[Path],
    fmt: str,
    source: str,
    on_error: Callable[[FileError], None],
    now: datetime,
    options: Json | None = None,
    allow_overlaps: bool = False,
) -> GoldReport:
    """Add a version of gold for each item of the files, which some formats join.

    `options` are values of the scheme's `gold_options`. With `allow_overlaps`, annotations may
    contradict themselves as a program's do. Rows with an unknown item or invalid content are passed
    to `on_error`. Raise FileError if a file can't be read.
    """

    def add_if_new(item: Item, content: Json, record: GoldRecord) -> bool:
        newest = item.gold.filter(source=source).order_by("-version").first()
        if newest and newest.content == content:
            return False
        add_gold(item=item, source=source, content=content, provenance=record.provenance, now=now)
        return True

    content_part = get_scheme(project.scheme).content
    parse = content_part.parse_system if allow_overlaps else content_part.parse_gold
    records = Records(paths, fmt, options or {})
    return _import(project, records, parse=parse, store=add_if_new, on_error=on_error)


def import_system(
    *,
    project: Project,
    paths: Sequence[Path],
    fmt: str,
    system: str,
    on_error: Callable[[FileError], None],
    now: datetime,
    options: Json | None = None,
) -> GoldReport:
    """Import the system's annotations from files, replacing its earlier ones.

    They are sources for experts' merges and for comparisons. Options and errors are as in `import_gold`.
    """
    content_part = get_scheme(project.scheme).content

    def replace(item: Item, content: Json, record: GoldRecord) -> bool:
        fields = {
            "content": content,
            "schema_version": content_part.schema_version,
            "imported_at": now,
        }
        SystemAnnotation.objects.update_or_create(item=item, system=system, defaults=fields)
        return True

    records = Records(paths, fmt, options or {})
    return _import(
        project, records, parse=content_part.parse_system, store=replace, on_error=on_error
    )


def _import(
    project: Project,
    files: Records,
    *,
    parse: Callable[..., Json],
    store: Callable[[Item, Json, GoldRecord], bool],
    on_error: Callable[[FileError], None],
) -> GoldReport:
    """Pass the parsed content of each row to `store`, which returns False if it is known."""
    report = GoldReport()

    def refuse(error: FileError) -> None:
        report.error_count += 1
        on_error(error)

    read_gold = get_scheme(project.scheme).corpus.read_gold
    records = read_gold(files.paths, files.fmt, refuse, **files.options)
    file = ", ".join(path.name for path in files.paths)
    for batch in batched(records, BATCH):
        with transaction.atomic():
            items = _find_items(project, batch)
            for record in batch:
                key = _key(record)
                if key not in items:
                    message = f"no item {key!r} in the project."
                    refuse(FileError(record.item.file or file, record.line, message))
                    continue
                item = items[key]
                try:
                    content = parse(record.content, context_of(item, project))
                except ContentError as error:
                    place = record.item.file or file
                    refuse(FileError(place, record.line, error.message, field=error.path))
                    continue
                added = store(item, content, record)
                report.added += added
                report.known += not added
    return report


def _find_items(project: Project, batch: list[GoldRecord]) -> dict[str, Item]:
    """Return the project's items named in the records, by key."""
    items = Item.objects.filter(project=project, key__in=map(_key, batch))
    return {item.key: item for item in items.select_related("sentence__image", "project")}


def _key(record: GoldRecord) -> str:
    return item_key(record.item.external_id, record.item.local_key)
