"""Import annotations from files: expert references, published datasets and parsers' output."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path

from django.db import transaction

from annotation.domain.corpus.import_corpus import batched
from annotation.models import Item
from audit.errors import TouchstoneError
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.add_labels import LabelCollector
from consolidation.domain.gold.fit_records import (
    FittedRecord,
    Fitting,
    check_tokens,
    record_error,
    repeated_items,
)
from consolidation.domain.gold.stray_words import find_stray_words
from consolidation.models import Gold, SystemAnnotation
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.errors import ContentError, FileError, UnknownLabelError
from schemes.contract.records import GoldRecord
from schemes.contract.values import Json
from schemes.import_settings import Setting, settings_in

BATCH = 200
PREVIEWED = 20
IMPORTER = "import_gold"
# A preview reads as many annotations, which takes less than a second.
MAX_PREVIEWED = 1000


@dataclass
class GoldReport:
    """The result of an import.

    `known` counts items whose newest gold was identical, and `blank` records without an annotation,
    which are left out. `items_left_out` counts the items that errors left out, and is None if a
    reader does not know them. `notes` counts what was changed to fit the items, such as clipped boxes.
    """

    added: int = 0
    known: int = 0
    blank: int = 0
    error_count: int = 0
    items_left_out: int | None = 0
    notes: dict[str, int] = field(default_factory=dict)

    def add_notes(self, notes: Mapping[str, int]) -> None:
        for name, count in notes.items():
            self.notes[name] = self.notes.get(name, 0) + count

    @property
    def named_notes(self) -> dict[str, int]:
        """Return the counts of changes by name, such as "Boxes clipped"."""
        return {
            name.replace("_", " ").capitalize(): count
            for name, count in self.notes.items()
            if count
        }

    @property
    def notes_text(self) -> str:
        """Return the counts of changes as sentences, or ""."""
        return "".join(f" {name}: {count}." for name, count in self.named_notes.items())

    @property
    def skipped_text(self) -> str:
        """Return a sentence about what was skipped, or "". Several bad rows may be of one item."""
        if not self.error_count:
            return ""
        if self.items_left_out in (None, self.error_count):
            return f" {self.error_count} were skipped, see above."
        items = f"{self.items_left_out} item{'' if self.items_left_out == 1 else 's'}"
        return f" {self.error_count} were skipped, see above, which left out {items}."

    @property
    def is_useless(self) -> bool:
        """Return True if there were annotations, and none could be used."""
        return self.error_count > 0 and not self.added and not self.known


@dataclass
class GoldPreview(GoldReport):
    """What an import would do. `unknown` counts annotations of items that the project lacks.

    `rows` describes the first annotations, and `errors` the first bad ones. If not `whole`, the
    files have more annotations. `problem` gives the reason if the files can't be imported at all.
    `offers` counts the errors that a setting would avoid, by the setting's parameter.
    """

    unknown: int = 0
    rows: list["PreviewedGold"] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    whole: bool = True
    problem: FileError | None = None
    offers: dict[str, int] = field(default_factory=dict)

    @property
    def read(self) -> int:
        return self.added + self.known

    def add_offers(self, error: FileError) -> None:
        """Count the settings that an error names."""
        for setting in settings_in(error.message):
            self.offers[setting.parameter] = self.offers.get(setting.parameter, 0) + 1


@dataclass(frozen=True, slots=True)
class PreviewedGold:
    """An annotation of a preview. `note` is its state, such as "new"."""

    item: Item
    units: int
    note: str


@dataclass(frozen=True, slots=True)
class Records:
    """The files of an import, their format, options of their reader and the most records to read.

    With `align`, positions in other tokens are moved to the project's tokens. With `rescale`, boxes
    are scaled to images that were resized. With `add_roles`, roles that the project lacks are added.
    With `strict`, the first bad record ends the import.
    """

    paths: Sequence[Path]
    fmt: str
    options: Json
    most: int | None = None
    align: bool = False
    rescale: bool = False
    add_roles: bool = False
    strict: bool = False

    def read(self, project: Project, on_error: Callable[[FileError], None]) -> Iterator[GoldRecord]:
        read_gold = scheme_of(project).corpus.read_gold
        return iter(read_gold(self.paths, self.fmt, on_error, **self.options))


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
    align: bool = False,
    rescale: bool = False,
    add_roles: bool = False,
    strict: bool = False,
    actor: str = IMPORTER,
    progress: Callable[[int], None] = lambda count: None,
) -> GoldReport:
    """Add a version of gold for each item of the files, which some formats join.

    `options` are values of the scheme's `gold_options`. With `allow_overlaps`, annotations may
    contradict themselves as a program's do. `align`, `rescale` and `add_roles` are those of `Records`.
    `actor` is logged with a new version of the resource that has added roles.
    Records with an unknown item, invalid content, or words that the sentence contradicts are passed
    to `on_error`. With `strict`, the first of them is raised and nothing is added. Raise FileError if a
    file can't be read, and OtherTokensError.
    """

    def add_if_new(item: Item, content: Json, record: GoldRecord) -> bool:
        newest = _newest(item, source)
        if newest and newest.content == content:
            return False
        add_gold(item=item, source=source, content=content, provenance=record.provenance, now=now)
        return True

    content_part = scheme_of(project).content
    parse = content_part.parse_system if allow_overlaps else content_part.parse_gold
    records = Records(
        paths,
        fmt,
        options or {},
        align=align,
        rescale=rescale,
        add_roles=add_roles,
        strict=strict,
    )
    report = GoldReport()
    with transaction.atomic() if strict else nullcontext():
        _add_roles(project, records, report, parse=parse, actor=actor, now=now)
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


def preview_gold(
    *,
    project: Project,
    paths: Sequence[Path],
    fmt: str,
    source: str,
    align: bool = False,
    rescale: bool = False,
    add_roles: bool = False,
) -> GoldPreview:
    """Read the beginning of the files as `import_gold` does, without storing anything."""
    scheme = scheme_of(project)
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
        preview.add_offers(error)
        if len(preview.errors) < PREVIEWED:
            preview.errors.append(error)

    def on_unknown(error: FileError) -> None:
        preview.unknown += 1
        on_error(error)

    files = Records(
        paths, fmt, {}, most=MAX_PREVIEWED, align=align, rescale=rescale, add_roles=add_roles
    )
    collector = LabelCollector(project, scheme.content.parse_gold)
    try:
        preview.whole = _import(
            project,
            files,
            preview,
            parse=collector if add_roles else scheme.content.parse_gold,
            store=note,
            on_error=on_error,
            on_unknown=on_unknown,
        )
        preview.add_notes({"roles_added": len(collector.added)})
    except FileError as error:
        preview.problem = error
        preview.add_offers(error)
    except (OSError, UnicodeDecodeError) as error:
        preview.problem = FileError(paths[0].name, None, f"can't be read: {error}")
    return preview


def _newest(item: Item, source: str) -> Gold | None:
    return item.gold.filter(source=source).order_by("-version").first()


class SystemNameError(TouchstoneError):
    """The name of imported predictions is that of a registered model."""


def import_system(
    *,
    project: Project,
    paths: Sequence[Path],
    fmt: str,
    system: str,
    on_error: Callable[[FileError], None],
    now: datetime,
    options: Json | None = None,
    align: bool = False,
    rescale: bool = False,
    add_roles: bool = False,
    actor: str = IMPORTER,
) -> GoldReport:
    """Import the system's annotations from files, replacing earlier ones of the same items.

    They are sources for experts' merges and for comparisons. Options and errors are as in `import_gold`,
    and a SystemNameError is raised for the name of a registered model.
    """
    content_part = scheme_of(project).content
    if project.model_annotators.filter(name=system).exists():
        raise SystemNameError(f"{system} is a registered model. Give the predictions another name.")

    def replace(item: Item, content: Json, record: GoldRecord) -> bool:
        fields = {
            "content": content,
            "schema_version": content_part.schema_version,
            "imported_at": now,
        }
        SystemAnnotation.objects.update_or_create(item=item, system=system, defaults=fields)
        return True

    records = Records(paths, fmt, options or {}, align=align, rescale=rescale, add_roles=add_roles)
    report = GoldReport()
    parse = content_part.parse_system
    _add_roles(project, records, report, parse=parse, actor=actor, now=now)
    _import(project, records, report, parse=parse, store=replace, on_error=on_error)
    return report


def _add_roles(
    project: Project,
    records: Records,
    report: GoldReport,
    *,
    parse: Callable[..., Json],
    actor: str,
    now: datetime,
) -> None:
    """Add the roles of all records that can be used to the project, if that was chosen."""
    if not records.add_roles:
        return
    collector = LabelCollector(project, parse)
    _import(
        project,
        records,
        GoldReport(),
        parse=collector,
        store=lambda item, content, record: False,
        on_error=lambda error: None,
    )
    collector.store(actor=actor, now=now)
    report.add_notes({"roles_added": len(collector.added)})


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
    """Pass the parsed content of each record to `store`, which returns False if it is known.

    Return False if the files have more records than were to be read.
    """

    left_out: set[tuple[str, str]] = set()

    def refuse(error: FileError) -> None:
        if files.strict:
            raise error
        report.error_count += 1
        left_out.update(error.items)
        is_known = error.items and report.items_left_out is not None
        report.items_left_out = len(left_out) if is_known else None
        on_error(error)

    # The fields that records leave empty, after a first pass
    empty: set[str] = set()

    def read(on_error: Callable[[FileError], None] = lambda error: None) -> Iterator[GoldRecord]:
        for record in islice(files.read(project, on_error), files.most):
            empty.update(record.empty)
            yield record

    if not files.align:
        check_tokens(project=project, records=read(), paths=files.paths, size=BATCH)
    file = ", ".join(path.name for path in files.paths)
    repeated = repeated_items(read())
    fitting = Fitting(
        project,
        file,
        refuse,
        on_unknown or refuse,
        align=files.align,
        rescale=files.rescale,
        repeated=repeated,
        stray_words=find_stray_words(project=project, read=read, fields=empty, file=file),
    )
    storing = _Storing(
        project=project, file=file, report=report, parse=parse, store=store, refuse=refuse
    )
    records = files.read(project, refuse)
    for batch in batched(islice(records, files.most), BATCH):
        with transaction.atomic():
            storing.store_all(fitting.fit(batch))
        progress(report.added + report.known)
    with transaction.atomic():
        storing.store_all(fitting.rest())
    progress(report.added + report.known)
    return files.most is None or next(records, None) is None


@dataclass(frozen=True, slots=True)
class _Storing:
    """The last step of an import, which parses the contents of records and passes them on."""

    project: Project
    file: str
    report: GoldReport
    parse: Callable[..., Json]
    store: Callable[[Item, Json, GoldRecord], bool]
    refuse: Callable[[FileError], None]

    def store_all(self, fitted_records: Iterable[FittedRecord]) -> None:
        is_blank = scheme_of(self.project).content.is_blank
        for fitted in fitted_records:
            record = fitted.record
            try:
                parsed = self.parse(record.content, fitted.context)
            except ContentError as error:
                message, line = str(error.message), record.line
                if isinstance(error, UnknownLabelError):
                    message += f" Choose {Setting.ADD_ROLES.quoted} to add it to the project."
                self.refuse(record_error(record, self.file, message, error.path, line=line))
                continue
            self.report.add_notes(record.notes)
            if record.is_blank or is_blank(parsed):
                self.report.blank += 1
                continue
            self.report.add_notes(fitted.notes)
            added = self.store(fitted.item, parsed, record)
            self.report.added += added
            self.report.known += not added
