"""Requests that change something: in one transaction, and once for each Idempotency-Key."""

import hashlib
import json
import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from rest.models import AnsweredRequest
from rest.problems import Problem

HEADER = "Idempotency-Key"
KEPT = timedelta(hours=24)
_KEY = re.compile(r"[!-~]{1,100}")

Handler = Callable[..., Response]


def action(handler: Handler) -> Handler:
    """All that the handler writes, or nothing; with a key, its answer is written along with it.

    So a repeat, even one that overlaps or comes after a crash, either finds the answer or finds
    nothing done. Refusals are not kept: their repeat is judged anew.
    """

    @wraps(handler)
    def once(self: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = _key(request)
        with transaction.atomic():
            if key is None:
                return handler(self, request, *args, **kwargs)
            fingerprint = _fingerprint(request)
            row = _begin(request, key, fingerprint)
            if row.status:
                return _repeat(row, fingerprint)
            response = handler(self, request, *args, **kwargs)
            row.status, row.body = response.status_code, response.data
            row.location = response.headers.get("Location", "")
            row.save(update_fields=["status", "body", "location"])
            return response

    return once


def _key(request: Request) -> str | None:
    key = request.headers.get(HEADER)
    if key is not None and not _KEY.fullmatch(key):
        detail = "1 to 100 visible ASCII characters, such as a UUID."
        raise Problem("invalid-input", errors=[{"header": HEADER, "detail": detail}])
    return key


def _begin(request: Request, key: str, fingerprint: str) -> AnsweredRequest:
    """A fresh row for the key, or the one there is. Where another request is at it, the database
    makes us wait for its end here."""
    now = timezone.now()
    assert request.user.pk
    own = AnsweredRequest.objects.filter(user=request.user.pk)
    own.filter(at__lt=now - KEPT).delete()
    try:
        with transaction.atomic():
            return AnsweredRequest.objects.create(
                user_id=request.user.pk, key=key, fingerprint=fingerprint, at=now
            )
    except IntegrityError:
        return own.get(key=key)


def _repeat(row: AnsweredRequest, fingerprint: str) -> Response:
    if row.fingerprint != fingerprint:
        raise Problem("key-reused")
    headers = {"Idempotency-Replayed": "true"}
    if row.location:
        headers["Location"] = row.location
    return Response(row.body, row.status, headers=headers)


def _fingerprint(request: Request) -> str:
    data = request.data
    if hasattr(data, "lists"):
        told: Any = {name: [_told(one) for one in values] for name, values in data.lists()}
    else:
        told = data
    raw = json.dumps([request.method, request.get_full_path(), told], sort_keys=True)
    return hashlib.sha256(raw.encode()).hexdigest()


def _told(value: Any) -> Any:
    if not isinstance(value, UploadedFile):
        return value
    digest = hashlib.sha256()
    for chunk in value.chunks():
        digest.update(chunk)
    value.seek(0)
    return [value.name, digest.hexdigest()]
