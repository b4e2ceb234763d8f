"""Benchmarks, teams and entries as pages and the API look them up."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import QuerySet

from benchmarks.enums import PhaseKind
from benchmarks.models import Benchmark, Entry, Phase, Team
from projects.domain.queries import roles_in
from projects.enums import MemberRole
from releases.domain.released import Released
from schemes.contract.scoring import SystemScoring

User = AbstractBaseUser | AnonymousUser
# In the order of time.
ORDER = (PhaseKind.DEVELOPMENT, PhaseKind.TEST)
_STAFF = {MemberRole.ADMIN, MemberRole.REQUESTER}


def open_benchmarks() -> QuerySet[Benchmark]:
    """Return the benchmarks that visitors find, newest first. Closed ones stay with their results."""
    rows = Benchmark.objects.filter(release__project__deleted_at=None)
    return rows.select_related("release__project").order_by("-opened_at", "-pk")


def scoring_of(benchmark: Benchmark) -> SystemScoring:
    """Return how the scheme of the release scores systems."""
    return Released(benchmark.release).scheme.get_scoring()


def phases_of(benchmark: Benchmark) -> list[Phase]:
    """Return the phases in the order of time, with their benchmark."""
    phases = {phase.kind: phase for phase in benchmark.phases.all()}
    for phase in phases.values():
        phase.benchmark = benchmark
    return [phases[kind] for kind in ORDER if kind in phases]


def team_of(*, benchmark: Benchmark, user: User) -> Team | None:
    """Return the user's team, also if it was withdrawn."""
    return benchmark.teams.filter(members__user=user.pk).first() if user.pk else None


def entries_of(team: Team) -> QuerySet[Entry]:
    """Return the team's entries, newest first, without their large values."""
    rows = team.entries.defer("draws", "item_scores")
    return rows.select_related("team", "phase__benchmark", "job").order_by("-pk")


def may_see_leaderboard(*, benchmark: Benchmark, user: User) -> bool:
    """Return True for the project's staff and for members of teams, and if it is public for anybody."""
    if benchmark.has_public_leaderboard:
        return True
    roles = roles_in(project=benchmark.release.project, user=user) if user.pk else frozenset()
    return bool(roles & _STAFF) or team_of(benchmark=benchmark, user=user) is not None


def current_phase(benchmark: Benchmark, now: datetime) -> Phase | None:
    """Return the open phase, else the last one that has started, else the first."""
    phases = phases_of(benchmark)
    started = [phase for phase in phases if phase.has_started(now)]
    unfinished = [phase for phase in started if phase.is_open(now)]
    return next(iter([*reversed(unfinished), *reversed(started), *phases]), None)
