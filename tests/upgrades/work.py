"""A site with work in progress, its figures, and the rest of its work.

    python -m tests.upgrades.work begin        leave work of every kind unfinished
    python -m tests.upgrades.work figures      print what has to survive an upgrade
    python -m tests.upgrades.work finish       let all workers finish, and print both sides' books

Run it with the environment of a migrated site. It starts the site's processes where it needs them.
"""

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import django

environment = dict(os.environ)
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import get_user_model  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db.models import Count, F, Sum  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.domain.decisions.review_bonus import accept_bonus  # noqa: E402
from annotation.domain.publishing.publish import publish_batch  # noqa: E402
from annotation.domain.publishing.queries import held_bonuses_of  # noqa: E402
from annotation.models import Draft, HeldBonus, Submission  # noqa: E402
from benchmarks.domain.open_benchmark import open_benchmark  # noqa: E402
from benchmarks.models import Entry  # noqa: E402
from consolidation.models import Case, Gold  # noqa: E402
from consolidation.protocols import protocol_of  # noqa: E402
from crowd.enums import HitState, PaymentState  # noqa: E402
from crowd.models import Assignment, Budget, Hit, LedgerEntry, Payment  # noqa: E402
from datasets.domain.exports.export_gold import formats_of  # noqa: E402
from datasets.domain.exports.queue_export import queue_export  # noqa: E402
from jobs.enums import UNFINISHED  # noqa: E402
from jobs.models import Job  # noqa: E402
from marketplace.domain.accounts.payouts import record_payouts  # noqa: E402
from marketplace.domain.queries import EARNED  # noqa: E402
from marketplace.models import Assignment as TheirAssignment  # noqa: E402
from marketplace.models import Bonus, PaidEntry, Requester, WorkerAccount  # noqa: E402
from marketplace.models import Hit as TheirHit  # noqa: E402
from marketplace.models import LedgerEntry as TheirEntry  # noqa: E402
from projects.enums import Role  # noqa: E402
from projects.models import Project  # noqa: E402
from qualification.domain.pool.admit import pool_of  # noqa: E402
from qualification.domain.rounds.publish_round import invite_workers, publish_round  # noqa: E402
from qualification.domain.rounds.queries import rounds_of  # noqa: E402
from qualification.models import Enrolment  # noqa: E402
from rehearsal.domain.rehearse import Options, _wait_for_gold, work  # noqa: E402
from rehearsal.domain.scenario import Scenario, references_of  # noqa: E402
from rehearsal.domain.site import Site  # noqa: E402
from rehearsal.domain.train import RoundDone, prepare_rounds  # noqa: E402
from rehearsal.domain.worker import SimulatedWorker  # noqa: E402
from rehearsal.domain.workers_setup import make_workers, train  # noqa: E402
from tests.benchmarks.samples import gold_text, make_team, make_terms, phase_of, predictions, send  # noqa: E402
from tests.releases.projects import make_release, make_sample_project  # noqa: E402
from tests.walk import project_addresses  # noqa: E402

# `tests.environment`, which some of these import, prepares another environment.
os.environ.clear()
os.environ.update(environment)

SCHEMES = ("qasrl", "frames", "grounding", "custom")
TRAINING = "training"
WORKERS, FINISHED_ITEMS, BEGUN_ITEMS, ROUND_ITEMS = 4, 2, 4, 2
# No person works as slowly, so all bonuses of this project are held.
HELD_BONUSES_OF, HELD_SECONDS = "qasrl", 100_000
SECONDS = 120.0
API_FIGURES = ("costs", "quality", "agreement", "statistics", "funnel")
LISTS = ("items", "submissions", "cases", "gold", "batches", "workers", "ledger", "held-bonuses")
CENTS = Sum(F("amount_cents") + F("fee_cents"), default=0)
FINISHED = ["Submitted", "Approved", "Rejected"]


def wait(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.2)


# --- Work that is begun ------------------------------------------------------------------------


def begin() -> None:
    get_user_model().objects.create_superuser("ada", "ada@touchstone.example", "a long password")
    with TemporaryDirectory() as folder:
        projects = [make_sample_project(scheme, Path(folder), scheme) for scheme in SCHEMES]
        training = make_sample_project("qasrl", Path(folder), TRAINING)
    with Site():
        crews = {project.slug: _finish_some(project) for project in projects}
        for project in projects:
            _begin_others(project, crews[project.slug])
        _begin_round(training)
        wait(lambda: not _undone(projects), "payments and cases")
    # From here on, nothing runs in the background.
    _publish_results(projects[0])
    held = held_bonuses_of(project=projects[0]).order_by("pk").first()
    assert held
    accept_bonus(held=held, actor="ada", now=timezone.now())
    queue_export(
        project=projects[0],
        fmt=formats_of(projects[0])[0],
        source=protocol_of(projects[0]).gold_source,
        actor="ada",
        now=timezone.now(),
    )
    # Simulated workers are owed nothing.
    WorkerAccount.objects.update(is_simulated=False)


