"""A sentence's gold with its versions, its annotations and their outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from django.db.models import Exists, OuterRef, Prefetch

from annotation.domain.corpus.item_context import context_of
from annotation.models import Item, Sentence, Submission
from consolidation.enums import GoldSource
from consolidation.models import Case, CaseSource, Gold
from crowd.domain.workers.pseudonyms import foreign_pseudonym
from projects.domain.schemes import scheme_of
from schemes.contract.judging import JudgedUnit
from schemes.contract.scheme import Scheme


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a unit of gold.

    `letter` identifies its annotation, if any. `state` is the change since then, or empty if unknown.
    """

    letter: str = ""
    pseudonym: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A generation that the gold is based on, with the letter that its consolidator saw.

    `outcomes` has its judged units by position, and is empty without a consolidation.
    """

    letter: str
    submission: Submission
    outcomes: Mapping[int, JudgedUnit] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Version:
    """A version of gold with an origin for each of its units."""

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
    gold = (
        Gold.objects.select_related("submission__worker", "submission__author", "corrects__expert")
        .prefetch_related("reviews__expert")
        .order_by("-version")
    )
    sources = CaseSource.objects.select_related("submission__worker").order_by("position")
    # The newest first. Earlier ones were replaced by new annotations.
    cases = Case.objects.filter(attempt=0).order_by("-pk")
    cases = cases.prefetch_related(Prefetch("sources", queryset=sources))
    items = (
        Item.objects.filter(Exists(Gold.objects.filter(item=OuterRef("pk"))), sentence=sentence)
        .select_related("sentence__image")
        .prefetch_related(Prefetch("gold", queryset=gold), Prefetch("cases", queryset=cases))
        .order_by("pk")
    )
    scheme = scheme_of(sentence.project)
    for item in items:
        item.project = sentence.project
    in_order = sorted(items, key=lambda item: scheme.corpus.order(item.target))
    return [_item_gold(scheme, item) for item in in_order]


def _item_gold(scheme: Scheme, item: Item) -> ItemGold:
    by_case: dict[int | None, list[Submission]] = {
        case.pk: [source.submission for source in case.sources.all()] for case in item.cases.all()
    }
    generations = next(iter(by_case.values()), [])
    # Gold without a case was not made of the annotations that the page shows.
    by_case[None] = []
    versions = [
        Version(gold, tuple(_origin(origin, by_case[gold.case_id]) for origin in gold.provenance))
        for gold in item.gold.all()
        if gold.case_id in by_case
    ]
    newest = {version.gold.source: version for version in reversed(versions)}
    standing = tuple(newest[source] for source in GoldSource if source in newest)
    newest_case = next(iter(item.cases.all()), None)
    golds = (version.gold for version in versions)
    merged = next(
        (
            gold.submission
            for gold in golds
            if gold.submission and newest_case and gold.case_id == newest_case.pk
        ),
        None,
    )
    outcomes = _outcomes(scheme, item, generations, merged)
    return ItemGold(
        item=item,
        standing=standing,
        earlier=tuple(version for version in versions if version not in standing),
        annotations=tuple(
            Annotation(ascii_uppercase[at], generation, outcomes.get(at, {}))
            for at, generation in enumerate(generations)
        ),
        consolidation=merged,
    )


def _origin(origin: Mapping[str, object], generations: Sequence[Submission]) -> Origin:
    at, state = origin.get("source"), str(origin.get("state", ""))
    if isinstance(at, int) and 0 <= at < len(generations):
        return Origin(letter=ascii_uppercase[at], state=state)
    imported = origin.get("worker_id")
    if imported:
        return Origin(pseudonym=foreign_pseudonym(str(imported)), state=state)
    return Origin(state=state if generations or at is None else "")


def _outcomes(
    scheme: Scheme, item: Item, generations: Sequence[Submission], merged: Submission | None
) -> dict[int, dict[int, JudgedUnit]]:
    """Return the judged units of each generation, by positions of generation and unit."""
    outcomes: dict[int, dict[int, JudgedUnit]] = {}
    if merged is None or scheme.merging is None:
        return outcomes
    sources = [generation.content for generation in generations]
    for unit in scheme.merging.judged(merged.content, sources, context_of(item)):
        if unit.state:
            outcomes.setdefault(unit.source, {})[unit.unit] = unit
    return outcomes
