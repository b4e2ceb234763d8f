"""The tokens of services. They are stored encrypted, and no page shows them."""

from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_change
from projects.domain.sealed_text import UnreadableTextError, seal, unseal
from projects.models import Project
from releases.domain.publishing.plan import PublishingError
from releases.enums import Service
from releases.models import ServiceToken

PURPOSE = "releases.token"


@transaction.atomic
def store_token(
    *, project: Project, service: Service, token: str, actor: str, now: datetime
) -> None:
    """Store the project's token for a service, in place of an earlier one."""
    row, _ = ServiceToken.objects.update_or_create(
        project=project,
        service=service,
        defaults={
            "sealed": seal(token, purpose=PURPOSE),
            "entered_by": actor,
            "entered_at": now,
        },
    )
    log_state_change(instance=row, old="", new="entered", actor=actor, now=now)


@transaction.atomic
def forget_token(*, project: Project, service: Service, actor: str, now: datetime) -> None:
    """Delete the project's token for a service, if it has one. The log keeps who had entered it."""
    rows = ServiceToken.objects.select_for_update().filter(project=project, service=service)
    for row in rows.exclude(sealed=""):
        row.sealed = ""
        row.save(update_fields=["sealed"])
        log_state_change(instance=row, old="entered", new="deleted", actor=actor, now=now)


def token_of(project: Project, service: Service) -> str:
    """Return the project's token. Raise PublishingError."""
    row = ServiceToken.objects.filter(project=project, service=service).first()
    if row is None or not row.sealed:
        raise PublishingError(
            f"The project has no token for {service.label}. An admin can enter one."
        )
    try:
        return unseal(row.sealed, purpose=PURPOSE)
    except UnreadableTextError as error:
        raise PublishingError(str(error)) from None


def without_token(text: str, token: str) -> str:
    """Return a text of a service without the token, should the text have it."""
    return text.replace(token, "…") if token else text
