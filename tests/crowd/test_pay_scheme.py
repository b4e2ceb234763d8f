import pytest

from crowd.domain.money.pay_scheme import (
    TERM_FIELDS,
    PaySchemeError,
    Terms,
    bonus_cents,
    check_pay_scheme,
    explain_bonus,
    page_pay,
)

GENERATOR = {
    "reward_cents": 5,
    "free_units": 2,
    "bonus_first_cents": 5,
    "bonus_step_cents": 1,
    "allowance_units": 5,
}
CONSOLIDATOR = {
    "reward_cents": 5,
    "free_units": 0,
    "bonus_first_cents": 3,
    "bonus_step_cents": 0,
    "allowance_units": 8,
}
PRESETS = {"usual": {"generator": GENERATOR, "consolidator": CONSOLIDATOR}}


@pytest.mark.parametrize(
    ("units", "cents"), [(0, 0), (1, 0), (2, 0), (3, 5), (4, 11), (5, 18), (6, 26)]
)
def test_bonus_grows_by_its_step_beyond_the_free_units(units, cents):
    assert bonus_cents(GENERATOR, units) == cents


@pytest.mark.parametrize(("units", "cents"), [(0, 0), (1, 3), (6, 18)])
def test_bonus_without_a_step_is_the_same_for_every_unit(units, cents):
    assert bonus_cents(CONSOLIDATOR, units) == cents


def test_bonus_with_one_free_unit_starts_with_the_second():
    assert bonus_cents({**GENERATOR, "free_units": 1}, 3) == 11


def test_explanation_shows_the_sum():
    explanation = explain_bonus(GENERATOR, 4, "4 labels")
    assert explanation == "4 labels: the first 2 are included, 5 + 6 cents."
    assert explain_bonus(CONSOLIDATOR, 6, "6 labels") == "6 labels: 6 x 3 cents."


@pytest.mark.parametrize("units", [3, 4, 6, 9])
def test_explanation_adds_up_to_the_bonus(units):
    terms = {**GENERATOR, "max_units": 6}
    *_, amounts = explain_bonus(terms, units, f"{units} labels").split(", ")
    cents = sum(map(int, amounts.removesuffix(" cents.").split(" + ")))
    assert cents == bonus_cents(terms, units)


def test_check_accepts_a_preset_by_name():
    none = dict.fromkeys(Terms.__optional_keys__, 0)
    expected = {"generator": GENERATOR | none, "consolidator": CONSOLIDATOR | none}
    assert check_pay_scheme("usual", PRESETS) == expected


def test_units_above_the_maximum_earn_nothing():
    terms = {**GENERATOR, "max_units": 4}
    assert bonus_cents(terms, 5) == bonus_cents(terms, 4) == 11


@pytest.mark.parametrize("changes", [{}, {"max_units": 4}, {"free_units": 0}, {"free_units": 9}])
def test_page_adds_up_to_the_bonus(changes):
    terms = {**GENERATOR, **changes}
    cents = page_pay(terms)["unit_cents"]
    assert [sum(cents[:units]) for units in range(60)] == [
        bonus_cents(terms, units) for units in range(60)
    ]


def test_page_of_pay_without_a_bonus_has_no_cents_of_units():
    assert page_pay({**CONSOLIDATOR, "bonus_first_cents": 0})["unit_cents"] == []


def test_every_term_is_described_once():
    keys = [term.key for term in TERM_FIELDS]
    assert sorted(keys) == sorted(Terms.__annotations__)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("other", "no pay scheme 'other'. Choose from usual."),
        ({}, "maps roles"),
        ([1], "maps roles"),
        ({"generator": {"reward_cents": 5}}, "the terms must be allowance_units"),
        ({"generator": {**GENERATOR, "reward_cents": 5.5}}, "generator.reward_cents: 5.5"),
        ({"generator": {**GENERATOR, "free_units": -1}}, "generator.free_units: -1"),
        ({"generator": {**GENERATOR, "free_units": True}}, "generator.free_units: True"),
    ],
)
def test_check_names_the_error(raw, message):
    with pytest.raises(PaySchemeError, match=message):
        check_pay_scheme(raw, PRESETS)
