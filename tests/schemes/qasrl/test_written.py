import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.base import ContentError
from schemes.qasrl.written import read_lines, write_lines

TOKENS = ["the", "cat", "saw", "the", "dog", "|", "and", "the", "cat"]
SPANS = st.tuples(st.integers(0, 8), st.integers(1, 9)).filter(lambda span: span[0] < span[1])
QUESTIONS = st.sampled_from(["Who saw something?", "What was seen?", "Where did someone see it?"])


@given(st.dictionaries(QUESTIONS, st.lists(SPANS, min_size=1, max_size=3)))
def test_lines_read_back_are_the_same_content(table):
    content = {
        "questions": [
            {"question": text, "answers": [list(one) for one in spans]}
            for text, spans in table.items()
        ]
    }
    assert read_lines(write_lines(content, tokens=TOKENS), tokens=TOKENS) == content


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Who saw something?", "line 1: write question => answer"),
        ("Who saw? => dog\n\nWho? => cow", "line 3: “cow” is not in the sentence"),
        ("Who saw? => the cat", r"more than once: add one of \[0:2\], \[7:9\]"),
        ("Who saw? =>", "“” is not in the sentence"),
    ],
)
def test_bad_line_is_named(text, told):
    with pytest.raises(ContentError, match=told):
        read_lines(text, tokens=TOKENS)
