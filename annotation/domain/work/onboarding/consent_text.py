"""The versions of a project's consent text."""

from datetime import datetime

from django.db import transaction

from annotation.models import ConsentText
from audit.domain.change_state import log_state_change
from projects.models import Project

CHANGED = "changed"


def current_consent_text(*, project_id: int) -> ConsentText | None:
    """Return the newest version, whose text may be empty, or None."""
    return ConsentText.objects.filter(project=project_id).order_by("-version").first()


@transaction.atomic
def publish_consent_text(
    *, project: Project, text: str, asks_again: bool, actor: str, now: datetime
) -> ConsentText | None:
    """Publish a new version, or return None if the text is unchanged.

    Without `asks_again`, workers who accepted the version before are not asked again. An empty text
    ends the consent.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    newest = current_consent_text(project_id=project.pk)
    if text == (newest.text if newest else ""):
        return None
    published = ConsentText.objects.create(
        project=project,
        version=newest.version + 1 if newest else 1,
        text=text,
        asks_again=asks_again and bool(text),
        published_at=now,
    )
    log_state_change(
        instance=project,
        old="",
        new=CHANGED,
        actor=actor,
        now=now,
        reason=f"consent text: version {published.version}",
    )
    return published


def accepted_versions(text: ConsentText) -> set[int]:
    """Return the ids of the versions whose acceptance is consent to the given version."""
    versions = ConsentText.objects.filter(project=text.project_id, version__lte=text.version)
    accepted: set[int] = set()
    for version in versions.order_by("-version").only("pk", "asks_again"):
        accepted.add(version.pk)
        if version.asks_again:
            break
    return accepted
