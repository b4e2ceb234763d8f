"""Users' choices of notifications and email digests."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.core import signing

from audit.errors import TouchstoneError
from projects.enums import DigestPeriod, NotificationKind
from projects.models import NotificationSettings

_SALT = "projects.unsubscribe"


class InvalidLinkError(TouchstoneError):
    """The link does not belong to an account."""


def settings_of(*, user: User) -> NotificationSettings:
    """Return the user's settings, which are unsaved defaults at first."""
    stored = NotificationSettings.objects.filter(user=user).first()
    return stored or NotificationSettings(user=user)


def save_settings(*, user: User, digest: str, kinds: Collection[str]) -> None:
    """Store how often the user receives a digest, and the kinds of events to be notified of."""
    muted = [kind.value for kind in NotificationKind if kind not in kinds]
    NotificationSettings.objects.update_or_create(
        user=user, defaults={"digest": digest, "muted_kinds": muted}
    )


def unsubscribe_token(user: User) -> str:
    return signing.dumps(user.pk, salt=_SALT)


def user_of_token(token: str) -> User:
    """Return the account of a link in a digest. Raise InvalidLinkError."""
    try:
        pk = signing.loads(token, salt=_SALT)
    except signing.BadSignature as error:
        raise InvalidLinkError from error
    user = User.objects.filter(pk=pk).first()
    if user is None:
        raise InvalidLinkError
    return user


def unsubscribe(*, user: User) -> None:
    """Stop the user's digests."""
    NotificationSettings.objects.update_or_create(
        user=user, defaults={"digest": DigestPeriod.NEVER}
    )
