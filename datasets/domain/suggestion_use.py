"""How often workers picked a suggested unit instead of typing it, by the suggestion's rank."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Submission
from metrics.counts import ratio
from projects.enums import Role
from projects.models import Project
from schemes.base import StatisticsTable
from schemes.registry import get_scheme

CHUNK = 2000


@dataclass(frozen=True, slots=True)
class SuggestionUse:
    """Units of accepted annotations by how they were written. `picked` maps ranks, from 1, to units."""

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
    """Return the use of suggestions in annotations, or None if the scheme suggests nothing."""
    setting = get_scheme(project.scheme).pages.suggestions
    if setting is None:
        return None
    annotations = Submission.objects.accepted().filter(
        item__project=project,
        item__in_production=True,
        role__in=[Role.GENERATOR, Role.REVISER],
    )
    ranks: Counter[int | None] = Counter()
    for content in annotations.values_list("content", flat=True).iterator(chunk_size=CHUNK):
        ranks.update(setting.ranks(content))
    typed = ranks.pop(None, 0)
    picked = {rank: count for rank, count in sorted(ranks.items()) if rank is not None}
    return SuggestionUse(setting=str(project.suggestions), typed=typed, picked=picked)


def suggestion_json(use: SuggestionUse) -> dict[str, Any]:
    """Return the use as JSON of the manifest. Its keys are texts."""
    picked = {str(rank): count for rank, count in use.picked.items()}
    return {"setting": use.setting, "typed": use.typed, "picked_by_rank": picked}


def suggestion_table(project: Project) -> list[StatisticsTable]:
    """Return the use as a table with a row per rank, or nothing if no unit has a record."""
    use = suggestion_use(project=project)
    if use is None or not use.recorded:
        return []
    units = get_scheme(project.scheme).vocabulary.unit.plural.capitalize()
    counts = [("typed", use.typed)]
    counts += [(f"picked, suggestion {rank}", count) for rank, count in use.picked.items()]
    rows = [(how, count, f"{100 * count / use.recorded:.1f}") for how, count in counts]
    return [StatisticsTable(f"{units} typed or picked", ("How", units, "Share, %"), rows)]
