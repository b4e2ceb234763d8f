"""A worker's closing of their account, which erases what identifies the person.

Answers and the ledger stay under the worker id, because requesters and the operator's books need them.
"""

from datetime import datetime

from django.db import transaction

from marketplace.domain.accounts import accounts
from marketplace.domain.work.work import return_assignment
from marketplace.enums import AssignmentStatus
from marketplace.models import (
    Assignment,
    Invitation,
    LoginFailure,
    Message,
    QualificationRequest,
    SavedSearch,
    WorkerAccount,
)


@transaction.atomic
def close_and_erase(*, worker: WorkerAccount, keeps_email: bool, now: datetime) -> None:
    """Return open HITs, end all sessions, and erase personal data and messages.

    With `keeps_email`, the address stays for the last payout, until `erase_email`.
    """
    row = WorkerAccount.objects.select_for_update().get(pk=worker.pk)
    accepted = Assignment.objects.filter(worker=row, status=AssignmentStatus.ACCEPTED)
    for code in accepted.values_list("code", flat=True):
        return_assignment(worker=row, assignment_code=code, now=now)
    accounts.close_account(worker=row)
    LoginFailure.objects.filter(username=row.username).delete()
    SavedSearch.objects.filter(worker=row).delete()
    Invitation.objects.filter(worker=row).update(note="")
    QualificationRequest.objects.filter(worker=row).update(answer="")
    # The rows stay, because clients read messages up to the last one they know.
    Message.objects.filter(worker=row).update(subject="erased", text="")
    row.refresh_from_db()
    row.username = f"closed-{row.code.lower()}"
    row.email = row.email if keeps_email else ""
    row.country, row.subdivision, row.is_adult = "", "", False
    row.set_unusable_password()
    row.closed_at = now
    row.save()


def erase_email(*, worker: WorkerAccount) -> None:
    """Erase the address of a closed account after the last payout."""
    WorkerAccount.objects.filter(pk=worker.pk, closed_at__isnull=False).update(email="")
