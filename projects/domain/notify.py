"""Notify members of events, once each."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from projects.domain.queries import projects_of
from projects.enums import MemberRole, NotificationKind
from projects.models import Membership, Notification, NotificationSettings, Project

_ADMINS = frozenset({MemberRole.ADMIN})
_STAFF = frozenset({MemberRole.ADMIN, MemberRole.REQUESTER})
_TRAINERS = frozenset({MemberRole.TRAINER})
# Experts judge blind, so their notifications name no worker.
_EXPERTS = frozenset({MemberRole.EXPERT})
# The roles that are notified of a kind. Only the user who started a job is notified of its end.
RECIPIENTS: Mapping[str, frozenset[MemberRole]] = {
    NotificationKind.SUBMISSIONS: _STAFF,
    NotificationKind.BONUSES: _STAFF,
    NotificationKind.BATCH_FINISHED: _STAFF,
    NotificationKind.BATCH_SHORT: _STAFF,
    NotificationKind.BUDGET_NEAR: _STAFF,
    NotificationKind.BUDGET_REACHED: _STAFF,
    NotificationKind.PAYMENTS: _STAFF,
    NotificationKind.SESSIONS: _STAFF,
    NotificationKind.OUTAGE: _STAFF,
    NotificationKind.STUDY: _STAFF,
    NotificationKind.REQUEST: _STAFF,
    NotificationKind.COMMENT: _STAFF,
    NotificationKind.MESSAGE: _STAFF | _TRAINERS,
    NotificationKind.TRAINEES: _TRAINERS,
    NotificationKind.REPLY: _TRAINERS,
    NotificationKind.ALERT: _TRAINERS,
    NotificationKind.REVIEWS: _EXPERTS,
    NotificationKind.QUEUE: _EXPERTS,
    NotificationKind.WEBHOOK_OFF: _ADMINS,
}
# Read notifications are deleted after this time, which must be longer than events are looked up.
KEPT_FOR = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Event:
    """An event with the details of its sentence and the address of a page.

    `key` identifies it among the events of all projects. `username` limits it to one user. An event
    without a project concerns all projects, and then `path` is an address without one.
    """

    kind: NotificationKind
    key: str
    project: int | None
    path: str
    details: Mapping[str, str | int] = field(default_factory=dict)
    username: str = ""


@transaction.atomic
def notify(*, events: Iterable[Event], now: datetime) -> int:
    """Create a notification of each new event for each recipient. Return their number."""
    by_key = {event.key: event for event in events}
    known = Notification.objects.filter(key__in=by_key).values_list("key", flat=True)
    for key in set(known):
        del by_key[key]
    if not by_key:
        return 0
    muting = NotificationSettings.objects.exclude(muted_kinds=[])
    muted = dict(muting.values_list("user_id", "muted_kinds"))
    rows = {
        (user, event.key): Notification(
            user_id=user,
            project_id=project,
            kind=event.kind,
            key=event.key,
            details=dict(event.details),
            path=event.path,
            created_at=now,
        )
        for event in by_key.values()
        for user, project in _recipients(event)
        if event.kind not in muted.get(user, ())
    }
    Notification.objects.bulk_create(rows.values(), ignore_conflicts=True)
    return len(rows)


def _recipients(event: Event) -> list[tuple[int, int]]:
    """Return the ids of the event's users, each with a project to which it belongs."""
    if event.username:
        assert event.project is not None
        users = get_user_model().objects.filter(username=event.username, is_active=True)
        return [(pk, event.project) for pk in users.values_list("pk", flat=True)]
    members = Membership.objects.filter(
        role__in=RECIPIENTS[event.kind],
        user__is_active=True,
        project__archived_at=None,
        project__deleted_at=None,
    )
    if event.project is not None:
        members = members.filter(project=event.project)
    return list(members.order_by("-pk").values_list("user_id", "project_id"))


def notifications_of(*, user: User) -> QuerySet[Notification]:
    """Return the user's notifications in projects that they may open."""
    return Notification.objects.filter(
        user=user, project__in=projects_of(user=user).order_by().values("pk")
    )


def unread_of(*, user: User) -> QuerySet[Notification]:
    return notifications_of(user=user).filter(read_at=None)


def mark_as_read(*, notifications: QuerySet[Notification], now: datetime) -> int:
    return notifications.filter(read_at=None).update(read_at=now)


def forget_notifications(*, project: Project, user: User, roles: Collection[str]) -> None:
    """Delete the notifications that a member with only these roles would not receive."""
    kinds = [kind for kind, allowed in RECIPIENTS.items() if not allowed.intersection(roles)]
    Notification.objects.filter(project=project, user=user, kind__in=kinds).delete()


def delete_old_notifications(*, now: datetime) -> int:
    deleted, _ = Notification.objects.filter(read_at__lt=now - KEPT_FOR).delete()
    return deleted
