"""Rehearse the qualification, with workers of varied skill, feedback and decisions."""

import random
import statistics
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth import get_user_model
from django.utils import timezone

from annotation.models import Draft
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import GrantState
from crowd.models import QualificationGrant
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.admit import pool_of
from qualification.domain.rounds.publish_round import invite_workers, publish_round
from qualification.domain.rounds.queries import rounds_of
from qualification.domain.rounds.set_up_rounds import (
    RoundSetupError,
    plans_of_preset,
    read_given_annotations,
    read_round_items,
    set_up_rounds,
)
from qualification.domain.scores.figures import figure_at, unmet_thresholds
from qualification.domain.training.decide import Verdict, decide
from qualification.domain.training.feedback import Notes, link_of, send_feedback, suggested_notes
from qualification.domain.training.funnel import funnel_of
from qualification.enums import EnrolmentState
from qualification.models import Cohort, Enrolment, Feedback, Round
from rehearsal.domain.browser import Browser
from rehearsal.domain.rehearse import money_of, unfinished_payments, work
from rehearsal.domain.review import accept_held_bonuses
from rehearsal.domain.scenario import Scenario, references_of
from rehearsal.domain.worker import RehearsalFailedError, SimulatedWorker
from rehearsal.domain.workers_setup import make_workers

PRESET = "controlled-crowdsourcing-2020"
ACTOR = "rehearsal"
AT_ONCE = 8
LOOK_SECONDS = 0.5
# Nobody is exact: at skill 1, consolidators accept everything.
WORST, BEST = 0.3, 0.99
TEXT = (
    "Thank you for finishing {title}. The notes below show where an expert annotated differently."
)


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Options of a training. `patience` is the allowed number of seconds without progress.

    The workers' skills are spread evenly from `min_skill` up.
    """

    workers: int = 30
    seed: int = 1
    patience: float = 180.0
    min_skill: float = WORST


class RoundDone(threading.Event):
    """An event that is set once the worker has submitted all items of a cohort."""

    def __init__(self, cohort: Cohort, worker_id: str, items: int) -> None:
        super().__init__()
        self._drafts = Draft.objects.filter(
            task__batch=cohort.batch_id, worker_ref=worker_id, submitted_at__isnull=False
        )
        self._items = items

    def is_set(self) -> bool:
        return super().is_set() or self._drafts.count() >= self._items


def prepare_rounds(project: Project, path: Path | None, annotations: Path | None = None) -> None:
    """Set up the project's rounds from the files, or from the scheme's sample, if there are none.

    `annotations` are merged by consolidators, and a file of rounds without them sets up no round for
    consolidators. Raise FileError or RoundSetupError.
    """
    scheme = scheme_of(project)
    if project.rounds.exists():
        return
    if path is None:
        if scheme.sample is None:
            raise RoundSetupError(f"Provide the items of the rounds. {scheme.title} has no sample.")
        path, annotations = scheme.sample.rounds, annotations or scheme.sample.given
    plans = plans_of_preset(
        scheme=scheme,
        preset=PRESET,
        keys=read_round_items(project, path),
        given=read_given_annotations(project, annotations) if annotations else None,
    )
    set_up_rounds(project=project, plans=plans, actor=ACTOR, now=timezone.now())


def rehearse_training(
    *,
    project: Project,
    site: str,
    options: TrainingOptions,
    log: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Take the workers through the rounds as far as the thresholds allow, and report."""
    started = time.monotonic()
    script = Scenario(project, references_of(project), None, options.seed)
    crew = _crew(site, script, options)
    rounds = list(rounds_of(project=project))
    _invite(rounds[0], crew)
    for current in rounds:
        if current.enrolments.exists():
            log(f"{current.title}: {_count(current, EnrolmentState.INVITED)} invited, working ...")
            _run_round(current, crew, site, options)
            passed = _count(current, EnrolmentState.PASSED)
            log(f"{current.title}: feedback sent and read, {passed} passed")
    _wait(lambda: _all_paid(project), options, "Payments were not confirmed")
    _wait(lambda: not _pending_grants(project), options, "Grants were not confirmed")
    return report(project, script) | {
        "workers": len(crew),
        "seconds": round(time.monotonic() - started, 1),
    }


def _count(round: Round, state: EnrolmentState) -> int:
    return round.enrolments.filter(state=state).count()


def _crew(site: str, script: Scenario, options: TrainingOptions) -> dict[str, SimulatedWorker]:
    """Return workers by their marketplace ids, with evenly spread skills in random order."""
    if options.workers < 2:
        raise RehearsalFailedError("Training needs at least two workers.")
    step = (BEST - options.min_skill) / (options.workers - 1)
    skills = [options.min_skill + step * attempt for attempt in range(options.workers)]
    random.Random(options.seed).shuffle(skills)  # noqa: S311
    crew = make_workers(site=site, script=script, count=options.workers)
    script.skills.update(zip(crew, skills, strict=True))
    return crew


