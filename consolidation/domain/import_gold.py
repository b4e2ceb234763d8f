"""Import annotations from files: expert references, published datasets and parsers' output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path

from django.db import transaction

from annotation.domain.import_corpus import batched, item_key
from annotation.domain.item_context import context_of
from annotation.models import Item
from consolidation.domain.add_gold import add_gold
from consolidation.models import Gold, SystemAnnotation
from projects.enums import Role
from projects.models import Project
from schemes.base import ContentError, FileError, GoldRecord, Json
from schemes.registry import get_scheme

BATCH = 200
PREVIEWED = 20
# A preview reads as many annotations, which takes less than a second.
MOST_PREVIEWED = 1000


@dataclass
class GoldReport:
    """The result of an import. `known` counts items whose newest gold was identical."""

    added: int = 0
    known: int = 0
    error_count: int = 0

    @property
    def is_useless(self) -> bool:
        """Return True if there were annotations, and none could be used."""
        return self.error_count > 0 and not self.added and not self.known


@dataclass
class GoldPreview(GoldReport):
    """What an import would do. `unknown` counts annotations of items that the project lacks.

    `rows` describes the first annotations, and `errors` the first bad ones. If not `whole`, the
    files have more annotations. `problem` gives the reason if a file can't be read at all.
    """

    unknown: int = 0
    rows: list["PreviewedGold"] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    whole: bool = True
    problem: FileError | None = None

    @property
    def read(self) -> int:
        return self.added + self.known


@dataclass(frozen=True, slots=True)
class PreviewedGold:
    """An annotation of a preview. `note` is its state, such as "new"."""

    item: Item
    units: int
    note: str


@dataclass(frozen=True, slots=True)
class Records:
    """The files of an import, their format, options of their reader and the most records to read."""

    paths: Sequence[Path]
    fmt: str
    options: Json
    most: int | None = None


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
    progress: Callable[[int], None] = lambda count: None,
) -> GoldReport:
    """Add a version of gold for each item of the files, which some formats join.

    `options` are values of the scheme's `gold_options`. With `allow_overlaps`, annotations may
    contradict themselves as a program's do. Rows with an unknown item or invalid content are passed
    to `on_error`. Raise FileError if a file can't be read.
    """

    def add_if_new(item: Item, content: Json, record: GoldRecord) -> bool:
        newest = _newest(item, source)
        if newest and newest.content == content:
            return False
        add_gold(item=item, source=source, content=content, provenance=record.provenance, now=now)
        return True

    content_part = get_scheme(project.scheme).content
    parse = content_part.parse_system if allow_overlaps else content_part.parse_gold
    records = Records(paths, fmt, options or {})
    report = GoldReport()
    _import(
        project,
        records,
        report,
        parse=parse,
        store=add_if_new,
        on_error=on_error,
        progress=progress,
    )
    return report


def preview_gold(*, project: Project, paths: Sequence[Path], fmt: str, source: str) -> GoldPreview:
    """Read the beginning of the files as `import_gold` does, without storing anything."""
    scheme = get_scheme(project.scheme)
    preview = GoldPreview()

    def note(item: Item, content: Json, record: GoldRecord) -> bool:
        newest = _newest(item, source)
        is_known = newest is not None and newest.content == content
        if len(preview.rows) < PREVIEWED:
            state = "unchanged" if is_known else "new version" if newest else "new"
            units = scheme.content.count_units(content, Role.GENERATOR)
            preview.rows.append(PreviewedGold(item, units, state))
        return not is_known

    def on_error(error: FileError) -> None:
        if len(preview.errors) < PREVIEWED:
            preview.errors.append(error)

    def on_unknown(error: FileError) -> None:
        preview.unknown += 1
        on_error(error)

    files = Records(paths, fmt, {}, most=MOST_PREVIEWED)
    parse = scheme.content.parse_gold
    try:
        preview.whole = _import(
            project,
            files,
            preview,
            parse=parse,
            store=note,
            on_error=on_error,
            on_unknown=on_unknown,
        )
    except FileError as error:
        preview.problem = error
    except (OSError, UnicodeDecodeError) as error:
        preview.problem = FileError(paths[0].name, None, f"can't be read: {error}")
    return preview


def _newest(item: Item, source: str) -> Gold | None:
    return item.gold.filter(source=source).order_by("-version").first()


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
    report = GoldReport()
    parse = content_part.parse_system
    _import(project, records, report, parse=parse, store=replace, on_error=on_error)
    return report


def _import(
    project: Project,
    files: Records,
    report: GoldReport,
    *,
    parse: Callable[..., Json],
    store: Callable[[Item, Json, GoldRecord], bool],
    on_error: Callable[[FileError], None],
    on_unknown: Callable[[FileError], None] | None = None,
    progress: Callable[[int], None] = lambda count: None,
) -> bool:
    """Pass the parsed content of each row to `store`, which returns False if it is known.

    Return False if the files have more records than were to be read.
    """

    def refuse(error: FileError) -> None:
        report.error_count += 1
        on_error(error)

    read_gold = get_scheme(project.scheme).corpus.read_gold
    records = iter(read_gold(files.paths, files.fmt, refuse, **files.options))
    file = ", ".join(path.name for path in files.paths)
    for batch in batched(islice(records, files.most), BATCH):
        with transaction.atomic():
            items = _find_items(project, batch)
            for record in batch:
                key = _key(record)
                if key not in items:
                    message = f"no item {key!r} in the project."
                    place = record.item.file or file
                    (on_unknown or refuse)(FileError(place, record.line, message))
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
        progress(report.added + report.known)
    return files.most is None or next(records, None) is None


def _find_items(project: Project, batch: list[GoldRecord]) -> dict[str, Item]:
    """Return the project's items named in the records, by key."""
    items = Item.objects.filter(project=project, key__in=map(_key, batch))
    return {item.key: item for item in items.select_related("sentence__image", "project")}


def _key(record: GoldRecord) -> str:
    return item_key(record.item.external_id, record.item.local_key)
