"""The qualification rehearsed: workers of varied skill annotate, get feedback, are selected."""

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

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone

from annotation.enums import Role
from annotation.models import Draft, Project
from crowd.domain.register_worker import register_worker
from crowd.enums import GrantState
from crowd.models import QualificationGrant
from qualification.domain.decide import Verdict, decide, pool_of
from qualification.domain.feedback import Notes, link_of, send_feedback, suggested_notes
from qualification.domain.figures import below_thresholds, figure_at
from qualification.domain.funnel import funnel_of
from qualification.domain.publish_round import invite_workers, publish_round
from qualification.domain.queries import rounds_of
from qualification.domain.set_up_rounds import (
    plans_of_preset,
    read_given_annotations,
    read_round_items,
    set_up_rounds,
)
from qualification.enums import EnrolmentState
from qualification.models import Enrolment, Feedback, Intake, Round
from rehearsal.domain.browser import Browser
from rehearsal.domain.crew import make_accounts, sign_in_all
from rehearsal.domain.rehearse import money_of, unfinished_payments
from rehearsal.domain.script import Script, references_of
from rehearsal.domain.worker import RehearsalFailed, SimulatedWorker

PRESET = "controlled-crowdsourcing-2020"
SAMPLE = Path(settings.BASE_DIR) / "annotation" / "samples" / "rounds.csv"
SAMPLE_ANNOTATIONS = SAMPLE.with_name("consolidation.csv")
ACTOR = "rehearsal"
AT_ONCE = 8
LOOK_SECONDS = 0.5
WORST, BEST = 0.3, 1.0
TEXT = "Thank you for finishing {title}. The notes below say where an expert saw it differently."


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """`patience` is how long nothing may move, in seconds."""

    workers: int = 30
    seed: int = 1
    patience: float = 180.0


class RoundDone(threading.Event):
    """Set once the worker has handed in every item of an intake."""

    def __init__(self, intake: Intake, worker_id: str, items: int) -> None:
        super().__init__()
        self._drafts = Draft.objects.filter(
            task__batch=intake.batch_id, worker_ref=worker_id, submitted_at__isnull=False
        )
        self._items = items

    def is_set(self) -> bool:
        return super().is_set() or self._drafts.count() >= self._items


def prepare_rounds(project: Project, path: Path | None, annotations: Path | None = None) -> None:
    """The project's rounds, set up by the preset from the files (else from the sample's) if it has
    none. `annotations` are those that consolidators merge; a file of rounds alone makes none for
    them. Raises FileError, RoundsRefused."""
    if project.rounds.exists():
        return
    merge = annotations if path else annotations or SAMPLE_ANNOTATIONS
    plans = plans_of_preset(
        preset=PRESET,
        keys=read_round_items(path or SAMPLE),
        given=read_given_annotations(project, merge) if merge else None,
    )
    set_up_rounds(project=project, plans=plans, actor=ACTOR, now=timezone.now())


