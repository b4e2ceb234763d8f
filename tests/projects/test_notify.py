"""Tests of notifications, which members get once per event, by role and choice."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse

from projects.domain.members import set_roles
from projects.domain.notification_settings import save_settings
from projects.domain.notify import (
    KEPT_FOR,
    RECIPIENTS,
    Event,
    delete_old_notifications,
    notifications_of,
    notify,
)
from projects.enums import MemberRole, NotificationKind
from projects.models import Notification
from projects.notification_texts import text_of
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_project, make_user

pytestmark = pytest.mark.django_db
DETAILS = {
    "batch": "Questions",
    "percent": 90,
    "limit": "$5.00",
    "worker": "WABC",
    "qualification": "Pool",
    "item": "wiki:1/2",
    "round": "Training",
    "title": "Training",
    "alert": "low coverage",
    "queue": "Queue",
    "job": "export",
    "subject": "My bonus",
    "study": "Questions",
    "host": "hooks.example",
    "notice": "Many participants return their place.",
}


def event(project, kind=NotificationKind.SUBMISSIONS, key="key", **options) -> Event:
    return Event(kind, key, project and project.pk, "/projects/demo/", DETAILS, **options)


def recipients() -> list[str]:
    return sorted(Notification.objects.values_list("user__username", flat=True))


def test_event_notifies_members_of_its_roles_once(project, requester):
    make_user("ada", project, MemberRole.ADMIN, MemberRole.REQUESTER)
    make_user("tom", project, MemberRole.TRAINER)
    make_user("una", make_project("other"), MemberRole.REQUESTER)
    assert notify(events=[event(project)], now=NOW) == 2
    assert notify(events=[event(project)], now=NOW + timedelta(minutes=1)) == 0
    assert recipients() == ["ada", "rita"]


def test_later_members_are_not_notified_of_earlier_events(project, requester):
    notify(events=[event(project)], now=NOW)
    make_user("ada", project, MemberRole.ADMIN)
    assert notify(events=[event(project)], now=NOW) == 0


def test_event_of_all_projects_notifies_a_member_of_several_once(project, requester):
    other = make_project("other")
    other.memberships.create(user=requester, role=MemberRole.ADMIN)
    assert notify(events=[event(None, NotificationKind.OUTAGE)], now=NOW) == 1


def test_job_notifies_the_user_who_started_it(project, requester):
    make_user("ada", project, MemberRole.ADMIN)
    job = event(project, NotificationKind.JOB_FINISHED, username="ada")
    assert notify(events=[job], now=NOW) == 1
    assert recipients() == ["ada"]


def test_muted_kinds_are_left_out(project, requester):
    save_settings(user=requester, digest="daily", kinds=[NotificationKind.REQUEST])
    muted = event(project, NotificationKind.SUBMISSIONS, "one")
    unmuted = event(project, NotificationKind.REQUEST, "two")
    assert notify(events=[muted, unmuted], now=NOW) == 1
    assert Notification.objects.get().kind == NotificationKind.REQUEST


def test_member_loses_notifications_with_the_role(project, requester):
    make_user("ada", project, MemberRole.ADMIN)
    notify(events=[event(project)], now=NOW)
    set_roles(project=project, user=requester, roles=["expert"], actor="ada", now=NOW)
    assert recipients() == ["ada"]


def test_notifications_of_a_left_project_are_hidden(project, requester):
    job = event(project, NotificationKind.JOB_FINISHED, username="rita")
    notify(events=[job], now=NOW)
    assert notifications_of(user=requester).count() == 1
    project.memberships.all().delete()
    assert notifications_of(user=requester).count() == 0


def test_old_read_notifications_are_deleted(project, requester):
    notify(events=[event(project, key="one"), event(project, key="two")], now=NOW)
    Notification.objects.filter(key="one").update(read_at=NOW)
    assert delete_old_notifications(now=NOW + KEPT_FOR) == 0
    assert delete_old_notifications(now=NOW + KEPT_FOR + timedelta(days=1)) == 1


@pytest.mark.parametrize("kind", NotificationKind)
def test_every_kind_has_a_sentence(kind):
    text = text_of(Notification(kind=kind, details=DETAILS))
    assert text.endswith(".")
    assert len(text) < 100


def test_experts_receive_no_kind_that_names_workers():
    """Experts must judge without knowledge of the authors."""
    kinds = [kind for kind, roles in RECIPIENTS.items() if MemberRole.EXPERT in roles]
    texts = [text_of(Notification(kind=kind, details=DETAILS)) for kind in kinds]
    assert texts
    assert not [text for text in texts if "WABC" in text]


def test_page_lists_notifications_and_marks_them_as_read(office, project):
    home = reverse("projects:notifications")
    assert "No notifications yet" in office.get(home).content.decode()
    events = [event(project, key=f"key {number}") for number in range(3)]
    notify(events=events, now=NOW)
    page = office.get(home).content.decode()
    assert 'aria-label="Notifications, 3 unread"' in page
    first, second, third = Notification.objects.order_by("pk")
    opened = office.get(reverse("projects:open_notification", args=[first.pk]))
    assert opened.url == "/projects/demo/"
    office.post(reverse("projects:mark_read", args=[second.pk]))
    assert 'aria-label="Notifications, 1 unread"' in office.get(home).content.decode()
    unread = office.get(home, {"unread": "1"})
    assert [row.pk for row, _ in unread.context["rows"]] == [third.pk]
    page = office.post(reverse("projects:mark_all_read"), follow=True).content.decode()
    assert "1 notification marked as read." in page
    assert "All caught up" in office.get(home, {"unread": "1"}).content.decode()


def test_notifications_are_sorted_paged_and_downloaded(office, project):
    home = reverse("projects:notifications")
    for number in range(60):
        events = [event(project, key=f"key {number}")]
        notify(events=events, now=NOW + timedelta(minutes=number))
    ids = list(Notification.objects.order_by("created_at").values_list("pk", flat=True))

    def shown(**query) -> list[int]:
        return [row.pk for row, _ in office.get(home, query).context["rows"]]

    assert shown() == ids[:9:-1]
    assert shown(page=2) == ids[9::-1]
    assert shown(sort="received") == ids[:50]
    assert shown(sort="text") == ids[:9:-1]
    page = office.get(home, {"unread": 1, "sort": "received"}).content.decode()
    assert "60 notifications" in page
    assert f'href="{home}?unread=1&amp;sort=received&amp;page=2"' in page
    Notification.objects.filter(pk__in=ids[1:]).update(read_at=NOW)
    response = office.get(home, {"unread": 1, "format": "csv"})
    [row] = csv.DictReader(io.StringIO(response.getvalue().decode()))
    assert row == {
        "Notification": text_of(Notification.objects.get(pk=ids[0])),
        "Project": project.title,
        "Received": NOW.isoformat(),
        "Read": "",
    }


def test_notification_of_another_user_is_not_found(office, project):
    make_user("ada", project, MemberRole.ADMIN)
    job = event(project, NotificationKind.JOB_FAILED, username="ada")
    notify(events=[job], now=NOW)
    pk = Notification.objects.get().pk
    assert office.get(reverse("projects:open_notification", args=[pk])).status_code == 404
    assert office.post(reverse("projects:mark_read", args=[pk])).status_code == 404
    office.post(reverse("projects:mark_all_read"))
    assert Notification.objects.get().read_at is None


def test_settings_are_stored(office, requester):
    url = reverse("projects:notification_settings")
    office.post(url, {"digest": "weekly", "kinds": ["request", "comment"]})
    stored = requester.notification_settings
    assert stored.digest == "weekly"
    assert len(stored.muted_kinds) == len(NotificationKind) - 2
    form = office.get(url).context["form"]
    assert form.initial["kinds"] == ["request", "comment"]
    assert office.post(url, {"digest": "hourly"}).status_code == 422
