"""Export a dataset: gold and sentences by domain and partition, a data card and a manifest.

All data is streamed into a temporary folder. Complete files then replace those of an earlier export,
and the manifest comes last. A folder with a manifest is therefore a complete export. The same gold
gives the same bytes.
"""

import errno
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Max, QuerySet
from django.forms.models import model_to_dict

from annotation.enums import Partition
from annotation.models import Arm, ItemArm, Redundancy, Sentence
from audit.errors import TouchstoneError
from consolidation.domain.cases.own_gold import own_gold
from consolidation.domain.gold.current_gold import newest_of
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Gold
from consolidation.protocols import protocol_of
from datasets.domain.exports.copy_images import copy_images
from datasets.domain.exports.data_card import write_data_card
from datasets.domain.exports.export_rows import ExportFields, gold_rows, with_gold
from datasets.domain.exports.export_submissions import (
    ANNOTATIONS,
    SubmissionOptions,
    export_submissions,
    submissions_of,
)
from datasets.domain.exports.gold_files import (
    JSONL,
    described,
    endings_of,
    files_inside,
    formats_of_scheme,
    write_gold_files,
)
from datasets.domain.exports.partitions import check_frozen
from datasets.domain.quality.suggestion_use import suggestion_json, suggestion_use
from datasets.models import CertaintyFit, Partitioning
from projects.domain.schemes import definition_of, scheme_of
from projects.enums import SuggestionChoice
from projects.models import Project
from schemes.contract.files import SentenceSink
from schemes.contract.records import ExportRow, SentenceRecord
from schemes.contract.scheme import Scheme
from schemes.registry import SCHEMES

MANIFEST, DATA_CARD = "manifest.json", "README.md"
LITTLE_CACHE = 4_000  # KiB


class NothingToExportError(TouchstoneError):
    """No gold matches, or the format has no place for any of it."""


class ExportFormatError(TouchstoneError):
    """The scheme does not have the format."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of an export.

    Without a `source`, the gold that the project produces is exported. Under verification, it includes
    experts' gold of disputed items. Workers are pseudonyms
    unless `raw_worker_ids` is set. `licence` is an SPDX identifier. With `images`, the images of the
    exported sentences are copied to the folder `images`. `annotations` is the format of the individual
    annotations in the folder `annotations`, which is left out without a format. With `certainty`, gold
    has the estimates of the project's latest fit, in the formats that have a place for them.
    """

    fmt: str
    source: str = ""
    domain: str | None = None
    partition: str | None = None
    raw_worker_ids: bool = False
    licence: str = ""
    images: bool = False
    annotations: str = ""
    certainty: bool = False


# Exported sentences, items and the scheme's totals, and items that the format has no place for
Counts = Counter[str]
LEFT_OUT, UNITS_LEFT_OUT = "items_left_out", "units_left_out"


@dataclass(frozen=True, slots=True)
class Export:
    """A finished export with its folder and manifest.

    `archive` describes a ZIP file of all its files, if it was stored with one.
    """

    folder: Path
    manifest: dict[str, Any]
    archive: dict[str, Any] = field(default_factory=dict)


def formats_of(project: Project) -> list[str]:
    """Return the export formats of the project's gold."""
    return formats_of_scheme(scheme_of(project))


def known_formats() -> list[str]:
    """Return the export formats of all schemes."""
    return sorted({fmt for scheme in SCHEMES.values() for fmt in formats_of_scheme(scheme)})


def export_gold(*, project: Project, options: ExportOptions, folder: Path) -> Export:
    """Write the newest gold of the source to `folder`.

    Raise NothingToExportError, ExportFormatError, OSError, and PartitionError if frozen partitions
    have changed.
    """
    if options.fmt not in formats_of(project):
        known = ", ".join(formats_of(project))
        raise ExportFormatError(
            f"{project.slug} has no format {options.fmt!r}. Choose from: {known}."
        )
    fit = _fit_of(project) if options.certainty else None
    partitioning = check_frozen(project=project)
    options = replace(options, source=options.source or protocol_of(project).gold_source)
    gold = own_gold(project, options.source)
    # Gold added during the export belongs to the next one.
    gold = gold.filter(pk__lte=Gold.objects.aggregate(last=Max("pk"))["last"] or 0)
    groups = _groups(project, options, gold)
    files_of_groups = [_Files(project, options, gold, *group) for group in groups]
    if _is_folder_format(project, options.fmt):
        _check_replaceable([folder / group.name for group in files_of_groups])
    with _folder_for(folder), TemporaryDirectory(prefix=".export-", dir=folder) as name:
        staged = Path(name)
        with _little_cache():
            files, counts, folders = _write_files(files_of_groups, staged)
        _check_rows(files_of_groups, files, counts)
        files |= _write_beside(project, options.fmt, staged)
        if options.annotations:
            files |= _write_annotations(project, options, staged)
        manifest = manifest_of(project, options, partitioning, files, counts) | gold_facts(gold)
        if fit:
            manifest["certainty"] = {"rule": fit.rule, "fitted_at": fit.fitted_at.isoformat()}
        if folders:
            manifest["folders"] = folders
        if options.annotations:
            manifest["annotations"] = _annotation_facts(project, options)
        _finish(project, manifest, staged)
        _move_into(folder, staged, [*folders, ANNOTATIONS] if options.annotations else folders)
    return Export(folder=folder, manifest=manifest)


