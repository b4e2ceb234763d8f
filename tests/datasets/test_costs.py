import csv
import io
from datetime import timedelta

import pytest
from django.db.models import F, Sum
from django.urls import reverse

from crowd.models import LedgerEntry
from datasets.domain.cost_over_time import cost_chart
from tests.dashboard.campaign import START, Campaign, make_project
from web.charts import draw_chart


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


def test_training_has_its_own_cost_and_active_time(office, campaign, project):
    item = campaign.items[3]
    type(item).objects.filter(pk=item.pk).update(in_production=False)
    seconds = sum(item.submissions.accepted().values_list("active_seconds", flat=True))
    context = office.get(reverse("datasets:costs", args=[project.slug])).context
    [training] = [step for step in context["figures"].steps if step.name == "training rounds"]
    assert training.active_seconds == seconds > 0
    assert context["figures"].total.total_cents == project.budget.spent_cents
    assert training.cost.total_cents > 0


def test_costs_before_anything_is_finished_say_so(office, project):
    page = office.get(reverse("datasets:costs", args=[project.slug])).content
    assert b"No payments yet" in page


@pytest.mark.parametrize("name", ["cost_per_item", "cost_over_time"])
def test_charts_are_images_without_scripts_with_a_table_and_a_file(office, campaign, project, name):
    url = reverse(f"datasets:{name}", args=[project.slug])
    page = office.get(url).content.decode()
    assert f'src="{url}?format=svg' in page
    image = office.get(f"{url}?format=svg")
    assert image.headers["Content-Type"] == "image/svg+xml"
    assert b"<svg" in image.content
    assert b"<script" not in image.content
    assert len(rows_of(office.get(f"{url}?format=csv"))) == page.count('<th scope="row"')


@pytest.mark.parametrize("name", ["cost_per_item", "cost_over_time"])
def test_charts_of_an_empty_project_say_when_they_start(office, project, name):
    page = office.get(reverse(f"datasets:{name}", args=[project.slug])).content.decode()
    assert "starts with the first" in page
    assert "<img" not in page


def test_cost_over_time_ends_with_what_was_spent(office, campaign, project):
    project.budget.cap_cents = 100_000
    project.budget.save()
    chart = cost_chart(project=project)
    assert chart.rows[-1][-1] == project.budget.spent_cents
    assert sum(amount + fee for _, amount, fee, _ in chart.rows) == project.budget.spent_cents
    assert b"Budget limit $1,000.00" in draw_chart(chart.chart)


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