def rehearse_training(
    *,
    project: Project,
    site: str,
    options: TrainingOptions,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Take everybody through the rounds, as far as the thresholds let them, and report. `tell` hears,
    in a line each, how it goes.

    Raises RehearsalFailed, NoReference, RoundNotPublished, BudgetExceeded.
    """
    started = time.monotonic()
    script = Script(project, references_of(project), None, options.seed)
    crew = _crew(project, site, script, options)
    rounds = list(rounds_of(project=project))
    _invite(rounds[0], crew)
    for one in rounds:
        if one.enrolments.exists():
            tell(f"{one.title}: {_told(one, EnrolmentState.INVITED)} invited, at work ...")
            _run_round(one, crew, site, options)
            tell(f"{one.title}: feedback sent and read, {_told(one, EnrolmentState.PASSED)} passed")
    _wait(lambda: not unfinished_payments(project), options, "Payments are not confirmed")
    _wait(lambda: not _pending_grants(project), options, "Grants are not confirmed")
    return report(project, script) | {
        "workers": len(crew),
        "seconds": round(time.monotonic() - started, 1),
    }


def _told(one: Round, state: EnrolmentState) -> int:
    return one.enrolments.filter(state=state).count()


def _crew(
    project: Project, site: str, script: Script, options: TrainingOptions
) -> dict[str, SimulatedWorker]:
    """Workers by their ids at the marketplace, their skills spread evenly and dealt at random."""
    if options.workers < 2:
        raise RehearsalFailed("A training needs at least two workers.")
    accounts = make_accounts(project=project, count=options.workers, seed=options.seed)
    step = (BEST - WORST) / (options.workers - 1)
    skills = [WORST + step * place for place in range(options.workers)]
    random.Random(options.seed).shuffle(skills)  # noqa: S311
    workers = [SimulatedWorker(site=site, account=one, script=script) for one in accounts]
    crew = dict(zip(sign_in_all(workers), workers, strict=True))
    script.skills.update(zip(crew, skills, strict=True))
    return crew


def _invite(one: Round, worker_ids: Iterable[str]) -> None:
    now = timezone.now()
    workers = [
        register_worker(provider=one.project.provider, external_id=each, is_simulated=True, now=now)
        for each in worker_ids
    ]
    invite_workers(round=one, workers=workers, actor=ACTOR, now=now)


def _run_round(
    one: Round, crew: dict[str, SimulatedWorker], site: str, options: TrainingOptions
) -> None:
    """Publish, annotate, wait for the figures, then feedback and decisions."""
    intake = publish_round(round=one, actor=ACTOR, now=timezone.now())
    enrolments = list(intake.enrolments.select_related("worker").order_by("pk"))
    items = one.round_items.count()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        futures = [
            threads.submit(_work, crew[each.worker.external_id], intake, items)
            for each in enrolments
        ]
        for future in futures:
            future.result()
    waiting = intake.enrolments.filter(evaluations=None)
    _wait(lambda: not waiting.exists(), options, "Figures are missing")
    for enrolment in enrolments:
        _teach(Enrolment.objects.get(pk=enrolment.pk), site)


def _work(worker: SimulatedWorker, intake: Intake, items: int) -> None:
    try:
        worker.work_until(RoundDone(intake, worker.worker_id, items))
    finally:
        connection.close()


def _teach(enrolment: Enrolment, site: str) -> None:
    """The trainer's part: feedback from the remarks, read by the worker; then what thresholds say."""
    evaluation = enrolment.evaluations.latest("pk")
    notes = Notes(TEXT.format(title=enrolment.round.title), suggested_notes(evaluation))
    feedback = send_feedback(
        enrolment=enrolment, trainer=_trainer(), notes=notes, now=timezone.now()
    )
    _read(feedback, site)
    below = below_thresholds(evaluation.figures, enrolment.round.thresholds)
    decide(
        enrolment=enrolment,
        verdict=Verdict.DECLINE if below else Verdict.PASS,
        reason=f"below: {', '.join(below)}" if below else "reaches every threshold",
        actor=ACTOR,
        now=timezone.now(),
    )


def _trainer() -> Any:
    users = get_user_model().objects
    return users.filter(username=ACTOR).first() or users.create_user(ACTOR)


def _read(feedback: Feedback, site: str) -> None:
    """The worker opens the link, finds the trainer's words, and says so."""
    path = urlsplit(link_of(feedback)).path
    browser = Browser(site)
    page = browser.get(path)
    if TEXT.split(".", maxsplit=1)[0].partition("{")[0] not in page.text:
        raise RehearsalFailed(f"The feedback {feedback.pk} is not shown to its worker.")
    browser.post(path, {"acknowledge": "1"})


def _wait(condition: Callable[[], bool], options: TrainingOptions, complaint: str) -> None:
    end = time.monotonic() + options.patience
    while not condition():
        if time.monotonic() > end:
            raise RehearsalFailed(f"{complaint} after {options.patience:.0f} s.")
        time.sleep(LOOK_SECONDS)


def _pending_grants(project: Project) -> bool:
    pools = [pool_of(project, role) for role in (Role.GENERATOR, Role.CONSOLIDATOR)]
    grants = QualificationGrant.objects.filter(qualification_type__in=pools)
    return grants.filter(state=GrantState.PENDING).exists()


def report(project: Project, script: Script) -> dict[str, Any]:
    """Who was selected, the funnel, the money, and how skill and score go together (Pearson's r over
    everybody's last evaluation as a generator)."""
    people = _people(project, script)
    scores = [one["score"] or 0.0 for one in people]
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
        "correlation": statistics.correlation([one["skill"] for one in people], scores),
        "rounds": [asdict(one) for one in funnel_of(project=project)],
        "feedback_sent": sent.filter(sent_at__isnull=False).count(),
        "feedback_read": sent.filter(acknowledged_at__isnull=False).count(),
        **money_of(project),
    }


def _people(project: Project, script: Script) -> list[dict[str, Any]]:
    last: dict[str, Enrolment] = {}
    rows = Enrolment.objects.filter(
        round__project=project, round__role=Role.GENERATOR, evaluations__isnull=False
    )
    for one in rows.select_related("worker", "round").order_by("round__ordinal").distinct():
        last[one.worker.external_id] = one
    return [
        {
            "worker": one.worker.pseudonym,
            "skill": script.skills[worker_id],
            "round": one.round.ordinal,
            "score": figure_at(one.evaluations.latest("pk").figures, "UA.f1"),
            "state": one.state,
        }
        for worker_id, one in last.items()
    ]
