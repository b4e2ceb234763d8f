import pytest

from crowd.domain.pay_scheme import (
    PRESETS,
    PaySchemeError,
    bonus_cents,
    check_pay_scheme,
    explain_bonus,
)

GENERATOR = PRESETS["qasrl-2020"]["generator"]
CONSOLIDATOR = PRESETS["qasrl-2020"]["consolidator"]


@pytest.mark.parametrize(
    ("units", "cents"), [(0, 0), (1, 0), (2, 0), (3, 5), (4, 11), (5, 18), (6, 26)]
)
def test_bonus_of_a_generator_grows_by_a_cent_from_the_third_question(units, cents):
    assert bonus_cents(GENERATOR, units) == cents


@pytest.mark.parametrize(("units", "cents"), [(0, 0), (1, 3), (6, 18)])
def test_bonus_of_a_consolidator_is_three_cents_a_question(units, cents):
    assert bonus_cents(CONSOLIDATOR, units) == cents


def test_bonus_of_2018_has_one_free_question():
    assert bonus_cents(PRESETS["qasrl-2018"]["generator"], 3) == 11


def test_explanation_shows_the_sum():
    told = explain_bonus(GENERATOR, 4)
    assert told == "4 questions: the first 2 are part of the reward; 5 + 6 cents."
    assert explain_bonus(CONSOLIDATOR, 6) == "6 questions: 6 x 3 cents."


def test_check_takes_a_preset_by_name():
    assert check_pay_scheme("qasrl-2018") == PRESETS["qasrl-2018"]


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("qasrl-1999", "no pay scheme 'qasrl-1999'"),
        ({}, "maps roles"),
        ([1], "maps roles"),
        ({"generator": {"reward_cents": 5}}, "terms must be exactly"),
        ({"generator": {**GENERATOR, "reward_cents": 5.5}}, "generator.reward_cents: 5.5"),
        ({"generator": {**GENERATOR, "free_units": -1}}, "generator.free_units: -1"),
        ({"generator": {**GENERATOR, "free_units": True}}, "generator.free_units: True"),
    ],
)
def test_check_names_what_is_wrong(raw, told):
    with pytest.raises(PaySchemeError, match=told):
        check_pay_scheme(raw)
