"""What each way to help annotators does to the annotations: the arms of batches, compared.

Items get their arms at random (see `annotation.domain.publishing.arms`), so differences between arms
are effects of the help, or chance. They are measured against blind experts: gold that experts wrote
without seeing the project's gold or a model's annotation.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.item_context import context_of
from annotation.domain.publishing.queries import cost_by_item
from annotation.enums import AS_SOURCE, ModelUse
from annotation.models import ItemArm, Submission
from consolidation.domain.cases.experiment import experiment_tasks
from consolidation.domain.cases.own_gold import current_own_gold
from consolidation.enums import GoldSource
from consolidation.models import Gold, SystemAnnotation
from metrics.counts import ratio
from metrics.intervals import Interval
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.items import ItemContext
from schemes.contract.scheme import Scheme
from schemes.contract.statistics import AnnotatedItem
from schemes.contract.values import Json
from schemes.figures import Figure

CHUNK = 500
REPETITIONS = 1000
# The recommendation rests on two differences, whose intervals therefore hold jointly (Bonferroni).
LEVEL = 0.975
# Below this number of items with blind expert gold in an arm, the report recommends nothing.
MIN_COMPARED = 20
KEPT_ERRORS, FOUND_OMISSIONS = "kept_errors", "found_omissions"
UNITS, SECONDS, CENTS = "units_per_item", "seconds_per_unit", "cents_per_unit"
ANNOTATIONS, GOLD = "annotations", "gold"
# States of a row in which the second annotation has the unit of the first.
KEPT = ("found", "extent-differs")
WRONG = ("extra", "label-differs")


@dataclass(frozen=True, slots=True)
class Effect:
    """A figure of an arm, and how much higher it is than that of the first arm.

    Intervals are over items. That of the difference has the level LEVEL, and the other 95 %. The first
    arm has no difference.
    """

    value: float | None
    interval: Interval | None = None
    difference: float | None = None
    difference_interval: Interval | None = None

    @property
    def sign(self) -> int:
        """Return 1 or -1 if the difference is clearly positive or negative, else 0."""
        bounds = self.difference_interval
        if bounds is None or bounds.low is None or bounds.high is None:
            return 0
        return int(bounds.low > 0) - int(bounds.high < 0)


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure to report: its key, label and unit ("%" for shares), and its value per arm."""

    key: str
    label: str
    unit: str
    effects: Sequence[Effect]


@dataclass(frozen=True, slots=True)
class Edits:
    """What became of the units of pre-annotations, and how many units annotators added."""

    accepted: int = 0
    edited: int = 0
    rejected: int = 0
    added: int = 0


@dataclass(frozen=True, slots=True)
class ArmSummary:
    """An arm with the numbers of its items, annotations, and items with blind expert gold."""

    name: str
    percent: int
    system: str
    use: str
    items: int
    annotations: int
    compared: int
    edits: Edits | None
    statistics: Mapping[str, int | float | None]


@dataclass(frozen=True, slots=True)
class AssistanceReport:
    """The arms of a project, the first of which the others are compared with.

    `measured` has the figures of ANNOTATIONS, which generators wrote, and of the project's own GOLD if
    there is any.
    """

    arms: Sequence[ArmSummary]
    measured: Mapping[str, Sequence[Measured]]
    statistics: Sequence[tuple[str, str]]
    recommendations: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        return {
            "arms": [asdict(arm) for arm in self.arms],
            "figures": {
                kind: {
                    row.key: {
                        arm.name: asdict(effect)
                        for arm, effect in zip(self.arms, row.effects, strict=True)
                    }
                    for row in rows
                }
                for kind, rows in self.measured.items()
            },
            "recommendations": list(self.recommendations),
        }


@dataclass(slots=True)
class _Work:
    """What was written about an item, with what it is compared with.

    `wrong` and `missed` are the keys of the system's errors and omissions by the expert.
    """

    item: Any
    context: ItemContext
    cents: int
    given: Json | None
    expert: Json | None = None
    gold: Json | None = None
    system: Json | None = None
    written: list[Submission] = field(default_factory=list)
    wrong: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Arm:
    name: str
    percent: int
    system: str
    use: str
    works: list[_Work]


