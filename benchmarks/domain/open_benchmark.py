"""Open a release as a benchmark, change its phases, and close it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_change
from benchmarks.domain.errors import BenchmarkError
from benchmarks.enums import PhaseKind
from benchmarks.models import Benchmark, Phase
from releases.domain.released import Released
from releases.models import Release

MAX_RULES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseTerms:
    """What organisers choose for a phase."""

    kind: str
    partitions: Sequence[str]
    starts_at: datetime
    ends_at: datetime
    max_per_day: int
    max_total: int
    shows_scores: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkTerms:
    """What organisers choose for a benchmark. It has a phase or two."""

    title: str
    rules: str
    ranked_by: str
    has_public_leaderboard: bool
    phases: Sequence[PhaseTerms]


def reason_against(release: Release) -> str:
    """Return why the release can't be opened as a benchmark, or ""."""
    scheme = Released(release).scheme
    if scheme.scoring is None:
        return f"{scheme.title} projects have no evaluation of systems, so entries can't be scored."
    return ""


def released_partitions(release: Release) -> list[str]:
    """Return the partitions of the released items. Items without one have ""."""
    partitions = release.items.order_by().values_list("partition", flat=True).distinct()
    return sorted(set(partitions))


@transaction.atomic
def open_benchmark(
    *, release: Release, terms: BenchmarkTerms, actor: str, now: datetime
) -> Benchmark:
    """Open the release as a benchmark. Raise BenchmarkError."""
    Release.objects.select_for_update(of=("self",)).get(pk=release.pk)
    if reason := reason_against(release):
        raise BenchmarkError(reason)
    if Benchmark.objects.filter(release=release).exists():
        raise BenchmarkError("The release is a benchmark already.")
    _check(release, terms)
    benchmark = Benchmark.objects.create(
        release=release,
        title=terms.title,
        rules=terms.rules,
        ranked_by=terms.ranked_by,
        has_public_leaderboard=terms.has_public_leaderboard,
        opened_by=actor,
        opened_at=now,
    )
    for phase in terms.phases:
        Phase.objects.create(benchmark=benchmark, **_values(phase))
    log_state_change(instance=benchmark, old="", new="opened", actor=actor, now=now)
    return benchmark


@transaction.atomic
def change_benchmark(
    *, benchmark: Benchmark, terms: BenchmarkTerms, actor: str, now: datetime
) -> None:
    """Change the benchmark. Raise BenchmarkError.

    The items of a phase with entries can't change, and such a phase can't be removed.
    """
    row = Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)
    _check(row.release, terms)
    _check_phases_with_entries(row, terms)
    Benchmark.objects.filter(pk=row.pk).update(
        title=terms.title,
        rules=terms.rules,
        ranked_by=terms.ranked_by,
        has_public_leaderboard=terms.has_public_leaderboard,
    )
    kinds = [phase.kind for phase in terms.phases]
    row.phases.exclude(kind__in=kinds).delete()
    for phase in terms.phases:
        Phase.objects.update_or_create(benchmark=row, kind=phase.kind, defaults=_values(phase))
    benchmark.refresh_from_db()
    log_state_change(instance=row, old="", new="edited", actor=actor, now=now)


def _values(phase: PhaseTerms) -> dict[str, object]:
    return {
        "kind": phase.kind,
        "partitions": list(phase.partitions),
        "starts_at": phase.starts_at,
        "ends_at": phase.ends_at,
        "max_per_day": phase.max_per_day,
        "max_total": phase.max_total,
        "shows_scores": phase.shows_scores,
    }


def _check(release: Release, terms: BenchmarkTerms) -> None:
    scoring = Released(release).scheme.get_scoring()
    if terms.ranked_by not in [measure.key for measure in scoring.measures if measure.is_main]:
        raise BenchmarkError("Rank systems by a main measure of the scheme.")
    if not terms.phases:
        raise BenchmarkError("A benchmark needs a phase. Choose the items of one.")
    known = released_partitions(release)
    for phase in terms.phases:
        label = PhaseKind(phase.kind).label
        if not phase.partitions or not set(phase.partitions) <= set(known):
            raise BenchmarkError(f"Choose released partitions for the {label} phase.")
        if phase.ends_at <= phase.starts_at:
            raise BenchmarkError(f"The {label} phase ends before it starts.")
        if not 0 < phase.max_per_day <= phase.max_total:
            raise BenchmarkError(
                f"In the {label} phase, allow at least one entry a day, and at least as many in total."
            )
    chosen = [name for phase in terms.phases for name in phase.partitions]
    if len(chosen) > len(set(chosen)):
        raise BenchmarkError(
            "Both phases score the same items. Choose a partition for one phase only."
        )


def _check_phases_with_entries(benchmark: Benchmark, terms: BenchmarkTerms) -> None:
    wanted = {phase.kind: sorted(phase.partitions) for phase in terms.phases}
    # An entry that is being stored must have the items of its inputs.
    for phase in benchmark.phases.select_for_update(of=("self",)):
        same = wanted.get(phase.kind) == sorted(phase.partitions)
        if not same and phase.entries.exists():
            raise BenchmarkError(
                f"The {phase.get_kind_display()} phase has entries, so its items can't change."
            )


@transaction.atomic
def close_benchmark(*, benchmark: Benchmark, actor: str, now: datetime) -> None:
    """End all phases now. The results stay, and scores of the phases that have started are shown."""
    row = Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)
    if row.closed_at is None:
        Benchmark.objects.filter(pk=row.pk).update(closed_at=now)
        log_state_change(instance=row, old="", new="closed", actor=actor, now=now)
    benchmark.refresh_from_db()
