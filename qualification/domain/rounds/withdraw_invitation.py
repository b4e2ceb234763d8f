"""Withdraw invitations that workers have not answered, and release what was reserved for them."""

from datetime import datetime

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext

from annotation.domain.publishing.batch_actions import expire_batch
from annotation.enums import BatchState
from audit.domain.change_state import change_state
from audit.errors import TouchstoneError
from crowd.domain.money.hit_reservations import place_cents_of, places_movement
from crowd.domain.money.ledger import release_all, reserved_cents_left
from crowd.domain.workers.languages import language_of
from crowd.domain.workers.qualifications import revoke_qualification
from crowd.models import Hit
from qualification.domain.rounds.publish_round import round_qualification
from qualification.domain.states import TRANSITIONS
from qualification.enums import EnrolmentState
from qualification.models import Enrolment


class AnsweredInvitationError(TouchstoneError):
    """The worker has begun the round, or was decided on. The invitation can't be withdrawn."""


@transaction.atomic
def withdraw_invitation(*, enrolment: Enrolment, actor: str, now: datetime) -> int:
    """Withdraw an unanswered invitation, and return the cents that it releases.

    The HITs end if they were for this worker alone. Work that the worker has accepted already can
    still be submitted and is paid. Raise AnsweredInvitationError.
    """
    enrolment = (
        Enrolment.objects.select_for_update(of=("self",))
        .select_related("round__project", "worker", "cohort__batch")
        .get(pk=enrolment.pk)
    )
    if enrolment.state != EnrolmentState.INVITED:
        raise AnsweredInvitationError(
            f"{enrolment.worker.pseudonym} has answered the invitation. Decide on the worker instead."
        )
    change_state(
        instance=enrolment,
        new=EnrolmentState.WITHDRAWN,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        reason="The invitation was withdrawn.",
    )
    if enrolment.cohort is None:
        return 0
    with translation.override(language_of(enrolment.worker)):
        text = gettext("Your invitation to %(title)s was withdrawn.")
    revoke_qualification(
        qualification=round_qualification(enrolment.round),
        worker=enrolment.worker,
        reason=text % {"title": enrolment.round.title},
        now=now,
    )
    released = _release(enrolment, now)
    at_work = (EnrolmentState.INVITED, EnrolmentState.WORKING)
    batch = enrolment.cohort.batch
    others = enrolment.cohort.enrolments.filter(state__in=at_work)
    if not others.exists() and batch.state != BatchState.CLOSED:
        expire_batch(batch=batch, actor=actor, now=now)
    return released


def _release(enrolment: Enrolment, now: datetime) -> int:
    """Release the cost of an assignment of each of the worker's HITs, as far as it is reserved."""
    assert enrolment.cohort
    hits = Hit.objects.filter(task__batch=enrolment.cohort.batch)
    if enrolment.block:
        hits = hits.filter(task__block=enrolment.block)
    locked = list(hits.select_related("hit_type").select_for_update(of=("self",)).order_by("pk"))
    left = reserved_cents_left(hits=locked)
    movements = [
        places_movement(hit=hit, number=1, key=f"release:invitation:{enrolment.pk}:{hit.pk}")
        for hit in locked
        if left.get(hit.pk, 0) >= sum(place_cents_of(hit))
    ]
    release_all(movements=movements, now=now)
    return sum(movement.cents for movement in movements)
