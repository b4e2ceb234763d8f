"""The consent text of the operator, which workers accept before they accept HITs."""

from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext

from marketplace.domain.errors import RefusalError
from marketplace.models import ConsentText, WorkerAccount, WorkerConsent


class ConsentRequiredError(RefusalError):
    """The worker has not accepted the current text."""

    def __init__(self) -> None:
        super().__init__(
            "ConsentRequired",
            gettext("Accept the consent text of this marketplace before you accept HITs."),
        )


def current_consent_text() -> ConsentText | None:
    """Return the newest version, or None if it is empty."""
    newest = ConsentText.objects.order_by("-version").first()
    return newest if newest and newest.text else None


@transaction.atomic
def publish_consent_text(*, text: str, now: datetime) -> ConsentText | None:
    """Publish a version, which all workers are asked to accept. Return None if it is unchanged."""
    newest = ConsentText.objects.select_for_update().order_by("-version").first()
    if text == (newest.text if newest else ""):
        return None
    version = newest.version + 1 if newest else 1
    return ConsentText.objects.create(version=version, text=text, published_at=now)


def is_consent_due(worker: WorkerAccount) -> bool:
    """Return True if the worker has to accept the current text before the next HIT."""
    text = current_consent_text()
    return text is not None and not text.consents.filter(worker=worker).exists()


def accept_consent_text(*, worker: WorkerAccount, text: ConsentText, now: datetime) -> None:
    WorkerConsent.objects.get_or_create(worker=worker, text=text, defaults={"accepted_at": now})


def versions_with_counts() -> list[ConsentText]:
    """Return the versions, newest first, with `accepted`, the number of people who accepted them."""
    people = Count("consents", filter=Q(consents__worker__is_simulated=False))
    return list(ConsentText.objects.annotate(accepted=people).order_by("-version"))
