"""Apply review policies. Results and intended actions are stored first, then each action is taken.

An action is a row with the status Intended before it is taken, so that it is taken exactly once, even
after a crash. Each action has a separate transaction, which locks the action, the assignment, the HIT
and the balance in this order.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from marketplace.domain.errors import ApiError, WrongStateError
from marketplace.domain.hits import hits
from marketplace.domain.identifiers import new_code
from marketplace.domain.work import review
from marketplace.domain.work.review_policies import scores
from marketplace.domain.work.review_policies.answers import parse_answers
from marketplace.enums import (
    SHOWN,
    AssignmentStatus,
    HitStatus,
    ReviewActionName,
    ReviewActionStatus,
)
from marketplace.models import Assignment, DueReview, Hit, ReviewAction, ReviewPolicy, ReviewResult

SCORE = "KnownAnswerScore"


def due_hits() -> QuerySet[Hit]:
    """Return the HITs with due reviews or intended actions."""
    due = DueReview.objects.order_by().values("hit")
    intended = ReviewAction.objects.filter(status=ReviewActionStatus.INTENDED).order_by()
    # A union instead of a disjunction, which would read every HIT.
    return Hit.objects.filter(pk__in=due.union(intended.values("policy__hit")))


def apply_policies(*, hit_pk: int, now: datetime) -> bool:
    """Review what is due of a HIT. Return True if anything was done. Repeating has no effect."""
    reviewed = _review_assignments(hit_pk)
    taken = _take_actions(hit_pk, now)
    # The HIT's policy considers the decisions and extensions of the assignments' policy.
    reviewed += _review_hit(hit_pk, now)
    taken += _take_actions(hit_pk, now)
    return bool(reviewed or taken)


@transaction.atomic
def _review_assignments(hit_pk: int) -> int:
    Hit.objects.select_for_update().get(pk=hit_pk)
    due = DueReview.objects.filter(hit=hit_pk, assignment__isnull=False)
    rows = list(due.select_related("policy", "assignment").order_by("pk"))
    for row in rows:
        if row.assignment:
            report = _Report(row.policy)
            report.score_known_answers(row.assignment)
            report.save()
        row.delete()
    return len(rows)


@transaction.atomic
def _review_hit(hit_pk: int, now: datetime) -> int:
    hit = Hit.objects.select_for_update().get(pk=hit_pk)
    due = DueReview.objects.filter(hit=hit_pk)
    policy = ReviewPolicy.objects.filter(due_reviews__in=due.filter(assignment=None)).first()
    if policy is None or due.exclude(assignment=None).exists():
        return 0  # a submission since, which comes first
    # A HIT that is no longer reviewable becomes due again.
    if hit.status(now) in (HitStatus.REVIEWABLE, HitStatus.REVIEWING):
        report = _Report(policy)
        report.compare_workers()
        report.save()
    return due.delete()[0]


class _Report:
    """The results and intended actions of a policy."""

    def __init__(self, policy: ReviewPolicy) -> None:
        self._policy = policy
        self._parameters: dict[str, Any] = policy.parameters
        self._results: list[ReviewResult] = []
        self._actions: list[ReviewAction] = []

    def save(self) -> None:
        ReviewResult.objects.bulk_create(self._results, batch_size=500)
        ReviewAction.objects.bulk_create(self._actions, batch_size=500)

    def score_known_answers(self, assignment: Assignment) -> None:
        """Compare an assignment with the answer key."""
        key = self._parameters["AnswerKey"]
        matches = scores.known_answers(parse_answers(assignment.answer), key)
        correct, total = sum(matches.values()), len(matches)
        score = scores.percent(correct, total)
        subject = ("Assignment", assignment.code)
        for question, is_correct in matches.items():
            self._add_result(subject, "KnownAnswerCorrect", int(is_correct), question)
        self._add_result(subject, SCORE, score)
        self._decide(
            assignment,
            score,
            approve="ApproveIfKnownAnswerScoreIsAtLeast",
            reject="RejectIfKnownAnswerScoreIsLessThan",
        )
        self._extend_below("ExtendIfKnownAnswerScoreIsLessThan", score)

    def compare_workers(self) -> None:
        """Compare the assignments of the HIT with each other."""
        subject = ("HIT", self._policy.hit.code)
        considered = [(row, parse_answers(row.answer)) for row in self._considered()]
        agreed = scores.agreed_answers(
            [answers for _, answers in considered],
            self._parameters["QuestionIds"],
            threshold=self._parameters["QuestionAgreementThreshold"],
        )
        for question, answer in agreed.items():
            self._add_result(subject, "AgreedAnswerFound", str(bool(answer)).lower(), question)
            if answer:
                self._add_result(subject, "AgreedAnswer", answer.text, question)
                self._add_result(subject, "AnswerAgreementScore", answer.score, question)
        score = scores.hit_agreement(agreed)
        self._add_result(subject, "HitAgreementScore", score)
        for assignment, answers in considered:
            self._compare(assignment, scores.worker_agreement(answers, agreed))
        self._extend_below("ExtendIfHITAgreementScoreIsLessThan", score)

    def _considered(self) -> QuerySet[Assignment]:
        rows = Assignment.objects.filter(hit=self._policy.hit, status__in=SHOWN).order_by("pk")
        if self._parameters.get("DisregardAssignmentIfRejected"):
            rows = rows.exclude(status=AssignmentStatus.REJECTED)
        least = self._parameters.get("DisregardAssignmentIfKnownAnswerScoreIsLessThan")
        if least is None:
            return rows
        known = ReviewResult.objects.filter(policy__hit=self._policy.hit, key=SCORE)
        low = [row.subject_code for row in known if int(row.value) < least]
        return rows.exclude(code__in=low)

    def _compare(self, assignment: Assignment, agreement: scores.WorkerAgreement) -> None:
        if agreement.score is None:
            return
        subject = ("Assignment", assignment.code)
        self._add_result(subject, "WorkerAgreementScore", agreement.score)
        self._add_result(subject, "PluralityAnswersCorrect", agreement.correct)
        self._add_result(subject, "PluralityAnswersIncorrect", agreement.incorrect)
        self._decide(
            assignment,
            agreement.score,
            approve="ApproveIfWorkerAgreementScoreIsAtLeast",
            reject="RejectIfWorkerAgreementScoreIsLessThan",
        )

    def _decide(self, assignment: Assignment, score: int, *, approve: str, reject: str) -> None:
        """Intend an approval or a rejection. If both thresholds apply, approve."""
        least, below = self._parameters.get(approve), self._parameters.get(reject)
        if least is not None and score >= least:
            self._intend(ReviewActionName.APPROVE, "Assignment", assignment.code)
        elif below is not None and score < below:
            self._intend(ReviewActionName.REJECT, "Assignment", assignment.code)

    def _extend_below(self, threshold: str, score: int) -> None:
        below = self._parameters.get(threshold)
        if below is not None and score < below:
            self._intend(ReviewActionName.EXTEND, "HIT", self._policy.hit.code)

    def _add_result(
        self, subject: tuple[str, str], key: str, value: object, question: str = ""
    ) -> None:
        result = ReviewResult(
            policy=self._policy,
            code=new_code(),
            subject_type=subject[0],
            subject_code=subject[1],
            question=question,
            key=key,
            value=str(value),
        )
        self._results.append(result)

    def _intend(self, name: ReviewActionName, target_type: str, target_code: str) -> None:
        action = ReviewAction(
            policy=self._policy,
            code=new_code(),
            name=name,
            target_type=target_type,
            target_code=target_code,
            status=ReviewActionStatus.INTENDED,
        )
        self._actions.append(action)


def _take_actions(hit_pk: int, now: datetime) -> int:
    intended = ReviewAction.objects.filter(
        policy__hit=hit_pk, status=ReviewActionStatus.INTENDED
    ).order_by("pk")
    return sum(_take(pk, now) for pk in list(intended.values_list("pk", flat=True)))


@transaction.atomic
def _take(action_pk: int, now: datetime) -> bool:
    """Take an action that is still intended. A refusal is its outcome."""
    actions = ReviewAction.objects.select_for_update(of=("self",))
    action = actions.select_related("policy__hit__requester").get(pk=action_pk)
    if action.status != ReviewActionStatus.INTENDED:
        return False
    try:
        with transaction.atomic():
            action.result = _TAKE[ReviewActionName(action.name)](action, now)
        action.status = ReviewActionStatus.SUCCEEDED
    except ApiError as error:
        action.status = ReviewActionStatus.FAILED
        action.result, action.error_code = error.message, error.code
    action.completed_at = now
    action.save(update_fields=["status", "result", "error_code", "completed_at"])
    return True


def _approve(action: ReviewAction, now: datetime) -> str:
    try:
        review.approve(
            requester=action.policy.hit.requester,
            assignment_code=action.target_code,
            feedback=action.policy.parameters.get("ApproveReason", ""),
            now=now,
        )
    except WrongStateError:
        if _status(action) != AssignmentStatus.APPROVED:
            raise
        return "Already approved"
    return "Approved"


def _reject(action: ReviewAction, now: datetime) -> str:
    try:
        review.reject(
            requester=action.policy.hit.requester,
            assignment_code=action.target_code,
            feedback=action.policy.parameters.get("RejectReason", ""),
            now=now,
        )
    except WrongStateError:
        if _status(action) != AssignmentStatus.REJECTED:
            raise
        return "Already rejected"
    return "Rejected"


def _status(action: ReviewAction) -> str:
    status: str = Assignment.objects.values_list("status", flat=True).get(code=action.target_code)
    return status


def _extend(action: ReviewAction, now: datetime) -> str:
    """Add an assignment up to the policy's maximum, and time for it."""
    hit = Hit.objects.select_for_update(of=("self",)).get(pk=action.policy.hit_id)
    parameters = action.policy.parameters
    if hit.max_assignments >= parameters["ExtendMaximumAssignments"]:
        return f"The HIT already has {hit.max_assignments} assignments"
    requester = action.policy.hit.requester
    hits.add_assignments(requester=requester, hit_code=hit.code, number=1, now=now)
    until = now + timedelta(seconds=parameters.get("ExtendMinimumTimeInSeconds", 0))
    if until > max(now, hit.expires_at):
        hits.update_expiration(requester=requester, hit_code=hit.code, expires_at=until, now=now)
    return "Extended by 1 assignment"


_TAKE: dict[ReviewActionName, Callable[[ReviewAction, datetime], str]] = {
    ReviewActionName.APPROVE: _approve,
    ReviewActionName.REJECT: _reject,
    ReviewActionName.EXTEND: _extend,
}
