"""Show workers at the marketplace which bonuses are in review or declined.

Only the built-in marketplace can show them. Elsewhere, workers learn of them from messages.
"""

from collections.abc import Callable
from datetime import datetime

from crowd.domain.provider.providers import hit_provider_of
from crowd.enums import AnnouncementStatus
from crowd.models import BonusAnnouncement, Payment
from crowd.providers.base import AnnouncedBonus, OutcomeUnknownError, ProviderRefusedError
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row


def announce_bonus(
    *,
    payment: Payment,
    status: AnnouncementStatus,
    now: datetime,
    text: str = "",
    appeal_url: str = "",
    amount_cents: int | None = None,
) -> None:
    """Queue what the worker sees about the bonus. It replaces what was announced before.

    The amount is that of the payment, unless the announcement is about another part of the bonus.
    """
    BonusAnnouncement.objects.update_or_create(
        payment=payment,
        defaults={
            "status": status,
            "amount_cents": payment.amount_cents if amount_cents is None else amount_cents,
            "text": text[:4000],
            "appeal_url": appeal_url,
            "changed_at": now,
            "sent_at": None,
            "leased_until": None,
            "error": "",
        },
    )


def send_due_announcements(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` announcements. Return how many need no further attempt."""
    due = BonusAnnouncement.objects.filter(sent_at=None, error="").select_related(
        "payment__assignment__worker", "payment__assignment__hit__hit_type"
    )
    return for_each_row(
        sweep="announce bonuses", rows=due, process=_send, clock=clock, limit=limit, leased=True
    )


def _send(announcement: BonusAnnouncement, now: datetime) -> int:
    # A newer announcement, written meanwhile, is sent by the next sweep.
    same = BonusAnnouncement.objects.filter(
        pk=announcement.pk, status=announcement.status, changed_at=announcement.changed_at
    )
    payment = announcement.payment
    assignment = payment.assignment
    try:
        if assignment.session_id is None:
            hit_provider_of(assignment.hit.hit_type.provider).announce_bonus(
                AnnouncedBonus(
                    worker=assignment.worker.external_id,
                    assignment=assignment.external_id,
                    amount_cents=announcement.amount_cents,
                    status=announcement.status,
                    text=announcement.text,
                    appeal_url=announcement.appeal_url,
                )
            )
    except OutcomeUnknownError:
        return 0
    except ProviderRefusedError as refused:
        return same.update(error=str(refused), leased_until=None)
    return same.update(sent_at=now, leased_until=None)
