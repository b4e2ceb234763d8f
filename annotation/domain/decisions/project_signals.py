"""The signals of a project's newest work, by submission and worker, with how common they are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median

from django.db.models import QuerySet

from annotation.domain.decisions.signals import (
    ALIKE,
    SAME_RHYTHM,
    SIGNALS,
    Signal,
    SignalKind,
    input_signals,
    inputs_of,
    model_signal,
)
from annotation.enums import ModelUse
from annotation.models import Item, ItemArm, Submission
from metrics.counts import ratio
from metrics.input_signals import rhythm_distance
from metrics.likeness import Bag, alike_pairs, likeness, parts_of
from projects.domain.cached_figures import figures_of
from projects.enums import InputSignals, Role
from projects.models import Project
from schemes.contract.content import ReviewReason
from schemes.contract.texts import Translatable, joined

# The newest submissions of a project are looked at, and of each worker the newest rhythms compared.
NEWEST = 1_000
RHYTHMS = 20
# Two workers are compared if they share this number of items.
MIN_SHARED = 5
REASON = "signals"


@dataclass(frozen=True, slots=True)
class WorkerSignals:
    """A worker's signals.

    `shown` counts the submissions with each signal, by code, of `submissions` in all, of which `recorded`
    have a record of inputs. `own` are the signals of the worker's work as a whole.
    """

    submissions: int
    recorded: int
    shown: Mapping[str, int]
    own: Sequence[Signal] = ()

    @property
    def codes(self) -> set[str]:
        return {*self.shown, *(signal.code for signal in self.own)}


@dataclass(frozen=True, slots=True)
class BaseRate:
    """How common a signal is in a project: in submissions, and in workers with at least one."""

    code: str
    submissions: int
    of_submissions: int
    workers: int
    of_workers: int

    @property
    def of_all_submissions(self) -> float | None:
        return ratio(self.submissions, self.of_submissions)

    @property
    def of_all_workers(self) -> float | None:
        return ratio(self.workers, self.of_workers)


@dataclass(frozen=True, slots=True)
class ProjectSignals:
    """The signals of a project. `by_submission` has those with a signal.

    `model_likeness` is the median likeness of people's answers to the models' answers, or None.
    """

    by_submission: Mapping[int, Sequence[Signal]]
    by_worker: Mapping[int, WorkerSignals]
    rates: Mapping[str, BaseRate]
    model_likeness: float | None = None

    @property
    def recorded(self) -> int:
        """The number of submissions with a record of inputs."""
        return sum(row.recorded for row in self.by_worker.values())

    def evidence_of(self, submission: int) -> list[tuple[Signal, BaseRate]]:
        """Return the signals of a submission, by id, each with how common it is."""
        signals = self.by_submission.get(submission, ())
        return [(signal, self.rates[signal.code]) for signal in signals]

    def rows_of(self, worker: int) -> list["SignalRow"]:
        """Return a row per kind of signal for a worker, by id."""
        own = self.by_worker.get(worker, WorkerSignals(0, 0, {}))
        return [
            SignalRow(
                kind=kind,
                shown=own.shown.get(code, 0),
                submissions=own.submissions,
                evidence=[signal.evidence for signal in own.own if signal.code == code],
                rate=self.rates[code],
            )
            for code, kind in SIGNALS.items()
        ]


@dataclass(frozen=True, slots=True)
class SignalRow:
    """A kind of signal in a worker's submissions and work as a whole, beside everybody's."""

    kind: SignalKind
    shown: int
    submissions: int
    evidence: Sequence[str]
    rate: BaseRate

    @property
    def is_shown(self) -> bool:
        return bool(self.shown or self.evidence)


@dataclass(slots=True)
class _Work:
    """A submission with what signals are computed from."""

    submission: Submission
    signals: list[Signal] = field(default_factory=list)
    bag: Bag | None = None


def signals_of(project: Project) -> ProjectSignals | None:
    """Return the project's signals, a few seconds old, or None if it records none."""
    if project.input_signals == InputSignals.OFF:
        return None
    signals: ProjectSignals = figures_of(project_signals, project=project).value
    return signals


