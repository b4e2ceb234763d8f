"""The consent of workers whose sessions the crowd provider has confirmed.

They consent when they arrive, before they see a task. The questionnaire follows with the first task.
"""

from datetime import datetime

from annotation.domain.work.onboarding.consent_text import accepted_versions, current_consent_text
from annotation.models import Consent, ConsentText
from audit.errors import TouchstoneError
from crowd.models import StudySession
from projects.models import Project


class ConsentTextChangedError(TouchstoneError):
    """Another version of the text was published since the worker opened the page."""


def project_of(session: StudySession) -> Project:
    return Project.objects.get(budget=session.study.budget_id)


def missing_consent(*, project: Project, session: StudySession) -> ConsentText | None:
    """Return the text that the session's worker has to accept before a task, or None."""
    text = current_consent_text(project_id=project.pk)
    if text is None or not text.text:
        return None
    accepted = session.worker.consents.filter(text__in=accepted_versions(text))
    return None if accepted.exists() else text


def accept_consent(*, session: StudySession, version: str, now: datetime) -> None:
    """Store the worker's consent to this version. Raise ConsentTextChangedError if it is not current."""
    text = missing_consent(project=project_of(session), session=session)
    if text is None:
        return
    if version != str(text.version):
        raise ConsentTextChangedError
    Consent.objects.get_or_create(text=text, worker=session.worker, defaults={"accepted_at": now})
    StudySession.objects.filter(pk=session.pk).update(declined_at=None)
