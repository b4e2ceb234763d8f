"""What the marketplace deletes after a time."""

from datetime import timedelta

import pytest
from django.utils import timezone

from marketplace.domain.work.maintenance import DISPOSE_AFTER
from marketplace.domain.work.retention import delete_expired
from marketplace.models import Assignment, Hit, Message

from .conftest import accept, submit

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def test_answers_stay_until_120_days_after_their_hit_was_disposed_of(publish, browser, worker):
    submit(browser, accept(browser, publish()), comment="Hard")
    now = timezone.now()
    assert delete_expired(now=now + 1000 * DAY)["answers"] == 0  # not disposed of
    Hit.objects.update(disposed_at=now)
    assert delete_expired(now=now + DISPOSE_AFTER - DAY)["answers"] == 0
    before = Assignment.objects.values("status", "reward_cents", "submitted_at").get()
    assert delete_expired(now=now + DISPOSE_AFTER + DAY)["answers"] == 1
    assert Assignment.objects.get().answer == ""
    assert Assignment.objects.values("status", "reward_cents", "submitted_at").get() == before


def test_worker_still_sees_the_history_without_the_answer(publish, browser, worker):
    assignment = accept(browser, publish())
    submit(browser, assignment, comment="Hard")
    now = timezone.now()
    Hit.objects.update(disposed_at=now)
    delete_expired(now=now + DISPOSE_AFTER + DAY)
    page = browser.get(f"/hits/history/{assignment}/")
    assert page.status_code == 200
    assert "Hard" not in page.content.decode()
    assert browser.get("/hits/account/data/").status_code == 200


def test_texts_of_messages_are_cleared_after_their_days(worker, settings):
    settings.MESSAGES_DAYS = 10
    now = timezone.now()
    for days in (11, 9):
        Message.objects.create(
            worker=worker, subject="Pay", text="You were paid.", sent_at=now - days * DAY
        )
    assert delete_expired(now=now)["messages"] == 1
    assert list(Message.objects.order_by("sent_at").values_list("subject", "text")) == [
        ("deleted", ""),
        ("Pay", "You were paid."),
    ]
    settings.MESSAGES_DAYS = 0
    assert delete_expired(now=now + 1000 * DAY)["messages"] == 0
