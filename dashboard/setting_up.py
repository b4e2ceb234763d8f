"""The path of a project, from its corpus to an export, as steps that pages show in this order.

Nothing costs money up to the rehearsal. Training comes after guidelines and pay, because trainees read
the guidelines and are paid.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from django.urls import reverse

from annotation.domain.publishing.queries import CorpusSize, ItemCounts, corpus_size, count_items
from consolidation.domain.cases.queries import count_expert_items, count_made
from consolidation.protocols import PROTOCOLS
from crowd.domain.money.pay_scheme import check_pay_scheme
from dashboard.protocol import Progress
from datasets.domain.exports.queue_export import exports_of
from jobs.domain.queries import jobs_of
from jobs.enums import JobState
from projects.domain.cached_figures import figures_of
from projects.domain.resources import current_versions
from projects.domain.schemes import scheme_of
from projects.enums import SettledStep
from projects.models import Project
from qualification.domain.training.training_status import TrainingStatus, Waiting, training_status
from rehearsal.domain.dry_run import REHEARSAL
from schemes.contract.values import Noun

_SENTENCES, _ITEMS = Noun("sentence", "sentences"), Noun("item", "items")
_WORKERS, _PEOPLE = Noun("worker", "workers"), Noun("person", "people")
_TRAINING_PAGES = frozenset(
    f"qualification:{page}" for page in ("rounds", "round", "new_round", "publish", "pool", "edit")
)


class StepState(StrEnum):
    """A step is open if a member can do it now, and waiting if it needs the work of others."""

    DONE = "done"
    SKIPPED = "skipped"
    OPEN = "open"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """A step of the path.

    `route` is the view name of the page where the step is done, and `key` the object of that page.
    `pages` are the other pages of the step. `action` is what the user does there, and `summary` the
    step's state in a few words. `settle` is the label of the button that settles the step without
    doing more, and `settled` the `SettledStep` that it stores. An optional step `is_passed` if the
    user went on with the next one.
    """

    route: str
    title: str
    action: str
    state: StepState
    summary: str
    key: int | None = None
    pages: frozenset[str] = frozenset()
    settled: SettledStep | None = None
    settle: str = ""
    is_passed: bool = False

    @property
    def is_left(self) -> bool:
        return self.state in (StepState.OPEN, StepState.WAITING) and not self.is_passed

    def url(self, project: Project) -> str:
        keys = [] if self.key is None else [self.key]
        return reverse(self.route, args=[project.slug, *keys])

    def is_on(self, page: str) -> bool:
        """Return True if the page with this view name belongs to the step."""
        return page == self.route or page in self.pages


@dataclass(frozen=True, slots=True)
class Path:
    """The steps in order. `is_set_up` is True once items are published, and earlier steps are over."""

    steps: list[PathStep]
    is_set_up: bool

    @property
    def next(self) -> PathStep:
        """The first step that is left, or else the last, which is the export."""
        return next((step for step in self.steps if step.is_left), self.steps[-1])


def path_of(project: Project, progress: Progress | None = None) -> Path:
    """Return the path of the project, whose `progress` saves queries."""
    if project.batches.filter(for_training=False).exists():
        counts = progress or figures_of(_count_campaign, project=project).value
        steps = [_training_step(project, is_over=True), *_campaign_steps(project, counts)]
        return Path(steps, is_set_up=True)
    steps = [
        *_resource_steps(project),
        _corpus_step(project),
        _gold_step(project),
        _guidelines_step(project),
        _pay_step(project),
        _rehearsal_step(project),
        _training_step(project),
        *_later_steps(project),
    ]
    return Path(steps, is_set_up=False)


@dataclass(frozen=True, slots=True)
class PathOnPage(Path):
    """The path as a page shows it to a user who may open the pages `may`.

    `here` is the step of the page, if it belongs to one. `leads_here` is True if the next step is done
    on this page.
    """

    here: PathStep | None
    may: frozenset[str]
    leads_here: bool

    @property
    def shows_next(self) -> bool:
        """True if the page links to another page with the next step."""
        return self.next.route in self.may and not self.leads_here

    @property
    def may_settle(self) -> bool:
        return self._may_decide and self.here is not None and self.here.is_left

    @property
    def may_reopen(self) -> bool:
        here = self.here
        return self._may_decide and here is not None and here.state == StepState.SKIPPED

    @property
    def _may_decide(self) -> bool:
        here = self.here
        is_open = here is not None and here.settled is not None and not self.is_set_up
        return is_open and "dashboard:settle_step" in self.may


def path_on_page(
    project: Project,
    *,
    page: str,
    address: str,
    may: frozenset[str],
    progress: Progress | None = None,
) -> PathOnPage:
    """Return the path for the page with this view name and address."""
    path = path_of(project, progress)
    return PathOnPage(
        steps=path.steps,
        is_set_up=path.is_set_up,
        here=next((step for step in path.steps if step.is_on(page)), None),
        may=may,
        leads_here=path.next.url(project) == address,
    )


def _has_items(size: CorpusSize) -> bool:
    return bool(size.items or size.training_items)


def _state(project: Project, step: SettledStep, *, is_done: bool) -> StepState:
    if is_done:
        return StepState.DONE
    return StepState.SKIPPED if step in project.settled_steps else StepState.OPEN


def _resource_steps(project: Project) -> Iterator[PathStep]:
    """Yield a step for the resources, if the scheme has any."""
    resources = scheme_of(project).resources
    if not resources:
        return
    imported = {row.name: row.version for row in current_versions(project)}
    title = next(iter(resources.values())).label if len(resources) == 1 else "Resources"
    is_done = imported.keys() >= resources.keys()
    is_written = any(resource.written for resource in resources.values())
    yield PathStep(
        route="consolidation:resources",
        pages=frozenset({"consolidation:resource"}),
        title=title,
        action=f"{'Write' if is_written else 'Import'} the {title.lower()}",
        state=StepState.DONE if is_done else StepState.OPEN,
        summary=", ".join(f"version {version}" for version in imported.values()) or "Required",
    )


def _corpus_step(project: Project) -> PathStep:
    size: CorpusSize = figures_of(corpus_size, project=project, keep=_has_items).value
    counts = f"{_SENTENCES.count(size.sentences)}, {_ITEMS.count(size.items)}"
    if size.training_items:
        counts += f", {size.training_items:,} for training"
    return PathStep(
        route="annotation:corpus",
        title="Corpus",
        action="Upload a corpus",
        state=StepState.DONE if _has_items(size) else StepState.OPEN,
        summary=counts if size.sentences else "Required",
    )


def _gold_step(project: Project) -> PathStep:
    count: int = figures_of(count_expert_items, project=project, keep=bool).value
    state = _state(project, SettledStep.EXPERT_GOLD, is_done=bool(count))
    return PathStep(
        route="consolidation:gold_import",
        title="Expert gold",
        action="Add expert gold",
        state=state,
        summary=_ITEMS.count(count) if count else "Training and scores need it",
        settled=SettledStep.EXPERT_GOLD,
        settle="Work without expert gold",
    )


def _guidelines_step(project: Project) -> PathStep:
    version = max(project.guidelines.values_list("version", flat=True), default=0)
    is_done = version > 1 or SettledStep.GUIDELINES in project.settled_steps
    return PathStep(
        route="projects:guidelines",
        title="Guidelines",
        action="Check the guidelines",
        state=StepState.DONE if is_done else StepState.OPEN,
        summary=f"Version {version}" if version > 1 else "Default text",
        settled=SettledStep.GUIDELINES,
        settle="Keep these guidelines",
    )


def _pay_step(project: Project) -> PathStep:
    vocabulary = scheme_of(project).vocabulary
    presets = vocabulary.pay_presets
    preset = next(
        (name for name in presets if check_pay_scheme(name, presets) == project.pay_scheme), None
    )
    is_done = not preset or SettledStep.PAY in project.settled_steps
    return PathStep(
        route="annotation:pay",
        title="Pay",
        action="Check the pay",
        state=StepState.DONE if is_done else StepState.OPEN,
        summary=vocabulary.pay_title(preset) if preset else "Custom terms",
        settled=SettledStep.PAY,
        settle="Keep this pay",
    )


def _rehearsal_step(project: Project) -> PathStep:
    finished = jobs_of(scope=project.slug, kind=REHEARSAL, state=JobState.FINISHED).count()
    state = _state(project, SettledStep.REHEARSAL, is_done=bool(finished))
    return PathStep(
        route="rehearsal:dry_run",
        title="Rehearsal",
        action="Rehearse with simulated workers",
        state=state,
        summary=f"{finished} finished" if finished else "Optional",
        is_passed=project.rounds.exists(),
        settled=SettledStep.REHEARSAL,
        settle="Skip the rehearsal",
    )


def _training_step(project: Project, *, is_over: bool = False) -> PathStep:
    """Return the step that selects the pool. Its action is what the training waits for.

    If it `is_over` because items are published, only decisions about trainees are left.
    """
    status = training_status(project=project)
    state = _state(project, SettledStep.TRAINING, is_done=status.is_complete)
    if is_over and state != StepState.DONE:
        is_decision = status.waiting in (Waiting.DECISIONS, Waiting.ADMISSION)
        state = StepState.OPEN if is_decision else StepState.SKIPPED
    elif state == StepState.OPEN and status.waiting is Waiting.WORKERS:
        state = StepState.WAITING
    route, key, action = _training_task(status)
    return PathStep(
        route=route,
        key=key,
        pages=_TRAINING_PAGES,
        title="Training",
        action=action,
        state=state,
        summary=_training_summary(status),
        settled=SettledStep.TRAINING,
        settle=f"Continue with {_WORKERS.count(status.pool)}"
        if status.pool
        else "Work without training",
    )


def _training_task(status: TrainingStatus) -> tuple[str, int | None, str]:
    """Return the page of the next task of the training, with its key, and the task's name."""
    row, workers = status.round, _WORKERS.count(status.workers)
    if row is None:
        return "qualification:rounds", None, "Set up a training round"
    tasks = {
        Waiting.INVITATIONS: ("publish", f"Invite workers to {row.title}"),
        Waiting.PUBLICATION: ("publish", f"Publish {row.title} for {workers}"),
        Waiting.WORKERS: ("round", f"Follow {row.title}"),
        Waiting.DECISIONS: ("round", f"Decide on {workers} of {row.title}"),
        Waiting.ADMISSION: ("round", f"Admit {workers} to the pool"),
    }
    page, action = tasks[status.waiting]
    return f"qualification:{page}", row.pk, action


