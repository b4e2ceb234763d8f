"""A project tried out before people work on it: a copy of some of its items, simulated workers, gold."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import F

from annotation.domain.create_project import create_project, current_guidelines, write_guidelines
from annotation.domain.publish import NothingToPublish
from annotation.enums import Role
from annotation.models import Item, Membership, Project, Sentence
from audit.domain.change_state import MoveRefused, Moves, change_state, log_state_change
from crowd.domain.ledger import BudgetExceeded
from rehearsal.domain.browser import SiteGone
from rehearsal.domain.rehearse import NotForRehearsal, Options, check_project, rehearse
from rehearsal.domain.script import NoReference
from rehearsal.domain.worker import RehearsalFailed
from rehearsal.enums import RehearsalState
from rehearsal.models import Rehearsal

ITEMS = 20
# The rehearsal of a process that died waits for its end.
LEASE = settings.LEASE
ATTEMPTS = 3
Clock = Callable[[], datetime]
MOVES: Moves = {
    RehearsalState.QUEUED: [RehearsalState.RUNNING, RehearsalState.FAILED],
    RehearsalState.RUNNING: [RehearsalState.FINISHED, RehearsalState.FAILED],
}


class CanNotRehearse(Exception):
    """There is nothing to rehearse with, or a rehearsal is under way."""


@transaction.atomic
def begin_rehearsal(*, project: Project, actor: str, now: datetime) -> Rehearsal:
    """Copy the project with up to ITEMS of its items, to be worked through by simulated workers.
    Raises CanNotRehearse."""
    if not settings.MTURK_IS_OURS:
        raise CanNotRehearse(
            "Simulated workers live at our own marketplace; this project has another."
        )
    items = list(
        project.items.filter(in_production=True)
        .select_related("sentence")
        .order_by("position")[:ITEMS]
    )
    if not items:
        raise CanNotRehearse("There are no items yet: import a corpus first.")
    copy = _copy(project, now)
    _copy_items(items, copy)
    try:
        with transaction.atomic():
            row = Rehearsal.objects.create(
                original=project, copy=copy, total=len(items), asked_by=actor, asked_at=now
            )
    except IntegrityError as error:
        raise CanNotRehearse("A rehearsal is under way; wait for its end.") from error
    log_state_change(instance=row, old="", new=row.state, actor=actor, now=now)
    return row


def _copy(project: Project, now: datetime) -> Project:
    number = project.rehearsals.count() + 1
    copy = create_project(
        slug=f"{project.slug[:45]}-rehearsal-{project.pk}-{number}",
        title=f"Rehearsal {number} of {project.title}"[:200],
        scheme=project.scheme,
        pay_scheme=project.pay_scheme,
        cap_cents=None,  # simulated workers are paid in play money
        seed=project.seed,
        now=now,
    )
    copy.generators_per_item = project.generators_per_item
    copy.exclusion_scope = project.exclusion_scope
    copy.minimum_hourly_cents = project.minimum_hourly_cents
    copy.save()
    for role in Role:
        if guidelines := current_guidelines(project_id=project.pk, role=role):
            write_guidelines(project=copy, role=role, text=guidelines.text, now=now)
    Membership.objects.bulk_create(
        Membership(project=copy, user_id=one.user_id, role=one.role)
        for one in project.memberships.all()
    )
    return copy


def _copy_items(items: list[Item], copy: Project) -> None:
    by_original: dict[int, Sentence] = {}
    for item in items:
        if item.sentence_id not in by_original:
            sentence = item.sentence
            by_original[sentence.pk] = Sentence.objects.create(
                project=copy,
                external_id=sentence.external_id,
                tokens=sentence.tokens,
                domain=sentence.domain,
                partition=sentence.partition,
                image=sentence.image,
                metadata=sentence.metadata,
            )
    Item.objects.bulk_create(
        Item(
            project=copy,
            sentence=by_original[item.sentence_id],
            key=item.key,
            target=item.target,
            position=item.position,
        )
        for item in items
    )


def run_next_rehearsal(*, clock: Clock) -> int:
    """Work through the oldest copy that waits, or that a dead process left, on the running site;
    returns 1, or 0 without any. One at a time: each holds a worker process for minutes, and the others
    are needed to get its work paid and merged."""
    row = _take(clock())
    if row is None:
        return 0
    if row.attempts > ATTEMPTS:
        told = f"Given up: of {ATTEMPTS} attempts none came to its end. {row.problem}".strip()
        _end(row, RehearsalState.FAILED, clock(), problem=told)
        return 1
    with _lease_kept(row, clock):
        _run(row, clock)
    return 1


def _take(now: datetime) -> Rehearsal | None:
    with transaction.atomic():
        under_way = Rehearsal.objects.filter(
            state__in=[RehearsalState.QUEUED, RehearsalState.RUNNING]
        )
        rows = list(under_way.order_by("pk").select_for_update(of=("self",)))
        if not rows or any(one.leased_until and one.leased_until > now for one in rows):
            return None
        Rehearsal.objects.filter(pk=rows[0].pk).update(
            attempts=F("attempts") + 1, leased_until=now + LEASE
        )
        return _move(rows[0], RehearsalState.RUNNING, now)


@contextmanager
def _lease_kept(row: Rehearsal, clock: Clock) -> Iterator[None]:
    """Renews the lease for as long as this process lives."""
    ended = threading.Event()
    renewal = threading.Thread(target=_renew, args=(row.pk, clock, ended), daemon=True)
    renewal.start()
    try:
        yield
    finally:
        ended.set()
        renewal.join()


def _renew(pk: int, clock: Clock, ended: threading.Event) -> None:
    try:
        while not ended.wait(LEASE.total_seconds() / 6):
            with suppress(DatabaseError):  # busy: the next time is soon enough
                held = Rehearsal.objects.filter(pk=pk, state=RehearsalState.RUNNING)
                held.update(leased_until=clock() + LEASE)
    finally:
        connection.close()


def _run(row: Rehearsal, clock: Clock) -> None:
    def progress(done: int, total: int) -> None:
        seen = Rehearsal.objects.filter(pk=row.pk).exclude(done=done, total=total)
        seen.update(done=done, total=total)

    try:
        check_project(row.copy)
        report = rehearse(
            project=row.copy,
            site=settings.SITE_URL,
            options=Options(invent=True, workers=row.copy.generators_per_item + 4),
            progress=progress,
        )
    except (
        *(NotForRehearsal, NothingToPublish, BudgetExceeded),
        *(NoReference, RehearsalFailed, SiteGone),
    ) as error:
        _end(row, RehearsalState.FAILED, clock(), problem=str(error))
    except Exception as error:
        # Not foreseen, and perhaps gone by the next attempt, as a database that was busy: the sweep
        # makes one, and whoever waits sees in the end why there was none.
        _note(row, f"The last one met: {type(error).__name__}: {error}")
        raise
    else:
        _end(row, RehearsalState.FINISHED, clock(), report=report, done=report["items"], problem="")


def _note(row: Rehearsal, problem: str) -> None:
    Rehearsal.objects.filter(pk=row.pk).update(problem=problem[:500], leased_until=None)


def _end(row: Rehearsal, state: RehearsalState, now: datetime, **fields: object) -> None:
    # Another process may have held us for dead, and have ended it.
    with suppress(MoveRefused):
        _move(row, state, now, ended_at=now, leased_until=None, **fields)


def _move(row: Rehearsal, state: RehearsalState, now: datetime, **fields: object) -> Rehearsal:
    return change_state(
        instance=row,
        new=state,
        moves=MOVES,
        actor="rehearsal",
        now=now,
        reason=str(fields.get("problem", "")),
        **fields,
    )
