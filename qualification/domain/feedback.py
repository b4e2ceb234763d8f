"""What a trainer writes to a worker about a round, and the worker's answer to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse

from audit.domain.change_state import log_state_change
from crowd.domain.write_mail import also_by_mail
from crowd.models import Message
from qualification.models import Enrolment, Evaluation, Feedback, Letter

L = TypeVar("L", bound=Letter)
SALT = "qualification.feedback"
LINK_LIFE = timedelta(days=60)
# What one visit to the trainer's page can add: a page left open over lunch is not work.
MOST_SECONDS_A_SAVE = 3600
QUESTION_LIMIT = 4000

MESSAGE = """Hello,

thank you for finishing “{title}”. Your feedback is ready: each of your questions and answers beside \
an expert's, with notes from your trainer.

{url}

The link is yours alone and works for {days} days, without signing in. On the page you can tell us \
that you have read it, and ask back.
"""


class NothingToSend(Exception):
    """There are no figures to write feedback on."""


class BadLink(Exception):
    """The address is not one that we gave out, or is too old."""


@dataclass(frozen=True, slots=True)
class Notes:
    """What the trainer's page sends: the overall text, a note by item id, seconds spent since the
    last save."""

    text: str = ""
    by_item: Mapping[str, str] = field(default_factory=dict)
    seconds: int = 0


def suggested_notes(evaluation: Evaluation) -> dict[str, str]:
    """A note by item id from the remarks that its alignment suggests; items without one left out."""
    return {
        str(one["item"]): "\n".join(text for _, text in one["remarks"])
        for one in evaluation.alignment
        if one["remarks"]
    }


def draft_of(enrolment: Enrolment) -> Feedback | None:
    """The feedback being written, if any."""
    return Feedback.objects.filter(evaluation__enrolment=enrolment, sent_at=None).first()


def sent_to(enrolment: Enrolment) -> list[Feedback]:
    """What has been sent about the round, the newest first."""
    rows = Feedback.objects.filter(evaluation__enrolment=enrolment, sent_at__isnull=False)
    return list(rows.select_related("trainer", "message__mail").order_by("-pk"))


@transaction.atomic
def save_feedback(*, enrolment: Enrolment, trainer: Any, notes: Notes, now: datetime) -> Feedback:
    """Keep what is written so far. Raises NothingToSend before the worker has been evaluated."""
    Enrolment.objects.select_for_update().get(pk=enrolment.pk)
    evaluation = enrolment.evaluations.order_by("-pk").first()
    if evaluation is None:
        raise NothingToSend("This worker has not finished the round.")
    feedback = draft_of(enrolment) or Feedback(written_at=now)
    feedback.evaluation, feedback.trainer = evaluation, trainer
    feedback.text = notes.text
    feedback.notes = {item: note for item, note in notes.by_item.items() if note.strip()}
    feedback.trainer_seconds += min(max(notes.seconds, 0), MOST_SECONDS_A_SAVE)
    feedback.written_at = now
    feedback.save()
    return feedback


@transaction.atomic
def keep_feedback(*, enrolment: Enrolment, trainer: Any, notes: Notes, now: datetime) -> None:
    """Keep what is written when the trainer does something else on the page. Where nothing is, and
    feedback was sent before, only their time is added to it: no empty draft is begun."""
    written = notes.text.strip() or any(one.strip() for one in notes.by_item.values())
    last = next(iter(sent_to(enrolment)), None)
    if written or draft_of(enrolment) or last is None:
        save_feedback(enrolment=enrolment, trainer=trainer, notes=notes, now=now)
        return
    last = Feedback.objects.select_for_update().get(pk=last.pk)
    last.trainer_seconds += min(max(notes.seconds, 0), MOST_SECONDS_A_SAVE)
    last.save(update_fields=["trainer_seconds"])


@transaction.atomic
def send_feedback(*, enrolment: Enrolment, trainer: Any, notes: Notes, now: datetime) -> Feedback:
    """Save it and leave a message with its link for the worker. Raises NothingToSend."""
    feedback = save_feedback(enrolment=enrolment, trainer=trainer, notes=notes, now=now)
    title = enrolment.round.title
    feedback.message = Message.objects.create(
        worker=enrolment.worker,
        budget=enrolment.round.project.budget,
        subject=f"Your feedback on {title}"[:200],
        text=MESSAGE.format(title=title, url=link_of(feedback), days=LINK_LIFE.days),
        written_at=now,
    )
    also_by_mail(message=feedback.message)
    feedback.sent_at = now
    feedback.save(update_fields=["message", "sent_at"])
    log_state_change(instance=feedback, old="draft", new="sent", actor=str(trainer), now=now)
    return feedback


# --- the worker's side ---------------------------------------------------------------------------


def link_of(feedback: Feedback) -> str:
    """The address that opens this feedback and nothing else, with no login."""
    token = signing.dumps(feedback.pk, salt=SALT)
    return settings.SITE_URL + reverse("qualification:feedback", args=[token])


def feedback_of_token(token: str) -> Feedback:
    """Raises BadLink for a token that was altered, is too old or leads to nothing."""
    try:
        pk = signing.loads(token, salt=SALT, max_age=LINK_LIFE)
    except signing.BadSignature:
        raise BadLink("This link is not valid (any more).") from None
    feedback = (
        Feedback.objects.filter(pk=pk, sent_at__isnull=False)
        .select_related(
            "evaluation__enrolment__round__project",
            "evaluation__enrolment__worker",
            "evaluation__enrolment__intake__batch__project",
        )
        .first()
    )
    if feedback is None:
        raise BadLink("This link leads to nothing (any more).")
    return feedback


@transaction.atomic
def acknowledge(*, feedback: L, now: datetime) -> L:
    """The worker has read it. A repeat changes nothing."""
    feedback = type(feedback)._default_manager.select_for_update().get(pk=feedback.pk)
    if feedback.acknowledged_at is None:
        feedback.acknowledged_at = now
        feedback.save(update_fields=["acknowledged_at"])
    return feedback


@transaction.atomic
def ask_back(*, feedback: L, question: str, now: datetime) -> L:
    """The worker asks; what they asked before stays above it. Asking tells that it was read."""
    feedback = acknowledge(feedback=feedback, now=now)
    asked = question.strip()
    if asked and not feedback.question.endswith(asked):
        joined = f"{feedback.question}\n\n{asked}" if feedback.question else asked
        feedback.question = joined[-QUESTION_LIMIT:]
        feedback.asked_at = now
        feedback.save(update_fields=["question", "asked_at"])
    return feedback
