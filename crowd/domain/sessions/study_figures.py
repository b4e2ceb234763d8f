"""The progress, pay and problems of a project's studies. A budget identifies the project."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from django.db.models import Count, F, Q, QuerySet, Sum

from crowd.domain.hits.plan_study import hourly_pay_of
from crowd.enums import DealState, SessionState, SettlementState, StudyState
from crowd.models import Budget, Settlement, Study, StudySession

# In these states a session has given its place back.
GIVEN_UP = {SessionState.RETURNED, SessionState.REJECTED}
# A median of fewer sessions, or of sessions that nobody can have worked through, tells nothing about pay.
MIN_SESSIONS = 5
MIN_SHARE = 0.1
FINISHED_STATES = {SessionState.FINISHED, SessionState.SUBMITTED, SessionState.APPROVED}


@dataclass(frozen=True, slots=True)
class StudyFigures:
    """A study with the number of its sessions by state, and its pay.

    `median_minutes` is that of finished sessions, or None below MIN_SESSIONS. Sessions of less
    than MIN_SHARE of the estimated time don't count, such as those of simulated workers.
    `cents` is what was paid so far, with fees and taxes.
    """

    study: Study
    sessions: Mapping[str, int]
    median_minutes: float | None
    minimum_hourly_cents: int
    cents: int

    @property
    def taken(self) -> int:
        return sum(n for state, n in self.sessions.items() if state not in GIVEN_UP)

    @property
    def labels(self) -> list[tuple[str, int]]:
        """The label and number of each state that has sessions."""
        return [
            (state.label, self.sessions[state])
            for state in SessionState
            if self.sessions.get(state)
        ]

    @property
    def hourly_cents(self) -> int | None:
        """The reward per hour of the median session, without bonuses."""
        if not self.median_minutes:
            return None
        return int(self.study.reward_cents * 60 / self.median_minutes)

    @property
    def pays_too_little(self) -> bool:
        return self.hourly_cents is not None and self.hourly_cents < self.minimum_hourly_cents


def studies_of(*, budget: Budget) -> QuerySet[Study]:
    return Study.objects.filter(budget=budget).select_related("hit_type").order_by("-pk")


def sessions_of(*, budget: Budget) -> QuerySet[StudySession]:
    return (
        StudySession.objects.filter(study__budget=budget).select_related("worker").order_by("-pk")
    )


def figures_of_studies(studies: Sequence[Study]) -> list[StudyFigures]:
    """Return the figures of the studies, in their order, with a fixed number of queries."""
    ids = [study.pk for study in studies]
    states: dict[int, Counter[str]] = {pk: Counter() for pk in ids}
    minutes: dict[int, list[float]] = {pk: [] for pk in ids}
    rows = StudySession.objects.filter(study__in=ids).values_list(
        "study", "state", "arrived_at", "finished_at", "completed_at"
    )
    for study, state, arrived_at, finished_at, completed_at in rows:
        states[study][state] += 1
        if arrived_at and state in FINISHED_STATES and (ended_at := finished_at or completed_at):
            minutes[study].append((ended_at - arrived_at).total_seconds() / 60)
    paid = Settlement.objects.filter(session__study__in=ids, state=SettlementState.CONFIRMED)
    parts = F("reward_cents") + F("reward_fee_cents") + F("bonus_cents") + F("bonus_fee_cents")
    cents = dict(paid.order_by().values_list("session__study").annotate(cents=Sum(parts)))
    minimum = {
        name: hourly_pay_of(name).minimum_cents for name in {row.provider for row in studies}
    }
    return [
        StudyFigures(
            study=study,
            sessions=states[study.pk],
            median_minutes=_median(minutes[study.pk], study.minutes),
            minimum_hourly_cents=minimum[study.provider],
            cents=cents.get(study.pk, 0),
        )
        for study in studies
    ]


def _median(minutes: Sequence[float], estimated: int) -> float | None:
    counted = [value for value in minutes if value >= MIN_SHARE * estimated]
    return median(counted) if len(counted) >= MIN_SESSIONS else None


def settlements_of(*, budget: Budget) -> QuerySet[Settlement]:
    """Return the payments of the project's sessions, newest first."""
    rows = Settlement.objects.filter(session__study__budget=budget).order_by("-pk")
    return rows.select_related("session__study__hit_type", "session__worker")


def unknown_settlements(*, budget: Budget) -> QuerySet[Settlement]:
    """Return the payments whose outcome is unknown, oldest first. A person has to decide them."""
    return settlements_of(budget=budget).filter(state=SettlementState.UNKNOWN).order_by("pk")


def failing_settlements(*, budget: Budget) -> QuerySet[Settlement]:
    """Return payments that are repeated after an error, such as an empty wallet."""
    rows = settlements_of(budget=budget).exclude(error="")
    return rows.exclude(state__in=[SettlementState.UNKNOWN, SettlementState.CONFIRMED])


def failing_sessions(*, budget: Budget) -> QuerySet[StudySession]:
    """Return sessions with an error, newest first."""
    rows = StudySession.objects.filter(study__budget=budget).exclude(error="")
    return rows.select_related("study__hit_type", "worker").order_by("-pk")


def unusual_sessions(*, budget: Budget) -> QuerySet[StudySession]:
    """Return sessions with few tasks or none, or that were never opened, newest first."""
    rows = StudySession.objects.filter(study__budget=budget).exclude(issue="")
    done = Count("deals", filter=Q(deals__state=DealState.DONE))
    return (
        rows.select_related("study__hit_type", "worker").annotate(done=done).order_by("-issue_at")
    )


def failing_studies(*, budget: Budget) -> QuerySet[Study]:
    """Return studies that the provider has refused to publish or change."""
    return studies_of(budget=budget).exclude(error="").exclude(state=StudyState.ENDED)
