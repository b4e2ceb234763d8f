import pytest
from django.urls import reverse

from annotation.models import Batch
from crowd.models import Budget, Hit, QualificationType
from tests.dashboard.campaign import add_items


@pytest.fixture
def items(project):
    return add_items(project, 5)


@pytest.fixture
def url(project):
    return reverse("annotation:publish", args=[project.slug])


def test_asking_names_the_price_and_publishes_nothing(office, url, items):
    page = office.post(url, {"count": 3, "unpublished": 5})
    assert page.status_code == 200
    # One slot: 5 reward + 35 allowance (5 + 6 + 7 of the paid three) ... see test_queries.
    assert b"Publish 3 HITs for $" in page.content
    assert Hit.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_confirmed_publishes_as_many_as_named_for_the_price_named(office, url, items, project):
    asked = office.post(url, {"count": 3, "unpublished": 5}).content.decode()
    response = office.post(url, {"count": 3, "unpublished": 5, "confirmed": "yes"}, follow=True)
    assert Hit.objects.filter(state="pending").count() == 3
    reserved = Budget.objects.get(pk=project.budget_id).reserved_cents
    assert f"Publish 3 HITs for ${reserved / 100:.2f}" in asked
    assert "3 HITs are being created" in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_second_click_asks_again_and_publishes_nothing_more(office, url, items):
    form = {"count": 2, "unpublished": 5, "confirmed": "yes"}
    assert office.post(url, form).status_code == 302
    again = office.post(url, form)
    assert again.status_code == 200
    assert b'name="unpublished" value="3"' in again.content
    assert Hit.objects.count() == 2


@pytest.mark.parametrize("count", ["0", "6", "-1", "many", ""])
def test_count_that_can_not_be_published_is_refused_with_a_reason(office, url, items, count):
    response = office.post(url, {"count": count, "unpublished": 5, "confirmed": "yes"})
    assert response.status_code == 422
    assert b"errorlist" in response.content
    assert Hit.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_budget_too_small_is_told_and_leaves_nothing(office, url, items, project):
    Budget.objects.filter(pk=project.budget_id).update(cap_cents=10)
    response = office.post(url, {"count": 5, "unpublished": 5, "confirmed": "yes"})
    assert response.status_code == 422
    assert b"Raise the budget limit or publish less" in response.content
    assert (Hit.objects.count(), Batch.objects.count()) == (0, 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("choice", "codes"), [("pool", ["demo-generator"]), ("open", [])])
def test_pool_once_there_is_one_is_a_choice(office, url, items, choice, codes):
    QualificationType.objects.create(
        provider="mturk", code="demo-generator", name="Pool", description="Trained"
    )
    form = {"count": 1, "unpublished": 5, "pool": choice, "confirmed": "yes"}
    assert office.post(url, form).status_code == 302
    [batch] = Batch.objects.all()
    assert [one["code"] for one in batch.qualifications] == codes


def test_page_with_everything_published_says_so(office, url, project):
    assert b"Nothing left to publish" in office.get(url).content
