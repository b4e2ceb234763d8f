"""AnswerKey documents: parsing and qualification values."""

import pytest

from marketplace.domain.errors import RefusalError
from marketplace.domain.questions.answer_key import parse_answer_key
from marketplace.domain.questions.form_answers import Answer
from marketplace.domain.questions.question_form import parse_question_form

from .question_forms import (
    KEY,
    TEST,
    answer_key,
    form_question,
    free_text,
    key_question,
    percentage,
    question_form,
    ranges,
    scale,
    selection,
)

FRUIT = key_question("fruit", {"apple": 10}, default=-3)
TOOLS = key_question("tools", {"hammer saw": 7, "hammer": 2})


def read_test(xml: str = TEST):
    return parse_question_form(xml, name="Test", allow_http=False)


def value_of(key: str, **chosen: str) -> int:
    answers = {name: Answer(selections=tuple(text.split())) for name, text in chosen.items()}
    return parse_answer_key(key, test=read_test()).value(answers)


@pytest.mark.parametrize(
    ("chosen", "value"),
    [
        ({"fruit": "apple", "tools": "hammer saw"}, 17),
        ({"fruit": "apple", "tools": "saw hammer"}, 17),
        ({"fruit": "apple", "tools": "hammer"}, 12),
        ({"fruit": "apple", "tools": "hammer saw song"}, 10),
        ({"fruit": "brick", "tools": "song"}, -3),
        ({}, -3),
    ],
)
def test_scores_of_exact_selections_are_summed(chosen, value):
    assert value_of(answer_key(FRUIT, TOOLS), **chosen) == value


@pytest.mark.parametrize(
    ("mapping", "value"),
    [
        (percentage(17), 100),
        (percentage(20), 85),
        (percentage(136), 13),  # 12.5 %
        (percentage(2**31 - 1), 0),
        (scale("3"), 51),
        (scale("-0.5"), -9),  # -8.5
        (scale("999999999"), 2**31 - 1),
        (ranges((0, 16, 1), (17, 17, 5), (18, 30, 9)), 5),
        (ranges((18, 30, 9), (-5, 0, 1), otherwise=-2), -2),
    ],
)
def test_sum_is_mapped_to_a_value(mapping, value):
    key = answer_key(FRUIT, TOOLS, mapping=mapping)
    assert value_of(key, fruit="apple", tools="hammer saw") == value


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("<AnswerKey/>", "namespace"),
        ("<AnswerKey", "well-formed"),
        (answer_key(), "must contain Question"),
        (answer_key(FRUIT, FRUIT), "unique"),
        (answer_key(key_question("fish", {"apple": 1})), "no question fish"),
        (answer_key(key_question("fruit", {"cod": 1})), "no selection cod"),
        (answer_key(key_question("fruit", {})), "must contain AnswerOption"),
        (answer_key(key_question("tools", {"saw hammer": 1, "hammer saw": 2})), "same selections"),
        (answer_key(key_question("fruit", {"apple": 1_000_001})), "AnswerScore"),
        (answer_key(FRUIT, mapping="<CurveMapping/>"), "must not contain CurveMapping"),
        (answer_key(FRUIT, mapping=percentage(0)), "MaximumSummedScore"),
        (answer_key(FRUIT, mapping=percentage(1) + scale("1")), "must contain one of"),
        (answer_key(FRUIT, mapping=scale("1e9")), "decimal"),
        (answer_key(FRUIT, mapping=scale("")), "decimal"),
        (answer_key(FRUIT, mapping=ranges()), "SummedScoreRange"),
        (answer_key(FRUIT, mapping=ranges((2, 1, 0))), "InclusiveLowerBound"),
        (answer_key(FRUIT, mapping=ranges((1, 3, 0), (3, 4, 1))), "overlap"),
        (answer_key(FRUIT, mapping=ranges((1, 3, 2**31))), "QualificationValue"),
        (KEY.replace("2005-10-01", "2006-10-01"), "namespace"),
        ("<!DOCTYPE a []>" + KEY, "well-formed"),
        (answer_key(FRUIT) + " " * 65_536, "65535"),
    ],
)
def test_invalid_key_is_refused(key, message):
    with pytest.raises(RefusalError) as refusal:
        parse_answer_key(key, test=read_test())
    assert message in refusal.value.message


@pytest.mark.parametrize(
    "answer", [free_text(), selection("apple", "brick", other="<OtherSelection/>")]
)
def test_key_for_a_test_with_text_fields_is_refused(answer):
    test = read_test(question_form(form_question("fruit", answer)))
    with pytest.raises(RefusalError, match="selections only"):
        parse_answer_key(answer_key(FRUIT), test=test)
