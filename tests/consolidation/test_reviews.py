"""Tests of the experts' review pages: the sample, the blind judgment and the error rate."""

import gzip
import json

import pytest
from django.test import Client
from django.urls import reverse

from consolidation.domain.experts.monitor import draw_due_reviews
from consolidation.models import Gold, Review
from projects.enums import MemberRole
from tests.annotation.page_data import page_data
from tests.consolidation.experts import set_review_rate
from tests.consolidation.gold import make_gold_item
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.view_names import VIEW_NAMES


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


def data_of(response) -> dict:
    return page_data(text_of(response))


def text_of(response) -> str:
    raw = response.content
    return (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()


def url(name: str, review) -> str:
    more = [] if name == "reviews" else [review.pk]
    return reverse(VIEW_NAMES[name], args=[review.gold.item.project.slug, *more])


def test_page_shows_the_annotation_without_its_author(expert, review):
    page = expert.get(url("review", review)).content.decode()
    assert "What did someone identify?" in page
    assert "<mark>identified</mark>" in page
    workers = [source.submission.worker for source in review.gold.case.sources.all()]
    for worker in [*workers, review.gold.submission.worker]:
        assert worker.pseudonym not in page
        assert worker.external_id not in page


@pytest.mark.parametrize(("verdict", "rate"), [("confirm", "0.0 %"), ("return", "100.0 %")])
def test_judgment_is_stored_and_counted(expert, review, verdict, rate):
    form = {"verdict": verdict, "comment": "Why?"}
    page = expert.post(url("judge", review), form, follow=True).content.decode()
    assert "Review saved." in page
    assert f"<b>{rate}</b> of the reviewed sample was wrong (95 % interval" in page


def send(client, name: str, review, content, **more):
    item = str(review.gold.item_id)
    message = {"token": "", "revision": 0, "content": {item: content}, **more}
    return client.post(url(name, review), json.dumps(message), content_type="text/plain")


def test_correction_becomes_gold_and_lists_its_changes(expert, review):
    page = data_of(expert.get(url("correction", review)))
    [item] = page["items"]
    assert [question["verdict"] for question in item["content"]["questions"]] == ["keep"] * 3
    content = item["content"]
    content["questions"][0]["answers"] = content["questions"][0]["answers"][:1]
    saved = send(expert, "correction_draft", review, content)
    assert saved.json() == {"revision": 1, "submitted": False, "moves": 0}
    message = {"comment": "One name is enough."}
    stale = send(expert, "correction_submit", review, content, **message)
    assert stale.status_code == 409
    done = send(expert, "correction_submit", review, content, **message, revision=1)
    assert done.json() == {"next": url("reviews", review)}
    corrected = Gold.objects.get(version=2)
    assert len(corrected.content["questions"][0]["answers"]) == 1
    assert [origin["state"] for origin in corrected.provenance] == ["edited", "kept", "kept"]
    html = expert.get(url("review", review)).content.decode()
    for text in ("The correction", "One name is enough.", ">Changes</h2>", ">extra</span>"):
        assert text in html
    assert expert.get(url("correction", review)).status_code == 409


def test_correction_that_changes_nothing_is_refused(expert, review):
    [item] = data_of(expert.get(url("correction", review)))["items"]
    refused = send(expert, "correction_submit", review, item["content"])
    assert (refused.status_code, "doesn't change anything" in refused.json()["error"]) == (
        403,
        True,
    )
    bad = {"questions": []}
    assert send(expert, "correction_submit", review, bad).status_code == 422
    review.refresh_from_db()
    assert (review.state, Gold.objects.count()) == ("drawn", 1)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"verdict": "return", "comment": "  "}, "Explain what is wrong"),
        ({"verdict": "burn"}, "Select a valid choice"),
        ({}, "This field is required"),
    ],
)
def test_invalid_judgment_shows_the_error_and_keeps_the_text(expert, review, form, message):
    response = expert.post(url("judge", review), form)
    page = response.content.decode()
    assert response.status_code == 422
    assert message in page
    review.refresh_from_db()
    assert review.state == "drawn"


def test_second_judgment_is_refused(expert, review):
    form = {"verdict": "confirm"}
    expert.post(url("judge", review), form)
    assert expert.post(url("judge", review), form).status_code == 302
    other = {"verdict": "return", "comment": "After all not."}
    assert expert.post(url("judge", review), other).status_code == 422


def test_staff_read_the_rate_and_can_not_judge(review):
    client = Client()
    client.force_login(make_user("rita", review.gold.item.project, MemberRole.REQUESTER))
    assert "No error rate yet" in client.get(url("reviews", review)).content.decode()
    assert client.get(url("review", review)).status_code == 403
