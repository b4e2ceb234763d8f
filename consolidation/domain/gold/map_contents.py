"""Map a project's annotations to a new version of the definition of its scheme.

All annotations have the form of the current version. Nothing is lost: a submission or a program's
annotation keeps its original, and gold gets a new version. Annotations are always mapped from their
original, so a later version gets back what it has a place for again.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from annotation.domain.corpus.fit_content import definitions_since
from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.item_context import context_of
from annotation.models import Submission
from consolidation.domain.case_records import case_of, source_at
from consolidation.domain.gold.current_gold import FIRST_CASES, has_newer
from consolidation.domain.gold.index_gold import rebuild_index
from consolidation.enums import MergeState, ReviewState, SourceOrigin
from consolidation.models import Dispute, Gold, Judgment, MergeSource, Review, SystemAnnotation
from projects.domain.resources import value_of
from projects.domain.schemes import scheme_of
from projects.domain.webhook_events import record_gold
from projects.enums import Role
from projects.models import Project
from schemes.contract.items import ItemContext
from schemes.contract.resources import ContentMapping, MappedContent
from schemes.contract.scheme import DEFINITION
from schemes.contract.values import Json

CHUNK = 500
CHANGED = ["content", "original", "original_version"]
Annotation = Submission | Gold | SystemAnnotation


@dataclass(frozen=True, slots=True)
class Mapped:
    """An annotation with its original, the version of that, and what it is in the newest version."""

    row: Annotation
    original: Json
    version: int
    result: MappedContent

    @property
    def is_changed(self) -> bool:
        is_same = self.row.content == self.result.content
        if isinstance(self.row, Gold):
            return not is_same or self.row.provenance != self.provenance
        return not is_same

    @property
    def keeps_units(self) -> bool:
        """Return True if the units have the places that they have in the original."""
        return list(self.result.units) == list(range(self.result.units_before))

    @property
    def provenance(self) -> list[Json]:
        """Return the entries of the original gold for the units that are there."""
        assert isinstance(self.row, Gold)
        first, units = self.row.mapped_from or self.row, self.result.units
        is_whole = len(first.provenance) == self.result.units_before
        return [first.provenance[at] for at in units] if is_whole else list(first.provenance)


class Versions:
    """The versions of a project's definition, with a new `value` as the last one if it is given."""

    def __init__(self, project: Project, value: Json | None = None) -> None:
        self.project = project
        rows = definitions_since(project, datetime.min.replace(tzinfo=project.created_at.tzinfo))
        self.numbers = [row.version for row in rows]
        self._times = [row.created_at for row in rows]
        self._values = [value_of(row) for row in rows] + ([] if value is None else [value])
        self._mappings: dict[tuple[int, int], ContentMapping] = {}

    def at(self, time: datetime) -> int:
        """Return the number of the version that was current at a time."""
        return self.numbers[max(0, bisect_right(self._times, time) - 1)]

    def mapping(self, first: int, last: int | None = None) -> ContentMapping:
        """Return what maps content of a version to another one, by default the newest."""
        start = self.numbers.index(first)
        end = len(self._values) if last is None else self.numbers.index(last) + 1
        if (start, end) not in self._mappings:
            declared = scheme_of(self.project).resources[DEFINITION]
            mapping = declared.mapping(self._values[start:end])
            assert mapping
            self._mappings[start, end] = mapping
        return self._mappings[start, end]

    def mapped(self, row: Annotation) -> Mapped:
        """Return the annotation with its content in the newest version."""
        original, version = self._original_of(row)
        result = self.mapping(version).map_content(original, self.context(row))
        return Mapped(row, original, version, result)

    def context(self, row: Annotation) -> ItemContext:
        return context_of(row.item, self.project)

    def _original_of(self, row: Annotation) -> tuple[Json, int]:
        if isinstance(row, Gold):
            first = row.mapped_from or row
            return first.content, self.at(first.created_at)
        if row.original is not None:
            assert row.original_version
            return row.original, row.original_version
        made_at = row.imported_at if isinstance(row, SystemAnnotation) else row.submitted_at
        return row.content, self.at(made_at)


def maps_contents(project: Project) -> bool:
    """Return True if versions of the definition change the form of annotations."""
    return scheme_of(project).declaration is not None


def annotations_of(project: Project) -> Iterator[QuerySet[Any]]:
    """Yield the annotations that are mapped: readable submissions, newest gold and those of programs."""
    submissions = Submission.objects.filter(item__project=project).exclude(content={})
    yield submissions.exclude(role=Role.VALIDATOR).exclude(content__has_key="refused")
    gold = Gold.objects.filter(item__project=project).select_related("mapped_from")
    newer = Gold.objects.filter(case=OuterRef("case"), version__gt=OuterRef("version"))
    yield gold.filter(FIRST_CASES).exclude(has_newer())
    yield gold.filter(case__attempt__gt=0).exclude(Exists(newer))
    yield SystemAnnotation.objects.filter(item__project=project)


def rows_of(annotations: QuerySet[Any]) -> Iterator[list[Any]]:
    """Yield the rows with what their contexts need, a batch at a time."""
    for ids in batched(annotations.order_by("pk").values_list("pk", flat=True), CHUNK):
        rows = annotations.filter(pk__in=ids).order_by("pk")
        yield list(rows.select_related("item__sentence__image", *_also(annotations)))


def _also(annotations: QuerySet[Any]) -> list[str]:
    return ["mapped_from"] if annotations.model is Gold else []


