"""Releases that anyone may read on the site, without signing in."""

import json
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Q, QuerySet, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from releases.enums import PublicationState
from releases.models import Publication, PublicRelease, Release, ReleasedItem

# Shorter texts would find nearly everything, after reading all rows.
SHORTEST_SEARCH = 3


class NotBuiltError(TouchstoneError):
    """The files of the release have not been written."""


@transaction.atomic
def open_to_public(
    *, release: Release, actor: str, now: datetime, has_comments: bool = False
) -> None:
    """Let anyone read the release, and comment on its items if wanted.

    Raise NotBuiltError before its files are written.
    """
    if not release.is_built:
        raise NotBuiltError("The files of the release must be written first.")
    terms = {"opened_by": actor, "opened_at": now, "has_comments": has_comments}
    _, is_new = PublicRelease.objects.get_or_create(release=release, defaults=terms)
    if is_new:
        log_state_change(instance=release, old="", new="public", actor=actor, now=now)


@transaction.atomic
def close_to_public(*, release: Release, actor: str, now: datetime) -> None:
    """Let only the project's staff read the release."""
    deleted, _ = PublicRelease.objects.filter(release=release).delete()
    if deleted:
        log_state_change(instance=release, old="public", new="private", actor=actor, now=now)


def public_releases() -> QuerySet[Release]:
    """Return the releases that anyone may read, newest first. Those of archived projects stay."""
    rows = Release.objects.filter(public__isnull=False, project__deleted_at=None)
    return rows.select_related("project", "public").order_by("-frozen_at", "-pk")


def public_publications(release: Release) -> QuerySet[Publication]:
    """Return where else anyone can find the release."""
    published = release.publications.filter(state=PublicationState.PUBLISHED, private=False)
    return published.order_by("service")


def find_items(*, release: Release, text: str = "", partition: str = "") -> QuerySet[ReleasedItem]:
    """Return the items whose sentence or key contains the text, in order."""
    rows = release.items.order_by("position")
    if partition:
        rows = rows.filter(partition=partition)
    if len(text) < SHORTEST_SEARCH:
        return rows
    # Sentences without their original text have tokens, which are stored as JSON.
    escape = connection.vendor == "sqlite"
    tokens = json.dumps(text.split(), ensure_ascii=escape)[2:-2]
    rows = rows.annotate(words=Cast("row__tokens", TextField()), written=KT("row__text"))
    return rows.filter(
        Q(written__icontains=text) | Q(words__icontains=tokens) | Q(key__icontains=text)
    )
