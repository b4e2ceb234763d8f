import pytest
from django.urls import reverse

from crowd.models import Hit, Message, Payment, QualificationGrant, QualificationType
from tests.dashboard.campaign import START, Campaign, make_project


@pytest.fixture
def url(project):
    return reverse("dashboard:jobs", args=[project.slug])


@pytest.fixture
def problems(campaign):
    hits, payments = Hit.objects.order_by("pk"), Payment.objects.order_by("pk")
    Hit.objects.filter(pk=hits[0].pk).update(state="failed", error="The title is too long.")
    Hit.objects.filter(pk=hits[1].pk).update(
        state="pending", external_id=None, error="Service unavailable."
    )
    Payment.objects.filter(pk=payments[0].pk).update(state="held", confirmed_at=None)
    Payment.objects.filter(pk=payments[1].pk).update(
        state="failed", confirmed_at=None, error="This Worker has been suspended."
    )
    pool = QualificationType.objects.create(
        provider="mturk", code="demo-generator", name="Demo pool", description="Trained"
    )
    QualificationGrant.objects.create(
        qualification_type=pool,
        worker=campaign.workers[0],
        state="pending",
        changed_at=START,
        error="Throttled.",
    )
    Message.objects.create(
        worker=campaign.workers[1],
        budget=campaign.project.budget,
        subject="Your feedback",
        text="Well done.",
        state="failed",
        written_at=START,
        error="The worker takes no messages.",
    )


def test_unfinished_operations_are_counted_with_their_amounts(office, url, problems):
    rows = {
        (row.what, row.state): (row.count, row.cents) for row in office.get(url).context["rows"]
    }
    amounts = {
        payment.state: payment.amount_cents + payment.fee_cents
        for payment in Payment.objects.filter(state__in=["held", "failed"])
    }
    assert rows == {
        ("HITs", "to be created"): (1, None),
        ("HITs", "failed"): (1, None),
        ("payments", "waiting for budget"): (1, amounts["held"]),
        ("payments", "failed"): (1, amounts["failed"]),
        ("qualifications", "to be granted"): (1, None),
        ("messages", "not delivered"): (1, None),
    }


def test_problems_show_marketplace_messages_and_pseudonyms(office, url, problems, campaign):
    page = office.get(url).content.decode()
    for text in (
        "The title is too long.",
        "Service unavailable.",
        "This Worker has been suspended.",
        "Throttled.",
        "The worker takes no messages.",
        campaign.workers[0].pseudonym,
    ):
        assert text in page


def test_page_without_problems_shows_an_empty_state(office, url):
    page = office.get(url).content
    assert b"No pending operations at the marketplace" in page
    assert b"the marketplace has refused no operation" in page


def test_problems_of_another_project_are_hidden(office, url):
    other = Campaign(make_project("other"), 4)
    Hit.objects.filter(budget=other.project.budget).update(state="failed", error="Elsewhere.")
    pool = QualificationType.objects.create(
        provider="mturk", code="other-generator", name="Other pool", description="Trained"
    )
    QualificationGrant.objects.create(
        qualification_type=pool, worker=other.workers[0], changed_at=START, error="Elsewhere."
    )
    assert b"Elsewhere" not in office.get(url).content


def test_rejected_payment_is_closed_with_a_reason(office, url, project, problems):
    payment = Payment.objects.get(state="failed")
    page = reverse("dashboard:close_payment", args=[project.slug, payment.pk])
    assert f'href="{page}"' in office.get(url).content.decode()
    assert "This Worker has been suspended." in office.get(page).content.decode()
    assert office.post(page, {"reason": " "}).status_code == 422
    answer = office.post(page, {"reason": "Paid by bank transfer."}, follow=True)
    assert "The payment is closed." in answer.content.decode()
    payment.refresh_from_db()
    assert payment.state == "closed"
    text = office.get(url).content.decode()
    assert "This Worker has been suspended." not in text
    log = office.get(reverse("dashboard:log", args=[project.slug])).content.decode()
    assert "Paid by bank transfer." in log


def test_only_a_rejected_payment_can_be_closed(office, project, problems):
    payment = Payment.objects.filter(state="confirmed").first()
    page = reverse("dashboard:close_payment", args=[project.slug, payment.pk])
    assert "<form method" not in office.get(page).content.decode().partition("<main")[2]
    answer = office.post(page, {"reason": "Paid."}, follow=True)
    assert "Only a payment that the marketplace rejected can be closed." in answer.content.decode()
    make_project("other")
    foreign = reverse("dashboard:close_payment", args=["other", payment.pk])
    assert office.get(foreign).status_code in (403, 404)