# What an item contributes to a figure: a part and a whole, which are summed before they are divided.
_Parts = tuple[float, float]


def assistance_report(*, project: Project, limit: int | None = None) -> AssistanceReport | None:
    """Compare the project's arms, those of all batches together. Return None if it has none.

    With `limit`, use at most that many items from the start of the seeded shuffle.
    """
    scheme = scheme_of(project)
    arms = _arms(project, limit)
    if not arms:
        return None
    systems = {arm.system for arm in arms if arm.system}
    has_gold = any(work.gold is not None for arm in arms for work in arm.works)
    measured = {
        kind: _measured(scheme, arms, kind, project.seed, has_system=bool(systems))
        for kind in ([ANNOTATIONS, GOLD] if has_gold else [ANNOTATIONS])
    }
    summaries = [_summary(scheme, arm) for arm in arms]
    return AssistanceReport(
        arms=summaries,
        measured=measured,
        statistics=scheme.statistics.figures if scheme.statistics else (),
        recommendations=_recommendations(scheme, summaries, measured),
    )


def _arms(project: Project, limit: int | None) -> list[_Arm]:
    rows = ItemArm.objects.filter(item__project=project, item__in_production=True)
    related = rows.select_related("arm__batch", "item__sentence__image")
    ordered = list(related.order_by("item__position", "item_id")[:limit])
    costs = cost_by_item(
        project=project, without=experiment_tasks(project=project), role=Role.GENERATOR
    )
    arms: dict[tuple[str, str, str], _Arm] = {}
    for row in sorted(ordered, key=lambda row: (row.arm.ordinal, row.arm.batch_id)):
        key = row.arm.suggestions, row.arm.system, row.arm.use
        new = _Arm(row.arm.name, row.arm.percent, row.arm.system, row.arm.use, [])
        cost = costs.get(row.item_id)
        cents = cost.total_cents if cost else 0
        row.item.project = project
        arms.setdefault(key, new).works.append(
            _Work(row.item, context_of(row.item, project), cents, given=row.content)
        )
    # Models' errors are looked for in the arms without a model as well, where they occur by chance.
    default = next((arm.system for arm in arms.values() if arm.system), "")
    for arm in arms.values():
        for works in batched(arm.works, CHUNK):
            _load(project, works, arm.system or default)
    # The arms without a model first, because one of them is compared with the others.
    return sorted(arms.values(), key=lambda arm: bool(arm.system))


def _load(project: Project, works: Sequence[_Work], system: str) -> None:
    """Add annotations, gold, blind expert gold and the system's annotations to the items."""
    by_item = {work.item.pk: work for work in works}
    written = Submission.objects.usable().filter(item__in=by_item, role=Role.GENERATOR)
    for submission in written.exclude(
        assignment__hit__task__in=experiment_tasks(project=project).values("pk")
    ).order_by("pk"):
        if submission.is_readable:
            by_item[submission.item_id].written.append(submission)
    for item, content in (
        current_own_gold(project).filter(item__in=by_item).values_list("item", "content")
    ):
        by_item[item].gold = content
    for item, content in _blind(project, by_item):
        by_item[item].expert = content
    annotations = SystemAnnotation.objects.filter(item__in=by_item, system=system)
    for item, content in annotations.values_list("item", "content"):
        by_item[item].system = content
    scheme = scheme_of(project)
    for work in works:
        work.system = work.given if work.given is not None else work.system
        if work.expert is None or work.system is None:
            continue
        for row in scheme.comparison.compare(work.expert, work.system, work.context).rows:
            if row.state in WRONG and row.predicted:
                work.wrong.add(row.predicted.key)
            if row.state == "missed" and row.reference:
                work.missed.add(row.reference.key)


def _blind(project: Project, items: Iterable[int]) -> list[tuple[int, Json]]:
    """Return the newest expert gold of items whose author saw neither other gold nor annotations."""
    rows = Gold.objects.filter(
        item__in=list(items), source=GoldSource.EXPERT, corrects=None, merge=None
    )
    return list(rows.order_by("version").values_list("item", "content"))