def _fit_of(project: Project) -> CertaintyFit:
    """Return the project's latest fit of judgments. Raise NothingToExportError."""
    fit = CertaintyFit.objects.filter(project=project).first()
    if fit is None:
        raise NothingToExportError(
            f"The certainty of {project.slug} hasn't been estimated. Use the page Certainty first."
        )
    return fit


def export_annotations(*, project: Project, options: ExportOptions, folder: Path) -> Export:
    """Write the individual annotations alone, in the format of the options, to `folder`.

    Raise SubmissionFormatError and OSError.
    """
    options = replace(options, source=ANNOTATIONS, annotations=options.fmt)
    with TemporaryDirectory(prefix=".export-", dir=folder) as name:
        staged = Path(name)
        files = _write_annotations(project, options, staged)
        submissions = submissions_of(project, domain=options.domain, partition=options.partition)
        counts = Counts(items=submissions.values("item").distinct().count())
        manifest = manifest_of(project, options, check_frozen(project=project), files, counts)
        manifest["counts"] = {"items": counts["items"]}
        manifest["annotations"] = _annotation_facts(project, options)
        _finish(project, manifest, staged)
        _move_into(folder, staged, [ANNOTATIONS])
    return Export(folder=folder, manifest=manifest)


def _finish(project: Project, manifest: dict[str, Any], staged: Path) -> None:
    """Write the data card and the manifest, which lists all other files."""
    write_data_card(path=staged / DATA_CARD, project=project, manifest=manifest)
    manifest["files"][DATA_CARD] = described(staged / DATA_CARD, None)
    (staged / MANIFEST).write_text(manifest_text(manifest), "utf-8")


def _write_annotations(project: Project, options: ExportOptions, staged: Path) -> dict[str, Any]:
    """Write the individual annotations, and return their files as in the manifest."""
    chosen = SubmissionOptions(
        fmt=options.annotations,
        domain=options.domain,
        partition=options.partition,
        raw_worker_ids=options.raw_worker_ids,
    )
    folder = staged / ANNOTATIONS
    rows = export_submissions(project=project, options=chosen, folder=folder)
    return {
        f"{ANNOTATIONS}/{name}": described(folder / name, count) for name, count in rows.items()
    }


def _write_beside(project: Project, fmt: str, staged: Path) -> dict[str, Any]:
    """Write the files that other programs need, and return them as in the manifest."""
    exports = scheme_of(project).exports
    texts = exports.beside.get(fmt, {}) if exports else {}
    for name, text in texts.items():
        (staged / name).write_text(text, "utf-8")
    return {name: described(staged / name, None) for name in texts}


def _annotation_facts(project: Project, options: ExportOptions) -> dict[str, Any]:
    """Return the format and the number of annotations by role, for the manifest."""
    rows = submissions_of(project, domain=options.domain, partition=options.partition)
    counts = dict(rows.order_by().values_list("role").annotate(n=Count("pk")))
    return {"format": options.annotations, "counts": counts}


@contextmanager
def _folder_for(folder: Path) -> Iterator[None]:
    """Create the folder, and remove it again if nothing can be exported."""
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except NothingToExportError:
        if is_new:
            folder.rmdir()
        raise


def _check_rows(groups: Sequence["_Files"], files: Mapping[str, Any], counts: Counts) -> None:
    """Raise NothingToExportError if no file of gold has a row."""
    project, options = groups[0].project, groups[0].options
    exports = scheme_of(project).exports
    file_set = exports.file_sets.get(options.fmt) if exports else None
    if _is_folder_format(project, options.fmt):
        rows = counts["items"]
    else:
        rows = sum(
            files[f"{group.name}.{ending}"]["rows"]
            for group in groups
            for ending in endings_of(scheme_of(project), options.fmt)
            if file_set is None or ending != file_set.sentences
        )
    if not rows:
        items = counts["items"] + counts[LEFT_OUT]
        raise NothingToExportError(
            f"The export would have no rows. {options.fmt} has a place for none of the {items:,} items "
            f"with {options.source} gold. Choose another format of {project.slug}: "
            f"{', '.join(fmt for fmt in formats_of(project) if fmt != options.fmt)}."
        )


