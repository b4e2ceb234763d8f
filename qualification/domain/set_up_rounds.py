"""A project's sequence of rounds: which items, held against which reference, for whom."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.domain.import_corpus import item_key
from annotation.enums import Role
from annotation.models import Item, Project
from consolidation.enums import GoldSource
from consolidation.models import Gold
from qualification.enums import RoundEntry, RoundKind
from qualification.models import Round, RoundItem
from schemes.base import FileError

# System qualifications of MTurk: percentage of assignments approved, and the worker's country.
APPROVAL_RATE = {
    "system": "000000000000000000L0",
    "comparator": "GreaterThanOrEqualTo",
    "integers": [95],
}
ENGLISH_SPEAKING = {
    "system": "00000000000000000071",
    "comparator": "In",
    "locales": ["US", "GB", "CA", "AU", "NZ", "IE"],
}
# References that workers are held against: an expert's before one that came with a dataset.
REFERENCE_SOURCES = (GoldSource.EXPERT, GoldSource.IMPORTED)


class RoundsRefused(Exception):
    """The rounds can't be set up like this; the message says what to do."""


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """One round to be. `keys` name its items in order; see `qualification.models.Round`."""

    title: str
    kind: str = RoundKind.TRAINING
    entry: str = RoundEntry.INVITED
    keys: Sequence[str] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    pool_roles: Sequence[str] = ()
    requirements: Sequence[Mapping[str, Any]] = ()


# After Roit et al. 2020, section 3: a preliminary round open to the crowd (0), then two training
# rounds (1, 2). The paper names no thresholds: these are ours, and suggestions to the trainer.
PRESETS: Mapping[str, Mapping[int, RoundPlan]] = {
    "controlled-crowdsourcing-2020": {
        0: RoundPlan(
            title="Screening",
            kind=RoundKind.SCREENING,
            entry=RoundEntry.OPEN,
            thresholds={"UA.f1": 0.5},
            requirements=(APPROVAL_RATE, ENGLISH_SPEAKING),
        ),
        1: RoundPlan(
            title="Training 1",
            entry=RoundEntry.PASSED,
            thresholds={"UA.f1": 0.6, "LA.f1": 0.4},
        ),
        2: RoundPlan(
            title="Training 2",
            entry=RoundEntry.PASSED,
            thresholds={"UA.f1": 0.7, "LA.f1": 0.5, "questions_per_item": 2},
            pool_roles=(Role.GENERATOR, Role.CONSOLIDATOR),
        ),
    }
}


def plans_of_preset(*, preset: str, keys: Mapping[int, Sequence[str]]) -> list[RoundPlan]:
    """The preset's rounds over the items given by round number; rounds without items are left out.
    Raises RoundsRefused."""
    known = PRESETS.get(preset)
    if known is None:
        raise RoundsRefused(f"There is no preset {preset!r}; known are: {', '.join(PRESETS)}.")
    if strange := sorted(set(keys) - set(known)):
        raise RoundsRefused(f"{preset} has no round {strange[0]}; it has {sorted(known)}.")
    return [replace(known[number], keys=keys[number]) for number in sorted(keys)]


def read_round_items(path: Path) -> dict[int, list[str]]:
    """Round number -> item keys, from a CSV file with the columns qasrl_id, verb_idx and round.
    Raises FileError."""
    found: dict[int, list[str]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            for line, row in enumerate(rows, start=2):
                number = _round_number(row, path.name, line)
                found.setdefault(number, []).append(item_key(row["qasrl_id"], row["verb_idx"]))
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path.name, None, f"can't be read: {error}") from error
    if not found:
        raise FileError(path.name, None, "names no items.")
    return found


def _round_number(row: Mapping[str, str | None], file: str, line: int) -> int:
    for column in ("qasrl_id", "verb_idx", "round"):
        if not row.get(column):
            raise FileError(file, line, "is empty, or the file has no such column.", field=column)
    number = row["round"] or ""
    if not number.isdecimal():
        raise FileError(file, line, f"{number!r} is no whole number.", field="round")
    return int(number)


@transaction.atomic
def set_up_rounds(
    *, project: Project, plans: Sequence[RoundPlan], role: str = Role.GENERATOR
) -> list[Round]:
    """Make the project's rounds and keep their items back from production.

    Raises RoundsRefused: for a second set-up, an item twice, unknown, without a reference or offered
    to workers already; nothing is changed then.
    """
    if role != Role.GENERATOR:
        raise RoundsRefused("Rounds train generators; consolidators are chosen among them.")
    Project.objects.select_for_update().get(pk=project.pk)
    if project.rounds.filter(role=role).exists():
        raise RoundsRefused(f"{project.slug} has its rounds already.")
    _check_once(plans)
    return [_set_up(project, role, ordinal, plan) for ordinal, plan in enumerate(plans, start=1)]


def _check_once(plans: Sequence[RoundPlan]) -> None:
    keys = [key for plan in plans for key in plan.keys]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise RoundsRefused(f"The item {twice[0]!r} stands in the rounds twice; keep one.")
    for plan in plans:
        if not plan.keys:
            raise RoundsRefused(f"The round {plan.title!r} has no items.")


def _set_up(project: Project, role: str, ordinal: int, plan: RoundPlan) -> Round:
    made = Round.objects.create(
        project=project,
        role=role,
        ordinal=ordinal,
        kind=plan.kind,
        title=plan.title,
        entry=plan.entry,
        thresholds=dict(plan.thresholds),
        pool_roles=[str(one) for one in plan.pool_roles],
        requirements=[dict(one) for one in plan.requirements],
    )
    items = _items(project, plan, role)
    references = newest_references(items.values())
    for place, key in enumerate(plan.keys):
        item = items[key]
        if item.pk not in references:
            raise RoundsRefused(
                f"{key!r} has no expert reference: write one or import it with import_gold."
            )
        RoundItem.objects.create(
            round=made, item=item, reference=references[item.pk], ordinal=place
        )
    Item.objects.filter(pk__in=[one.pk for one in items.values()]).update(in_production=False)
    return made


def _items(project: Project, plan: RoundPlan, role: str) -> dict[str, Item]:
    items = {item.key: item for item in project.items.filter(key__in=plan.keys)}
    if unknown := [key for key in plan.keys if key not in items]:
        raise RoundsRefused(f"{project.slug} has no item {unknown[0]!r}.")
    offered = Item.objects.filter(
        pk__in=[one.pk for one in items.values()], task_items__role=role
    ).first()
    if offered:
        raise RoundsRefused(
            f"{offered.key!r} has been offered to workers already: choose another item."
        )
    return items


def newest_references(items: Any) -> dict[int, Gold]:
    """Item id -> the newest gold that a worker may be held against."""
    found: dict[int, Gold] = {}
    for source in reversed(REFERENCE_SOURCES):
        rows = Gold.objects.filter(item__in=list(items), source=source).order_by("version")
        found |= {gold.item_id: gold for gold in rows}
    return found
