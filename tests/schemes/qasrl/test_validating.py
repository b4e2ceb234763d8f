"""Parsing of validations, and the resulting gold."""

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.english.verbs import verb_forms
from schemes.qasrl.content import count_units, parse_generation, parse_validation
from schemes.qasrl.simulated_judges import validate
from schemes.qasrl.validating import gold_of, same_verdicts
from schemes.simulated_person import Person

# tests/browser/test_validation_moves.py checks the page against the same file.
VECTORS = json.loads((Path(__file__).parent / "validation_vectors.json").read_text())
TOKENS: list[str] = VECTORS["tokens"]
TARGET = {"verb_idx": 1, "verb": "cut", "forms": verb_forms("cut").by_name()}
CONTEXT = ItemContext(TOKENS, TARGET)
WHO, WHAT, WHEN = "Who cut something?", "What did someone cut?", "When did someone cut something?"


def generation(*entries: tuple[str, list[list[int]]]) -> Json:
    questions = [{"question": text, "answers": answers} for text, answers in entries]
    content = {"questions": questions, "no_question": "" if entries else "no verb"}
    return parse_generation(content, CONTEXT)


# The questions of the vectors' generator. The third overlaps the second.
ASKED = {
    "questions": [
        {
            **question,
            "slots": generation((question["question"], question["answers"]))["questions"][0][
                "slots"
            ],
        }
        for question in VECTORS["asked"]
    ]
}


def validation_of(*verdicts: list[list[int]] | str | int) -> Json:
    """Return a validation with a verdict per question.

    A verdict is the answers of a valid question, "invalid", or the position of the repeated question.
    """
    questions = []
    for verdict in verdicts:
        if isinstance(verdict, list):
            questions.append({"verdict": "valid", "answers": verdict, "same_as": None})
        elif isinstance(verdict, int):
            questions.append({"verdict": "redundant", "answers": [], "same_as": verdict})
        else:
            questions.append({"verdict": verdict, "answers": [], "same_as": None})
    return {"questions": questions}


def gold(source: Json, *validations: Json, agree: int = 2) -> list[tuple[str, list[list[int]]]]:
    content, provenance = gold_of([source], validations, agree)
    assert len(provenance) == len(content["questions"])
    return [(question["question"], question["answers"]) for question in content["questions"]]


# --- parsing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_validation_is_accepted_or_refused_with_a_path(case):
    content = {"questions": case["questions"]}
    if case["path"] is None:
        parsed = parse_validation(content, CONTEXT, [ASKED])
        assert parse_validation(parsed, CONTEXT, [ASKED]) == parsed
        assert [question["question"] for question in parsed["questions"]] == [
            question["question"] for question in ASKED["questions"]
        ]
        assert count_units(parsed, role="validator") == len(ASKED["questions"])
    else:
        with pytest.raises(ContentError) as excinfo:
            parse_validation(content, CONTEXT, [ASKED])
        assert excinfo.value.path == case["path"]


@pytest.mark.parametrize("content", [None, [], {}, {"questions": {}}, {"questions": [1, 2, 3]}])
def test_malformed_validation_is_refused(content):
    with pytest.raises(ContentError):
        parse_validation(content, CONTEXT, [ASKED])


# --- gold --------------------------------------------------------------------------------------

SOURCE = generation((WHO, [[0, 1]]), (WHAT, [[2, 4]]), (WHEN, [[8, 9]]))


def test_question_is_gold_if_enough_validators_agree():
    first = validation_of([[0, 1]], [[2, 4]], "invalid")
    second = validation_of([[0, 1]], "invalid", "invalid")
    assert gold(SOURCE, first, second) == [(WHO, [[0, 1]])]
    assert gold(SOURCE, first, second, agree=1) == [(WHO, [[0, 1]]), (WHAT, [[2, 4]])]


def test_redundant_verdict_does_not_support_a_question():
    assert gold(
        SOURCE, validation_of([[0, 1]], 0, [[8, 9]]), validation_of([[0, 1]], [[2, 4]], [[8, 9]])
    ) == [
        (WHO, [[0, 1]]),
        (WHEN, [[8, 9]]),
    ]