def _contents(kind: str, work: _Work) -> list[Json]:
    if kind == GOLD:
        return [] if work.gold is None else [work.gold]
    return [submission.content for submission in work.written]


def _measured(
    scheme: Scheme, arms: Sequence[_Arm], kind: str, seed: int, *, has_system: bool
) -> list[Measured]:
    rows = [_of_figure(scheme, figure, arms, kind, seed) for figure in scheme.comparison.figures]
    if has_system:
        rows.append(_of_parts(arms, KEPT_ERRORS, "%", partial(_kept_errors, scheme, kind), seed))
        rows.append(
            _of_parts(arms, FOUND_OMISSIONS, "%", partial(_found_omissions, scheme, kind), seed)
        )
    rows.append(_of_parts(arms, UNITS, "", partial(_units, scheme, kind), seed))
    if kind == ANNOTATIONS:
        rows.append(_of_parts(arms, SECONDS, "s", partial(_seconds, scheme), seed))
        rows.append(_of_parts(arms, CENTS, "cents", partial(_cents, scheme), seed))
    return rows


LABELS = {
    KEPT_ERRORS: "Errors of the model",
    FOUND_OMISSIONS: "Found of what the model missed",
    UNITS: "Units per item",
    SECONDS: "Seconds per unit",
    CENTS: "Cents per unit",
}


def _of_figure(
    scheme: Scheme, figure: Figure, arms: Sequence[_Arm], kind: str, seed: int
) -> Measured:
    """Return a figure of the scheme per arm, over the items with blind expert gold."""
    groups = [
        [
            [
                scheme.comparison.measure(work.expert, content, work.item.target)[figure.key]
                for content in contents
            ]
            for work in arm.works
            if work.expert is not None and (contents := _contents(kind, work))
        ]
        for arm in arms
    ]

    def value(drawn: Sequence[Sequence[Json]]) -> float | None:
        return figure.value([measure for group in drawn for measure in group])

    return Measured(figure.key, figure.label, figure.unit, _effects(groups, value, seed))


def _of_parts(
    arms: Sequence[_Arm], key: str, unit: str, parts: Callable[[_Work], _Parts], seed: int
) -> Measured:
    """Return a ratio per arm. Items with an empty whole do not count."""
    groups = [[pair for work in arm.works if (pair := parts(work))[1]] for arm in arms]
    return Measured(key, LABELS[key], unit, _effects(groups, _sum_ratio, seed))


def _sum_ratio(pairs: Sequence[_Parts]) -> float | None:
    return ratio(sum(part for part, _ in pairs), sum(whole for _, whole in pairs))


def _effects(
    groups: Sequence[Sequence[Any]], figure: Callable[[Sequence[Any]], float | None], seed: int
) -> list[Effect]:
    from metrics.bootstrap import bootstrap_difference, bootstrap_items  # noqa: PLC0415 - loads numpy

    values = [figure(group) if group else None for group in groups]
    effects = []
    for at, (group, value) in enumerate(zip(groups, values, strict=True)):
        draws = {"repetitions": REPETITIONS, "seed": abs(seed)}
        interval = bootstrap_items(group, figure, **draws)
        first = values[0]
        if at == 0 or value is None or first is None:
            effects.append(Effect(value, interval))
            continue
        bounds = bootstrap_difference(groups[0], group, figure, level=LEVEL, **draws)
        effects.append(Effect(value, interval, value - first, bounds))
    return effects


def _kept_errors(scheme: Scheme, kind: str, work: _Work) -> _Parts:
    """Return how many errors of the model the annotations have, and how many they could have."""
    return _common(scheme, kind, work, work.wrong, work.system)


def _found_omissions(scheme: Scheme, kind: str, work: _Work) -> _Parts:
    """Return how much of what the model missed the annotations have, and how much they could have."""
    return _common(scheme, kind, work, work.missed, work.expert)


