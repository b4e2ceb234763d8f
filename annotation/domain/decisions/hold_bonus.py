"""Hold the bonus of submissions that a person should check first.

The reward is paid as usual. The bonus stays reserved until a person accepts or declines it.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from math import ceil
from statistics import median

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import translation
from django.utils.translation import gettext

from annotation.domain.corpus.item_context import context_of, headline_of
from annotation.domain.decisions.award_bonus import units_of
from annotation.domain.decisions.project_signals import signal_reasons
from annotation.domain.publishing.publish import batch_terms
from annotation.enums import HeldBonusState
from annotation.models import HeldBonus, Submission, Task
from annotation.translated import translated
from audit.domain.change_state import log_state_change
from crowd.domain.money.announce_bonuses import announce_bonus
from crowd.domain.money.pay_scheme import Terms
from crowd.domain.workers.languages import language_of
from crowd.enums import AnnouncementStatus
from crowd.models import Payment
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.domain.webhook_events import record_event
from projects.enums import WebhookEvent, page_role
from projects.models import Project
from schemes.contract.content import CheckedWork, ReviewReason
from schemes.contract.texts import Translatable, joined, text_parts
from schemes.contract.values import Json
from web.money import dollars

# The floor of active seconds per item is this share of the median of accepted work.
FLOOR_SHARE = 0.2
MAX_FLOOR_SECONDS = 60
MIN_SEEN, NEWEST = 20, 200  # accepted submissions
MAX_REASONS = 6
RECENT = 20  # submissions of the worker that content is compared with


def reasons_to_hold(submissions: Sequence[Submission]) -> list[ReviewReason]:
    """Return why a person should check the assignment's submissions. Most have no reason."""
    readable = [submission for submission in submissions if submission.is_readable]
    reasons = [reason for submission in readable for reason in _review_reasons(submission)]
    signals = [reason for submission in readable for reason in signal_reasons(submission)]
    return [*reasons, *speed_reason(submissions), *signals][:MAX_REASONS]


def _review_reasons(submission: Submission) -> Iterator[ReviewReason]:
    assert submission.assignment
    scheme = scheme_of(submission.item.project)
    most = batch_terms(submission.assignment.hit.task.batch).get("hold_above_units", 0)
    units = units_of(submission)
    if most and units > most:
        number, limit = map(scheme.vocabulary.unit.count, (units, most))
        text = Translatable(
            "%(units)s. Bonuses for more than %(limit)s are reviewed.", units=number, limit=limit
        )
        yield ReviewReason("units", text)
    work = CheckedWork(
        content=submission.content,
        context=context_of(submission.item),
        role=page_role(submission.role),
        others=_others(submission),
        recent=_recent(submission),
    )
    yield from scheme.content.review_reasons(work)


def _others(submission: Submission) -> Iterable[Json]:
    """Return the accepted work of others on the item, without that with a held or declined bonus."""
    accepted = _accepted(submission.item.project, submission.role)
    return (
        accepted.filter(item=submission.item_id)
        .exclude(worker=submission.worker_id)
        .values_list("content", flat=True)
    )


def _recent(submission: Submission) -> Iterable[Json]:
    """Return the worker's newest usable work on other items in the role, with the assignment's."""
    usable = Submission.objects.usable().filter(
        item__project=submission.item.project_id, role=submission.role, worker=submission.worker_id
    )
    newest = usable.exclude(item=submission.item_id).order_by("-pk")
    return newest.values_list("content", flat=True)[:RECENT]


def speed_reason(submissions: Sequence[Submission]) -> Iterator[ReviewReason]:
    """Yield the reason if the assignment took less time per item than is plausible."""
    seconds = seconds_per_item(submissions)
    if seconds >= MAX_FLOOR_SECONDS:
        return  # without a query
    floor = least_seconds(submissions[0])
    if seconds < floor:
        item = scheme_of(submissions[0].item.project).vocabulary.item.singular
        text = Translatable(
            "%(count)s second of work. We expect at least %(least)s seconds per %(item)s.",
            plural="%(count)s seconds of work. We expect at least %(least)s seconds per %(item)s.",
            count=round(seconds),
            least=f"{floor:.0f}",
            item=Translatable(item),
        )
        yield ReviewReason("speed", text)


def seconds_per_item(submissions: Sequence[Submission]) -> float:
    """Return the active seconds per item of an assignment, or its whole time if they are unknown."""
    first = submissions[0]
    assert first.assignment
    elapsed = first.assignment.submitted_at - first.assignment.accepted_at
    return (first.active_seconds or elapsed.total_seconds()) / len(submissions)


