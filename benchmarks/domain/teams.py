"""Teams: register, join, leave and withdraw."""

import secrets
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from audit.domain.change_state import log_state_change
from benchmarks.domain.errors import TeamError
from benchmarks.domain.names import clean_name, is_readable, name_key
from benchmarks.domain.queries import team_of
from benchmarks.models import Benchmark, Team, TeamMember

MAX_MEMBERS = 20


def new_code() -> str:
    """Return a code that can't be guessed, with which people join a team."""
    return secrets.token_urlsafe(24)


def team_named(*, benchmark: Benchmark, name: str) -> Team | None:
    """Return the team or baseline whose name looks like this one."""
    key = name_key(name)
    return next((team for team in benchmark.teams.all() if name_key(team.name) == key), None)


@transaction.atomic
def register_team(
    *,
    benchmark: Benchmark,
    user: User,
    name: str,
    affiliation: str = "",
    description: str = "",
    now: datetime,
) -> Team:
    """Register a team with the user as its first member. Raise TeamError."""
    row = _locked(benchmark)
    if row.closed_at is not None:
        raise TeamError("The benchmark is closed, so no team can be registered.")
    _check_free(row, user)
    name, affiliation = clean_name(name), clean_name(affiliation)
    if not name or not is_readable(name) or not is_readable(affiliation):
        raise TeamError("The name or the affiliation has invisible characters. Type it again.")
    if team_named(benchmark=row, name=name) is not None:
        raise TeamError("Another team has this name. Choose another.")
    team = Team.objects.create(
        benchmark=row,
        name=name,
        affiliation=affiliation,
        description=description,
        code=new_code(),
        created_by=user.get_username(),
        created_at=now,
    )
    TeamMember.objects.create(benchmark=row, team=team, user=user, joined_at=now)
    log_state_change(instance=team, old="", new="registered", actor=user.get_username(), now=now)
    return team


@transaction.atomic
def join_team(*, team: Team, user: User, now: datetime) -> None:
    """Add the user to the team. Raise TeamError."""
    row = _locked(team.benchmark)
    if team_of(benchmark=row, user=user) == team:
        return
    _check_free(row, user)
    if Team.objects.get(pk=team.pk).withdrawn_at is not None or row.closed_at is not None:
        raise TeamError("The team no longer takes part.")
    if team.members.count() >= MAX_MEMBERS:
        raise TeamError(f"The team has {MAX_MEMBERS} members, which is the limit.")
    TeamMember.objects.create(benchmark=row, team=team, user=user, joined_at=now)
    log_state_change(instance=team, old="", new="joined", actor=user.get_username(), now=now)


@transaction.atomic
def withdraw_team(*, team: Team, actor: str, now: datetime, reason: str = "") -> None:
    """Take the team and its entries off the leaderboards. It can't enter anything more."""
    row = Team.objects.select_for_update(of=("self",)).get(pk=team.pk)
    if row.withdrawn_at is not None:
        return
    Team.objects.filter(pk=row.pk).update(
        withdrawn_at=now, withdrawn_by=actor, withdrawal_reason=reason
    )
    log_state_change(instance=row, old="", new="withdrawn", actor=actor, now=now, reason=reason)
    team.refresh_from_db()


def _locked(benchmark: Benchmark) -> Benchmark:
    return Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)


def _check_free(benchmark: Benchmark, user: User) -> None:
    if (team := team_of(benchmark=benchmark, user=user)) is not None:
        raise TeamError(f"You are in the team {team.name}. An account belongs to one team.")