@transaction.atomic
def map_contents(*, project: Project, now: datetime) -> int:
    """Map all annotations to the newest version. Return the number of those that changed.

    Call this in the transaction that stores the version.
    """
    versions = Versions(project)
    count = 0
    moved: set[int] = set()
    for annotations in annotations_of(project):
        for rows in rows_of(annotations):
            mapped = [versions.mapped(row) for row in rows]
            changed = [row for row in mapped if row.is_changed]
            count += len(changed)
            if annotations.model is Gold:
                _add_gold(changed, project, now)
                continue
            _update(changed, annotations.model)
            if annotations.model is Submission:
                moved |= {row.row.pk for row in mapped if not row.keeps_units}
    _map_judgments(versions, moved)
    if count:
        _map_merges(project)
        rebuild_index(project=project)
    return count


def _update(mapped: Iterable[Mapped], model: type[Any]) -> None:
    rows = []
    for change in mapped:
        row = change.row
        assert not isinstance(row, Gold)
        row.content = change.result.content
        is_original = row.content == change.original
        row.original = None if is_original else change.original
        row.original_version = None if is_original else change.version
        rows.append(row)
    model._default_manager.bulk_update(rows, CHANGED, CHUNK)


def _add_gold(mapped: Iterable[Mapped], project: Project, now: datetime) -> None:
    """Add a version of gold for each one that changed, with its judgments and pending reviews."""
    changes = {change.row.pk: change for change in mapped}
    newest = Gold.objects.filter(item__in=[change.row.item_id for change in changes.values()])
    numbers = {
        (item, source): number
        for item, source, number in newest.values("item", "source")
        .annotate(number=Max("version"))
        .values_list("item", "source", "number")
    }
    for pk, change in changes.items():
        row = change.row
        assert isinstance(row, Gold)
        first = row.mapped_from or row
        numbers[row.item_id, row.source] += 1
        gold = Gold.objects.create(
            item_id=row.item_id,
            source=row.source,
            version=numbers[row.item_id, row.source],
            content=change.result.content,
            schema_version=scheme_of(project).content.schema_version,
            provenance=change.provenance,
            rule=row.rule,
            case_id=row.case_id,
            mapped_from=first,
            created_at=now,
        )
        record_gold(project_id=project.pk, gold_id=gold.pk, now=now)
        Judgment.objects.bulk_create(
            Judgment(gold=gold, submission_id=judgment.submission_id, position=judgment.position)
            for judgment in Judgment.objects.filter(gold=pk)
        )
        Review.objects.filter(gold=pk, state=ReviewState.DRAWN).update(gold=gold)


def _map_judgments(versions: Versions, moved: set[int]) -> None:
    """Give verdicts the places of the units that they judge, and disputes as well.

    `moved` has the submissions whose units have other places than in their originals.
    """
    validating = scheme_of(versions.project).validating
    validations = Submission.objects.filter(item__project=versions.project, role=Role.VALIDATOR)
    if validating is None or not validations.exists():
        return
    judged = validations.filter(Q(item__submissions__in=moved) | Q(original__isnull=False))
    rows = judged.distinct().exclude(content__has_key="refused")
    changed = [
        row
        for row in rows.select_related("item__sentence__image", "assignment__hit__task")
        if _is_reordered(row, versions)
    ]
    Submission.objects.bulk_update(changed, CHANGED, CHUNK)
    if validating.disputes is None:
        return
    for dispute in Dispute.objects.filter(verifications__in=changed).distinct():
        verdicts = [row.content for row in dispute.verifications.order_by("pk")]
        agree = versions.project.validators_to_agree
        dispute.content = validating.disputes([dispute.source.content], verdicts, agree)
        dispute.save(update_fields=["content"])


def _is_reordered(row: Submission, versions: Versions) -> bool:
    """Give the row the verdicts on the units of its source. Return True if they changed."""
    assert row.assignment
    assert row.assignment.hit.task
    source = versions.mapped(source_at(case_of(row), row.assignment.hit.task.round))
    original = row.content if row.original is None else row.original
    version = row.original_version or versions.at(row.submitted_at)
    shown, context = source.original, versions.context(row)
    if version > source.version:
        shown = versions.mapping(source.version, version).map_content(shown, context).content
    mapping = versions.mapping(version)
    units = mapping.map_content(shown, context).units
    before, row.content = row.content, mapping.map_judgment(original, units)
    is_original = row.content == original
    row.original = None if is_original else original
    row.original_version = None if is_original else version
    return bool(row.content != before)


def _map_merges(project: Project) -> None:
    """Give experts who merge annotations the mapped content."""
    merging = scheme_of(project).merging
    of_project = Q(merge__queued__item__project=project, merge__state=MergeState.OPEN)
    if merging is None:
        return
    systems: dict[tuple[int, str], Json] = defaultdict(dict)
    for item, name, content in SystemAnnotation.objects.filter(item__project=project).values_list(
        "item", "system", "content"
    ):
        systems[item, name] = content
    sources = MergeSource.objects.filter(of_project)
    for source in sources.select_related("submission", "gold", "merge__queued"):
        content = _content_of(source, systems)
        if content:
            source.content = merging.as_source(content)
            source.save(update_fields=["content"])


def _content_of(source: MergeSource, systems: Mapping[tuple[int, str], Json]) -> Json:
    if source.submission:
        return dict(source.submission.content)
    if source.gold:
        first = source.gold.mapped_from or source.gold
        newest = first.mapped.order_by("version").last()
        return dict(newest.content if newest else first.content)
    if source.origin == SourceOrigin.SYSTEM:
        return systems[source.merge.queued.item_id, source.name]
    return {}