def _move_into(folder: Path, staged: Path, group_folders: Iterable[str]) -> None:
    """Move the staged files into the folder, the manifest last. Folders of groups are replaced."""
    (folder / MANIFEST).unlink(missing_ok=True)
    for name in group_folders:
        if (folder / name).exists():
            shutil.rmtree(folder / name)
    files = [path.relative_to(staged) for path in staged.rglob("*") if path.is_file()]
    for file in sorted(files, key=lambda file: file == Path(MANIFEST)):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (staged / file).replace(folder / file)


def manifest_text(manifest: dict[str, Any]) -> str:
    return json.dumps(manifest, indent=2, sort_keys=True) + "\n"


def _groups(
    project: Project, options: ExportOptions, gold: QuerySet[Gold]
) -> list[tuple[str, str]]:
    """Return the pairs (domain, partition) to export. Raise NothingToExportError."""
    everything = with_gold(Sentence.objects.filter(project=project), gold)
    available = sorted(set(everything.order_by().values_list("domain", "partition").distinct()))
    no_gold = f"{project.slug} has no {options.source} gold"
    if not available:
        raise NothingToExportError(f"{no_gold}.")
    for at, name, value in ((0, "domain", options.domain), (1, "partition", options.partition)):
        known = sorted({pair[at] for pair in available})
        if value is not None and value not in known:
            listed = ", ".join(label or "(none)" for label in known)
            raise NothingToExportError(f"{no_gold} of the {name} {value!r}. Choose from: {listed}.")
    groups = [
        (domain, partition)
        for domain, partition in available
        if options.domain in (None, domain) and options.partition in (None, partition)
    ]
    if not groups:
        raise NothingToExportError(
            f"{no_gold} of the domain {options.domain!r} in the partition {options.partition!r}."
        )
    return groups


def _write_files(
    groups: Sequence["_Files"], folder: Path
) -> tuple[dict[str, Any], Counts, dict[str, Any]]:
    """Write the gold of each group and the file of its sentences.

    Return the files, the counts of all groups, and the counts of each folder, for formats with folders.
    """
    files: dict[str, Any] = {}
    folders: dict[str, Any] = {}
    total = Counts()
    for group in groups:
        counts = Counts()
        scheme = scheme_of(group.project)
        sentences = f"{group.name}.sentences.csv"
        with _sentences_beside(group, folder / sentences) as add:
            rows = _counted(_held(group, counts), scheme, group.options.fmt, counts, add)
            if _is_folder_format(group.project, group.options.fmt):
                folders[group.name] = _write_folder(group, rows, folder / group.name)
                for name, path in files_inside(folder / group.name).items():
                    files[name] = described(path, None)
            else:
                files |= _write_group(group, rows, folder)
        if scheme.exports and scheme.exports.sentence_file:
            files[sentences] = described(folder / sentences, counts["sentences"])
        if group.options.images:
            for name, path in copy_images(group.sentences_with_gold(), folder).items():
                files[name] = described(path, None)
        total += counts
    return files, total, folders


@contextmanager
def _sentences_beside(group: "_Files", path: Path) -> Iterator[SentenceSink]:
    """Yield a sink of sentences. Nothing is written if the scheme has no sentence files."""
    scheme = scheme_of(group.project)
    open_file = scheme.exports.sentence_file if scheme.exports else None
    if open_file is None:
        yield lambda sentence: None
        return
    in_documents = group.sentences().exclude(group="").values_list("external_id", "group")
    # The ids of most corpora name the document, and readers of the published columns know no other.
    documents = any(
        scheme.corpus.group(external_id) != document
        for external_id, document in in_documents.iterator()
    )
    with open_file(path, documents=documents) as add:
        yield add


def _write_group(group: "_Files", rows: Iterator[ExportRow], folder: Path) -> dict[str, Any]:
    """Write the gold files of a group, and return them as in the manifest."""
    scheme = scheme_of(group.project)
    endings = endings_of(scheme, group.options.fmt)
    paths = {ending: folder / f"{group.name}.{ending}" for ending in endings}
    counts = write_gold_files(scheme, group.options.fmt, rows, paths)
    return {
        f"{group.name}.{ending}": described(path, counts[ending]) for ending, path in paths.items()
    }


