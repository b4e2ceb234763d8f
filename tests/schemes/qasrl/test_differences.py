"""Differences between two copies, in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.base import ItemContext
from schemes.qasrl.differences import differences

TOKENS = ["The", "rebels", "carried", "the", "old", "radio", "out", "on", "Sunday", "."]


def asked(question, *answers, **more):
    return {"question": question, "answers": [list(one) for one in answers], "slots": None, **more}


WHO, WHAT = asked("Who carried it?", (0, 2)), asked("What was carried?", (3, 6))


def words(ours, theirs):
    return differences({"questions": ours}, {"questions": theirs}, ItemContext(TOKENS))


def test_question_of_one_copy_only_is_named_with_its_answers():
    assert words([WHO, WHAT], [WHO]) == [
        "“What was carried?” is in ours only, answered “the old radio”."
    ]
    assert words([], [asked("Why?")]) == ["“Why?” is in the marketplace's only, without an answer."]


def test_answers_that_differ_stand_side_by_side():
    other = asked("Who carried it?", (1, 2), (8, 9))
    assert words([WHO], [other]) == [
        "“Who carried it?”: ours is answered “The rebels”, "
        "the marketplace's answered “rebels” and “Sunday”."
    ]


def test_verdict_of_a_judged_question_is_told_with_its_source():
    judged = {"source": {"submission": 1, "question": 0}, "same_as": None}
    kept = asked("Who carried it?", (0, 2), verdict="keep", **judged)
    dropped = asked("Who carried it?", (0, 2), verdict="invalid", **judged)
    assert words([kept], [dropped]) == [
        "“Who carried it?” of B, verdict: ours is “keep”, the marketplace's “invalid”."
    ]


def test_order_alone_is_told():
    assert words([WHO, WHAT], [WHAT, WHO]) == ["The same questions are in another order."]


def test_repeated_question_is_numbered():
    assert words([WHO, WHO], [WHO]) == [
        "“Who carried it?” (2) is in ours only, answered “The rebels”."
    ]


def test_what_is_no_annotation_is_told_place_by_place():
    told = differences(
        {"box": [1, 2], "label": "cat"}, {"box": [1, 3], "label": ""}, ItemContext(TOKENS)
    )
    assert told == [
        "box 2: ours is “2”, the marketplace's “3”.",
        "label: ours is “cat”, the marketplace's empty.",
    ]
    assert differences({"questions": [WHO]}, "nothing", ItemContext(TOKENS)) == [
        'ours is “{"questions": [{"question": "Who carried it?", "answers": [[0, 2]], '
        '"slots": null}]}”, the marketplace\'s “nothing”.'
    ]


def test_spans_off_the_sentence_are_shown_as_they_are():
    assert words([asked("Who?", (0, 99))], [asked("Who?", (5, 5))]) == [
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
def test_any_two_contents_are_told_apart_in_sentences(ours, theirs):
    told = differences(ours, theirs, ItemContext(TOKENS))
    assert all(one.endswith(".") for one in told)
    if ours == theirs:
        assert told == []


@pytest.mark.parametrize("content", [{"questions": [WHO]}, None, [], "text", 3])
def test_equal_copies_differ_in_nothing(content):
    assert differences(content, content, ItemContext(TOKENS)) == []
