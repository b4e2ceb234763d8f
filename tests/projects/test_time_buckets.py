from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import Count

from audit.models import StateChange
from projects.time_buckets import aggregate_over_time, group_over_time, unit_for

START = datetime(2026, 9, 1, 9, 30, 20, tzinfo=UTC)  # a Tuesday


@pytest.mark.parametrize(
    ("span", "unit"),
    [
        (timedelta(0), "minute"),
        (timedelta(hours=1), "minute"),
        (timedelta(hours=2), "hour"),
        (timedelta(days=10), "day"),
        (timedelta(days=400), "week"),
        (timedelta(days=4000), "month"),
    ],
)
def test_unit_keeps_the_number_of_periods_readable(span, unit):
    assert unit_for(span) == unit


@pytest.mark.django_db
@pytest.mark.parametrize(
    "gap",
    [
        timedelta(minutes=7),
        timedelta(hours=9),
        timedelta(days=8),
        timedelta(days=90),
        timedelta(days=900),
    ],
)
def test_database_and_memory_agree_on_the_periods(gap):
    times = [START, START + timedelta(seconds=1), START + gap, START + 3 * gap]
    StateChange.objects.bulk_create(
        StateChange(aggregate="a.B", object_id=at, old="", new="x", actor="test", at=time)
        for at, time in enumerate(times)
    )
    in_database = aggregate_over_time(StateChange.objects.all(), "at", n=Count("pk"))
    in_memory = group_over_time((time, None) for time in times)
    assert [(bucket.start, bucket.values[0]) for bucket in in_database] == [
        (start, len(rows)) for start, rows in in_memory
    ]
    assert sum(bucket.values[0] for bucket in in_database) == len(times)


@pytest.mark.django_db
def test_empty_input_has_no_periods():
    assert aggregate_over_time(StateChange.objects.all(), "at", n=Count("pk")) == []
    assert group_over_time([]) == []
