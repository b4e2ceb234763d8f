"""Arms: ways to help annotators, which the items of a batch get at random.

A share of the items gets each arm, so that a report can measure what the help does to the annotations.
The order in which items are drawn is random within their documents, and each arm has as many items of
the batch, and nearly as many of each document, as its share says.
"""

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, F, IntegerField, Value, When
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce

from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.corpus.value_list import value_list
from annotation.enums import AS_SOURCE, ModelUse, Partition, SubmissionState
from annotation.models import Arm, Batch, Item, ItemArm, Submission
from audit.errors import TouchstoneError
from projects.domain.schemes import scheme_of
from projects.enums import Protocol, Role, SuggestionChoice
from projects.models import Project
from schemes.contract.errors import ContentError
from schemes.contract.values import Json

MAX_ARMS = 8
SUGGESTIONS = "suggestions"
PROJECT = "project"  # the code of the arm that changes nothing


class ArmsError(TouchstoneError):
    """The arms don't fit each other, the project's scheme or its protocol."""


@dataclass(frozen=True, slots=True)
class ArmPlan:
    """An arm to create (see `annotation.models.Arm`)."""

    percent: int
    suggestions: str = ""
    system: str = ""
    use: str = ""

    @classmethod
    def of_code(cls, code: str, percent: int) -> "ArmPlan":
        """Return the arm of a code: PROJECT, "suggestions:off" or "pre-annotation:parser".

        The part before the colon is SUGGESTIONS or a value of ModelUse. Raise ArmsError.
        """
        kind, _, name = code.partition(":")
        if code == PROJECT:
            return cls(percent)
        if kind == SUGGESTIONS and name in SuggestionChoice.values:
            return cls(percent, suggestions=name)
        if kind in filter(None, ModelUse.values) and name:
            return cls(percent, system=name, use=kind)
        raise ArmsError(f"{code!r} is not an arm. Examples: project, suggestions:off, source:NAME.")

    def as_arm(self, **fields: Any) -> Arm:
        """Return the arm, unsaved."""
        return Arm(
            percent=self.percent,
            suggestions=self.suggestions,
            system=self.system,
            use=self.use,
            **fields,
        )


@dataclass(frozen=True, slots=True)
class ArmPreview:
    """An arm of the items that are next to be published.

    `covered` is how many of these items its system has annotated, or None without a system.
    """

    name: str
    percent: int
    covered: int | None


@dataclass(frozen=True, slots=True)
class ArmsPreview:
    """The arms of the `items` that are next, of which `test_items` get no arm."""

    arms: Sequence[ArmPreview]
    items: int
    test_items: int


def preview_arms(
    *, project: Project, plans: Sequence[ArmPlan], count: int, assists_test_items: bool
) -> ArmsPreview:
    """Return what the arms of the next `count` unpublished items would be."""
    rows = project.items.filter(in_production=True).exclude(task_items__role=Role.GENERATOR)
    items = list(rows.order_by("position").values_list("pk", "sentence__partition")[:count])
    tests = sum(partition == Partition.TEST for _, partition in items)
    pks = value_list([pk for pk, _ in items])
    covered = {
        system: Item.objects.filter(pk__in=pks, system_annotations__system=system).count()
        for system in {plan.system for plan in plans if plan.system}
    }
    return ArmsPreview(
        [ArmPreview(plan.as_arm().name, plan.percent, covered.get(plan.system)) for plan in plans],
        items=len(items),
        test_items=0 if assists_test_items else tests,
    )


def arm_choices(project: Project) -> list[tuple[str, str]]:
    """Return the codes of the arms that a batch of the project can have, with their labels."""
    codes = [PROJECT]
    if scheme_of(project).pages.suggestions is not None:
        codes += [f"{SUGGESTIONS}:{choice}" for choice in SuggestionChoice.values]
    is_merged = project.protocol == Protocol.CONSOLIDATION
    uses = [use for use in ModelUse if use and (is_merged or use not in AS_SOURCE)]
    codes += [f"{use}:{system}" for system in systems_of(project) for use in uses]
    return [(code, ArmPlan.of_code(code, 100).as_arm().name) for code in codes]


def check_arms(project: Project, plans: Sequence[ArmPlan]) -> None:
    """Raise ArmsError unless a batch of the project can have these arms. It may have none."""
    if not plans:
        return
    if len(plans) > MAX_ARMS:
        raise ArmsError(f"A batch can have at most {MAX_ARMS} arms.")
    if any(plan.percent < 1 for plan in plans) or sum(plan.percent for plan in plans) != 100:
        raise ArmsError("The shares of the arms must be at least 1 % each and add up to 100 %.")
    if len({(plan.suggestions, plan.system, plan.use) for plan in plans}) < len(plans):
        raise ArmsError("Two arms are the same.")
    for plan in plans:
        _check_arm(project, plan)


def _check_arm(project: Project, plan: ArmPlan) -> None:
    if plan.suggestions and scheme_of(project).pages.suggestions is None:
        raise ArmsError("The pages of this scheme have no suggestions.")
    if bool(plan.system) != bool(plan.use):
        raise ArmsError("A model or predictions need a use, and a use needs one of them.")
    if plan.use in AS_SOURCE and project.protocol != Protocol.CONSOLIDATION:
        raise ArmsError(
            "Only consolidation has sources. Under this protocol, choose pre-annotation."
        )
    if plan.use == ModelUse.ANNOTATOR and project.generators_per_item < 2:
        raise ArmsError("A model can't be the only annotator of an item.")
    if plan.use == ModelUse.ANNOTATOR and project.adaptive_percent is not None:
        raise ArmsError("With adaptive redundancy, a model can't be one of the annotators.")
    if plan.system and plan.system not in systems_of(project):
        raise ArmsError(
            f"There are no annotations by {plan.system}. Run the model on the items, or import its "
            "predictions."
        )