def test_answers_are_joined_and_the_most_supported_answer_wins():
    first = validation_of([[0, 1]], [[2, 4], [5, 6]], "invalid")
    second = validation_of([[0, 1]], [[3, 4]], "invalid")
    assert gold(SOURCE, first, second) == [(WHO, [[0, 1]]), (WHAT, [[2, 4], [5, 6]])]
    # Both validators disagree with the generator, so their answer is kept.
    validation = validation_of([[0, 1]], [[3, 4]], "invalid")
    assert gold(SOURCE, validation, validation) == [(WHO, [[0, 1]]), (WHAT, [[3, 4]])]


def test_generator_then_shorter_answer_wins_a_tie():
    assert gold(SOURCE, validation_of("invalid", [[1, 4]], "invalid"), agree=1) == [
        (WHAT, [[2, 4]])
    ]
    longer, shorter = (
        validation_of([[4, 6]], "invalid", "invalid"),
        validation_of([[5, 6]], "invalid", "invalid"),
    )
    assert gold(SOURCE, longer, shorter) == [(WHO, [[0, 1], [5, 6]])]


def test_question_is_dropped_if_all_its_answers_belong_to_another():
    first = validation_of([[2, 4]], [[5, 6]], "invalid")
    second = validation_of([[2, 4], [5, 6]], "invalid", "invalid")
    assert gold(SOURCE, first, second, second, agree=1) == [(WHO, [[0, 1], [2, 4], [5, 6]])]


def test_provenance_lists_the_judges_of_each_answer():
    first = validation_of([[0, 1]], [[2, 4], [5, 6]], "invalid")
    second = validation_of([[0, 1]], [[2, 4]], "invalid")
    _, provenance = gold_of([SOURCE], [first, second], 2)
    answer_origin = {"generator": True, "validators": [0, 1]}
    assert provenance == [
        {"source": 0, "state": "kept", "valid": 2, "answers": [answer_origin]},
        {
            "source": 0,
            "state": "edited",
            "valid": 2,
            "answers": [answer_origin, {"generator": False, "validators": [0]}],
        },
    ]


def test_generation_without_questions_gives_empty_gold():
    assert gold(generation()) == []


def test_same_verdicts_are_counted():
    assert same_verdicts(
        validation_of([[0, 1]], 0, "invalid"), validation_of([[4, 5]], "invalid", "invalid")
    ) == (
        2,
        3,
    )


# --- invariants --------------------------------------------------------------------------------


@st.composite
def validations(draw: st.DrawFn) -> Json:
    """Return a valid validation of SOURCE."""
    cuts = sorted(draw(st.sets(st.integers(0, len(TOKENS)), max_size=6)))
    free = [list(pair) for pair in zip(cuts[::2], cuts[1::2], strict=False)]
    questions: list[list[list[int]]] = [[], [], []]
    for span in free:
        questions[draw(st.integers(0, 2))].append(span)
    return validation_of(*[answers or "invalid" for answers in questions])


@given(st.lists(validations(), min_size=1, max_size=4), st.integers(1, 4))
def test_gold_never_overlaps_or_depends_on_the_order_of_validators(validations_drawn, agree):
    content, provenance = gold_of([SOURCE], validations_drawn, agree)
    spans = sorted(span for question in content["questions"] for span in question["answers"])
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    for question, origin in zip(content["questions"], provenance, strict=True):
        assert question["answers"]
        assert origin["valid"] >= agree
        judges = [answer["validators"] or answer["generator"] for answer in origin["answers"]]
        assert all(judges)
        assert len(judges) == len(question["answers"])
    assert gold_of([SOURCE], validations_drawn[::-1], agree)[0] == content
    parsed = [parse_validation(content, CONTEXT, [SOURCE]) for content in validations_drawn]
    assert gold_of([SOURCE], parsed, agree)[0] == content


# --- simulated validators ----------------------------------------------------------------------


def test_validators_of_skill_1_expect_exact_sources():
    validation = validate([SOURCE], CONTEXT, Person(1.0), "x")
    assert [(entry["verdict"], entry["answers"]) for entry in validation["questions"]] == [
        ("valid", question["answers"]) for question in SOURCE["questions"]
    ]


@given(st.floats(0, 1), st.integers(0, 500))
def test_simulated_validation_is_valid_and_deterministic(skill, seed):
    first, second = (validate([SOURCE], CONTEXT, Person(skill), str(seed)) for _ in range(2))
    assert first == second
    parse_validation(first, CONTEXT, [SOURCE])
