"""Set up a project's rounds, with their items and references."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.item_files import read_item_rows
from annotation.domain.corpus.source_files import AS_IT_IS, ReadOptions, open_gold
from annotation.models import Item
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.gold.fit_records import Fitting, repeated_items
from consolidation.enums import GoldSource
from consolidation.models import Gold
from crowd.domain.workers.qualifications import system_requirements
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.production_roles import (
    TRAINED_BY_GENERATING,
    admit_after_last_round,
    lead_to_next_round,
    production_roles,
)
from qualification.enums import RoundEntry, RoundKind
from qualification.models import Round, RoundItem
from schemes.contract.errors import ContentError, FileError, refuse
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

ENGLISH_SPEAKING = ["US", "GB", "CA", "AU", "NZ", "IE"]
# Sources of references, preferring an expert's to a published dataset
REFERENCE_SOURCES = (GoldSource.EXPERT, GoldSource.IMPORTED)
TRAINED_ROLES = (Role.GENERATOR, Role.CONSOLIDATOR)
MIN_GIVEN = 2
BATCH = 200


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
            pool_roles=TRAINED_BY_GENERATING,
        ),
        3: RoundPlan(
            title="Consolidation training",
            role=Role.CONSOLIDATOR,
            entry=RoundEntry.PASSED,
            pool_roles=(Role.CONSOLIDATOR,),
        ),
    }
}


def next_plan(*, project: Project, scheme: Scheme, is_screening: bool = False) -> RoundPlan:
    """Return the suggestion for the project's next round for generators.

    A training round admits workers to production. A screening leads to the next round.
    """
    preset = next(iter(PRESETS.values()))
    training = project.rounds.filter(role=Role.GENERATOR, kind=RoundKind.TRAINING).count()
    number = 0 if is_screening else min(training + 1, 2)
    thresholds = scheme.comparison.round_thresholds.get(number, {})
    plan = replace(preset[number], thresholds=thresholds)
    if is_screening:
        return plan
    is_first = not project.rounds.filter(role=Role.GENERATOR).exists()
    entry = RoundEntry.INVITED if is_first else RoundEntry.PASSED
    roles = production_roles(project=project, role=Role.GENERATOR)
    return replace(plan, title=f"Training {training + 1}", entry=entry, pool_roles=roles)


def consolidation_plan(*, project: Project, scheme: Scheme) -> RoundPlan:
    """Return the suggestion for the project's next round for consolidators."""
    number, preset = next(
        (number, plan)
        for number, plan in next(iter(PRESETS.values())).items()
        if plan.role == Role.CONSOLIDATOR
    )
    earlier = project.rounds.filter(role=Role.CONSOLIDATOR).count()
    title = f"{preset.title} {earlier + 1}" if earlier else preset.title
    entry = preset.entry if project.rounds.exists() else RoundEntry.INVITED
    thresholds = scheme.comparison.round_thresholds.get(number, {})
    return replace(preset, title=title, entry=entry, thresholds=thresholds)


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
    if plans and plans[-1].kind == RoundKind.TRAINING and not plans[-1].pool_roles:
        plans[-1] = replace(plans[-1], pool_roles=TRAINED_BY_GENERATING)
    if given:
        plans += [
            replace(plan, keys=list(given), given=given)
            for plan in known.values()
            if plan.role == Role.CONSOLIDATOR
        ]
    return plans


def read_round_items(
    project: Project, path: Path, *, options: ReadOptions = AS_IT_IS
) -> dict[int, list[str]]:
    """Return item keys by round, from a table with the column `round`. Raise FileError."""
    keys: dict[int, list[str]] = {}
    for line, key, row in read_item_rows(project, path, options=options):
        number = row.get("round", "")
        if not number:
            raise FileError(
                path.name, line, "is empty, or the file has no such column.", field="round"
            )
        if not number.isdecimal():
            raise FileError(path.name, line, f"{number!r} is not a whole number.", field="round")
        keys.setdefault(int(number), []).append(key)
    if not keys:
        raise FileError(path.name, None, "contains no items.")
    return keys


def read_given_annotations(
    project: Project, path: Path, *, options: ReadOptions = AS_IT_IS
) -> dict[str, list[Json]]:
    """Return each annotator's annotations by item key, from a file in the scheme's gold format.

    Raise FileError, also for annotations that contradict the project's items.
    """
    corpus = scheme_of(project).corpus
    fmt = corpus.gold_formats[0]
    gold = open_gold([path], corpus=corpus, fmt=fmt, options=options)
    annotations = {}
    try:
        with gold as files:
            repeated = repeated_items(corpus.read_gold(files.paths, fmt, refuse))
            fitting = Fitting(project, path.name, refuse, refuse, repeated=repeated)
            records = corpus.read_gold(files.paths, fmt, refuse)
            for fitted in fitting.fit_all(batched(records, BATCH)):
                record = fitted.record
                annotations[fitted.item.key] = corpus.split_gold(record.content, record.provenance)
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
    expert gold.
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
    _check_references(made)
    for round in made:
        log_state_change(instance=round, old="", new="set up", actor=actor, now=now)
    if project.rounds.filter(role=Role.CONSOLIDATOR).exists():
        _leave_consolidators_to_their_rounds(project, actor, now)
    return made


