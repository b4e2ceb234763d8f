from hypothesis import given
from hypothesis import strategies as st

from annotation.highlight import COLOURS, highlight
from schemes.original_text import shown_tokens

WORDS = ["The", "committee", "rejected", "the", "long", "proposal", "."]
SHOWN = shown_tokens(WORDS, "", ())


def bracketed(tokens) -> str:
    return " ".join(
        "".join(f"[{n} " for n in token.opens) + token.text + "".join("]" for _ in token.closes)
        for token in tokens
    )


def test_answers_are_in_brackets_with_the_number_of_their_question():
    tokens = highlight(SHOWN, [[(0, 2)], [(3, 6), (6, 7)]], target=[2])
    assert bracketed(tokens) == "[1 The committee] rejected [2 the long proposal] [2 .]"
    assert [token.text for token in tokens if token.is_target] == ["rejected"]
    assert [token.colour for token in tokens] == [1, 1, 0, 2, 2, 2, 2]


def test_nested_answer_has_a_separate_colour_and_closes_first():
    tokens = highlight(SHOWN, [[(3, 6)], [(4, 6)]])
    assert bracketed(tokens) == "The committee rejected [1 the [2 long proposal]] ."
    assert tokens[5].closes == (2, 1)
    assert [token.colour for token in tokens[3:6]] == [1, 2, 2]


def test_shared_answer_is_marked_for_both_questions():
    assert highlight(SHOWN, [[(0, 2)], [(0, 2)]])[0].opens == (1, 2)


def test_colours_recur():
    answers = [[(0, 1)] if at == COLOURS else [] for at in range(COLOURS + 1)]
    assert highlight(SHOWN, answers)[0].colour == 1


spans = st.tuples(st.integers(-2, 9), st.integers(-2, 9))


@given(st.lists(st.lists(spans, max_size=3), max_size=8))
def test_brackets_are_balanced(answers):
    tokens = highlight(SHOWN, answers)
    opened = [n for token in tokens for n in token.opens]
    closed = [n for token in tokens for n in token.closes]
    assert sorted(opened) == sorted(closed)
    assert [token.text for token in tokens] == WORDS
    for at, token in enumerate(tokens):
        inside = any(
            start <= at < end <= len(WORDS) and start >= 0 for a in answers for start, end in a
        )
        assert bool(token.colour) == inside