def _common(
    scheme: Scheme, kind: str, work: _Work, keys: set[str], reference: Json | None
) -> _Parts:
    """Return how many of these units of the reference the annotations have, and could have."""
    if reference is None or not keys:
        return 0, 0
    contents = _contents(kind, work)
    common = 0
    for content in contents:
        rows = scheme.comparison.compare(reference, content, work.context).rows
        common += len(
            keys & {row.reference.key for row in rows if row.state in KEPT and row.reference}
        )
    return common, len(keys) * len(contents)


def _units(scheme: Scheme, kind: str, work: _Work) -> _Parts:
    contents = _contents(kind, work)
    count = scheme.content.count_units
    return sum(count(content, Role.GENERATOR) for content in contents), len(contents)


def _seconds(scheme: Scheme, work: _Work) -> _Parts:
    return sum(row.active_seconds for row in work.written), _units(scheme, ANNOTATIONS, work)[0]


def _cents(scheme: Scheme, work: _Work) -> _Parts:
    return work.cents, _units(scheme, ANNOTATIONS, work)[0]


def _summary(scheme: Scheme, arm: _Arm) -> ArmSummary:
    states = Counter(
        EDITS.get(row.state, "edited")
        for work in arm.works
        if work.given and arm.use == ModelUse.PREANNOTATION
        for submission in work.written
        for row in scheme.comparison.compare(work.given, submission.content, work.context).rows
    )
    written = (
        AnnotatedItem(work.item.key, work.context, submission.content)
        for work in arm.works
        for submission in work.written
    )
    return ArmSummary(
        name=arm.name,
        percent=arm.percent,
        system=arm.system,
        use=arm.use,
        items=len(arm.works),
        annotations=sum(len(work.written) for work in arm.works),
        compared=sum(work.expert is not None and bool(work.written) for work in arm.works),
        edits=Edits(**states) if states else None,
        statistics=scheme.statistics.count(written) if scheme.statistics else {},
    )


EDITS = {
    "found": "accepted",
    "extent-differs": "edited",
    "label-differs": "edited",
    "missed": "rejected",
    "extra": "added",
    "redundant": "added",
}


def _recommendations(
    scheme: Scheme, arms: Sequence[ArmSummary], measured: Mapping[str, Sequence[Measured]]
) -> list[str]:
    sentences = []
    for at, arm in enumerate(arms[1:], start=1):
        kind = GOLD if arm.use in AS_SOURCE else ANNOTATIONS
        says = "there is no gold yet, which this help is about."
        if rows := measured.get(kind):
            says = _recommendation(scheme, arms[0], arm, at, rows)
        sentences.append(f"{arm.name[:1].upper()}{arm.name[1:]}: {says}")
    return sentences


def _recommendation(
    scheme: Scheme, first: ArmSummary, arm: ArmSummary, at: int, rows: Sequence[Measured]
) -> str:
    """Say in plain words what the help does, compared with the first arm."""
    fewest = min(first.compared, arm.compared)
    if fewest < MIN_COMPARED:
        return (
            f"too few items with blind expert gold ({fewest}, at least {MIN_COMPARED} per arm) to "
            "tell. Have experts annotate more items of each arm."
        )
    by_key = {row.key: row.effects[at] for row in rows}
    baseline = {row.key: row.effects[0] for row in rows}
    main = scheme.comparison.figures[0]
    agreement, kept = by_key[main.key], by_key.get(KEPT_ERRORS, Effect(None))
    better = agreement.sign * (1 if main.higher_is_better else -1)
    if kept.sign > 0:
        return (
            f"{_percent(kept.value)} of the model's errors are in the work, against "
            f"{_percent(baseline[KEPT_ERRORS].value)} without this help. It biases people towards the "
            "model. Don't use it for test data."
        )
    if better < 0:
        return f"agreement with experts is clearly lower ({main.label}). Don't use it."
    if better > 0:
        return f"agreement with experts is clearly higher ({main.label}), and no bias was found."
    seconds = by_key.get(SECONDS, Effect(None))
    if seconds.sign < 0:
        return "annotators are clearly faster, and no effect on agreement with experts was found."
    return "no effect on agreement with experts was found, and annotators aren't clearly faster."


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"
