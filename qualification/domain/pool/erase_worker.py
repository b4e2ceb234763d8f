"""Erasure of a worker's personal data, which is in several lower apps, on request."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import QuerySet

from annotation.models import (
    BonusAppeal,
    Draft,
    FinishedTutorial,
    HeldBonus,
    OnboardingDraft,
    QuestionnaireAnswer,
    Submission,
    WorkerNote,
)
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.workers.qualifications import revoke_qualification
from crowd.domain.workers.register_worker import ERASED, is_forgotten, pseudonymised_id
from crowd.enums import ENDED_PAYMENTS, AssignmentState, GrantState, MessageState, SessionState
from crowd.models import (
    Assignment,
    BonusAnnouncement,
    Message,
    Payment,
    QualificationGrant,
    ReceivedMessage,
    StudySession,
    Worker,
    new_pseudonym,
)
from projects.domain.label_worker import erase_labels
from projects.enums import MemberRole
from projects.models import Project
from qualification.models import Feedback, PoolFeedback, SecondOpinion

OPEN_SESSIONS = [SessionState.ACTIVE, SessionState.FINISHED, SessionState.SUBMITTED]


class Erasure(StrEnum):
    """The extent of an erasure."""

    # The marketplace id becomes a keyed digest, so a returning worker is recognised.
    PSEUDONYMISE = "pseudonymise"
    # The id, the pseudonym and all texts by or about the worker are removed.
    ERASE = "erase"


class ErasureError(TouchstoneError):
    """Open obligations need the worker's id. The message lists them."""


@dataclass(frozen=True, slots=True)
class OpenObligations:
    """Numbers of rows that still need the worker's id."""

    undecided: int
    unpaid: int
    qualifications: int
    messages: int
    sessions: int = 0

    def __str__(self) -> str:
        counts = {
            "assignments to decide": self.undecided,
            "payments to confirm": self.unpaid,
            "qualifications to withdraw": self.qualifications,
            "messages to send": self.messages,
            "sessions to end": self.sessions,
        }
        return ", ".join(f"{n} {name}" for name, n in counts.items() if n)

    @property
    def settled(self) -> bool:
        return not str(self)


def open_obligations(worker: Worker) -> OpenObligations:
    undecided = [AssignmentState.SUBMITTED, AssignmentState.REJECTING]
    payments = Payment.objects.filter(assignment__worker=worker)
    grants = QualificationGrant.objects.filter(worker=worker)
    return OpenObligations(
        undecided=Assignment.objects.filter(worker=worker, state__in=undecided).count(),
        unpaid=payments.exclude(state__in=ENDED_PAYMENTS).count(),
        qualifications=grants.exclude(state=GrantState.REVOKED).count(),
        messages=Message.objects.filter(worker=worker, state=MessageState.PENDING).count(),
        sessions=StudySession.objects.filter(worker=worker, state__in=OPEN_SESSIONS).count(),
    )


def projects_of_others(
    *, worker: Worker, user: User | AnonymousUser, projects: QuerySet[Project]
) -> int:
    """Return the number of the worker's projects that are not among `projects` with the user as admin.

    Superusers are admins of all projects.
    """
    worked = Project.objects.filter(items__submissions__worker=worker).distinct()
    admin = {"memberships__user": user.pk, "memberships__role": MemberRole.ADMIN}
    own = projects if user.is_superuser else projects.filter(**admin)
    return worked.exclude(pk__in=own.order_by().values("pk")).count()


def withdraw_everything(*, worker: Worker, reason: str, now: datetime) -> int:
    """Revoke all of the worker's qualifications, with a reason for them. Return how many."""
    grants = QualificationGrant.objects.filter(worker=worker).select_related("qualification_type")
    active = list(grants.exclude(state__in=[GrantState.REVOKING, GrantState.REVOKED]))
    for grant in active:
        revoke_qualification(
            qualification=grant.qualification_type, worker=worker, reason=reason, now=now
        )
    return len(active)


@transaction.atomic
def erase_worker(*, worker: Worker, how: Erasure, reason: str, actor: str, now: datetime) -> Worker:
    """Pseudonymise or erase the worker, but no annotations or payments. Raise ErasureError."""
    row = Worker.objects.select_for_update().get(pk=worker.pk)
    if is_forgotten(row) and (how is Erasure.PSEUDONYMISE or row.external_id.startswith(ERASED)):
        return row
    obligations = open_obligations(row)
    if not obligations.settled:
        raise ErasureError(f"{row.pseudonym} can't be erased yet. Still open: {obligations}.")
    before = row.external_id
    drafts = {"worker_ref": before, "task__hit__hit_type__provider": row.provider}
    if how is Erasure.PSEUDONYMISE:
        row.external_id = pseudonymised_id(provider=row.provider, external_id=before)
    else:
        row.external_id, row.pseudonym = ERASED + secrets.token_hex(16), new_pseudonym()
        _erase_words(row)
        # The provider could tell who took part in the session with this id.
        for session in row.sessions.all():
            session.external_id = f"{ERASED}{session.pk}"
            session.save(update_fields=["external_id"])
        Draft.objects.filter(**drafts).update(comment="", inputs={})
    Draft.objects.filter(**drafts).update(worker_ref=row.external_id, language="")
    FinishedTutorial.objects.filter(worker_ref=before).delete()
    erase_labels(workers=[row])
    OnboardingDraft.objects.filter(worker_ref=before, project__provider=row.provider).delete()
    row.language = ""
    row.save(update_fields=["external_id", "pseudonym", "language"])
    # The log contains the reason, but not the worker's id.
    log_state_change(instance=row, old="", new=f"{how}d", actor=actor, now=now, reason=reason)
    return row


def _erase_words(worker: Worker) -> None:
    """Delete the worker's comments and answers, records of inputs, and texts to or about them."""
    Submission.objects.filter(worker=worker).update(comment="", inputs={})
    Assignment.objects.filter(worker=worker).update(answer={})
    Message.objects.filter(worker=worker).update(subject="erased", text="", error="")
    ReceivedMessage.objects.filter(worker=worker).update(subject="erased", text="")
    WorkerNote.objects.filter(worker=worker).delete()
    QuestionnaireAnswer.objects.filter(worker=worker).delete()
    HeldBonus.objects.filter(payment__assignment__worker=worker).update(
        reasons=[], note="", note_parts=None, news=""
    )
    BonusAppeal.objects.filter(held__payment__assignment__worker=worker).update(text="", answer="")
    BonusAnnouncement.objects.filter(payment__assignment__worker=worker).update(text="", error="")
    texts: dict[str, Any] = {"text": "", "notes": {}, "reply": ""}
    Feedback.objects.filter(evaluation__enrolment__worker=worker).update(**texts)
    PoolFeedback.objects.filter(worker=worker).update(**texts)
    SecondOpinion.objects.filter(enrolment__worker=worker).update(comment="")
