"""Run requests that change data in a transaction, once for each Idempotency-Key."""

import hashlib
import json
import re
from collections.abc import Callable, Collection
from datetime import timedelta
from functools import wraps
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from web.errors import IdempotencyKeyReused
from web.models import AnsweredRequest

HEADER = "Idempotency-Key"
MAX_AGE = timedelta(hours=24)
_KEY = re.compile(r"[!-~]{1,100}")

Handler = Callable[..., Response]


def action(handler: Handler) -> Handler:
    """Run the handler in a transaction, and return the stored response to repeats of a key."""
    return _run_once(handler, needs_key=False)


def money_action(handler: Handler) -> Handler:
    """Run the handler as `action` does, but refuse requests without a key.

    A program that repeats a request after a lost answer would otherwise pay twice.
    """
    return _run_once(handler, needs_key=True)


def needs_key(handler: Handler) -> bool:
    """Return True if the handler refuses requests without a key."""
    return getattr(handler, "needs_key", False)


def _run_once(handler: Handler, *, needs_key: bool) -> Handler:
    @wraps(handler)
    def run_once(self: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = _key_of(request, required=needs_key and not self.is_trial(request))
        with transaction.atomic():
            if key is None or self.is_trial(request):
                return handler(self, request, *args, **kwargs)
            row, is_new = _get_or_create(request, key)
            if not is_new:
                return _repeat(row, request)
            response = handler(self, request, *args, **kwargs)
            row.status, row.body = response.status_code, _storable(response)
            row.location = response.headers.get("Location", "")
            row.save(update_fields=["status", "body", "location"])
            return response

    run_once.needs_key = needs_key  # type: ignore[attr-defined]
    return run_once


def _key_of(request: Request, *, required: bool) -> str | None:
    key = request.headers.get(HEADER)
    if key is None and required:
        detail = (
            f"This request moves money. Send the header {HEADER} with a new value for each action, such "
            "as a UUID, so that a repeated request does nothing twice."
        )
        raise ValidationError({HEADER: [ErrorDetail(detail, "required")]})
    if key is not None and not _KEY.fullmatch(key):
        raise ValidationError({HEADER: ["Use 1 to 100 visible ASCII characters, e.g. a UUID."]})
    return key


def _get_or_create(request: Request, key: str) -> tuple[AnsweredRequest, bool]:
    """Return the key's row. The unique constraint makes an overlapping request wait here."""
    now = timezone.now()
    assert request.user.pk
    rows = AnsweredRequest.objects.filter(user=request.user.pk)
    rows.filter(at__lt=now - MAX_AGE).delete()
    defaults = {"fingerprint": _fingerprint(request), "at": now}
    return rows.get_or_create(user_id=request.user.pk, key=key, defaults=defaults)


def _storable(response: Response) -> Any:
    """Return the body for repeats, without the fields that the response names in `shown_once`."""
    once: Collection[str] = getattr(response, "shown_once", ())
    return {**response.data, **dict.fromkeys(once)} if once else response.data


def _repeat(row: AnsweredRequest, request: Request) -> Response:
    if row.fingerprint != _fingerprint(request):
        raise IdempotencyKeyReused
    headers = {"Idempotency-Replayed": "true"}
    if row.location:
        headers["Location"] = row.location
    return Response(row.body, row.status, headers=headers)


def _fingerprint(request: Request) -> str:
    data = request.data
    if hasattr(data, "lists"):
        data = {name: [_plain(value) for value in values] for name, values in data.lists()}
    raw = json.dumps([request.method, request.get_full_path(), data], sort_keys=True)
    return hashlib.sha256(raw.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if not isinstance(value, UploadedFile):
        return value
    digest = hashlib.file_digest(value.file, "sha256").hexdigest()  # type: ignore[arg-type]
    value.seek(0)
    return [value.name, digest]
