"""The cost example in the documentation, computed by the code."""

from decimal import Decimal

from crowd.domain.hits.plan_study import preview_study
from crowd.domain.provider.fees import fee_with_rate
from crowd.models import Budget, HitType
from tests.environment import ROOT
from web.money import dollars

ITEMS, WORKERS, REWARD_CENTS, BONUS_CENTS, SECONDS = 100, 2, 30, 6, 90


def test_documented_costs_agree_with_the_code(db):
    page = (ROOT / "docs" / "how-to" / "prolific.md").read_text()
    rewards, bonuses = (ITEMS * WORKERS * cents for cents in (REWARD_CENTS, BONUS_CENTS))
    fees = fee_with_rate(rewards + bonuses, Decimal("0.428") * Decimal("1.2"))
    study = preview_study(
        hit_type=HitType(provider="prolific", reward_cents=REWARD_CENTS, qualifications=[]),
        budget=Budget(key="example"),
        expected_seconds=SECONDS,
        hits=ITEMS,
        assignments=WORKERS,
        cents=rewards + bonuses + fees,
    )
    session = study.session
    lines = [
        f"| Session | {session.hits} items in {session.minutes} minutes for "
        f"{dollars(session.reward_cents)}, which is {dollars(session.hourly_cents)} an hour |",
        f"| Places | {study.places} |",
        f"| Rewards | {dollars(rewards)} |",
        f"| {dollars(bonuses)} |",
        f"| Fee and VAT on both | {dollars(fees)} |",
        f"**{dollars(study.cents)}**",
        f"at least {dollars(study.minimum_hourly_cents)} an hour",
    ]
    assert [line for line in lines if line not in page] == []
