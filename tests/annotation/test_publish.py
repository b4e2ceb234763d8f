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


def test_confirmation_shows_the_price_and_publishes_nothing(office, url, items):
    page = office.post(url, {"count": 3, "unpublished": 5})
    assert page.status_code == 200
    # A place costs a reward of 5 cents and an allowance of 18 (5 + 6 + 7), see test_queries.
    assert b"Publish 3 HITs for $" in page.content
    assert Hit.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_confirmed_form_publishes_the_shown_number_for_the_shown_price(office, url, items, project):
    confirmation = office.post(url, {"count": 3, "unpublished": 5}).content.decode()
    response = office.post(url, {"count": 3, "unpublished": 5, "confirmed": "yes"}, follow=True)
    assert Hit.objects.filter(state="pending").count() == 3
    reserved = Budget.objects.get(pk=project.budget_id).reserved_cents
    assert f"Publish 3 HITs for ${reserved / 100:.2f}" in confirmation
    assert "3 HITs are being created" in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_one_hit_is_named_in_the_singular(office, url, items):
    form = {"count": 1, "unpublished": 5, "confirmed": "yes"}
    assert "1 HIT is being created" in office.post(url, form, follow=True).content.decode()


@pytest.mark.django_db(transaction=True)
def test_second_click_asks_for_confirmation_again(office, url, items):
    form = {"count": 2, "unpublished": 5, "confirmed": "yes"}
    assert office.post(url, form).status_code == 302
    again = office.post(url, form)
    assert again.status_code == 200
    assert b'name="unpublished" value="3"' in again.content
    assert Hit.objects.count() == 2


@pytest.mark.parametrize("count", ["0", "6", "-1", "many", ""])
def test_invalid_count_is_refused_with_a_reason(office, url, items, count):
    response = office.post(url, {"count": count, "unpublished": 5, "confirmed": "yes"})
    assert response.status_code == 422
    assert b"errorlist" in response.content
    assert Hit.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_insufficient_budget_is_reported_and_nothing_published(office, url, items, project):
    Budget.objects.filter(pk=project.budget_id).update(cap_cents=10)
    response = office.post(url, {"count": 5, "unpublished": 5, "confirmed": "yes"})
    assert response.status_code == 422
    assert b"Raise the budget limit or publish less" in response.content
    assert (Hit.objects.count(), Batch.objects.count()) == (0, 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("choice", "codes"), [("pool", ["demo-generator"]), ("anyone", [])])
def test_existing_pool_is_a_choice(office, url, items, choice, codes):
    QualificationType.objects.create(
        provider="mturk", code="demo-generator", name="Pool", description="Trained"
    )
    form = {"count": 1, "unpublished": 5, "pool": choice, "confirmed": "yes"}
    assert office.post(url, form).status_code == 302
    [batch] = Batch.objects.all()
    assert [qualification["code"] for qualification in batch.qualifications] == codes


def test_page_has_a_message_when_everything_is_published(office, url, project):
    assert b"Nothing left to publish" in office.get(url).content
