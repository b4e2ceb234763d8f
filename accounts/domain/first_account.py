"""The first account of a new site, created with a link that the server prints when it starts.

Someone who can read the server's output may administer the site. The link has a signature of 256 bits,
so nothing is stored. It is void once the site has an account.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core import signing
from django.db import transaction
from django.urls import reverse

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError

SALT = "accounts.first_account"
VALID_FOR = timedelta(hours=24)


class LinkOverError(TouchstoneError):
    """The link is invalid or expired, or the site has an account."""


def has_accounts() -> bool:
    return User.objects.exists()


def first_account_link(*, now: datetime) -> str:
    """Return the address of the page that creates the first account, or "" if there is an account."""
    if has_accounts():
        return ""
    token = signing.dumps(int((now + VALID_FOR).timestamp()), salt=SALT)
    return f"{settings.SITE_URL}{reverse('accounts:first_account', args=[token])}"


def check_link(*, token: str, now: datetime) -> None:
    """Raise LinkOverError unless the link may still create the first account."""
    try:
        expires_at: int = signing.loads(token, salt=SALT)
    except signing.BadSignature as error:
        raise LinkOverError from error
    if now.timestamp() >= expires_at or has_accounts():
        raise LinkOverError


@transaction.atomic
def create_first_account(
    *, token: str, username: str, email: str, password: str, now: datetime
) -> User:
    """Create a superuser, who creates projects and operates the marketplace. Raise LinkOverError."""
    # Of two requests, the second waits for this row and then sees the account of the first.
    ContentType.objects.select_for_update().get(app_label="auth", model="user")
    check_link(token=token, now=now)
    user = User.objects.create_superuser(username, email, password)
    log_state_change(instance=user, old="none", new="first account", actor=username, now=now)
    return user
