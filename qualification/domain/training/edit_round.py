"""Changes to a round that is set up, except to its items."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.money.pay_scheme import PaySchemeError, check_pay_scheme
from crowd.domain.workers.qualifications import system_requirements
from qualification.domain.pool.production_roles import production_roles
from qualification.domain.rounds.set_up_rounds import preceding_round
from qualification.domain.training.invite_passed import invite_passed
from qualification.enums import AfterPassing, RoundEntry
from qualification.models import Round
from schemes.contract.values import Json

# The marketplace's own qualifications that the page can show
NAMES = ("approval-rate", "hits-approved", "locale")


class RoundEditError(TouchstoneError):
    """The round cannot be changed in this way. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Admission:
    """Requirements on the share and number of HITs approved, and on two-letter countries."""

    approval_rate: int | None = None
    hits_approved: int | None = None
    locales: tuple[str, ...] = ()


def admission_of(round: Round) -> Admission:
    """Return the requirements that the page can show."""
    values: dict[str, Any] = {}
    for requirement in round.requirements:
        name = requirement.get("system")
        if name == "locale":
            values["locales"] = tuple(requirement["locales"])
        elif name in NAMES:
            values[name.replace("-", "_")] = requirement["integers"][0]
    return Admission(**values)


@transaction.atomic
def edit_round(
    *, round: Round, admission: Admission, changes: dict[str, Any], actor: str, now: datetime
) -> list[str]:
    """Change fields of the round, log the changes, and return the names of the changed fields.

    Thresholds and what follows a pass apply at once. Other changes apply from the next cohort on. A
    change of who may enter invites those who passed the previous round. Raise RoundEditError.
    """
    round = Round.objects.select_for_update(of=("self",)).select_related("project").get(pk=round.pk)
    _check(round, changes)
    new = {**changes, "requirements": _requirements(round, admission)}
    old = {name: getattr(round, name) for name in new}
    changed = [name for name in new if old[name] != new[name]]
    if not changed:
        return []
    for name in changed:
        setattr(round, name, new[name])
    round.save(update_fields=changed)
    log_reason = "; ".join(_changed(name, old[name], new[name]) for name in changed)
    log_state_change(
        instance=round, old="set up", new="edited", actor=actor, now=now, reason=log_reason
    )
    if "entry" in changed:
        invite_passed(round=round, actor=actor, now=now)
    return changed


def pool_roles_after(*, round: Round, choice: str) -> list[str]:
    """Return the roles that a pass opens. Roles stay as they are if the choice is the same or empty."""
    if choice == AfterPassing.NEXT_ROUND:
        return []
    if choice == AfterPassing.PRODUCTION and not round.pool_roles:
        return production_roles(project=round.project, role=round.role)
    roles: list[str] = round.pool_roles
    return roles


def _changed(name: str, old: Any, new: Any) -> str:
    """Describe a change for the log. Structured values are not shown."""
    title = name.replace("_", " ")
    if name == "pool_roles":
        return f"after passing: {_following(old)} -> {_following(new)}"
    if isinstance(old, dict | list) or isinstance(new, dict | list):
        return f"{title} changed"
    return f"{title}: {'none' if old is None else old} -> {'none' if new is None else new}"


def _following(pool_roles: list[str]) -> str:
    return f"production ({', '.join(pool_roles)})" if pool_roles else "next round"


def _check(round: Round, changes: dict[str, Any]) -> None:
    entry, guidelines = changes["entry"], changes["guidelines"]
    if entry == RoundEntry.PASSED and preceding_round(round) is None:
        raise RoundEditError("There is no round before this one that workers could pass.")
    share = changes["items_per_worker"]
    if share is not None and not 0 < share <= round.round_items.count():
        raise RoundEditError(
            f"A worker can do 1 to {round.round_items.count()} items of this round."
        )
    if guidelines and (guidelines.project_id, guidelines.role) != (round.project_id, round.role):
        raise RoundEditError("These guidelines belong to another project or role.")
    if changes["terms"] is not None:
        try:
            check_pay_scheme({round.role: changes["terms"]})
        except PaySchemeError as error:
            raise RoundEditError(f"This pay can't be used: {error}") from error
    at_work = round.enrolments.filter(cohort__isnull=False, state__in=("invited", "working"))
    if entry != round.entry and at_work.exists():
        raise RoundEditError(
            "Workers are doing this round now. Change who may enter after they finish."
        )


def _requirements(round: Round, admission: Admission) -> list[Json]:
    """Return the requirements of the page and those that the page cannot show."""
    if admission == admission_of(round):
        return list(round.requirements)
    others = [
        requirement for requirement in round.requirements if requirement.get("system") not in NAMES
    ]
    try:
        return [*system_requirements(**asdict(admission)), *others]
    except ValueError as error:
        raise RoundEditError(str(error)) from error
