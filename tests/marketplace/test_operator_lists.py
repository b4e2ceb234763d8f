"""The operator's lists: sorting, pagination with filters, and CSV files."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.html import strip_tags

from marketplace.models import Appeal, LedgerEntry, Notification, Requester, WorkerAccount

from .conftest import make_requester, make_worker

pytestmark = pytest.mark.django_db

WORKERS = "/hits/operator/workers/"


def names(page) -> list[str]:
    """Return the first cell of each row."""
    return [strip_tags(row.cells[0][1]).strip() for row in page.context["listing"].shown]


def csv_rows(response) -> list[dict[str, str]]:
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


@pytest.fixture
def workers():
    for name, approved in (("ann", 3), ("bob", 20), ("cyd", 3), ("dee", 1)):
        make_worker(name)
        WorkerAccount.objects.filter(username=name).update(approved_count=approved)


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", ["ann", "bob", "cyd", "dee"]),
        ("name", ["ann", "bob", "cyd", "dee"]),
        ("-name", ["dee", "cyd", "bob", "ann"]),
        ("approved", ["dee", "ann", "cyd", "bob"]),
        ("-approved", ["bob", "ann", "cyd", "dee"]),
        ("password", ["ann", "bob", "cyd", "dee"]),
        ("--approved", ["ann", "bob", "cyd", "dee"]),
        ("?", ["ann", "bob", "cyd", "dee"]),
    ],
)
def test_workers_are_sorted_and_bad_values_ignored(workers, operator, sort, order):
    page = operator.get(WORKERS, {"sort": sort})
    assert names(page) == order
    rows = csv_rows(operator.get(WORKERS, {"sort": sort, "format": "csv"}))
    assert [row["Name"] for row in rows] == order


def test_headings_show_the_order_and_keep_the_filter(workers, operator):
    page = operator.get(WORKERS, {"q": "n", "sort": "approved", "page": 1}).content.decode()
    directions = re.findall(
        r'aria-sort="(\w+)"\s*>\s*<a class="list__order"\s+href="([^"]+)"', page
    )
    assert directions == [
        ("none", f"{WORKERS}?q=n&amp;sort=name"),
        ("none", f"{WORKERS}?q=n&amp;sort=worker-id"),
        ("none", f"{WORKERS}?q=n&amp;sort=location"),
        ("ascending", f"{WORKERS}?q=n&amp;sort=-approved"),
        ("none", f"{WORKERS}?q=n&amp;sort=rejected"),
    ]
    assert '<input type="hidden" name="sort" value="approved" form="filters">' in page
    assert f'href="{WORKERS}?q=n&amp;sort=approved&amp;format=csv"' in page


def test_pages_keep_the_sort(operator):
    for number in range(60):
        make_worker(f"annotator{number:02}")
    page = operator.get(WORKERS, {"q": "annotator", "sort": "-name", "page": 2})
    assert names(page) == [f"annotator{number:02}" for number in range(9, -1, -1)]
    text = page.content.decode()
    assert f'href="{WORKERS}?q=annotator&amp;sort=-name&amp;page=1"' in text
    assert "60 workers" in text
    assert "51–60" in text


def test_csv_file_has_all_matches_and_no_formulas(operator):
    for number in range(60):
        make_worker(f"annotator{number:02}")
    worker = make_worker("other")
    WorkerAccount.objects.filter(pk=worker.pk).update(username="=1+1", active=False)
    assert len(csv_rows(operator.get(WORKERS, {"q": "annotator", "format": "csv"}))) == 60
    response = operator.get(WORKERS, {"q": worker.code, "format": "csv"})
    name = f"workers-{timezone.now():%Y-%m-%d}.csv"
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert csv_rows(response) == [
        {
            "Name": "'=1+1",
            "Worker id": worker.code,
            "Location": "US",
            "Approved": "0",
            "Rejected": "0",
        }
    ]


def test_search_without_a_match_can_be_cleared(workers, operator):
    page = operator.get(WORKERS, {"q": "zoe"}).content.decode()
    assert f'<a href="{WORKERS}">clear them</a>' in page


def test_requesters_are_sorted_by_available_balance(operator):
    for name, balance, on_hold in (("lab a", 500, 450), ("lab b", 100, 0), ("lab c", 900, 899)):
        make_requester(name)
        Requester.objects.filter(name=name).update(balance_cents=balance, held_cents=on_hold)
    rows = csv_rows(operator.get("/hits/operator/?sort=-available&format=csv"))
    assert [(row["Name"], row["Available ($)"]) for row in rows] == [
        ("lab b", "1.00"),
        ("lab a", "0.50"),
        ("lab c", "0.01"),
    ]


def test_ledger_of_a_requester_is_complete(operator):
    requester, *_ = make_requester("lab")
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            requester=requester,
            kind="deposit",
            amount_cents=-50 - number,
            note="=back",
            created_at=timezone.now(),
        )
        for number in range(70)
    )
    path = f"/hits/operator/requesters/{requester.code}/"
    page = operator.get(path, {"page": 2}).content.decode()
    total = LedgerEntry.objects.filter(requester=requester).count()
    assert total >= 70
    assert f"{total} entries" in page
    row = csv_rows(operator.get(path, {"sort": "-balance", "format": "csv"}))[-70]
    assert (row["Balance ($)"], row["Note"]) == ("-0.50", "'=back")
    invalid = operator.post(f"{path}deposit/", {"amount": "x"}).content.decode()
    assert f'href="{path}?page=2"' in invalid


def test_appeals_are_listed_with_their_text(rejected, browser, worker, operator):
    text = "The verb has one role. " * 20
    browser.post(f"/hits/history/{rejected}/appeal/", {"text": text})
    path = "/hits/operator/appeals/"
    page = operator.get(path).content.decode()
    assert "1 pending appeal\n" in page
    assert text.strip() not in page
    [row] = csv_rows(operator.get(path, {"format": "csv"}))
    assert (row["Worker"], row["State"], row["Text"]) == (worker.code, "Open", text.strip())
    Appeal.objects.update(status="upheld", decided_at=timezone.now())
    assert not csv_rows(operator.get(path, {"format": "csv"}))
    [row] = csv_rows(operator.get(path, {"all": 1, "format": "csv"}))
    assert row["State"] == "Rejection upheld"
    assert f'href="{path}?all=1&amp;sort=worker"' in operator.get(path, {"all": 1}).content.decode()


def test_undelivered_notifications_are_sorted(operator):
    requester, *_ = make_requester("lab")
    now = timezone.now()
    for attempts, given_up in ((9, now), (2, None), (5, now - timedelta(hours=1))):
        Notification.objects.create(
            doc_id=f"3DOC{attempts}",
            requester=requester,
            transport="SQS",
            version="2014-08-15",
            destination="https://sqs.test/1/hits",
            event={"EventType": "Ping"},
            created_at=now,
            due_at=now,
            attempts=attempts,
            given_up_at=given_up,
        )
    path = "/hits/operator/notifications/"

    def attempts_by(sort: str) -> list[str]:
        rows = csv_rows(operator.get(path, {"sort": sort, "format": "csv"}))
        return [row["Attempts"] for row in rows]

    assert attempts_by("") == ["9", "5", "2"]
    assert attempts_by("attempts") == ["2", "5", "9"]
    assert attempts_by("next-attempt-utc") == ["2", "9", "5"]
    assert attempts_by("-next-attempt-utc") == ["2", "9", "5"]
    assert attempts_by("event") == ["9", "5", "2"]
    assert operator.get(path).content.decode().count("Try again") == 2


def test_statement_is_sorted(earned, operator):
    other = make_worker("bob")
    now = timezone.now()
    LedgerEntry.objects.create(
        requester=Requester.objects.get(),
        worker=other,
        kind="bonus",
        amount_cents=-900,
        created_at=now,
    )
    period = {"first": now.date(), "last": now.date()}
    path = "/hits/operator/statement/"
    assert names(operator.get(path, {**period, "sort": "-earned"})) == ["bob", "ann"]
    page = operator.get(path, {**period, "sort": "earned"})
    assert names(page) == ["ann", "bob"]
    assert page.context["due_cents"] == 1016
    response = operator.get(path, {**period, "sort": "-earned", "format": "csv"})
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [row["total_usd"] for row in rows] == ["9.00", "1.16"]
