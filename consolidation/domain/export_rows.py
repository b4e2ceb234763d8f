"""A project's gold as rows for writers, streamed sentence by sentence.

In bites by the sentences' ids rather than by one long query: neither engine then has to sort the
whole dataset (SQLite would do so in memory), and a sentence's tokens are read once for all its
items.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet, TextField
from django.db.models.functions import Cast
from pydantic_core import from_json

from annotation.models import Sentence
from consolidation.models import CaseSource, Gold
from schemes.base import ExportRow, Json, Judged, SentenceRecord

CHUNK = 2000
EXPERT = "expert"  # in the place of a worker's id, where an expert corrected the gold

_SentenceRow = tuple[int, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Given:
    """What rows are to hold: the workers' own ids or pseudonyms, every annotator's word or none."""

    raw_worker_ids: bool = False
    judgments: bool = False

    @property
    def worker_field(self) -> str:
        return "external_id" if self.raw_worker_ids else "pseudonym"


@dataclass(frozen=True, slots=True)
class _Source:
    """A generation in a case; its content only where judgments are wanted."""

    worker: str
    assignment: str
    content: Json


def gold_rows(
    *, gold: QuerySet[Gold], sentences: QuerySet[Sentence], given: Given
) -> Iterator[ExportRow]:
    """A row for each item with such gold in these sentences, of its newest version; by the sentences'
    ids, those of one sentence together."""
    fields: list[Any] = [
        "item__sentence_id",
        _text("item__target"),
        _text("content"),
        _text("provenance"),
        "case_id",
        f"submission__worker__{given.worker_field}",
        "submission__assignment__external_id",
    ]
    if given.judgments:
        fields.append(_text("submission__content"))
    for bite in _bites(with_gold(sentences, gold)):
        told = {pk: (external_id, tokens) for pk, external_id, tokens in bite}
        versions = gold.filter(item__sentence__in=list(told)).order_by(
            "item__sentence_id", "item_id", "version"
        )
        # The newest of each item, found here: asked to leave out what has a newer one, PostgreSQL
        # reads the whole table for every bite.
        rows = list({row[0]: row[1:] for row in versions.values_list("item_id", *fields)}.values())
        sources = _sources({row[4] for row in rows if row[4]}, given)
        for row in rows:
            yield _export_row(told[row[0]], row, sources.get(row[4]), given)


def sentence_rows(
    *, gold: QuerySet[Gold], sentences: QuerySet[Sentence]
) -> Iterator[SentenceRecord]:
    """The sentences that have such gold, in the same order."""
    for bite in _bites(with_gold(sentences, gold)):
        for _, external_id, tokens in bite:
            yield SentenceRecord(external_id, tokens, 0)


def with_gold(sentences: QuerySet[Sentence], gold: QuerySet[Gold]) -> QuerySet[Sentence]:
    return sentences.filter(Exists(gold.filter(item__sentence=OuterRef("pk"))))


def _bites(sentences: QuerySet[Sentence]) -> Iterator[list[_SentenceRow]]:
    last = 0
    ordered = sentences.order_by("pk").values_list("pk", "external_id", _text("tokens"))
    while bite := list(ordered.filter(pk__gt=last)[:CHUNK]):
        yield [(pk, external_id, tuple(from_json(tokens))) for pk, external_id, tokens in bite]
        last = bite[-1][0]


def _text(field: str) -> Cast:
    """A JSON column as its text: Django's own reading of it takes twice as long."""
    return Cast(field, TextField())


@lru_cache(maxsize=1 << 12)
def _often(text: str) -> Any:
    """What many rows have alike is read once; nobody changes it."""
    return from_json(text)


def _sources(cases: set[int], given: Given) -> dict[int, list[_Source]]:
    """The generations of each case, in the order of their positions."""
    found: dict[int, list[_Source]] = {}
    fields: list[Any] = []
    if given.judgments:
        fields = [f"submission__worker__{given.worker_field}", _text("submission__content")]
    rows = CaseSource.objects.filter(case__in=cases).order_by("case_id", "position")
    for case, assignment, *more in rows.values_list(
        "case_id", "submission__assignment__external_id", *fields
    ):
        worker, content = more or ("", "{}")
        source = _Source(worker or EXPERT, assignment or "", from_json(content))
        found.setdefault(case, []).append(source)
    return found


def _export_row(
    sentence: tuple[str, tuple[str, ...]],
    row: Sequence[Any],
    sources: list[_Source] | None,
    given: Given,
) -> ExportRow:
    target, content, provenance = _often(row[1]), from_json(row[2]), _often(row[3])
    worker, assignment, *more = row[5:]
    if sources is None:
        origins = [_imported_origin(one, given) for one in provenance]
        return ExportRow(*sentence, target, content, origins)
    worker = worker or EXPERT
    origins = [_origin(one, sources, worker, assignment or "") for one in provenance]
    judged = _judged(sources, worker, more[0]) if more else None
    return ExportRow(*sentence, target, content, origins, judged)


def _origin(one: Json, sources: list[_Source], worker: str, assignment: str) -> Json:
    position = one.get("source")
    return {
        "worker_id": worker,
        "assign_id": assignment,
        "source_assign_id": "" if position is None else sources[position].assignment,
    }


def _imported_origin(one: Json, given: Given) -> Json:
    """Of imported gold: the ids are those of its file."""
    worker = one.get("worker_id", "")
    if not worker or given.raw_worker_ids:
        return {**one, "worker_id": worker}
    return {**one, "worker_id": foreign_pseudonym(worker)}


def _judged(sources: list[_Source], worker: str, consolidation: str | None) -> Judged:
    generations = [(one.worker, one.content) for one in sources]
    return Judged(generations, worker, from_json(consolidation) if consolidation else {})


@lru_cache(maxsize=1 << 14)
def foreign_pseudonym(worker_id: str) -> str:
    """A pseudonym for a worker whom only an imported file knows: the same for the same id."""
    digest = hmac.new(settings.SECRET_KEY.encode(), worker_id.encode(), hashlib.sha256)
    return "X" + digest.hexdigest()[:9].upper()
