"""Run a whole campaign with simulated workers, from published HITs to gold and payments."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, Q, Sum
from django.utils import timezone

from annotation.domain.corpus.item_context import targets_of
from annotation.domain.publishing.publish import NothingToPublishError, publish_batch
from annotation.domain.publishing.publish_rest import finish_publication
from annotation.domain.publishing.queries import waiting_work
from annotation.models import HeldBonus, Submission
from audit.errors import TouchstoneError
from consolidation.domain.cases.experiment import progress_of
from consolidation.domain.cases.own_gold import current_own_gold
from consolidation.domain.cases.queries import finished_costs
from consolidation.domain.cases.second_consolidation import second_cases
from consolidation.enums import SETTLED, CaseState
from consolidation.models import Case, Gold
from consolidation.protocols import protocol_of
from crowd.domain.provider.providers import has_builtin_marketplace
from crowd.enums import ENDED_PAYMENTS, HitState
from crowd.models import Assignment, Hit, LedgerEntry, Payment
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.admit import pool_of
from rehearsal.domain.review import accept_held_bonuses, accept_work_in_review, allow_free_form
from rehearsal.domain.scenario import Reference, Scenario, invented_references, references_of
from rehearsal.domain.worker import RehearsalFailedError, SimulatedWorker
from rehearsal.domain.workers_setup import make_workers, train

LOOK_SECONDS = 0.5
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a rehearsal.

    `skill` is between 0 and 1, or None to replay the reference gold. `patience` is the number of
    seconds without progress after which the rehearsal fails.
    """

    workers: int = 6
    skill: float | None = 0.9
    seed: int = 1
    patience: float = 180.0
    # Let the scheme invent references, for a project without gold.
    invent: bool = False
    # Let those of a rehearsed training with the same seed and workers work who passed it, if they are
    # enough people for an item.
    trained: bool = False


class RehearsalNotAllowedError(TouchstoneError):
    """The project has people's work, or the site uses another marketplace."""


def check_project(project: Project) -> None:
    """Raise RehearsalNotAllowedError if the project cannot be rehearsed."""
    if not has_builtin_marketplace():
        raise RehearsalNotAllowedError(
            "Rehearsals need the built-in marketplace, but this site uses another one."
        )
    if Submission.objects.filter(item__project=project, worker__is_simulated=False).exists():
        raise RehearsalNotAllowedError(
            f"{project.slug} contains people's work. Rehearse in another project."
        )


def rehearse(
    *, project: Project, site: str, options: Options, progress: Progress
) -> dict[str, Any]:
    """Publish unpublished items, work until all have gold and payments are confirmed, and report.

    Open agreement experiments and second consolidations are finished too.
    """
    started = time.monotonic()
    references = invented_references(project) if options.invent else references_of(project)
    if not options.invent:
        allow_free_form(project=project, references=references, now=timezone.now())
    script = Scenario(project, references, options.skill, options.seed)
    workers = _crew(site, script, options)
    _publish(project)
    done = threading.Event()
    with ThreadPoolExecutor(len(workers)) as threads:
        futures = [threads.submit(work, worker, done) for worker in workers]
        try:
            _wait_for_gold(project, futures, options.patience, progress)
        finally:
            done.set()
    # Skip accuracy when the references are invented.
    return report(project, {} if options.invent else references) | {
        "workers": len(workers),
        "seconds": round(time.monotonic() - started, 1),
    }


def _crew(site: str, script: Scenario, options: Options) -> list[SimulatedWorker]:
    project = script.project
    least = protocol_of(project).min_workers(project)
    if options.workers < least:
        raise RehearsalFailedError(f"This project needs at least {least} workers per item.")
    workers = make_workers(site=site, script=script, count=options.workers)
    if options.trained:
        pool = set(
            pool_of(project, Role.GENERATOR).grants.values_list("worker__external_id", flat=True)
        )
        passed = {name: worker for name, worker in workers.items() if name in pool}
        workers = passed if len(passed) >= least else workers
    train(project=project, worker_ids=workers, now=timezone.now())
    return list(workers.values())


def _publish(project: Project) -> None:
    try:
        pool = pool_of(project, Role.GENERATOR)
        batch = publish_batch(project=project, pool=pool, now=timezone.now())
        # The job would wait for the end of a rehearsal that is a job itself.
        finish_publication(batch=batch, actor="rehearsal", clock=timezone.now)
    except NothingToPublishError:
        if not project.batches.exists():
            raise


def work(worker: SimulatedWorker, done: threading.Event) -> None:
    """Work in a thread, and close its database connection."""
    try:
        worker.work_until(done)
    finally:
        connection.close()


