"""Filters of the list of HITs that workers keep, and messages about new groups that match them."""

from dataclasses import asdict, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q
from django.urls import reverse
from django.utils.translation import gettext

from jobs.domain.sweep import for_each_row
from marketplace.domain.errors import RefusalError
from marketplace.domain.hits.find_groups import GroupFilter, GroupPage, find_groups
from marketplace.domain.money import format_cents
from marketplace.domain.notifications.messages import worker_language, write
from marketplace.models import Hit, SavedSearch, WorkerAccount

MAX_PER_WORKER = 20
#: A search sends at most one message in this time. Later groups are in the next message.
INTERVAL = timedelta(hours=1)
MAX_NAMED = 10
BATCH = 200


@transaction.atomic
def save_search(
    *, worker: WorkerAccount, name: str, wanted: GroupFilter, notifies: bool, now: datetime
) -> SavedSearch:
    """Save a filter, or replace the one with this name. Only groups published later are reported.

    Raises RefusalError for more than MAX_PER_WORKER filters.
    """
    # The lock on the worker makes the count exact.
    WorkerAccount.objects.select_for_update().get(pk=worker.pk)
    if SavedSearch.objects.filter(worker=worker).exclude(name=name).count() >= MAX_PER_WORKER:
        text = gettext("You can save up to %(max_per_worker)s filters. Delete one first.") % {
            "max_per_worker": MAX_PER_WORKER
        }
        raise RefusalError("LimitExceeded", text)
    values = {
        "criteria": asdict(wanted),
        "notifies": notifies,
        "seen_hit": _newest_hit(),
    }
    search, _ = SavedSearch.objects.update_or_create(
        worker=worker, name=name, defaults=values, create_defaults=values | {"created_at": now}
    )
    return search


def wanted_by(search: SavedSearch) -> GroupFilter:
    return GroupFilter(**search.criteria)


def url_of(search: SavedSearch) -> str:
    """Return the path of the list with the saved filter."""
    query = wanted_by(search).url_query()
    return f"{reverse('marketplace:groups')}{'?' if query else ''}{query}"


def notify_searches(*, now: datetime) -> int:
    """Send a message for each search with new groups. Return how many were sent."""
    newest = _newest_hit()
    due = SavedSearch.objects.filter(
        Q(notified_at=None) | Q(notified_at__lte=now - INTERVAL),
        notifies=True,
        seen_hit__lt=newest,
        worker__active=True,
    )
    return for_each_row(
        sweep="notify saved searches",
        rows=due.only("pk"),
        process=lambda search, _: _notify(search.pk, newest, now),
        clock=lambda: now,
        limit=BATCH,
    )


@transaction.atomic
def _notify(pk: int, newest: int, now: datetime) -> bool:
    search = SavedSearch.objects.select_for_update(of=("self",)).get(pk=pk)
    wanted = replace(wanted_by(search), qualified_only=True)
    page = find_groups(
        worker=search.worker, wanted=wanted, now=now, newer_than=search.seen_hit, size=MAX_NAMED
    )
    search.seen_hit = max(newest, search.seen_hit)
    if page.groups:
        search.notified_at = now
        with worker_language(search.worker_id):
            write(
                worker_id=search.worker_id,
                requester=None,
                subject=gettext("New tasks match “%(name)s”") % {"name": search.name},
                text=_message(page, search),
                now=now,
            )
    search.save(update_fields=["seen_hit", "notified_at"])
    return bool(page.groups)


def _message(page: GroupPage, search: SavedSearch) -> str:
    lines = [
        f"{group.hit_type.title} (${format_cents(group.hit_type.reward_cents)})"
        for group in page.groups
    ]
    if page.total > len(lines):
        lines.append(gettext("and %(count)s more") % {"count": page.total - len(lines)})
    return "\n".join([*lines, "", f"{settings.MARKETPLACE_URL}{url_of(search)}"])


def _newest_hit() -> int:
    return Hit.objects.aggregate(pk=Max("pk"))["pk"] or 0
