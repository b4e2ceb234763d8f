"""A person taken out of our records on request; their annotations stay, and belong to nobody known.

It stands here because a person's words lie in every room below: drafts and notes, messages, feedback.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db import transaction

from annotation.models import Draft, Submission, WorkerNote
from audit.domain.change_state import log_state_change
from crowd.domain.qualifications import revoke_qualification
from crowd.domain.register_worker import ERASED, is_forgotten, pseudonymised_id
from crowd.enums import AssignmentState, GrantState, MessageState, PaymentState
from crowd.models import Assignment, Message, Payment, QualificationGrant, Worker, new_pseudonym
from qualification.models import Feedback


class Forgetting(StrEnum):
    """How much is forgotten."""

    # Their id at the marketplace becomes a keyed digest: we know them again if they come back.
    PSEUDONYMISE = "pseudonymise"
    # Nothing is left that leads to them: id, pseudonym and every word that they or we wrote.
    ERASE = "erase"


class CanNotForget(Exception):
    """Without their id they could not be paid, answered or struck off; the message says what is open."""


@dataclass(frozen=True, slots=True)
class OpenMatters:
    """What needs the person's id still, in rows."""

    undecided: int
    unpaid: int
    qualifications: int
    messages: int

    def __str__(self) -> str:
        counts = {
            "assignments to decide": self.undecided,
            "payments to confirm": self.unpaid,
            "qualifications to withdraw": self.qualifications,
            "messages to send": self.messages,
        }
        return ", ".join(f"{n} {what}" for what, n in counts.items() if n)

    @property
    def settled(self) -> bool:
        return not str(self)


def open_matters(worker: Worker) -> OpenMatters:
    undecided = [AssignmentState.SUBMITTED, AssignmentState.REJECTING]
    payments = Payment.objects.filter(assignment__worker=worker)
    grants = QualificationGrant.objects.filter(worker=worker)
    return OpenMatters(
        undecided=Assignment.objects.filter(worker=worker, state__in=undecided).count(),
        unpaid=payments.exclude(state=PaymentState.CONFIRMED).count(),
        qualifications=grants.exclude(state=GrantState.REVOKED).count(),
        messages=Message.objects.filter(worker=worker, state=MessageState.PENDING).count(),
    )


def withdraw_everything(*, worker: Worker, reason: str, now: datetime) -> int:
    """Ask for the withdrawal of every qualification that the worker holds, with a reason that they will
    read; returns how many. The sweep tells the marketplace; after that they can be forgotten."""
    grants = QualificationGrant.objects.filter(worker=worker).select_related("qualification_type")
    held = list(grants.exclude(state__in=[GrantState.REVOKING, GrantState.REVOKED]))
    for grant in held:
        revoke_qualification(
            qualification=grant.qualification_type, worker=worker, reason=reason, now=now
        )
    return len(held)


@transaction.atomic
def forget_person(
    *, worker: Worker, how: Forgetting, reason: str, actor: str, now: datetime
) -> Worker:
    """Pseudonymise or erase the worker; annotations, payments and the ledger stay as they are. Raises
    CanNotForget."""
    row = Worker.objects.select_for_update().get(pk=worker.pk)
    if is_forgotten(row) and (how is Forgetting.PSEUDONYMISE or row.external_id.startswith(ERASED)):
        return row
    matters = open_matters(row)
    if not matters.settled:
        raise CanNotForget(f"{row.pseudonym} can't be forgotten yet: {matters}.")
    before = row.external_id
    drafts = {"worker_ref": before, "task__hit__hit_type__provider": row.provider}
    if how is Forgetting.PSEUDONYMISE:
        row.external_id = pseudonymised_id(provider=row.provider, external_id=before)
    else:
        row.external_id, row.pseudonym = ERASED + secrets.token_hex(16), new_pseudonym()
        _erase_words(row)
        Draft.objects.filter(**drafts).update(comment="")
    Draft.objects.filter(**drafts).update(worker_ref=row.external_id)
    row.save(update_fields=["external_id", "pseudonym"])
    # The log keeps why, never who it was.
    log_state_change(instance=row, old="", new=f"{how}d", actor=actor, now=now, reason=reason)
    return row


def _erase_words(worker: Worker) -> None:
    """Everything that they wrote besides annotations, and that was written to or about them."""
    own = Submission.objects.filter(worker=worker)
    own.update(comment="")
    Assignment.objects.filter(worker=worker).update(answer={})
    Message.objects.filter(worker=worker).update(subject="erased", text="", error="")
    WorkerNote.objects.filter(worker=worker).delete()
    Feedback.objects.filter(evaluation__enrolment__worker=worker).update(
        text="", notes={}, question=""
    )
