"""A sentence's gold with its versions, its annotations and their outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Prefetch

from annotation.models import Item, Sentence, Submission
from consolidation.enums import GoldSource
from consolidation.models import Case, CaseSource, Gold, Review
from crowd.domain.pseudonyms import foreign_pseudonym
from crowd.models import Worker
from schemes.base import Json


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a question in gold.

    `letter` and `worker` identify its annotation, if any. `state` is the change since then, or
    empty if unknown.
    """

    letter: str = ""
    worker: Worker | None = None
    pseudonym: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class SourceOutcome:
    """The outcome of an annotator's question.

    `into` is the question that replaces it, if that is another.
    """

    state: str
    into: str = ""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A generation that the gold is based on, with the letter that its consolidator saw.

    `fates` has an outcome for each of its questions, and is empty without a consolidation.
    """

    letter: str
    submission: Submission
    fates: tuple[SourceOutcome | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """A version of gold with an origin for each of its questions."""

    gold: Gold
    origins: tuple[Origin, ...]
    review: Review | None
    corrects: Review | None


@dataclass(frozen=True, slots=True)
class ItemGold:
    """An item's current gold, its earlier versions, and the annotations behind them."""

    item: Item
    standing: tuple[Version, ...]
    earlier: tuple[Version, ...]
    annotations: tuple[Annotation, ...]
    consolidation: Submission | None


def gold_of_sentence(*, sentence: Sentence) -> list[ItemGold]:
    """Return the sentence's items that have gold, in sentence order.

    Second consolidations, which measure agreement, are excluded.
    """
    gold = Gold.objects.select_related(
        "submission__worker", "submission__author", "review__expert", "corrects__expert"
    ).order_by("-version")
    sources = CaseSource.objects.select_related("submission__worker").order_by("position")
    cases = Case.objects.filter(attempt=0).prefetch_related(Prefetch("sources", queryset=sources))
    items = (
        Item.objects.filter(Exists(Gold.objects.filter(item=OuterRef("pk"))), sentence=sentence)
        .select_related("sentence")
        .prefetch_related(Prefetch("gold", queryset=gold), Prefetch("cases", queryset=cases))
    )
    items_with_gold = [_item_gold(item) for item in items.order_by("pk")]
    return sorted(items_with_gold, key=lambda item: _place(item.item))


def _place(item: Item) -> int:
    at = item.target.get("verb_idx")
    return at if isinstance(at, int) else 0


def _item_gold(item: Item) -> ItemGold:
    case = next(iter(item.cases.all()), None)
    generations = [version.submission for version in case.sources.all()] if case else []
    own = {case.pk} if case else set()
    rows = [
        version for version in item.gold.all() if version.case_id is None or version.case_id in own
    ]
    versions = [_version(version, generations) for version in rows]
    newest = {version.gold.source: version for version in reversed(versions)}
    standing = tuple(newest[source] for source in GoldSource if source in newest)
    merged = next(
        (version.submission for version in rows if version.submission and version.case_id), None
    )
    return ItemGold(
        item=item,
        standing=standing,
        earlier=tuple(version for version in versions if version not in standing),
        annotations=tuple(
            Annotation(chr(ord("A") + at), version, _fates(at, version, merged))
            for at, version in enumerate(generations)
        ),
        consolidation=merged,
    )


def _version(gold: Gold, generations: Sequence[Submission]) -> Version:
    return Version(
        gold=gold,
        origins=tuple(_origin(origin, generations) for origin in gold.provenance),
        review=getattr(gold, "review", None),
        corrects=getattr(gold, "corrects", None),
    )


def _origin(origin: Mapping[str, object], generations: Sequence[Submission]) -> Origin:
    at, state = origin.get("source"), str(origin.get("state", ""))
    if isinstance(at, int) and 0 <= at < len(generations):
        return Origin(chr(ord("A") + at), generations[at].worker, "", state)
    imported = origin.get("worker_id")
    return Origin(pseudonym=foreign_pseudonym(str(imported)) if imported else "", state=state)


def _fates(
    at: int, generation: Submission, merged: Submission | None
) -> tuple[SourceOutcome | None, ...]:
    """Return the outcomes of a generation's questions, read from the consolidation."""
    if merged is None:
        return ()
    judged: list[Json] = merged.content.get("questions", [])
    own = {
        judgment["source"]["question"]: judgment
        for judgment in judged
        if judgment.get("source") and judgment["source"]["submission"] == at
    }
    questions = generation.content.get("questions", [])
    return tuple(
        _fate(question, own[number], judged) if number in own else None
        for number, question in enumerate(questions)
    )


def _fate(question: Json, judgment: Json, judged: Sequence[Json]) -> SourceOutcome:
    if judgment["verdict"] == "keep":
        same = all(question[name] == judgment[name] for name in ("question", "answers"))
        other = judgment["question"] if judgment["question"] != question["question"] else ""
        return SourceOutcome("kept" if same else "edited", other)
    like = judgment.get("same_as")
    into = judged[like]["question"] if isinstance(like, int) and like < len(judged) else ""
    return SourceOutcome(judgment["verdict"], into)
