"""The list of HITs: search, sorting, filters, requesters and saved filters."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from marketplace.domain.accounts.requester_statistics import (
    RequesterStatistics,
    requester_statistics,
)
from marketplace.domain.hits.find_groups import GroupFilter, find_groups
from marketplace.domain.hits.saved_searches import MAX_PER_WORKER
from marketplace.domain.work.maintenance import run_due
from marketplace.models import Assignment, Message, Requester, SavedSearch

from .conftest import HIT_TYPE, accept, log_in, make_worker, submit

pytestmark = pytest.mark.django_db

MASTERS_ONLY = [
    {
        "QualificationTypeId": "00000000000000000040",
        "Comparator": "GreaterThan",
        "IntegerValues": [50],
    }
]


@pytest.fixture(autouse=True)
def _no_cached_figures():
    cache.clear()


@pytest.fixture
def groups(publish):
    """Publish three groups, ordered by age."""
    publish(Title="Label pictures", Reward="0.50", Keywords="images, animals")
    publish(Title="Ask questions", Reward="0.05", MaxAssignments=3)
    publish(Title="Rate jokes 100%", Reward="0.20", QualificationRequirements=MASTERS_ONLY)


def titles(page) -> list[str]:
    text = page.content.decode()
    return re.findall(r'<h3><a href="/hits/groups/[^"]*">([^<]*)</a>', text)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["Rate jokes 100%", "Ask questions", "Label pictures"]),
        ("text=ANIMALS", ["Label pictures"]),
        ("text=ask verb", ["Ask questions", "Rate jokes 100%"][:1]),
        ("text=100%25", ["Rate jokes 100%"]),
        ("text=%25", ["Rate jokes 100%"]),
        ("text=_", []),
        ("text=lab&sort=reward", ["Label pictures", "Rate jokes 100%", "Ask questions"]),
        ("reward=0.20", ["Rate jokes 100%", "Label pictures"]),
        ("qualified=on", ["Ask questions", "Label pictures"]),
        ("hourly=0.01", []),
        ("reward=much&sort=unknown", ["Rate jokes 100%", "Ask questions", "Label pictures"]),
    ],
)
def test_filter_returns_matches(groups, browser, query, expected):
    page = browser.get(f"/hits/?{query}")
    assert page.status_code == 200
    assert titles(page) == expected


def test_invalid_amount_is_an_error_of_its_field(groups, browser):
    assert "Enter a number." in browser.get("/hits/?reward=much").content.decode()


def test_hourly_pay_filters_and_sorts(publish, browser, mturk, worker):
    for seconds, title in ((60, "Slow"), (30, "Fast"), (90, "Slowest")):
        for _ in range(3):
            assignment = accept(browser, publish(Title=title, Reward="0.10"))
            submit(browser, assignment)
            mturk.approve_assignment(AssignmentId=assignment)
            hour_ago = timezone.now() - timedelta(hours=1)
            Assignment.objects.filter(code=assignment).update(
                accepted_at=hour_ago,
                submitted_at=hour_ago + timedelta(seconds=seconds),
                closed_at=hour_ago,
            )
        publish(Title=title, Reward="0.10")
    publish(Title="Unknown", Reward="0.90")
    cache.clear()
    now = timezone.now()

    def matches(**fields) -> list[str]:
        rows = find_groups(worker=worker, wanted=GroupFilter(**fields), now=now)
        return [row.hit_type.title for row in rows.groups]

    assert matches(sort="hourly") == ["Fast", "Slow", "Slowest", "Unknown"]
    assert matches(sort="hourly", min_hourly_cents=600) == ["Fast", "Slow"]


def test_requester_statistics_count_decisions_on_people(publish, browser, mturk, requester):
    lab = Requester.objects.get(pk=requester[0].pk)
    for number in range(10):
        assignment = accept(browser, publish())
        submit(browser, assignment)
        if number == 3:
            mturk.reject_assignment(AssignmentId=assignment, RequesterFeedback="Empty.")
        else:
            mturk.approve_assignment(AssignmentId=assignment)
    submitted = timezone.now() - timedelta(hours=3)
    Assignment.objects.update(submitted_at=submitted, closed_at=submitted + timedelta(hours=2))
    statistics = requester_statistics(requesters=[lab], now=timezone.now())[lab.pk]
    assert statistics == RequesterStatistics(approved=9, rejected=1, mean_seconds=7200)
    assert statistics.approval_percent == 90
    hit = publish()
    for path in ("/hits/", f"/hits/groups/{hit['HITTypeId']}/"):
        text = " ".join(browser.get(path).content.decode().split())
        assert "90% of 10 tasks, after 2 hours on average" in text
    cache.clear()
    later = timezone.now() + timedelta(days=90)
    assert requester_statistics(requesters=[lab], now=later) == {}


def test_pending_pay_is_shown_after_each_hit(publish, browser, mturk):
    assignment = accept(browser, publish(MaxAssignments=2))
    assert "$0.00 pending approval" in browser.get(f"/hits/work/{assignment}/").content.decode()
    submit(browser, assignment)
    page = browser.post(f"/hits/work/{assignment}/next/", follow=True).content.decode()
    assert "Submitted. $0.05 is pending approval." in page
    assert "<dt>Pending approval</dt><dd>$0.05</dd>" in page
    following = accept(browser, publish())
    assert "$0.05 pending approval" in browser.get(f"/hits/work/{following}/").content.decode()
    mturk.approve_assignment(AssignmentId=assignment)
    page = browser.get("/hits/").content.decode()
    assert "<dt>Pending approval</dt><dd>$0.00</dd>" in page
    assert "<dt>Approved this month</dt><dd>$0.05</dd>" in page


def save(browser, query: str, **fields):
    return browser.post(f"/hits/filters/?{query}", fields, follow=True)


def test_filter_is_saved_shown_replaced_and_deleted(groups, browser, worker):
    page = save(browser, "text=pictures&reward=0.10", name="Pictures")
    assert titles(page) == ["Label pictures"]
    assert "Filter “Pictures” saved." in page.content.decode()
    search = SavedSearch.objects.get(worker=worker)
    assert search.criteria["min_reward_cents"] == 10
    save(browser, "text=questions", name="Pictures")
    search.refresh_from_db()
    assert search.criteria["text"] == "questions"
    other = log_in(make_worker("ben"))
    assert other.post(f"/hits/filters/{search.pk}/delete/").status_code == 404
    browser.post(f"/hits/filters/{search.pk}/delete/")
    assert not SavedSearch.objects.exists()


def test_filter_without_a_name_or_beyond_the_limit_is_refused(browser, worker):
    assert "Enter a name" in save(browser, "", name="").content.decode()
    for number in range(MAX_PER_WORKER):
        save(browser, "", name=f"filter {number}")
    assert "You can save up to 20 filters" in save(browser, "", name="last").content.decode()
    save(browser, "text=new", name="filter 3")  # replaces the saved filter
    assert SavedSearch.objects.filter(worker=worker).count() == MAX_PER_WORKER


def test_new_groups_that_match_are_reported_once(groups, mturk, publish, browser, worker):
    save(browser, "text=pictures", name="Pictures", notifies="on")
    save(browser, "text=pictures", name="Without messages")
    now = timezone.now()
    run_due(now=now)
    assert not Message.objects.exists()  # existing groups do not count as new
    fields = HIT_TYPE | {"Title": "Sort pictures", "Reward": "0.30"}
    mturk.create_hit_type(**fields)
    run_due(now=now)
    assert not Message.objects.exists()  # the group has no HITs yet
    publish(Title="Sort pictures", Reward="0.30")
    publish(Title="Rate music")
    publish(Title="Masters' pictures", QualificationRequirements=MASTERS_ONLY)
    run_due(now=now)
    run_due(now=now)
    message = Message.objects.get()
    assert (message.worker, message.requester) == (worker, None)
    assert message.subject == "New tasks match “Pictures”"
    assert "Sort pictures ($0.30)" in message.text
    assert "Masters" not in message.text
    assert "/hits/?text=pictures" in message.text
    assert "1 new" in browser.get("/hits/").content.decode()
    publish(Title="More pictures")
    run_due(now=now + timedelta(minutes=30))
    assert Message.objects.count() == 1  # at most one message an hour
    run_due(now=now + timedelta(minutes=59, seconds=60))
    assert "More pictures" in Message.objects.latest("pk").text
