"""Validations read, and the gold that comes of them."""

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.base import ContentError, ItemContext, Json
from schemes.english.verbs import verb_forms
from schemes.qasrl.content import count_units, parse_generation, parse_validation
from schemes.qasrl.simulation import simulate_validation
from schemes.qasrl.validation import gold_of_validations, same_verdicts

# The page is held against the same file: tests/browser/test_validation_moves.py.
VECTORS = json.loads((Path(__file__).parent / "validation_vectors.json").read_text())
TOKENS: list[str] = VECTORS["tokens"]
TARGET = {"verb_idx": 1, "verb": "cut", "forms": verb_forms("cut").by_name()}
CONTEXT = ItemContext(TOKENS, TARGET)
WHO, WHAT, WHEN = "Who cut something?", "What did someone cut?", "When did someone cut something?"


def generation(*asked: tuple[str, list[list[int]]]) -> Json:
    questions = [{"question": text, "answers": answers} for text, answers in asked]
    content = {"questions": questions, "no_question": "" if asked else "no verb"}
    return parse_generation(content, CONTEXT)


# What the vectors' generator asked; their third question overlaps the second.
ASKED = {
    "questions": [
        {**one, "slots": generation((one["question"], one["answers"]))["questions"][0]["slots"]}
        for one in VECTORS["asked"]
    ]
}


def said(*verdicts: list[list[int]] | str | int) -> Json:
    """A validation: the answers of a valid question, "invalid", or the number of the repeated one."""
    questions = []
    for one in verdicts:
        if isinstance(one, list):
            questions.append({"verdict": "valid", "answers": one, "same_as": None})
        elif isinstance(one, int):
            questions.append({"verdict": "redundant", "answers": [], "same_as": one})
        else:
            questions.append({"verdict": one, "answers": [], "same_as": None})
    return {"questions": questions}


def gold(source: Json, *validations: Json, agree: int = 2) -> list[tuple[str, list[list[int]]]]:
    content, provenance = gold_of_validations([source], validations, agree)
    assert len(provenance) == len(content["questions"])
    return [(one["question"], one["answers"]) for one in content["questions"]]


# --- what is taken -----------------------------------------------------------------------------


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_validation_is_taken_or_refused_with_its_place(case):
    content = {"questions": case["questions"]}
    if case["path"] is None:
        parsed = parse_validation(content, CONTEXT, [ASKED])
        assert parse_validation(parsed, CONTEXT, [ASKED]) == parsed
        assert [one["question"] for one in parsed["questions"]] == [
            one["question"] for one in ASKED["questions"]
        ]
        assert count_units(parsed, role="validator") == len(ASKED["questions"])
    else:
        with pytest.raises(ContentError) as excinfo:
            parse_validation(content, CONTEXT, [ASKED])
        assert excinfo.value.path == case["path"]


@pytest.mark.parametrize("content", [None, [], {}, {"questions": {}}, {"questions": [1, 2, 3]}])
def test_validation_of_another_shape_is_refused(content):
    with pytest.raises(ContentError):
        parse_validation(content, CONTEXT, [ASKED])


# --- what becomes of it ------------------------------------------------------------------------

SOURCE = generation((WHO, [[0, 1]]), (WHAT, [[2, 4]]), (WHEN, [[8, 9]]))


def test_question_is_gold_when_enough_agree():
    one = said([[0, 1]], [[2, 4]], "invalid")
    other = said([[0, 1]], "invalid", "invalid")
    assert gold(SOURCE, one, other) == [(WHO, [[0, 1]])]
    assert gold(SOURCE, one, other, agree=1) == [(WHO, [[0, 1]]), (WHAT, [[2, 4]])]


def test_redundant_is_no_word_for_a_question():
    assert gold(SOURCE, said([[0, 1]], 0, [[8, 9]]), said([[0, 1]], [[2, 4]], [[8, 9]])) == [
        (WHO, [[0, 1]]),
        (WHEN, [[8, 9]]),
    ]


def test_answers_of_all_are_joined_and_the_one_of_most_judges_stays():
    one = said([[0, 1]], [[2, 4], [5, 6]], "invalid")
    other = said([[0, 1]], [[3, 4]], "invalid")
    assert gold(SOURCE, one, other) == [(WHO, [[0, 1]]), (WHAT, [[2, 4], [5, 6]])]
    # Both against the generator: theirs.
    both = said([[0, 1]], [[3, 4]], "invalid")
    assert gold(SOURCE, both, both) == [(WHO, [[0, 1]]), (WHAT, [[3, 4]])]