def _crew(project: Project) -> list[SimulatedWorker]:
    script = Scenario(project, references_of(project), 0.9, 1)
    workers = make_workers(site=settings.SITE_URL, script=script, count=WORKERS)
    train(project=project, worker_ids=workers, now=timezone.now())
    return list(workers.values())


def _publish(project: Project, items: int) -> None:
    pool = pool_of(project, Role.GENERATOR)
    publish_batch(project=project, limit=items, pool=pool, now=timezone.now(), actor="ada")
    hits = Hit.objects.filter(budget=project.budget_id, state=HitState.PENDING)
    wait(lambda: not hits.exists(), f"HITs of {project.slug}")


def _finish_some(project: Project) -> list[SimulatedWorker]:
    """Take some items to gold."""
    _publish(project, FINISHED_ITEMS)
    crew = _crew(project)
    _work(project, crew)
    return crew


def _work(project: Project, crew: list[SimulatedWorker]) -> None:
    """Let the workers do all that is published."""
    done = threading.Event()
    with ThreadPoolExecutor(len(crew)) as threads:
        futures = [threads.submit(work, worker, done) for worker in crew]
        try:
            _wait_for_gold(project, futures, Options().patience, lambda done, total: None)
        finally:
            done.set()


def _begin_others(project: Project, crew: list[SimulatedWorker]) -> None:
    """Leave HITs open, one accepted, one with a draft, and cases that no one has accepted."""
    if project.slug == HELD_BONUSES_OF:
        for terms in project.pay_scheme.values():
            terms["least_seconds"] = HELD_SECONDS
        project.save()
    _publish(project, BEGUN_ITEMS)
    drafting, accepting = crew[:2]
    for worker in (drafting, accepting):
        wrapper = worker._next_hit()
        for _ in range(BEGUN_ITEMS - 1):
            assert wrapper, project.slug
            wrapper = worker._do(wrapper) or worker._next_hit()
        assert wrapper, project.slug
        if worker is drafting:
            page = worker._onboard(worker.browser.get(wrapper.frames["task"])).data
            worker._save(page)


def _begin_round(project: Project) -> None:
    """Leave a trainee in the middle of a round, and another before its start."""
    crew = _trainees(project)
    prepare_rounds(project, None)
    first = next(iter(rounds_of(project=project)))
    from crowd.domain.workers.register_worker import register_worker

    now = timezone.now()
    workers = [
        register_worker(
            provider=project.provider, external_id=worker.worker_id, is_simulated=True, now=now
        )
        for worker in crew
    ]
    invite_workers(round=first, workers=workers, actor="ada", now=now)
    publish_round(round=first, actor="ada", now=now)
    hits = Hit.objects.filter(budget=project.budget_id, state=HitState.PENDING)
    wait(lambda: not hits.exists(), "HITs of the round")
    wrapper = crew[0]._next_hit()
    for _ in range(ROUND_ITEMS):
        assert wrapper
        wrapper = crew[0]._do(wrapper) or crew[0]._next_hit()


def _trainees(project: Project) -> list[SimulatedWorker]:
    script = Scenario(project, references_of(project), 0.9, 1)
    return list(make_workers(site=settings.SITE_URL, script=script, count=2).values())


def _undone(projects: list[Project]) -> bool:
    """Return True until the site has done all that needs no person."""
    unrecorded = Assignment.objects.unrecorded().exists()
    due = Payment.objects.filter(state__in=[PaymentState.PENDING, PaymentState.SENT])
    pending = Hit.objects.filter(state=HitState.PENDING)
    opened = all(Case.objects.filter(item__project=project).exists() for project in projects)
    held = HeldBonus.objects.filter(decided_at=None)
    theirs = set(TheirAssignment.objects.filter(status__in=FINISHED).values_list("code", flat=True))
    ours = set(Assignment.objects.values_list("external_id", flat=True))
    return (
        unrecorded
        or due.exclude(held_bonus__state="held").exists()
        or pending.exists()
        or not opened
        or not held.exists()
        or not theirs <= ours
    )


