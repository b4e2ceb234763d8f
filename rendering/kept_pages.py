"""Pages that differ in a few values are rendered once, and from then on filled in.

To render the page around a HIT takes longer than to look the HIT up, and to compress a worker's page as
long as a query; every annotation opens both.
"""

import re
import secrets
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.html import conditional_escape

Fixed = tuple[tuple[str, object], ...]
AS_GZIP = 31  # zlib's sign for it: the largest window, with a header and a checksum
ACCEPTS_GZIP = re.compile(r"\bgzip\b")


class ChangedValue(Exception):
    """The template shows a value otherwise than by its bare name."""


def render_kept(
    request: HttpRequest,
    template: str,
    values: Mapping[str, str],
    *,
    status: int = 200,
    **fixed: object,
) -> HttpResponse:
    """What `render` makes of both, for a template that shows `values` by their bare names alone (no
    filter, no tag but `csrf_token` and `url` looks at them). All else that it asks for stands in
    `fixed`, hashable: each combination is kept for itself. No context processor is asked; a page with
    messages waiting for it is rendered as ever.

    Raises ChangedValue.
    """
    if len(get_messages(request)):
        return render(request, template, {**fixed, **values}, status=status)
    form = _form(template, values, fixed)
    return HttpResponse(form.head + form.tail % _escaped(values), status=status)


def render_compressed(
    request: HttpRequest, template: str, values: Mapping[str, str], **fixed: object
) -> HttpResponse:
    """The same without messages, compressed where the client reads that; what stands before the first
    of the values is compressed once. Not for pages with a secret of the visitor's session: their size
    would tell of it. Raises ChangedValue.
    """
    form = _form(template, values, fixed)
    tail = form.tail % _escaped(values)
    if ACCEPTS_GZIP.search(request.META.get("HTTP_ACCEPT_ENCODING", "")):
        begun = _begun(form.head)
        rest = begun.compressor.copy()
        body = begun.content + rest.compress(tail.encode()) + rest.flush()
        response = HttpResponse(body, headers={"Content-Encoding": "gzip"})
    else:
        response = HttpResponse(form.head + tail)
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


@dataclass(frozen=True, slots=True)
class _Form:
    """A page up to its first value, and the rest with `%(name)s` for each."""

    head: str
    tail: str


def _form(template: str, values: Mapping[str, str], fixed: Mapping[str, object]) -> _Form:
    if settings.DEBUG:  # templates and files change while the site runs
        _kept_form.cache_clear()
    return _kept_form(template, tuple(values), tuple(fixed.items()))


@lru_cache(maxsize=256)
def _kept_form(template: str, names: tuple[str, ...], fixed: Fixed) -> _Form:
    # Capitals and digits: neither HTML nor an address writes them in another way.
    marks = {f"KEPT{secrets.token_hex(12).upper()}": name for name in names}
    context = {**dict(fixed), **{name: mark for mark, name in marks.items()}}
    page = render_to_string(template, context)
    if lost := [name for mark, name in marks.items() if mark not in page]:
        raise ChangedValue(f"{template} does not show {', '.join(lost)} as such.")
    start = min(page.index(mark) for mark in marks)
    tail = page[start:].replace("%", "%%")
    return _Form(page[:start], re.sub("|".join(marks), lambda mark: f"%({marks[mark[0]]})s", tail))


def _escaped(values: Mapping[str, str]) -> dict[str, str]:
    return {name: conditional_escape(value) for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class _Begun:
    """What a text's beginning is compressed to, and what goes on from there."""

    content: bytes
    compressor: Any  # zlib has no public name for its type


@lru_cache(maxsize=32)  # a quarter of a megabyte each
def _begun(head: str) -> _Begun:
    compressor = zlib.compressobj(wbits=AS_GZIP)
    content = compressor.compress(head.encode()) + compressor.flush(zlib.Z_SYNC_FLUSH)
    return _Begun(content, compressor)