def project_signals(*, project: Project) -> ProjectSignals:
    """Return the signals of the newest work of people."""
    rows = _newest(project)
    works = [_Work(row) for row in rows]
    for work in works:
        if inputs := inputs_of(work.submission.inputs):
            work.signals += input_signals(inputs, active_seconds=work.submission.active_seconds)
    by_item = _answers_by_item(works)
    baseline = _add_model_signals(by_item, models_by_item(by_item))
    own = _own_signals(works, by_item)
    by_worker = _by_worker(works, own)
    return ProjectSignals(
        by_submission={work.submission.pk: work.signals for work in works if work.signals},
        by_worker=by_worker,
        rates=_rates(by_worker),
        model_likeness=baseline,
    )


def _newest(project: Project) -> list[Submission]:
    """Return the newest work of people, without work that started from a model's annotation."""
    people = Submission.objects.filter(item__project=project, worker__is_simulated=False)
    people = people.exclude(role=Role.GENERATOR, item__item_arm__arm__use=ModelUse.PREANNOTATION)
    names = ("worker_id", "item_id", "role", "active_seconds", "inputs", "content")
    return list(people.only(*names).order_by("-pk")[:NEWEST])


def _answers_by_item(works: Iterable[_Work]) -> dict[int, list[_Work]]:
    """Return the readable work of annotators by item, each with the parts of its answers."""
    by_item: dict[int, list[_Work]] = defaultdict(list)
    for work in works:
        if work.submission.role == Role.GENERATOR and work.submission.is_readable:
            work.bag = parts_of(work.submission.content)
            by_item[work.submission.item_id].append(work)
    return by_item


def models_by_item(items: Iterable[int]) -> dict[int, list[Bag]]:
    """Return the parts of the newest answers of each registered model, by item."""
    answered = Item.objects.filter(pk__in=list(items), model_answers__content__isnull=False)
    rows = answered.order_by("model_answers__pk").values_list(
        "pk", "model_answers__annotator", "model_answers__content"
    )
    newest = {(item, annotator): content for item, annotator, content in rows}
    by_item: dict[int, list[Bag]] = defaultdict(list)
    for (item, _), content in newest.items():
        by_item[item].append(parts_of(content))
    return by_item


def nearest_model(bag: Bag, models: Iterable[Bag]) -> float | None:
    """Return the likeness of an answer to the nearest answer of a model, or None without any."""
    values = [likeness(bag, model) for model in models]
    return max((value for value in values if value is not None), default=None)


def _add_model_signals(
    by_item: Mapping[int, Sequence[_Work]], models: Mapping[int, Sequence[Bag]]
) -> float | None:
    """Add the signals of answers near those of models. Return the median likeness of all answers."""
    near: dict[int, list[tuple[_Work, float]]] = {}
    for item, bags in models.items():
        values = [(work, nearest_model(work.bag or Bag(), bags)) for work in by_item.get(item, ())]
        near[item] = [(work, value) for work, value in values if value is not None]
    everyone = [value for rows in near.values() for _, value in rows]
    if not everyone:
        return None
    baseline = median(everyone)
    for rows in near.values():
        for work, own in rows:
            others = [
                value
                for other, value in rows
                if other.submission.worker_id != work.submission.worker_id
            ]
            work.signals += model_signal(own, _mean_or(others, baseline))
    return baseline