def _publish_results(project: Project) -> None:
    """Release the gold, and open a benchmark with an entry that is scored and one that is not."""
    now = timezone.now()
    release = make_release(project, "1.0", now=now)
    terms = make_terms(release, now=now)
    benchmark = open_benchmark(release=release, terms=terms, actor="ada", now=now)
    phase, team = phase_of(benchmark), make_team(benchmark)
    with TemporaryDirectory() as folder:
        text = predictions(project.scheme, gold_text(phase, Path(folder)))
    send(team, phase, text, system="Scored", now=now)
    send(team, phase, text, system="Queued", now=now, run=False)


# --- What has to survive -----------------------------------------------------------------------


def figures() -> dict[str, Any]:
    """Return what an upgrade must not change, with digests of exports."""
    projects = list(Project.objects.order_by("slug"))
    return {
        "rows": {
            model.__name__: model.objects.count()  # type: ignore[attr-defined]
            for model in (Project, Hit, Assignment, Draft, Submission, Case, Gold, Payment, Entry)
        },
        "books": books(),
        "open": _open_work(),
        "exports": {project.slug: _exports(project) for project in projects},
        "pages": {project.slug: _pages(project) for project in projects},
    }


def _open_work() -> dict[str, Any]:
    """Return what people and the site have to finish."""
    accepted = TheirAssignment.objects.exclude(status__in=FINISHED)
    drafts = Draft.objects.filter(submitted_at=None).order_by("assignment_ref")
    held = HeldBonus.objects.filter(decided_at=None)
    due = Payment.objects.filter(state__in=[PaymentState.PENDING, PaymentState.SENT])
    return {
        "assignments": sorted(accepted.filter(status="Accepted").values_list("code", flat=True)),
        "drafts": {
            draft.assignment_ref: _digest(json.dumps(draft.content, sort_keys=True).encode())
            for draft in drafts
        },
        "held_bonuses": sorted(held.values_list("payment__token", flat=True)),
        "payments": sorted(due.exclude(held_bonus__state="held").values_list("token", flat=True)),
        "hits": TheirHit.objects.filter(available__gt=0).count(),
        "jobs": Job.objects.filter(state__in=UNFINISHED).count(),
        "enrolments": dict(
            Enrolment.objects.order_by("state").values_list("state").annotate(n=Count("pk"))
        ),
        "due_to_workers": _due_cents(),
    }


def _exports(project: Project) -> dict[str, str]:
    """Return a digest of the gold of each source in the first format.

    Files that name the version and the time are left out.
    """
    sources = Gold.objects.filter(item__project=project).values_list("source", flat=True)
    result = {}
    with TemporaryDirectory() as folder:
        for gold in sorted(set(sources)):
            out = Path(folder) / gold
            options = {"format": formats_of(project)[0], "source": gold, "out": str(out)}
            call_command("export_gold", project.slug, **options, stdout=sys.stderr)
            digests = [
                f"{path.relative_to(out)} {_digest(path.read_bytes())}"
                for path in sorted(out.rglob("*"))
                if path.is_file() and path.name not in ("manifest.json", "README.md")
            ]
            assert len(digests) > 1
            result[gold] = _digest("\n".join(digests).encode())
    return result


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _pages(project: Project) -> dict[str, Any]:
    """Return the pages of the project that answer, and the figures of its API."""
    client = Client(SERVER_NAME=str(urlsplit(settings.SITE_URL).hostname))
    client.force_login(get_user_model().objects.get(username="ada"))
    statuses = {address: client.get(address).status_code for address in project_addresses(project)}
    assert max(statuses.values()) < 500, statuses
    at = f"/api/v1/projects/{project.slug}/"
    lists = {name: len(client.get(f"{at}{name}/").json()["results"]) for name in LISTS}
    return {
        "shown": {address: status for address, status in statuses.items() if status == 200},
        "figures": {name: numbers(client.get(f"{at}{name}/").json()) for name in API_FIGURES},
        "lists": lists,
    }


def numbers(value: Any) -> Any:
    """Return the numbers of an answer, at their places."""
    if isinstance(value, dict):
        found = {key: numbers(part) for key, part in value.items()}
        return {key: part for key, part in found.items() if part not in (None, {}, [])}
    if isinstance(value, list):
        return [numbers(part) for part in value]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number else None


def _due_cents() -> int:
    entries = TheirEntry.objects.filter(EARNED, paid=None)
    return -int(entries.aggregate(cents=Sum("amount_cents", default=0))["cents"])