@transaction.atomic
def add_round(*, project: Project, plan: RoundPlan, actor: str, now: datetime) -> Round:
    """Add a round after the project's other rounds for the role, and exclude its items from production.

    If it admits to production, it follows the earlier rounds without passed workers. Its items may
    still lack expert gold. Raise RoundSetupError.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    _check_once([plan])
    last = project.rounds.filter(role=plan.role).aggregate(last=Max("ordinal"))["last"] or 0
    made = _set_up(project, last + 1, plan)
    log_state_change(instance=made, old="", new="set up", actor=actor, now=now)
    if made.pool_roles:
        lead_to_next_round(new=made, actor=actor, now=now)
    if made.role == Role.CONSOLIDATOR:
        _leave_consolidators_to_their_rounds(project, actor, now)
    return made


@transaction.atomic
def replace_items(
    *,
    round: Round,
    keys: Sequence[str],
    actor: str,
    now: datetime,
    given: Mapping[str, Sequence[Json]] | None = None,
) -> None:
    """Replace the items of an unpublished round. Consolidators merge the annotations of `given`.

    Raise RoundSetupError.
    """
    round = _unpublished(round)
    plan = RoundPlan(title=round.title, role=round.role, keys=keys, given=given or {})
    _check_once([plan])
    _release_items(round)
    _add_items(round, plan)
    reason = f"{len(keys)} items were chosen."
    log_state_change(
        instance=round, old="set up", new="edited", actor=actor, now=now, reason=reason
    )


@transaction.atomic
def remove_round(*, round: Round, actor: str, now: datetime) -> None:
    """Delete an unpublished round and its unanswered invitations. Its items return to production.

    If no other round admits to production, the last one does from now on. Raise RoundSetupError.
    """
    round = _unpublished(round)
    _release_items(round)
    for enrolment in round.enrolments.all():
        log_state_change(
            instance=enrolment, old=enrolment.state, new="deleted", actor=actor, now=now
        )
    round.enrolments.all().delete()
    log_state_change(
        instance=round, old="set up", new="deleted", actor=actor, now=now, reason=round.title
    )
    project, role, admitted = round.project, round.role, bool(round.pool_roles)
    round.delete()
    if admitted:
        admit_after_last_round(project=project, role=role, actor=actor, now=now)


def _unpublished(round: Round) -> Round:
    """Lock and return the round. Raise RoundSetupError if it has been published."""
    row = Round.objects.select_for_update(of=("self",)).select_related("project").get(pk=round.pk)
    if row.cohorts.exists():
        raise RoundSetupError(
            f"{row.title} has been published to workers, so its items can't change any more."
        )
    return row


def _release_items(round: Round) -> None:
    items = Item.objects.filter(round_items__round=round, withdrawn_at=None)
    items.update(in_production=True)
    round.round_items.all().delete()


def _check_references(rounds: Sequence[Round]) -> None:
    rows = RoundItem.objects.filter(round__in=rounds, reference=None).select_related("item")
    if missing := rows.first():
        raise RoundSetupError(
            f"{missing.item.key!r} has no expert gold. Upload it, or have an expert annotate the item."
        )


def count_without_gold(*, round: Round) -> int:
    """Return how many items of the round need expert gold before it can be published."""
    rows = round.round_items.filter(reference=None)
    gold = Gold.objects.filter(item=OuterRef("item"), source__in=REFERENCE_SOURCES)
    return rows.exclude(Exists(gold)).count()


def complete_references(*, round: Round) -> int:
    """Use expert gold that was added after the set-up. Return how many items still have none."""
    open_items = list(round.round_items.filter(reference=None).select_related("item"))
    references = newest_references([row.item for row in open_items])
    done = [row for row in open_items if row.item_id in references]
    for row in done:
        row.reference = references[row.item_id]
    RoundItem.objects.bulk_update(done, ["reference"])
    return len(open_items) - len(done)


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
    _add_items(made, plan)
    return made


def _add_items(round: Round, plan: RoundPlan) -> None:
    items = _items(round.project, plan)
    references = newest_references(items.values())
    RoundItem.objects.bulk_create(
        RoundItem(
            round=round,
            item=items[key],
            reference=references.get(items[key].pk),
            ordinal=ordinal,
            given=_given(items[key], plan),
        )
        for ordinal, key in enumerate(plan.keys)
    )
    Item.objects.filter(pk__in=[item.pk for item in items.values()]).update(in_production=False)


def _given(item: Item, plan: RoundPlan) -> list[Json]:
    """Return the annotations that a consolidator merges, in the scheme's format."""
    if plan.role != Role.CONSOLIDATOR:
        return []
    annotations = plan.given.get(item.key, ())
    if len(annotations) < MIN_GIVEN:
        raise RoundSetupError(
            f"{item.key!r} has annotations of {len(annotations)} people. A consolidator needs "
            f"at least {MIN_GIVEN}."
        )
    context = replace(context_of(item), free_form=True)
    try:
        return [
            scheme_of(item.project).content.parse_generation(annotation, context)
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


def preceding_round(round: Round) -> Round | None:
    """Return the round before this one, or None for the first."""
    rounds = Round.objects.filter(project=round.project_id)
    earlier = rounds.filter(role=round.role, ordinal__lt=round.ordinal).order_by("-ordinal").first()
    if earlier or round.role != Role.CONSOLIDATOR:
        return earlier
    return rounds.filter(role=Role.GENERATOR).order_by("-ordinal").first()
