"""Stream a project's gold as export rows, sentence by sentence.

Rows are read in batches of sentence ids instead of one long query. Neither database then sorts the
whole dataset, and a sentence's tokens are read once for all its items.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet, TextField, Value
from django.db.models.functions import Cast
from orjson import loads

from annotation.domain.corpus.value_list import value_list
from annotation.models import Item, Sentence
from consolidation.domain.gold.accept_certain import RULE as CERTAIN
from consolidation.domain.gold.accept_identical import RULE as IDENTICAL
from consolidation.models import CaseSource, Gold, Judgment
from crowd.domain.workers.pseudonyms import foreign_pseudonym
from datasets.models import ItemCertainty
from schemes.contract.records import Certainty, ExportRow, Judged
from schemes.contract.values import Image, Json

# Sentences per query.
CHUNK = 500
_first = itemgetter(0)
_sentence_and_item = itemgetter(2, 0)
# Used instead of a worker's id if an expert corrected the gold, or if validations produced it.
EXPERT, VALIDATED = "expert", "validated"
# Before the name of a model, whose annotation was a source.
MODEL = "model:"
# Used if nobody consolidated, because all annotators wrote the same or one annotation was certain enough.
UNJUDGED = {IDENTICAL: "identical", CERTAIN: "certain"}

# Sentence id -> the corpus id, the tokens as JSON, the text, the offsets as JSON, the document, and if
# they are exported, the metadata as JSON and the name, width and height of the image.
_Batch = dict[int, tuple[str, str, str, str, str, str, str | None, int, int]]


@dataclass(frozen=True, slots=True)
class ExportFields:
    """The fields of export rows.

    Workers have raw ids or pseudonyms. `judgments` adds every annotator's content, and
    `source_workers` the annotators whose work was merged. `validated` adds
    the validators of validated gold, and `metadata` that of the sentences and their images. `certainty`
    adds what the project's latest fit expects of the gold.
    """

    raw_worker_ids: bool = False
    judgments: bool = False
    source_workers: bool = False
    metadata: bool = False
    validated: bool = False
    certainty: bool = False

    @property
    def worker_field(self) -> str:
        return "external_id" if self.raw_worker_ids else "pseudonym"


class _Source(NamedTuple):
    """A generation in a case, or a validation.

    `content` is JSON, only for judgments. It is parsed when its row is written, so that few objects
    are alive at once. `worker` is set only for judgments, source workers or validated gold. A named
    tuple is faster to create than a dataclass.
    """

    worker: str
    assignment: str
    content: str


_Sources = dict[int, list[_Source]]
_Validators = dict[int, tuple[int, list[_Source]]]
_NO_CONTENT: Json = {}  # shared, must not be changed


def gold_rows(
    *, gold: QuerySet[Gold], sentences: QuerySet[Sentence], options: ExportFields
) -> Generator[ExportRow, None, None]:
    """Yield a row for each item's newest gold in these sentences, ordered by sentence."""
    for _, row in numbered_gold_rows(gold=gold, sentences=sentences, options=options):
        yield row


def numbered_gold_rows(
    *, gold: QuerySet[Gold], sentences: QuerySet[Sentence], options: ExportFields
) -> Generator[tuple[int, ExportRow], None, None]:
    """Yield the rows of `gold_rows`, each with the primary key of its gold."""
    fields: list[Any] = [
        "version",
        "item__sentence_id",
        _text("item__target"),
        _text("content"),
        _text("provenance"),
        "case_id",
        "pk",
        f"submission__worker__{options.worker_field}",
        "submission__assignment__external_id",
        "rule",
    ]
    if options.judgments:
        fields.append(_text("submission__content"))

    for batch in _in_batches(sentences, with_metadata=options.metadata):
        items = list(
            Item.objects.filter(sentence__in=value_list(batch)).values_list("pk", flat=True)
        )
        versions = gold.filter(item__in=value_list(items)).order_by()
        rows = _newest(versions.values_list("item_id", *fields))
        sources = _sources({row[4] for row in rows if row[4]}, options)
        validators = _validators(set(sources), options) if options.validated else {}
        certainties = _certainties({row[5] for row in rows}) if options.certainty else {}
        for pk, of_sentence in groupby(rows, key=_first):
            external_id, tokens, text, offsets, document, metadata, name, width, height = batch[pk]
            sentence = external_id, tuple(loads(tokens))
            for row in of_sentence:
                people = _People(sources.get(row[4]), *validators.get(row[4], (0, [])))
                exported = _export_row(sentence, row, people, options)
                if text or document:
                    exported = replace(
                        exported, text=text, offsets=loads(offsets), document=document
                    )
                if metadata:
                    exported = _with_metadata(exported, loads(metadata), name, width, height)
                if row[5] in certainties:
                    exported = replace(exported, certainty=certainties[row[5]])
                yield row[5], exported