def least_seconds(submission: Submission) -> float:
    """Return the plausible minimum of active seconds for the submission's item.

    It is that of the pay terms, or a share of the median of accepted work of the role if that is
    higher.
    """
    assert submission.assignment
    assert submission.worker
    fixed = batch_terms(submission.assignment.hit.task.batch).get("least_seconds", 0)
    if not fixed:
        return 0.0
    accepted = _timed(submission.item.project, submission.role, submission.worker.is_simulated)
    return _floor(fixed, _seconds(accepted.exclude(assignment=submission.assignment_id)))


def stated_terms(*, task: Task) -> Terms:
    """Return the task's pay terms with the whole seconds below which bonuses of people are held now.

    The page states them before the work is submitted. The median is a few seconds old.
    """
    terms = batch_terms(task.batch)
    if not terms.get("least_seconds"):
        return terms
    seen = figures_of(seconds_of_people, task.role, project=task.batch.project).value
    return {**terms, "least_seconds": ceil(_floor(terms["least_seconds"], seen))}


def seconds_of_people(role: str, *, project: Project) -> list[int]:
    """Return the active seconds of people's newest accepted work in the role."""
    return _seconds(_timed(project, role, is_simulated=False))


def _floor(fixed: int, seen: Sequence[int]) -> float:
    learned = FLOOR_SHARE * median(seen) if len(seen) >= MIN_SEEN else 0.0
    return min(MAX_FLOOR_SECONDS, max(fixed, learned))


def _seconds(submissions: QuerySet[Submission]) -> list[int]:
    return list(submissions.order_by("-pk").values_list("active_seconds", flat=True)[:NEWEST])


def _timed(project: Project, role: str, is_simulated: bool) -> QuerySet[Submission]:
    """Return the accepted work with known seconds, of people or of simulated workers."""
    return _accepted(project, role).filter(active_seconds__gt=0, worker__is_simulated=is_simulated)


def _accepted(project: Project, role: str) -> QuerySet[Submission]:
    """Return the accepted work of the project and role whose bonus is neither held nor declined."""
    unaccepted_states = [HeldBonusState.HELD, HeldBonusState.DECLINED]
    unaccepted = HeldBonus.objects.filter(
        payment__assignment=OuterRef("assignment"), state__in=unaccepted_states
    )
    accepted = Submission.objects.accepted().filter(item__project=project, role=role)
    return accepted.filter(~Exists(unaccepted))


def hold_bonus(
    *,
    payment: Payment,
    submissions: Sequence[Submission],
    reasons: Sequence[ReviewReason],
    now: datetime,
) -> None:
    """Queue the bonus for a person's decision, with news for the worker. A repeat does nothing."""
    project = submissions[0].item.project
    with translation.override(language_of(submissions[0].worker)):
        news = _news(payment, submissions, reasons)
        announced = translated(joined(reason.text for reason in reasons))
    held, created = HeldBonus.objects.get_or_create(
        payment=payment,
        defaults={
            "project": project,
            "earned_cents": payment.amount_cents,
            "terms": batch_terms(payment.assignment.hit.task.batch),
            "reasons": [stored_reason(reason) for reason in reasons],
            "held_at": now,
            "news": news,
            "news_at": now,
        },
    )
    if not created:
        return
    announce_bonus(
        payment=payment,
        status=AnnouncementStatus.REVIEWING,
        text=announced,
        now=now,
    )
    record_event(
        project_id=project.pk, event=WebhookEvent.BONUS_HELD, data={"id": held.pk}, now=now
    )
    codes = ", ".join(reason.code for reason in reasons)
    log_state_change(
        instance=held, old="", new=held.state, actor="automatic check", now=now, reason=codes
    )


def stored_reason(reason: ReviewReason) -> Json:
    """Return the reason as HeldBonus stores it, in English with what its translation needs."""
    return {"code": reason.code, "text": str(reason.text), "parts": text_parts(reason.text)}


def _news(
    payment: Payment, submissions: Sequence[Submission], reasons: Sequence[ReviewReason]
) -> str:
    text = gettext(
        "Thank you for your work on %(work)s. Your reward is paid as usual. Your bonus of %(amount)s "
        "will be paid after a review, for these reasons:"
    ) % {"work": work_title(submissions), "amount": dollars(payment.amount_cents)}
    return "\n".join([text, *(f"- {translated(reason.text)}" for reason in reasons)])


def work_title(submissions: Sequence[Submission]) -> str:
    """Return a name of the work that its worker recognizes, in the current language."""
    headlines = [
        headline_of(submission.item, submission.item.project) for submission in submissions
    ]
    return gettext("%(titles)s (assignment %(assignment)s)") % {
        "titles": ", ".join(f"“{headline}”" for headline in headlines[:3]),
        "assignment": submissions[0].assignment,
    }
