"""A trainer's feedback on a round or on production work, and the worker's reply."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.workers.languages import language_of
from crowd.domain.workers.write_mail import also_by_mail
from crowd.models import Message, ReceivedMessage
from qualification.models import BaseFeedback, Enrolment, Evaluation, Feedback, PoolFeedback

AnyFeedback = Feedback | PoolFeedback
L = TypeVar("L", bound=BaseFeedback)
SALT = "qualification.feedback"
LINK_LIFE = timedelta(days=60)
# Maximum seconds that a save adds, because a page may stay open while nobody works
MAX_SECONDS_A_SAVE = 3600
REPLY_LIMIT = 4000

MESSAGE = gettext_noop("""Hello,

%(introduction)s

%(url)s

This personal link works for %(days)s days without signing in. On the page, you can mark the feedback \
as read and reply to it.
""")

INTRODUCTIONS = {
    Feedback: gettext_noop(
        "Thank you for finishing “%(title)s”. Your feedback is ready. It compares your work with an "
        "expert's and includes notes from your trainer."
    ),
    PoolFeedback: gettext_noop(
        "Thank you for your work on “%(title)s”. Your trainer has reviewed some of it. The page below "
        "compares your work with the final version and includes notes."
    ),
}


class NothingToSendError(TouchstoneError):
    """There is no work to write feedback on."""


class InvalidLinkError(TouchstoneError):
    """The link is invalid or has expired."""


@dataclass(frozen=True, slots=True)
class Notes:
    """The text, the notes by item id, and the seconds since the last save, from the trainer's page."""

    text: str = ""
    by_item: Mapping[str, str] = field(default_factory=dict)
    seconds: int = 0


def suggested_notes(evaluation: Evaluation) -> dict[str, str]:
    """Return notes by item id, made from the alignment's remarks."""
    return {
        str(entry["item"]): "\n".join(text for _, text in entry["remarks"])
        for entry in evaluation.alignment
        if entry["remarks"]
    }


def draft_of(enrolment: Enrolment) -> Feedback | None:
    """Return the unsent feedback, if any."""
    return Feedback.objects.filter(evaluation__enrolment=enrolment, sent_at=None).first()


def draft_or_new(enrolment: Enrolment) -> Feedback | None:
    """Return the draft, or an unsaved one, on the newest evaluation. Return None without one."""
    evaluation = enrolment.evaluations.order_by("-pk").first()
    if evaluation is None:
        return None
    feedback = draft_of(enrolment) or Feedback()
    feedback.evaluation = evaluation
    return feedback


def sent_to(enrolment: Enrolment) -> list[Feedback]:
    """Return the feedback sent about the round, newest first."""
    rows = Feedback.objects.filter(evaluation__enrolment=enrolment, sent_at__isnull=False)
    return list(rows.select_related("trainer", "message__mail").order_by("-pk"))


@transaction.atomic
def save_feedback(*, enrolment: Enrolment, trainer: Any, notes: Notes, now: datetime) -> Feedback:
    """Save a draft. Raise NothingToSendError if the worker has not been evaluated."""
    Enrolment.objects.select_for_update().get(pk=enrolment.pk)
    feedback = draft_or_new(enrolment)
    if feedback is None:
        raise NothingToSendError("This worker has not finished the round.")
    save_notes(feedback=feedback, trainer=trainer, notes=notes, now=now)
    return feedback


def save_notes(*, feedback: AnyFeedback, trainer: Any, notes: Notes, now: datetime) -> None:
    """Save a draft with the notes, and add the trainer's time."""
    feedback.trainer, feedback.text = trainer, notes.text
    feedback.notes = {item: note for item, note in notes.by_item.items() if note.strip()}
    feedback.trainer_seconds += _counted(notes.seconds)
    feedback.written_at = now
    feedback.save()


@transaction.atomic
def autosave_draft(*, enrolment: Enrolment, trainer: Any, notes: Notes, now: datetime) -> None:
    """Save a draft, or if nothing is written add the trainer's time to the feedback sent last."""
    has_text = notes.text.strip() or any(note.strip() for note in notes.by_item.values())
    last = next(iter(sent_to(enrolment)), None)
    if has_text or draft_of(enrolment) or last is None:
        save_feedback(enrolment=enrolment, trainer=trainer, notes=notes, now=now)
        return
    spent = F("trainer_seconds") + _counted(notes.seconds)
    Feedback.objects.filter(pk=last.pk).update(trainer_seconds=spent)


