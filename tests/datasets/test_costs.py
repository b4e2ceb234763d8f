import csv
import io
from datetime import timedelta

import pytest
from django.db.models import F, Sum
from django.urls import reverse

from crowd.models import LedgerEntry
from tests.dashboard.campaign import START, Campaign, make_project


@pytest.fixture
def entries(campaign, project):
    return LedgerEntry.objects.filter(budget=project.budget)


def rows_of(response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def test_costs_of_finished_items_and_roles_add_up(office, campaign, project):
    context = office.get(reverse("datasets:costs", args=[project.slug])).context
    assert context["figures"].distribution.count == 3
    assert context["figures"].total.total_cents == project.budget.spent_cents
    assert [one.name for one in context["figures"].steps] == ["generator", "consolidator"]
    finished = LedgerEntry.objects.filter(
        kind="settle", hit__task__items__in=campaign.items[3::4]
    ).aggregate(all=Sum(F("amount_cents") + F("fee_cents")), workers=Sum("amount_cents"))
    assert context["figures"].distribution.mean == pytest.approx(finished["all"] / 3)
    assert context["figures"].to_workers == pytest.approx(finished["workers"] / 3)


def test_costs_before_anything_is_finished_say_so(office, project):
    page = office.get(reverse("datasets:costs", args=[project.slug])).content
    assert b"No finished items yet" in page
    assert b"No payments yet" in page


def test_chart_is_an_svg_without_script(office, campaign, project):
    response = office.get(reverse("datasets:cost_chart", args=[project.slug]))
    assert response.headers["Content-Type"] == "image/svg+xml"
    assert b"<svg" in response.content
    assert b"<script" not in response.content


def test_chart_of_an_empty_project_is_still_an_svg(office, project):
    response = office.get(reverse("datasets:cost_chart", args=[project.slug]))
    assert b"<svg" in response.content


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ({}, lambda one: True),
        ({"kind": "settle"}, lambda one: one.kind == "settle"),
        ({"first_day": "2026-09-01", "last_day": "2026-09-01"}, lambda one: True),
        ({"first_day": "2026-09-02"}, lambda one: False),
        ({"last_day": "2026-08-31"}, lambda one: False),
        ({"first_day": "yesterday"}, lambda one: True),
        ({"kind": "nonsense"}, lambda one: True),
    ],
)
def test_ledger_filters_hold_for_the_csv_and_its_sums(office, entries, project, query, kept):
    found = rows_of(office.get(reverse("datasets:ledger_csv", args=[project.slug]), query))
    assert {row["key"] for row in found} == {one.key for one in entries if kept(one)}
    page = office.get(reverse("datasets:ledger", args=[project.slug]), query).context
    sums = {"reserved": 0, "released": 0, "settled": 0}
    for one in entries:
        if kept(one):
            sums[one.get_kind_display()] += one.amount_cents + one.fee_cents
    assert {one["name"]: one["cents"] for one in page["sums"]} == sums


def test_ledger_by_worker_takes_the_pseudonym_in_any_case(office, campaign, entries, project):
    worker = campaign.workers[1]
    url = reverse("datasets:ledger_csv", args=[project.slug])
    found = rows_of(office.get(url, {"pseudonym": worker.pseudonym.lower()}))
    assert {row["worker"] for row in found} == {worker.pseudonym}
    assert len(found) == entries.filter(payment__assignment__worker=worker).count()


def test_csv_is_whole_and_says_its_length(office, entries, project):
    response = office.get(reverse("datasets:ledger_csv", args=[project.slug]))
    body = response.getvalue()
    assert int(response.headers["Content-Length"]) == len(body)
    rows = list(csv.DictReader(io.StringIO(body.decode())))
    assert len(rows) == entries.count()
    cents = sum(
        round(float(row["to_worker_dollars"]) * 100 + float(row["fee_dollars"]) * 100)
        for row in rows
        if row["kind"] == "settle"
    )
    assert cents == project.budget.spent_cents


def test_last_day_is_meant_to_its_end(office, entries, project):
    first = entries.first()
    late = START.replace(hour=23, minute=59, second=59)
    copy = LedgerEntry.objects.create(
        budget=first.budget,
        kind="release",
        amount_cents=1,
        fee_cents=0,
        key="late",
        hit=first.hit,
        at=late,
    )
    LedgerEntry.objects.create(
        budget=first.budget,
        kind="release",
        amount_cents=1,
        fee_cents=0,
        key="next",
        hit=first.hit,
        at=late + timedelta(seconds=1),
    )
    url = reverse("datasets:ledger_csv", args=[project.slug])
    found = rows_of(office.get(url, {"kind": "release", "last_day": "2026-09-01"}))
    assert [row["key"] for row in found] == [copy.key]


def test_ledger_of_another_project_stays_out(office, entries, project):
    Campaign(make_project("other"), 4)
    found = rows_of(office.get(reverse("datasets:ledger_csv", args=[project.slug])))
    assert len(found) == entries.count()
