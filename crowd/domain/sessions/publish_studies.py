"""Create studies, publish each exactly once, and give them as many places as their HITs need."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Min, Q, QuerySet, Sum

from audit.domain.change_state import log_state_change
from crowd.domain.hits.plan_study import settings_of
from crowd.domain.hits.sync_hits import POLL
from crowd.domain.provider.hold_publishing import active_hold
from crowd.domain.provider.providers import study_provider_of
from crowd.domain.sessions.notice_study import notice_study, unknown_state
from crowd.domain.sessions.session_links import arrival_url
from crowd.domain.workers.qualifications import ensure_type, requirement_of
from crowd.enums import DealState, HitState, SessionState, StudyState
from crowd.models import Hit, Study, StudySession
from crowd.providers.base import (
    ListedStudy,
    OutcomeUnknownError,
    ProviderRefusedError,
    Requirement,
    StudyTerms,
)
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

# How often a study with nothing to change is compared with the provider.
CHECK = timedelta(minutes=10)
RETRY = timedelta(minutes=1)
UNKNOWN = "unknown"
PAUSED_THERE = "The study was paused at the provider. It is started again while it has open tasks."


def open_pending_hits(*, clock: Callable[[], datetime], limit: int = 200) -> int:
    """Open pending HITs to the sessions of their studies. Return how many."""
    if active_hold():
        return 0
    now = clock()
    pending = Hit.objects.to_create().exclude(study=None)
    ids = list(pending.order_by("pk").values_list("pk", flat=True)[:limit])
    opened = Hit.objects.filter(pk__in=ids, state=HitState.PENDING).update(
        state=HitState.LIVE,
        external_id=F("token"),
        attempted_at=now,
        created_at=now,
        sync_due_at=now + POLL,
    )
    Study.objects.filter(hits__in=ids).update(sync_due_at=now)
    return opened


def advance_studies(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Create, publish and adjust up to `limit` studies. Return how many changed."""
    if active_hold():
        return 0
    return for_each_row(
        sweep="advance studies",
        rows=Study.objects.filter(sync_due_at__lte=clock()).select_related("hit_type"),
        process=lambda study, now: advance_study(study=study, now=now),
        clock=clock,
        limit=limit,
        leased=True,
    )


def advance_study(*, study: Study, now: datetime) -> bool:
    """Bring the study at the provider closer to what its HITs need. Return True if it changed."""
    try:
        if study.state == StudyState.PENDING:
            changed = _create(study, now)
        elif study.state == StudyState.DRAFT:
            changed = _publish(study, now)
        else:
            changed = _adjust(study, now)
    except OutcomeUnknownError as error:
        _keep(study, error=str(error), sync_due_at=now + RETRY)
        return False
    except ProviderRefusedError as refused:
        _keep(study, error=refused.message, sync_due_at=now + CHECK)
        return False
    return changed


def _keep(study: Study, **changes: object) -> None:
    Study.objects.filter(pk=study.pk).update(leased_until=None, **changes)


def _create(study: Study, now: datetime) -> bool:
    """Create the draft, or adopt the one of an earlier attempt. Delete its twins."""
    need = need_of(study, now)
    places = need.places
    if not places:
        _keep(study, **_waiting(need), sync_due_at=need.check_at(now))
        return False
    provider = study_provider_of(study.provider)
    # Also at the first attempt, because a restored database may have lost an earlier one.
    listed = provider.find_studies(study.token)
    published = [found for found in listed if found.state != "draft"]
    kept = next(iter([*published, *listed]), None)
    for twin in listed:
        if kept and twin.external_id != kept.external_id and twin.state == "draft":
            provider.delete_draft(twin.external_id)
    if kept is None:
        Study.objects.filter(pk=study.pk, attempted_at=None).update(attempted_at=now)
        external_id = provider.create_study(_terms(study, places))
    else:
        external_id, places = kept.external_id, kept.places
    Study.objects.filter(pk=study.pk, state=StudyState.PENDING).update(
        state=StudyState.DRAFT, external_id=external_id, places=places, confirmed_places=places
    )
    _keep(study, error="", sync_due_at=now)
    return True


def _terms(study: Study, places: int) -> StudyTerms:
    return StudyTerms(
        token=study.token,
        title=study.hit_type.title,
        description=study.hit_type.description,
        url=arrival_url(study.provider),
        places=places,
        minutes=study.minutes,
        reward_cents=study.reward_cents,
        completion_code=study.completion_code,
        decline_code=study.decline_code,
        requirements=[_requirement(study.provider, fields) for fields in study.requirements],
        settings=settings_of(study.settings),
    )


def _requirement(provider: str, fields: dict[str, Any]) -> Requirement:
    if "code" in fields:
        ensure_type(provider=provider, code=fields["code"])
    return requirement_of(provider, fields)


def _publish(study: Study, now: datetime) -> bool:
    """Publish the draft unless it already is. A refusal, such as for lack of funds, is retried."""
    assert study.external_id
    provider = study_provider_of(study.provider)
    listed = provider.study(study.external_id)
    if listed.state == UNKNOWN:
        return _leave(study, listed, now)
    if listed.state == "draft":
        fee = provider.study_fee_cents(study.external_id, reward_cents=study.reward_cents)
        Study.objects.filter(pk=study.pk).update(reward_fee_cents=fee)
        provider.publish_study(study.external_id)
        listed = provider.study(study.external_id)
        if listed.state == UNKNOWN:
            return _leave(study, listed, now)
    if listed.state in ("draft", "publishing"):
        _keep(study, sync_due_at=now + RETRY)
        return False
    Study.objects.filter(pk=study.pk, state=StudyState.DRAFT).update(
        state=StudyState.LIVE, published_at=now
    )
    _keep(study, error="", sync_due_at=now)
    log_state_change(instance=study, old="draft", new="live", actor="automatic", now=now)
    return True


