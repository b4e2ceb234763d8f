from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.domain.provider.fees import fee_cents as of_provider
from crowd.domain.provider.fees import forget_rates
from crowd.models import ProviderAccount
from crowd.providers.mturk.fees import fee_cents


@pytest.mark.parametrize(
    ("amount", "fee"),
    [
        (0, 0),  # nothing paid, no fee
        (1, 1),  # at least a cent
        (5, 1),  # 1.0
        (7, 1),  # 1.4
        (8, 2),  # 1.6
        (11, 2),  # 2.2
        (12, 2),  # 2.4
        (13, 3),  # 2.6
        (54, 11),  # 10.8
        (1000, 200),
    ],
)
def test_fee_is_a_fifth_rounded_half_up(amount, fee):
    assert fee_cents(amount) == fee


def test_half_cent_of_a_fee_is_rounded_up(settings):
    settings.MTURK_FEE_RATE = Decimal("0.25")
    assert [fee_cents(amount) for amount in (2, 6, 10)] == [1, 2, 3]  # 0.5, 1.5, 2.5


def test_fee_doubles_from_ten_assignments():
    assert fee_cents(50, max_assignments=9) == 10
    assert fee_cents(50, max_assignments=10) == 20


@given(amount=st.integers(1, 10_000_000), many=st.integers(1, 20))
def test_fee_is_within_half_a_cent_of_the_rate(amount, many):
    rate = Decimal("0.4") if many >= 10 else Decimal("0.2")
    fee = fee_cents(amount, max_assignments=many)
    assert fee >= 1
    assert fee == 1 or abs(Decimal(fee) - rate * amount) <= Decimal("0.5")


@pytest.mark.django_db
def test_fee_with_tax_is_rounded_up_at_the_rates_of_the_account():
    ProviderAccount.objects.create(
        provider="prolific", fee_rate=Decimal("0.333"), vat_rate=Decimal("0.1")
    )
    forget_rates("prolific")
    amounts = [0, 1, 100, 1000]
    assert [of_provider(amount, provider="prolific") for amount in amounts] == [0, 1, 37, 367]
    forget_rates("prolific")
