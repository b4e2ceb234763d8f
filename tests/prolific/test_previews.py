"""Previews of studies before publication."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.publishing.publish import publish_batch
from consolidation.domain.gold.add_gold import add_gold
from crowd.domain.hits.plan_study import preview_study
from crowd.models import Budget, Hit, HitType, ProviderAccount, Study
from qualification.domain.rounds.set_up_rounds import RoundPlan, set_up_rounds
from qualification.enums import RoundEntry
from tests.dashboard.campaign import make_user


@pytest.fixture
def client(project) -> Client:
    user = make_user("olga")
    project.memberships.create(user=user, role="requester")
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def address(project) -> str:
    return reverse("annotation:publish", args=[project.slug])


FIELDS = {"count": 8, "auto_approval_hours": 72, "republish_limit": 2, "unpublished": 8}
OFFER = (
    "1 study with 2 places of about 12 minutes, $2.40 each ($12.00 an hour, minimum $8.00, "
    "recommended $12.00), plus bonuses, fee and tax. Each place is a session of up to 8 items."
)


def text_of(response) -> str:
    return " ".join(response.content.decode().replace("&#x27;", "'").split())


def test_confirmation_shows_studies_and_places(client, address):
    assert "The items become one study at Prolific" in text_of(client.get(address))
    response = client.post(address, FIELDS)
    assert response.status_code == 200
    page = text_of(response)
    assert OFFER in page
    assert "Wallet at Prolific: $10,000.00, read <time" in page
    assert "HIT" not in page


def test_published_study_equals_its_preview(client, address):
    study = client.post(address, FIELDS).context["studies"][0]
    response = client.post(address, FIELDS | {"confirmed": "yes"}, follow=True)
    assert "1 study is being created." in text_of(response)
    row = Study.objects.get()
    assert (row.hits_per_session, row.minutes, row.reward_cents) == (
        study.session.hits,
        study.session.minutes,
        study.session.reward_cents,
    )


def test_wallet_below_the_cost_is_a_warning(client, address):
    ProviderAccount.objects.update(balance_cents=100)
    page = text_of(client.post(address, FIELDS))
    assert "The wallet at Prolific had $1.00 <time" in page
    ProviderAccount.objects.update(balance_cents=None)
    assert "has not been read yet" in text_of(client.post(address, FIELDS))


@pytest.mark.parametrize("confirmed", [{}, {"confirmed": "yes"}])
def test_pay_below_the_minimum_is_a_form_error(client, address, project, confirmed):
    for terms in project.pay_scheme.values():
        terms["reward_cents"] = 5
    project.save()
    response = client.post(address, FIELDS | confirmed)
    assert response.status_code == 422
    assert "Prolific requires $8.00 an hour without bonuses." in text_of(response)
    assert Hit.objects.count() == 0


def test_other_providers_have_no_studies(db):
    hit_type = HitType(provider="mturk", reward_cents=30, qualifications=[])
    terms = {"expected_seconds": 90, "hits": 8, "assignments": 2, "cents": 1}
    assert preview_study(hit_type=hit_type, budget=Budget(key="news"), **terms) is None


def test_round_preview_shows_studies(client, project, server):
    keys = list(project.items.values_list("key", flat=True)[:3])
    for item in project.items.filter(key__in=keys):
        content = {"label": "positive"}
        add_gold(item=item, source="expert", content=content, provenance=[], now=server.clock())
    plans = [RoundPlan("Screening", entry=RoundEntry.OPEN, keys=keys)]
    [round] = set_up_rounds(project=project, plans=plans, actor="ada", now=server.clock())
    page = text_of(client.get(reverse("qualification:publish", args=[project.slug, round.pk])))
    assert "For each worker, 1 place of about" in page
    assert "HIT" not in page


def test_further_items_are_places_of_the_same_study(client, address, project, server):
    publish_batch(project=project, limit=4, now=server.clock())
    page = text_of(client.post(address, FIELDS | {"count": 4, "unpublished": 4}))
    assert "The project's study gets 2 more places of about 6 minutes, $1.20 each" in page


def test_approval_delay_is_limited_by_the_provider(client, address):
    response = client.post(address, FIELDS | {"auto_approval_hours": 500})
    assert response.status_code == 422
    assert "Enter at most 480 hours." in text_of(response)
