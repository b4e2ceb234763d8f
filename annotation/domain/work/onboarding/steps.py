"""Onboarding: the consent and the questionnaire before a worker's first task of a project.

The page in the frame claims an assignment and a worker, as for drafts. Its consent and answers count
for the same assignment. Until a marketplace confirms an assignment of the worker, they also count for
the worker's other assignments on the same network. Otherwise anyone could consent for another worker.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from annotation.domain.work.find_task import PublishedTask, find_task
from annotation.domain.work.onboarding.consent_text import accepted_versions
from annotation.domain.work.onboarding.questionnaire import QuestionnaireField, fields_of
from annotation.domain.work.unconfirmed_drafts import check_limit, digest_of
from annotation.domain.work.worker_page import (
    TOKEN_LIFE,
    InvalidPageError,
    PageToken,
    page_token_of,
)
from annotation.models import (
    Consent,
    ConsentText,
    Draft,
    OnboardingDraft,
    Questionnaire,
    QuestionnaireAnswer,
)
from audit.errors import TouchstoneError
from crowd.domain.provider.hold_publishing import active_hold
from crowd.models import Assignment, Worker
from projects.models import Project

SALT = "annotation.onboarding"
ADDRESS_LIFE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Onboarding:
    """What a worker still has to do. `consent_text` is None if they accepted it."""

    project: Project
    claim: PageToken
    consent_text: ConsentText | None
    fields: Sequence[QuestionnaireField]

    def token(self) -> str:
        """Return a token that authorizes the onboarding, but no work on the task."""
        return self.claim.token(SALT)


@dataclass(frozen=True, slots=True)
class AskedFirst:
    """What a project asks of its workers first: a consent text in Markdown, and a questionnaire."""

    consent_text: str
    has_questionnaire: bool


class OnboardingRequiredError(TouchstoneError):
    """The worker may not see the task before they have done what is left."""

    def __init__(self, onboarding: Onboarding) -> None:
        super().__init__(gettext("Accept the consent text and fill in the questionnaire first."))
        self.onboarding = onboarding


def claim_of(token: object) -> PageToken:
    """Return the claim in the token of an onboarding. Raise InvalidPageError."""
    return page_token_of(token, SALT)


def check_onboarding(*, published: PublishedTask, claim: PageToken, address: str) -> None:
    """Raise OnboardingRequiredError if the worker has to do something before the task."""
    if onboarding := _open_steps(published, claim, address):
        raise OnboardingRequiredError(onboarding)


def asked_first(published: PublishedTask) -> AskedFirst:
    """Return what the task's project asks of workers who open it for the first time."""
    text, questionnaire = _current(published)
    return AskedFirst(text.text if text else "", bool(fields_of(questionnaire)))


def _current(published: PublishedTask) -> tuple[ConsentText | None, Questionnaire | None]:
    text_id, questionnaire_id = published.consent_text_id, published.questionnaire_id
    text = questionnaire = None
    if text_id:
        text = ConsentText.objects.exclude(text="").filter(pk=text_id).first()
    if questionnaire_id:
        questionnaire = Questionnaire.objects.filter(pk=questionnaire_id).first()
    return text, questionnaire


def onboarding_of(*, claim: PageToken, address: str) -> Onboarding | None:
    """Return what the worker still has to do, or None. Raise InvalidPageError."""
    published = find_task(claim.public_id)
    if published is None:
        raise InvalidPageError(gettext("This task doesn't exist."))
    return _open_steps(published, claim, address)


def _open_steps(published: PublishedTask, claim: PageToken, address: str) -> Onboarding | None:
    text, questionnaire = _current(published)
    fields = fields_of(questionnaire)
    if text is None and not fields:
        return None
    project = published.task.batch.project
    ref = claim.worker_ref
    # An invented claim must not reveal what the worker did before.
    workers = Worker.objects.filter(provider=project.provider, external_id=ref)
    worker = workers.first() if claim.is_confirmed else None
    digest = digest_of(address) if claim.is_confirmed else ""
    drafts = list(_drafts(project, ref, claim.assignment_ref, digest))
    if text and _has_consented(text, worker, drafts):
        text = None
    answers = QuestionnaireAnswer.objects.filter(project=project, worker=worker)
    answered = {key for draft in drafts for key in draft.answers}
    answered.update(answers.values_list("key", flat=True))
    unanswered = [field for field in fields if field.key not in answered]
    if text is None and not unanswered:
        return None
    return Onboarding(project, claim, text, unanswered)


