"""A sentence's gold with its versions, its annotations and their outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from django.db.models import Exists, OuterRef, Prefetch

from annotation.highlight import target_of
from annotation.models import Item, Sentence, Submission
from consolidation.enums import GoldSource
from consolidation.models import Case, CaseSource, Gold
from crowd.domain.pseudonyms import foreign_pseudonym
from schemes.base import Json


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a question in gold.

    `letter` identifies its annotation, if any. `state` is the change since then, or empty if unknown.
    """

    letter: str = ""
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
    in_order = sorted(items.order_by("pk"), key=lambda item: target_of(item.target) or 0)
    return [_item_gold(item) for item in in_order]


def _item_gold(item: Item) -> ItemGold:
    case = next(iter(item.cases.all()), None)
    generations = [source.submission for source in case.sources.all()] if case else []
    own = {None, case and case.pk}
    versions = [
        Version(gold, tuple(_origin(origin, generations) for origin in gold.provenance))
        for gold in item.gold.all()
        if gold.case_id in own
    ]
    newest = {version.gold.source: version for version in reversed(versions)}
    standing = tuple(newest[source] for source in GoldSource if source in newest)
    golds = (version.gold for version in versions)
    merged = next((gold.submission for gold in golds if gold.submission and gold.case_id), None)
    return ItemGold(
        item=item,
        standing=standing,
        earlier=tuple(version for version in versions if version not in standing),
        annotations=tuple(
            Annotation(ascii_uppercase[at], generation, _fates(at, generation, merged))
            for at, generation in enumerate(generations)
        ),
        consolidation=merged,
    )


def _origin(origin: Mapping[str, object], generations: Sequence[Submission]) -> Origin:
    at, state = origin.get("source"), str(origin.get("state", ""))
    if isinstance(at, int) and 0 <= at < len(generations):
        return Origin(letter=ascii_uppercase[at], state=state)
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
