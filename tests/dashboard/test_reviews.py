"""An expert's pages: the sample, one annotation judged blind, the error rate."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.enums import MemberRole
from consolidation.domain.monitor import draw_due_reviews, set_review_rate
from consolidation.models import Gold, Review
from schemes.registry import get_scheme
from tests.consolidation.factories import SURVEY
from tests.consolidation.gold import make_gold_item
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user


@pytest.fixture
def review(db):
    gold = make_gold_item()
    set_review_rate(project=gold.item.project, per_thousand=1000)
    draw_due_reviews(clock=lambda: NOW)
    return Review.objects.get()


@pytest.fixture
def expert(review):
    client = Client()
    client.force_login(make_user("eva", review.gold.item.project, MemberRole.EXPERT))
    return client


def url(name: str, review) -> str:
    more = [] if name == "reviews" else [review.pk]
    return reverse(f"dashboard:{name}", args=[review.gold.item.project.slug, *more])


def lines_of(review) -> str:
    return get_scheme("qasrl").write_lines(review.gold.content, tokens=SURVEY)


def test_page_shows_the_annotation_and_not_whose_it_is(expert, review):
    page = expert.get(url("review", review)).content.decode()
    assert "What did someone identify?" in page
    assert "<mark>identified</mark>" in page
    workers = [one.submission.worker for one in review.gold.case.sources.all()]
    for worker in [*workers, review.gold.submission.worker]:
        assert worker.pseudonym not in page
        assert worker.external_id not in page


@pytest.mark.parametrize(("verdict", "rate"), [("confirm", "0.0 %"), ("return", "100.0 %")])
def test_judgment_is_kept_and_counts(expert, review, verdict, rate):
    form = {"verdict": verdict, "lines": lines_of(review), "comment": "Why?"}
    page = expert.post(url("judge", review), form, follow=True).content.decode()
    assert "Your judgment is kept." in page
    assert f"<b>{rate}</b> of the sample was wrong (95 % interval" in page


def test_correction_in_the_form_becomes_gold(expert, review):
    lines = lines_of(review).replace("| USGS", "").replace("[15:17]", "")
    form = {"verdict": "correct", "lines": lines, "comment": "One name is enough."}
    assert expert.post(url("judge", review), form).status_code == 302
    corrected = Gold.objects.get(version=2)
    assert len(corrected.content["questions"][0]["answers"]) == 1
    page = expert.get(url("review", review)).content.decode()
    assert "The correction" in page
    assert "One name is enough." in page


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"verdict": "correct", "lines": "Who? => nobody"}, "is not in the sentence"),
        ({"verdict": "correct", "lines": "unchanged"}, "Nothing was changed"),
        ({"verdict": "return"}, "Say what is wrong"),
        ({"verdict": "burn"}, "Select a valid choice"),
        ({}, "This field is required"),
    ],
)
def test_judgment_that_can_not_be_taken_says_why_and_keeps_the_text(expert, review, form, told):
    if form.get("lines") == "unchanged":
        form = {**form, "lines": lines_of(review)}
    response = expert.post(url("judge", review), form)
    page = response.content.decode()
    assert response.status_code == 422
    assert told in page
    assert form.get("lines", "").partition(" =>")[0] in page
    review.refresh_from_db()
    assert review.state == "drawn"


def test_second_judgment_is_refused(expert, review):
    form = {"verdict": "confirm", "lines": lines_of(review)}
    expert.post(url("judge", review), form)
    assert expert.post(url("judge", review), form).status_code == 302
    other = {"verdict": "return", "comment": "After all not."}
    assert expert.post(url("judge", review), other).status_code == 422


def test_office_reads_the_rate_and_judges_nothing(review):
    client = Client()
    client.force_login(make_user("rita", review.gold.item.project, MemberRole.REQUESTER))
    assert "No review has been judged yet" in client.get(url("reviews", review)).content.decode()
    assert client.get(url("review", review)).status_code == 403
