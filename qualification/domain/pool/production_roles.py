"""The rounds that admit workers to production, and the roles that they open."""

from datetime import datetime

from audit.domain.change_state import log_state_change
from projects.enums import Role
from projects.models import Project
from qualification.enums import EnrolmentState, RoundKind
from qualification.models import Round

TRAINED_BY_GENERATING = (Role.GENERATOR, Role.CONSOLIDATOR, Role.VALIDATOR)


def production_roles(*, project: Project, role: str) -> list[str]:
    """Return the roles in production that passing the training for a role opens.

    Trained generators also consolidate, unless consolidators have their own rounds.
    """
    if role != Role.GENERATOR:
        return [role]
    has_own_rounds = project.rounds.filter(role=Role.CONSOLIDATOR).exists()
    return [
        str(opened)
        for opened in TRAINED_BY_GENERATING
        if opened != Role.CONSOLIDATOR or not has_own_rounds
    ]


def admitted_roles(*, project: Project, role: str) -> list[str]:
    """Return the roles that the last round that admits to production opens, or else would open."""
    for round in project.rounds.filter(role=role).order_by("-ordinal"):
        if round.pool_roles:
            return list(round.pool_roles)
    return production_roles(project=project, role=role)


def lead_to_next_round(*, new: Round, actor: str, now: datetime) -> None:
    """Make this round follow the earlier rounds without passed workers, instead of production."""
    earlier = new.project.rounds.filter(role=new.role, ordinal__lt=new.ordinal)
    for round in earlier.exclude(enrolments__state=EnrolmentState.PASSED):
        if round.pool_roles:
            _change(round, [], f"leads to {new.title} instead of production", actor, now)


def admit_after_last_round(*, project: Project, role: str, actor: str, now: datetime) -> None:
    """Let the last training round admit to production if no round does."""
    rounds = list(project.rounds.filter(role=role, kind=RoundKind.TRAINING).order_by("ordinal"))
    if rounds and not any(round.pool_roles for round in rounds):
        roles = production_roles(project=project, role=role)
        _change(rounds[-1], roles, "admits to production as the last round", actor, now)


def _change(round: Round, roles: list[str], reason: str, actor: str, now: datetime) -> None:
    round.pool_roles = roles
    round.save(update_fields=["pool_roles"])
    log_state_change(
        instance=round, old="set up", new="edited", actor=actor, now=now, reason=reason
    )