def _adjust(study: Study, now: datetime) -> bool:
    """Add places, or pause, start or stop the study, as its HITs need."""
    assert study.external_id
    provider = study_provider_of(study.provider)
    listed = provider.study(study.external_id)
    if listed.state == UNKNOWN:
        return _leave(study, listed, now)
    if listed.state == "paused" and study.state == StudyState.LIVE:
        notice_study(study=study, notice=PAUSED_THERE, now=now)
    need = need_of(study, now)
    wanted = listed.places_taken + need.places
    is_needed = wanted > listed.places_taken
    is_over = not is_needed and _is_over(study)
    new = _state_of(listed)
    if is_needed:
        if listed.state == "ended":
            wanted = max(wanted, listed.places + 1)  # only a higher total revives it
        if wanted > listed.places:
            provider.set_places(study.external_id, wanted)
        if listed.state == "paused":
            provider.start_study(study.external_id)
        new = StudyState.LIVE
    elif is_over:
        if listed.state in ("live", "paused"):
            provider.stop_study(study.external_id)
        new = StudyState.ENDED
    elif listed.state == "live" and listed.places > listed.places_taken:
        provider.pause_study(study.external_id)
        new = StudyState.PAUSED
    _keep(
        study,
        state=new,
        places=max(wanted, listed.places),
        confirmed_places=max(wanted, listed.places),
        error="",
        **_waiting(need),
        sync_due_at=None if is_over else need.check_at(now),
    )
    if new != study.state:
        log_state_change(instance=study, old=study.state, new=new, actor="automatic", now=now)
    return new != study.state or wanted > listed.places


def _leave(study: Study, listed: ListedStudy, now: datetime) -> bool:
    """Leave a study alone whose state is not known. Return False."""
    error = unknown_state("this study", listed.provider_state)
    notice_study(study=study, notice=error, now=now)
    _keep(study, error=error, sync_due_at=now + CHECK)
    return False


def _state_of(listed: ListedStudy) -> StudyState:
    return {
        "paused": StudyState.PAUSED,
        "ended": StudyState.ENDED,
    }.get(listed.state, StudyState.LIVE)


def open_hits(study: Study) -> QuerySet[Hit]:
    """Return the study's HITs with a free place."""
    hits = Hit.objects.filter(study=study, state=HitState.LIVE, paused_at=None)
    open_deals = Count("deals", filter=Q(deals__state=DealState.OPEN), distinct=True)
    taken = Count("assignments", distinct=True) + open_deals
    return hits.annotate(taken=taken).filter(taken__lt=F("max_assignments"))


@dataclass(frozen=True, slots=True)
class Need:
    """The number of further sessions that a study needs.

    The `waiting` assignments don't fill one. They get one at `until`.
    """

    places: int
    waiting: int = 0
    until: datetime | None = None

    def check_at(self, now: datetime) -> datetime:
        return min(now + CHECK, self.until or now + CHECK)


def need_of(study: Study, now: datetime) -> Need:
    """Return what the study's free HITs need. Only gradual ones wait until they fill a session."""
    free: int = open_hits(study).aggregate(n=Sum(F("max_assignments") - F("taken"), default=0))["n"]
    running = StudySession.objects.filter(study=study, state=SessionState.ACTIVE)
    dealt: int = running.aggregate(n=Count("deals"))["n"]
    expected = running.count() * study.hits_per_session - dealt
    places, rest = divmod(max(0, free - expected), study.hits_per_session)
    if not rest:
        return Need(places)
    until = _filled_at(study)
    return Need(places, rest, until) if until and until > now else Need(places + 1)


def _filled_at(study: Study) -> datetime | None:
    """Return when the study's HITs no longer wait, or None if they don't wait at all."""
    if not study.is_gradual:
        return None
    oldest: datetime | None = open_hits(study).aggregate(at=Min("created_at"))["at"]
    if oldest is None or (study.hurried_at and oldest <= study.hurried_at):
        return None
    return oldest + timedelta(minutes=settings.STUDY_WAIT_MINUTES)


def _waiting(need: Need) -> dict[str, object]:
    return {"waiting": need.waiting, "waits_until": need.until}


def hurry_study(*, study: Study, actor: str, now: datetime) -> None:
    """Give the waiting HITs of the study a place although they don't fill a session."""
    Study.objects.filter(pk=study.pk).update(
        hurried_at=now, waiting=0, waits_until=None, sync_due_at=now
    )
    log_state_change(
        instance=study,
        old=study.state,
        new=study.state,
        actor=actor,
        now=now,
        reason=f"The {study.waiting} waiting tasks get a place now.",
    )


def _is_over(study: Study) -> bool:
    """Return True if no HIT of the study can be worked on any more."""
    running = [HitState.PENDING, HitState.LIVE]
    sessions = [SessionState.ACTIVE, SessionState.FINISHED]
    return not (
        study.hits.filter(state__in=running).exists()
        or study.sessions.filter(state__in=sessions).exists()
    )
