"""How often workers picked a suggested unit instead of typing it, by the suggestion's rank."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast
from orjson import loads

from annotation.models import Item
from consolidation.domain.cases.experiment import annotations_for_gold
from consolidation.enums import MergeState
from consolidation.models import ExpertDraft, Merge
from metrics.counts import ratio
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.statistics import StatisticsTable
from schemes.contract.values import Json

CHUNK = 2000


@dataclass(frozen=True, slots=True)
class SuggestionUse:
    """Units that people wrote for gold by how they wrote them. `picked` maps ranks, from 1, to units."""

    setting: str
    typed: int
    picked: Mapping[int, int]

    @property
    def recorded(self) -> int:
        return self.typed + sum(self.picked.values())

    @property
    def share_picked(self) -> float | None:
        """The share in [0, 1], or None if no unit has a record."""
        return ratio(sum(self.picked.values()), self.recorded)


def suggestion_use(*, project: Project) -> SuggestionUse | None:
    """Return the use of suggestions by workers and experts, or None if the scheme suggests nothing."""
    setting = scheme_of(project).pages.suggestions
    if setting is None:
        return None
    ranks: Counter[int | None] = Counter()
    for content in _written(project):
        ranks.update(setting.ranks(content))
    typed = ranks.pop(None, 0)
    picked = {rank: count for rank, count in sorted(ranks.items()) if rank is not None}
    return SuggestionUse(setting=str(project.suggestions), typed=typed, picked=picked)


def _written(project: Project) -> Iterator[Json]:
    """Yield the contents in which people can have written units: annotations, merges, corrections."""
    items = Item.objects.filter(project=project, in_production=True)
    annotations = annotations_for_gold(project=project).exclude(role=Role.VALIDATOR)
    # Text, because Django's own decoding would take most of the time of a large export.
    contents = annotations.values_list(Cast("content", TextField()), flat=True)
    yield from map(loads, contents.iterator(chunk_size=CHUNK))
    merges = Merge.objects.filter(queued__item__in=items, state=MergeState.MERGED)
    for merged in merges.values_list("content", flat=True).iterator(chunk_size=CHUNK):
        if merged:
            yield merged
    corrections = ExpertDraft.objects.filter(
        review__gold__item__in=items, submitted_at__isnull=False
    )
    for page in corrections.values_list("content", flat=True).iterator(chunk_size=CHUNK):
        yield from page.values()


def suggestion_json(use: SuggestionUse) -> dict[str, Any]:
    """Return the use as JSON of the manifest. Its keys are texts."""
    picked = {str(rank): count for rank, count in use.picked.items()}
    return {"setting": use.setting, "typed": use.typed, "picked_by_rank": picked}


def read_suggestion_json(value: Mapping[str, Any]) -> SuggestionUse:
    """Return the use that `suggestion_json` has written."""
    picked = {int(rank): count for rank, count in value["picked_by_rank"].items()}
    return SuggestionUse(setting=value["setting"], typed=value["typed"], picked=picked)


def suggestion_table(project: Project) -> list[StatisticsTable]:
    """Return the use as a table with a row per rank, or nothing if no unit has a record."""
    use = suggestion_use(project=project)
    if use is None or not use.recorded:
        return []
    units = scheme_of(project).vocabulary.unit.plural.capitalize()
    counts = [("typed", use.typed)]
    counts += [(f"picked, suggestion {rank}", count) for rank, count in use.picked.items()]
    rows = [(how, count, f"{100 * count / use.recorded:.1f}") for how, count in counts]
    return [StatisticsTable(f"{units} typed or picked", ("How", units, "Share, %"), rows)]
