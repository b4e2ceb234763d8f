"""Every page asks the database as often with 300 rows as with 3."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.models import Hit, Payment
from tests.dashboard.campaign import Campaign

PAGES = [
    "project",
    "items",
    "item",
    "submissions",
    "workers",
    "worker",
    "costs",
    "cost_chart",
    "ledger",
    "ledger_csv",
    "exports",
    "jobs",
    "reviews",
    "agreement",
    "publish",
]


def counted(client, url) -> int:
    with CaptureQueriesContext(connection) as queries:
        response = client.get(url)
        response.getvalue()
    assert response.status_code == 200
    return len(queries)


def counts(client, campaign) -> dict[str, int]:
    more = {"item": [campaign.items[3].pk], "worker": [campaign.workers[0].pseudonym]}
    urls = {
        name: reverse(f"dashboard:{name}", args=[campaign.project.slug, *more.get(name, [])])
        for name in PAGES
    }
    return {"projects": counted(client, "/")} | {
        name: counted(client, url) for name, url in urls.items()
    }


def make_trouble() -> None:
    Hit.objects.update(error="Unavailable.")
    Payment.objects.filter(state="confirmed").update(error="Slow.")


@pytest.mark.django_db
def test_pages_ask_as_often_with_few_rows_as_with_many(office, project):
    small = Campaign(project, 4, workers=3)
    make_trouble()
    few = counts(office, small)
    small.add(300, workers=60)
    make_trouble()
    many = counts(office, small)
    assert few == many
    assert max(few.values()) <= 30