def _with_metadata(
    row: ExportRow, metadata: Json, name: str | None, width: int, height: int
) -> ExportRow:
    """Return the row with its metadata and its image, named as in the corpus."""
    image = Image(metadata.get("image") or name, width, height) if name else None
    return replace(row, metadata=metadata, image=image)


def _certainties(gold: set[int]) -> dict[int, Certainty]:
    """Return the certainty of gold by id. Gold that is newer than the fit has none."""
    rows = ItemCertainty.objects.filter(gold__in=value_list(gold))
    columns = "gold_id", "coverage", "difficulty", "probabilities"
    return {
        pk: Certainty(coverage, difficulty, probabilities)
        for pk, coverage, difficulty, probabilities in rows.values_list(*columns)
    }


def _newest(versions: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the newest version of each item, ordered by sentence and item.

    Input rows start with the item and the version, which are removed. Selection and sorting happen
    in Python, because PostgreSQL would scan the whole table and SQLite would sort all content.
    """
    newest: dict[int, tuple[Any, ...]] = {}
    for row in versions:
        known = newest.get(row[0])
        if known is None or known[1] < row[1]:
            newest[row[0]] = row
    return [row[2:] for row in sorted(newest.values(), key=_sentence_and_item)]


def with_gold(sentences: QuerySet[Sentence], gold: QuerySet[Gold]) -> QuerySet[Sentence]:
    return sentences.filter(Exists(gold.filter(item__sentence=OuterRef("pk"))))


def _in_batches(sentences: QuerySet[Sentence], *, with_metadata: bool) -> Iterator[_Batch]:
    """Yield batches of sentences, including those without gold.

    Reading them is faster than filtering them.
    """
    last = 0
    fields: list[Any] = [_text("tokens"), "text", _text("offsets"), "group"]
    fields += [Value(""), Value(""), Value(0), Value(0)]
    if with_metadata:
        fields[4:] = [_text("metadata"), "image__name", "image__width", "image__height"]
    ordered = sentences.order_by("pk").values_list("pk", "external_id", *fields)
    while batch := list(ordered.filter(pk__gt=last)[:CHUNK]):
        yield {pk: (external_id, *texts) for pk, external_id, *texts in batch}
        last = batch[-1][0]


def _text(field: str) -> Cast:
    """Cast a JSON column to text, which is faster than Django's own decoding."""
    return Cast(field, TextField())


@lru_cache(maxsize=1 << 12)
def _shared_json(text: str) -> Any:
    """Parse JSON that many rows share. The result must not be changed."""
    return loads(text)


def _sources(cases: set[int], options: ExportFields) -> _Sources:
    """Return the generations of each case in the order of their positions."""
    by_case: _Sources = {}
    fields: list[Any] = []
    if options.judgments or options.source_workers or options.validated:
        fields = [f"submission__worker__{options.worker_field}"]
    if options.judgments:
        fields.append(_text("submission__content"))
    rows = CaseSource.objects.filter(case__in=value_list(cases)).order_by("case_id", "position")
    for case, system, assignment, *more in rows.values_list(
        "case_id", "submission__system", "submission__assignment__external_id", *fields
    ):
        by_case.setdefault(case, []).append(_source(assignment, more, system))
    return by_case


def _validators(cases: set[int], options: ExportFields) -> _Validators:
    """Return the newest validated gold of each case, by id, and its validations in their order."""
    by_case: _Validators = {}
    fields: list[Any] = [f"submission__worker__{options.worker_field}"]
    if options.judgments:
        fields.append(_text("submission__content"))
    rows = Judgment.objects.filter(gold__case__in=value_list(cases)).order_by("gold_id", "position")
    for case, gold, assignment, *more in rows.values_list(
        "gold__case", "gold_id", "submission__assignment__external_id", *fields
    ):
        if case not in by_case or by_case[case][0] != gold:
            by_case[case] = (gold, [])
        by_case[case][1].append(_source(assignment, more))
    return by_case


def _source(assignment: str | None, fields: Sequence[str | None], system: str = "") -> _Source:
    worker = fields[0] if fields else ""
    content = fields[1] if len(fields) > 1 else None
    if system:
        return _Source(f"{MODEL}{system}", f"{MODEL}{system}", content or "{}")
    return _Source(worker or EXPERT, assignment or "", content or "{}")


class _People(NamedTuple):
    """The people behind a gold annotation.

    `sources` are those of its case, if any. `validators` validated them and produced the gold
    `validated`.
    """

    sources: list[_Source] | None
    validated: int
    validators: list[_Source]


def _export_row(
    sentence: tuple[str, tuple[str, ...]],
    row: Sequence[Any],
    people: _People,
    options: ExportFields,
) -> ExportRow:
    target, content, provenance = _shared_json(row[1]), loads(row[2]), _shared_json(row[3])
    worker, assignment = row[6] or UNJUDGED.get(row[8], EXPERT), row[7] or ""
    sources, validated, validators = people
    if sources is None:
        origins = [_imported_origin(origin, options) for origin in provenance]
        return ExportRow(*sentence, target, content, origins)
    whole: Json = {}
    if validated == row[5]:
        worker = VALIDATED
        origins = [_validated_origin(origin, sources, validators) for origin in provenance]
    else:
        origins = [_origin(origin, sources, worker, assignment) for origin in provenance]
    if options.source_workers:
        whole = {
            "worker_id": worker,
            "assign_id": assignment,
            "source_worker_ids": [source.worker for source in sources],
        }
        origins = [{**whole, **origin} for origin in origins]
    judged = None
    if options.judgments:
        merged = loads(row[9]) if row[9] else _NO_CONTENT
        judged = Judged(_judgments(sources), worker, merged, _judgments(validators))
    return ExportRow(*sentence, target, content, origins, judged, origin=whole)


def _origin(origin: Json, sources: list[_Source], worker: str, assignment: str) -> Json:
    position = origin.get("source")
    row = {
        "worker_id": worker,
        "assign_id": assignment,
        "source_assign_id": "" if position is None else sources[position].assignment,
    }
    return row | {"arm": origin["arm"]} if "arm" in origin else row


def _validated_origin(origin: Json, sources: list[_Source], validators: list[_Source]) -> Json:
    """Return the origin of a validated unit.

    The ids are the generator's, because nobody merged it. The scheme's other facts are kept, with
    the ids of validators in place of their positions.
    """
    source = sources[origin["source"]]
    facts = {name: value for name, value in origin.items() if name not in ("source", "state")}
    return {
        "worker_id": source.worker,
        "assign_id": source.assignment,
        "source_assign_id": source.assignment,
        "validators": len(validators),
        **_with_ids(facts, validators),
    }


def _with_ids(facts: Json, validators: list[_Source]) -> Json:
    """Replace positions in lists named `validators` by the ids of the validators."""
    return {
        name: [validators[position].worker for position in value]
        if name == "validators"
        else _ids_inside(value, validators)
        for name, value in facts.items()
    }


def _ids_inside(value: Any, validators: list[_Source]) -> Any:
    if isinstance(value, dict):
        return _with_ids(value, validators)
    if isinstance(value, list):
        return [_ids_inside(entry, validators) for entry in value]
    return value


def _imported_origin(origin: Json, options: ExportFields) -> Json:
    """Return the origin of an imported unit with the ids of its file."""
    imported = {**origin, "worker_id": origin.get("worker_id", "")}
    return imported if options.raw_worker_ids else _with_pseudonyms(imported)


def _with_pseudonyms(origin: Json) -> Json:
    """Replace the ids of workers, also those of the rows that were joined."""
    changed = dict(origin)
    if origin.get("worker_id"):
        changed["worker_id"] = foreign_pseudonym(origin["worker_id"])
    if "source_worker_ids" in origin:
        changed["source_worker_ids"] = [
            foreign_pseudonym(id_) for id_ in origin["source_worker_ids"]
        ]
    if "rows" in origin:
        changed["rows"] = [_with_pseudonyms(row) for row in origin["rows"]]
    return changed


def _judgments(sources: list[_Source]) -> list[tuple[str, Json]]:
    return [(source.worker, loads(source.content)) for source in sources]
