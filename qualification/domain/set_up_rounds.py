"""Set up a project's rounds, with their items and references."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.domain.import_corpus import item_key
from annotation.domain.item_context import context_of, scheme_of
from annotation.domain.item_files import read_item_rows
from annotation.models import Item
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.enums import GoldSource
from consolidation.models import Gold
from crowd.domain.qualifications import system_requirements
from projects.enums import Role
from projects.models import Project
from qualification.enums import RoundEntry, RoundKind
from qualification.models import Round, RoundItem
from schemes.base import ContentError, FileError, Json, Scheme, refuse

ENGLISH_SPEAKING = ["US", "GB", "CA", "AU", "NZ", "IE"]
# Sources of references, preferring an expert's to a published dataset
REFERENCE_SOURCES = (GoldSource.EXPERT, GoldSource.IMPORTED)
TRAINED_ROLES = (Role.GENERATOR, Role.CONSOLIDATOR)
LEAST_GIVEN = 2


class RoundSetupError(TouchstoneError):
    """The rounds cannot be set up in this way. The message gives the remedy."""


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """A round to be created.

    `keys` are its items in order. `given` has the annotations that consolidators merge, by item key. See
    `qualification.models.Round` for the other fields.
    """

    title: str
    role: str = Role.GENERATOR
    kind: str = RoundKind.TRAINING
    entry: str = RoundEntry.INVITED
    keys: Sequence[str] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    pool_roles: Sequence[str] = ()
    requirements: Sequence[Mapping[str, Any]] = ()
    given: Mapping[str, Sequence[Json]] = field(default_factory=dict)


# After Roit et al. 2020, section 3: an open preliminary round (0) and two training rounds (1, 2).
# The paper has one pool, whose workers generate and consolidate. A consolidator must not have written
# any of the annotations (docs/adr/0004). With annotations to merge, trained generators can enter a
# round for consolidators (3), and only workers who pass it join the consolidators' pool.
# The scheme suggests the thresholds by round number.
PRESETS: Mapping[str, Mapping[int, RoundPlan]] = {
    "controlled-crowdsourcing-2020": {
        0: RoundPlan(
            title="Screening",
            kind=RoundKind.SCREENING,
            entry=RoundEntry.OPEN,
            requirements=system_requirements(approval_rate=95, locales=ENGLISH_SPEAKING),
        ),
        1: RoundPlan(title="Training 1", entry=RoundEntry.PASSED),
        2: RoundPlan(
            title="Training 2",
            entry=RoundEntry.PASSED,
            pool_roles=(Role.GENERATOR, Role.CONSOLIDATOR, Role.VALIDATOR),
        ),
        3: RoundPlan(
            title="Consolidation training",
            role=Role.CONSOLIDATOR,
            entry=RoundEntry.PASSED,
            pool_roles=(Role.CONSOLIDATOR,),
        ),
    }
}


def plans_of_preset(
    *,
    scheme: Scheme,
    preset: str,
    keys: Mapping[int, Sequence[str]],
    given: Mapping[str, Sequence[Json]] | None = None,
) -> list[RoundPlan]:
    """Return the preset's rounds over the items by round number, without rounds that have no items.

    The consolidators' round has the items of `given`. Raise RoundSetupError.
    """
    rounds = PRESETS.get(preset)
    if rounds is None:
        raise RoundSetupError(
            f"There is no preset {preset!r}. Choose one of: {', '.join(PRESETS)}."
        )
    suggested = scheme.comparison.round_thresholds
    known = {
        number: replace(plan, thresholds=suggested.get(number, {}))
        for number, plan in rounds.items()
    }
    if unknown := sorted(set(keys) - set(known)):
        raise RoundSetupError(
            f"{preset} has no round {unknown[0]}. Its rounds are {sorted(known)}."
        )
    for number in keys:
        if known[number].role == Role.CONSOLIDATOR:
            raise RoundSetupError(
                f"The items of round {number} come from the file of annotations to merge. Remove "
                "them from this file."
            )
    plans = [replace(known[number], keys=keys[number]) for number in sorted(keys)]
    if given:
        plans += [
            replace(plan, keys=list(given), given=given)
            for plan in known.values()
            if plan.role == Role.CONSOLIDATOR
        ]
    return plans


def read_round_items(scheme: Scheme, path: Path) -> dict[int, list[str]]:
    """Return item keys by round, from a CSV file with the column `round`. Raise FileError."""
    keys: dict[int, list[str]] = {}
    for line, key, row in read_item_rows(scheme, path):
        keys.setdefault(_round_number(row, path.name, line), []).append(key)
    if not keys:
        raise FileError(path.name, None, "contains no items.")
    return keys


def _round_number(row: Mapping[str, str], file: str, line: int) -> int:
    number = row.get("round", "")
    if not number:
        raise FileError(file, line, "is empty, or the file has no such column.", field="round")
    if not number.isdecimal():
        raise FileError(file, line, f"{number!r} is not a whole number.", field="round")
    return int(number)


def read_given_annotations(scheme: Scheme, path: Path) -> dict[str, list[Json]]:
    """Return each annotator's annotations by item key, from a file in the scheme's gold format.

    Raise FileError, and MissingPartError if the scheme has no simulation, which splits gold by annotator.
    """
    split = scheme.get_simulation().split
    annotations = {}
    try:
        for record in scheme.corpus.read_gold([path], scheme.corpus.gold_formats[0], refuse):
            key = item_key(record.item.external_id, record.item.local_key)
            annotations[key] = split(record.content, record.provenance)
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path.name, None, f"can't be read: {error}") from error
    if not annotations:
        raise FileError(path.name, None, "contains no annotations.")
    return annotations


@transaction.atomic
def set_up_rounds(
    *, project: Project, plans: Sequence[RoundPlan], actor: str, now: datetime
) -> list[Round]:
    """Create the project's rounds, and exclude their items from production.

    All rounds are created or none. Raise RoundSetupError if a role already has rounds, or consolidators
    have nothing to merge. Also raise it if an item is duplicate, unknown, already published or without
    a reference.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    if not plans:
        raise RoundSetupError(
            "There are no rounds to set up. Provide items, or annotations to merge."
        )
    _check_once(plans)
    made = []
    for role in TRAINED_ROLES:
        own = [plan for plan in plans if plan.role == role]
        if own and project.rounds.filter(role=role).exists():
            raise RoundSetupError(f"{project.slug} already has rounds for {role}s.")
        made += [_set_up(project, ordinal, plan) for ordinal, plan in enumerate(own, start=1)]
    for round in made:
        log_state_change(instance=round, old="", new="set up", actor=actor, now=now)
    if project.rounds.filter(role=Role.CONSOLIDATOR).exists():
        _leave_consolidators_to_their_rounds(project, actor, now)
    return made


