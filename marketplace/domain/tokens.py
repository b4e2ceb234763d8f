"""Idempotency by UniqueRequestToken, which a requester can use once in 24 hours."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from marketplace.domain.errors import RefusalError
from marketplace.domain.hit_types import check_length
from marketplace.models import Requester, RequestToken

REMEMBERED = timedelta(hours=24)
LONGEST = 64
#: The error for a repeated token, by operation.
ERRORS = {
    "CreateHIT": (
        "HITAlreadyExists",
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
    """A repeated token. `result` identifies the object that the first request created."""

    def __init__(self, code: str, message: str, *, result: str) -> None:
        super().__init__(code, message)
        self.result = result


def use_token(
    *,
    requester: Requester,
    operation: str,
    token: str | None,
    result: str,
    now: datetime,
) -> None:
    """Mark a token as used for `result`, in the caller's transaction. Raise TokenUsedError."""
    if token is None:
        return
    check_length("UniqueRequestToken", token, LONGEST, may_be_empty=True)
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
        raise TokenUsedError(code, message.format(result=used.result), result=used.result)
    RequestToken.objects.filter(pk=used.pk).update(result=result, created_at=now)
