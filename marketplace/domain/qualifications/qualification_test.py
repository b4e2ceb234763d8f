"""Workers' attempts at qualification tests, with their deadlines and scores."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext

from marketplace.domain.answer_document import GRACE, MAX_ANSWER_LENGTH
from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.qualifications import qualifications
from marketplace.domain.questions.answer_key import parse_answer_key
from marketplace.domain.questions.form_answers import Answers, form_answers_document
from marketplace.domain.questions.question_form import QuestionForm, parse_question_form
from marketplace.models import (
    QualificationAttempt,
    QualificationRequest,
    QualificationType,
    WorkerAccount,
)


class TimeOverError(RefusalError):
    def __init__(self) -> None:
        super().__init__(
            "InvalidQualificationRequestState", gettext("The time for this test has expired.")
        )


def read_test(test: str) -> QuestionForm:
    """Parse a stored test, which was checked when it was created."""
    return parse_question_form(test, name="Test", allow_http=True)


def open_attempt(*, worker: WorkerAccount, kind: QualificationType) -> QualificationAttempt | None:
    """Return the attempt that the worker has not submitted, also after its deadline."""
    return QualificationAttempt.objects.filter(
        qualification_type=kind, worker=worker, closed_at=None
    ).first()


def start_problem(*, worker: WorkerAccount, kind: QualificationType, now: datetime) -> str:
    """Return why the worker cannot start the test, or an empty string."""
    try:
        qualifications.check_requestable(worker, kind, now)
    except RefusalError as refusal:
        return refusal.message
    return ""


def is_over(attempt: QualificationAttempt, *, now: datetime) -> bool:
    """Return True once answers are too late. They may arrive GRACE after the deadline."""
    return now > attempt.deadline_at + GRACE


@transaction.atomic
def start(*, worker: WorkerAccount, kind: QualificationType, now: datetime) -> QualificationAttempt:
    """Start the test, or return the attempt in progress. Raise RefusalError if it is too early."""
    # The lock keeps a worker from starting twice in two windows. It is `no_key` because `submit` holds
    # an attempt's lock while it refers to the type.
    kind = QualificationType.objects.select_for_update(no_key=True).get(pk=kind.pk)
    current = open_attempt(worker=worker, kind=kind)
    if current is not None and now < current.deadline_at:
        return current
    qualifications.check_requestable(worker, kind, now)
    if current is not None:
        current.closed_at = current.deadline_at
        current.save(update_fields=["closed_at"])
    return QualificationAttempt.objects.create(
        qualification_type=kind,
        worker=worker,
        test=kind.test,
        answer_key=kind.answer_key,
        started_at=now,
        deadline_at=now + timedelta(seconds=kind.test_duration_seconds or 0),
    )


@transaction.atomic
def submit(
    *, attempt: QualificationAttempt, answers: Answers, now: datetime
) -> QualificationRequest:
    """Submit the answers of an attempt once, and grant the qualification if the test has a key.

    Raise TimeOverError after the deadline, and RefusalError if the answers are too long.
    """
    rows = QualificationAttempt.objects.select_for_update(of=("self",))
    attempt = rows.select_related("qualification_type", "worker").get(pk=attempt.pk)
    submitted = QualificationRequest.objects.filter(attempt=attempt).first()
    if submitted is not None:
        return submitted
    if attempt.closed_at is not None or is_over(attempt, now=now):
        raise TimeOverError
    test = read_test(attempt.test)
    document = form_answers_document(test, answers)
    if len(document) > MAX_ANSWER_LENGTH:
        raise InvalidParameterError(
            gettext("The answers are longer than %(max_answer_length)s characters.")
            % {"max_answer_length": f"{MAX_ANSWER_LENGTH:,}"}
        )
    value = None
    if attempt.answer_key:
        value = parse_answer_key(attempt.answer_key, test=test).value(answers)
    attempt.request = qualifications.create_request(
        worker=attempt.worker,
        kind=attempt.qualification_type,
        answer=document,
        value=value,
        now=now,
    )
    attempt.closed_at = now
    attempt.save(update_fields=["request", "closed_at"])
    return attempt.request
