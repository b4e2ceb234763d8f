"""Tests of gold reviews: the seeded sample, the judgment, the correction and the error rate."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError

from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.experts.monitor import (
    ReviewError,
    confirm_review,
    draw_due_reviews,
    error_rate,
    return_review,
)
from consolidation.domain.gold.current_gold import current_gold
from consolidation.models import Gold, Review
from consolidation.tasks import draw_due_reviews as draw_task
from schemes.contract.errors import ContentError
from tests.consolidation.experts import set_review_rate
from tests.consolidation.factories import correct
from tests.consolidation.gold import make_gold_item
from tests.crowd.factories import NOW
from tests.dashboard.campaign import Campaign, make_project


def clock():
    return NOW


@pytest.fixture
def expert(db):
    return get_user_model().objects.create_user("eva", password="a long enough password")


@pytest.fixture
def review(db):
    gold = make_gold_item()
    set_review_rate(project=gold.item.project, per_thousand=1000)
    assert draw_due_reviews(clock=clock) == 1
    return Review.objects.get()


@pytest.mark.django_db
def test_sample_follows_the_seed_and_the_project_rate():
    campaign = Campaign(make_project(), 400)
    for at, item in enumerate(campaign.items):
        item.position = 7_000_003 * at + 11
        item.save(update_fields=["position"])
    done = campaign.items[3::4]
    expected = {item.pk for item in done if item.position % 1000 < 10}
    draw_task()
    drawn = set(Review.objects.values_list("gold__item", flat=True))
    assert drawn == expected
    assert draw_due_reviews(clock=clock) == 0
    set_review_rate(project=campaign.project, per_thousand=300)
    draw_due_reviews(clock=clock)
    more = set(Review.objects.values_list("gold__item", flat=True))
    assert more == {item.pk for item in done if item.position % 1000 < 300} > drawn


@pytest.mark.django_db
def test_rate_zero_draws_nothing_and_invalid_rate_is_refused():
    gold = make_gold_item()
    set_review_rate(project=gold.item.project, per_thousand=0)
    assert draw_due_reviews(clock=clock) == 0
    with pytest.raises(IntegrityError):
        set_review_rate(project=gold.item.project, per_thousand=1001)


def test_review_is_judged_once(review, expert):
    later = NOW + timedelta(hours=1)
    confirm_review(review=review, expert=expert, now=later)
    review.refresh_from_db()
    assert (review.state, review.expert, review.reviewed_at) == ("confirmed", expert, later)
    with pytest.raises(TransitionNotAllowedError):
        return_review(review=review, expert=expert, comment="no", now=later)


def test_correction_is_the_next_version_and_lists_its_changes(review, expert):
    gold = review.gold
    first, second, third = gold.content["questions"]
    content = {
        "questions": [
            {"question": first["question"], "answers": first["answers"][:1]},
            {"question": second["question"], "answers": second["answers"]},
            {"question": "Where did someone identify something?", "answers": third["answers"]},
        ]
    }
    correct(review=review, expert=expert, content=content, comment="", now=NOW)
    review.refresh_from_db()
    corrected = current_gold(gold.item.project, "consolidated").get()
    assert review.correction == corrected
    assert (corrected.version, corrected.case, corrected.submission) == (2, gold.case, None)
    assert corrected.provenance == [
        {**gold.provenance[0], "state": "edited"},
        gold.provenance[1],
        {"source": None, "state": "new"},
    ]
    assert draw_due_reviews(clock=clock) == 0


def test_invalid_correction_changes_nothing(review, expert):
    gold = review.gold
    overlapping = {
        "questions": [{"question": "Who identified something?", "answers": [[0, 2], [1, 3]]}]
    }
    for content, error in ((gold.content, ReviewError), (overlapping, ContentError)):
        with pytest.raises(error):
            correct(review=review, expert=expert, content=content, comment="", now=NOW)
    with pytest.raises(ReviewError, match="Explain what is wrong"):
        return_review(review=review, expert=expert, comment=" ", now=NOW)
    review.refresh_from_db()
    assert (review.state, Gold.objects.count()) == ("drawn", 1)


def test_error_rate_counts_judged_reviews(review, expert):
    project = review.gold.item.project
    assert (error_rate(project=project).rate, error_rate(project=project).interval.low) == (
        None,
        None,
    )
    return_review(review=review, expert=expert, comment="Nothing fits.", now=NOW)
    rate = error_rate(project=project)
    assert (rate.drawn, rate.judged, rate.returned, rate.rate) == (1, 1, 1, 1.0)
    assert rate.interval.high == 1.0
