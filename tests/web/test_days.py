"""Days at the edges of the calendar, in the filters of pages."""

from datetime import UTC, date, datetime

import pytest
from django.urls import reverse

from projects.enums import MemberRole
from tests.dashboard.campaign import Campaign, make_project, make_user
from web.days import end_of, start_of

LAST, FIRST = "9999-12-31", "0001-01-01"


def test_days_begin_and_end_at_midnight():
    assert start_of(date(2026, 2, 28)) == datetime(2026, 2, 28, tzinfo=UTC)
    assert end_of(date(2026, 2, 28)) == datetime(2026, 3, 1, tzinfo=UTC)


def test_last_day_of_the_calendar_ends_with_it():
    assert end_of(date.max) > datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


@pytest.fixture
def office(client, db):
    project = make_project()
    Campaign(project, 4)
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


@pytest.mark.parametrize("page", ["datasets:ledger", "dashboard:log"])
@pytest.mark.parametrize("query", [f"last_day={LAST}", f"first_day={FIRST}&last_day={LAST}"])
def test_pages_accept_every_day_of_the_calendar(office, page, query):
    response = office.get(reverse(page, args=["demo"]) + f"?{query}")
    assert response.status_code == 200
    assert not response.context["form"].errors


@pytest.mark.parametrize("file", ["datasets:ledger_csv", "dashboard:log_csv"])
def test_downloads_accept_every_day_of_the_calendar(office, file):
    whole = office.get(reverse(file, args=["demo"])).getvalue()
    filtered = office.get(reverse(file, args=["demo"]) + f"?last_day={LAST}").getvalue()
    assert filtered == whole


@pytest.mark.parametrize("page", ["datasets:ledger", "dashboard:log"])
def test_pages_refuse_a_period_that_ends_before_its_start(office, page):
    query = "?first_day=2026-09-02&last_day=2026-09-01"
    response = office.get(reverse(page, args=["demo"]) + query)
    assert response.status_code == 200
    assert list(response.context["form"].errors) == ["last_day"]
    assert "The end of the period is before its start (From)." in response.content.decode()