def _is_folder_format(project: Project, fmt: str) -> bool:
    exports = scheme_of(project).exports
    return exports is not None and fmt in exports.folders


def _check_replaceable(folders: Iterable[Path]) -> None:
    """Raise FileExistsError for a folder with files that an earlier export did not write."""
    for folder in folders:
        if not folder.exists():
            continue
        try:
            manifest = json.loads((folder.parent / MANIFEST).read_text("utf-8"))
            known = set(manifest["files"])
        except (OSError, ValueError, LookupError, TypeError):
            known = set()
        if not folder.is_dir() or not known.issuperset(files_inside(folder)):
            raise FileExistsError(
                errno.EEXIST, f"{folder.name} has files of something else. Delete it first", folder
            )


def _write_folder(group: "_Files", rows: Iterator[ExportRow], folder: Path) -> dict[str, int]:
    """Write the folder of a group, and return its counts."""
    exports = scheme_of(group.project).exports
    assert exports is not None
    folder.mkdir()
    return dict(exports.folders[group.options.fmt](rows, folder))


@contextmanager
def _little_cache() -> Iterator[None]:
    """Limit the page cache of SQLite, because an export reads each row once."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        (before,) = cursor.execute("PRAGMA cache_size").fetchone()
        cursor.execute(f"PRAGMA cache_size = {-LITTLE_CACHE}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA cache_size = {before}")


@dataclass(frozen=True, slots=True)
class _Files:
    """The gold and sentence files of a domain and partition."""

    project: Project
    options: ExportOptions
    gold: QuerySet[Gold]
    domain: str
    partition: str

    @property
    def name(self) -> str:
        return f"{self.domain or self.project.slug}.{self.partition or 'all'}"

    def sentences(self) -> QuerySet[Sentence]:
        return Sentence.objects.filter(
            project=self.project, domain=self.domain, partition=self.partition
        )

    def sentences_with_gold(self) -> QuerySet[Sentence]:
        return with_gold(self.sentences(), self.gold)

    def rows(self) -> Iterator[ExportRow]:
        exports = scheme_of(self.project).exports
        fields = ExportFields(
            raw_worker_ids=self.options.raw_worker_ids,
            judgments=exports is not None and self.options.fmt in exports.with_judgments,
            source_workers=exports is not None and self.options.fmt in exports.with_source_workers,
            metadata=exports is not None and self.options.fmt in exports.with_metadata,
            validated=self.options.source == GoldSource.VALIDATED,
            certainty=self.options.certainty,
        )
        return gold_rows(gold=self.gold, sentences=self.sentences(), options=fields)


def _held(group: "_Files", counts: Counts) -> Iterator[ExportRow]:
    """Yield the rows that the format has a place for, and count the others."""
    exports = scheme_of(group.project).exports
    holds = exports.holds.get(group.options.fmt) if exports else None
    for row in group.rows():
        if holds is None or holds(row.target):
            yield row
        else:
            counts[LEFT_OUT] += 1


def _counted(
    rows: Iterable[ExportRow], scheme: Scheme, fmt: str, counts: Counts, add_sentence: SentenceSink
) -> Iterator[ExportRow]:
    """Yield the rows, count them, and add each sentence once.

    The rows of a sentence must be adjacent.
    """
    last = None
    for row in rows:
        if row.external_id != last:
            last = row.external_id
            metadata = {"document": row.document} if row.document else {}
            add_sentence(SentenceRecord(last, row.tokens, 0, metadata, text=row.text))
            counts["sentences"] += 1
        counts.update(counts_of_row(row, scheme))
        if fmt != JSONL and scheme.exports:
            counts[UNITS_LEFT_OUT] += scheme.exports.left_out(row.content, fmt)
        yield row


def counts_of_row(row: ExportRow, scheme: Scheme) -> Counts:
    """Return 1 item and the scheme's totals of it."""
    counts = Counts({"items": 1, **scheme.content.count(row.content)})
    for total in scheme.validating.totals if scheme.validating else ():
        counts[total.key] += sum(origin.get(total.key, 0) for origin in row.provenance)
    return counts


