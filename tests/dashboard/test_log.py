"""A project's log: its own changes alone, filtered, a page at a time, and as CSV."""

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
from crowd.domain.hold_publishing import hold_publishing
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
def logged(campaign, project) -> Campaign:
    change(Submission.objects.first(), reason="clear enough")
    change(Payment.objects.first(), "failed", actor="marketplace", at=DAY + timedelta(days=1))
    change(Hit.objects.first(), "withdrawn", at=DAY + timedelta(days=2))
    add_role(project=project, user=make_user("tom"), role="expert", actor="ada", now=DAY)
    hold_publishing(reason="Restored.", actor="restore", now=DAY)
    return campaign


def shown(project, **wanted) -> list[tuple[str, str]]:
    rows = [
        one
        for one in log_of(project=project, wanted=LogFilter(**wanted))
        if one.actor != "campaign"
    ]
    return [(KINDS[one.aggregate].name, one.new) for one in rows if one.at >= DAY]


def test_changes_of_every_kind_are_there_newest_first(logged, project):
    assert shown(project)[:5] == [
        ("hold on publishing", "held"),
        ("project and members", "expert"),
        ("HIT", "withdrawn"),
        ("payment", "failed"),
        ("submission", "accepted"),
    ]


def test_other_projects_changes_are_not_there(logged):
    assert shown(make_project("other")) == [("hold on publishing", "held")]


def test_every_aggregate_that_is_logged_has_its_kind_or_belongs_to_no_project():
    """The code is searched, so that a new kind of log entry needs a line in KINDS."""
    stateful = {
        model._meta.label
        for model in apps.get_models()
        if model._meta.app_label in OWN and any(f.name == "state" for f in model._meta.fields)
    }
    of_no_project = {"crowd.Block", "crowd.Message", "crowd.Mail"}
    stateful.remove("crowd.Deal")  # its session is logged
    assert stateful - of_no_project <= set(KINDS)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("kind=crowd.Payment", ["payment"]),
        ("actor=ada", ["project and members"]),
        ("first_day=2026-09-02&last_day=2026-09-02", ["payment"]),
        ("first_day=2026-09-03", ["HIT"]),
        ("actor=ada&kind=crowd.Payment", []),
    ],
)
def test_filters(logged, office, query, found):
    text = office.get(f"{URL[:-1]}.csv?{query}").getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["what"] for row in rows if row["who"] != "campaign"] == found


def test_page_shows_sentences_with_reason_and_exact_time(logged, office):
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
def test_peoples_actions_are_told_from_automatic_changes(logged, office, query, actors):
    get_user_model().objects.get_or_create(username="ada")
    text = office.get(f"{URL[:-1]}.csv?{query}").getvalue().decode()
    found = {row["who"] for row in csv.DictReader(io.StringIO(text))}
    assert actors <= found
    assert ("ada" in found) == (query == "by=people")


@pytest.mark.parametrize(
    "query",
    ["kind=no.Such", "first_day=yesterday", "page=after~x", "actor=" + "x" * 999],
)
def test_bad_filters_filter_nothing(logged, office, query):
    response = office.get(f"{URL}?{query}")
    assert response.status_code == 200
    assert b"restore" in response.content


def test_pages_lead_through_all_changes_once(logged, office, project):
    one = Submission.objects.first()
    for number in range(120):
        change(one, f"state-{number:03}")
    seen, address = [], URL
    while address:
        page = office.get(address).context["page"]
        seen += [row.pk for row in page.rows]
        address = f"{URL}?page={page.following}" if page.following else ""
    everything = [one.pk for one in log_of(project=project, wanted=LogFilter())]
    assert seen == list(everything)
    assert len(seen) >= 125


def test_queries_do_not_grow_with_the_log(logged, office):
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            office.get(URL)
        return len(found)

    queries()
    few = queries()
    for _ in range(200):
        change(Submission.objects.first())
    # One for each kind on the page: those of one kind alone take fewer.
    assert queries() < few <= 20


def test_words_that_look_like_formulas_are_quoted(logged, office):
    change(Submission.objects.first(), reason='=HYPERLINK("http://evil.test")', actor="@eve")
    text = office.get(f"{URL[:-1]}.csv").getvalue().decode()
    row = next(csv.DictReader(io.StringIO(text)))
    assert (row["who"], row["reason"][:2]) == ("'@eve", "'=")
