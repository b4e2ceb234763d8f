"""Values that a marketplace would refuse are rejected by name while users can still change them."""

import pytest

from crowd.domain.hits.prepare_hits import HitPlan, hit_type_of, prepare_hits
from crowd.domain.money.decide_assignment import reject_assignment
from crowd.domain.money.hit_reservations import HitTerms
from crowd.domain.workers.qualifications import define_qualification
from crowd.domain.workers.write_messages import write_messages
from crowd.models import Hit, HitType, LedgerEntry, Message, QualificationType
from crowd.providers.base import Bonus, ProviderRefusedError
from crowd.providers.limits import OutOfLimitsError
from crowd.providers.mturk.client import question_of
from tests.crowd.factories import NOW, make_assignment, make_budget, make_worker
from tests.crowd.in_process import connect

TYPE = {
    "provider": "mturk",
    "title": "Ask about a verb",
    "description": "Write questions.",
    "keywords": "",
    "reward_cents": 5,
    "assignment_seconds": 3600,
    "auto_approval_seconds": 86400,
    "qualifications": [],
}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"title": "é" * 129}, "title: 129 characters. The limit is 128."),
        ({"title": " "}, "title: enter some text."),
        ({"description": "x" * 2001}, "description: 2001 characters. The limit is 2000."),
        ({"keywords": "x" * 1001}, "keywords: 1001 characters. The limit is 1000."),
        ({"reward_cents": -1}, "reward: -1 cents. Enter 0 to"),
        ({"assignment_seconds": 29}, "assignment time: 29 seconds. Enter 30 to"),
        ({"auto_approval_seconds": 2_592_001}, "automatic approval: 2592001 seconds"),
        ({"qualifications": [{}] * 11}, "requirements: 11 requirements. The limit is 10."),
    ],
)
def test_hit_type_outside_the_limits_is_not_created(change, message):
    with pytest.raises(OutOfLimitsError, match=message):
        hit_type_of(**TYPE | change)
    assert not HitType.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("token", "url", "lifetime", "message"),
    [
        ("t" * 65, "https://a.example/", 86400, "token: 65 characters. The limit is 64."),
        ("t", "https://a.example/" + "x" * 500, 86400, "address: 518 characters"),
        ("t", "https://a.example/", 29, "lifetime: 29 seconds"),
        ("t", "https://a.example/", 31_536_001, "lifetime: 31536001 seconds"),
    ],
)
def test_hit_outside_the_limits_reserves_no_money(token, url, lifetime, message):
    with pytest.raises(OutOfLimitsError, match=message):
        prepare_hits(
            plans=[HitPlan(token, url)],
            hit_type=hit_type_of(**TYPE),
            budget=make_budget(),
            terms=HitTerms(1, lifetime, 0),
            now=NOW,
        )
    assert not Hit.objects.exists()
    assert not LedgerEntry.objects.exists()


@pytest.mark.django_db
def test_texts_for_workers_are_checked_before_they_are_stored():
    worker, assignment = make_worker(), make_assignment()
    for subject, text, message in (
        ("s" * 201, "text", "subject: 201 characters. The limit is 200."),
        ("subject", "t" * 4097, "text: 4097 characters. The limit is 4096."),
        ("", "text", "subject: enter some text."),
    ):
        with pytest.raises(OutOfLimitsError, match=message):
            write_messages(budget=None, workers=[worker], subject=subject, text=text, now=NOW)
    with pytest.raises(OutOfLimitsError, match=r"reason: 1025 characters. The limit is 1024."):
        reject_assignment(assignment=assignment, reason="r" * 1025, actor="me", now=NOW)
    with pytest.raises(OutOfLimitsError, match=r"name: 201 characters. The limit is 200."):
        define_qualification(provider="mturk", code="c", name="n" * 201, description="x")
    assignment.refresh_from_db()
    assert assignment.state == "submitted"
    assert not Message.objects.exists()
    assert not QualificationType.objects.exists()


def test_question_is_measured_in_bytes_and_not_sent(wire):
    market = connect(wire)
    url = "https://a.example/?" + "&" * 14_000  # 19 and 14,000 characters, five bytes for each "&"
    assert len(url) < 65_535 < len(question_of(url).encode())
    with pytest.raises(ProviderRefusedError, match=r"question: 7.... bytes. The limit is 65535."):
        market.create_hit(
            token="t", hit_type="TYPE", url=url, max_assignments=1, lifetime_seconds=86400
        )
    assert wire.calls == []


@pytest.mark.parametrize(
    ("worker", "cents", "message"),
    [
        ("W1", 5, "'W1' is not a worker id"),
        ("A1b", 5, "'A1b' is not a worker id"),
        ("x" * 500, 5, f"'{'x' * 63}…' is not a worker id"),
        ("A1", 0, "bonus: 0 cents"),
        ("A1", 12.5, "bonus: 12.5 cents"),
    ],
)
def test_invalid_bonus_that_botocore_accepts_is_not_sent(wire, worker, cents, message):
    with pytest.raises(ProviderRefusedError, match=message):
        connect(wire).send_bonus(Bonus("t", worker, "ASSIGNMENT", cents, "questions"))
    assert wire.calls == []
