"""Decide several held bonuses at once, by worker and reason."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q

from annotation.domain.decisions.decide_submission import accept_assignment
from annotation.domain.decisions.review_bonus import accept_bonus, decline_bonus
from annotation.domain.publishing.queries import held_bonuses_of, waiting_work
from annotation.enums import BonusDecision, HeldBonusState
from annotation.models import HeldBonus
from audit.errors import TouchstoneError
from projects.models import Project

LABELS = {"units": "many {units}", "speed": "fast work", "signals": "signals of how it was entered"}


@dataclass(frozen=True, slots=True)
class BonusGroup:
    """The held bonuses of a worker that have the same kinds of reasons. Cents are without fees."""

    worker: str
    codes: str
    ids: tuple[int, ...]
    cents: int
    fee_cents: int

    @property
    def key(self) -> str:
        return f"{self.worker} {self.codes}"

    @property
    def count(self) -> int:
        return len(self.ids)


@dataclass(slots=True)
class Outcome:
    """The bonuses that were decided, and the others with the reason."""

    done: list[HeldBonus] = field(default_factory=list)
    failed: list[tuple[HeldBonus, str]] = field(default_factory=list)


def groups_of(bonuses: Iterable[HeldBonus]) -> list[BonusGroup]:
    """Return the groups of the bonuses, those with the most bonuses first."""
    members: dict[tuple[str, str], list[HeldBonus]] = defaultdict(list)
    for held in bonuses:
        members[held.payment.assignment.worker.pseudonym, reason_codes(held)].append(held)
    groups = [
        BonusGroup(
            worker=worker,
            codes=codes,
            ids=tuple(held.pk for held in rows),
            cents=sum(held.payment.amount_cents for held in rows),
            fee_cents=sum(held.payment.fee_cents for held in rows),
        )
        for (worker, codes), rows in members.items()
    ]
    return sorted(groups, key=lambda group: (-group.count, group.worker, group.codes))


def reason_codes(held: HeldBonus) -> str:
    """Return the codes of the bonus's reasons, such as "speed+units"."""
    return "+".join(sorted({reason["code"] for reason in held.reasons}))


def describe_codes(codes: str, *, units: str) -> str:
    """Return the codes as text. `units` is the scheme's noun of what is paid."""
    texts = [
        LABELS.get(code, code.replace("-", " ")).format(units=units) for code in codes.split("+")
    ]
    return ", ".join(texts)


def held_in_groups(*, project: Project) -> list[BonusGroup]:
    """Return the groups of all bonuses that wait for a decision."""
    rows = held_bonuses_of(project=project).prefetch_related(None)
    return groups_of(rows.select_related(None).select_related("payment__assignment__worker"))


def chosen_bonuses(
    *, project: Project, ids: Collection[int], groups: Collection[str]
) -> list[HeldBonus]:
    """Return the bonuses with these ids or in these groups that still wait for a decision."""
    in_groups = {
        pk for group in held_in_groups(project=project) if group.key in groups for pk in group.ids
    }
    waiting = held_bonuses_of(project=project)
    return list(waiting.filter(Q(pk__in=ids) | Q(pk__in=in_groups)))


def decide_bonuses(
    *,
    bonuses: Sequence[HeldBonus],
    decision: BonusDecision,
    text: str,
    actor: str,
    now: datetime,
) -> Outcome:
    """Decide each bonus in a transaction of its own. The workers read `text`.

    It is the reason of a declined bonus, and a note with an accepted one.
    """
    outcome = Outcome()
    for held in bonuses:
        try:
            if decision == BonusDecision.ACCEPT:
                accept_bonus(held=held, note=text, actor=actor, now=now)
            else:
                decline_bonus(held=held, reason=text, actor=actor, now=now)
        except (TouchstoneError, ValueError) as error:
            outcome.failed.append((held, str(error)))
        else:
            outcome.done.append(held)
    return outcome


def pay_waiting_work(*, project: Project, actor: str, now: datetime) -> tuple[int, int]:
    """Accept all work and pay all bonuses that wait for consolidation, for example before an archive.

    Return the numbers of assignments and of bonuses.
    """
    work = list(waiting_work(project=project).order_by("pk"))
    for assignment in work:
        accept_assignment(assignment=assignment, actor=actor, now=now)
    waiting = HeldBonus.objects.filter(project=project, state=HeldBonusState.WAITING)
    outcome = decide_bonuses(
        bonuses=list(waiting.select_related("payment").order_by("pk")),
        decision=BonusDecision.ACCEPT,
        text="",
        actor=actor,
        now=now,
    )
    return len(work), len(outcome.done)