def _training_summary(status: TrainingStatus) -> str:
    if status.is_complete or (status.pool and status.waiting is Waiting.INVITATIONS):
        lacking = status.pool < status.needed
        return f"{status.pool} in the pool" + (f", {status.needed} needed" if lacking else "")
    if status.waiting is Waiting.WORKERS:
        return (
            f"Waiting for {_WORKERS.count(status.workers)}" if status.workers else "Open to workers"
        )
    if status.waiting is Waiting.ROUND:
        return f"Selects {_PEOPLE.count(status.needed)} or more"
    return f"Next: {status.waiting.value}"


@dataclass(frozen=True, slots=True)
class _Campaign:
    """The part of a project's progress that its path needs."""

    items: ItemCounts
    made: int
    exports: int

    def finished(self) -> int:
        return self.made


def _count_campaign(*, project: Project) -> _Campaign:
    return _Campaign(
        items=count_items(project=project),
        made=count_made(project=project),
        exports=exports_of(project).filter(state=JobState.FINISHED).count(),
    )


def _campaign_steps(project: Project, counts: _Campaign | Progress) -> list[PathStep]:
    """Return the steps from publishing to the export of a project whose first items are published."""
    left, total, finished = counts.items.unpublished, counts.items.items, counts.finished()
    publishing, merging, export = _later_steps(project)
    is_finished = 0 < total <= finished
    return [
        replace(
            publishing,
            action=f"Publish {'the last item' if left == 1 else f'{left:,} more items'}",
            state=StepState.OPEN if left else StepState.DONE,
            summary=f"{_ITEMS.count(left)} left" if left else "All published",
        ),
        replace(
            merging,
            state=StepState.DONE if is_finished else StepState.WAITING,
            summary=f"{finished:,} of {_ITEMS.count(total)} finished",
        ),
        replace(
            export,
            state=StepState.DONE if is_finished and counts.exports else StepState.OPEN,
            summary=f"{counts.exports:,} finished" if counts.exports else export.summary,
        ),
    ]


def _later_steps(project: Project) -> list[PathStep]:
    """Return the steps from publishing to the export, before anything is published."""
    return [
        PathStep(
            route="annotation:publish",
            pages=frozenset({"consolidation:batches", "consolidation:batch"}),
            title="Publish",
            action="Publish the first batch",
            state=StepState.OPEN,
            summary="Not published yet",
        ),
        PathStep(
            route="consolidation:batches",
            title=PROTOCOLS[project.protocol].name.capitalize(),
            action="Follow the batches",
            state=StepState.WAITING,
            summary="By workers",
        ),
        PathStep(
            route="datasets:exports",
            pages=frozenset({"datasets:gold"}),
            title="Export",
            action="Export the dataset",
            state=StepState.WAITING,
            summary="Gold with its data card",
        ),
    ]
