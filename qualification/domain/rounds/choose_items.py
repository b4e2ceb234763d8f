"""Items that can be in a training round: found by a search, sampled, or those that teach most."""

import json
import random
from collections.abc import Sequence
from enum import StrEnum

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotation.models import Item, TaskItem
from consolidation.models import Gold
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from qualification.domain.rounds.set_up_rounds import REFERENCE_SOURCES
from qualification.models import Round, RoundItem

MAX_ITEMS = 100
FOUND = 50
MAX_SENTENCES = 200
# The number of items with expert gold among which those that teach most are chosen
MAX_RANKED = 500
POSITIONS = 2**63


class Method(StrEnum):
    """A way to choose items."""

    RANDOM = "random"
    RICH = "rich"
    SEARCH = "search"


def free_items(*, project: Project, round: Round | None = None) -> QuerySet[Item]:
    """Return the items that were never published and are in no round, except those of `round`."""
    published = TaskItem.objects.filter(item=OuterRef("pk"))
    in_a_round = RoundItem.objects.filter(item=OuterRef("pk"))
    free = project.items.filter(withdrawn_at=None).exclude(Exists(published))
    own = Q(pk__in=round.items.values("pk")) if round else Q(pk__in=[])
    unused = Q(~Exists(in_a_round), in_production=True)
    return free.filter(unused | own).select_related("sentence")


def with_gold(items: QuerySet[Item]) -> QuerySet[Item]:
    """Return those items that have expert gold."""
    gold = Gold.objects.filter(item=OuterRef("pk"), source__in=REFERENCE_SOURCES)
    return items.filter(Exists(gold))


def sample_items(items: QuerySet[Item], *, count: int, seed: int) -> list[Item]:
    """Return `count` random items. The same seed and items give the same sample.

    Positions are random, so consecutive ones from a random start are a random sample.
    """
    start = random.Random(seed).randrange(POSITIONS)  # noqa: S311 - sampling, not security
    sample = list(items.filter(position__gte=start).order_by("position", "pk")[:count])
    if len(sample) < count:
        rest = items.filter(position__lt=start).order_by("position", "pk")
        sample += rest[: count - len(sample)]
    return sample


def richest_items(items: QuerySet[Item], *, count: int, seed: int) -> list[Item]:
    """Return the items whose expert gold has the most units, so that they teach most.

    The items are chosen among MAX_RANKED random ones. Each sentence has at most one of them, as long
    as there are enough sentences.
    """
    candidates = sample_items(with_gold(items), count=MAX_RANKED, seed=seed)
    gold = Gold.objects.filter(
        item__in=[item.pk for item in candidates], source__in=REFERENCE_SOURCES
    ).order_by("version")
    if not candidates:
        return []
    count_units = scheme_of(candidates[0].project).content.count_units
    units = {row.item_id: count_units(row.content, Role.GENERATOR) for row in gold}
    ranked = sorted(candidates, key=lambda item: -units[item.pk])
    firsts: dict[int, Item] = {}
    for item in ranked:
        firsts.setdefault(item.sentence_id, item)
    others = [item for item in ranked if firsts[item.sentence_id] is not item]
    return [*firsts.values(), *others][:count]


def search_items(items: QuerySet[Item], *, project: Project, text: str) -> list[Item]:
    """Return the first items with this id, or whose sentence has this id or these words.

    Words match as they are typed, and with a capital letter at the beginning of a sentence.
    """
    text = " ".join(text.split())
    # The sentences alone, and without folding their case, are searched in a fraction of the time.
    sentences = project.sentences.annotate(words=Cast("tokens", TextField()))
    matching = Q()
    for words in (text, text[:1].upper() + text[1:]):
        matching |= Q(words__contains=_json(words)) | Q(text__contains=words)
    found = list(
        sentences.filter(matching).order_by("pk").values_list("pk", flat=True)[:MAX_SENTENCES]
    )
    found += project.sentences.filter(external_id=text).values_list("pk", flat=True)
    keys = list(project.items.filter(key=text).values_list("pk", flat=True))
    matches = Q(sentence__in=found) | Q(pk__in=keys)
    return list(items.filter(matches).order_by("pk")[:FOUND])


def _json(text: str) -> str:
    """Return words as they are within a list of tokens, which SQLite keeps as it was written."""
    if connection.vendor == "sqlite":
        text = json.dumps(text)[1:-1]
    return text.replace(" ", '", "')


def keys_with_gold(items: Sequence[Item]) -> set[int]:
    """Return the ids of those items that have expert gold."""
    gold = Gold.objects.filter(item__in=[item.pk for item in items], source__in=REFERENCE_SOURCES)
    return set(gold.values_list("item", flat=True))
