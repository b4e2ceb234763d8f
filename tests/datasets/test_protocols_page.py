"""The page “Protocols compared”, and the pages of a project with validation."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from consolidation.models import Case, Gold
from projects.enums import MemberRole
from projects.models import Membership
from tests.consolidation.validation import make_validated_project
from tests.dashboard.campaign import Campaign, make_project, make_user


@pytest.fixture
def other(project, campaign):
    """Create another project of the requester over the same items."""
    dense = make_project("dense")
    Campaign(dense, 12)
    dense.title = "Dense"
    dense.save()
    return dense


def join(project, requester, role=MemberRole.REQUESTER) -> None:
    Membership.objects.create(project=project, user=requester, role=role)


def url_of(project, **query):
    return reverse("datasets:protocols", args=[project.slug], query=query)


def test_page_without_another_project_explains_what_to_do(office, project, campaign):
    assert b"No other project to compare with" in office.get(url_of(project)).content


def test_page_compares_two_projects(office, project, requester, other):
    join(other, requester)
    response = office.get(url_of(project, other="dense"))
    comparison = response.context["comparison"]
    assert (comparison.items, comparison.first.gold.per_item("roles")) == (3, 3)
    assert comparison.each_other.totals["UA"]["f1"] == 1
    assert "3 items in common" in response.content.decode()


@pytest.mark.parametrize("role", [None, MemberRole.TRAINER, MemberRole.EXPERT])
def test_project_without_permission_is_not_offered(office, project, requester, other, role):
    if role:
        join(other, requester, role)
    response = office.get(url_of(project, other="dense"))
    assert response.status_code == 200
    assert response.context["comparison"] is None
    assert "Dense" not in response.content.decode()


def test_invalid_choice_is_reported(office, project, requester, other):
    join(other, requester)
    text = office.get(url_of(project, other="<script>")).content.decode()
    assert "Select a valid choice" in text
    assert "<script>&" not in text


def test_projects_without_a_shared_item_show_a_notice(office, project, requester, other):
    join(other, requester)
    for item in other.items.all():
        item.key = f"other-{item.key}"
        item.save()
    text = office.get(url_of(project, other="dense")).content.decode()
    assert "Nothing in common yet" in text


def test_queries_do_not_depend_on_the_number_of_rows(office, project, requester):
    small = Campaign(project, 4, workers=3)
    dense_project = make_project("dense")
    dense = Campaign(dense_project, 4, workers=3)
    join(dense_project, requester)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert office.get(url_of(project, other="dense")).context["comparison"]
        return len(queries)

    initial = count()
    small.add(100, workers=12)
    dense.add(100, workers=12)
    assert count() == initial


# --- a project with validation -----------------------------------------------------------------


@pytest.fixture
def validated(db):
    return make_validated_project()


@pytest.fixture
def validated_office(validated, client):
    client.force_login(make_user("vera", validated, MemberRole.REQUESTER))
    return client


def test_overview_shows_the_validation_step(validated_office, validated):
    text = validated_office.get(
        reverse("dashboard:project", args=[validated.slug])
    ).content.decode()
    assert "Validation" in text
    assert "items validated" in text
    assert "Consolidation" not in text


def test_items_are_shown_as_validated(validated_office, validated):
    url = reverse("consolidation:items", args=[validated.slug], query={"state": "validated"})
    text = validated_office.get(url).content.decode()
    assert "state--validated" in text
    item = Gold.objects.get().item
    text = validated_office.get(
        reverse("consolidation:item", args=[validated.slug, item.pk])
    ).content.decode()
    assert "validated" in text
    assert "the generator, validator 1, validator 2" in " ".join(text.split())
    assert Case.objects.get().state == "validated"


def test_agreement_page_lists_the_validators(validated_office, validated):
    response = validated_office.get(reverse("datasets:agreement", args=[validated.slug]))
    assert len(response.context["validators"]) == 2
    assert "Same verdict" in response.content.decode()


def test_protocols_page_shows_how_many_validators_must_agree(validated_office, validated):
    text = validated_office.get(url_of(validated)).content.decode()
    assert "2 of 2 validators" in text
