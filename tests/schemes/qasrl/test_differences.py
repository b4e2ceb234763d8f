"""Descriptions of the differences between two copies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.items import ItemContext
from schemes.qasrl.differences import differences

TOKENS = ["The", "rebels", "carried", "the", "old", "radio", "out", "on", "Sunday", "."]


def question_of(question, *answers, **fields):
    return {
        "question": question,
        "answers": [list(span) for span in answers],
        "slots": None,
        **fields,
    }


WHO, WHAT = question_of("Who carried it?", (0, 2)), question_of("What was carried?", (3, 6))


def describe(first, second):
    return differences({"questions": first}, {"questions": second}, ItemContext(TOKENS))


def test_question_in_a_single_copy_is_described_with_its_answers():
    assert describe([WHO, WHAT], [WHO]) == [
        "“What was carried?” is in ours only, answered “the old radio”."
    ]
    assert describe([], [question_of("Why?")]) == [
        "“Why?” is in the marketplace's only, without an answer."
    ]


def test_different_answers_are_described_side_by_side():
    other = question_of("Who carried it?", (1, 2), (8, 9))
    assert describe([WHO], [other]) == [
        "“Who carried it?”: ours is answered “The rebels”, "
        "the marketplace's answered “rebels” and “Sunday”."
    ]


def test_verdict_of_a_judged_question_is_described_with_its_source():
    judgment = {"source": {"submission": 1, "question": 0}, "same_as": None}
    kept_question = question_of("Who carried it?", (0, 2), verdict="keep", **judgment)
    dropped_question = question_of("Who carried it?", (0, 2), verdict="invalid", **judgment)
    assert describe([kept_question], [dropped_question]) == [
        "“Who carried it?” of B, verdict: ours is “keep”, the marketplace's “invalid”."
    ]


def test_different_order_is_described():
    assert describe([WHO, WHAT], [WHAT, WHO]) == ["The same questions are in another order."]


def test_repeated_question_is_numbered():
    assert describe([WHO, WHO], [WHO]) == [
        "“Who carried it?” (2) is in ours only, answered “The rebels”."
    ]


def test_other_content_is_described_by_field():
    descriptions = differences(
        {"box": [1, 2], "label": "cat"}, {"box": [1, 3], "label": ""}, ItemContext(TOKENS)
    )
    assert descriptions == [
        "box 2: ours is “2”, the marketplace's “3”.",
        "label: ours is “cat”, the marketplace's empty.",
    ]
    assert differences({"questions": [WHO]}, "nothing", ItemContext(TOKENS)) == [
        'ours is “{"questions": [{"question": "Who carried it?", "answers": [[0, 2]], '
        '"slots": null}]}”, the marketplace\'s “nothing”.'
    ]


def test_spans_outside_the_sentence_are_shown_as_numbers():
    assert describe([question_of("Who?", (0, 99))], [question_of("Who?", (5, 5))]) == [
        "“Who?”: ours is answered “[0, 99]”, the marketplace's answered “[5, 5]”."
    ]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 20) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
contents = json_values | st.fixed_dictionaries(
    {
        "questions": st.lists(
            st.fixed_dictionaries(
                {"question": st.text(max_size=4), "answers": st.lists(json_values, max_size=2)},
                optional={"source": json_values, "verdict": json_values},
            ),
            max_size=3,
        )
    }
)


@given(contents, contents)
def test_differences_of_any_contents_are_sentences(first, second):
    descriptions = differences(first, second, ItemContext(TOKENS))
    assert all(description.endswith(".") for description in descriptions)
    if first == second:
        assert descriptions == []


@pytest.mark.parametrize("content", [{"questions": [WHO]}, None, [], "text", 3])
def test_equal_copies_have_no_differences(content):
    assert differences(content, content, ItemContext(TOKENS)) == []
