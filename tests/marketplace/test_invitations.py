"""The operator's list of invitations."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from django.utils.html import strip_tags

from marketplace.domain.accounts.accounts import invite
from marketplace.models import Invitation

from .conftest import make_worker

pytestmark = pytest.mark.django_db

INVITATIONS = "/hits/operator/invitations/"
NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)


def rows(page) -> list[list[str]]:
    """Return the texts of the cells of each row."""
    return [
        [strip_tags(str(cell)) for _, cell in row.cells] for row in page.context["listing"].shown
    ]


@pytest.fixture(autouse=True)
def invitations() -> None:
    """Create an invitation used by ann, two unused ones and one of a simulated worker."""
    make_worker("ann")
    Invitation.objects.update(note="spring", created_at=NOW, used_at=NOW + timedelta(hours=1))
    invite(count=1, note="spring", now=NOW + timedelta(days=1))
    invite(count=1, note="=1+1", now=NOW + timedelta(days=2))
    invite(count=1, is_simulated=True, now=NOW)


def test_list_shows_unused_invitations_with_their_addresses(operator):
    page = operator.get(INVITATIONS)
    second, first = Invitation.objects.filter(used_at=None, is_simulated=False).order_by("-pk")
    assert rows(page) == [
        [f"http://testserver/hits/join/{second.code}/", "=1+1", "2026-11-04 09:00", "", ""],
        [f"http://testserver/hits/join/{first.code}/", "spring", "2026-11-03 09:00", "", ""],
    ]
    assert "2 unused invitations" in page.content.decode()


def test_list_of_all_invitations_names_the_workers_who_used_them(operator):
    page = operator.get(INVITATIONS, {"all": 1, "sort": "created-utc"})
    assert [row[1:] for row in rows(page)] == [
        ["spring", "2026-11-02 09:00", "2026-11-02 10:00", "ann"],
        ["spring", "2026-11-03 09:00", "", ""],
        ["=1+1", "2026-11-04 09:00", "", ""],
    ]


def test_csv_file_has_the_addresses_and_no_formulas(operator):
    response = operator.get(INVITATIONS, {"format": "csv", "sort": "note"})
    table = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert [row["Note"] for row in table] == ["'=1+1", "spring"]
    assert all(row["Address"].startswith("http://testserver/hits/join/") for row in table)


def test_workers_page_leads_to_the_list(operator):
    assert f'href="{INVITATIONS}"' in operator.get("/hits/operator/workers/").content.decode()
    Invitation.objects.all().delete()
    assert "No unused invitations." in operator.get(INVITATIONS).content.decode()
