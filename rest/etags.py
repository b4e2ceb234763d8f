"""Representations told apart by their bytes (RFC 9110, section 8.8.3)."""

import hashlib
from typing import Any

from django.http import HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags, quote_etag
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request


def _tag(body: bytes) -> str:
    return quote_etag(hashlib.sha256(body).hexdigest()[:32])


def etag_of(representation: object) -> str:
    """The tag that a GET of this representation answers with."""
    return _tag(JSONRenderer().render(representation))


def answer_conditionally(request: Request, response: Any) -> HttpResponse:
    """Tag a good answer; where the caller has these very bytes, say so instead."""
    if response.status_code != 200:
        return response
    response["ETag"] = tag = _tag(response.content)
    known = parse_etags(request.headers.get("If-None-Match", ""))
    if known != ["*"] and tag not in [one.removeprefix("W/") for one in known]:
        return response
    unchanged = HttpResponseNotModified()
    for name in ("ETag", "Vary", "Cache-Control"):
        unchanged[name] = response[name]
    return unchanged