def books() -> dict[str, Any]:
    """Return the money of both sides, in cents, and what was done twice."""
    repeated = [
        TheirAssignment.objects.filter(status__in=FINISHED).values("hit", "worker"),
        TheirHit.objects.values("annotation"),
        Bonus.objects.values("assignment"),
        Submission.objects.filter(assignment__isnull=False).values("assignment", "item"),
        Payment.objects.values("assignment", "kind"),
        PaidEntry.objects.values("entry"),
    ]
    return {
        "budgets": {
            budget.key: {
                "spent": budget.spent_cents,
                "reserved": budget.reserved_cents,
                "in_ledger": dict(
                    LedgerEntry.objects.filter(budget=budget)
                    .order_by("kind")
                    .values_list("kind")
                    .annotate(cents=CENTS)
                ),
            }
            for budget in Budget.objects.order_by("key")
        },
        "wallet": int(Requester.objects.aggregate(cents=Sum("balance_cents"))["cents"]),
        "payments": dict(
            Payment.objects.order_by("state").values_list("state").annotate(n=Count("pk"))
        ),
        "doubled": sum(
            rows.order_by().annotate(n=Count("pk")).filter(n__gt=1).count() for rows in repeated
        ),
    }


# --- The rest of the work ----------------------------------------------------------------------


def finish() -> dict[str, Any]:
    """Finish everything as people and the site would, and return the figures of the result."""
    begun = _open_work()
    with Site():
        call_command("recover_hits", stdout=sys.stderr)
        _check_drafts()
        for scheme in SCHEMES:
            project = Project.objects.get(slug=scheme)
            _work(project, _crew(project))
        _finish_round(Project.objects.get(slug=TRAINING))
        wait(lambda: not Job.objects.filter(state__in=UNFINISHED).exists(), "jobs")
        due = Payment.objects.filter(state__in=[PaymentState.PENDING, PaymentState.SENT])
        wait(lambda: not due.exclude(held_bonus__state="held").exists(), "payments")
    paid_out = _pay_out()
    theirs = TheirAssignment.objects.filter(code__in=begun["assignments"])
    return {
        "books": books(),
        "open": _open_work(),
        "paid_out": paid_out,
        "statuses": dict(theirs.order_by("status").values_list("status").annotate(n=Count("pk"))),
        "paid": dict(
            Payment.objects.filter(token__in=[*begun["held_bonuses"], *begun["payments"]])
            .order_by("state")
            .values_list("state")
            .annotate(n=Count("pk"))
        ),
        "recorded_once": all(
            Submission.objects.filter(assignment__external_id=code).count() == 1
            for code in begun["assignments"]
        ),
        "without_gold": {
            scheme: Project.objects.get(slug=scheme)
            .items.filter(task_items__role=Role.GENERATOR)
            .exclude(gold__source=protocol_of(Project.objects.get(slug=scheme)).gold_source)
            .distinct()
            .count()
            for scheme in SCHEMES
        },
        "entries": dict(
            Entry.objects.order_by("state").values_list("state").annotate(n=Count("pk"))
        ),
    }


def _check_drafts() -> None:
    """Check that the pages of workers show their drafts."""
    for scheme in SCHEMES:
        worker = _crew(Project.objects.get(slug=scheme))[0]
        wrapper = worker._next_hit()
        assert wrapper
        page = worker._onboard(worker.browser.get(wrapper.frames["task"])).data
        assert page["revision"] >= 1, f"{scheme}: {page['revision']}"


def _finish_round(project: Project) -> None:
    crew = _trainees(project)
    first = next(iter(rounds_of(project=project)))
    cohort = first.cohorts.get()
    with ThreadPoolExecutor(len(crew)) as threads:
        items = first.round_items.count()
        for future in [
            threads.submit(work, worker, RoundDone(cohort, worker.worker_id, items))
            for worker in crew
        ]:
            future.result()
    waiting = cohort.enrolments.filter(evaluations=None)
    wait(lambda: not waiting.exists(), "evaluations")


def _pay_out() -> int:
    """Record that all workers were paid what is due, and return the sum of cents."""
    due = _due_cents()
    record_payouts(
        since=datetime(2020, 1, 1, tzinfo=UTC),
        until=timezone.now(),
        worker_codes=list(WorkerAccount.objects.values_list("code", flat=True)),
        expected_cents=due,
        reference="Transfer 1",
        paid_on=timezone.now().date(),
        actor="ada",
        now=timezone.now(),
    )
    return due


COMMANDS: dict[str, Callable[[], Any]] = {"begin": begin, "figures": figures, "finish": finish}

if __name__ == "__main__":
    result = COMMANDS[sys.argv[1]]()
    sys.stdout.write(json.dumps(result, indent=1, sort_keys=True, default=str) + "\n")
