"""Estimates of pay, messages about bonuses, and HITs whose page refuses the worker."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from marketplace.domain.hits.typical_pay import TypicalPay, typical_pay
from marketplace.models import Assignment, HitType

from .conftest import accept, log_in, make_worker, submit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_cached_estimates():
    cache.clear()


@pytest.fixture
def worked(publish, browser, mturk, worker):
    """Approve three assignments of one minute, with bonuses of 10, 15 and 20 cents."""
    for bonus in (10, 15, 20):
        assignment = accept(browser, publish())
        submit(browser, assignment)
        mturk.approve_assignment(AssignmentId=assignment)
        mturk.send_bonus(
            WorkerId=worker.code,
            AssignmentId=assignment,
            BonusAmount=f"0.{bonus}",
            Reason="For further questions",
        )
    hour_ago = timezone.now() - timedelta(hours=1)
    Assignment.objects.update(
        accepted_at=hour_ago, submitted_at=hour_ago + timedelta(minutes=1), closed_at=hour_ago
    )
    cache.clear()


def test_pay_is_the_median_of_recent_work(worked):
    hit_types = list(HitType.objects.all())
    pay = typical_pay(hit_types=hit_types, now=timezone.now())
    expected = TypicalPay(total_cents=20, hourly_cents=1200, has_bonus=True)
    assert set(pay.values()) == {expected}


def test_pay_is_unknown_without_enough_similar_work(worked, publish):
    publish(Title="Something else")
    other = HitType.objects.get(title="Something else")
    assert typical_pay(hit_types=[other], now=timezone.now()) == {}
    Assignment.objects.filter(pk=Assignment.objects.first().pk).update(closed_at=timezone.now())
    cache.clear()
    assert typical_pay(hit_types=HitType.objects.all(), now=timezone.now()) == {}


def test_pay_of_simulated_workers_is_excluded(worked, worker):
    worker.is_simulated = True
    worker.save()
    assert typical_pay(hit_types=HitType.objects.all(), now=timezone.now()) == {}


def test_pay_is_shown_before_and_after_accepting(worked, publish, browser):
    hit = publish()
    assignment = f"/hits/work/{accept(browser, publish())}/"
    for path in ("/hits/", f"/hits/groups/{hit['HITTypeId']}/", assignment):
        text = " ".join(browser.get(path).content.decode().split())
        assert "$0.05 + bonus" in text, path
        assert "typically $0.20" in text, path
        assert "$12.00" in text, path


def test_bonus_sends_no_message_and_is_in_the_history(worked, browser):
    assert "You have no messages" in browser.get("/hits/messages/").content.decode()
    history = browser.get("/hits/history/").content.decode()
    assert "includes 0.10 bonus" in history
    assert "For further questions" in history


def test_earnings_show_the_total(worked, browser):
    page = " ".join(browser.get("/hits/earnings/").content.decode().split())
    assert "<dt>Earned</dt><dd>$0.60</dd>" in page


def test_address_in_a_message_is_a_link(worked, browser, mturk, worker):
    mturk.notify_workers(
        Subject="Feedback",
        MessageText="Read it at https://lab.example/feedback/abc/ please. <b>",
        WorkerIds=[worker.code],
    )
    page = browser.get("/hits/messages/").content.decode()
    assert 'href="https://lab.example/feedback/abc/"' in page
    assert "&lt;b&gt;" in page


def test_refused_hit_is_replaced_and_never_offered_again(publish, browser):
    first, second = publish(), publish()
    refused = accept(browser, first)
    response = browser.post(f"/hits/work/{refused}/replace/")
    assert response.url.startswith("/hits/work/")
    assert Assignment.objects.get(code=refused).status == "Returned"
    assert Assignment.objects.get(status="Accepted").hit.code == second["HITId"]
    Assignment.objects.filter(code=refused).update(closed_at=timezone.now() - timedelta(days=1))
    browser.post(f"/hits/work/{Assignment.objects.get(status='Accepted').code}/replace/")
    page = browser.get("/hits/")
    assert "data-group" not in page.content.decode()
    assert "No more tasks of this group are available to you" in page.content.decode()
    assert refused not in browser.get("/hits/history/").content.decode()


def test_refused_hit_stays_open_to_others(publish, browser):
    hit = publish()
    browser.post(f"/hits/work/{accept(browser, hit)}/replace/")
    assert accept(log_in(make_worker("bob")), hit)
