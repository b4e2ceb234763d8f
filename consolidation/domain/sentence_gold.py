"""All that is known of a sentence's gold: its versions, what annotators had said, what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Prefetch

from annotation.models import Item, Sentence, Submission
from consolidation.domain.export_rows import foreign_pseudonym
from consolidation.enums import GoldSource
from consolidation.models import Case, CaseSource, Gold, Review
from crowd.models import Worker
from schemes.base import Json


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a question of gold came from: the annotation's letter and worker, or None of both, and
    what was done to it (kept, edited, new; "" where nobody recorded it)."""

    letter: str = ""
    worker: Worker | None = None
    pseudonym: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of an annotator's question: kept, edited, redundant or invalid; with `into` the
    question that stands for it, where that is another."""

    state: str
    into: str = ""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A generation that went into the gold, by the letter that its consolidator saw. `fates` has one
    for each of its questions; empty where no consolidation tells."""

    letter: str
    submission: Submission
    fates: tuple[Fate | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """One version of gold with an origin for each of its questions."""

    gold: Gold
    origins: tuple[Origin, ...]
    review: Review | None
    corrects: Review | None


@dataclass(frozen=True, slots=True)
class ItemGold:
    """An item's standing gold (the newest of each source), earlier versions, and what it is made of."""

    item: Item
    standing: tuple[Version, ...]
    earlier: tuple[Version, ...]
    annotations: tuple[Annotation, ...]
    consolidation: Submission | None


def gold_of_sentence(*, sentence: Sentence) -> list[ItemGold]:
    """The sentence's items that have gold, in the order of the sentence. Second consolidations, made
    to measure agreement, are left out."""
    gold = Gold.objects.select_related(
        "submission__worker", "submission__author", "review__expert", "corrects__expert"
    ).order_by("-version")
    sources = CaseSource.objects.select_related("submission__worker").order_by("position")
    cases = Case.objects.filter(place=0).prefetch_related(Prefetch("sources", queryset=sources))
    items = (
        Item.objects.filter(Exists(Gold.objects.filter(item=OuterRef("pk"))), sentence=sentence)
        .select_related("sentence")
        .prefetch_related(Prefetch("gold", queryset=gold), Prefetch("cases", queryset=cases))
    )
    found = [_item_gold(one) for one in items.order_by("pk")]
    return sorted(found, key=lambda one: _place(one.item))


def _place(item: Item) -> int:
    at = item.target.get("verb_idx")
    return at if isinstance(at, int) else 0


def _item_gold(item: Item) -> ItemGold:
    case = next(iter(item.cases.all()), None)
    generations = [one.submission for one in case.sources.all()] if case else []
    own = {case.pk} if case else set()
    rows = [one for one in item.gold.all() if one.case_id is None or one.case_id in own]
    versions = [_version(one, generations) for one in rows]
    newest = {one.gold.source: one for one in reversed(versions)}
    standing = tuple(newest[source] for source in GoldSource if source in newest)
    merged = next((one.submission for one in rows if one.submission and one.case_id), None)
    return ItemGold(
        item=item,
        standing=standing,
        earlier=tuple(one for one in versions if one not in standing),
        annotations=tuple(
            Annotation(chr(ord("A") + at), one, _fates(at, one, merged))
            for at, one in enumerate(generations)
        ),
        consolidation=merged,
    )


def _version(gold: Gold, generations: Sequence[Submission]) -> Version:
    return Version(
        gold=gold,
        origins=tuple(_origin(one, generations) for one in gold.provenance),
        review=getattr(gold, "review", None),
        corrects=getattr(gold, "corrects", None),
    )


def _origin(told: Mapping[str, object], generations: Sequence[Submission]) -> Origin:
    at, state = told.get("source"), str(told.get("state", ""))
    if isinstance(at, int) and 0 <= at < len(generations):
        return Origin(chr(ord("A") + at), generations[at].worker, "", state)
    imported = told.get("worker_id")
    return Origin(pseudonym=foreign_pseudonym(str(imported)) if imported else "", state=state)


def _fates(at: int, generation: Submission, merged: Submission | None) -> tuple[Fate | None, ...]:
    """Read from the consolidation, which judges every question of every source."""
    if merged is None:
        return ()
    judged: list[Json] = merged.content.get("questions", [])
    own = {
        one["source"]["question"]: one
        for one in judged
        if one.get("source") and one["source"]["submission"] == at
    }
    questions = generation.content.get("questions", [])
    return tuple(
        _fate(question, own[number], judged) if number in own else None
        for number, question in enumerate(questions)
    )


def _fate(question: Json, word: Json, judged: Sequence[Json]) -> Fate:
    if word["verdict"] == "keep":
        same = all(question[name] == word[name] for name in ("question", "answers"))
        other = word["question"] if word["question"] != question["question"] else ""
        return Fate("kept" if same else "edited", other)
    like = word.get("same_as")
    into = judged[like]["question"] if isinstance(like, int) and like < len(judged) else ""
    return Fate(word["verdict"], into)
