"""Idempotency by UniqueRequestToken, which a requester can use once in 24 hours."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from marketplace.domain.errors import RefusalError
from marketplace.models import Requester, RequestToken

REMEMBERED = timedelta(hours=24)
#: The error for a repeated token, by operation.
ERRORS = {
    "CreateHIT": (
        "HitAlreadyExists",
        "The HIT with ID {result} already exists: it was created by an earlier request with this "
        "UniqueRequestToken.",
    ),
    "CreateAdditionalAssignmentsForHIT": (
        "HITAlreadyExtended",
        "An earlier request with this UniqueRequestToken already added the assignments to HIT "
        "{result}.",
    ),
    "SendBonus": (
        "DuplicateRequest",
        "The bonus was paid by an earlier request with this UniqueRequestToken: request ID "
        "{result}.",
    ),
}


class TokenUsedError(RefusalError):
    """A repeated token."""


def use_token(
    *, requester: Requester, operation: str, token: str | None, result: str, now: datetime
) -> None:
    """Mark a token as used for `result`, in the caller's transaction. Raise TokenUsedError."""
    if token is None:
        return
    key = {"requester": requester, "operation": operation, "token": token}
    try:
        with transaction.atomic():
            RequestToken.objects.create(**key, result=result, created_at=now)
            return
    except IntegrityError:
        pass
    used = RequestToken.objects.select_for_update().get(**key)
    if now - used.created_at < REMEMBERED:
        code, message = ERRORS[operation]
        raise TokenUsedError(code, message.format(result=used.result))
    RequestToken.objects.filter(pk=used.pk).update(result=result, created_at=now)
