"""Tests of a project's log: its changes, filters, pagination and CSV export."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Submission
from audit.domain.change_state import log_state_change
from audit.models import StateChange
from crowd.domain.provider.hold_publishing import hold_publishing
from crowd.models import Hit, Payment
from dashboard.project_log import KINDS, LogFilter, log_of
from projects.domain.members import add_role
from tests.dashboard.campaign import Campaign, make_project, make_user

OWN = {"annotation", "consolidation", "crowd", "qualification"}
URL = "/projects/demo/log/"
DAY = datetime(2026, 9, 1, 12, tzinfo=UTC)


def change(instance, new: str = "accepted", *, actor: str = "rita", at=DAY, reason: str = ""):
    log_state_change(
        instance=instance, old="submitted", new=new, actor=actor, now=at, reason=reason
    )


@pytest.fixture
def logged_campaign(campaign, project) -> Campaign:
    change(Submission.objects.first(), reason="clear enough")
    change(Payment.objects.first(), "failed", actor="marketplace", at=DAY + timedelta(days=1))
    change(Hit.objects.first(), "withdrawn", at=DAY + timedelta(days=2))
    add_role(project=project, user=make_user("tom"), role="expert", actor="ada", now=DAY)
    hold_publishing(reason="Restored.", actor="restore", now=DAY)
    return campaign


def logged_states(project, **filters) -> list[tuple[str, str]]:
    rows = [
        change_row
        for change_row in log_of(project=project, wanted=LogFilter(**filters))
        if change_row.actor != "campaign"
    ]
    return [
        (KINDS[change_row.aggregate].name, change_row.new)
        for change_row in rows
        if change_row.at >= DAY
    ]


def test_log_shows_all_kinds_newest_first(logged_campaign, project):
    assert logged_states(project)[:5] == [
        ("hold on publishing", "held"),
        ("project and members", "expert"),
        ("HIT", "withdrawn"),
        ("payment", "failed"),
        ("submission", "accepted"),
    ]


def test_log_excludes_changes_of_other_projects(logged_campaign):
    assert logged_states(make_project("other")) == [("hold on publishing", "held")]


def test_every_logged_aggregate_has_a_kind_or_no_project():
    """The test searches the code, so that a new kind of log entry needs an entry in KINDS."""
    stateful = {
        model._meta.label
        for model in apps.get_models()
        if model._meta.app_label in OWN and any(f.name == "state" for f in model._meta.fields)
    }
    of_no_project = {"crowd.Block", "crowd.Message", "crowd.Mail"}
    stateful -= {"crowd.Deal", "annotation.BonusAppeal"}  # their session and bonus are logged
    assert stateful - of_no_project <= set(KINDS)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kind=crowd.Payment", ["payment"]),
        ("actor=ada", ["project and members"]),
        ("first_day=2026-09-02&last_day=2026-09-02", ["payment"]),
        ("first_day=2026-09-03", ["HIT"]),
        ("actor=ada&kind=crowd.Payment", []),
    ],
)
def test_filters(logged_campaign, office, query, expected):
    text = office.get(f"{URL[:-1]}.csv?{query}").getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["what"] for row in rows if row["who"] != "campaign"] == expected


def test_page_shows_sentences_with_reason_and_exact_time(logged_campaign, office):
    user = get_user_model().objects.get(username="rita")
    user.first_name, user.last_name = "Rita", "Ray"
    user.save()
    page = office.get(f"{URL}?kind=annotation.Submission").content.decode()
    item = Submission.objects.first().item
    assert "<b>Rita Ray</b> accepted " in page
    assert f"work by {Submission.objects.first().worker.pseudonym} on {item.key}</a>." in page
    assert "clear enough" in page
    assert 'title="2026-09-01 12:00:00 UTC"' in page


@pytest.mark.parametrize(
    ("query", "actors"), [("by=people", {"ada"}), ("by=automatic", {"marketplace", "restore"})]
)
def test_actions_of_people_are_distinguished_from_automatic_changes(
    logged_campaign, office, query, actors
):
    get_user_model().objects.get_or_create(username="ada")
    text = office.get(f"{URL[:-1]}.csv?{query}").getvalue().decode()
    names = {row["who"] for row in csv.DictReader(io.StringIO(text))}
    assert actors <= names
    assert ("ada" in names) == (query == "by=people")


@pytest.mark.parametrize(
    "query",
    ["kind=no.Such", "first_day=yesterday", "page=after~x", "actor=" + "x" * 999],
)
def test_invalid_filters_are_ignored(logged_campaign, office, query):
    response = office.get(f"{URL}?{query}")
    assert response.status_code == 200
    assert b"restore" in response.content


def test_pages_show_every_change_once(logged_campaign, office, project):
    submission = Submission.objects.first()
    for number in range(120):
        change(submission, f"state-{number:03}")
    everything = [change.pk for change in log_of(project=project, wanted=LogFilter())]
    assert len(everything) >= 125
    assert shown_ids(office) == everything
    assert shown_ids(office, sort="-time") == everything
    assert shown_ids(office, sort="time") == everything[::-1]
    assert shown_ids(office, sort="actor") == everything
    page = office.get(URL, {"kind": "annotation.Submission", "sort": "time"}).content.decode()
    query = "kind=annotation.Submission&amp;sort=time"
    assert f'href="{URL}?{query}&amp;page=2"' in page
    assert f'href="{URL[:-1]}.csv?{query}"' in page


def shown_ids(client, **query) -> list[int]:
    """Return the ids of the changes on all pages."""
    pages = client.get(URL, query).context["listing"].pages
    contexts = [client.get(URL, {**query, "page": page + 1}).context for page in range(pages)]
    return [activity.change.pk for context in contexts for activity in context["activities"]]


def test_total_of_a_long_log_is_a_lower_bound(logged_campaign, office, project, monkeypatch):
    everything = [change.pk for change in log_of(project=project, wanted=LogFilter())]
    page = office.get(URL).content.decode()
    assert f"{len(everything)} changes" in page
    assert "More than" not in page
    monkeypatch.setattr("dashboard.views.log.MAX_LISTED", len(everything))
    assert "More than" not in office.get(URL).content.decode()
    monkeypatch.setattr("dashboard.views.log.MAX_LISTED", 4)
    page = office.get(URL).content.decode()
    assert "More than 4 changes" in page
    assert "The newest 4 are listed." in page
    assert shown_ids(office) == everything[:4]
    assert "The oldest 4 are listed." in office.get(URL, {"sort": "time"}).content.decode()
    assert shown_ids(office, sort="time") == everything[:-5:-1]


@pytest.mark.parametrize(("sort", "is_newest_first"), [("", True), ("time", False)])
def test_file_is_complete_and_sorted(logged_campaign, office, monkeypatch, sort, is_newest_first):
    monkeypatch.setattr("dashboard.views.log.MAX_LISTED", 2)
    monkeypatch.setattr("dashboard.project_log.CHUNK", 3)
    text = office.get(f"{URL[:-1]}.csv", {"sort": sort}).getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    last, *_ = rows if is_newest_first else rows[::-1]
    assert (last["what"], last["new"]) == ("hold on publishing", "held")
    assert len(rows) == StateChange.objects.count()


def test_queries_do_not_grow_with_the_log(logged_campaign, office):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            office.get(URL)
        return len(captured)

    queries()
    few = queries()
    for _ in range(200):
        change(Submission.objects.first())
    # A page with only one kind takes fewer queries.
    assert queries() < few <= 20 + len(KINDS)


def test_texts_that_look_like_formulas_are_quoted(logged_campaign, office):
    change(Submission.objects.first(), reason='=HYPERLINK("http://evil.test")', actor="@eve")
    text = office.get(f"{URL[:-1]}.csv").getvalue().decode()
    row = next(csv.DictReader(io.StringIO(text)))
    assert (row["who"], row["reason"][:2]) == ("'@eve", "'=")
