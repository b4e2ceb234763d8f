"""The setting MARKETPLACE_FAULTS, and the effect of each fault."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from marketplace.domain.faults import Faults, FaultsError, parse_faults
from marketplace.models import Bonus, Hit

from .conftest import accept, mturk_client, submit


def test_no_faults_by_default():
    assert parse_faults("") == Faults()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    faults = parse_faults("")
    names = ("throttle", "fail", "timeout_after_success")
    assert not any(faults.happens(name) for name in names for _ in range(100))
    assert faults.visible_until(now) == now


def test_faults_are_read():
    faults = parse_faults(" throttle=0.1, timeout_after_success=0.05,lag=2,hang=1,seed=1")
    assert faults == Faults(throttle=0.1, timeout_after_success=0.05, lag=2, hang=1, seed=1)
    assert faults.visible_until(datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC)).second == 3


@pytest.mark.parametrize("text", ["throttle", "throttle=x", "throttle=1.1", "lag=-1", "typo=1"])
def test_invalid_faults_are_refused(text):
    with pytest.raises(FaultsError, match="MARKETPLACE_FAULTS"):
        parse_faults(text)


def test_misspelled_fault_stops_the_start(settings):
    settings.MARKETPLACE_FAULTS = "throtle=0.1"
    with pytest.raises(ImproperlyConfigured, match="throtle"):
        apps.get_app_config("marketplace").ready()


@given(st.integers(0, 1000))
def test_same_seed_repeats_the_faults(seed):
    parse_faults.cache_clear()
    rolls = [parse_faults(f"throttle=0.5,seed={seed}").happens("throttle") for _ in range(20)]
    parse_faults.cache_clear()
    again = [parse_faults(f"throttle=0.5,seed={seed}").happens("throttle") for _ in range(20)]
    assert rolls == again


@pytest.mark.django_db
class TestOnTheWire:
    def test_throttled_call_does_nothing(self, settings, mturk, publish):
        publish()
        settings.MARKETPLACE_FAULTS = "throttle=1"
        with pytest.raises(ClientError) as error:
            mturk.list_hits()
        assert error.value.response["Error"] == {
            "Code": "ThrottlingException",
            "Message": "Rate exceeded",
        }

    def test_throttled_call_is_repeated_by_botocore(self, settings, site, requester):
        parse_faults.cache_clear()
        settings.MARKETPLACE_FAULTS = "throttle=0.5,seed=1"
        retries = {"retries": {"mode": "standard", "max_attempts": 10}}
        client = mturk_client(site, *requester[1:], **retries)
        for _ in range(3):
            client.get_account_balance()

    def test_failing_call_does_nothing(self, settings, mturk, publish):
        publish()
        settings.MARKETPLACE_FAULTS = "fail=1"
        with pytest.raises(ClientError) as error:
            publish(UniqueRequestToken="x")
        assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
        assert Hit.objects.count() == 1

    def test_lost_response_keeps_its_effect(self, settings, mturk, do_hit, worker):
        _, assignment = do_hit()
        settings.MARKETPLACE_FAULTS = "timeout_after_success=1"
        bonus = {
            "WorkerId": worker.code,
            "AssignmentId": assignment,
            "BonusAmount": "0.05",
            "Reason": "r",
            "UniqueRequestToken": "t",
        }
        with pytest.raises(ClientError) as error:
            mturk.send_bonus(**bonus)
        assert error.value.response["Error"]["Code"] == "ServiceFault"
        assert Bonus.objects.count() == 1
        with pytest.raises(ClientError, match="request ID"):
            mturk.send_bonus(**bonus)
        assert Bonus.objects.count() == 1

    def test_hanging_response_is_a_read_timeout(self, settings, site, requester):
        settings.MARKETPLACE_FAULTS = "timeout_after_success=1,hang=1"
        client = mturk_client(site, *requester[1:], read_timeout=0.3)
        with pytest.raises(ReadTimeoutError):
            client.get_account_balance()
        time.sleep(1)  # let the server's thread finish before its database closes

    def test_lists_lag_behind(self, settings, mturk, publish, browser, worker):
        settings.MARKETPLACE_FAULTS = "lag=3600"
        hit = publish()
        assignment = accept(browser, hit)
        submit(browser, assignment)
        bonus = {"WorkerId": worker.code, "AssignmentId": assignment, "Reason": "r"}
        mturk.send_bonus(**bonus, BonusAmount="0.05")
        kind = mturk.create_qualification_type(
            Name="n", Description="d", QualificationTypeStatus="Active"
        )["QualificationType"]["QualificationTypeId"]
        mturk.associate_qualification_with_worker(QualificationTypeId=kind, WorkerId=worker.code)
        mturk.create_worker_block(WorkerId=worker.code, Reason="r")

        def counts() -> list[int]:
            return [
                mturk.list_hits()["NumResults"],
                mturk.list_assignments_for_hit(HITId=hit["HITId"])["NumResults"],
                mturk.list_bonus_payments(HITId=hit["HITId"])["NumResults"],
                mturk.list_qualification_types(MustBeRequestable=True)["NumResults"],
                mturk.list_workers_with_qualification_type(QualificationTypeId=kind)["NumResults"],
                mturk.list_worker_blocks()["NumResults"],
            ]

        assert counts() == [0] * 6
        assert mturk.get_assignment(AssignmentId=assignment)["HIT"]["HITId"] == hit["HITId"]
        settings.MARKETPLACE_FAULTS = ""
        assert counts() == [1] * 6

    def test_rate_limit_applies_per_key(self, settings, site, requester, mturk):
        from .conftest import make_requester

        other = mturk_client(site, *make_requester("other")[1:])
        settings.MARKETPLACE_REQUESTS_PER_SECOND = 0.1  # one token every ten seconds
        window_left = 10 - time.time() % 10
        if window_left < 2:
            time.sleep(window_left)
        mturk.get_account_balance()
        with pytest.raises(ClientError, match="Rate exceeded"):
            mturk.get_account_balance()
        other.get_account_balance()


def test_visible_until_lies_in_the_past_under_lag():
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert parse_faults("lag=1.5").visible_until(now) == now - timedelta(seconds=1.5)