def _counted(seconds: int) -> int:
    return min(max(seconds, 0), MAX_SECONDS_A_SAVE)


@transaction.atomic
def send_feedback(
    *, enrolment: Enrolment, trainer: Any, notes: Notes, now: datetime, actor: str = ""
) -> Feedback:
    """Send the feedback as a message with a link. Raise NothingToSendError."""
    feedback = save_feedback(enrolment=enrolment, trainer=trainer, notes=notes, now=now)
    deliver(feedback=feedback, actor=actor, now=now)
    return feedback


def deliver(*, feedback: AnyFeedback, now: datetime, actor: str = "") -> None:
    """Send a saved draft to its worker as a message with a link.

    `actor` is logged, by default the trainer.
    """
    with translation.override(language_of(feedback.worker)):
        subject, text = _message(feedback)
    feedback.message = Message.objects.create(
        worker=feedback.worker,
        budget=feedback.project.budget,
        subject=subject[:200],
        text=text,
        written_at=now,
    )
    also_by_mail(message=feedback.message)
    feedback.sent_at = now
    feedback.save(update_fields=["message", "sent_at"])
    actor = actor or str(feedback.trainer)
    log_state_change(instance=feedback, old="draft", new="sent", actor=actor, now=now)


def _message(feedback: AnyFeedback) -> tuple[str, str]:
    """Return the subject and the text of the message in the current language."""
    values = {"title": feedback.title}
    text = gettext(MESSAGE) % {
        "introduction": gettext(INTRODUCTIONS[type(feedback)]) % values,
        "url": link_of(feedback),
        "days": LINK_LIFE.days,
    }
    return gettext("Your feedback on %(title)s") % values, text


def link_of(feedback: AnyFeedback) -> str:
    """Return a URL that opens this feedback without a login."""
    token = signing.dumps([feedback._meta.model_name, feedback.pk], salt=SALT)
    return settings.SITE_URL + reverse("qualification:feedback", args=[token])


def feedback_of_token(token: str) -> AnyFeedback:
    """Return the feedback of a link. Raise InvalidLinkError."""
    try:
        kind, pk = signing.loads(token, salt=SALT, max_age=LINK_LIFE)
    except signing.BadSignature:
        raise InvalidLinkError(gettext("This link is invalid or has expired.")) from None
    feedback: AnyFeedback | None
    if kind == PoolFeedback._meta.model_name:
        production = PoolFeedback.objects.filter(pk=pk, sent_at__isnull=False)
        feedback = production.select_related("project", "worker").first()
    else:
        rounds = Feedback.objects.filter(pk=pk, sent_at__isnull=False)
        feedback = rounds.select_related(
            "evaluation__enrolment__round__project",
            "evaluation__enrolment__worker",
            "evaluation__enrolment__cohort__batch__project",
        ).first()
    if feedback is None:
        raise InvalidLinkError(gettext("This feedback no longer exists."))
    return feedback


@transaction.atomic
def acknowledge(*, feedback: L, now: datetime) -> L:
    """Record that the worker has read the feedback. Repeated calls change nothing."""
    feedback = type(feedback)._default_manager.select_for_update().get(pk=feedback.pk)
    if feedback.acknowledged_at is None:
        feedback.acknowledged_at = now
        feedback.save(update_fields=["acknowledged_at"])
    return feedback


@transaction.atomic
def add_reply(*, feedback: AnyFeedback, reply: str, now: datetime) -> AnyFeedback:
    """Append to the worker's reply, which is also a message and acknowledges the feedback."""
    feedback = acknowledge(feedback=feedback, now=now)
    text = reply.strip()
    if text and not feedback.reply.endswith(text):
        ReceivedMessage.objects.create(
            worker=feedback.worker,
            budget=feedback.project.budget,
            subject=f"Your feedback on {feedback.title}"[:200],
            text=text[-REPLY_LIMIT:],
            sent_at=now,
        )
        joined = f"{feedback.reply}\n\n{text}" if feedback.reply else text
        feedback.reply = joined[-REPLY_LIMIT:]
        feedback.replied_at = now
        feedback.save(update_fields=["reply", "replied_at"])
    return feedback
