"""Comments of signed-in people on items of public releases."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet

from audit.errors import TouchstoneError
from releases.models import ItemComment, PublicRelease, Release, ReleasedItem

MAX_COMMENT = 2_000
MAX_REASON = 500
PER_DAY = 30


class CommentError(TouchstoneError):
    """The comment can't be made or removed. The message says why."""


def comments_open(release: Release) -> bool:
    """Return True if signed-in people may comment on the items."""
    return PublicRelease.objects.filter(release=release, has_comments=True).exists()


@transaction.atomic
def add_comment(*, item: ReleasedItem, author: User, text: str, now: datetime) -> ItemComment:
    """Store a comment. Raise CommentError if it is empty, too long, one too many, or not wanted."""
    # Two comments at once must not both be the last of the day.
    User.objects.select_for_update().get(pk=author.pk)
    if not comments_open(item.release):
        raise CommentError("This release takes no comments.")
    text = text.strip()
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise CommentError("Write a comment.")
    if len(text) > MAX_COMMENT:
        raise CommentError(
            f"A comment has at most {MAX_COMMENT:,} characters. Yours has {len(text):,}."
        )
    recent = ItemComment.objects.filter(author=author, created_at__gt=now - timedelta(days=1))
    if recent.count() >= PER_DAY:
        raise CommentError(f"You can write {PER_DAY} comments a day. Try again tomorrow.")
    if recent.filter(item=item, text=text, removed_at=None).exists():
        raise CommentError("You have written this comment already.")
    return ItemComment.objects.create(item=item, author=author, text=text, created_at=now)


def remove_comment(*, comment: ItemComment, actor: str, now: datetime, reason: str = "") -> None:
    """Hide a comment from the public page. Once removed, it stays so with its first reason."""
    ItemComment.objects.filter(pk=comment.pk, removed_at=None).update(
        removed_at=now, removed_by=actor, reason=reason.strip()[:MAX_REASON]
    )


def shown_comments(item: ReleasedItem) -> QuerySet[ItemComment]:
    """Return the comments that anyone may read, oldest first."""
    return item.comments.filter(removed_at=None).select_related("author")


def comments_stamp(release: Release) -> str:
    """Return a text that changes when a comment is added or removed, and "" without comments."""
    if not comments_open(release):
        return ""
    rows = ItemComment.objects.filter(item__release=release)
    stamps = rows.aggregate(
        newest=Max("pk"), removed=Max("removed_at"), count=Count("pk", filter=Q(removed_at=None))
    )
    return "-".join(map(str, stamps.values()))


def comments_of(release: Release) -> QuerySet[ItemComment]:
    """Return all comments on the release's items, newest first."""
    rows = ItemComment.objects.filter(item__release=release)
    return rows.select_related("author", "item").order_by("-created_at", "-pk")
