"""A project's gold as rows for writers, streamed sentence by sentence.

In bites by the sentences' ids rather than by one long query: neither engine then has to sort the
whole dataset (SQLite would do so in memory), and a sentence's tokens are read once for all its
items.
"""

import hashlib
import hmac
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, TextField, When
from django.db.models.functions import Cast
from pydantic_core import from_json

from annotation.models import Sentence
from consolidation.models import CaseSource, Gold, Judgment
from schemes.base import ExportRow, Json, Judged

# Sentences that are read at once, in each of the processes that share an export.
CHUNK = 500
_first = itemgetter(0)
# In the place of a worker's id, where an expert corrected the gold, or where it was worked out of
# validations.
EXPERT, VALIDATED = "expert", "validated"

# Sentences by their ids: the id that the corpus gave, and the tokens as JSON.
_Bite = dict[int, tuple[str, str]]
# Ids after the first and up to the second.
Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Given:
    """What rows are to hold: the workers' own ids or pseudonyms, every annotator's word or none. Of
    `validated` gold the validators are told."""

    raw_worker_ids: bool = False
    judgments: bool = False
    validated: bool = False

    @property
    def worker_field(self) -> str:
        return "external_id" if self.raw_worker_ids else "pseudonym"


class _Source(NamedTuple):
    """A generation in a case, or a validation; its content only where judgments are wanted, its worker
    there and where the gold is validated. (Named tuples are made in half the time of dataclasses.)"""

    worker: str
    assignment: str
    content: Json


_Sources = dict[int, list[_Source]]
_Validators = dict[int, tuple[int, list[_Source]]]
_NO_CONTENT: Json = {}  # nobody changes it


def gold_rows(
    *, gold: QuerySet[Gold], sentences: QuerySet[Sentence], given: Given
) -> Generator[ExportRow, None, None]:
    """A row for each item with such gold in these sentences, of its newest version; by the sentences'
    ids, those of one sentence together."""
    fields: list[Any] = [
        "version",
        "item__sentence_id",
        _text("item__target"),
        _text("content"),
        _text("provenance"),
        "case_id",
        "pk",
        f"submission__worker__{given.worker_field}",
        "submission__assignment__external_id",
    ]
    if given.judgments:
        fields.append(_if_it_refuses("submission__content"))

    for bite in _bites(sentences):
        with _looked_up_by_index():
            versions = gold.filter(item__sentence__in=list(bite)).order_by()
            rows = _newest(versions.values_list("item_id", *fields))
            sources = _sources({row[4] for row in rows if row[4]}, given)
            validators = _validators(set(sources), given) if given.validated else {}
        for pk, of_sentence in groupby(rows, key=_first):
            external_id, tokens = bite[pk]
            sentence = external_id, tuple(from_json(tokens))
            for row in of_sentence:
                people = _People(sources.get(row[4]), *validators.get(row[4], (0, [])))
                yield _export_row(sentence, row, people, given)


@contextmanager
def _looked_up_by_index() -> Iterator[None]:
    """A bite is a small part of a large table. PostgreSQL takes it for a tenth, would read all of the
    table for each, and with every core, which the processes that share an export need themselves."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(
                    "SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0"
                )
        yield


def _newest(versions: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Of rows (item, version, sentence, ...) the newest version's of each item, by sentence and item,
    from the sentence on. Found and sorted here: asked to leave out what has a newer one, PostgreSQL
    reads the whole table for every bite; asked to sort, SQLite carries all of the content through it."""
    newest: dict[int, tuple[Any, ...]] = {}
    for row in versions:
        known = newest.get(row[0])
        if known is None or known[1] < row[1]:
            newest[row[0]] = row
    return [row[2:] for row in sorted(newest.values(), key=_sentence_and_item)]


def _sentence_and_item(row: tuple[Any, ...]) -> tuple[int, int]:
    return row[2], row[0]


def with_gold(sentences: QuerySet[Sentence], gold: QuerySet[Gold]) -> QuerySet[Sentence]:
    return sentences.filter(Exists(gold.filter(item__sentence=OuterRef("pk"))))


def _bites(sentences: QuerySet[Sentence]) -> Iterator[_Bite]:
    """With those that have no gold: to ask for it of each takes longer than to read them."""
    last = 0
    ordered = sentences.order_by("pk").values_list("pk", "external_id", _text("tokens"))
    while bite := list(ordered.filter(pk__gt=last)[:CHUNK]):
        yield {pk: (external_id, tokens) for pk, external_id, tokens in bite}
        last = bite[-1][0]


def stretches_of(sentences: QuerySet[Sentence]) -> list[Stretch]:
    """The sentences' ids in stretches that are read in one bite each, the same for the same ids."""
    ids = list(sentences.order_by("pk").values_list("pk", flat=True))
    ends = [*ids[CHUNK - 1 :: CHUNK], *(ids[-1:] if len(ids) % CHUNK else [])]
    return list(zip([0, *ends], ends, strict=False))


