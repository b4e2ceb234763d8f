import csv
import io
from datetime import timedelta

import pytest
from django.db.models import F, Sum
from django.urls import reverse

from crowd.models import LedgerEntry
from datasets.domain.costs.cost_over_time import cost_chart
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
    assert [step.name for step in context["figures"].steps] == ["generator", "consolidator"]
    totals = LedgerEntry.objects.filter(
        kind="settle", hit__task__items__in=campaign.items[3::4]
    ).aggregate(all=Sum(F("amount_cents") + F("fee_cents")), workers=Sum("amount_cents"))
    assert context["figures"].distribution.mean == pytest.approx(totals["all"] / 3)
    assert context["figures"].to_workers == pytest.approx(totals["workers"] / 3)


def test_training_has_a_separate_cost_and_active_time(office, campaign, project):
    item = campaign.items[3]
    type(item).objects.filter(pk=item.pk).update(in_production=False)
    seconds = sum(item.submissions.accepted().values_list("active_seconds", flat=True))
    context = office.get(reverse("datasets:costs", args=[project.slug])).context
    [training] = [step for step in context["figures"].steps if step.name == "training rounds"]
    assert training.active_seconds == seconds > 0
    assert context["figures"].total.total_cents == project.budget.spent_cents
    assert training.cost.total_cents > 0


def test_costs_without_finished_items_show_a_notice(office, project):
    page = office.get(reverse("datasets:costs", args=[project.slug])).content
    assert b"No payments yet" in page


@pytest.mark.parametrize("name", ["cost_per_item", "cost_over_time"])
def test_charts_are_script_free_images_with_a_table_and_a_file(office, campaign, project, name):
    url = reverse(f"datasets:{name}", args=[project.slug])
    page = office.get(url).content.decode()
    assert f'src="{url}?format=svg' in page
    image = office.get(f"{url}?format=svg")
    assert image.headers["Content-Type"] == "image/svg+xml"
    assert b"<svg" in image.content
    assert b"<script" not in image.content
    assert len(rows_of(office.get(f"{url}?format=csv"))) == page.count('<th scope="row"')


@pytest.mark.parametrize("name", ["cost_per_item", "cost_over_time"])
def test_charts_of_an_empty_project_explain_when_data_appear(office, project, name):
    page = office.get(reverse(f"datasets:{name}", args=[project.slug])).content.decode()
    assert "starts with the first" in page
    assert "<img" not in page


def test_cost_over_time_ends_at_the_total_spent(office, campaign, project):
    project.budget.cap_cents = 100_000
    project.budget.save()
    chart = cost_chart(project=project)
    assert chart.rows[-1][-1] == project.budget.spent_cents
    assert sum(amount + fee for _, amount, fee, _ in chart.rows) == project.budget.spent_cents
    assert b"Budget limit $1,000.00" in draw_chart(chart.chart)


@pytest.mark.parametrize(
    ("query", "is_listed"),
    [
        ({}, lambda entry: True),
        ({"kind": "settle"}, lambda entry: entry.kind == "settle"),
        ({"first_day": "2026-09-01", "last_day": "2026-09-01"}, lambda entry: True),
        ({"first_day": "2026-09-02"}, lambda entry: False),
        ({"last_day": "2026-08-31"}, lambda entry: False),
        ({"first_day": "yesterday"}, lambda entry: True),
        ({"kind": "nonsense"}, lambda entry: True),
    ],
)
def test_ledger_filters_apply_to_the_csv_and_its_sums(office, entries, project, query, is_listed):
    rows = rows_of(office.get(reverse("datasets:ledger_csv", args=[project.slug]), query))
    assert {row["key"] for row in rows} == {entry.key for entry in entries if is_listed(entry)}
    page = office.get(reverse("datasets:ledger", args=[project.slug]), query).context
    sums = {"reserved": 0, "released": 0, "settled": 0, "model": 0}
    for entry in entries:
        if is_listed(entry):
            sums[entry.get_kind_display()] += entry.amount_cents + entry.fee_cents
    assert {total["name"]: total["cents"] for total in page["sums"]} == sums


def test_ledger_by_worker_ignores_the_case_of_the_pseudonym(office, campaign, entries, project):
    worker = campaign.workers[1]
    url = reverse("datasets:ledger_csv", args=[project.slug])
    rows = rows_of(office.get(url, {"pseudonym": worker.pseudonym.lower()}))
    assert {row["worker"] for row in rows} == {worker.pseudonym}
    assert len(rows) == entries.filter(payment__assignment__worker=worker).count()


def test_csv_is_complete_and_states_its_length(office, entries, project):
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


def test_last_day_is_included(office, entries, project):
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
    rows = rows_of(office.get(url, {"kind": "release", "last_day": "2026-09-01"}))
    assert [row["key"] for row in rows] == [copy.key]


def test_ledger_excludes_other_projects(office, entries, project):
    Campaign(make_project("other"), 4)
    rows = rows_of(office.get(reverse("datasets:ledger_csv", args=[project.slug])))
    assert len(rows) == entries.count()