def _drafts(
    project: Project, worker_ref: str, assignment_ref: str, address_digest: str
) -> QuerySet[OnboardingDraft]:
    """Return the drafts that count for the assignment."""
    same = Q(assignment_ref=assignment_ref)
    if address_digest:
        same |= Q(address_digest=address_digest)
    return OnboardingDraft.objects.filter(same, project=project, worker_ref=worker_ref)


def _has_consented(
    text: ConsentText, worker: Worker | None, drafts: Sequence[OnboardingDraft]
) -> bool:
    accepted = accepted_versions(text)
    if any(draft.consent_text_id in accepted for draft in drafts):
        return True
    return worker is not None and worker.consents.filter(text__in=accepted).exists()


@transaction.atomic
def save_onboarding(
    *, onboarding: Onboarding, answers: Mapping[str, str], address: str, now: datetime
) -> None:
    """Store the consent and the answers, by the keys of fields. Raise TooManyDraftsError.

    The caller has checked the answers. Fields without an answer are stored as skipped.
    """
    claim, project = onboarding.claim, onboarding.project
    digest = digest_of(address)
    if not claim.is_confirmed:
        _check_room(digest)
    draft, _ = OnboardingDraft.objects.get_or_create(
        project=project,
        worker_ref=claim.worker_ref,
        assignment_ref=claim.assignment_ref,
        defaults={"saved_at": now},
    )
    if onboarding.consent_text:
        draft.consent_text, draft.accepted_at = onboarding.consent_text, now
    draft.answers |= {
        field.key: {"label": field.label, "value": answers.get(field.key, "")}
        for field in onboarding.fields
    }
    draft.address_digest, draft.saved_at = digest, now
    draft.save()


def _check_room(address_digest: str) -> None:
    """Raise TooManyDraftsError if there are too many drafts, of the address or in total."""
    drafts = OnboardingDraft.objects.all()
    check_limit(drafts, settings.UNCONFIRMED_DRAFTS)
    if address_digest:
        check_limit(drafts.filter(address_digest=address_digest), settings.DRAFTS_PER_ADDRESS)


def confirm_onboarding(*, project: Project, assignment: Assignment, draft: Draft | None) -> None:
    """Store consent and answers of the worker, whom the marketplace has confirmed.

    `draft` is that of the assignment. It runs in the transaction that records the assignment.
    """
    worker = assignment.worker
    digest = draft.address_digest if draft else ""
    rows = _drafts(project, worker.external_id, assignment.external_id, digest)
    for row in rows.select_for_update().order_by("saved_at"):
        if row.consent_text_id and row.accepted_at:
            Consent.objects.get_or_create(
                text_id=row.consent_text_id,
                worker=worker,
                defaults={"accepted_at": row.accepted_at},
            )
        for key, answer in row.answers.items():
            QuestionnaireAnswer.objects.get_or_create(
                project=project,
                worker=worker,
                key=key,
                defaults={**answer, "answered_at": row.saved_at},
            )
        row.delete()


def delete_unconfirmed_onboarding(*, now: datetime) -> int:
    """Delete drafts that no assignment can confirm any more. Return how many.

    Network addresses are deleted after a day. A restored installation first reads the marketplace's
    assignments.
    """
    if active_hold():
        return 0
    old = OnboardingDraft.objects.filter(saved_at__lt=now - ADDRESS_LIFE)
    old.exclude(address_digest="").update(address_digest="")
    deleted, _ = OnboardingDraft.objects.filter(saved_at__lt=now - TOKEN_LIFE).delete()
    return deleted
