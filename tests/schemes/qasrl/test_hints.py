"""Remarks for the common errors in an alignment."""

import pytest

from schemes.contract.items import ItemContext
from schemes.qasrl.comparison import compare
from schemes.qasrl.hints import hints

SENTENCE = (
    "Ann and Bob might not carry the old radio out of the village on the first Sunday of May ."
)
TOKENS = SENTENCE.split()
TARGET = {"verb_idx": 5, "verb": "carry", "forms": {"stem": "carry", "past": "carried"}}


def content(*pairs):
    return {
        "questions": [{"question": question, "answers": [list(span)]} for question, span in pairs]
    }


def codes(reference, predicted):
    context = ItemContext(TOKENS, TARGET)
    compared = compare(content(*reference), content(*predicted), context)
    return [code for code, _ in hints(compared, context)]


def content_with(question, span=(0, 1)):
    return [(question, span)]


@pytest.mark.parametrize(
    ("expert", "worker", "expected"),
    [
        ("Who might carry something?", "Who carries something?", "modal-missing"),
        ("Who carried something?", "Who could carry something?", "modal-needless"),
        ("Who didn't carry something?", "Who carried something?", "negation-missing"),
        ("Who carried something?", "Who did not carry something?", "negation-needless"),
        ("Who carried something?", "What carried something?", "other-question"),
        (None, "Who left something?", "not-about-the-verb"),
        (None, "Who carried something?", "not-an-answer"),
    ],
)
def test_question_gets_its_remark(expert, worker, expected):
    assert codes(content_with(expert) if expert else [], content_with(worker)) == [expected]


@pytest.mark.parametrize(
    ("expert", "worker", "expected"),
    [
        ((13, 18), None, "implicit-missed"),
        ((6, 9), None, "argument-missed"),
        ((6, 9), (6, 10), "answer-too-long"),
        ((6, 9), (7, 9), "answer-too-short"),
    ],
)
def test_answer_gets_its_remark(expert, worker, expected):
    question = "What is carried?"
    assert codes(
        content_with(question, expert), content_with(question, worker) if worker else []
    ) == [expected]


def test_joined_answers_get_a_remark_to_split_them():
    reference = [("Who might carry something?", (0, 1)), ("Who might carry something?", (2, 3))]
    assert codes(reference, [("Who might carry something?", (0, 3))]) == [
        "answer-not-split",
        "not-an-answer",
    ]


def test_agreement_gets_no_remark():
    same = [("What is carried?", (6, 9))]
    assert codes(same, same) == []