def systems_of(project: Project) -> dict[str, int]:
    """Return the names of models and imported predictions with the numbers of their annotations."""
    rows = project.items.filter(system_annotations__isnull=False).order_by()
    counts = rows.values_list("system_annotations__system").annotate(n=Count("pk"))
    return dict(sorted(counts))


def create_arms(*, batch: Batch, plans: Sequence[ArmPlan]) -> None:
    Arm.objects.bulk_create(
        plan.as_arm(batch=batch, ordinal=ordinal) for ordinal, plan in enumerate(plans)
    )


def assign_arms(*, batch: Batch, items: Sequence[Item], now: datetime) -> list[Item]:
    """Assign items that are about to be published to the batch's arms.

    Return those that a model annotates in place of a person. Items of the test partition get no arm
    unless the batch says so. An item keeps its arm even if the model has no annotation of it, because
    the arms would no longer be comparable.
    """
    arms = list(batch.arms.all())
    chosen = [item for item in items if batch.assists_test_items or not _is_for_tests(item)]
    if not arms or not chosen:
        return []
    contents = _contents(batch.project, arms, chosen)
    used = Counter(ItemArm.objects.filter(arm__in=arms).values_list("arm", flat=True))
    rows = [
        ItemArm(item=item, arm=arm, content=contents.get((item.pk, arm.system)), assigned_at=now)
        for item, arm in draw_arms(arms=arms, items=chosen, used=used, seed=batch.project.seed)
    ]
    ItemArm.objects.bulk_create(rows)
    _create_sources(batch.project, rows, now)
    return [
        row.item for row in rows if row.arm.use == ModelUse.ANNOTATOR and row.content is not None
    ]


def draw_arms(
    *, arms: Sequence[Arm], items: Sequence[Item], used: Mapping[int, int], seed: int
) -> list[tuple[Item, Arm]]:
    """Return the items with their arms. `used` has the earlier items of the batch per arm id.

    Items are shuffled within their documents. Each then gets the arm that is furthest behind its
    share, and arms that are equally far behind are drawn.
    """
    rng = random.Random(f"{seed}:{min(item.key for item in items)}")  # noqa: S311
    counts = {arm.pk: used.get(arm.pk, 0) for arm in arms}
    done = sum(counts.values())
    drawn = []
    for item in _by_document(items, rng):
        done += 1
        behind = {arm.pk: done * arm.percent - 100 * counts[arm.pk] for arm in arms}
        most = max(behind.values())
        arm = rng.choice([arm for arm in arms if behind[arm.pk] == most])
        counts[arm.pk] += 1
        drawn.append((item, arm))
    return drawn


def _by_document(items: Sequence[Item], rng: random.Random) -> list[Item]:
    """Return the items document by document, in random order. A sentence alone is a document."""
    documents: dict[tuple[str, int], list[Item]] = {}
    for item in items:
        group = item.sentence.group
        documents.setdefault((group, 0 if group else item.sentence_id), []).append(item)
    shuffled = list(documents.values())
    rng.shuffle(shuffled)
    for document in shuffled:
        rng.shuffle(document)
    return [item for document in shuffled for item in document]


def _is_for_tests(item: Item) -> bool:
    return item.sentence.partition == Partition.TEST


def _contents(
    project: Project, arms: Sequence[Arm], items: Sequence[Item]
) -> dict[tuple[int, str], Json]:
    """Return what the arms' systems annotated, by item id and system.

    Annotations that the scheme's current definition or lexicon refuses are left out.
    """
    systems = {arm.system for arm in arms if arm.system}
    by_id = {item.pk: item for item in items}
    rows = Item.objects.filter(pk__in=by_id, system_annotations__system__in=systems).values_list(
        "pk", "system_annotations__system", "system_annotations__content"
    )
    contents = {}
    for pk, system, content in rows:
        item = by_id[pk]
        item.project = project  # one instance, which caches its resources
        try:
            contents[pk, system] = parse_generation(item, content)
        except ContentError:
            continue
    return contents


def _create_sources(project: Project, rows: Collection[ItemArm], now: datetime) -> None:
    """Store the annotations that consolidators get as submissions of their models."""
    version = scheme_of(project).content.schema_version
    Submission.objects.bulk_create(
        Submission(
            item=row.item,
            role=Role.MODEL,
            system=row.arm.system,
            content=row.content,
            schema_version=version,
            state=SubmissionState.ACCEPTED,
            opened_at=now,
            submitted_at=now,
        )
        for row in rows
        if row.arm.use in AS_SOURCE and row.content is not None
    )


def generators_needed(path: str = "") -> CombinedExpression:
    """Return an expression for the number of people who annotate an item.

    `path` is the lookup prefix of the item. A model can take the place of one of them, and with adaptive
    redundancy it is the number so far.
    """
    arm = f"{path}item_arm__"
    model = When(**{f"{arm}arm__use": ModelUse.ANNOTATOR, f"{arm}content__isnull": False}, then=1)
    one = Case(model, default=Value(0), output_field=IntegerField())
    people = Coalesce(F(f"{path}redundancy__people"), F(f"{path}project__generators_per_item"))
    return people - one


def count_generators(item: Item) -> int:
    """Return the number of people who annotate the item."""
    needed = Item.objects.filter(pk=item.pk).values_list(generators_needed(), flat=True)
    return int(needed.get())
