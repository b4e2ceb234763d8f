"""Rounds for consolidators that are set up in the browser, from experts' gold."""

import pytest
from django.test import Client
from django.urls import reverse

from projects.enums import MemberRole, Role
from qualification.domain.rounds.publish_round import publish_round
from qualification.domain.rounds.set_up_rounds import RoundSetupError
from qualification.domain.rounds.vary_gold import variations_of
from qualification.enums import EnrolmentState
from qualification.models import Enrolment
from tests.consolidation.factories import SURVEY, make_item
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import EXPERT, make_items, make_rounds, merge_through

pytestmark = pytest.mark.django_db


@pytest.fixture
def round(db):
    """Create the last of two rounds for generators."""
    return make_rounds()[1]


@pytest.fixture
def office(round) -> Client:
    client = Client()
    client.force_login(make_user("rita", round.project, MemberRole.REQUESTER))
    return client


def add(office, round, items, **fields):
    url = reverse("qualification:new_round", args=[round.project.slug])
    form = {"method": "search", "count": "5", "seed": "1", "role": "consolidator", **fields}
    form |= {"title": "Training 3", "item": [item.pk for item in items]}
    return office.post(url, form, follow=True)


def test_consolidators_are_trained_on_variations_of_the_gold(office, round):
    passed = Enrolment.objects.create(
        round=round, worker=make_worker(), state=EnrolmentState.PASSED, enrolled_at=NOW
    )
    items = make_items(round.project, pairs=2)
    page = add(office, round, items).content.decode()
    assert "Consolidation training has 4 items" in page
    added = round.project.rounds.get(role=Role.CONSOLIDATOR)
    assert (added.entry, added.pool_roles) == ("passed", ["consolidator"])
    for row in added.round_items.all():
        first, second = row.given
        assert first != second
        assert row.reference
    round.refresh_from_db()
    assert Role.CONSOLIDATOR not in round.pool_roles
    assert added.enrolments.get().worker == passed.worker
    cohort = publish_round(round=added, actor="rita", now=NOW)
    merge_through(cohort, passed.worker, skill=0.9)
    enrolment = added.enrolments.get()
    assert enrolment.state == EnrolmentState.FINISHED
    assert enrolment.evaluations.get().figures["answered"] == 4


def test_variations_are_the_same_each_time(round):
    items = make_items(round.project)
    assert variations_of(items=items) == variations_of(items=items)
    with pytest.raises(RoundSetupError, match="has no expert gold"):
        variations_of(items=[make_item(SURVEY, next(iter(EXPERT)), round.project)])


def test_items_of_consolidators_can_be_changed_before_the_publication(office, round):
    add(office, round, make_items(round.project))
    added = round.project.rounds.get(role=Role.CONSOLIDATOR)
    others = make_items(round.project)
    url = reverse("qualification:round_items", args=[round.project.slug, added.pk])
    fields = {"method": "search", "count": "5", "seed": "1", "item": [others[0].pk]}
    assert office.post(url, fields).status_code == 302
    row = added.round_items.get()
    assert row.item == others[0]
    assert len(row.given) == 2


def test_screening_of_consolidators_is_refused(office, round):
    response = add(office, round, make_items(round.project), is_screening="on")
    assert response.status_code == 422
    assert "A screening is a round for generators." in response.content.decode()


def test_other_protocols_have_no_consolidators(office, round):
    round.project.protocol = "validation"
    round.project.generators_per_item = 1
    round.project.save()
    page = office.get(reverse("qualification:new_round", args=[round.project.slug]))
    assert "role" not in page.context["form"].fields
