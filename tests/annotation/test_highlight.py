from hypothesis import given
from hypothesis import strategies as st

from annotation.highlight import COLOURS, highlight

WORDS = ["The", "committee", "rejected", "the", "long", "proposal", "."]


def bracketed(tokens) -> str:
    return " ".join(
        "".join(f"[{n} " for n in one.opens) + one.text + "".join("]" for _ in one.closes)
        for one in tokens
    )


def test_answers_stand_in_brackets_with_their_questions_number():
    tokens = highlight(WORDS, [[(0, 2)], [(3, 6), (6, 7)]], target=[2])
    assert bracketed(tokens) == "[1 The committee] rejected [2 the long proposal] [2 .]"
    assert [one.text for one in tokens if one.is_target] == ["rejected"]
    assert [one.colour for one in tokens] == [1, 1, 0, 2, 2, 2, 2]


def test_answer_inside_another_keeps_its_own_colour_and_closes_first():
    tokens = highlight(WORDS, [[(3, 6)], [(4, 6)]])
    assert bracketed(tokens) == "The committee rejected [1 the [2 long proposal]] ."
    assert tokens[5].closes == (2, 1)
    assert [one.colour for one in tokens[3:6]] == [1, 2, 2]


def test_same_words_for_two_questions_are_marked_for_both():
    assert highlight(WORDS, [[(0, 2)], [(0, 2)]])[0].opens == (1, 2)


def test_colours_recur():
    answers = [[(0, 1)] if at == COLOURS else [] for at in range(COLOURS + 1)]
    assert highlight(WORDS, answers)[0].colour == 1


spans = st.tuples(st.integers(-2, 9), st.integers(-2, 9))


@given(st.lists(st.lists(spans, max_size=3), max_size=8))
def test_every_bracket_that_opens_closes(answers):
    tokens = highlight(WORDS, answers)
    opened = [n for one in tokens for n in one.opens]
    closed = [n for one in tokens for n in one.closes]
    assert sorted(opened) == sorted(closed)
    assert [one.text for one in tokens] == WORDS
    for at, one in enumerate(tokens):
        inside = any(
            start <= at < end <= len(WORDS) and start >= 0 for a in answers for start, end in a
        )
        assert bool(one.colour) == inside