def test_tie_goes_to_the_generator_then_to_the_shorter_answer():
    assert gold(SOURCE, said("invalid", [[1, 4]], "invalid"), agree=1) == [(WHAT, [[2, 4]])]
    longer, shorter = said([[4, 6]], "invalid", "invalid"), said([[5, 6]], "invalid", "invalid")
    assert gold(SOURCE, longer, shorter) == [(WHO, [[0, 1], [5, 6]])]


def test_question_whose_answers_all_belong_to_another_leaves():
    alone = said([[2, 4]], [[5, 6]], "invalid")
    others = said([[2, 4], [5, 6]], "invalid", "invalid")
    assert gold(SOURCE, alone, others, others, agree=1) == [(WHO, [[0, 1], [2, 4], [5, 6]])]


def test_provenance_names_the_judges_of_each_answer():
    one = said([[0, 1]], [[2, 4], [5, 6]], "invalid")
    other = said([[0, 1]], [[2, 4]], "invalid")
    _, provenance = gold_of_validations([SOURCE], [one, other], 2)
    both = {"generator": True, "validators": [0, 1]}
    assert provenance == [
        {"source": 0, "state": "kept", "valid": 2, "answers": [both]},
        {
            "source": 0,
            "state": "edited",
            "valid": 2,
            "answers": [both, {"generator": False, "validators": [0]}],
        },
    ]


def test_nothing_asked_is_empty_gold():
    assert gold(generation()) == []


def test_same_verdicts_are_counted():
    assert same_verdicts(said([[0, 1]], 0, "invalid"), said([[4, 5]], "invalid", "invalid")) == (
        2,
        3,
    )


# --- what always holds -------------------------------------------------------------------------


@st.composite
def validations(draw: st.DrawFn) -> Json:
    """A validation of SOURCE that the scheme takes."""
    cuts = sorted(draw(st.sets(st.integers(0, len(TOKENS)), max_size=6)))
    free = [list(pair) for pair in zip(cuts[::2], cuts[1::2], strict=False)]
    questions: list[list[list[int]]] = [[], [], []]
    for span in free:
        questions[draw(st.integers(0, 2))].append(span)
    return said(*[answers or "invalid" for answers in questions])


@given(st.lists(validations(), min_size=1, max_size=4), st.integers(1, 4))
def test_gold_never_overlaps_and_does_not_depend_on_the_validators_order(given_, agree):
    content, provenance = gold_of_validations([SOURCE], given_, agree)
    spans = sorted(span for one in content["questions"] for span in one["answers"])
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    for question, origin in zip(content["questions"], provenance, strict=True):
        assert question["answers"]
        assert origin["valid"] >= agree
        judges = [one["validators"] or one["generator"] for one in origin["answers"]]
        assert all(judges)
        assert len(judges) == len(question["answers"])
    assert gold_of_validations([SOURCE], given_[::-1], agree)[0] == content
    parsed = [parse_validation(content, CONTEXT, [SOURCE]) for content in given_]
    assert gold_of_validations([SOURCE], parsed, agree)[0] == content


# --- simulated validators ----------------------------------------------------------------------


def test_perfect_validators_find_what_the_reference_has():
    asked = [WHO, "Where did someone cut something?", WHAT]
    judged = simulate_validation(SOURCE, {"questions": asked}, CONTEXT, 1, "x")
    assert [one["verdict"] for one in judged["questions"]] == ["valid", "invalid", "valid"]
    assert [one["answers"] for one in judged["questions"]] == [[[0, 1]], [], [[2, 4]]]


@given(st.floats(0, 1), st.integers(0, 500))
def test_simulated_validation_is_always_taken_and_the_same_again(skill, seed):
    asked = [one["question"] for one in SOURCE["questions"]]
    reference = generation((WHO, [[0, 1]]), (WHAT, [[2, 4], [5, 6]]))
    first, again = (
        simulate_validation(reference, {"questions": asked}, CONTEXT, skill, str(seed))
        for _ in range(2)
    )
    assert first == again
    parse_validation(first, CONTEXT, [SOURCE])