def _wait_for_gold(
    project: Project, futures: list["Future[None]"], patience: float, progress: Progress
) -> None:
    total = (
        project.items.filter(in_production=True, task_items__role=Role.GENERATOR).distinct().count()
    )
    progressed_at, last = time.monotonic(), (-1, -1)
    while True:
        failed, _ = wait(futures, timeout=LOOK_SECONDS, return_when=FIRST_EXCEPTION)
        for future in failed:
            future.result()
        accept_work_in_review(project=project, now=timezone.now())
        accept_held_bonuses(project=project, now=timezone.now())
        state = _state(project)
        progress(state[0], total)
        if state[0] >= total and not _is_owed(project) and not _repeats(project):
            return
        if state != last:
            progressed_at, last = time.monotonic(), state
        elif time.monotonic() - progressed_at > patience:
            raise RehearsalFailedError(
                f"There was no progress for {patience:.0f} s. {_diagnosis(project)}"
            )


def _state(project: Project) -> tuple[int, int]:
    """Return the number of items with gold or a final dispute, and a count that grows with each step."""
    finished = current_own_gold(project).count() + _disputed(project)
    steps = LedgerEntry.objects.filter(budget=project.budget_id).count()
    assignments = Assignment.objects.filter(hit__budget=project.budget_id).count()
    return finished, steps + assignments


def _disputed(project: Project) -> int:
    return Case.objects.filter(item__project=project, state=CaseState.DISPUTED).count()


def _repeats(project: Project) -> bool:
    """Return True if work that repeats items to measure agreement is not finished."""
    second = second_cases(project=project)
    if second.exclude(state__in=SETTLED).exists():
        return True
    experiments = project.experiments.select_related("project")
    return any(not progress_of(experiment=experiment).is_finished for experiment in experiments)


def _is_owed(project: Project) -> bool:
    """Return True if work waits for its gold, or a payment is not confirmed."""
    return waiting_work(project=project).exists() or unfinished_payments(project)


def unfinished_payments(project: Project) -> bool:
    """Return True if a payment has not ended."""
    payments = Payment.objects.filter(assignment__hit__budget=project.budget_id)
    return payments.exclude(state__in=ENDED_PAYMENTS).exists()


def _diagnosis(project: Project) -> str:
    """Describe in one line what is not finished."""
    hits = Hit.objects.filter(budget=project.budget_id)
    payments = Payment.objects.filter(assignment__hit__budget=project.budget_id)
    problems = Submission.objects.filter(item__project=project).exclude(problem="")
    parts = [
        f"HITs: {dict(hits.values_list('state').annotate(n=Count('id')))}",
        f"payments: {dict(payments.values_list('state').annotate(n=Count('id')))}",
        f"submissions that need review: {problems.count()}",
    ]
    failed = hits.exclude(error="").order_by("-pk")
    parts += [f"last error: {hit.error}" for hit in failed[:1]]
    return "; ".join(parts)


def report(project: Project, references: dict[int, Reference]) -> dict[str, Any]:
    """Return counts, scores and amounts in whole cents."""
    gold = list(current_own_gold(project))
    content = scheme_of(project).content
    totals = Counter({total.key: 0 for total in content.totals})
    for record in gold:
        totals.update(content.count(record.content))
    hits = Hit.objects.filter(budget=project.budget_id)
    money = money_of(project)
    return {
        "project": project.slug,
        "protocol": str(project.protocol),
        "items": len(gold),
        **({"disputed": _disputed(project)} if protocol_of(project).counts_experts else {}),
        **totals,
        "hits": hits.exclude(state__in=[HitState.PENDING, HitState.FAILED]).count(),
        "assignments": Assignment.objects.filter(hit__budget=project.budget_id).count(),
        "held_bonuses": HeldBonus.objects.filter(project=project).count(),
        "scores": _scores(project, gold, references),
        **money,
        "cost_per_item_cents": _mean_item_cents(project),
    }


def _mean_item_cents(project: Project) -> float | None:
    """Return the mean cost of a finished item in production, as the page of costs shows it."""
    costs = [cost.total_cents for cost in finished_costs(project=project)]
    return round(sum(costs) / len(costs), 2) if costs else None


def money_of(project: Project) -> dict[str, int]:
    """Return the whole cents paid so far, by kind."""
    settled = LedgerEntry.objects.filter(budget=project.budget_id, kind="settle").aggregate(
        rewards_cents=Sum("amount_cents", filter=Q(payment__kind="reward"), default=0),
        bonuses_cents=Sum("amount_cents", filter=Q(payment__kind="bonus"), default=0),
        fees_cents=Sum("fee_cents", default=0),
    )
    return {**settled, "total_cents": sum(settled.values())}


def _scores(
    project: Project, gold: list[Gold], references: dict[int, Reference]
) -> dict[str, dict[str, Any]]:
    """Return the total of each figure over the gold that has a reference."""
    comparison = scheme_of(project).comparison
    compared = [row for row in gold if row.item_id in references]
    targets = targets_of(project, [row.item_id for row in compared])
    measures = [
        comparison.measure(references[row.item_id].content, row.content, targets[row.item_id])
        for row in compared
    ]
    if not measures:
        return {}
    return {
        figure.key: figure.total([measure[figure.key] for measure in measures])
        for figure in comparison.figures
    }
