"""Accept entries within the limits of their phase, and withdraw them."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import QuerySet

from annotation.domain.corpus.uploads import delete_uploads, store_uploads
from audit.domain.change_state import log_state_change
from benchmarks.domain.errors import EntryError, LimitError
from benchmarks.domain.names import clean_name, is_readable
from benchmarks.domain.queries import scoring_of
from benchmarks.domain.teams import new_code, team_named
from benchmarks.enums import EntryState
from benchmarks.models import Benchmark, Entry, Phase, Team
from jobs.domain.queue_job import queue_job

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

SCORING = "benchmark-entry"
MAX_FILE_BYTES = 20 << 20
# Refused files don't count, because mistakes in files must not cost a day. Without any limit, they would
# be a way to keep the workers busy.
REFUSED_FACTOR = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """How many entries a team may still send today, and until the end of the phase."""

    today: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """What a team sends for a phase: a file of predictions, and the name of the system behind it."""

    file: "UploadedFile[bytes]"
    system: str
    variant: str = ""
    description: str = ""


def submit_entry(*, team: Team, phase: Phase, new: NewEntry, actor: str, now: datetime) -> Entry:
    """Store the file and queue its scoring. Raise EntryError, and LimitError for one too many.

    The limits are checked again with the team locked, so that simultaneous uploads can't pass them.
    """
    _check_file(new)
    variant = _variant(phase.benchmark, new.variant)
    check_accepted(team=team, phase=phase, variant=variant, now=now)

    def lock() -> tuple[Team, Phase]:
        locked = Team.objects.select_for_update(of=("self",)).get(pk=team.pk)
        current = _locked_phase(phase)
        check_accepted(team=locked, phase=current, variant=variant, now=now)
        return locked, current

    return _add_entry(new=new, variant=variant, lock=lock, actor=actor, now=now)


def _locked_phase(phase: Phase) -> Phase:
    """Return the phase, whose items can't change until the entry is stored. Raise EntryError."""
    rows = Phase.objects.select_for_update(of=("self",)).select_related("benchmark")
    current = rows.filter(pk=phase.pk).first()
    if current is None or sorted(current.partitions) != sorted(phase.partitions):
        raise EntryError("The items of the phase have just changed. Download the inputs again.")
    return current


def add_baseline(*, phase: Phase, name: str, new: NewEntry, actor: str, now: datetime) -> Entry:
    """Add the entry of a baseline, which no deadline and no limit applies to. Raise EntryError."""
    _check_file(new)
    variant = _variant(phase.benchmark, new.variant)

    def lock() -> tuple[Team, Phase]:
        return _baseline_team(phase.benchmark, name, actor, now), _locked_phase(phase)

    return _add_entry(new=new, variant=variant, lock=lock, actor=actor, now=now)


def _add_entry(
    *,
    new: NewEntry,
    variant: str,
    lock: Callable[[], tuple[Team, Phase]],
    actor: str,
    now: datetime,
) -> Entry:
    """Store the file, and an entry of the team and phase that `lock` returns or refuses."""
    system, digest = _readable(new.system), _sha256(new.file)
    stored = store_uploads([new.file])
    try:
        with transaction.atomic():
            team, phase = lock()
            entry = Entry.objects.create(
                team=team,
                phase=phase,
                variant=variant,
                system=system,
                description=new.description,
                file=stored[0],
                sha256=digest,
                created_by=actor,
                created_at=now,
            )
            _queue(entry, actor, now)
    except BaseException:
        delete_uploads(stored)
        raise
    return entry


def _baseline_team(benchmark: Benchmark, name: str, actor: str, now: datetime) -> Team:
    row = Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)
    name = _readable(name)
    team = team_named(benchmark=row, name=name)
    if team is not None and not team.is_baseline:
        raise EntryError("A team has this name. Choose another for the baseline.")
    if team is None:
        team = Team.objects.create(
            benchmark=row,
            name=name,
            is_baseline=True,
            code=new_code(),
            created_by=actor,
            created_at=now,
        )
        log_state_change(instance=team, old="", new="registered", actor=actor, now=now)
    return team


