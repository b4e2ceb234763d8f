"""Hold the bonus of submissions that a person should check first.

The reward is paid as usual. The bonus stays reserved until a person accepts or declines it.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from statistics import median

from annotation.domain.award_bonus import units_of
from annotation.domain.item_context import context_of, headline_of
from annotation.domain.publish import batch_terms
from annotation.enums import HeldBonusState
from annotation.models import HeldBonus, Submission
from audit.domain.change_state import log_state_change
from crowd.models import Payment
from projects.enums import page_role
from schemes.base import Doubt
from schemes.registry import get_scheme

# The floor of active seconds per item is this share of the median of accepted work.
FLOOR_SHARE = 0.2
MOST_FLOOR_SECONDS = 60
LEAST_SEEN, NEWEST = 20, 200  # accepted submissions
MOST_REASONS = 6


def reasons_to_hold(submissions: Sequence[Submission]) -> list[Doubt]:
    """Return why a person should check the assignment's submissions. Most have no reason."""
    readable = [submission for submission in submissions if submission.is_readable]
    reasons = [reason for submission in readable for reason in _doubts(submission)]
    return [*reasons, *_speed_reason(submissions)][:MOST_REASONS]


def _doubts(submission: Submission) -> Iterator[Doubt]:
    assert submission.assignment
    scheme = get_scheme(submission.item.project.scheme)
    most = batch_terms(submission.assignment.hit.task.batch).get("hold_above_units", 0)
    units = units_of(submission)
    if most and units > most:
        number, limit = map(scheme.vocabulary.unit.count, (units, most))
        yield Doubt("units", f"{number}. Bonuses for more than {limit} are reviewed.")
    context, role = context_of(submission.item), page_role(submission.role)
    yield from scheme.content.doubts(submission.content, context, role)


def _speed_reason(submissions: Sequence[Submission]) -> Iterator[Doubt]:
    seconds = seconds_per_item(submissions)
    if seconds >= MOST_FLOOR_SECONDS:
        return  # without a query
    floor = least_seconds(submissions[0])
    if seconds < floor:
        item = get_scheme(submissions[0].item.project.scheme).vocabulary.item.singular
        text = f"{seconds:.0f} seconds of work. We expect at least {floor:.0f} seconds per {item}."
        yield Doubt("speed", text)


def seconds_per_item(submissions: Sequence[Submission]) -> float:
    """Return the active seconds per item of an assignment.

    The page reports them. Between acceptance and submission, which the marketplace confirmed, no
    person can have been active longer. Only simulated workers submit at once.
    """
    first = submissions[0]
    assert first.assignment
    assert first.worker
    elapsed = (first.assignment.submitted_at - first.assignment.accepted_at).total_seconds()
    seconds = float(first.active_seconds or elapsed)
    if not first.worker.is_simulated:
        seconds = min(seconds, elapsed)
    return seconds / len(submissions)


def least_seconds(submission: Submission) -> float:
    """Return the plausible minimum of active seconds for the submission's item.

    It is that of the pay terms, or a share of the median of accepted work of the role if that is
    higher.
    """
    assert submission.assignment
    fixed = batch_terms(submission.assignment.hit.task.batch).get("least_seconds", 0)
    if not fixed:
        return 0.0
    seen = _accepted_seconds(submission)
    learned = FLOOR_SHARE * median(seen) if len(seen) >= LEAST_SEEN else 0.0
    return min(MOST_FLOOR_SECONDS, max(fixed, learned))


def _accepted_seconds(submission: Submission) -> list[int]:
    """Return the active seconds of the newest accepted work of the project and role.

    Work whose bonus is held or declined does not count, nor that of simulated workers for people.
    """
    assert submission.worker
    project = submission.item.project
    unaccepted = HeldBonus.objects.filter(project=project).exclude(state=HeldBonusState.ACCEPTED)
    accepted = Submission.objects.accepted().filter(
        item__project=project,
        role=submission.role,
        active_seconds__gt=0,
        worker__is_simulated=submission.worker.is_simulated,
    )
    others = accepted.exclude(assignment__in=unaccepted.values("payment__assignment"))
    newest = others.exclude(assignment=submission.assignment_id).order_by("-pk")
    return list(newest.values_list("active_seconds", flat=True)[:NEWEST])


def hold_bonus(
    *, payment: Payment, submissions: Sequence[Submission], reasons: Sequence[Doubt], now: datetime
) -> None:
    """Queue the bonus for a person's decision, with news for the worker. A repeat does nothing."""
    project = submissions[0].item.project
    held, created = HeldBonus.objects.get_or_create(
        payment=payment,
        defaults={
            "project": project,
            "reasons": [{"code": reason.code, "text": reason.text} for reason in reasons],
            "held_at": now,
            "news": _news(payment, submissions, reasons),
            "news_at": now,
        },
    )
    if not created:
        return
    codes = ", ".join(reason.code for reason in reasons)
    log_state_change(
        instance=held, old="", new=held.state, actor="automatic check", now=now, reason=codes
    )


def _news(payment: Payment, submissions: Sequence[Submission], reasons: Sequence[Doubt]) -> str:
    listed = "\n".join(f"- {reason.text}" for reason in reasons)
    return (
        f"Thank you for your work on {work_title(submissions)}. Your reward is paid as usual. "
        f"Your bonus of ${payment.amount_cents / 100:.2f} will be paid after a review, for these "
        f"reasons:\n{listed}"
    )


def work_title(submissions: Sequence[Submission]) -> str:
    """Return a name of the work that its worker recognizes."""
    headlines = [
        headline_of(submission.item, submission.item.project) for submission in submissions
    ]
    return f"“{'”, “'.join(headlines[:3])}” (assignment {submissions[0].assignment})"
