"""A project's sequence of rounds: which items, held against which reference, for whom."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.domain.import_corpus import item_key
from annotation.enums import Role
from annotation.models import Item, Project
from audit.domain.change_state import log_state_change
from consolidation.enums import GoldSource
from consolidation.models import Gold
from crowd.domain.qualifications import system_requirements
from qualification.enums import RoundEntry, RoundKind
from qualification.models import Round, RoundItem
from schemes.base import ContentError, FileError, Json
from schemes.registry import get_scheme

ENGLISH_SPEAKING = ["US", "GB", "CA", "AU", "NZ", "IE"]
# References that workers are held against: an expert's before one that came with a dataset.
REFERENCE_SOURCES = (GoldSource.EXPERT, GoldSource.IMPORTED)
GIVEN_FORMAT = "qasrl-csv"
LEAST_GIVEN = 2


class RoundsRefused(Exception):
    """The rounds can't be set up like this; the message says what to do."""


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """One round to be. `keys` name its items in order, and `given`, in a round of consolidators, the
    annotations to merge by item key; see `qualification.models.Round`."""

    title: str
    role: str = Role.GENERATOR
    kind: str = RoundKind.TRAINING
    entry: str = RoundEntry.INVITED
    keys: Sequence[str] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    pool_roles: Sequence[str] = ()
    requirements: Sequence[Mapping[str, Any]] = ()
    given: Mapping[str, Sequence[Json]] = field(default_factory=dict)


# After Roit et al. 2020, section 3: a preliminary round open to the crowd (0), then two training
# rounds (1, 2), whose survivors generate and consolidate alike: the paper knows one pool, and asks of
# a consolidator only to have written none of the annotations (docs/adr/0004). A project that gives
# annotations to merge adds a round for consolidators (3), open to trained generators; the second
# pool then opens to those who pass it, and to nobody else.
# The paper names no thresholds: these are ours, and suggestions to the trainer.
PRESETS: Mapping[str, Mapping[int, RoundPlan]] = {
    "controlled-crowdsourcing-2020": {
        0: RoundPlan(
            title="Screening",
            kind=RoundKind.SCREENING,
            entry=RoundEntry.OPEN,
            thresholds={"UA.f1": 0.5},
            requirements=system_requirements(approval_rate=95, locales=ENGLISH_SPEAKING),
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
            pool_roles=(Role.GENERATOR, Role.CONSOLIDATOR, Role.VALIDATOR),
        ),
        3: RoundPlan(
            title="Consolidation training",
            role=Role.CONSOLIDATOR,
            entry=RoundEntry.PASSED,
            thresholds={"UA.f1": 0.75, "LA.f1": 0.55},
            pool_roles=(Role.CONSOLIDATOR,),
        ),
    }
}


def plans_of_preset(
    *,
    preset: str,
    keys: Mapping[int, Sequence[str]],
    given: Mapping[str, Sequence[Json]] | None = None,
) -> list[RoundPlan]:
    """The preset's rounds over the items given by round number; rounds without items are left out.
    The items of the consolidators' round are those that `given` has annotations of. Raises
    RoundsRefused."""
    known = PRESETS.get(preset)
    if known is None:
        raise RoundsRefused(f"There is no preset {preset!r}; known are: {', '.join(PRESETS)}.")
    if strange := sorted(set(keys) - set(known)):
        raise RoundsRefused(f"{preset} has no round {strange[0]}; it has {sorted(known)}.")
    for number in keys:
        if known[number].role == Role.CONSOLIDATOR:
            raise RoundsRefused(
                f"The items of round {number} are those of the file of annotations to merge: name "
                "none for it here."
            )
    plans = [replace(known[number], keys=keys[number]) for number in sorted(keys)]
    if given:
        plans += [
            replace(one, keys=list(given), given=given)
            for one in known.values()
            if one.role == Role.CONSOLIDATOR
        ]
    return plans


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


def read_given_annotations(project: Project, path: Path) -> dict[str, list[Json]]:
    """Item key -> what each annotator wrote, from a CSV file in the published format whose rows tell
    them apart (`source_assign_id`, else `assign_id`, else `worker_id`). Raises FileError."""
    scheme = get_scheme(project.scheme)
    records = scheme.read_gold(path, fmt=GIVEN_FORMAT, on_error=_refuse)
    try:
        found = {
            item_key(one.item.external_id, one.item.local_key): scheme.split_by_source(
                one.content, one.provenance
            )
            for one in records
        }
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path.name, None, f"can't be read: {error}") from error
    if not found:
        raise FileError(path.name, None, "holds no annotations.")
    return found


def _refuse(error: FileError) -> None:
    raise error


