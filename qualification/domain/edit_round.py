"""What can be changed of a round that is set up: everything but its items."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import Guidelines
from audit.domain.change_state import log_state_change
from crowd.domain.pay_scheme import PaySchemeError, Terms, check_pay_scheme
from crowd.domain.qualifications import system_requirements
from qualification.domain.decide import preceding_round
from qualification.enums import RoundEntry
from qualification.models import Enrolment, Round
from schemes.base import Json

# The marketplace's own qualifications that the page names, as stored; older rounds have their ids.
NAMES = {
    "approval-rate": "approval-rate",
    "000000000000000000L0": "approval-rate",
    "hits-approved": "hits-approved",
    "00000000000000000040": "hits-approved",
    "locale": "locale",
    "00000000000000000071": "locale",
}


class EditRefused(Exception):
    """The round can't be changed like this; the message says why."""


@dataclass(frozen=True, slots=True)
class Admission:
    """What the marketplace's own qualifications ask: percent of work approved, HITs approved,
    countries (two capitals)."""

    approval_rate: int | None = None
    hits_approved: int | None = None
    locales: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoundChanges:
    """A round as its page has it; see `qualification.models.Round`."""

    title: str
    entry: str
    thresholds: dict[str, float]
    admission: Admission
    items_per_worker: int | None
    terms: Terms | None
    guidelines: Guidelines | None


def admission_of(one: Round) -> Admission:
    """The requirements that the page can show; others stay as they are."""
    found: dict[str, Any] = {}
    for asked in one.requirements:
        name = NAMES.get(asked.get("system", ""))
        if name == "locale":
            found["locales"] = tuple(asked["locales"])
        elif name:
            found[name.replace("-", "_")] = asked["integers"][0]
    return Admission(**found)


@transaction.atomic
def edit_round(*, round: Round, changes: RoundChanges, actor: str, now: datetime) -> list[str]:
    """Change the round and log what was changed; returns the names of the fields. What has been
    published stays as it was offered: pay, guidelines, admission and hands hold from the next intake
    on, thresholds at once. Raises EditRefused."""
    round = Round.objects.select_for_update(of=("self",)).select_related("project").get(pk=round.pk)
    _check(round, changes)
    new = {
        "title": changes.title,
        "entry": changes.entry,
        "thresholds": changes.thresholds,
        "requirements": _requirements(round, changes.admission),
        "items_per_worker": changes.items_per_worker,
        "terms": changes.terms,
        "guidelines": changes.guidelines,
    }
    old = {name: getattr(round, name) for name in new}
    changed = [name for name in new if old[name] != new[name]]
    if not changed:
        return []
    for name in changed:
        setattr(round, name, new[name])
    round.save(update_fields=changed)
    told = "; ".join(f"{name}: {old[name]} -> {new[name]}" for name in changed)
    log_state_change(instance=round, old="set up", new="edited", actor=actor, now=now, reason=told)
    return changed


def _check(one: Round, changes: RoundChanges) -> None:
    if changes.entry == RoundEntry.PASSED and preceding_round(one) is None:
        raise EditRefused("There is no round before this one that anybody could have passed.")
    share = changes.items_per_worker
    if share is not None and not 0 < share <= one.round_items.count():
        raise EditRefused(
            f"A worker can be asked for 1 to {one.round_items.count()} items of this round."
        )
    if changes.guidelines and (
        changes.guidelines.project_id != one.project_id or changes.guidelines.role != one.role
    ):
        raise EditRefused("These guidelines are another project's, or for another role.")
    if changes.terms is not None:
        try:
            check_pay_scheme({one.role: changes.terms})
        except PaySchemeError as error:
            raise EditRefused(f"This pay can't be used: {error}") from error
    if changes.entry != one.entry and _has_seated(one):
        raise EditRefused(
            "Workers are doing this round now: who may enter can be changed when they are through."
        )


def _has_seated(one: Round) -> bool:
    return Enrolment.objects.filter(
        round=one, intake__isnull=False, state__in=("invited", "working")
    ).exists()


def _requirements(one: Round, admission: Admission) -> list[Json]:
    """As asked for on the page, and whatever it can't show."""
    if admission == admission_of(one):
        return list(one.requirements)
    kept = [asked for asked in one.requirements if asked.get("system") not in NAMES]
    try:
        return [*system_requirements(**asdict(admission)), *kept]
    except ValueError as error:
        raise EditRefused(str(error)) from error