def _leave_consolidators_to_their_rounds(project: Project, actor: str, now: datetime) -> None:
    """Stop generators' rounds from opening the consolidators' pool, which has its own rounds."""
    for round in project.rounds.filter(role=Role.GENERATOR):
        if Role.CONSOLIDATOR not in round.pool_roles:
            continue
        old = ", ".join(round.pool_roles)
        round.pool_roles = [role for role in round.pool_roles if role != Role.CONSOLIDATOR]
        round.save(update_fields=["pool_roles"])
        reason = (
            f"opens the pools {old} -> {', '.join(round.pool_roles)}, because consolidators have "
            "their own rounds"
        )
        log_state_change(
            instance=round, old="set up", new="edited", actor=actor, now=now, reason=reason
        )


def _check_once(plans: Sequence[RoundPlan]) -> None:
    keys = [key for plan in plans for key in plan.keys]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise RoundSetupError(f"The item {twice[0]!r} is in the rounds twice. Remove one of them.")
    for plan in plans:
        if not plan.keys:
            raise RoundSetupError(f"The round {plan.title!r} has no items.")


def _set_up(project: Project, ordinal: int, plan: RoundPlan) -> Round:
    made = Round.objects.create(
        project=project,
        role=plan.role,
        ordinal=ordinal,
        kind=plan.kind,
        title=plan.title,
        entry=plan.entry,
        thresholds=dict(plan.thresholds),
        pool_roles=[str(role) for role in plan.pool_roles],
        requirements=[dict(requirement) for requirement in plan.requirements],
    )
    items = _items(project, plan)
    references = newest_references(items.values())
    for attempt, key in enumerate(plan.keys):
        item = items[key]
        if item.pk not in references:
            raise RoundSetupError(
                f"{key!r} has no expert reference. Write one, or import it with import_gold."
            )
        RoundItem.objects.create(
            round=made,
            item=item,
            reference=references[item.pk],
            ordinal=attempt,
            given=_given(item, plan),
        )
    Item.objects.filter(pk__in=[item.pk for item in items.values()]).update(in_production=False)
    return made


def _given(item: Item, plan: RoundPlan) -> list[Json]:
    """Return the annotations that a consolidator merges, in the scheme's format."""
    if plan.role != Role.CONSOLIDATOR:
        return []
    annotations = plan.given.get(item.key, ())
    if len(annotations) < LEAST_GIVEN:
        raise RoundSetupError(
            f"{item.key!r} has annotations of {len(annotations)} people. A consolidator needs "
            f"at least {LEAST_GIVEN}."
        )
    context = replace(context_of(item), free_form=True)
    try:
        return [
            scheme_of(item).content.parse_generation(annotation, context)
            for annotation in annotations
        ]
    except ContentError as error:
        raise RoundSetupError(f"An annotation of {item.key!r} can't be used: {error}") from error


def _items(project: Project, plan: RoundPlan) -> dict[str, Item]:
    rows = project.items.filter(key__in=plan.keys).select_related("sentence__image", "project")
    items = {item.key: item for item in rows}
    if unknown := [key for key in plan.keys if key not in items]:
        raise RoundSetupError(f"{project.slug} has no item {unknown[0]!r}.")
    ids = [item.pk for item in items.values()]
    if offered := Item.objects.filter(pk__in=ids, task_items__isnull=False).first():
        raise RoundSetupError(
            f"{offered.key!r} has already been published to workers. Choose another item."
        )
    if taken := RoundItem.objects.filter(item__in=ids).select_related("item", "round").first():
        raise RoundSetupError(
            f"{taken.item.key!r} is already in the round {taken.round.title!r}. Choose another."
        )
    return items


def newest_references(items: Any) -> dict[int, Gold]:
    """Return the newest reference by item id."""
    references: dict[int, Gold] = {}
    for source in reversed(REFERENCE_SOURCES):
        rows = Gold.objects.filter(item__in=list(items), source=source).order_by("version")
        references |= {gold.item_id: gold for gold in rows}
    return references