def _text(field: str) -> Cast:
    """A JSON column as its text: Django's own reading of it takes twice as long."""
    return Cast(field, TextField())


def _if_it_refuses(field: str) -> Any:
    """A consolidation's text, where it finds a question invalid; all else that it says is in the gold.
    PostgreSQL looks into its own form of the JSON a good deal faster than it writes it out."""
    if connection.vendor != "postgresql":
        return _text(field)  # which is how it is stored
    refuses = Q(**{f"{field}__contains": {"questions": [{"verdict": "invalid"}]}})
    return Case(When(refuses, then=_text(field)), default=None)


@lru_cache(maxsize=1 << 12)
def _often(text: str) -> Any:
    """What many rows have alike is read once; nobody changes it."""
    return from_json(text)


def _sources(cases: set[int], given: Given) -> _Sources:
    """The generations of each case, in the order of their positions."""
    found: _Sources = {}
    fields: list[Any] = []
    if given.judgments or given.validated:
        fields = [f"submission__worker__{given.worker_field}"]
    if given.judgments:
        fields.append(_text("submission__content"))
    rows = CaseSource.objects.filter(case__in=cases).order_by("case_id", "position")
    for case, assignment, *more in rows.values_list(
        "case_id", "submission__assignment__external_id", *fields
    ):
        found.setdefault(case, []).append(_source(assignment, more))
    return found


def _validators(cases: set[int], given: Given) -> _Validators:
    """Of each case, the gold annotation that its validations made and these, in the order of their
    positions."""
    found: _Validators = {}
    fields: list[Any] = [f"submission__worker__{given.worker_field}"]
    if given.judgments:
        fields.append(_text("submission__content"))
    rows = Judgment.objects.filter(gold__case__in=cases).order_by("gold_id", "position")
    for case, gold, assignment, *more in rows.values_list(
        "gold__case", "gold_id", "submission__assignment__external_id", *fields
    ):
        found.setdefault(case, (gold, []))[1].append(_source(assignment, more))
    return found


def _source(assignment: str | None, told: Sequence[str | None]) -> _Source:
    worker = told[0] if told else ""
    content = from_json(told[1]) if len(told) > 1 and told[1] else _NO_CONTENT
    return _Source(worker or EXPERT, assignment or "", content)


class _People(NamedTuple):
    """Whose work a gold annotation is made of: the sources of its case, if it has one, and those who
    validated them, making the gold `validated`."""

    sources: list[_Source] | None
    validated: int
    validators: list[_Source]


def _export_row(
    sentence: tuple[str, tuple[str, ...]], row: Sequence[Any], people: _People, given: Given
) -> ExportRow:
    target, content, provenance = _often(row[1]), from_json(row[2]), _often(row[3])
    worker, assignment = row[6] or EXPERT, row[7] or ""
    sources, validated, validators = people
    if sources is None:
        origins = [_imported_origin(one, given) for one in provenance]
        return ExportRow(*sentence, target, content, origins)
    if validated == row[5]:
        worker = VALIDATED
        origins = [_validated_origin(one, sources, validators) for one in provenance]
    else:
        origins = [_origin(one.get("source"), sources, worker, assignment) for one in provenance]
    judged = None
    if given.judgments:
        merged = from_json(row[8]) if row[8] and '"invalid"' in row[8] else _NO_CONTENT
        judged = Judged(_said(sources), worker, merged, _said(validators))
    return ExportRow(*sentence, target, content, origins, judged)


def _origin(position: int | None, sources: list[_Source], worker: str, assignment: str) -> Json:
    return {
        "worker_id": worker,
        "assign_id": assignment,
        "source_assign_id": "" if position is None else sources[position].assignment,
    }


def _validated_origin(one: Json, sources: list[_Source], validators: list[_Source]) -> Json:
    """Nobody merged it: the ids are the generator's. Formats that have a place for it also tell how
    many validators found the question valid, and who gave each answer."""
    source = sources[one["source"]]
    return {
        "worker_id": source.worker,
        "assign_id": source.assignment,
        "source_assign_id": source.assignment,
        "valid": one["valid"],
        "validators": len(validators),
        "answers": [
            {
                "generator": answer["generator"],
                "validators": [validators[position].worker for position in answer["validators"]],
            }
            for answer in one["answers"]
        ],
    }


def _imported_origin(one: Json, given: Given) -> Json:
    """Of imported gold: the ids are those of its file."""
    worker = one.get("worker_id", "")
    if not worker or given.raw_worker_ids:
        return {**one, "worker_id": worker}
    return {**one, "worker_id": foreign_pseudonym(worker)}


def _said(sources: list[_Source]) -> list[tuple[str, Json]]:
    return [(one.worker, one.content) for one in sources]


@lru_cache(maxsize=1 << 14)
def foreign_pseudonym(worker_id: str) -> str:
    """A pseudonym for a worker whom only an imported file knows: the same for the same id."""
    digest = hmac.new(settings.SECRET_KEY.encode(), worker_id.encode(), hashlib.sha256)
    return "X" + digest.hexdigest()[:9].upper()