@transaction.atomic
def set_up_rounds(
    *, project: Project, plans: Sequence[RoundPlan], actor: str, now: datetime
) -> list[Round]:
    """Make the project's rounds and keep their items back from production.

    Raises RoundsRefused: for a second set-up of a role's rounds, an item twice, unknown, without a
    reference or offered to workers already, and where a consolidator would have nothing to merge;
    nothing is changed then.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    if not plans:
        raise RoundsRefused("No round was asked for: name items, or annotations to merge.")
    _check_once(plans)
    made = []
    for role in (Role.GENERATOR, Role.CONSOLIDATOR):
        own = [one for one in plans if one.role == role]
        if own and project.rounds.filter(role=role).exists():
            raise RoundsRefused(f"{project.slug} has its rounds for {role}s already.")
        made += [_set_up(project, ordinal, plan) for ordinal, plan in enumerate(own, start=1)]
    for one in made:
        log_state_change(instance=one, old="", new="set up", actor=actor, now=now)
    if project.rounds.filter(role=Role.CONSOLIDATOR).exists():
        _leave_consolidators_to_their_rounds(project, actor, now)
    return made


def _leave_consolidators_to_their_rounds(project: Project, actor: str, now: datetime) -> None:
    """With rounds of its own, the consolidators' pool is not opened by those for generators."""
    for one in project.rounds.filter(role=Role.GENERATOR):
        if Role.CONSOLIDATOR not in one.pool_roles:
            continue
        old = ", ".join(one.pool_roles)
        one.pool_roles = [role for role in one.pool_roles if role != Role.CONSOLIDATOR]
        one.save(update_fields=["pool_roles"])
        log_state_change(
            instance=one,
            old="set up",
            new="edited",
            actor=actor,
            now=now,
            reason=f"opens the pools {old} -> {', '.join(one.pool_roles)}: consolidators have rounds "
            "of their own",
        )


def _check_once(plans: Sequence[RoundPlan]) -> None:
    keys = [key for plan in plans for key in plan.keys]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise RoundsRefused(f"The item {twice[0]!r} stands in the rounds twice; keep one.")
    for plan in plans:
        if not plan.keys:
            raise RoundsRefused(f"The round {plan.title!r} has no items.")


def _set_up(project: Project, ordinal: int, plan: RoundPlan) -> Round:
    made = Round.objects.create(
        project=project,
        role=plan.role,
        ordinal=ordinal,
        kind=plan.kind,
        title=plan.title,
        entry=plan.entry,
        thresholds=dict(plan.thresholds),
        pool_roles=[str(one) for one in plan.pool_roles],
        requirements=[dict(one) for one in plan.requirements],
    )
    items = _items(project, plan)
    references = newest_references(items.values())
    for place, key in enumerate(plan.keys):
        item = items[key]
        if item.pk not in references:
            raise RoundsRefused(
                f"{key!r} has no expert reference: write one or import it with import_gold."
            )
        RoundItem.objects.create(
            round=made,
            item=item,
            reference=references[item.pk],
            ordinal=place,
            given=_given(item, plan),
        )
    Item.objects.filter(pk__in=[one.pk for one in items.values()]).update(in_production=False)
    return made


def _given(item: Item, plan: RoundPlan) -> list[Json]:
    """The annotations that a consolidator merges, as their scheme stores them."""
    if plan.role != Role.CONSOLIDATOR:
        return []
    scheme = get_scheme(item.project.scheme)
    annotations = plan.given.get(item.key, ())
    if len(annotations) < LEAST_GIVEN:
        raise RoundsRefused(
            f"{item.key!r} has the annotation of {len(annotations)} people: a consolidator merges "
            f"at least {LEAST_GIVEN}."
        )
    try:
        return [
            scheme.parse_generation(one, tokens=item.sentence.tokens, target=item.target)
            for one in annotations
        ]
    except ContentError as error:
        raise RoundsRefused(f"An annotation of {item.key!r} can't be used: {error}") from error


def _items(project: Project, plan: RoundPlan) -> dict[str, Item]:
    rows = project.items.filter(key__in=plan.keys).select_related("sentence", "project")
    items = {item.key: item for item in rows}
    if unknown := [key for key in plan.keys if key not in items]:
        raise RoundsRefused(f"{project.slug} has no item {unknown[0]!r}.")
    known = [one.pk for one in items.values()]
    if offered := Item.objects.filter(pk__in=known, task_items__isnull=False).first():
        raise RoundsRefused(
            f"{offered.key!r} has been offered to workers already: choose another item."
        )
    if taken := RoundItem.objects.filter(item__in=known).select_related("item", "round").first():
        raise RoundsRefused(
            f"{taken.item.key!r} stands in the round {taken.round.title!r} already: choose another."
        )
    return items


def newest_references(items: Any) -> dict[int, Gold]:
    """Item id -> the newest gold that a worker may be held against."""
    found: dict[int, Gold] = {}
    for source in reversed(REFERENCE_SOURCES):
        rows = Gold.objects.filter(item__in=list(items), source=source).order_by("version")
        found |= {gold.item_id: gold for gold in rows}
    return found
