"""Tests of the charts of finished items and of quality over time."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Item
from consolidation.models import Gold
from dashboard.charts import finished_over_time, progress_chart
from datasets.domain.quality.quality_over_time import quality_chart
from projects.domain.cached_figures import forget_figures
from tests.dashboard.campaign import make_project
from web.charts import Style, draw_chart


def test_finished_items_accumulate_without_training(campaign, project):
    chart = progress_chart(project=project, now=timezone.now())
    assert sum(items for _, items, _ in chart.rows) == chart.rows[-1][2] == 3
    Item.objects.filter(gold__isnull=False).update(in_production=False)
    forget_figures(finished_over_time, project=project)
    assert progress_chart(project=project, now=timezone.now()).rows == []


def test_forecast_continues_from_now_at_the_current_pace(campaign, project):
    first_gold_at = Gold.objects.filter(item__project=project).earliest("created_at").created_at
    now = first_gold_at + timedelta(minutes=30)
    chart = progress_chart(project=project, now=now).chart
    finished, forecast = chart.series
    assert forecast.style is Style.DASHED
    assert forecast.points[0] == finished.points[-1] == (now.timestamp(), 3.0)
    assert forecast.points[-1][0] > forecast.points[0][0]
    assert 3 < forecast.points[-1][1] <= 12
    assert b"12 items" in draw_chart(chart)


def test_forecast_is_missing_without_recent_work(campaign, project):
    now = Gold.objects.latest("created_at").created_at + timedelta(days=3)
    assert len(progress_chart(project=project, now=now).chart.series) == 1


def test_quality_over_time_measures_agreement_and_coverage(campaign, project):
    chart = quality_chart(project=project)
    assert sum(items for _, items, _, _ in chart.rows) == 3
    # Both annotators of the campaign ask the same questions.
    assert {(agreement, coverage) for _, _, agreement, coverage in chart.rows} == {(1.0, 1.0)}


@pytest.mark.parametrize("route", ["dashboard:progress_over_time", "datasets:quality_over_time"])
def test_empty_project_explains_when_the_chart_starts(admin_client, route):
    project = make_project("empty")
    page = admin_client.get(reverse(route, args=[project.slug])).content.decode()
    assert "The chart starts with the first" in page