def _queue(entry: Entry, actor: str, now: datetime) -> None:
    entry.job = queue_job(
        kind=SCORING,
        scope=entry.phase.benchmark.release.project.slug,
        parameters={"entry": entry.pk, "title": f"{entry.system} of {entry.team.name}"},
        actor=actor,
        now=now,
    )
    entry.save(update_fields=["job"])
    log_state_change(instance=entry, old="", new="received", actor=actor, now=now)


def check_accepted(*, team: Team, phase: Phase, variant: str, now: datetime) -> None:
    """Raise EntryError unless the phase is open and the team may enter, and LimitError at a limit."""
    if team.withdrawn_at is not None:
        raise EntryError("The team was withdrawn, so it can't enter anything more.")
    if not phase.has_started(now):
        raise EntryError(f"The {phase.get_kind_display()} phase has not started.")
    if phase.has_ended(now):
        raise EntryError(f"The {phase.get_kind_display()} phase has ended.")
    own = _of_task(team, phase, variant)
    today = own.filter(created_at__gte=_day(now))
    if today.filter(state=EntryState.REFUSED).count() >= REFUSED_FACTOR * phase.max_per_day:
        raise LimitError("Too many files were refused today. Check the file, and try tomorrow.")
    left = left_for(team=team, phase=phase, variant=variant, now=now)
    if left.total <= 0:
        raise LimitError(f"The team has used all {phase.max_total} entries of the phase.")
    if left.today <= 0:
        raise LimitError(
            f"The team has used today's {phase.max_per_day} entries. A new day starts at 00:00 UTC."
        )


def left_for(*, team: Team, phase: Phase, variant: str, now: datetime) -> Left:
    """Return how many entries are left for a task. Withdrawn entries count, and refused ones don't."""
    used = _of_task(team, phase, variant).exclude(state=EntryState.REFUSED)
    total = phase.max_total - used.count()
    today = phase.max_per_day - used.filter(created_at__gte=_day(now)).count()
    return Left(today=max(0, min(today, total)), total=max(0, total))


def _of_task(team: Team, phase: Phase, variant: str) -> QuerySet[Entry]:
    return Entry.objects.filter(team=team, phase=phase, variant=variant)


def _day(now: datetime) -> datetime:
    """Return the beginning of the day in UTC."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def next_day(now: datetime) -> datetime:
    """Return when the limits of a day start again."""
    return _day(now) + timedelta(days=1)


def _check_file(new: NewEntry) -> None:
    size = new.file.size or 0
    if not size:
        raise EntryError("The file is empty.")
    if size > MAX_FILE_BYTES:
        raise EntryError(f"The file is larger than {MAX_FILE_BYTES >> 20} MiB, which is the limit.")


def _variant(benchmark: Benchmark, variant: str) -> str:
    """Return the task of an entry, by default the first. Raise EntryError for an unknown one."""
    variants = scoring_of(benchmark).variants
    variant = variant or next(iter(variants), "")
    if variant and not variants:
        raise EntryError("The benchmark has no tasks to choose from. Leave the task out.")
    if variant and variant not in variants:
        raise EntryError(f"There is no task {variant[:20]!r}. Choose from: {', '.join(variants)}.")
    return variant


def _readable(name: str) -> str:
    """Return the name of a system or a baseline. Raise EntryError if it can't be read."""
    name = clean_name(name)
    if not name or not is_readable(name):
        raise EntryError("The name has invisible characters. Type it again.")
    return name


def _sha256(file: "UploadedFile[bytes]") -> str:
    digest = hashlib.sha256()
    chunks: Iterable[bytes] = file.chunks()
    for chunk in chunks:
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


@transaction.atomic
def withdraw_entry(*, entry: Entry, actor: str, now: datetime, reason: str = "") -> None:
    """Take an entry off the leaderboard. It still counts towards the limits."""
    row = Entry.objects.select_for_update(of=("self",)).get(pk=entry.pk)
    if row.withdrawn_at is not None:
        return
    Entry.objects.filter(pk=row.pk).update(
        withdrawn_at=now, withdrawn_by=actor, withdrawal_reason=reason
    )
    log_state_change(instance=row, old="", new="withdrawn", actor=actor, now=now, reason=reason)
    entry.refresh_from_db(fields=["withdrawn_at", "withdrawn_by", "withdrawal_reason"])