def _invite(round: Round, worker_ids: Iterable[str]) -> None:
    now = timezone.now()
    workers = [
        register_worker(
            provider=round.project.provider, external_id=worker_id, is_simulated=True, now=now
        )
        for worker_id in worker_ids
    ]
    invite_workers(round=round, workers=workers, actor=ACTOR, now=now)


def _run_round(
    round: Round, crew: dict[str, SimulatedWorker], site: str, options: TrainingOptions
) -> None:
    """Publish the round, annotate, wait for figures, then send feedback and decide."""
    cohort = publish_round(round=round, actor=ACTOR, now=timezone.now())
    enrolments = list(cohort.enrolments.select_related("worker").order_by("pk"))
    items = round.round_items.count()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        futures = []
        for enrolment in enrolments:
            worker = crew[enrolment.worker.external_id]
            futures.append(threads.submit(work, worker, RoundDone(cohort, worker.worker_id, items)))
        for future in futures:
            future.result()
    waiting = cohort.enrolments.filter(evaluations=None)
    _wait(lambda: not waiting.exists(), options, "Figures were not computed")
    for enrolment in enrolments:
        _teach(Enrolment.objects.get(pk=enrolment.pk), site)


def _teach(enrolment: Enrolment, site: str) -> None:
    """Send feedback on the remarks, read it as the worker, and decide by the thresholds."""
    evaluation = enrolment.evaluations.latest("pk")
    notes = Notes(TEXT.format(title=enrolment.round.title), suggested_notes(evaluation))
    users = get_user_model().objects
    trainer = users.filter(username=ACTOR).first() or users.create_user(ACTOR)
    feedback = send_feedback(enrolment=enrolment, trainer=trainer, notes=notes, now=timezone.now())
    path = urlsplit(link_of(feedback)).path
    browser = Browser(site)
    page = browser.get(path)
    if TEXT.split(".", maxsplit=1)[0].partition("{")[0] not in page.text:
        raise RehearsalFailedError(f"The feedback {feedback.pk} is not shown to its worker.")
    browser.post(path, {"acknowledge": "1"})
    scheme = scheme_of(enrolment.round.project)
    unmet = unmet_thresholds(scheme, evaluation.figures, enrolment.round.thresholds)
    decide(
        enrolment=enrolment,
        verdict=Verdict.DECLINE if unmet else Verdict.PASS,
        reason=f"not met: {', '.join(unmet)}" if unmet else "meets every threshold",
        actor=ACTOR,
        now=timezone.now(),
    )


def _wait(condition: Callable[[], bool], options: TrainingOptions, problem: str) -> None:
    deadline = time.monotonic() + options.patience
    while not condition():
        if time.monotonic() > deadline:
            raise RehearsalFailedError(f"{problem} after {options.patience:.0f} s.")
        time.sleep(LOOK_SECONDS)


def _all_paid(project: Project) -> bool:
    """Accept held bonuses. Return True if every payment is confirmed."""
    accept_held_bonuses(project=project, now=timezone.now())
    return not unfinished_payments(project)


def _pending_grants(project: Project) -> bool:
    pools = [pool_of(project, role) for role in (Role.GENERATOR, Role.CONSOLIDATOR)]
    grants = QualificationGrant.objects.filter(qualification_type__in=pools)
    return grants.filter(state=GrantState.PENDING).exists()


def report(project: Project, script: Scenario) -> dict[str, Any]:
    """Return the selected workers, the funnel, amounts, and Pearson's r of skill and last score."""
    people = _people(project, script)
    scores = [person["score"] or 0.0 for person in people]
    held = {
        role: pool_of(project, role)
        .grants.filter(state=GrantState.HELD)
        .values_list("worker__pseudonym", flat=True)
        for role in (Role.GENERATOR, Role.CONSOLIDATOR)
    }
    sent = Feedback.objects.filter(evaluation__enrolment__round__project=project)
    return {
        "project": project.slug,
        "people": people,
        "selected": sorted(held[Role.GENERATOR]),
        "consolidators": sorted(held[Role.CONSOLIDATOR]),
        "correlation": statistics.correlation([person["skill"] for person in people], scores),
        "rounds": [asdict(stage) for stage in funnel_of(project=project)],
        "feedback_sent": sent.filter(sent_at__isnull=False).count(),
        "feedback_read": sent.filter(acknowledged_at__isnull=False).count(),
        **money_of(project),
    }


def _people(project: Project, script: Scenario) -> list[dict[str, Any]]:
    scheme = scheme_of(project)
    key = scheme.comparison.figures[0].key
    last: dict[str, Enrolment] = {}
    rows = Enrolment.objects.filter(
        round__project=project, round__role=Role.GENERATOR, evaluations__isnull=False
    )
    for enrolment in rows.select_related("worker", "round").order_by("round__ordinal").distinct():
        last[enrolment.worker.external_id] = enrolment
    return [
        {
            "worker": enrolment.worker.pseudonym,
            "skill": script.skills[worker_id],
            "round": enrolment.round.ordinal,
            "score": figure_at(scheme, enrolment.evaluations.latest("pk").figures, key),
            "state": enrolment.state,
        }
        for worker_id, enrolment in last.items()
    ]
