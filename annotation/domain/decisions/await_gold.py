"""Let the bonus of submissions wait until their items have gold.

It stays reserved, and its worker sees that it is in review. It is decided without a person, by
`consolidation.domain.reviews.decide_waiting`.
"""

from collections.abc import Sequence
from datetime import datetime

from django.utils import translation

from annotation.domain.decisions.bonus_timing import until_gold
from annotation.domain.decisions.hold_bonus import stored_reason
from annotation.domain.publishing.publish import batch_terms
from annotation.enums import HeldBonusState
from annotation.models import HeldBonus, Submission
from annotation.translated import translated
from audit.domain.change_state import log_state_change
from crowd.domain.money.announce_bonuses import announce_bonus
from crowd.domain.workers.languages import language_of
from crowd.enums import AnnouncementStatus
from crowd.models import Payment
from schemes.contract.content import ReviewReason
from schemes.contract.texts import Translatable


def await_gold(*, payment: Payment, submissions: Sequence[Submission], now: datetime) -> None:
    """Queue the bonus for the decision that follows the gold. A repeat does nothing.

    The worker gets no message, because the page stated it before the work was submitted.
    """
    project = submissions[0].item.project
    text = Translatable("In review %(until)s", until=until_gold(project))
    held, created = HeldBonus.objects.get_or_create(
        payment=payment,
        defaults={
            "project": project,
            "state": HeldBonusState.WAITING,
            "earned_cents": payment.amount_cents,
            "terms": batch_terms(payment.assignment.hit.task.batch),
            "reasons": [stored_reason(ReviewReason("consolidation", text))],
            "held_at": now,
        },
    )
    if not created:
        return
    with translation.override(language_of(submissions[0].worker)):
        announced = translated(text)
    announce_bonus(payment=payment, status=AnnouncementStatus.REVIEWING, text=announced, now=now)
    log_state_change(instance=held, old="", new=held.state, actor="automatic", now=now)