def manifest_of(
    project: Project,
    options: ExportOptions,
    partitioning: Partitioning | None,
    files: dict[str, Any],
    counts: Counts,
) -> dict[str, Any]:
    """Return the manifest of these files, without the facts about the gold itself."""
    scheme = scheme_of(project)
    totals = scheme.totals_of_gold(validated=options.source == GoldSource.VALIDATED)
    return {
        "software": f"touchstone {settings.VERSION}",
        "project": project.slug,
        "simulated": project.has_simulated_work,
        "scheme": project.scheme,
        "schema_version": scheme.content.schema_version,
        **_definition(project),
        "rules": dict(scheme.rules),
        "seed": project.seed,
        "format": options.fmt,
        "source": str(options.source),
        "licence": options.licence,
        "language": project.language,
        "context": project.shown_context,
        "filters": {"domain": options.domain, "partition": options.partition},
        "partitions": _partitions(partitioning),
        "worker_ids": "raw" if options.raw_worker_ids else "pseudonyms",
        "counts": {name: counts[name] for name in ("items", *(total.key for total in totals))},
        **{name: counts[name] for name in (LEFT_OUT, UNITS_LEFT_OUT) if counts[name]},
        **_disputed(project),
        **_suggestions(project),
        "files": files,
    }


def _definition(project: Project) -> dict[str, Any]:
    """Return the version of the scheme's definition, if the project declares one."""
    if not project.definition_digest:
        return {}
    version = definition_of(project).version
    return {"definition": {"version": version, "sha256": project.definition_digest}}


def _disputed(project: Project) -> dict[str, Any]:
    """Return the numbers of disputed items, if the protocol has such items."""
    if not protocol_of(project).counts_experts:
        return {}
    cases = Case.objects.filter(item__project=project, attempt=0)
    return {
        "disputed": {
            "left_out": cases.filter(state=CaseState.DISPUTED).count(),
            "being_revised": cases.filter(state=CaseState.REVISING).count(),
            "annotated_by_experts": cases.filter(state=CaseState.RESOLVED).count(),
        }
    }


def gold_facts(gold: QuerySet[Gold]) -> dict[str, Any]:
    """Return what the manifest states about how the gold was made, as far as there is anything."""
    return _identical(gold) | _adaptive(gold) | _arms(gold)


def _identical(gold: QuerySet[Gold]) -> dict[str, Any]:
    """Return the rule and number of items of current gold that nobody consolidated, if there is any."""
    accepted = newest_of(gold).exclude(rule="").order_by().values_list("rule")
    counts = dict(accepted.annotate(n=Count("item", distinct=True)))
    return {"without_consolidation": counts} if counts else {}


def _adaptive(gold: QuerySet[Gold]) -> dict[str, Any]:
    """Return by how many people the items were annotated, if adaptive redundancy decided it."""
    items = newest_of(gold).filter(item__redundancy__isnull=False).order_by().values("item")
    rows = Redundancy.objects.filter(item__in=items).order_by()
    people = dict(rows.values_list("people").annotate(n=Count("pk")).order_by("people"))
    if not people:
        return {}
    target = rows.values_list("item__project__adaptive_percent", flat=True)[0]
    return {
        "adaptive": {
            "target_percent": target,
            "audited": rows.filter(is_audited=True).count(),
            "annotators": {str(number): count for number, count in people.items()},
        }
    }


def _suggestions(project: Project) -> dict[str, Any]:
    """Return the setting and use of suggestions, if the scheme has them."""
    use = suggestion_use(project=project)
    return {"suggestions": suggestion_json(use)} if use else {}


def _arms(gold: QuerySet[Gold]) -> dict[str, Any]:
    """Return the items with gold by arm, and how many of them are test items that had help from data."""
    items = newest_of(gold).filter(item__item_arm__isnull=False).order_by().values("item")
    rows = ItemArm.objects.filter(item__in=items).order_by()
    counts = rows.values_list("arm", "item__sentence__partition").annotate(n=Count("pk"))
    by_id = Arm.objects.in_bulk({arm for arm, _, _ in counts})
    arms: dict[str, dict[str, int]] = {}
    for pk, partition, count in sorted(counts, key=lambda row: (by_id[row[0]].ordinal, row)):
        arm = by_id[pk]
        sums = arms.setdefault(arm.name, {"items": 0, "test_items": 0})
        sums["items"] += count
        is_helped = bool(arm.system) or arm.suggestions == SuggestionChoice.LEARNED
        sums["test_items"] += count if is_helped and partition == Partition.TEST else 0
    return {"arms": arms} if arms else {}


def _partitions(partitioning: Partitioning | None) -> dict[str, Any] | None:
    """Describe the partitions. Return None if the corpus defined them and they aren't frozen."""
    if partitioning is None:
        return None
    frozen = partitioning.frozen_at and partitioning.frozen_at.isoformat()
    return model_to_dict(partitioning, ["unit", "seed", "shares", "digest"]) | {"frozen": frozen}
