"""Changes of a worker's email address, confirmed by a link if the site sends mail."""

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from marketplace.models import WorkerAccount

SALT = "marketplace.email"
LINK_LASTS = timedelta(days=2)
TEXT = gettext_lazy(
    """Hello,

open this link to use this address for your account on the marketplace:

{url}

The link works for two days. If you didn't ask for it, ignore this email.
"""
)


class EmailLinkError(ValueError):
    """A link that is invalid, expired or used."""


def change_email(*, worker: WorkerAccount, email: str) -> None:
    WorkerAccount.objects.filter(pk=worker.pk).update(email=email)


def send_confirmation(*, worker: WorkerAccount, email: str) -> None:
    """Send a link to the new address. Raise SMTPException or OSError."""
    token = signing.dumps([worker.pk, worker.email, email], salt=SALT)
    path = reverse("marketplace:confirm-email", args=[token])
    text = TEXT.format(url=settings.MARKETPLACE_URL + path)
    send_mail(gettext("Confirm your email address"), text, None, [email])


def email_of_link(*, worker: WorkerAccount, token: str) -> str:
    """Return the new address. Raise EmailLinkError if the link is for another account or address."""
    try:
        pk, old, new = signing.loads(token, salt=SALT, max_age=LINK_LASTS)
    except signing.BadSignature:
        pk = old = new = None
    if pk != worker.pk or old != worker.email:
        raise EmailLinkError(gettext("This link is invalid, has expired or was used."))
    return str(new)
