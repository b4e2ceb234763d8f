"""Signed links to a worker's page about a declined bonus. The link is the only credential."""

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext

from annotation.models import HeldBonus
from audit.errors import TouchstoneError

SALT = "annotation.bonus-appeal"
APPEAL_WITHIN = timedelta(days=30)
# Long enough to read the answer.
LINK_LIFE = timedelta(days=120)


class InvalidAppealLinkError(TouchstoneError):
    """The link was altered or has expired."""

    def __init__(self) -> None:
        super().__init__(gettext("This link is invalid or has expired."))


def appeal_url(held: HeldBonus) -> str:
    """Return the address of the worker's page about the bonus."""
    token = signing.dumps(held.pk, salt=SALT)
    return settings.SITE_URL + reverse("annotation:bonus_appeal", args=[token])


def held_of_token(token: str) -> HeldBonus:
    """Return the bonus of a link. Raise InvalidAppealLinkError."""
    rows = HeldBonus.objects.select_related("project", "payment__assignment__worker", "appeal")
    try:
        return rows.get(pk=signing.loads(token, salt=SALT, max_age=LINK_LIFE))
    except (signing.BadSignature, HeldBonus.DoesNotExist):
        raise InvalidAppealLinkError from None