def _mean_or(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _own_signals(
    works: Iterable[_Work], by_item: Mapping[int, Sequence[_Work]]
) -> dict[int, list[Signal]]:
    """Return the signals of workers' work as a whole."""
    own: dict[int, list[Signal]] = defaultdict(list)
    rhythms: dict[int, list[Sequence[int]]] = defaultdict(list)
    for work in works:
        worker, inputs = work.submission.worker_id, inputs_of(work.submission.inputs)
        if inputs and worker and len(rhythms[worker]) < RHYTHMS:
            rhythms[worker].append(inputs.intervals)
    for worker, intervals in rhythms.items():
        distances = [rhythm_distance(one, other) for one, other in combinations(intervals, 2)]
        same = [value for value in distances if SAME_RHYTHM.is_shown(value)]
        if same:
            text = Translatable(
                "%(same)s of %(all)s pairs of submissions have the same rhythm.",
                same=len(same),
                all=len(distances),
            )
            own[worker].append(Signal(SAME_RHYTHM.code, text))
    answers = {
        item: {work.submission.worker_id or 0: work.bag or Bag() for work in rows}
        for item, rows in by_item.items()
        if len(rows) > 1
    }
    for pair in alike_pairs(answers, min_items=MIN_SHARED):
        if ALIKE.is_shown(pair.p_value):
            text = Translatable(
                "%(near)s of %(all)s common items are nearly identical to another worker’s.",
                near=pair.near,
                all=pair.items,
            )
            for worker in pair.people:
                own[worker].append(Signal(ALIKE.code, text))
    return own


def _by_worker(
    works: Iterable[_Work], own: Mapping[int, Sequence[Signal]]
) -> dict[int, WorkerSignals]:
    rows: dict[int, list[_Work]] = defaultdict(list)
    for work in works:
        rows[work.submission.worker_id or 0].append(work)
    signals = {}
    for worker, own_work in rows.items():
        shown: dict[str, int] = defaultdict(int)
        for work in own_work:
            for signal in work.signals:
                shown[signal.code] += 1
        signals[worker] = WorkerSignals(
            submissions=len(own_work),
            recorded=sum(1 for work in own_work if work.submission.inputs),
            shown=dict(shown),
            own=own.get(worker, ()),
        )
    return signals


def _rates(by_worker: Mapping[int, WorkerSignals]) -> dict[str, BaseRate]:
    workers = list(by_worker.values())
    return {
        code: BaseRate(
            code=code,
            submissions=sum(row.shown.get(code, 0) for row in workers),
            of_submissions=sum(row.submissions for row in workers),
            workers=sum(1 for row in workers if code in row.codes),
            of_workers=len(workers),
        )
        for code in SIGNALS
    }


def signal_reasons(submission: Submission) -> list[ReviewReason]:
    """Return the reason to hold the submission's bonus, if the project holds bonuses for signals.

    What the worker's earlier work shows as a whole counts too. The text is for the worker as well, so
    that it states facts.
    """
    project = submission.item.project
    if project.input_signals != InputSignals.HOLD or _is_simulated(submission):
        return []
    if _is_preannotated(submission):
        return []
    signals: list[Signal] = []
    if inputs := inputs_of(submission.inputs):
        signals += input_signals(inputs, active_seconds=submission.active_seconds)
    known: ProjectSignals = figures_of(project_signals, project=project).value
    signals += _model_signals_of(submission, known)
    earlier = known.by_worker.get(submission.worker_id or 0)
    signals += earlier.own if earlier else ()
    if not signals:
        return []
    return [ReviewReason(REASON, joined(signal.evidence for signal in signals))]


def _is_preannotated(submission: Submission) -> bool:
    rows = ItemArm.objects.filter(item=submission.item_id, arm__use=ModelUse.PREANNOTATION)
    return submission.role == Role.GENERATOR and rows.exists()


def _is_simulated(submission: Submission) -> bool:
    return submission.worker is not None and submission.worker.is_simulated


def _model_signals_of(submission: Submission, known: ProjectSignals) -> list[Signal]:
    """Compare the answer and those of others with the models' answers to the item."""
    if submission.role != Role.GENERATOR:
        return []
    models = models_by_item([submission.item_id]).get(submission.item_id)
    own = nearest_model(parts_of(submission.content), models) if models else None
    if not models or own is None:
        return []
    others = [nearest_model(parts_of(content), models) for content in _others(submission)]
    values = [value for value in others if value is not None]
    if not values and known.model_likeness is None:
        return []
    return model_signal(own, _mean_or(values, known.model_likeness or 0.0))


def _others(submission: Submission) -> "QuerySet[Submission, dict[str, object]]":
    people = Submission.objects.usable().filter(
        item=submission.item_id, role=submission.role, worker__is_simulated=False
    )
    return people.exclude(worker=submission.worker_id).values_list("content", flat=True)
